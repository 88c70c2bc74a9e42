"""The import of content into a space or a change request, after the existing pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import quote

from recto.checkpoints import checkpoint
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.imports import SOURCES, ImportContent, ImportedContent, Imports, is_ssh
from recto.document.markdown.link_addresses import change_addresses
from recto.document.markdown.page_links import LinkKind, read_link, resolve
from recto.server.content import open_conflicts
from recto.server.content.attributes import source_path
from recto.server.content.change_requests import advance, find_change_request, require_open
from recto.server.content.imported_tree import ImportedPage, ImportedTree, append_content, append_pages
from recto.server.content.objects import stored_hashes
from recto.server.content.revisions import FileEntry, StoredRevision, get_revision
from recto.server.context import Context
from recto.server.exchange.assembly import assemble
from recto.server.exchange.book import Book, SourceFile
from recto.server.exchange.findings import count_pages, findings_around, findings_in
from recto.server.exchange.folder import FolderError
from recto.server.exchange.library import Library
from recto.server.exchange.sources.gathering import local_path, open_source, show_source
from recto.server.exchange.storing import store_files, store_texts
from recto.server.http.problems import BadRequest
from recto.server.http.registry import JobKind, handles
from recto.server.jobs import Job, JobResult, SpaceReport, Task
from recto.server.people.access import require

BlobNames = Mapping[tuple[str, str], str]
"""The hash of each file's bytes, by the folder of its book and its path."""

_STEP = "Storing texts and files"
_INCLUDE = re.compile(r"^[ \t]*\{%-?[ \t]*include[ \t]+[\"']([^\"'\n]+)[\"'][ \t]*-?%\}[ \t]*$", re.MULTILINE)
_DEEPEST_INCLUDED = 5
_MOST_INCLUDED = 32_000_000
"""The most characters that all pages of an import include."""
_EACH_INCLUDED = 100
"""The characters that each inclusion counts for beside those of its text."""
_SCHEMES = ("http://", "https://", "file:/")
_REFUSED = {
    "google-docs": "Google's service would have to be asked. Download the document as .docx, and import that",
}


@handles(Imports.import_content, job=JobKind.WAITED_FOR, location="/spaces/{at.space}/revisions/{response.revision}")
def import_content(context: Context, at: Main | InChangeRequest, body: ImportContent) -> Task[ImportedContent]:
    """Import content after the pages at an address; takes the create role."""
    require(context, at.space, "create")
    if isinstance(at, InChangeRequest):
        require_open(find_change_request(context.database, at.space, at.change_request), "imported into")
    if body.source not in SOURCES:
        raise BadRequest(f"source: {body.source}: {_REFUSED[body.source]}")
    if not body.url.lower().startswith(_SCHEMES) and not (body.source == "github-wiki" and is_ssh(body.url)):
        raise BadRequest("url: an address that begins with http:// or https://")
    return content_import(at, body)


def content_import(at: Main | InChangeRequest, body: ImportContent) -> Task[ImportedContent]:
    """Return the task that imports content; see :class:`recto.server.jobs.Task`."""

    def do(job: Job) -> ImportedContent:
        if local_path(body.url) is not None and not job.is_local:
            raise FolderError("Files of the server's machine are not imported. Give an address of the web.")
        with open_source(body.source, body.url, job) as library:
            return _add(job, at, library, show_source(body.url))

    return Task(f"import of {SOURCES[body.source]}", show_source(body.url), do, at.space)


def _add(job: Job, at: Main | InChangeRequest, library: Library, what: str) -> ImportedContent:
    """Add what a library holds to the content at an address."""
    work = _Addition(job, at, library, what)
    found = None
    while found is None:
        blobs, added = work.store()
        job.progress("Writing the page tree", 0, None)
        found = job.finish(partial(work.finish, blobs=blobs, added=added))
    checkpoint("import.after-commit")
    return found


@dataclass
class _Addition:
    """The pages and files of books, to be added to a space or a change request."""

    job: Job
    at: Main | InChangeRequest
    library: Library
    what: str

    def __post_init__(self) -> None:
        self.files = sum(len(book.files) for book in self.library.books)
        self.total = self.files + sum(count_pages(book) for book in self.library.books)

    def store(self) -> tuple[BlobNames, ImportedTree]:
        """Store texts and files ahead; return the names of the files' bytes, and the pages with new ids.

        The links between pages are rewritten first, so that the stored texts are final.
        """
        job, books = self.job, self.library.books
        self._report(0)
        files = [
            ((book.folder, file.path), SourceFile(file.path, file.source, file.size))
            for book in books
            for file in book.files
        ]
        blobs = store_files(job.database, files, self._report, job.is_cancelled)
        added = job.read(lambda context: place_pages(books, blobs, context.ids.fresh))
        texts = list(dict.fromkeys(page.text for page in added.walk() if page.text))
        store_texts(job.database, texts, lambda done: self._report(self.files + done), job.is_cancelled)
        return blobs, added

    def _report(self, done: int) -> None:
        self.job.progress(_STEP, done, self.total)

    def finish(
        self, context: Context, blobs: BlobNames, added: ImportedTree
    ) -> tuple[ImportedContent, JobResult] | None:
        """Write the pages; ``None``, without changes, where files that were stored ahead have been swept since."""
        if not set(blobs.values()) <= stored_hashes(context.database, "blobs", blobs.values()):
            return None
        revision, books = _write(context, self.at, added), self.library.books
        imported = self.total - sum(len(book.report.unread_pages) for book in books)
        total = self.total + len(self.library.left_out) + sum(_left_out(book) for book in books)
        findings = (*(each for book in books for each in findings_in(book)), *findings_around(self.library))
        counts = {"pages": imported - self.files, "files": self.files, "left out": total - imported}
        response = ImportedContent(revision=revision.id, imported_resources=imported, total_resources=total)
        return response, JobResult(counts, [SpaceReport(self.at.space, self.what, findings)])


