"""What came of bringing a folder in, in words for the person who asked for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from recto.server.exchange.books import Library, SitePlan
from recto.server.exchange.files import joined
from recto.server.exchange.tree import Book, Kind


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about a folder that its owner should know; ``path`` is a file in it, or empty for the folder itself."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class BroughtInSpace:
    """A book and the space that holds it.

    ``pages`` counts the pages that have a text, ``changed`` says whether the folder differed from what the space had
    of it. ``change_request`` is the one that holds what the folder changed, where that conflicts with what was
    changed in the space.
    """

    space: str
    title: str
    folder: str
    pages: int
    created: bool
    changed: bool
    change_request: str | None = None


@dataclass(frozen=True, slots=True)
class BroughtIn:
    """The spaces and the site that a folder became, and what there is to say about it."""

    organization: str
    spaces: tuple[BroughtInSpace, ...]
    site: str | None
    remarks: tuple[Remark, ...]


def count_pages(book: Book) -> int:
    """Return the number of pages with a text of their own."""
    return sum(1 for page in book.walk() if page.kind is Kind.DOCUMENT)


def remarks_on(library: Library) -> tuple[Remark, ...]:
    """Return what was left out, listed in vain or not understood, book by book."""
    remarks = [remark for book in library.books for remark in _on_book(book)]
    if library.site is not None:
        remarks += _on_site(library.site)
    return tuple(remarks)


def not_on_site(space: BroughtInSpace) -> Remark:
    """Return what there is to say of a book that is new in a folder whose site was made before."""
    return Remark(
        space.folder, f"The site is older than this book: put the space “{space.title}” on it where you want it."
    )


def _on_book(book: Book) -> Iterator[Remark]:
    report, root = book.report, book.root
    summary = book.summary or ""
    for entry in report.dangling:
        where = f"points at {entry.target}, which is not there" if entry.target else "points at no file"
        yield Remark(summary, f"Line {entry.line}, “{entry.title}”, {where}.")
    for again in report.repeated:
        yield Remark(
            summary, f"Line {again.line}, “{again.title}”, lists {again.path} again: it became a link to that page."
        )
    for path in report.unlisted:
        yield Remark(joined(root, path), "Not listed in the summary, so not among the pages.")
    for path in report.unread_front_matter:
        yield Remark(joined(root, path), "The front matter is not valid YAML, so it was left in the text.")
    for place in report.outside:
        yield Remark(place, "This is a link to something outside the folder, so it was not read.")


def _on_site(plan: SitePlan) -> Iterator[Remark]:
    for link in plan.missing:
        where = f" in the section “{link.section}”" if link.section else ""
        yield Remark("structure.json", f"The site space “{link.title}”{where} has no book here, so it was not made.")
    for folder in plan.unplaced:
        yield Remark(folder, "structure.json has no place for this book, so its space is not on the site.")
