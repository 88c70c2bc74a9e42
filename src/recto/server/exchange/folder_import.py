"""Imports a folder of documentation into the workspace, and later its changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from recto.checkpoints import checkpoint
from recto.contract.import_report import ImportedSpace, ImportReport, SpaceImport
from recto.frozen import frozen
from recto.server.content.attributes import source_path
from recto.server.content.change_requests import (
    advance,
    create_change_request,
    find_change_request,
    find_waiting_requests,
)
from recto.server.content.imported_tree import ImportedTree, import_tree, store_content
from recto.server.content.merges import merge
from recto.server.content.objects import load_manifest, load_texts
from recto.server.content.revisions import SOURCE, StoredRevision, content_of, get_revision, main_revision, tree_of
from recto.server.context import Context
from recto.server.exchange.archive import open_library
from recto.server.exchange.assembly import ExportedFiles, assemble
from recto.server.exchange.book import Book
from recto.server.exchange.findings import count_pages, findings_around, findings_in, not_on_site
from recto.server.exchange.folder import Folder, FolderError, Reason, join_path
from recto.server.exchange.found_site import make_site
from recto.server.exchange.imported_files import describe_source, remembered_paths, root_at_home, save_source
from recto.server.exchange.layout import read_layout
from recto.server.exchange.library import Library, ListedBooks
from recto.server.exchange.storing import BackgroundStoring, Stored, store_ahead
from recto.server.exchange.written_layout import WrittenLayout, layout_of
from recto.server.http.problems import Problem
from recto.server.jobs import Job, JobResult, SpaceReport, Task, find_report
from recto.server.people.access import require_organization
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from recto.server.storage.database import Connection


@frozen
class Import:
    """An imported folder: its space, and the revision that holds the folder's state."""

    organization: str
    space: str
    revision: str


def find_import(connection: Connection, folder: Path, organization: str | None = None) -> Import | None:
    """Return the import of a folder, in the organization or in any; deleted spaces do not count."""
    row = connection.one(
        "SELECT imports.organization, imports.space, imports.revision FROM imports"
        " JOIN spaces ON spaces.id = imports.space AND spaces.deleted_at IS NULL"
        " WHERE folder = ? AND (? IS NULL OR imports.organization = ?) ORDER BY spaces.created_at",
        str(folder),
        organization,
        organization,
    )
    return Import(**row) if row else None


def remember_import(connection: Connection, folder: Path, known: Import) -> None:
    """Store the import of a folder, replacing an earlier import."""
    connection.execute(
        "INSERT OR REPLACE INTO imports (organization, folder, space, revision) VALUES (?, ?, ?, ?)",
        known.organization,
        str(folder),
        known.space,
        known.revision,
    )


def find_import_report(connection: Connection, space: str) -> SpaceImport | None:
    """Return the report of the last import into a space; ``None`` for a space that was not imported."""
    found = find_report(connection, space)
    return None if found is None else SpaceImport(found[0].what, found[1], found[0].findings)


def find_imported_site(connection: Connection, folder: Path, organization: str) -> str | None:
    """Return the id of the site imported from a folder."""
    site: str | None = connection.value(
        "SELECT site FROM imported_sites WHERE folder = ? AND organization = ?", str(folder), organization
    )
    return site


def remember_imported_site(connection: Connection, folder: Path, organization: str, site: str) -> None:
    """Store the site imported from a folder."""
    connection.execute(
        "INSERT OR REPLACE INTO imported_sites (organization, folder, site) VALUES (?, ?, ?)",
        organization,
        str(folder),
        site,
    )


_TITLE = 50
_SUBJECT = 100


def import_folder(
    platform: Platform,
    folder: Path,
    organization: str | None = None,
    *,
    caller: str | None = None,
    watch: Callable[[Job], None] = lambda job: None,
) -> ImportReport:
    """Import a folder, or a zip archive of a folder, as a space for each book, and as a site if it describes one.

    A folder that was imported before is found again, even where its spaces were moved; its changes since become
    one new revision of each space, and nothing happens where there are none. Where the folder and the space
    changed the same parts, the folder's side becomes a change request on the space. Without ``organization`` a new
    folder goes to the caller's first organization.

    This is a job on this thread, which must not be the event loop's; ``watch`` is called with it at each step. All
    spaces and the site appear in its last transaction. Raises ``FolderError`` where the folder cannot be imported and
    ``JobCancelled`` where the job was cancelled; nothing is changed then.
    """

    def do(job: Job) -> ImportReport:
        into = ""

        def choose(top: Path, listed: ListedBooks) -> None:
            nonlocal into
            into = job.read(lambda context: _choose_organization(context, top, listed, organization))

        with (
            BackgroundStoring(job.database) as storing,
            open_library(folder, job.progress, job.is_cancelled, choose, storing.take) as library,
        ):
            work = _Import(job, library, into)
            report = None
            while report is None:
                stored = store_ahead(job.database, library.books, job.progress, job.is_cancelled, storing.finish())
                job.progress("Writing the page tree", 0, None)
                report = job.finish(partial(work.finish, stored=stored))
        checkpoint("import.after-commit")
        return report

    return platform.jobs.run(Task("import of a folder", str(folder), do), caller=caller, watch=watch)


