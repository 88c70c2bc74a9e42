"""Opened folders: a book, or several books with the structure of a site."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from recto.contract.structure import SiteSection, SiteSectionGroup, SiteSpace, SiteStructure, StructureItem
from recto.frozen import frozen
from recto.server.exchange.book import Book
from recto.server.exchange.book_reader import OnRead, ReadLinks, ignore_text, read_book, read_links
from recto.server.exchange.folder import (
    MAX_SETTINGS_BYTES,
    Folder,
    FolderError,
    LeftOut,
    Progress,
    folders_above,
    join_path,
    list_folder,
)
from recto.server.exchange.layout import LAYOUT_FILES
from recto.server.jobs import JobCancelled

MAX_BOOKS = 200
"""The most books that a folder holds."""

_PAGES_BETWEEN = 50
_STRUCTURE = "structure.json"
_CUSTOMIZATION = "customization.json"


@frozen
class Missing:
    """A site space of a structure for which the folder has no book, with the title of the section it is in."""

    section: str | None
    title: str
    path: str


@frozen
class SitePlan:
    """A site to create: its structure as written, and the site spaces that have a book.

    ``books`` maps the id of a site space in the structure to the folder of its book. ``missing`` are the site spaces
    without a book, ``unplaced`` the folders of the books that no site space names.
    """

    title: str
    structure: SiteStructure
    books: dict[str, str]
    missing: tuple[Missing, ...] = ()
    unplaced: tuple[str, ...] = ()

    def order(self, bases: Sequence[str]) -> tuple[str, ...]:
        """Return the folders of books in the order of the structure, those that it does not name last."""
        placed = [self.books[link.id] for _, link in _links(self.structure) if link.id in self.books]
        return (*placed, *(base for base in bases if base not in placed))

    def site_space(self, folder: str) -> SiteSpace | None:
        """Return the site space, as it was written, to which the book of that folder belongs."""
        return next((link for _, link in _links(self.structure) if self.books.get(link.id) == folder), None)


@frozen
class Library:
    """An opened folder, read: ``top`` is its real path; there is a ``site`` where the folder describes one."""

    top: Path
    books: tuple[Book, ...]
    site: SitePlan | None = None
    left_out: tuple[LeftOut, ...] = ()


@frozen
class ListedBooks:
    """The books of a folder that are not read yet: their titles by their folders, in order, and the ``site``."""

    folder: Folder
    titles: Mapping[str, str]
    site: SitePlan | None = None


def read_library(
    path: Path,
    progress: Progress = lambda step, done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Library:
    """Read a folder of documentation.

    Raise ``FolderError`` where it cannot be read as such and ``JobCancelled`` where ``cancelled`` says so.
    """
    return read_books(list_library(path, progress), progress, cancelled)


def list_library(path: Path, progress: Progress) -> ListedBooks:
    """List the books of a folder of documentation; raises ``FolderError`` where it cannot be read as such."""
    progress("Listing files", 0, None)
    return list_books(list_folder(path))


def list_books(folder: Folder) -> ListedBooks:
    """List the books of a folder whose files are listed; raises as :func:`list_library` does."""
    bases = book_folders(folder)
    if len(bases) > MAX_BOOKS:
        raise FolderError(
            f"{folder.show()} holds {len(bases):,} books, and at most {MAX_BOOKS} are imported at once. "
            "Name the folder of a part of them."
        )
    with _refusing_depth(folder):
        plan = _plan(folder, bases) if len(bases) > 1 and _STRUCTURE in folder else None
        if plan is not None:
            bases = plan.order(bases)
    only = plan is None and len(bases) == 1
    titles = {base: folder.top.name if only else _title(folder, base, plan) for base in bases}
    return ListedBooks(folder, {base: title or "Documentation" for base, title in titles.items()}, plan)


def read_books(
    listed: ListedBooks,
    progress: Progress,
    cancelled: Callable[[], bool],
    links_of: ReadLinks = read_links,
    take: OnRead = ignore_text,
) -> Library:
    """Read books that are listed; raises as :func:`read_library` does. ``take`` is called for each text."""
    folder, read = listed.folder, 0

    def take_text(place: str, content: bytes, text: str) -> None:
        nonlocal read
        if cancelled():
            raise JobCancelled
        take(place, content, text)
        read += 1
        if read % _PAGES_BETWEEN == 0:
            progress("Reading pages", read, None)

    with _refusing_depth(folder):
        books = tuple(read_book(folder, base, title, take_text, links_of) for base, title in listed.titles.items())
    return Library(folder.top, books, listed.site, folder.left_out)


@contextmanager
def _refusing_depth(folder: Folder) -> Iterator[None]:
    """Refuse a folder of which something is nested deeper than can be followed."""
    try:
        yield
    except RecursionError as error:
        raise FolderError(
            f"The folders or pages of {folder.show()} are nested too deeply. Move them further up."
        ) from error


def book_folders(folder: Folder) -> tuple[str, ...]:
    """Return where the books of a folder are: where there is a summary or a layout file, else the folder itself.

    What lies below a book is part of it, except that a folder with the structure of a site is not itself a book as
    long as there are books in it.
    """
    marks = {"summary.md", *LAYOUT_FILES}
    found = {posixpath.dirname(place) for place in folder.files if posixpath.basename(place).casefold() in marks}
    if _STRUCTURE in folder and len(found) > 1:
        found.discard("")
    return tuple(base for base in sorted(found) if found.isdisjoint(folders_above(base))) or ("",)


def _title(folder: Folder, base: str, plan: SitePlan | None) -> str:
    """Name a book as its space is named in the structure, else after its folder."""
    link = plan.site_space(base) if plan else None
    if link is not None and link.space is not None and link.space.title:
        return link.space.title
    return posixpath.basename(base) or folder.top.name


def _plan(folder: Folder, bases: Sequence[str]) -> SitePlan:
    try:
        structure = SiteStructure.model_validate_json(folder.text(_STRUCTURE, MAX_SETTINGS_BYTES))
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise FolderError(
            f"{_STRUCTURE} is not the structure of a site ({reason}). Correct or remove it, then open it again."
        ) from error
    books = _match(structure, bases)
    missing = tuple(
        Missing(section.title if section else None, link.title, link.path)
        for section, link in _links(structure)
        if link.id not in books
    )
    placed = set(books.values())
    unplaced = tuple(base for base in bases if base not in placed)
    return SitePlan(_site_title(folder), structure, books, missing, unplaced)


def _match(structure: SiteStructure, bases: Sequence[str]) -> dict[str, str]:
    """Give each book the site space whose section path and own path end its folder, else its section's default."""
    exact: dict[str, list[_Link]] = {}
    defaults: dict[str, list[_Link]] = {}
    for section, link in _links(structure):
        exact.setdefault(_path(section, link), []).append((section, link))
        if section and link.default:
            defaults.setdefault(section.path.strip("/"), []).append((section, link))
    books: dict[str, str] = {}
    in_order = sorted(bases, key=lambda place: (place.count("/"), place))
    for base in [base for base in in_order if not _take(books, base, exact)]:
        _take(books, base, defaults)
    return books


