"""Removal for good: deleted spaces after their seven days, and content that no revision holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from recto.server.content.search import forget
from recto.server.people.directory import recall, remember
from recto.server.sites.site_spaces import remove_site_space
from recto.server.spaces.retention import UNSWEPT
from recto.server.storage.database import Connection, Database

_WORDS_LEFT: Final = 1_000  # the number of deleted sections in the search index from which on it is cleaned up
_WORDS_AT_ONCE: Final = 200


def remove_leftovers(database: Database, before: str, is_ending: Callable[[], bool]) -> None:
    """Remove spaces deleted before a moment, then content that nothing holds; stops between two transactions."""
    while not is_ending() and database.read_now(lambda connection: _find_expired(connection, before)) is not None:
        database.write_now(lambda connection: _remove_expired(connection, before))
    unswept = database.read_now(lambda connection: recall(connection, UNSWEPT)) is not None
    if unswept or database.read_now(_words_left) > _WORDS_LEFT:
        while not is_ending() and database.write_now(partial(forget, most=_WORDS_AT_ONCE)):
            pass
    if unswept and not is_ending():
        database.write_now(sweep_content)


def _find_expired(connection: Connection, before: str) -> str | None:
    space: str | None = connection.value(
        "SELECT id FROM spaces WHERE deleted_at < ? ORDER BY deleted_at, id LIMIT 1", before
    )
    return space


def _remove_expired(connection: Connection, before: str) -> None:
    space = _find_expired(connection, before)
    if space is not None:  # another process may have been faster
        remove_space(connection, space)


def _words_left(connection: Connection) -> int:
    """Return how many sections that are gone are still in the search index."""
    left: int = connection.value("SELECT (SELECT count(*) FROM search) - (SELECT count(*) FROM search_sections)")
    return left


def remove_space(connection: Connection, space: str) -> None:
    """Remove a space for good, with its revisions, change requests, comments and places on sites.

    The content that it shared by hash stays until :func:`sweep_content`.
    """
    for row in connection.all("SELECT id, site FROM site_spaces WHERE space = ?", space):
        remove_site_space(connection, row["site"], row["id"])
    connection.execute(
        "DELETE FROM reactions WHERE subject IN (SELECT id FROM comments WHERE space = :space UNION ALL"
        " SELECT replies.id FROM replies JOIN comments ON comments.id = replies.comment WHERE space = :space)",
        {"space": space},
    )
    connection.execute("DELETE FROM spaces WHERE id = ?", space)
    remember(connection, UNSWEPT, "yes")


def sweep_content(connection: Connection) -> None:
    """Remove the texts, page-tree nodes, manifests, files' bytes and block keys that no revision holds.

    All of it happens in one transaction: a write in between could use again things that are about to go. Code that
    stores content ahead of its revision has to look, when the revision is made, whether all of it is still there.
    """
    for statement in (*_MARK, *_SWEEP, *_FORGET_MARKS):
        connection.execute(statement)
    connection.execute("DELETE FROM workspace WHERE key = ?", UNSWEPT)


_MARK: Final = (
    "CREATE TEMP TABLE live_nodes (hash TEXT PRIMARY KEY) WITHOUT ROWID",
    """INSERT INTO live_nodes WITH RECURSIVE live (hash) AS (
           SELECT root FROM revisions UNION
           SELECT child.value FROM live JOIN nodes USING (hash), json_each(nodes.body, '$[6]') AS child
       ) SELECT hash FROM live""",
    "CREATE TEMP TABLE live_manifests (hash TEXT PRIMARY KEY) WITHOUT ROWID",
    "INSERT INTO live_manifests SELECT files FROM revisions UNION SELECT extras FROM revisions",
    # The record of the files that a space was imported from.
    """INSERT OR IGNORE INTO live_manifests SELECT json_extract(body, '$.source') FROM live_manifests
       JOIN manifests USING (hash) WHERE json_type(body) = 'object' AND json_type(body, '$.source') = 'text'""",
    # The pages and the texts they have had; what keys are carried from is held by what they are carried to.
    "CREATE TEMP TABLE live_pages (page TEXT, text TEXT, PRIMARY KEY (page, text)) WITHOUT ROWID",
    """INSERT INTO live_pages WITH RECURSIVE live (page, text) AS (
           SELECT json_extract(body, '$[0]'), coalesce(json_extract(body, '$[3]'), '')
           FROM live_nodes JOIN nodes USING (hash) UNION
           SELECT page, coalesce(before.value, '') FROM live JOIN block_keys USING (page, text),
           json_each(coalesce(befores, '[]')) AS before
       ) SELECT page, text FROM live""",
    # Any string in a manifest or an open conflict that could be a hash counts as one. No revision holds the words of
    # computed pages, of which the search shows excerpts.
    "CREATE TEMP TABLE live_content (hash TEXT PRIMARY KEY) WITHOUT ROWID",
    """INSERT INTO live_content SELECT text FROM live_pages UNION
       SELECT text FROM search_sections WHERE text IS NOT NULL UNION
       SELECT atom FROM live_manifests JOIN manifests USING (hash), json_tree(body) WHERE json_tree.type = 'text' UNION
       SELECT atom FROM conflicts, json_tree(json_array(json(base), json(ours), json(theirs)))
       WHERE json_tree.type = 'text'""",
)

_SWEEP: Final = (
    "DELETE FROM block_keys WHERE NOT EXISTS (SELECT 1 FROM live_pages"
    " WHERE live_pages.page = block_keys.page AND live_pages.text = block_keys.text)",
    "DELETE FROM nodes WHERE hash NOT IN (SELECT hash FROM live_nodes)",
    "DELETE FROM manifests WHERE hash NOT IN (SELECT hash FROM live_manifests)",
    "DELETE FROM texts WHERE hash NOT IN (SELECT hash FROM live_content)",
    "DELETE FROM text_references WHERE text NOT IN (SELECT hash FROM texts)",
    "DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM live_content)",
)

_FORGET_MARKS: Final = tuple(
    f"DROP TABLE {table}" for table in ("live_nodes", "live_manifests", "live_pages", "live_content")
)
