"""Working trees on this machine: their remotes and uncommitted files, read and never changed.

Nothing is run: hooks, filters and the programs that settings name belong to ``git``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from dulwich.config import ConfigFile
from dulwich.errors import NotGitRepository
from dulwich.ignore import IgnoreFilterManager
from dulwich.index import Index, IndexEntry
from dulwich.object_store import iter_tree_contents
from dulwich.objects import Commit
from dulwich.refs import Ref
from dulwich.repo import Repo

from recto.contract.import_report import Finding, ImportReport
from recto.frozen import frozen
from recto.server.exchange.folder import join_path
from recto.server.git.remotes import GitError, Remote, find_top, read_remote
from recto.server.git.repository import blob_id
from recto.server.git.state import remember_folder
from recto.server.platform import Platform
from recto.server.storage.database import Connection, Database

MOST_NAMED: Final = 50
"""The most uncommitted files that are named."""

_UNREADABLE = (OSError, KeyError, ValueError, AssertionError, TypeError, NotGitRepository)
_HEADS = b"refs/heads/"


@frozen
class WorkingTree:
    """A folder in a working tree. ``directory`` is its place there, ``oid`` the commit that is checked out.

    ``uncommitted`` are the files below it that differ from that commit; ``is_pushed`` says whether the remote branch
    was at that commit when ``git`` last asked.
    """

    remote: Remote
    ref: str
    directory: str
    oid: str
    uncommitted: tuple[str, ...]
    is_pushed: bool


def read_working_tree(folder: Path) -> WorkingTree | None:
    """Return the working tree of a folder; ``None`` if it has no remote, or cannot be read."""
    top = find_top(folder)
    if top is None:
        return None
    try:
        with Repo(str(top)) as repo:
            return _read(repo, top, Path(os.path.realpath(folder)))
    except (GitError, *_UNREADABLE):
        return None


def _read(repo: Repo, top: Path, folder: Path) -> WorkingTree | None:
    head = repo.refs.get_symrefs().get(Ref(b"HEAD"))
    if head is None or not head.startswith(_HEADS):
        return None  # no branch is checked out
    config: ConfigFile = repo.get_config()
    section = (b"branch", head.removeprefix(_HEADS))
    name = _value(config, section, b"remote") or b"origin"
    ref = _value(config, section, b"merge") or head
    address = _value(config, (b"remote", name), b"url")
    if address is None:
        return None
    remote = _remote(address.decode(), top)
    path = folder.relative_to(top).as_posix()
    directory = "" if path == "." else path
    oid = repo.refs[head]
    tracking = Ref(b"refs/remotes/" + name + b"/" + ref.removeprefix(_HEADS))
    is_pushed = tracking in repo.refs and repo.refs[tracking] == oid
    uncommitted = tuple(_walk_uncommitted(repo, top, directory))
    return WorkingTree(remote, ref.decode(), directory, oid.decode(), uncommitted, is_pushed)


def _value(config: ConfigFile, section: tuple[bytes, ...], name: bytes) -> bytes | None:
    with suppress(KeyError):
        return config.get(section, name)
    return None


def _remote(address: str, top: Path) -> Remote:
    """Return the repository of a remote; a path may be relative to the working tree."""
    if "://" not in address and ":" not in address.partition("/")[0]:
        return read_remote(os.path.normpath(top / address), is_local=True)
    return read_remote(address, is_local=True)


def _walk_uncommitted(repo: Repo, top: Path, directory: str) -> Iterator[str]:
    """Yield the files below a directory that are not as they were committed."""
    commit = repo[repo.refs[Ref(b"HEAD")]]
    assert isinstance(commit, Commit)
    start = f"{directory}/" if directory else ""
    there = {
        path: entry.sha
        for entry in iter_tree_contents(repo.object_store, commit.tree)
        if entry.path is not None and (path := os.fsdecode(entry.path)).startswith(start)
    }
    index = Index(repo.index_path(), read=True)
    tracked = {os.fsdecode(path): entry for path, entry in index.items() if isinstance(entry, IndexEntry)}
    for path, oid in there.items():
        entry = tracked.get(path)
        if entry is None or entry.sha != oid or _is_edited(top / path, entry):
            yield path
    yield from (path for path in tracked if path.startswith(start) and path not in there)
    yield from (path for path in _walk_not_ignored(repo, top, directory) if path not in tracked and path not in there)


def _walk_not_ignored(repo: Repo, top: Path, directory: str) -> Iterator[str]:
    """Yield the files below a directory that no ``.gitignore`` names, without those of other repositories."""
    ignored = IgnoreFilterManager.from_repo(repo)
    for folder, folders, files in os.walk(top / directory):
        start = "" if folder == str(top) else f"{Path(folder).relative_to(top).as_posix()}/"
        folders[:] = sorted(
            each
            for each in folders
            if each != ".git"
            and not ignored.is_ignored(f"{start}{each}/")
            and not (Path(folder) / each / ".git").exists()
        )
        yield from (f"{start}{each}" for each in sorted(files) if not ignored.is_ignored(f"{start}{each}"))


def _is_edited(file: Path, entry: IndexEntry) -> bool:
    """Whether a file differs from Git's index; differences in line ends do not count."""
    try:
        found = file.lstat()
    except OSError:
        return True
    if not stat.S_ISREG(found.st_mode):
        return False
    seconds, nanoseconds = entry.mtime if isinstance(entry.mtime, tuple) else (int(entry.mtime), 0)
    known = (entry.size, seconds * 10**9 + nanoseconds)
    if (found.st_size, found.st_mtime_ns) == known:
        return False
    content = file.read_bytes()
    return entry.sha.decode() not in (blob_id(content), blob_id(content.replace(b"\r\n", b"\n")))


