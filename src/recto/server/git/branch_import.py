"""The import of a branch into a space: read like a folder, and merged with the changes in the space since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice

from recto.contract.git import ImportGit
from recto.contract.import_report import Finding
from recto.document.markdown.page_links import Link, References, references
from recto.frozen import frozen
from recto.server.content.attributes import source_path
from recto.server.content.change_requests import find_change_request
from recto.server.content.imported_tree import ImportedTree, import_tree, store_content
from recto.server.content.link_index import load_references, save_references
from recto.server.content.objects import stored_hashes, text_hash
from recto.server.content.page_text import is_readable
from recto.server.content.revisions import (
    StoredRevision,
    content_of,
    create_revision,
    get_revision,
    main_revision,
    tree_of,
)
from recto.server.context import Context
from recto.server.exchange.book import Book
from recto.server.exchange.book_reader import read_links
from recto.server.exchange.findings import count_pages, findings_around, findings_in
from recto.server.exchange.folder import FolderError, join_path
from recto.server.exchange.folder_import import (
    State,
    assemble_book,
    is_main,
    merge_with_main,
    unchanged_state,
    written_before,
)
from recto.server.exchange.library import ListedBooks, list_books, read_books
from recto.server.exchange.storing import BackgroundStoring, Stored, store_ahead
from recto.server.git.commit_folder import read_commit_folder
from recto.server.git.remotes import GitError
from recto.server.git.repository import FoundCommit, open_repository
from recto.server.git.state import (
    SyncRequest,
    base_of,
    cache_folder,
    commit_of,
    find_sync,
    note_commit,
    read_request,
    recover_push,
    refuse_older,
    remember_sync,
    sync_with,
)
from recto.server.http.problems import Conflict
from recto.server.jobs import Job, JobResult, SpaceReport
from recto.server.people.access import require
from recto.server.storage.database import Connection
from recto.urls import Thing


@frozen
class Imported:
    """Result of an import: the revision with the branch's content, and the change request that it waits in, if any.

    ``findings`` say why a commit that is not new is not in main.
    """

    revision: str
    commit: str
    is_new: bool
    change_request: str | None = None
    findings: tuple[Finding, ...] = ()


def check_import(context: Context, request: SyncRequest) -> None:
    """Refuse an import that the caller may not make, that is too old, or that goes into a locked space."""
    space = require(context, request.space, "create")
    refuse_older(context.database, request)
    if space["edit_mode"] == "locked" and not _is_standalone(request):
        raise Conflict(f"The space “{space['title']}” is locked. Unlock it, or import with standalone.")


def import_branch(job: Job, space: str, body: ImportGit) -> Imported:
    """Import a branch, as a job."""
    request = read_request(space, body, is_local=job.is_local)
    job.read(lambda context: check_import(context, request))
    with open_repository(request.remote, cache_folder(job.database.path, request), job) as repository:
        tip = repository.tip(request.ref, partial(_begin, job, request))
        assert tip is not None
        if (done := _find_unchanged(job, request, tip)) is not None:
            return done
        known = job.read(lambda context: sync_with(context.database, request))
        lost = known.oid if known and known.oid and repository.lacks(tip, known.oid) else None
        folder, oids = read_commit_folder(repository, tip, request.directory, job.stop_if_cancelled)
        links = _IndexedLinks(job)
        listed = list_books(folder)
        _refuse_several_books(listed, request)
        with BackgroundStoring(job.database) as storing:
            library = read_books(listed, job.progress, job.is_cancelled, links.of, storing.take)
            (book,) = library.books
            found = (*findings_in(book), *findings_around(library))
            work = partial(
                _finish, request=request, tip=tip, book=book, oids=oids, findings=found, links=links, lost=lost
            )
            imported = None
            while imported is None:
                stored = store_ahead(job.database, [book], job.progress, job.is_cancelled, storing.finish())
                job.progress("Writing the page tree", 0, None)
                imported = job.finish(partial(work, stored=stored))
            return imported


class _IndexedLinks:
    """The links of texts as the index has them by the texts' hashes; those of others are read, and join it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._read: dict[str, References] = {}

    def of(self, text: str) -> Iterable[Link]:
        """Return the links of a text; a text too large to be indexed is parsed."""
        if not is_readable(text):
            return read_links(text)
        name = text_hash(text)
        known = self._job.read(lambda context: load_references(context.database, [name])).get(name)
        if known is None:
            known = self._read[name] = references(text)
        return known.links

    def save(self, connection: Connection) -> None:
        """Save what was read of texts that are stored."""
        stored = stored_hashes(connection, "texts", self._read)
        save_references(connection, {name: found for name, found in self._read.items() if name in stored})


def _begin(job: Job, request: SyncRequest, oid: str | None) -> None:
    if oid is None:
        known = job.read(lambda context: sync_with(context.database, request))
        if known is None:
            raise GitError(f"There is no branch {request.branch} in {request.remote.name}. Check its name.")
        raise GitError(
            f"The branch {request.branch} is gone from {request.remote.name}. Import another branch, or export with "
            "force to make it again."
        )
    job.write(lambda context: recover_push(context, request, oid))
    job.begin()


def _find_unchanged(job: Job, request: SyncRequest, tip: FoundCommit) -> Imported | None:
    """Return the last import where the branch has not moved since; ``force`` and ``standalone`` import it again."""
    if request.body.force or _is_standalone(request):
        return None

    def end(context: Context) -> tuple[Imported, JobResult] | None:
        sync = base_of(context.database, request, tip.oid)
        if sync is None or sync.oid != tip.oid or sync.revision is None:
            return None
        remember_sync(context, request, tip.oid, sync.revision, sync.blobs)
        state = unchanged_state(context.database, get_revision(context.database, sync.revision))
        findings = _why_not_in_main(context, state, tip.oid)
        return Imported(sync.revision, tip.oid, False, state.change_request, findings), JobResult({}, findings=findings)

    return job.finish(end)


