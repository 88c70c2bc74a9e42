"""Sweeping: removes deleted spaces after their seven days, and content that nothing holds.

Looks after a write, at most once an hour, and sweeps on a thread of its own, in a transaction for each step.
A process that ends in between leaves the rest to the next process.
"""

from __future__ import annotations

import logging
import threading
from datetime import datetime, timedelta
from typing import Final

from recto.clock import Clock
from recto.server.spaces.retention import kept_since
from recto.server.storage.database import Database

logger = logging.getLogger(__name__)

_EVERY: Final = timedelta(hours=1)


class Sweeper:
    """Sweeps a workspace while it is open."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._next: datetime | None = None
        self._thread: threading.Thread | None = None
        self._ending = threading.Event()

    def nudge(self) -> None:
        """Sweep in the background, at most once an hour."""
        now = self._clock()
        busy = self._thread is not None and self._thread.is_alive()
        if self._ending.is_set() or busy or (self._next is not None and now < self._next):
            return
        self._next = now + _EVERY
        self._thread = threading.Thread(target=self._aside, name="recto-sweeper")
        self._thread.start()

    def sweep(self) -> None:
        """Sweep here and now; stops between two transactions once the sweeper is closed."""
        # Imported on the sweeper's thread: most starts have nothing to sweep.
        from recto.server.spaces.removal import remove_leftovers

        remove_leftovers(self._database, kept_since(self._clock), self._ending.is_set)

    def close(self) -> None:
        """Wait for the end of a running sweep's transaction."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join()

    def _aside(self) -> None:
        try:
            self.sweep()
        except Exception as error:
            logger.warning("Sweeping failed with %s; the first write after an hour tries again.", type(error).__name__)
