"""A commit's files as a folder that is read as any other, without a file on disk."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import IO, Literal

from recto.frozen import frozen
from recto.server.exchange.folder import (
    MAX_FILE_BYTES,
    Folder,
    FolderError,
    LeftOut,
    Reason,
    find_skipped,
    is_beside,
    is_executable,
    why_left_out,
)
from recto.server.git.repository import MAX_EXPANDED_BYTES, FoundCommit, GitFile, Repository

_LARGE_STORAGE = b"version https://git-lfs.github.com/spec/"
_POINTER = 1024
_KEPT_BYTES = 64 * 1000 * 1000
"""The most that is held in memory of files that have been read for their sizes."""


@frozen
class CommitFile:
    """A file of a commit."""

    repository: Repository
    oid: str
    held: bytes | None = None

    def open(self, mode: Literal["rb"], /) -> IO[bytes]:
        """Open the file to be read."""
        return BytesIO(self._content())

    def read(self, most: int = MAX_FILE_BYTES) -> bytes:
        """Return the bytes of the file, the first ``most`` where it has more."""
        return self._content()[:most]

    def _content(self) -> bytes:
        return self.repository.read(self.oid) if self.held is None else self.held


def read_commit_folder(
    repository: Repository, commit: FoundCommit, base: str, stop_if_cancelled: Callable[[], None]
) -> tuple[Folder, dict[str, str]]:
    """Return the files of a commit below a folder of the repository, and the ids that they have there.

    The same files are read as of a folder on disk; links, other repositories and pointers to large file storage are
    left out. Raises ``FolderError`` where there is no such folder, and for files that are too large together: one may
    stand at any number of places.
    """
    files: dict[str, int] = {}
    beside: dict[str, int] = {}
    sources: dict[str, CommitFile] = {}
    left_out: list[LeftOut] = []
    unkept: dict[str, LeftOut] = {}
    held = total = 0
    start = f"{base}/" if base else ""
    for path, entry in sorted(repository.files(commit).items()):
        place = path.removeprefix(start)
        if not path.startswith(start):
            continue
        if (skipped := find_skipped(place)) is not None:
            unkept[skipped.place] = skipped
            continue
        stop_if_cancelled()
        reason = _why_left_out(place, entry)
        if reason is None:
            content = repository.read(entry.oid)
            total += len(content)
            if total > MAX_EXPANDED_BYTES:
                raise FolderError(
                    f"The files of {repository.remote.name} take more than {MAX_EXPANDED_BYTES // 1_000_000:,} MB. "
                    "Import a part of it: name its folder (--folder in the shell)."
                )
            reason = _why_not_taken(place, content)
        if reason is not None:
            left_out.append(LeftOut(place, reason))
            continue
        (beside if is_beside(place) else files)[place] = len(content)
        if is_executable(entry.mode):
            unkept[place] = LeftOut(place, Reason.EXECUTABLE)
        kept = content if held + len(content) <= _KEPT_BYTES else None
        held += len(kept or b"")
        sources[place] = CommitFile(repository, entry.oid, kept)
    if not files:
        where = f"{base} of {repository.remote.name}" if base else repository.remote.name
        raise FolderError(f"There are no pages in {where}. Check the branch and the folder.")
    oids = {place: file.oid for place, file in sources.items()}
    top = Path(repository.remote.name)
    return Folder(top, files, tuple(left_out), beside, sources, unkept=tuple(unkept.values())), oids


def _why_left_out(place: str, entry: GitFile) -> Reason | None:
    if entry.is_link:
        return Reason.COMMITTED_LINK
    if entry.is_module:
        return Reason.MODULE
    return Reason.NAME if "\ufffd" in place else None


def _why_not_taken(place: str, content: bytes) -> Reason | None:
    if len(content) < _POINTER and content.startswith(_LARGE_STORAGE):
        return Reason.LARGE_STORAGE
    return why_left_out(place, len(content))