def _left_out(book: Book) -> int:
    report = book.report
    return len(report.unlisted) + len(report.unread_files) + report.files_left_out


def _write(context: Context, at: Main | InChangeRequest, added: ImportedTree) -> StoredRevision:
    require(context, at.space, "create")
    if isinstance(at, Main):
        return append_pages(context, at.space, added)
    row = find_change_request(context.database, at.space, at.change_request)
    require_open(row, "imported into")
    content = append_content(context, get_revision(context.database, row["revision"]), added)
    revision = advance(context, row, "edits", (row["revision"],), content)
    open_conflicts.carry(context.database, row["revision"], revision.id, set(), content.root)
    return revision


def place_pages(books: Sequence[Book], blobs: BlobNames, fresh: Callable[[], str]) -> ImportedTree:
    """Return the pages of books under ``fresh`` ids, with links that lead to pages and files by these ids.

    Several books are a group each. Texts that pages include stand in them; raises :class:`FolderError` where these
    come to too much.
    """
    left = _MOST_INCLUDED

    def take(characters: int) -> None:
        nonlocal left
        left -= characters + _EACH_INCLUDED
        if left < 0:
            raise FolderError(f"What its pages include comes to more than {_MOST_INCLUDED:,} characters in all.")

    trees = [_place_book(book, blobs, fresh, take) for book in books]
    pages = [
        page
        for book, tree in zip(books, trees, strict=True)
        for page in (
            tree.pages
            if len(books) == 1
            else [ImportedPage(fresh(), book.title or "Documentation", type="group", children=tree.pages)]
        )
    ]
    variables = {name: value for tree in reversed(trees) for name, value in tree.variables.items()}
    return ImportedTree(pages, [file for tree in trees for file in tree.files], variables)


def _place_book(book: Book, blobs: BlobNames, fresh: Callable[[], str], take: Callable[[int], None]) -> ImportedTree:
    tree = assemble(book, {file.path: blobs[book.folder, file.path] for file in book.files}, None, fresh)
    pages = {place: page.id for page in tree.walk() if (place := source_path(page.attributes)) is not None}
    files = {str(entry["path"]): str(entry["id"]) for entry in tree.files}
    included = {each.path: each.text for each in book.reusables}

    def mend(text: str, place: str, within: tuple[str, ...] = ()) -> str:
        def include(found: re.Match[str]) -> str:
            path = resolve(read_link(found[1]), place)
            if path not in included or path in within or len(within) >= _DEEPEST_INCLUDED:
                return found[0]
            take(len(included[path]))
            return mend(included[path], path, (*within, path)).strip("\n")

        text = _INCLUDE.sub(include, text) if included and "include" in text else text
        return change_addresses(text, lambda target: _lead(target, place, pages, files))

    def build(page: ImportedPage) -> ImportedPage:
        place = source_path(page.attributes)
        attributes = {name: value for name, value in page.attributes.items() if name != "git"}
        text = mend(page.text, place) if place is not None and page.text else page.text
        return replace(page, text=text, attributes=attributes, children=tuple(build(child) for child in page.children))

    return replace(
        tree,
        pages=tuple(build(page) for page in tree.pages),
        files=[_without_path(entry) for entry in tree.files],
        reusable_contents=(),
        others={},
    )


def _without_path(entry: FileEntry) -> FileEntry:
    return {name: value for name, value in entry.items() if name not in ("path", "git")}


def _lead(target: str, place: str, pages: Mapping[str, str], files: Mapping[str, str]) -> str:
    """Return where an address on the page at ``place`` leads: by an id where it is a page or file, else as it is."""
    link = read_link(target)
    if link.kind not in (LinkKind.PAGE, LinkKind.FILE):
        return target
    path = resolve(link, place)
    if path is None:
        return target
    anchor = f"#{quote(link.anchor)}" if link.anchor else ""
    for spelling in (path, f"{path}.md", f"{path}/README.md"):
        if spelling in pages:
            return f"/pages/{pages[spelling]}{anchor}"
    return f"/files/{files[path]}" if path in files else target
