"""A small JSON file that several windows of the program share."""

from __future__ import annotations

import json
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from recto import disk

log = logging.getLogger(__name__)

_WRITER = ThreadPoolExecutor(1, "small-files")
"""The thread of all files; one for the process, so that none is left behind by each app of a test."""

_TRIES, _PAUSE = 100, 0.01
"""How often a lock that another window holds is tried, and the seconds in between; a stopped process may never end."""

Content: TypeAlias = dict[str, Any]


class JsonFile:
    """An object of JSON in a file; ``subject`` names what it holds, for the log.

    Each change is made to what the file holds by then, which another window may have written.
    """

    def __init__(self, path: Path, subject: str) -> None:
        self._path = path
        self._subject = subject
        self._waiting: deque[Callable[[Content], None]] = deque()

    def read(self) -> Content:
        """Return the content with all changes so far, empty where none can be read; waits for the disk."""
        return _WRITER.submit(self._read).result()

    def change(self, change: Callable[[Content], None]) -> None:
        """Change the content soon, in a thread; a change that cannot be written goes with the next that can."""
        self._waiting.append(change)
        _WRITER.submit(self._write)

    def flush(self) -> None:
        """Wait until all changes are written."""
        _WRITER.submit(lambda: None).result()

    def _read(self) -> Content:
        try:
            return self._load()
        except OSError as error:
            log.warning("The file of the %s could not be read: %s", self._subject, error)
            return {}

    def _load(self) -> Content:
        """Load the content, empty where it is not JSON; raises :class:`OSError`."""
        try:
            content = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError) as error:
            log.warning("The file of the %s holds something else: %s", self._subject, type(error).__name__)
            return {}
        return content if isinstance(content, dict) else {}

    def _write(self) -> None:
        changes = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if not changes:
            return  # they were written with an earlier one
        try:
            disk.make_folder(self._path.parent)
            with self._locked():
                content = self._load()
                for change in changes:
                    change(content)
                data = json.dumps(content, ensure_ascii=False).encode(errors="replace")
                # Not durable, as it is written at every step: an outage may cost the last change, never the file.
                disk.write(self._path, data, durable=False)
        except OSError as error:
            self._waiting.extendleft(reversed(changes))
            log.warning("The file of the %s could not be written: %s", self._subject, error)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other windows from the file meanwhile, where the file system has locks."""
        lock = None
        for _ in range(_TRIES):
            with suppress(BlockingIOError):
                lock = disk.lock(self._path.with_suffix(".lock"))
                break
            time.sleep(_PAUSE)
        try:
            yield
        finally:
            if lock is not None:
                os.close(lock)
