"""Pieces of the indexer's work, read and written in separate transactions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from recto.document.markdown.page_links import References
from recto.frozen import frozen
from recto.server.content.index_queue import first_space, queued_names, unqueue
from recto.server.content.keys import Carried, carry_postponed
from recto.server.content.link_index import load_references, read_references, save_references
from recto.server.content.objects import load_text, load_texts, present
from recto.server.content.revisions import main_revision, tree_of
from recto.server.content.search import PageSections, add_sections, read_sections, reads_alike
from recto.server.storage.database import Connection


@frozen
class _SearchPiece:
    """Pages of a space, read for the search; those in ``gone`` are no longer in its main content."""

    space: str
    pages: Sequence[PageSections]
    gone: Sequence[str]

    def write(self, connection: Connection) -> int:
        """Index the pages that are still as they were read, and return how many left the queue."""
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
        unqueue(connection, "search", self.space, gone)
        return len(fitting) + len(gone)


def _names_in(connection: Connection, space: str, pages: Sequence[str]) -> list[str]:
    return connection.column(
        "SELECT name FROM index_queue WHERE step = 'search' AND space = ? AND name IN (SELECT value FROM json_each(?))",
        space,
        json.dumps(pages),
    )


def _prepare_search(connection: Connection, most: int) -> _SearchPiece | None:
    space = first_space(connection, "search")
    if space is None:
        return None
    places = tree_of(connection, main_revision(connection, space)).places
    names = queued_names(connection, "search", space, most)
    pages = []
    for name in names:
        if name in places:
            node = places[name].node
            pages.append(read_sections(node, load_text(connection, node.text)))
    return _SearchPiece(space, pages, [name for name in names if name not in places])


@frozen
class _LinksPiece:
    """Texts of a space with what they point at."""

    space: str
    names: Sequence[str]
    found: Mapping[str, References]

    def write(self, connection: Connection) -> int:
        """Save the references of texts that still exist, and return how many left the queue."""
        there = present(connection, "texts", self.found)
        save_references(connection, {name: each for name, each in self.found.items() if name in there})
        unqueue(connection, "links", self.space, self.names)
        return len(self.names)


def _prepare_links(connection: Connection, most: int) -> _LinksPiece | None:
    space = first_space(connection, "links")
    if space is None:
        return None
    names = queued_names(connection, "links", space, most)
    kept = load_references(connection, names)
    found = {}
    for name, text in load_texts(connection, [name for name in names if name not in kept]).items():
        found[name] = read_references(text)
    return _LinksPiece(space, names, found)


@frozen
class _KeysPiece:
    """The keys of blocks of pages that an import has changed."""

    space: str
    names: Sequence[str]
    found: Sequence[Carried]

    def write(self, connection: Connection) -> int:
        """Save the keys that no other writer has stored, and return how many left the queue."""
        for each in self.found:
            each.store(connection)
        unqueue(connection, "keys", self.space, self.names)
        return len(self.names)


def _prepare_keys(connection: Connection, most: int) -> _KeysPiece | None:
    space = first_space(connection, "keys")
    if space is None:
        return None
    names = queued_names(connection, "keys", space, most)
    found = []
    for name in names:
        page, _, text = name.rpartition(" ")
        if (keys := carry_postponed(connection, page, text)) is not None:
            found.append(keys)
    return _KeysPiece(space, names, found)


PREPARE: Final[Mapping[str, Callable[..., _SearchPiece | _LinksPiece | _KeysPiece | None]]] = {
    "search": _prepare_search,
    "links": _prepare_links,
    "keys": _prepare_keys,
}
