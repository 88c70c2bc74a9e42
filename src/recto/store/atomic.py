"""Files that are there as a whole or not at all, whatever moment the process or the machine stops at."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from recto.checkpoints import checkpoint

TEMPORARY = ".recto-"
"""How the name of a file begins that is not whole yet; such a file may be left over and means nothing."""


def write(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace the file by one that holds ``data``; the folder has to exist.

    Durable, it is on the disk when this returns; otherwise an outage soon after may leave the old file or an empty one.
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


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk; where the system cannot, nothing happens."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
