"""Rich text: a document of blocks, inlines and marked text, as the platform's editor holds it."""

from typing import Annotated, Any, Literal

from pydantic import FailFast, Field

from recto.contract.model import Model, none_of


class Mark(Model):
    """How a run of text is set: ``bold``, ``italic``, ``strikethrough``, ``code``, ``color``, ..."""

    object: Literal["mark"] = "mark"
    type: str
    data: dict[str, Any] = Field(default_factory=dict)


class Leaf(Model):
    """A run of text with the same marks."""

    object: Literal["leaf"] = "leaf"
    text: str = ""
    marks: Annotated[tuple[Mark, ...], FailFast()] = ()


class Text(Model):
    """Text, as runs."""

    object: Literal["text"] = "text"
    key: str | None = None
    leaves: Annotated[tuple[Leaf, ...], FailFast()] = ()


class Inline(Model):
    """Something in a line of text: ``link``, ``mention``, ``emoji``, ``expression``, ``inline-image``, ..."""

    object: Literal["inline"] = "inline"
    type: str
    key: str | None = None
    is_void: bool = False
    data: dict[str, Any] = Field(default_factory=dict)
    nodes: "Nodes" = ()
    fragments: "Fragments" = ()


class Fragment(Model):
    """A text that a block holds beside its nodes: the title or body of an expandable, a cell of a table, a caption.

    ``fragment`` is its name, by which the block's data may name it, and ``type`` what it is to the block.
    """

    object: Literal["fragment"] = "fragment"
    key: str | None = None
    fragment: str | None = None
    type: str | None = None
    nodes: "Nodes" = ()


Fragments = Annotated[tuple[Fragment, ...], FailFast()]
"""Fragments; the first that is none is named, and the rest not looked at."""


class Block(Model):
    """A block: ``paragraph``, ``heading-1``, ``list-unordered``, ``code``, ``hint``, ...; ``key`` names it."""

    object: Literal["block"] = "block"
    type: str
    key: str | None = None
    is_void: bool = False
    data: dict[str, Any] = Field(default_factory=dict)
    nodes: "Nodes" = ()
    fragments: "Fragments" = ()


class OtherNode(Model):
    """A node that this version does not know."""

    object: Annotated[str, none_of("block", "inline", "text")] = ""


# The kind is looked at first: trying a node as each kind in turn would read its content as often again on each level.
Node = Annotated[
    Annotated[Block | Inline | Text, Field(discriminator="object")] | OtherNode, Field(union_mode="left_to_right")
]


Nodes = Annotated[tuple[Node, ...], FailFast()]
"""Nodes; the first that is none is named, and the rest not looked at."""


class DocumentData(Model):
    """What holds for a whole document."""

    schema_version: int = 1


class Document(Model):
    """A rich text."""

    object: Literal["document"] = "document"
    data: DocumentData = DocumentData.model_construct()
    nodes: "Nodes" = ()
