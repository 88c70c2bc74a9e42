"""The stored state of a space's repository: its address, and the commit of the last import or export."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from recto.clock import stamp
from recto.contract.git import GitBranch
from recto.frozen import frozen
from recto.server.context import Context
from recto.server.exchange.imported_files import remember_paths
from recto.server.git.remotes import GitError, Remote, Way, read_directory, read_ref, read_remote
from recto.server.http.problems import Conflict
from recto.server.storage.database import Connection, Row

MOST_CACHED: Final = 20
"""How many repositories are kept beside a workspace."""

MOST_EARLIER: Final = 100
"""How many branches are remembered that a space was synchronized with before."""

MOST_CACHED_BYTES: Final = 1_000 * 1000 * 1000
"""How large the repositories are that are kept beside a workspace, all together."""


@frozen
class Sync:
    """A space and its branch. At the commit ``oid`` and the revision ``revision`` their contents were the same.

    ``blobs`` are the ids of that commit's files by those of the pages and files that they are. ``tree_url`` and
    ``commit_url`` are what addresses of files and of commits begin with on the web, ``provider`` and ``url`` the
    last known host and address of the repository.
    """

    space: str
    address: str
    ref: str
    directory: str
    oid: str | None = None
    revision: str | None = None
    happened_at: str | None = None
    blobs: Mapping[str, str] = field(default_factory=dict)
    tree_url: str | None = None
    commit_url: str | None = None
    provider: str | None = None
    url: str | None = None


@frozen
class Push:
    """Commits that are pushed: the newest, the revision that it holds, and what to remember once it has arrived.

    ``commits`` are the ``git`` of revisions by their ids, ``blobs`` the ids of files by those of the pages and files
    that they are, ``paths`` those that pages, files and reusable contents were given, by their ids.
    """

    oid: str
    revision: str
    commits: Mapping[str, Mapping[str, Any]]
    blobs: Mapping[str, str]
    paths: Mapping[str, str]


@frozen
class SyncRequest:
    """A checked request for an import or export; permissions are not checked yet."""

    space: str
    body: GitBranch
    remote: Remote
    ref: bytes
    directory: str
    happened_at: str | None
    """The time of the event that caused the request, as stored; in UTC if no offset is given."""

    @property
    def branch(self) -> str:
        """The branch's short name."""
        return self.ref.decode().removeprefix("refs/heads/")


def read_request(space: str, body: GitBranch, *, is_local: bool) -> SyncRequest:
    """Check the address, the branch, the directory and the time of a request; raises ``GitError``."""
    directory = read_directory(body.repo_project_directory or None)
    remote, ref = read_remote(body.url, is_local=is_local), read_ref(body.ref)
    given = body.timestamp
    try:
        happened_at = stamp(given if given.tzinfo else given.replace(tzinfo=UTC)) if given else None
    except OverflowError:
        raise GitError("timestamp: must be in the years 1 to 9999 in UTC.") from None
    return SyncRequest(space, body, remote, ref, directory, happened_at)


_COLUMNS = "space, address, ref, directory, oid, revision, happened_at, blobs, tree_url, commit_url, provider, url"


def find_sync(connection: Connection, space: str) -> Sync | None:
    """Return the stored state of a space's repository."""
    row = connection.one(f"SELECT {_COLUMNS} FROM git_syncs WHERE space = ?", space)
    return _read_sync(row) if row else None


def _read_sync(row: Row) -> Sync:
    return Sync(**{**row, "blobs": json.loads(row["blobs"])})


def sync_with(connection: Connection, request: SyncRequest) -> Sync | None:
    """Return the last known state of a repository, branch and directory."""
    return _sync_at(connection, request.space, (request.remote.url, request.ref.decode(), request.directory))


def _sync_at(connection: Connection, space: str, place: tuple[str, str, str]) -> Sync | None:
    sync = find_sync(connection, space)
    if sync is not None and (sync.address, sync.ref, sync.directory) == place:
        return sync
    row = connection.one(
        f"SELECT {_COLUMNS} FROM earlier_git_syncs WHERE space = ? AND address = ? AND ref = ? AND directory = ?",
        space,
        *place,
    )
    return _read_sync(row) if row else None


