"""The content of a page: a tree of blocks, and inline text within them. Immutable, without behaviour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from recto.frozen import frozen


class BlockKind(StrEnum):
    """The kind of a block; unknown blocks are ``TAG`` or ``HTML``."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    CODE = "code"
    HINT = "hint"
    QUOTE = "quote"
    LIST = "list"
    LIST_ITEM = "list-item"
    TABLE = "table"
    TABLE_ROW = "table-row"
    TABLE_CELL = "table-cell"
    DIVIDER = "divider"
    TABS = "tabs"
    TAB = "tab"
    STEPPER = "stepper"
    STEP = "step"
    COLUMNS = "columns"
    COLUMN = "column"
    EXPANDABLE = "expandable"
    FIGURE = "figure"
    EMBED = "embed"
    FILE = "file"
    CONTENT_REF = "content-ref"
    INCLUDE = "include"
    OPENAPI = "openapi"
    SWAGGER = "swagger"
    UPDATES = "updates"
    UPDATE = "update"
    IF = "if"
    PROMPT = "prompt"
    MATH = "math"
    FOOTNOTE = "footnote"
    REFERENCE = "reference"
    TAG = "tag"
    HTML = "html"


_NONE: Mapping[str, str] = {}
"""The attributes of most: one for all."""


@frozen
class Block:
    """A block of a page: lines ``start`` to ``end`` (counted from 0, ``end`` not included) of its source.

    - ``text``: the inline source of a heading, paragraph, cell, caption of a figure or summary of an expandable; the
      code of a code block; the formula of math; the source as it stands of html, references and tags without an end.
    - ``name``: the tag's name for everything written as ``{% name %}``, the element's for html.
    - ``level``: 1 to 6 for headings, the first number for ordered lists, else 0.
    - ``attributes``: as written, entities decoded. Lists have ``ordered``, task items ``checked``, cells ``align`` and
      ``header``, code ``language``, ``title`` and so on, figures ``src`` and ``alt``; ``true`` and ``false`` are
      spelled so.
    - ``markup``: ``html`` where ``text`` is HTML and not Markdown, ``none`` where it is plain words.
    """

    kind: BlockKind
    start: int
    end: int
    text: str = ""
    children: tuple[Block, ...] = ()
    name: str = ""
    level: int = 0
    attributes: Mapping[str, str] = field(default_factory=lambda: _NONE)
    markup: str = ""

    def walk(self) -> Iterator[Block]:
        """Yield the block and all blocks within it, in reading order."""
        ahead = [self]
        while ahead:
            block = ahead.pop()
            yield block
            ahead.extend(reversed(block.children))


class InlineKind(StrEnum):
    """What a piece of inline text is."""

    TEXT = "text"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    STRIKETHROUGH = "strikethrough"
    HIGHLIGHT = "highlight"
    SUBSCRIPT = "subscript"
    SUPERSCRIPT = "superscript"
    CODE = "code"
    EXPRESSION = "expression"
    LINK = "link"
    MENTION = "mention"
    BUTTON = "button"
    ANCHOR = "anchor"
    IMAGE = "image"
    ICON = "icon"
    EMOJI = "emoji"
    MATH = "math"
    FOOTNOTE = "footnote"
    SOFT_BREAK = "soft-break"
    BREAK = "break"
    HTML = "html"


@frozen
class Inline:
    """A piece of inline text.

    - ``text``: of text, code, expressions, math and html; the alternative text of images; the short code of emoji and
      icons without colons; the label of footnotes.
    - ``target``: the address of links, mentions, buttons and images; the id of anchors.
    """

    kind: InlineKind
    text: str = ""
    target: str = ""
    title: str = ""
    children: tuple[Inline, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=lambda: _NONE)


def walk_inlines(inlines: Sequence[Inline]) -> Iterator[Inline]:
    """Yield pieces of inline text and all within them, in reading order."""
    ahead = list(reversed(inlines))
    while ahead:
        inline = ahead.pop()
        yield inline
        ahead.extend(reversed(inline.children))


def plain_text(inlines: Sequence[Inline]) -> str:
    """Return what a reader reads of inline text: no marks, line breaks as spaces."""
    parts: list[str] = []
    for inline in walk_inlines(inlines):
        if inline.kind in (InlineKind.SOFT_BREAK, InlineKind.BREAK):
            parts.append(" ")
        elif inline.kind is InlineKind.EMOJI:
            parts.append(f":{inline.text}:")
        elif inline.kind not in (InlineKind.HTML, InlineKind.FOOTNOTE, InlineKind.ICON):
            parts.append(inline.text)
    return "".join(parts)
