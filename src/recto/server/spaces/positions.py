"""The order of spaces and collections within a collection, or at the top of an organization.

Both share a sequence. Positions have gaps between them, so that a move changes the position of the moved item
alone, and a list that is being paged through keeps its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from recto.frozen import frozen
from recto.server.storage.database import Connection, Row

GAP: Final = 1 << 16
"""The distance between two neighbours at first."""

TABLES: Final = {"space": "spaces", "collection": "collections"}
"""The table that holds each kind of item."""


@frozen
class PlacedItem:
    """A space or a collection."""

    type: Literal["space", "collection"]
    id: str


def read_placed(row: Row) -> PlacedItem:
    """Return the item that a row of :func:`items_in` is about."""
    return PlacedItem(row["type"], row["id"])


def items_in(database: Connection, organization: str, parent: str | None) -> list[Row]:
    """Return what lies directly in a collection, or at the top, in order; deleted spaces keep their place there.

    Each row has ``type``, ``id``, ``parent``, ``default_level``, ``position`` and ``deleted_at``.
    """
    return database.all(
        "SELECT 'space' AS type, id, parent, default_level, position, deleted_at FROM spaces"
        " WHERE organization = :organization AND parent IS :parent UNION ALL"
        " SELECT 'collection', id, parent, default_level, position, NULL FROM collections"
        " WHERE organization = :organization AND parent IS :parent ORDER BY position, id",
        {"organization": organization, "parent": parent},
    )


def next_position(database: Connection, organization: str, parent: str | None) -> int:
    """Return the position after the last collection or space of a parent, or of the organization's top."""
    last: int | None = database.value(
        "SELECT max(position) FROM (SELECT organization, parent, position FROM collections UNION ALL"
        " SELECT organization, parent, position FROM spaces) WHERE organization = ? AND parent IS ?",
        organization,
        parent,
    )
    return 0 if last is None else last + GAP


def insert(database: Connection, beside: Sequence[Row], at: int, items: Sequence[PlacedItem]) -> None:
    """Give items their positions, in their order, before the sibling at the index ``at``, or last.

    ``beside`` are the siblings of :func:`items_in` without the items themselves. They keep their positions unless there
    is no room left between two of them.
    """
    low = beside[at - 1]["position"] if at > 0 else None
    high = beside[at]["position"] if at < len(beside) else None
    if low is None:
        low = -GAP if high is None else high - GAP * (len(items) + 1)
    step = GAP if high is None else (high - low) // (len(items) + 1)
    if step > 0:
        for place, item in enumerate(items, 1):
            _set(database, item, low + step * place)
    else:
        everything = [*map(read_placed, beside[:at]), *items, *map(read_placed, beside[at:])]
        for place, item in enumerate(everything):
            _set(database, item, place * GAP)


def _set(database: Connection, item: PlacedItem, position: int) -> None:
    database.update(TABLES[item.type], item.id, position=position)