def base_of(connection: Connection, request: SyncRequest, oid: str | None) -> Sync | None:
    """Return the known facts about the commit at the tip of a branch, or else about the branch.

    Where the branch was known to be further than that commit, it counts as not known. A branch that is not there
    begins at the commit that was last known of the repository.
    """
    known = sync_with(connection, request)
    found = [known] if known is not None and known.revision is not None else []
    last = find_sync(connection, request.space)
    if oid is None and last is not None and (last.address, last.directory) == (request.remote.url, request.directory):
        found += [last] if last.revision is not None else []
    for table in ("git_syncs", "earlier_git_syncs"):
        where = "space = ? AND directory = ? AND oid = ? AND revision IS NOT NULL"
        query = f"SELECT {_COLUMNS} FROM {table} WHERE {where}"
        found += [_read_sync(row) for row in connection.all(query, request.space, request.directory, oid)]

    def order(sync: Sync) -> int:
        return int(connection.value("SELECT rowid FROM revisions WHERE id = ?", sync.revision) or 0)

    return max(found, key=order, default=known)


def _store(context: Context, sync: Sync, name: str) -> None:
    """Store the state of a space's repository, which has this short name; that of another branch is kept beside it."""
    connection = context.database
    place = (sync.space, sync.address, sync.ref, sync.directory)
    connection.execute(
        f"INSERT OR REPLACE INTO earlier_git_syncs ({_COLUMNS}, updated_at)"
        f" SELECT {_COLUMNS}, updated_at FROM git_syncs WHERE space = ?",
        sync.space,
    )
    connection.execute("DELETE FROM git_syncs WHERE space = ?", sync.space)
    connection.execute("DELETE FROM earlier_git_syncs WHERE (space, address, ref, directory) = (?, ?, ?, ?)", *place)
    connection.execute(
        "DELETE FROM earlier_git_syncs WHERE space = ? AND updated_at < (SELECT updated_at FROM earlier_git_syncs"
        " WHERE space = ? ORDER BY updated_at DESC LIMIT 1 OFFSET ?)",
        sync.space,
        sync.space,
        MOST_EARLIER - 1,
    )
    values = {column: getattr(sync, column) for column in _COLUMNS.split(", ")}
    values |= {"blobs": json.dumps(dict(sync.blobs)), "repo_name": name, "updated_at": context.stamp()}
    connection.insert("git_syncs", **values)


def refuse_older(connection: Connection, request: SyncRequest) -> None:
    """Raise :class:`Conflict` if the request's event happened before that of the last import or export."""
    sync, given = find_sync(connection, request.space), request.happened_at
    if sync is None or sync.happened_at is None or given is None or sync.happened_at <= given:
        return
    raise Conflict(
        f"timestamp: {given} is before that of the last import or export, {sync.happened_at}. Nothing was changed."
    )


def remember_sync(
    context: Context, request: SyncRequest, commit: str, revision: str | None, blobs: Mapping[str, str]
) -> None:
    """Store a commit and the revision with the same content; for a standalone revision, those before are kept."""
    body, before = request.body, sync_with(context.database, request)
    info = body.git_info or before
    sync = Sync(
        space=request.space,
        address=request.remote.url,
        ref=request.ref.decode(),
        directory=request.directory,
        oid=commit if revision else before.oid if before else None,
        revision=revision or (before.revision if before else None),
        happened_at=request.happened_at or (before.happened_at if before else None),
        blobs=blobs if revision else before.blobs if before else {},
        tree_url=body.repo_tree_url or (before.tree_url if before else None),
        commit_url=body.repo_commit_url or (before.commit_url if before else None),
        provider=info.provider if info else None,
        url=info.url if info else None if request.remote.way is Way.LOCAL else request.remote.url,
    )
    _store(context, sync, request.remote.name)


