"""Changes and removes collections."""

from __future__ import annotations

from typing import Any

from recto.contract.collections import UpdateCollection
from recto.server.context import Context
from recto.server.spaces.moving import put_under
from recto.server.spaces.positions import TABLES, insert, on_shelf, shelved
from recto.server.storage.database import Row


def update_collection(context: Context, collection: str, body: UpdateCollection) -> None:
    """Change what the body sets; ``default_level`` may be set to ``None``, and an empty ``description`` is none."""
    changes: dict[str, Any] = {name: getattr(body, name) for name in body.model_fields_set}
    if "description" in changes:
        changes["description"] = body.description or None
    context.database.update("collections", collection, **changes)


def delete_collection(context: Context, row: Row) -> None:
    """Remove a collection, given its row; what is in it takes its place in its parent, in the same order.

    Who may do what stays as it was: what had its level from the collection has that level itself from now on.
    """
    database, collection = context.database, row["id"]
    inside = on_shelf(database, row["organization"], collection)
    siblings = on_shelf(database, row["organization"], row["parent"])
    at = next(at for at, each in enumerate(siblings) if each["id"] == collection)
    for each in inside:
        item = shelved(each)
        put_under(context, item, row["parent"])
        if each["default_level"] == "inherit":
            database.update(TABLES[item.type], item.id, default_level=row["default_level"])
    insert(database, [*siblings[:at], *siblings[at + 1 :]], at, [shelved(each) for each in inside])
    database.execute("DELETE FROM collections WHERE id = ?", collection)
