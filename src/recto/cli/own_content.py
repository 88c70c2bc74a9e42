"""Files and folders of this machine, as content that is sent to a hosted platform."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from recto.contract.changes import MOST_FILE_BYTES
from recto.contract.import_report import Finding
from recto.contract.own_content import OwnContent, OwnFile, OwnPage
from recto.document.markdown.link_addresses import change_addresses
from recto.server.content.attributes import FLAGS, TEXTS, put_front_matter
from recto.server.exchange.content_import import place_pages
from recto.server.exchange.findings import findings_around, findings_in
from recto.server.exchange.sources.gathering import open_source, show_source
from recto.server.jobs import Cancellation, JobCancelled, JobFailed
from recto.store.workspace import ImportCancelled, WorkspaceError

if TYPE_CHECKING:
    from recto.contract.imports import ImportContent
    from recto.server.content.imported_tree import ImportedPage, ImportedTree
    from recto.server.exchange.library import Library

_SENT = (*TEXTS, *FLAGS)
_NOT_SENT = {"cover": "its cover", "layout": "its layout", "variables": "its variables"}
_DOCUMENT = "document"


class Conversion(Cancellation):
    """The work of converting, as :class:`recto.server.jobs.Work` has it; ``show`` is called with each step."""

    is_local: Final = True

    def __init__(self, show: Callable[[str, int, int | None], None] = lambda step, done, total: None) -> None:
        super().__init__()
        self._show = show

    def progress(self, step: str, done: int, total: int | None) -> None:
        """Show how far it is."""
        self.stop_if_cancelled()
        self._show(step, done, total)


def convert(body: ImportContent, work: Conversion) -> OwnContent:
    """Convert what a ``file:`` address leads to, on this thread; raises ``JobFailed`` and ``JobCancelled``."""
    with open_source(body.source, body.url, work) as library:
        numbers = count(1)
        sources = {(book.folder, file.path): file for book in library.books for file in book.files}
        blobs = {place: str(number) for number, place in enumerate(sources)}
        by_blob = {blobs[place]: file for place, file in sources.items()}
        tree = place_pages(library.books, blobs, lambda: f"import-{next(numbers)}")
        files: list[OwnFile] = []
        large: dict[str, str] = {}
        for entry in tree.files:
            if entry["size"] > MOST_FILE_BYTES:
                large[entry["id"]] = entry["name"]
                continue
            work.stop_if_cancelled()
            content = by_blob[entry["blob"]].source.read()
            files.append(OwnFile(entry["id"], entry["name"], entry["contentType"], content))
        findings = (*_findings(tree, large), *_findings_of(library))
        # Others read the title, which must not reveal where files are on this machine.
        name = PurePath(show_source(body.url)).name
        return OwnContent(name, tuple(_pages(tree.pages, large)), files, findings)


async def convert_aside(body: ImportContent, show: Callable[[str, int, int | None], None]) -> OwnContent:
    """Convert on a thread of its own, as :data:`recto.contract.own_content.Convert` has it."""
    loop = asyncio.get_running_loop()

    def show_in_loop(step: str, done: int, total: int | None) -> None:
        loop.call_soon_threadsafe(show, step, done, total)

    work = Conversion(show_in_loop)
    task = asyncio.create_task(asyncio.to_thread(convert, body, work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        work.cancel()
        with suppress(JobCancelled, JobFailed):
            await task
        raise
    except JobCancelled as error:
        raise ImportCancelled("Nothing was imported.", str(error)) from error
    except JobFailed as error:
        raise WorkspaceError("Nothing was imported.", str(error)) from error


def _pages(pages: Sequence[ImportedPage], large: dict[str, str]) -> Iterator[OwnPage]:
    """Yield pages without what a write does not make: those in a group come in its place."""
    for page in pages:
        if page.type != _DOCUMENT:
            yield from _pages(page.children, large)
            continue
        attributes = {name: value for name, value in _attributes(page).items() if name in _SENT}
        text = _without_links_to(large, page.text)
        yield OwnPage(page.id, page.title or "Untitled", text, attributes, tuple(_pages(page.children, large)))


def _without_links_to(large: dict[str, str], text: str) -> str:
    """Return a text that names files that are not sent as they are called here."""

    def lead(target: str) -> str:
        name = large.get(target.removeprefix("/files/"))
        return quote(name) if name is not None else target

    return change_addresses(text, lead) if large else text


def _attributes(page: ImportedPage) -> dict[str, Any]:
    found: dict[str, Any] = {}
    put_front_matter(found, page.front_matter)
    return {**found, **page.attributes}


def _findings(tree: ImportedTree, large: dict[str, str]) -> Iterator[Finding]:
    """Yield what a write cannot carry."""
    pages = list(tree.walk())
    parts = [(page.title, part) for page in pages for name, part in _NOT_SENT.items() if name in _attributes(page)]
    kinds = {
        "Groups are not sent; their pages come in their place:": [p.title for p in pages if p.type == "group"],
        "Links in the page tree are not sent:": [p.title for p in pages if p.type == "link"],
        "Pages that are made from something else are not sent:": [p.title for p in pages if p.type == "computed"],
        "Variables are not sent:": list(tree.variables),
        "Parts of these pages are not sent:": [f"{title}: {part}" for title, part in parts],
        "Files of more than 1 MB are not sent:": list(large.values()),
    }
    for message, lines in kinds.items():
        if lines:
            yield Finding(message, tuple(lines))


def _findings_of(library: Library) -> Iterator[Finding]:
    for book in library.books:
        yield from findings_in(book)
    yield from findings_around(library)