def note_push(context: Context, request: SyncRequest, push: Push) -> None:
    """Note a push before it begins, so that it is known again where its response is lost."""
    connection = context.database
    connection.execute("DELETE FROM git_pushes WHERE space = ?", request.space)
    connection.insert(
        "git_pushes",
        space=request.space,
        address=request.remote.url,
        ref=request.ref.decode(),
        directory=request.directory,
        oid=push.oid,
        revision=push.revision,
        **{name: json.dumps(getattr(push, name)) for name in ("commits", "blobs", "paths")},
    )


def recover_push(context: Context, request: SyncRequest, oid: str | None) -> None:
    """Remember the last push where its response was lost and the branch is at its newest commit."""
    row = context.database.one(
        "SELECT oid, revision, commits, blobs, paths FROM git_pushes"
        " WHERE space = ? AND address = ? AND ref = ? AND directory = ? AND oid = ?",
        request.space,
        request.remote.url,
        request.ref.decode(),
        request.directory,
        oid,
    )
    if row is not None:
        read = {name: json.loads(row[name]) for name in ("commits", "blobs", "paths")}
        remember_push(context, request, Push(row["oid"], row["revision"], **read))


def remember_push(context: Context, request: SyncRequest, push: Push) -> None:
    """Remember a push that has arrived."""
    connection = context.database
    connection.execute("DELETE FROM git_pushes WHERE space = ?", request.space)
    remember_paths(connection, request.space, push.paths)
    for revision, git in push.commits.items():
        note_commit(connection, revision, git)
    remember_sync(context, request, push.oid, push.revision, push.blobs)


def remember_folder(context: Context, space: str, remote: Remote, ref: str, directory: str, commit: str | None) -> None:
    """Store the branch that the folder of a space belongs to, and the commit at which it was imported.

    What else was known of the same branch and directory is kept, but not the ids of another commit's files.
    """
    connection = context.database
    revision = connection.value("SELECT revision FROM imports WHERE space = ?", space)
    url = None if remote.way is Way.LOCAL else remote.url
    place = (remote.url, ref, directory)
    known = _sync_at(connection, space, place) or Sync(space, *place, url=url)
    blobs = known.blobs if known.oid == commit else {}
    _store(context, replace(known, oid=commit, revision=revision, blobs=blobs), remote.name)


def commit_of(request: SyncRequest, sync: Sync | None, oid: str, message: str, *, is_own: bool) -> dict[str, Any]:
    """Return the ``git`` of a revision; its address is from the request, else from the last sync."""
    found = {"oid": oid, "message": message, "createdByService": is_own, "ref": request.ref.decode()}
    prefix = request.body.repo_commit_url or (sync.commit_url if sync else None)
    return {**found, "url": f"{prefix.rstrip('/')}/{oid}"} if prefix else found


def note_commit(connection: Connection, revision: str, git: Mapping[str, Any]) -> None:
    """Note the commit that a revision came from or became."""
    connection.update("revisions", revision, git=json.dumps(dict(git)))


def cache_folder(workspace: Path, request: SyncRequest) -> Path:
    """Return the folder of a space's repository, after deleting the least recently used ones.

    The space is part of its name, so that no caller sees what another has fetched, whatever the given cache id.
    """
    top = workspace.with_name(f"{workspace.name}.git")
    name = sha256(f"{request.space}\0{request.body.repo_cache_id or request.remote.url}".encode()).hexdigest()[:32]
    _bound(top, name)
    folder = top / name
    if folder.exists():
        folder.touch()
    return folder


def _bound(top: Path, name: str) -> None:
    """Delete the repositories that have not been used for longest, until the rest is within its bounds."""
    if not top.is_dir():
        return
    others = sorted((each for each in top.iterdir() if each.name != name), key=lambda each: each.stat().st_mtime)
    sizes = {each: sum(file.stat().st_size for file in each.rglob("*") if file.is_file()) for each in others}
    while others and (len(others) >= MOST_CACHED or sum(sizes[each] for each in others) > MOST_CACHED_BYTES):
        shutil.rmtree(others.pop(0), ignore_errors=True)
