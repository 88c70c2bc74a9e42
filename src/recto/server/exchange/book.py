"""The content of a folder of documentation: frozen, and independent of any workspace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from recto.contract.content import Variable
from recto.frozen import frozen
from recto.server.content.picture_dimensions import Measures
from recto.server.exchange.folder import FileSource, LeftOut

MAX_SOURCE_BYTES = 500 * 1000 * 1000
"""How many bytes of files that are neither pages nor shown by them are kept with a book."""


class Kind(StrEnum):
    """What a node of the page tree is; the values are those of a page's ``type``."""

    DOCUMENT = "document"
    GROUP = "group"
    LINK = "link"
    COMPUTED = "computed"


@frozen
class Target:
    """Where a link page leads: an address, or a page of the same book by its file, at an anchor perhaps."""

    url: str | None = None
    path: str | None = None
    anchor: str | None = None


@frozen
class BookPage:
    """A node of the page tree.

    ``path`` is the file's place in the book, with ``/`` between folders, and ``None`` for nodes without a file.
    ``slug`` may be that of a sibling, too.
    ``text`` is the Markdown below the front matter and the title; ``front_matter`` holds what the file says between
    its ``---`` lines, key by key, unknown keys among them. Both are empty where the page ``is_unread``.
    The file of a page that ``is_untitled`` gives no title. ``line`` is that of its entry in the summary, from 1.
    """

    kind: Kind
    title: str
    slug: str
    path: str | None = None
    text: str = ""
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    link_title: str | None = None
    target: Target | None = None
    computed: Mapping[str, Any] = field(default_factory=dict)
    children: tuple[BookPage, ...] = ()
    is_unread: bool = False
    is_untitled: bool = False
    line: int = 0

    def walk(self) -> Iterator[BookPage]:
        """Return the page and all pages below it, in reading order."""
        yield self
        for child in self.children:
            yield from child.walk()


@frozen
class BookFile:
    """A file that pages may show or offer; ``source`` is where its bytes are, ``size`` how many there are.

    ``dimensions`` is how many pixels a picture has, where it tells.
    """

    path: str
    name: str
    content_type: str
    source: FileSource
    size: int
    dimensions: Measures | None = None


@frozen
class SourceFile:
    """A file of a book as it lies there; ``path`` is its place below the book's ``home``."""

    path: str
    source: FileSource
    size: int


@frozen
class Reusable:
    """A text that pages include; ``path`` is its file's place in the book."""

    path: str
    title: str
    text: str
    front_matter: Mapping[str, Any] = field(default_factory=dict)


@frozen
class Dangling:
    """An entry of the summary that points at no file; ``line`` counts from 1."""

    line: int
    title: str
    target: str


@frozen
class Repeated:
    """An entry of the summary for a file that another entry lists already; ``line`` counts from 1."""

    line: int
    title: str
    path: str


@frozen
class MissingFile:
    """A picture, file or included text that a page names in vain; ``page`` is the page's file."""

    page: str
    target: str


@frozen
class NotUtf8:
    """A page, summary or included text that holds bytes that are not UTF-8, first in ``line``, which counts from 1."""

    path: str
    line: int


@frozen
class UnreadFile:
    """A file that could not be read, and why in a few words."""

    path: str
    reason: str


@frozen
class BookReport:
    """Findings about a book that was read, beyond its pages."""

    unlisted: tuple[str, ...] = ()
    dangling: tuple[Dangling, ...] = ()
    repeated: tuple[Repeated, ...] = ()
    missing: tuple[MissingFile, ...] = ()
    outside: tuple[MissingFile, ...] = ()
    """What pages name that is there, but outside the root of the book."""
    unread_front_matter: tuple[str, ...] = ()
    unread_conditions: tuple[UnreadFile, ...] = ()
    not_utf8: tuple[NotUtf8, ...] = ()
    unread_pages: tuple[UnreadFile, ...] = ()
    unread_files: tuple[UnreadFile, ...] = ()
    files_left_out: int = 0
    sources_left_out: int = 0


@frozen
class Book:
    """A book: the source of a space.

    ``folder`` is its place in the opened folder, ``""`` for the folder itself, ``summary`` that of its summary, if any.
    The paths of pages and files are relative to ``root``, which is another place in the opened folder. ``layout`` is
    that of its file of settings. ``sources`` are all files below its ``home``, which holds both, and ``unkept`` what
    else is there, by its places below that.
    """

    folder: str
    root: str
    summary: str | None
    title: str
    pages: tuple[BookPage, ...]
    files: tuple[BookFile, ...] = ()
    reusables: tuple[Reusable, ...] = ()
    variables: Mapping[str, Variable] = field(default_factory=dict)
    tags: tuple[Any, ...] = ()
    redirects: Mapping[str, str] = field(default_factory=dict)
    layout: str | None = None
    home: str = ""
    sources: tuple[SourceFile, ...] = ()
    unkept: tuple[LeftOut, ...] = ()
    report: BookReport = BookReport()

    def walk(self) -> Iterator[BookPage]:
        """Return all pages in reading order."""
        for page in self.pages:
            yield from page.walk()
