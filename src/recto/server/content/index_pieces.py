"""Pieces of the indexer's work, read and written in separate transactions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from recto.document.markdown.page_links import References
from recto.frozen import frozen
from recto.server.content.computed_pages import (
    Versions,
    compute_pages,
    declared_specifications,
    versions_of,
    words_of,
)
from recto.server.content.index_queue import first_space, queued_names, unqueue
from recto.server.content.keys import Carried, carry_postponed
from recto.server.content.link_index import load_references, read_references, save_references
from recto.server.content.objects import load_text, load_texts, save_texts, stored_hashes, text_hash
from recto.server.content.revisions import main_revision, tree_of
from recto.server.content.search import PageSections, add_sections, drop_sections, read_sections, reads_alike
from recto.server.storage.database import Connection

_State = tuple[str, Versions]
"""What the page tree of a space's main content is made from: its root, and versions of specifications."""


def _state_of(connection: Connection, space: str) -> _State | None:
    """Return the state of a space; ``None`` where it is gone."""
    if connection.value("SELECT 1 FROM spaces WHERE id = ?", space) is None:
        return None
    revision = main_revision(connection, space)
    return revision.root, versions_of(connection, revision)


@frozen
class _ComputedPiece:
    """The computed pages of a space: those there are, and those that the search still holds."""

    space: str
    state: _State | None
    specifications: Sequence[str]
    pages: Sequence[str]

    def write(self, connection: Connection) -> int:
        """Queue the pages for the search where they are still computed from the same, and return how many spaces left.

        The specifications that pages name are saved, so that a new version queues the space again.
        """
        if self.state is None or _state_of(connection, self.space) != self.state:
            return 0
        connection.execute("DELETE FROM computed_from WHERE space = ?", self.space)
        named = [(self.space, name) for name in self.specifications]
        connection.execute_many("INSERT INTO computed_from VALUES (?, ?)", named)
        queue = [("search", self.space, page) for page in self.pages]
        connection.execute_many("INSERT OR IGNORE INTO index_queue VALUES (?, ?, ?)", queue)
        unqueue(connection, "computed", self.space, [""])
        return 1


def _prepare_computed(connection: Connection, most: int) -> _ComputedPiece | None:
    space = first_space(connection, "computed")
    if space is None:
        return None
    revision = main_revision(connection, space)
    places = compute_pages(connection, revision).tree.places
    known = connection.column("SELECT DISTINCT page FROM search_sections WHERE space = ?", space)
    pages = [page for page, place in places.items() if place.node.type == "computed"]
    gone = [page for page in known if page not in places]
    named = declared_specifications(connection, revision)
    return _ComputedPiece(space, _state_of(connection, space), named, [*pages, *gone])


@frozen
class _SearchPiece:
    """Pages of a space, read for the search; those in ``gone`` are no longer in its main content.

    ``words`` are those of computed pages, by their hashes.
    """

    space: str
    state: _State | None
    pages: Sequence[PageSections]
    words: Mapping[str, str]
    gone: Sequence[str]

    def write(self, connection: Connection) -> int:
        """Index the pages that are still as they were read, and return how many left the queue."""
        state = _state_of(connection, self.space)
        if state is None:
            return 0
        places = tree_of(connection, main_revision(connection, self.space)).places
        queued = set(_names_in(connection, self.space, [page.node.id for page in self.pages]))
        fitting = [
            page
            for page in self.pages
            if page.node.id in queued
            and (
                state == self.state
                or (
                    page.node.type != "computed"
                    and (place := places.get(page.node.id)) is not None
                    and reads_alike(place.node, page.node)
                )
            )
        ]
        save_texts(connection, self.words)
        add_sections(connection, self.space, fitting)
        gone = list(self.gone) if state == self.state else []
        drop_sections(connection, self.space, gone)
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
    revision = main_revision(connection, space)
    computed = compute_pages(connection, revision)
    places = computed.tree.places
    names = queued_names(connection, "search", space, most)
    words_by_page = words_of(connection, revision, computed, names)
    pages = []
    texts: dict[str, str] = {}
    for name in names:
        if name in places:
            node, words = places[name].node, words_by_page.get(name)
            if words is None:
                pages.append(read_sections(node, load_text(connection, node.text)))
            else:
                texts[text := text_hash(words.text)] = words.text
                pages.append(read_sections(replace(node, text=text), words.text, words.sections))
    gone = [name for name in names if name not in places]
    return _SearchPiece(space, _state_of(connection, space), pages, texts, gone)


@frozen
class _LinksPiece:
    """Texts of a space with what they point at."""

    space: str
    names: Sequence[str]
    found: Mapping[str, References]

    def write(self, connection: Connection) -> int:
        """Save the references of texts that still exist, and return how many left the queue."""
        there = stored_hashes(connection, "texts", self.found)
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


PREPARE: Final[Mapping[str, Callable[..., _ComputedPiece | _SearchPiece | _LinksPiece | _KeysPiece | None]]] = {
    "computed": _prepare_computed,
    "search": _prepare_search,
    "links": _prepare_links,
    "keys": _prepare_keys,
}
