"""Locks by which other processes see that a job runs: the system drops them however the process ends."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class JobLocks:
    """Locks on the bytes of a file beside the workspace, the byte of a job being that of its number.

    A process does not see its own locks. Where the system has none of this kind, no job is locked.
    """

    def __init__(self, workspace: Path) -> None:
        self._path = workspace.with_name(f"{workspace.name}.jobs")
        self._lock = threading.Lock()
        self._file: int | None = None

    def hold(self, job: str) -> None:
        """Lock a job of this process."""
        if sys.platform != "win32":
            fcntl.lockf(self._open(), fcntl.LOCK_EX, 1, int(job))

    def release(self, job: str) -> None:
        """Unlock a job of this process."""
        if sys.platform != "win32":
            fcntl.lockf(self._open(), fcntl.LOCK_UN, 1, int(job))

    def is_held_elsewhere(self, job: str) -> bool:
        """Whether another process has locked a job."""
        if sys.platform == "win32":
            return False
        try:
            # A shared lock, so that two processes that look at the same moment do not take each other for the job's.
            fcntl.lockf(self._open(), fcntl.LOCK_SH | fcntl.LOCK_NB, 1, int(job))
        except (BlockingIOError, PermissionError):
            return True
        self.release(job)
        return False

    def close(self) -> None:
        """Drop all locks of this process."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _open(self) -> int:
        # One file as long as the workspace is open: closing another would drop the locks of all.
        with self._lock:
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            return self._file
