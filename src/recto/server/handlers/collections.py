"""Answers about collections."""

from __future__ import annotations

import json

from recto.contract.collections import Collection, Collections
from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.spaces import Space
from recto.server.access import require_collection, require_organization, standing
from recto.server.answers import SPACES, collection_answer, space_answer
from recto.server.context import Context
from recto.server.paging import list_rows
from recto.server.registry import handles


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
    place = standing(context, organization_id)
    rows = context.database.all("SELECT * FROM collections WHERE organization = ?", organization_id)
    visible = [row["id"] for row in rows if place.on(row) is not None and (nested or row["parent"] is None)]
    return list_rows(
        context.database,
        "SELECT * FROM collections WHERE id IN (SELECT value FROM json_each(:visible))",
        {"visible": json.dumps(visible)},
        keys=("position", "id"),
        build=lambda row: collection_answer(context, row, place.on(row)),
        page=page,
        limit=limit,
    )


@handles(Collections.get_collection)
def get_collection(context: Context, collection_id: str) -> Collection:
    """Return a collection that the caller may see."""
    row = require_collection(context, collection_id)
    return collection_answer(context, row, standing(context, row["organization"]).on(row))


@handles(Collections.list_collection_spaces)
def list_collection_spaces(
    context: Context, collection_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Space]:
    """Return the spaces that lie directly in a collection, as far as the caller may see them."""
    collection = require_collection(context, collection_id)
    place = standing(context, collection["organization"])
    rows = context.database.all(
        "SELECT id, parent, default_level FROM spaces WHERE parent = ? AND deleted_at IS NULL", collection_id
    )
    return list_rows(
        context.database,
        f"{SPACES} WHERE id IN (SELECT value FROM json_each(:visible))",
        {"visible": json.dumps([row["id"] for row in rows if place.on(row) is not None])},
        keys=("position", "id"),
        build=lambda row: space_answer(context, row, place.on(row)),
        page=page,
        limit=limit,
    )
