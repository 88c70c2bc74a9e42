"""Writing files into a folder: only those that differ, each as a whole, and without changing other files."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from recto import disk
from recto.frozen import frozen
from recto.server.content.tree import digest
from recto.server.exchange.folder import Progress
from recto.server.jobs import JobFailed

MOST_NAMED = 10
"""The most files in the way that are named; the rest is counted."""

_STAGE = ".recto-export-"
_STEP = "Writing files"
_FILES_BETWEEN = 50


class ExportError(JobFailed):
    """A folder cannot be written; the message gives the reason and the next step. Nothing in it was changed."""


class InTheWayError(ExportError):
    """Files that no export has written would be replaced or deleted, or lie beside those that would be written."""

    def __init__(self, folder: Path, paths: tuple[str, ...], why: str) -> None:
        self.paths = paths
        named = ", ".join(paths[:MOST_NAMED])
        rest = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
        super().__init__(f"{folder} {why}: {named}{rest}.")


@frozen
class WrittenFiles:
    """How many files were written and deleted, and how many were as they should be."""

    written: int
    deleted: int
    unchanged: int


@dataclass
class FolderWriter:
    """Writes files into a folder, given by their paths with the hash of their bytes.

    ``records`` is the folder that remembers what exports have written, ``read`` gives the bytes of a file. With
    ``force`` other files with those paths are replaced, and those that were edited since an export. The ``kept`` paths
    stay as they are. ``names`` are stored with the list of files, for :func:`load_names`.
    """

    folder: Path
    files: Mapping[str, str]
    read: Callable[[str], bytes]
    records: Path
    force: bool = False
    kept: Set[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)
    _record: dict[str, list[str]] = field(default_factory=dict)

    def write(
        self, progress: Progress, stop_if_cancelled: Callable[[], None], end_cancelling: Callable[[], None]
    ) -> WrittenFiles:
        """Write what differs and delete what an export wrote that is no longer there.

        Nothing is replaced before all of it lies beside the folder's files; ``end_cancelling`` is called then. Raises
        ``ExportError`` where a file cannot be written, and what the two callbacks raise; nothing has changed then.
        """
        with self._as_export_error():
            self._check()
            return self._write(progress, stop_if_cancelled, end_cancelling)

    def check(self) -> None:
        """Raise ``ExportError`` where the folder cannot be written to, whatever the files are."""
        with self._as_export_error():
            self._check()

    @contextmanager
    def _as_export_error(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = error.strerror or str(error)
            raise ExportError(f"{error.filename or self.folder} cannot be written: {reason}.") from error

    def _check(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise ExportError(f"{self.folder} is a file. Name a folder, which may be new.")
        self.folder = Path(os.path.realpath(self.folder))
        self._load_record()
        if not self.force and not self._record and (there := self._names_there()):
            raise InTheWayError(self.folder, there, "is not empty, and no export has written to it")

    def _write(
        self, progress: Progress, stop_if_cancelled: Callable[[], None], end_cancelling: Callable[[], None]
    ) -> WrittenFiles:
        found = {path: self._hash_of(path) for path in {**self.files, **self._record}}
        differing = [path for path, name in self.files.items() if found[path] != name]
        staying = {*self.files, *self.kept}
        gone = [path for path in self._record if path not in staying and found[path] is not None]
        self._refuse_links_and_folders(differing, gone)
        if not self.force:
            self._refuse_what_is_in_the_way([*differing, *gone], found)
        progress(_STEP, 0, len(differing))
        made = self._make_folder()
        try:
            with self._stage() as stage:
                for number, path in enumerate(differing):
                    if number % _FILES_BETWEEN == 0:
                        progress(_STEP, number, len(differing))
                    stop_if_cancelled()
                    (stage / str(number)).write_bytes(self.read(path))
                end_cancelling()
                self._save_record(before=True)
                for path in gone:
                    self._delete(path)
                for number, path in enumerate(differing):
                    self._put(stage / str(number), path)
        except BaseException:
            if made:
                with suppress(OSError):
                    self.folder.rmdir()
            raise
        self._save_record(before=False)
        progress(_STEP, len(differing), len(differing))
        return WrittenFiles(len(differing), len(gone), len(self.files) - len(differing))

    def _refuse_links_and_folders(self, differing: list[str], gone: list[str]) -> None:
        links = tuple(path for path in (*differing, *gone) if self._leads_elsewhere(path))
        if links:
            raise InTheWayError(self.folder, links, "has links to other places above these files")
        going = {self.folder / path for path in gone}
        blocked = tuple(path for path in differing if self._is_blocked(self.folder / path, going))
        if blocked:
            raise InTheWayError(
                self.folder, blocked, "has folders or files of other kinds where these would be written"
            )

    def _is_blocked(self, target: Path, going: Set[Path]) -> bool:
        """Whether a file lies where folders are needed, or a folder that will not be empty where the file is."""
        above = target.parent
        while above != self.folder:
            if above.is_file() and above not in going:
                return True
            above = above.parent
        return target.is_dir() and any(each not in going for each in target.rglob("*") if not each.is_dir())

    def _refuse_what_is_in_the_way(self, touched: list[str], found: Mapping[str, str | None]) -> None:
        edited = tuple(
            path for path in touched if found[path] is not None and found[path] not in self._record.get(path, ())
        )
        if edited:
            raise InTheWayError(self.folder, edited, "has files that no export has written, or that were edited since")

    def _names_there(self) -> tuple[str, ...]:
        if not self.folder.is_dir():
            return ()
        return tuple(sorted(entry.name for entry in self.folder.iterdir() if not entry.name.startswith(_STAGE)))

    def _leads_elsewhere(self, path: str) -> bool:
        above = (self.folder / path).parent
        while above != self.folder:
            if above.is_symlink():
                return True
            above = above.parent
        return False

    def _hash_of(self, path: str) -> str | None:
        """Return the hash of a file's bytes; ``None`` where there is none, empty for a link."""
        file = self.folder / path
        if file.is_symlink():
            return ""
        try:
            return digest(file.read_bytes())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def _make_folder(self) -> bool:
        """Make the folder, and say whether it is new."""
        is_new = not self.folder.exists()
        self.folder.mkdir(parents=True, exist_ok=True)
        return is_new

    @contextmanager
    def _stage(self) -> Iterator[Path]:
        """Make a folder for files that are not in place yet; remove it at the end, and those left by a crash."""
        for left in self.folder.glob(f"{_STAGE}*"):
            shutil.rmtree(left, ignore_errors=True)
        stage = Path(tempfile.mkdtemp(prefix=_STAGE, dir=self.folder))
        try:
            yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)

    def _put(self, staged: Path, path: str) -> None:
        target = self.folder / path
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)  # nothing but empty folders is in it
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_symlink():
            with suppress(OSError):
                staged.chmod(target.stat().st_mode & 0o777)  # a script stays one
        staged.replace(target)

    def _delete(self, path: str) -> None:
        """Delete a file, and the folders above it that are empty then."""
        with suppress(FileNotFoundError):
            (self.folder / path).unlink()
        above = (self.folder / path).parent
        with suppress(OSError):
            while above != self.folder:
                above.rmdir()
                above = above.parent

    # What exports have written here

    def _load_record(self) -> None:
        files = _load(self.folder, self.records).get("files", {})
        self._record = {str(path): list(hashes) for path, hashes in files.items()}

    def _save_record(self, *, before: bool) -> None:
        """Remember the files; ``before`` they are written, both the old and the new files count as written."""
        files = {path: [name] for path, name in self.files.items()}
        for path, hashes in self._record.items():
            if before or path in self.kept:
                files[path] = [*files.get(path, ()), *hashes]
        disk.make_folder(self.records)
        record = json.dumps({"folder": str(self.folder), "files": files, "names": dict(self.names)})
        disk.write(_record_file(self.folder, self.records), record.encode(), durable=False)


def load_names(folder: Path, records: Path) -> dict[str, str]:
    """Return the names that the last export to a folder was given to remember."""
    return {
        str(item): str(path) for item, path in _load(Path(os.path.realpath(folder)), records).get("names", {}).items()
    }


def _record_file(folder: Path, records: Path) -> Path:
    return records / f"{sha256(os.fsencode(folder)).hexdigest()[:32]}.json"


def _load(folder: Path, records: Path) -> dict[str, dict[str, Any]]:
    with suppress(OSError, ValueError):
        record = json.loads(_record_file(folder, records).read_text(encoding="utf-8"))
        if isinstance(record, dict) and record.get("folder") == str(folder):
            return record
    return {}
