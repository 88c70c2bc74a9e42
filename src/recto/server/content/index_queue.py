"""The queue of pages and texts to index: a table, so that the next process finishes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recto.server.storage.database import Connection

AT_ONCE: Final = {"computed": 1, "search": 40, "links": 10, "keys": 10}
"""How many pages or texts, or of the first step spaces, make a piece; the steps are taken in this order."""


def is_queued(connection: Connection) -> bool:
    """Whether something waits to be indexed."""
    return next_step(connection) is not None


def next_step(connection: Connection) -> str | None:
    """Return the first step that has something to do."""
    return next((step for step in AT_ONCE if first_space(connection, step)), None)


def first_space(connection: Connection, step: str) -> str | None:
    """Return the space that comes first in the queue of a step."""
    space: str | None = connection.value("SELECT space FROM index_queue WHERE step = ? ORDER BY space LIMIT 1", step)
    return space


def count_left(connection: Connection, step: str) -> int:
    """Count what a step has still to do."""
    left: int = connection.value("SELECT count(*) FROM index_queue WHERE step = ?", step)
    return left


def queued_names(connection: Connection, step: str, space: str, most: int) -> list[str]:
    """Return the first names that a step has to do in a space."""
    return connection.column(
        "SELECT name FROM index_queue WHERE step = ? AND space = ? ORDER BY name LIMIT ?", step, space, most
    )


def unqueue(connection: Connection, step: str, space: str, names: Sequence[str]) -> None:
    """Take names out of the queue."""
    connection.execute_many(
        "DELETE FROM index_queue WHERE step = ? AND space = ? AND name = ?", [(step, space, name) for name in names]
    )
