"""The context in which a page is drawn: titles of link targets, files, values of variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from recto.frozen import frozen
from recto.tui.render.picture_source import Pictures, Unseen

if TYPE_CHECKING:
    from recto.document.markdown.blocks import Block
    from recto.document.openapi.api_model import Field, Operation


@frozen
class FileFacts:
    """A file that a page shows: its ``size`` is in bytes, ``width`` and ``height`` in pixels."""

    name: str
    size: int = 0
    width: int = 0
    height: int = 0
    address: str = ""
    """Where its bytes are."""


@frozen
class Included:
    """A reusable content: its title, and its text where that is known."""

    title: str
    text: str | None = None
    around: Surroundings | None = None
    """Its surroundings, if its paths are relative to another file than the page's."""


@frozen
class Missing:
    """Why something that a page refers to is not shown: a sentence, and whether it is an error.

    ``address`` is where it is fetched from when the person asks for it.
    """

    words: str
    failed: bool = False
    address: str = ""


@frozen
class Shapes:
    """The schemas of an API that a page shows."""

    fields: tuple[Field, ...]


@frozen
class Surroundings:
    """Looks up what a page refers to; ``None`` is unknown, and the page's own words are shown."""

    title_of: Callable[[str], str | None] = lambda _href: None
    file_at: Callable[[str], FileFacts | None] = lambda _href: None
    included: Callable[[str], Included | None] = lambda _path: None
    from_page: Callable[[str], str] | None = None
    """Returns an address in an included text as it would be written on the page; ``None`` for the page's own text."""
    described: Callable[[Block], Operation | Shapes | Missing | None] = lambda _block: None
    """Returns what the description of an API says about a block."""
    names: Mapping[str, Any] = field(default_factory=dict)
    """What the names in expressions stand for, such as ``space`` with its ``vars``."""
    pictures: Pictures = field(default_factory=Unseen)
    """Draws pictures."""


ALONE = Surroundings()


def name_of(href: str) -> str:
    """Return the file name at the end of an address or path."""
    return unquote(href.partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2])
