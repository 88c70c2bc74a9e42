"""Collections of spaces."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from recto.contract.collections import (
    Collection,
    CollectionPermissions,
    Collections,
    CreateCollection,
    MoveCollection,
    TransferCollection,
    UpdateCollection,
)
from recto.contract.common import ListPage, Role, Urls
from recto.contract.operation import DECLARED
from recto.contract.spaces import Space
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import NotFound
from recto.server.http.registry import handles
from recto.server.people import directory
from recto.server.people.access import allows, require_collection, require_organization, require_place, standing_of
from recto.server.serializers import SPACES, known_fields, serialize_space
from recto.server.spaces import moving
from recto.server.spaces.moving import put_under
from recto.server.spaces.positions import TABLES, PlacedItem, insert, items_in, read_placed
from recto.server.spaces.spaces import UNTITLED
from recto.server.storage.database import Row
from recto.urls import Thing


def serialize_collection(context: Context, row: Row, role: Role | None) -> Collection:
    """Return a row of ``collections`` as a person with this role on it sees it."""
    return Collection(
        id=row["id"],
        title=row["title"],
        organization=row["organization"],
        default_level=row["default_level"],
        urls=Urls(app=context.app(Thing(collection=row["id"])), location=context.location(f"/collections/{row['id']}")),
        permissions=CollectionPermissions(
            view=allows(role, "read"),
            admin=allows(role, "admin"),
            view_invite_links=allows(role, "admin"),
            create=allows(role, "create"),
        ),
        **known_fields(description=row["description"], parent=row["parent"]),
    )


def change_collection(context: Context, collection: str, body: UpdateCollection) -> None:
    """Change what the body sets; ``default_level`` may be set to ``None``, and an empty ``description`` is none."""
    changes: dict[str, Any] = {name: getattr(body, name) for name in body.model_fields_set}
    if "description" in changes:
        changes["description"] = body.description or None
    context.database.update("collections", collection, **changes)


def remove_collection(context: Context, row: Row) -> None:
    """Remove a collection, given its row; its items take its place in its parent, in the same order.

    Permissions stay as they were: items that inherited the collection's level now have it as their own.
    """
    database, collection = context.database, row["id"]
    inside = items_in(database, row["organization"], collection)
    siblings = items_in(database, row["organization"], row["parent"])
    at = next(at for at, each in enumerate(siblings) if each["id"] == collection)
    for each in inside:
        item = read_placed(each)
        put_under(context, item, row["parent"])
        if each["default_level"] == "inherit":
            database.update(TABLES[item.type], item.id, default_level=row["default_level"])
    insert(database, [*siblings[:at], *siblings[at + 1 :]], at, [read_placed(each) for each in inside])
    database.execute("DELETE FROM collections WHERE id = ?", collection)


@handles(Collections.list_collections)
def list_collections(
    context: Context,
    organization_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    nested: bool = DECLARED,
) -> ListPage[Collection]:
    """Return the collections that the caller may see; without ``nested`` those at the top of the organization."""
    require_organization(context, organization_id)
    place = standing_of(context, organization_id)
    rows = context.database.all("SELECT * FROM collections WHERE organization = ?", organization_id)
    visible = [row["id"] for row in rows if place.on(row) is not None and (nested or row["parent"] is None)]
    return list_rows(
        context.database,
        "SELECT * FROM collections WHERE id IN (SELECT value FROM json_each(:visible))",
        {"visible": json.dumps(visible)},
        keys=("position", "id"),
        build=lambda row: serialize_collection(context, row, place.on(row)),
        page=page,
        limit=limit,
    )


@handles(Collections.get_collection)
def get_collection(context: Context, collection_id: str) -> Collection:
    """Return a collection that the caller may see."""
    return _collection(context, require_collection(context, collection_id))


@handles(Collections.create_collection, location="/collections/{response.id}")
def create_collection(context: Context, organization_id: str, body: CreateCollection) -> Collection:
    """Make a collection at the top of the organization or in a collection; takes the create role there."""
    require_organization(context, organization_id)
    require_place(context, organization_id, body.parent)
    title = body.title if body.title is not None else UNTITLED
    return _find(context, directory.create_collection(context, organization_id, title, body.parent))


@handles(Collections.update_collection)
def update_collection(context: Context, collection_id: str, body: UpdateCollection) -> Collection:
    """Change a collection's settings; takes the admin role."""
    require_collection(context, collection_id, "admin")
    change_collection(context, collection_id, body)
    return _find(context, collection_id)


@handles(Collections.delete_collection)
def delete_collection(context: Context, collection_id: str) -> None:
    """Remove a collection, not its items; takes the admin role. An unknown collection is ignored."""
    with suppress(NotFound):
        remove_collection(context, require_collection(context, collection_id, "admin"))


@handles(Collections.move_collection)
def move_collection(context: Context, collection_id: str, body: MoveCollection) -> Collection:
    """Move a collection; takes the admin role on it, and create where it goes to."""
    row = require_collection(context, collection_id, "admin")
    parent = body.parent if "parent" in body.model_fields_set else row["parent"]
    if parent != row["parent"]:
        require_place(context, row["organization"], parent)
    moving.move(context, PlacedItem("collection", collection_id), row, parent, body.position)
    return _find(context, collection_id)


@handles(Collections.transfer_collection)
def transfer_collection(context: Context, collection_id: str, body: TransferCollection) -> Collection:
    """Transfer a collection to another organization; takes the admin role on it and all its items, and create there."""
    row = require_collection(context, collection_id, "admin")
    moving.hand_over_collection(context, row, body.organization)
    return _find(context, collection_id)


@handles(Collections.list_collection_spaces)
def list_collection_spaces(
    context: Context, collection_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Space]:
    """Return the spaces that lie directly in a collection, as far as the caller may see them."""
    collection = require_collection(context, collection_id)
    place = standing_of(context, collection["organization"])
    rows = context.database.all(
        "SELECT id, parent, default_level FROM spaces WHERE parent = ? AND deleted_at IS NULL", collection_id
    )
    return list_rows(
        context.database,
        f"{SPACES} WHERE id IN (SELECT value FROM json_each(:visible))",
        {"visible": json.dumps([row["id"] for row in rows if place.on(row) is not None])},
        keys=("position", "id"),
        build=lambda row: serialize_space(context, row, place.on(row)),
        page=page,
        limit=limit,
    )


def _find(context: Context, collection: str) -> Collection:
    row = context.database.one("SELECT * FROM collections WHERE id = ?", collection)
    assert row is not None
    return _collection(context, row)


def _collection(context: Context, row: Row) -> Collection:
    return serialize_collection(context, row, standing_of(context, row["organization"]).on(row))