def _choose_organization(context: Context, top: Path, listed: ListedBooks, wanted: str | None) -> str:
    """Return the organization that books go to; refuse what would fail before anything is read and stored."""
    connection = context.database
    organization = wanted or _find_remembered(connection, top, listed) or _first_organization(context)
    require_organization(context, organization, "create")
    for base in listed.titles:
        known = find_import(connection, top / base, organization)
        if known is not None:
            _refuse_locked(connection, known.space)
            _refuse_unread_folder(connection, listed.folder, base, known)
    return organization


def _find_remembered(connection: Connection, top: Path, listed: ListedBooks) -> str | None:
    found = (find_import(connection, top / base) for base in listed.titles)
    return next((known.organization for known in found if known), None)


def _refuse_unread_folder(connection: Connection, folder: Folder, base: str, known: Import) -> None:
    """Refuse where a folder may not be read from which pages came before: they would all be deleted."""
    unread = [each.place for each in folder.left_out if each.reason is Reason.UNREADABLE]
    if not unread:
        return
    root = read_layout(folder, base).root
    for node in tree_of(connection, get_revision(connection, known.revision)).root.walk():
        place = join_path(root, source_path(node.attributes) or "")
        above = next((each for each in unread if place.startswith(f"{each}/")), None)
        if above is not None:
            raise FolderError(
                f"{folder.top / above} may not be read, and pages were imported from it before. "
                "Make it readable, then open the folder again."
            )


@dataclass
class _Import:
    """The import of a folder."""

    job: Job
    library: Library
    organization: str

    def finish(self, context: Context, stored: Stored) -> tuple[ImportReport, JobResult] | None:
        """Create or update the spaces and the site, in one transaction.

        Returns ``None``, without changes, where files that were stored ahead have been swept since.
        """
        connection = context.database
        if not stored.is_there(connection):
            return None
        spaces = []
        for book in self.library.books:
            self.job.stop_if_cancelled()
            spaces.append(self._space(context, book, stored))
        checkpoint("import.before-site")
        known = find_imported_site(connection, self.library.top, self.organization)
        site = known or self._make_site(context, {space.folder: space.space for space in spaces})
        findings = findings_around(self.library)
        if known is not None:
            findings += not_on_site([space for space in spaces if space.created])
        checkpoint("import.before-commit")
        counts = {"pages": sum(space.pages for space in spaces), "files": sum(space.files for space in spaces)}
        reports = [
            SpaceReport(space.space, str(self.library.top / space.folder), (*space.findings, *findings))
            for space in spaces
        ]
        return ImportReport(self.organization, tuple(spaces), site, findings), JobResult(counts, reports)

    def _space(self, context: Context, book: Book, stored: Stored) -> ImportedSpace:
        connection, place = context.database, self._place(book)
        known = find_import(connection, place, self.organization)
        before = get_revision(connection, known.revision) if known else None
        hashes = stored.hashes_of(book)
        written = written_before(connection, before) if before else None
        space = known.space if known else self._create_space(context, book)
        _refuse_locked(connection, space)
        if before is not None and written is not None and written.hashes() == hashes:
            state = unchanged_state(connection, before)
        else:
            tree = assemble_book(context, book, hashes, before, written, stored.texts)
            if before is None or is_main(connection, before):
                state = State(import_tree(context, space, tree))
            else:
                state = merge_with_main(context, before, tree, f"What changed in the folder {self.library.top.name}")
        changed = before is None or not state.revision.same_content(before)
        if changed:
            remember_import(connection, place, Import(self.organization, space, state.revision.id))
        checkpoint("import.after-space")
        title: str = connection.value("SELECT title FROM spaces WHERE id = ?", space)
        return ImportedSpace(
            space,
            title,
            book.folder,
            count_pages(book),
            len(book.files),
            known is None,
            changed,
            state.change_request,
            findings_in(book),
        )

    def _create_space(self, context: Context, book: Book) -> str:
        link = self.library.site.site_space(book.folder) if self.library.site else None
        like = link.space if link else None
        return add_space(
            context,
            self.organization,
            book.title[:_TITLE],
            emoji=like.emoji if like else None,
            language=like.language if like else None,
        )

    def _make_site(self, context: Context, spaces: Mapping[str, str]) -> str | None:
        if self.library.site is None:
            return None
        site = make_site(context, self.organization, self.library.site, spaces)
        remember_imported_site(context.database, self.library.top, self.organization, site)
        return site

    def _place(self, book: Book) -> Path:
        return self.library.top / book.folder


