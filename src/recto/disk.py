"""Files on disk: readable by their owner only, and written as a whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from recto import paths
from recto.checkpoints import checkpoint

if sys.platform != "win32":
    import fcntl

_FILE: Final = 0o600
_FOLDER: Final = 0o700
_OTHERS: Final = 0o077

TEMPORARY: Final = ".recto-"
"""The beginning of the name of a file that is not whole yet; one may be left over and means nothing."""


def make_folder(folder: Path) -> None:
    """Make a folder, and those above that are missing, for its owner alone.

    A folder of the program's own that an earlier version made is closed to others; any other stays as it is. Raises
    :class:`OSError`.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        with suppress(FileExistsError):
            each.mkdir(_FOLDER)
            each.chmod(_FOLDER)
    folder.mkdir(exist_ok=True)  # raises if something else has the name
    for each in _own_folders(folder):
        _close(each, _FOLDER)


def make_file(file: Path) -> None:
    """Make an empty file for its owner alone where there is none; close an existing file to others."""
    with suppress(OSError):  # opening the file then reports why that is not possible
        try:
            os.close(open_file(str(file), os.O_RDWR | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            _close(file, _FILE)


def close_files(files: Iterable[Path]) -> None:
    """Close files to others that are there and belong to the user of this process."""
    for file in files:
        _close(file, _FILE)


def open_file(name: str, flags: int) -> int:
    """Open a file, made for its owner alone where there is none: an ``opener`` for :func:`open`."""
    before = Path(name).exists()
    descriptor = os.open(name, flags, _FILE)
    if not before and hasattr(os, "fchmod"):
        os.fchmod(descriptor, _FILE)  # a process may be set to make files that not even their owner may read
    return descriptor


def write(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace the content of a file by ``data`` as a whole, even if the process stops; the folder has to exist.

    Durable, it is on the disk when this returns; otherwise an outage soon after may leave the old file or an empty
    file.
    """
    checkpoint("atomic.before-write")
    descriptor, name = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            checkpoint("atomic.before-sync")
            file.flush()
            if durable:
                os.fsync(file.fileno())
        checkpoint("atomic.before-rename")
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    checkpoint("atomic.after-rename")
    if durable:
        sync_folder(path.parent)
    checkpoint("atomic.after-write")


def lock(file: Path) -> int | None:
    """Lock a file, made where there is none, until the descriptor is closed; ``None`` where it cannot be locked.

    The system drops the lock with the process, however that ends. Raises :class:`BlockingIOError` where another program
    holds it.
    """
    if sys.platform == "win32":
        return None
    try:
        descriptor = open_file(str(file), os.O_RDWR | os.O_CREAT)
    except OSError:
        return None
    try:
        while not _try_lock(descriptor, fcntl.LOCK_EX):
            # Only a program that holds the lock refuses a shared lock; one that checks it takes it for a moment.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    except BlockingIOError:
        os.close(descriptor)
        raise
    except OSError:  # such as a file system that has no locks
        os.close(descriptor)
        return None
    return descriptor


def is_locked(file: Path) -> bool:
    """Whether a file is locked by :func:`lock`; false where that cannot be known."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(file, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _try_lock(descriptor, fcntl.LOCK_SH)
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _own_folders(folder: Path) -> list[Path]:
    """Return a folder and those above it as far as they are the program's own."""
    line = (folder, *folder.parents)
    try:
        roots = {paths.config_dir(), paths.data_dir(), paths.cache_dir(), paths.state_dir()}
        depth = max((at for at, each in enumerate(line, 1) if each in roots), default=0)
        return [each for each in line[:depth] if each != Path.home()]
    except (paths.NoHomeError, RuntimeError):
        return []


def _close(path: Path, mode: int) -> None:
    with suppress(OSError):
        found = path.stat()
        if found.st_mode & _OTHERS and hasattr(os, "geteuid") and found.st_uid == os.geteuid():
            path.chmod(mode)
