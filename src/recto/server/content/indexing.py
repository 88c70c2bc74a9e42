"""Indexing in the background of what an import, a specification or another large change has queued: computed pages,
then all pages for the search, then links, then the keys by which comments find their blocks in pages that changed.

The queue is a table, so that a process that ends in between leaves the rest to the next. Pieces are small: each is
prepared in a read transaction and written in a short transaction, so other writes wait briefly.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Final

from recto.checkpoints import checkpoint
from recto.server.content.index_queue import AT_ONCE, count_left, next_step
from recto.server.storage.database import Database

logger = logging.getLogger(__name__)

OnIndexing = Callable[[str, int, int], None]
"""Called with the step in a few words, how much of it is done, and how much there is in all."""

_DOING: Final = {
    "computed": "Computing pages",
    "search": "Indexing pages for search",
    "links": "Indexing links",
    "keys": "Matching comments with changed pages",
}


class Indexer:
    """Works off the queue of a workspace while it is open.

    ``on_progress`` is called on the indexer's thread, at the end of each step with all of it done.
    """

    def __init__(self, database: Database) -> None:
        self.on_progress: OnIndexing = lambda doing, done, total: None
        self._database = database
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._working = threading.Lock()
        self._ending = threading.Event()
        self._wanted = False

    def nudge(self) -> None:
        """Begin to work off the queue on a thread of its own, unless that is going on."""
        with self._starting:
            self._wanted = True
            if self._thread is None and not self._ending.is_set():
                self._thread = threading.Thread(target=self._aside, name="recto-indexer")
                self._thread.start()

    def run(self) -> None:
        """Work off the queue here and now; stops between two pieces once the indexer is closed."""
        with self._working:
            while (step := self._database.read_now(next_step)) is not None and not self._ending.is_set():
                self._take(step)

    def close(self) -> None:
        """Finish the piece that is under way."""
        with self._starting:
            self._ending.set()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _take(self, step: str) -> None:
        # What reads pages is imported on the indexer's thread: most starts have nothing to index.
        from recto.server.content.index_pieces import PREPARE

        done = 0
        while not self._ending.is_set():
            piece = self._database.read_now(partial(PREPARE[step], most=AT_ONCE[step]))
            if piece is None:
                break
            checkpoint("index.before-piece")
            done += self._database.write_now(piece.write)
            checkpoint("index.after-piece")
            self.on_progress(_DOING[step], done, done + self._database.read_now(partial(count_left, step=step)))

    def _aside(self) -> None:
        while self._is_wanted():
            try:
                self.run()
            except Exception as error:
                logger.warning("Indexing failed with %s; the next start continues.", type(error).__name__)

    def _is_wanted(self) -> bool:
        """Return whether to run again; else the thread ends, and the next nudge starts another."""
        with self._starting:
            wanted, self._wanted = self._wanted, False
            if not wanted or self._ending.is_set():
                self._thread = None
                return False
            return True
