"""Reads behind the program's back what an import or another large change has queued: for the search, then for links,
then the keys by which comments find their blocks in pages that changed.

The queue is a table, so that a process that ends in between leaves the rest to the next one. Pieces are small: each is
prepared in a read transaction and written in a short one, so that nobody waits for long.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from recto.breath import Breath
from recto.checkpoints import checkpoint
from recto.server.storage.database import Connection, Database

if TYPE_CHECKING:
    from recto.document.markdown.page_links import References
    from recto.server.content.keys import Carried
    from recto.server.content.search import PageSections

logger = logging.getLogger(__name__)

OnIndexing = Callable[[str, int, int], None]
"""Called with the step in a few words, how much of it is done, and how much there is in all."""

_AT_ONCE: Final = {"search": 40, "links": 10, "keys": 10}
"""How many pages or texts make a piece, by step; the steps are taken in this order."""

_DOING: Final = {
    "search": "Indexing pages for search",
    "links": "Indexing links",
    "keys": "Matching comments with changed pages",
}


class Indexer:
    """Works off the queue of one workspace while it is open.

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
            while (step := self._database.read_now(_next_step)) is not None and not self._ending.is_set():
                self._take(step)

    def close(self) -> None:
        """Finish the piece that is under way."""
        with self._starting:
            self._ending.set()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _take(self, step: str) -> None:
        done = 0
        while not self._ending.is_set():
            piece = self._database.read_now(partial(_PREPARE[step], most=_AT_ONCE[step]))
            if piece is None:
                break
            checkpoint("index.before-piece")
            done += self._database.write_now(piece.write)
            checkpoint("index.after-piece")
            self.on_progress(_DOING[step], done, done + self._database.read_now(partial(_left, step=step)))

    def _aside(self) -> None:
        while self._is_wanted():
            try:
                self.run()
            except Exception as error:
                logger.warning("Indexing failed with %s; the next start goes on with it.", type(error).__name__)

    def _is_wanted(self) -> bool:
        """Take the wish that there is; without one the thread is at its end, and the next wish starts another."""
        with self._starting:
            wanted, self._wanted = self._wanted, False
            if not wanted or self._ending.is_set():
                self._thread = None
                return False
            return True


def is_queued(connection: Connection) -> bool:
    """Whether something waits to be indexed."""
    return _next_step(connection) is not None


def _next_step(connection: Connection) -> str | None:
    return next((step for step in _AT_ONCE if _first(connection, step)), None)


def _first(connection: Connection, step: str) -> str | None:
    """Return the space that comes first in the queue of a step."""
    space: str | None = connection.value("SELECT space FROM index_queue WHERE step = ? ORDER BY space LIMIT 1", step)
    return space


def _queued(connection: Connection, step: str, space: str, most: int) -> list[str]:
    return connection.column(
        "SELECT name FROM index_queue WHERE step = ? AND space = ? ORDER BY name LIMIT ?", step, space, most
    )


def _left(connection: Connection, step: str) -> int:
    left: int = connection.value("SELECT count(*) FROM index_queue WHERE step = ?", step)
    return left


def _unqueue(connection: Connection, step: str, space: str, names: Sequence[str]) -> None:
    connection.execute_many(
        "DELETE FROM index_queue WHERE step = ? AND space = ? AND name = ?", [(step, space, name) for name in names]
    )


@dataclass(frozen=True, slots=True)
class _SearchPiece:
    """Pages of a space, read for the search; those in ``gone`` are no longer in its main content."""

    space: str
    pages: Sequence[PageSections]
    gone: Sequence[str]

    def write(self, connection: Connection) -> int:
        """Put those pages into the index that are as they were read, and return how many left the queue."""
        from recto.server.content.revisions import main_revision, tree_of
        from recto.server.content.search import add_sections, reads_alike

        if connection.value("SELECT 1 FROM spaces WHERE id = ?", self.space) is None:
            return 0
        places = tree_of(connection, main_revision(connection, self.space)).places
        queued = set(_names_in(connection, self.space, [page.node.id for page in self.pages]))
        fitting = [
            page
            for page in self.pages
            if page.node.id in queued
            and (place := places.get(page.node.id)) is not None
            and reads_alike(place.node, page.node)
        ]
        add_sections(connection, self.space, fitting)
        gone = [page for page in self.gone if page not in places]
        _unqueue(connection, "search", self.space, gone)
        return len(fitting) + len(gone)


def _names_in(connection: Connection, space: str, pages: Sequence[str]) -> list[str]:
    import json

    return connection.column(
        "SELECT name FROM index_queue WHERE step = 'search' AND space = ? AND name IN (SELECT value FROM json_each(?))",
        space,
        json.dumps(pages),
    )


def _prepare_search(connection: Connection, most: int) -> _SearchPiece | None:
    from recto.server.content.objects import load_text
    from recto.server.content.revisions import main_revision, tree_of
    from recto.server.content.search import read_sections

    space = _first(connection, "search")
    if space is None:
        return None
    places = tree_of(connection, main_revision(connection, space)).places
    names = _queued(connection, "search", space, most)
    breath = Breath()
    pages = []
    for name in names:
        if name in places:
            breath.take()
            node = places[name].node
            pages.append(read_sections(node, load_text(connection, node.text)))
    return _SearchPiece(space, pages, [name for name in names if name not in places])


@dataclass(frozen=True, slots=True)
class _LinksPiece:
    """Texts of a space with what they point at."""

    space: str
    names: Sequence[str]
    found: Mapping[str, References]

    def write(self, connection: Connection) -> int:
        """Keep what was found of the texts that are still there, and return how many left the queue."""
        from recto.server.content.link_index import save_references
        from recto.server.content.objects import present

        there = present(connection, "texts", self.found)
        save_references(connection, {name: each for name, each in self.found.items() if name in there})
        _unqueue(connection, "links", self.space, self.names)
        return len(self.names)


def _prepare_links(connection: Connection, most: int) -> _LinksPiece | None:
    from recto.server.content.link_index import load_references, read_references
    from recto.server.content.objects import load_texts

    space = _first(connection, "links")
    if space is None:
        return None
    names = _queued(connection, "links", space, most)
    kept = load_references(connection, names)
    breath = Breath()
    found = {}
    for name, text in load_texts(connection, [name for name in names if name not in kept]).items():
        breath.take()
        found[name] = read_references(text)
    return _LinksPiece(space, names, found)


@dataclass(frozen=True, slots=True)
class _KeysPiece:
    """The keys of blocks of pages that an import has changed."""

    space: str
    names: Sequence[str]
    found: Sequence[Carried]

    def write(self, connection: Connection) -> int:
        """Keep the keys that no other writer has stored, and return how many left the queue."""
        for each in self.found:
            each.store(connection)
        _unqueue(connection, "keys", self.space, self.names)
        return len(self.names)


def _prepare_keys(connection: Connection, most: int) -> _KeysPiece | None:
    from recto.server.content.keys import carried

    space = _first(connection, "keys")
    if space is None:
        return None
    names = _queued(connection, "keys", space, most)
    breath = Breath()
    found = []
    for name in names:
        breath.take()
        page, _, text = name.rpartition(" ")
        if (keys := carried(connection, page, text)) is not None:
            found.append(keys)
    return _KeysPiece(space, names, found)


_PREPARE: Final[Mapping[str, Callable[..., _SearchPiece | _LinksPiece | _KeysPiece | None]]] = {
    "search": _prepare_search,
    "links": _prepare_links,
    "keys": _prepare_keys,
}