def _refuse_several_books(listed: ListedBooks, request: SyncRequest) -> None:
    if len(listed.titles) > 1:
        named = ", ".join(base or "the top" for base in islice(listed.titles, 5))
        raise FolderError(
            f"{request.remote.name} holds {len(listed.titles)} books ({named}), and a space holds one. Name its folder "
            "as the project directory."
        )


def _finish(
    context: Context,
    *,
    request: SyncRequest,
    tip: FoundCommit,
    book: Book,
    stored: Stored,
    oids: Mapping[str, str],
    findings: tuple[Finding, ...],
    links: _IndexedLinks,
    lost: str | None,
) -> tuple[Imported, JobResult] | None:
    """Write the revision, in one transaction; ``None`` where files that were stored ahead have been swept since.

    ``lost`` is the commit of the last import or export, where the branch was rewritten without it.
    """
    connection = context.database
    if not stored.is_there(connection):
        return None
    check_import(context, request)
    main = main_revision(connection, request.space)
    base = _base(context, request, tip)
    before = base or _last_of_another_branch(connection, request.space) or main
    hashes = stored.hashes_of(book)
    written = written_before(connection, before)
    tree = assemble_book(context, book, hashes, before, written, stored.texts)
    git = commit_of(request, sync_with(connection, request), tip.oid, tip.message, is_own=False)
    if _is_standalone(request):
        state = State(_store_alone(context, main, tree))
    elif base is not None and written is not None and written.hashes() == hashes and not request.body.force:
        state = unchanged_state(connection, base)
    elif request.body.force or (lost is None and _is_main_or_empty(context, base, main)):
        state = State(import_tree(context, request.space, tree))
    else:
        subject = f"Import of {request.branch} from {request.remote.name}"
        state = merge_with_main(context, before, tree, subject, merges=base is not None and lost is None)
    links.save(connection)
    revision = state.revision
    if revision.git is None:
        note_commit(connection, revision.id, git)
    remember_sync(
        context, request, tip.oid, None if _is_standalone(request) else revision.id, _by_item(book, tree, oids)
    )
    is_new = revision.id != before.id
    counts = {"pages": count_pages(book), "files": len(book.files)} if is_new else {}
    waits = _why_not_in_main(context, state, tip.oid)
    if lost is not None and state.change_request is not None:
        waits = (Finding(f"The history of {request.branch} was rewritten without commit {lost[:8]}."), *waits)
    report = SpaceReport(request.space, f"{request.remote.url} ({request.branch})", (*waits, *findings))
    return Imported(revision.id, tip.oid, is_new, state.change_request, waits), JobResult(counts, (report,))


def _why_not_in_main(context: Context, state: State, commit: str) -> tuple[Finding, ...]:
    """Return a finding about the change request in which a commit waits, or that was archived with it."""
    revision, connection = state.revision, context.database
    name = state.change_request or revision.change_request
    if name is None:
        return ()
    row = find_change_request(connection, revision.space, name)
    at = (context.app(Thing(space=revision.space, change_request=name)),)
    if state.change_request is not None:
        return (Finding(f"Commit {commit[:8]} waits in change request #{row['number']}. Review and merge it:", at),)
    if row["status"] == "archived":
        sentence = f"Commit {commit[:8]} is not in main: change request #{row['number']}, where it waited, is archived."
        return (Finding(f"{sentence} Reopen it to merge it:", at),)
    return ()


def _by_item(book: Book, tree: ImportedTree, oids: Mapping[str, str]) -> dict[str, str]:
    """Return the ids of files by those of the pages, files and reusable contents that they are."""
    paths = {page.id: source_path(page.attributes) for page in tree.walk()}
    paths |= {each["id"]: each.get("path") for each in (*tree.files, *tree.reusable_contents)}
    places = {item: join_path(book.root, path) for item, path in paths.items() if path}
    return {item: oids[place] for item, place in places.items() if place in oids}


def _base(context: Context, request: SyncRequest, tip: FoundCommit) -> StoredRevision | None:
    """Return the revision at which the space and the branch, or the folder it was opened from, were last alike."""
    connection = context.database
    sync = base_of(connection, request, tip.oid)
    known = sync.revision if sync is not None else None
    known = known or connection.value("SELECT revision FROM imports WHERE space = ?", request.space)
    return get_revision(connection, known) if known else None


def _last_of_another_branch(connection: Connection, space: str) -> StoredRevision | None:
    """Return the revision of the last import or export of whatever branch, where main builds on it."""
    sync = find_sync(connection, space)
    if sync is None or sync.revision is None:
        return None
    revision = get_revision(connection, sync.revision)
    name = revision.change_request
    is_in_main = name is None or find_change_request(connection, space, name)["status"] == "merged"
    return revision if is_in_main else None


def _is_main_or_empty(context: Context, base: StoredRevision | None, main: StoredRevision) -> bool:
    if base is None:
        return not tree_of(context.database, main).root.children
    return is_main(context.database, base)


def _store_alone(context: Context, main: StoredRevision, tree: ImportedTree) -> StoredRevision:
    """Store a tree as a revision outside of main."""
    content = store_content(context, tree, main) or content_of(context.database, main)
    return create_revision(context, main.space, "edits", (main.id,), content)


def _is_standalone(request: SyncRequest) -> bool:
    return isinstance(request.body, ImportGit) and bool(request.body.standalone)