_Link = tuple[SiteSection | None, SiteSpace]


def _path(section: SiteSection | None, link: SiteSpace) -> str:
    return (join_path(section.path, link.path) if section else link.path).strip("/")


def _take(books: dict[str, str], base: str, links: Mapping[str, Sequence[_Link]]) -> bool:
    """Return whether the book got a site space: the site space with the longest path that no book has yet."""
    found = (links.get(end, ()) for end in _ends(base))
    free = [(section, link) for some in found for section, link in some if link.id not in books]
    if not free:
        return False
    _, link = max(free, key=lambda pair: len(_path(*pair)))
    books[link.id] = base
    return True


def _ends(base: str) -> Iterator[str]:
    """Yield the paths that a folder's path ends with, the longest first."""
    while base:
        yield base
        base = base.partition("/")[2]


def _links(structure: SiteStructure) -> Iterator[_Link]:
    """Return the site spaces in order, each with its section."""
    return _links_among(structure.structure)


def _links_among(items: Sequence[StructureItem]) -> Iterator[_Link]:
    for item in items:
        if isinstance(item, SiteSpace):
            yield None, item
        elif isinstance(item, SiteSection):
            yield from ((item, link) for link in item.site_spaces)
        elif isinstance(item, SiteSectionGroup):
            yield from _links_among(item.children)


def _site_title(folder: Folder) -> str:
    """Return the title that the site's customization gives it, else the folder's name; 2 to 128 characters."""
    title = ""
    if _CUSTOMIZATION in folder:
        try:
            settings = json.loads(folder.text(_CUSTOMIZATION, MAX_SETTINGS_BYTES))
        except (ValueError, RecursionError):
            settings = None
        title = str(settings.get("title") or "") if isinstance(settings, dict) else ""
    title = " ".join(title.split())[:128] or folder.top.name[:128]
    return title if len(title) >= 2 else f"Site {title}".strip()