def connect(platform: Platform, folder: Path, report: ImportReport) -> ImportReport:
    """Store the remote and branch of spaces that were just imported, if their folder lies in a working tree.

    Returns the report with findings about uncommitted files and unpushed commits. With uncommitted files, a space has
    no commit in common with its branch until the next import.
    """
    tree = read_working_tree(folder)
    if tree is None:
        return report

    def remember(connection: Connection) -> None:
        context = platform.context(connection)
        for space in report.spaces:
            if space.changed:
                directory = tree.directory if len(report.spaces) == 1 else join_path(tree.directory, space.folder)
                oid = None if tree.uncommitted else tree.oid
                remember_folder(context, space.space, tree.remote, tree.ref, directory, oid)

    platform.database.write_now(remember)
    return replace(report, findings=(*findings_of(tree), *report.findings))


def find_uncommitted(database: Database, space: str) -> tuple[Finding, ...]:
    """Return a finding about the uncommitted files of the working tree that a space was opened from, if any."""
    folder = database.read_now(lambda connection: connection.value("SELECT folder FROM imports WHERE space = ?", space))
    tree = read_working_tree(Path(folder)) if folder else None
    if tree is None or not tree.uncommitted:
        return ()
    found = findings_of(tree)[0]
    return (Finding(f"{folder}: {found.message}", found.lines),)


def findings_of(tree: WorkingTree) -> tuple[Finding, ...]:
    """Return findings about the uncommitted files of a working tree, and a branch that is not pushed."""
    branch, found = tree.ref.removeprefix("refs/heads/"), []
    if tree.uncommitted:
        named = tree.uncommitted[:MOST_NAMED]
        more = len(tree.uncommitted) - len(named)
        lines = (*named, f"and {more:,} more") if more else named
        count = len(tree.uncommitted)
        differ = "file differs" if count == 1 else "files differ"
        found.append(Finding(f"{count:,} {differ} from the last commit:", lines))
    if not tree.is_pushed:
        found.append(Finding(f"{branch} and its remote branch differ: pull or push it with Git before you import it."))
    return tuple(found)