@frozen
class State:
    """The revision that is what a folder holds, and the change request that waits with it, if any."""

    revision: StoredRevision
    change_request: str | None = None


def assemble_book(
    context: Context,
    book: Book,
    hashes: Mapping[str, str],
    before: StoredRevision | None,
    written: WrittenLayout | None,
    text_names: Mapping[str, str],
) -> ImportedTree:
    """Return the tree of a book with a record of its files.

    The hashes of files are given by their places, those of texts by these.
    """
    connection = context.database
    exported = ExportedFiles()
    if before is not None:
        as_written = (file for path, file in (written.files if written else {}).items() if not file.blob)
        exported = ExportedFiles(
            remembered_paths(connection, before.space),
            {file.item for file in as_written if file.item and hashes.get(file.path) == file.name},
        )
    tree = assemble(
        book,
        {file.path: hashes[join_path(root_at_home(book), file.path)] for file in book.files},
        content_of(connection, before) if before else None,
        context.ids.fresh,
        exported,
        partial(load_texts, connection),
        text_names,
    )
    source = save_source(connection, describe_source(book, tree, hashes))
    return replace(tree, others={**tree.others, SOURCE: source})


def written_before(connection: Connection, before: StoredRevision) -> WrittenLayout | None:
    """Return the files that an export of a revision writes; ``None`` if it was never imported or exported."""
    extras: Mapping[str, Any] = load_manifest(connection, before.extras)
    is_known = extras.get(SOURCE) or remembered_paths(connection, before.space)
    return layout_of(connection, before) if is_known else None


def is_main(connection: Connection, revision: StoredRevision) -> bool:
    """Whether a revision has the same content as main."""
    return main_revision(connection, revision.space).same_content(revision)


def merge_with_main(
    context: Context, before: StoredRevision, tree: ImportedTree, subject: str, *, merges: bool = True
) -> State:
    """Merge what a folder or a branch changed since ``before`` into a space that has changed since, too.

    Its side goes through a change request; where it conflicts, or a merge rule wants a person to look at it, the change
    request stays open, as it does where it is not to be merged. If the change request of ``before`` is still open and
    not edited, it takes the new content.
    """
    content, connection = store_content(context, tree, before), context.database
    if content is None:
        return unchanged_state(connection, before)
    waiting = find_waiting_requests(connection, before)
    unedited = next((row["id"] for row in waiting if row["revision"] == before.id), None)
    if unedited is not None:
        row = find_change_request(connection, before.space, unedited)
        return State(advance(context, row, "edits", (before.id,), content), unedited)
    name = create_change_request(context, before.space, subject[:_SUBJECT])
    connection.update("change_requests", name, revision_initial=before.id, revision=before.id, status="open")
    row = find_change_request(connection, before.space, name)
    revision = advance(context, row, "edits", (before.id,), content)
    if not merges:
        return State(revision, name)
    try:
        merge(context, find_change_request(connection, before.space, name))
    except Problem:
        return State(revision, name)
    return State(revision)


def unchanged_state(connection: Connection, before: StoredRevision) -> State:
    """Return the state of a folder or branch that holds what it held at the last import, which may still wait."""
    waiting = find_waiting_requests(connection, before)
    return State(before, waiting[0]["id"] if waiting else None)


def _refuse_locked(connection: Connection, space: str) -> None:
    row = connection.one("SELECT title, edit_mode FROM spaces WHERE id = ?", space)
    if row is not None and row["edit_mode"] == "locked":
        raise FolderError(f"The space “{row['title']}” is locked. Unlock it, then open the folder again.")


def _first_organization(context: Context) -> str:
    """Return the first of the caller's organizations in which they may make spaces.

    In the owner's workspace that is the organization it began with: the guide's came after it.
    """
    found: list[str] = context.database.column(
        "SELECT organization FROM members JOIN organizations ON organizations.id = organization"
        " WHERE user = ? AND NOT disabled AND role IN ('admin', 'create') ORDER BY organizations.rowid",
        context.caller,
    )
    if not found:
        raise FolderError("No organization lets you create spaces. Ask an admin for the create role.")
    return found[0]
