"""The export of a space to a branch: a commit for each merge since the last push, of the files that differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from functools import partial
from itertools import zip_longest
from typing import Any, Final

from recto.contract.git import ExportGit
from recto.contract.import_report import Finding
from recto.document.text import printable
from recto.frozen import frozen
from recto.server.content.change_requests import find_change_request, find_waiting_requests
from recto.server.content.content_merge import Labels, merge_contents
from recto.server.content.objects import load_blob, load_texts
from recto.server.content.revisions import Content, StoredRevision, content_of, get_revision, main_revision
from recto.server.context import Context
from recto.server.exchange.folder import join_path
from recto.server.exchange.imported_files import load_source, remembered_paths
from recto.server.exchange.written_layout import WrittenLayout, write_layout
from recto.server.git.remotes import GitError, MovedOnError, moved_on_error
from recto.server.git.repository import FoundCommit, Person, Repository, blob_id, open_repository
from recto.server.git.state import (
    Push,
    Sync,
    SyncRequest,
    base_of,
    cache_folder,
    commit_of,
    note_push,
    read_request,
    recover_push,
    refuse_older,
    remember_push,
    sync_with,
)
from recto.server.http.problems import Conflict
from recto.server.jobs import Job, JobFailed, JobResult
from recto.server.people.access import require
from recto.server.storage.database import Connection
from recto.urls import Thing

MOST_COMMITS: Final = 200
"""The most commits of an export; the first of them includes all earlier changes."""


@frozen
class Exported:
    """Result of an export: the newest commit of the branch, and the number of new commits.

    ``is_new_branch`` says whether the export made the branch, ``findings`` what the commits undo.
    """

    commit: str
    commits: int
    is_new_branch: bool = False
    findings: tuple[Finding, ...] = ()


@frozen
class _Step:
    """A state of main that becomes a commit. ``texts`` are those of its pages that are not stored."""

    revision: StoredRevision
    content: Content
    message: str
    texts: Mapping[str, str] = field(default_factory=dict)


@frozen
class _Commit:
    """A commit to make: which files are written, or deleted where there is ``None``."""

    revision: StoredRevision
    changes: Mapping[str, bytes | None]
    message: str
    author: Person


@frozen
class _Plan:
    """The commits to make, the revision that is exported then, and the paths that its pages were given."""

    main: StoredRevision
    commits: Sequence[_Commit]
    new_paths: Mapping[str, str]
    places: Mapping[str, str]
    """The places in the repository of pages, files and reusable contents, by their ids."""


def check_export(context: Context, request: SyncRequest) -> None:
    """Refuse an export that the caller may not make, that is too old, or while the last import waits to be merged."""
    require(context, request.space, "create")
    refuse_older(context.database, request)
    known = sync_with(context.database, request) or base_of(
        context.database, request, None
    )  # where a new branch begins
    _refuse_waiting(context, request, known)


def _refuse_waiting(context: Context, request: SyncRequest, sync: Sync | None) -> None:
    if sync is None or sync.revision is None or request.body.force:
        return
    waiting = find_waiting_requests(context.database, get_revision(context.database, sync.revision))
    if waiting:
        raise Conflict(
            f"An import waits in change request #{waiting[0]['number']}, so main lacks changes of the branch. "
            "Merge it, then export again; if you archive it, the export undoes those changes in the branch."
        )


def export_branch(job: Job, space: str, body: ExportGit) -> Exported:
    """Push a space to a branch, as a job."""
    request = read_request(space, body, is_local=job.is_local)
    job.read(lambda context: check_export(context, request))
    with open_repository(request.remote, cache_folder(job.database.path, request), job) as repository:
        repository.refuse_checked_out(request.ref)
        tip = repository.tip(request.ref, partial(_begin, job, request))
        sync = job.read(lambda context: base_of(context.database, request, tip.oid if tip else None))
        first = tip or _find_first(repository, request, sync)
        job.progress("Writing the files", 0, None)
        plan = job.read(partial(_plan, request=request, sync=sync, first=first, repository=repository))
        known = job.read(lambda context: sync_with(context.database, request))
        newest, made = first, dict[str, dict[str, Any]]()
        for commit in plan.commits:
            job.stop_if_cancelled()
            when = datetime.fromisoformat(commit.revision.created_at)
            newest = repository.commit(newest, commit.changes, commit.message, commit.author, when)
            made[commit.revision.id] = commit_of(request, known, newest.oid, newest.message, is_own=True)
        if newest is None:
            raise Conflict("The space has no pages, so there is nothing to export.")
        there = repository.files(newest)
        oids = {item: there[place].oid for item, place in plan.places.items() if place in there}
        oids = {**(sync.blobs if sync and not plan.places else {}), **oids}
        push = Push(newest.oid, plan.main.id, made, oids, plan.new_paths)
        if newest is not tip:
            job.progress("Pushing", 0, None)
            job.write(lambda context: note_push(context, request, push))
            job.end_cancelling()
            _push(repository, request, newest, tip)
        imported = sync.revision if made and sync and first and sync.oid == first.oid else None
        exported = job.finish(
            partial(_finish, request=request, push=push, is_new_branch=tip is None, imported=imported)
        )
        assert exported is not None
        return exported


def _begin(job: Job, request: SyncRequest, oid: str | None) -> None:
    """Refuse a branch that has moved on since the last import or export, or is gone since."""
    job.write(lambda context: recover_push(context, request, oid))
    known = job.read(lambda context: sync_with(context.database, request))
    if oid is None and known is not None and known.oid is not None and not request.body.force:
        raise GitError(
            f"The branch {request.branch} is gone from {request.remote.name}. "
            "Export with force to make it again, or to another branch."
        )
    sync = job.read(lambda context: base_of(context.database, request, oid))
    job.read(lambda context: _refuse_waiting(context, request, sync))
    if oid is not None and oid != (sync.oid if sync else None) and not request.body.force:
        raise moved_on_error(request.ref)
    job.begin()


def _find_first(repository: Repository, request: SyncRequest, sync: Sync | None) -> FoundCommit | None:
    """Return the commit at which a new branch begins; ``None`` where the space knows none of the repository."""
    if sync is None or sync.oid is None:
        return None
    found = repository.find(sync.oid)
    if found is None:  # what was fetched is kept only for a while
        repository.tip(sync.ref.encode(), lambda oid: None)
        found = repository.find(sync.oid)
    if found is None and not request.body.force:
        raise GitError(
            f"The commit {sync.oid[:8]}, at which {request.branch} would begin, can no longer be found. "
            "Import the branch that it belongs to, then export again."
        )
    return found


def _push(repository: Repository, request: SyncRequest, newest: FoundCommit, tip: FoundCommit | None) -> None:
    """Push; where that fails, look whether the commits are there: their response may have been lost."""
    try:
        repository.push(request.ref, newest, tip.oid if tip else None)
    except (JobFailed, MovedOnError) as error:
        try:
            has_arrived = repository.find_tip(request.ref) == newest.oid
        except JobFailed:
            raise error from None
        if not has_arrived:
            raise


def _plan(
    context: Context, *, request: SyncRequest, sync: Sync | None, first: FoundCommit | None, repository: Repository
) -> _Plan:
    connection, message = context.database, str(getattr(request.body, "commit_message", ""))
    main = main_revision(connection, request.space)
    known = dict(remembered_paths(connection, request.space))
    new_paths: dict[str, str] = {}

    def write(content: Content, texts: Mapping[str, str], occupied: Collection[str] = ()) -> WrittenLayout:
        def read_texts(names: Iterable[str]) -> dict[str, str]:
            found = load_texts(connection, wanted := list(names))
            return found | {name: texts[name] for name in wanted if name in texts}

        source = load_source(connection, content.extras)
        return write_layout(
            content, source, known | new_paths, read_texts, lambda name: load_blob(connection, name) or b"", occupied
        )

    before: dict[str, str] = {}
    occupied: list[str] = []
    is_alike = sync is not None and sync.revision is not None and first is not None and sync.oid == first.oid
    if sync is not None and sync.revision is not None:
        layout = write(content_of(connection, get_revision(connection, sync.revision)), {})
        before = _hashes(layout, request)
        if is_alike and first is not None:
            top = _place("", layout, request)
            start = f"{top}/" if top else ""
            others = (place for place in repository.files(first) if place.startswith(start) and place not in before)
            occupied = [place.removeprefix(start) for place in others]
    commits: list[_Commit] = []
    places: dict[str, str] = {}
    for step in _steps(context, main, sync, message) if is_alike else [_alone(context, main, message)]:
        layout = write(step.content, step.texts, occupied)
        new_paths |= layout.new_paths
        files = {_place(path, layout, request): each for path, each in layout.files.items()}
        changes: dict[str, bytes | None] = {
            place: each.read(connection) for place, each in files.items() if before.get(place) != each.name
        }
        if not is_alike:
            changes = {place: each.read(connection) for place, each in files.items()}
        changes |= dict.fromkeys(before.keys() - files.keys())
        if not is_alike and first is not None:
            changes = _find_differing(changes, repository, first)
        before = {place: each.name for place, each in files.items()}
        places = {each.item: place for place, each in files.items() if each.item}
        if changes:
            commits.append(_Commit(step.revision, changes, step.message, _author(connection, step.revision)))
    return _Plan(main, commits, new_paths, places)


def _hashes(layout: WrittenLayout, request: SyncRequest) -> dict[str, str]:
    return {_place(path, layout, request): name for path, name in layout.hashes().items()}


def _place(path: str, layout: WrittenLayout, request: SyncRequest) -> str:
    """Return the path of a file in the repository; the project directory may lead to the book itself."""
    is_within = f"/{request.directory}".endswith(f"/{layout.folder}")
    return join_path(request.directory, path if is_within else join_path(layout.folder, path))


def _find_differing(
    changes: Mapping[str, bytes | None], repository: Repository, tip: FoundCommit
) -> dict[str, bytes | None]:
    """Return the changes that a commit does not have already."""
    there = {place: entry.oid for place, entry in repository.files(tip).items()}
    return {
        place: content
        for place, content in changes.items()
        if (place in there if content is None else there.get(place) != blob_id(content))
    }


def _author(connection: Connection, revision: StoredRevision) -> Person:
    row = connection.one("SELECT display_name, email FROM users WHERE id = ?", revision.created_by)
    return Person(row["display_name"], row["email"] or "") if row else Person("Unknown", "")


def _alone(context: Context, main: StoredRevision, message: str) -> _Step:
    return _Step(main, content_of(context.database, main), message)


def _steps(context: Context, main: StoredRevision, sync: Sync | None, message: str) -> list[_Step]:
    """Return the states of main since the last import or export, oldest first.

    A merge is a state of its own; edits between two merges are a single state. Merges before an import are replayed on
    top of it, as long as there are no conflicts, so that each keeps its author and subject.
    """
    connection = context.database
    assert sync is not None and sync.revision is not None
    since = get_revision(connection, sync.revision)
    found = list(_line(connection, main, since))
    if found and not _follows(found[-1], since):
        return [_alone(context, main, message)]  # the last import was rejected
    steps = [_Step(each, content_of(connection, each), _message(connection, each, message)) for each in found]
    if found and since.change_request is not None and found[-1].merged_from == since.change_request:
        steps += _replay(context, found[-1], since, message)
    steps.reverse()
    kept = [
        step
        for step, after in zip_longest(steps, steps[1:])
        if step.revision.merged_from or after is None or after.revision.merged_from
    ]
    return kept[-MOST_COMMITS:]


def _line(connection: Connection, newest: StoredRevision, since: StoredRevision) -> Iterator[StoredRevision]:
    """Yield the revisions of main after ``since``, or up to the merge of ``since`` into main; the newest first."""
    current = newest
    while current.id != since.id:
        yield current
        if since.change_request is not None and current.merged_from == since.change_request:
            return
        if not current.parents:
            return
        current = get_revision(connection, current.parents[0])


def _follows(revision: StoredRevision, since: StoredRevision) -> bool:
    """Whether a revision of main is the child of another, or the merge of it."""
    is_its_merge = since.change_request is not None and revision.merged_from == since.change_request
    return is_its_merge or revision.parents[:1] == (since.id,)


def _replay(context: Context, merge: StoredRevision, imported: StoredRevision, message: str) -> Iterator[_Step]:
    """Yield the states of main before the merge of an import, each with the import merged in; the newest first."""
    connection = context.database
    row = connection.one("SELECT revision_initial FROM change_requests WHERE id = ?", imported.change_request)
    assert row is not None
    base = get_revision(connection, row["revision_initial"])
    theirs = content_of(connection, imported)
    for each in _line(connection, get_revision(connection, merge.parents[0]), base):
        merged = merge_contents(
            connection,
            content_of(connection, base),
            content_of(connection, each),
            theirs,
            now=context.stamp(),
            labels=Labels("", ""),
        )
        if merged.conflicts:
            return
        yield _Step(each, merged.content, _message(connection, each, message), merged.texts)


def _message(connection: Connection, revision: StoredRevision, message: str) -> str:
    """Return the message of a commit: the subject of the merged change request, and the given message below it."""
    typed = connection.value("SELECT subject FROM change_requests WHERE id = ?", revision.merged_from)
    subject = " ".join(printable(typed or "").split())  # further lines would be read as trailers
    return f"{subject}\n\n{message.rstrip()}\n" if subject and subject != message else f"{message.rstrip()}\n"


def _finish(
    context: Context, *, request: SyncRequest, push: Push, is_new_branch: bool, imported: str | None
) -> tuple[Exported, JobResult]:
    """Store what was pushed on top of an imported revision."""
    remember_push(context, request, push)
    findings = _find_undone(context, get_revision(context.database, imported)) if imported else ()
    exported = Exported(push.oid, len(push.commits), is_new_branch, findings)
    return exported, JobResult({"commits": len(push.commits)}, findings=findings)


def _find_undone(context: Context, imported: StoredRevision) -> tuple[Finding, ...]:
    """Return a finding about the change request of an import that was archived instead of merged."""
    space, name = imported.space, imported.change_request
    row = find_change_request(context.database, space, name) if name else None
    if row is None or row["status"] != "archived":
        return ()
    why = f"change request #{row['number']}, where the import waited, is archived"
    at = (context.app(Thing(space=space, change_request=row["id"])),)
    return (Finding(f"The export undid changes of others in the branch: {why}:", at),)
