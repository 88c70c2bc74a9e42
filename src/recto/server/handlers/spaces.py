"""Answers about spaces, all but their content."""

from __future__ import annotations

import json

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.spaces import CreateSpace, Space, Spaces, UpdateSpace
from recto.server import spaces
from recto.server.access import allows, refusal, require, require_organization, standing
from recto.server.answers import SPACES, space_answer
from recto.server.context import Context
from recto.server.paging import list_rows
from recto.server.problems import BadRequest
from recto.server.registry import handles


@handles(Spaces.list_spaces)
def list_spaces(
    context: Context, organization_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Space]:
    """Return the spaces that the caller may see, those in collections too."""
    require_organization(context, organization_id)
    place = standing(context, organization_id)
    rows = context.database.all(
        "SELECT id, parent, default_level FROM spaces WHERE organization = ? AND deleted_at IS NULL", organization_id
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


@handles(Spaces.create_space, location="/spaces/{answer.id}")
def create_space(context: Context, organization_id: str, body: CreateSpace) -> Space:
    """Make a space at the top of the organization or in a collection; takes the role create there."""
    organization = require_organization(context, organization_id)
    place = standing(context, organization_id)
    role, where = place.role, f"the organization “{organization['title']}”"
    if body.parent is not None:
        collection = context.database.one(
            "SELECT * FROM collections WHERE id = ? AND organization = ?", body.parent, organization_id
        )
        if collection is None or place.on(collection) is None:
            raise BadRequest(f"parent: there is no collection {body.parent} in this organization")
        role, where = place.on(collection), f"the collection “{collection['title']}”"
    if not allows(role, "create"):
        raise refusal("create", where)
    space = spaces.create_space(
        context,
        organization_id,
        body.title,
        parent=body.parent,
        emoji=body.emoji,
        language=body.language,
        edit_mode=body.edit_mode,
    )
    return spaces.find_space(context, space)


@handles(Spaces.get_space)
def get_space(context: Context, space_id: str, share_key: str | None = DECLARED) -> Space:
    """Return a space that the caller may see."""
    require(context, space_id)
    return spaces.find_space(context, space_id)


@handles(Spaces.update_space)
def update_space(context: Context, space_id: str, body: UpdateSpace) -> Space:
    """Change a space's settings; takes the role admin."""
    require(context, space_id, "admin")
    spaces.update_space(context, space_id, body)
    return spaces.find_space(context, space_id)
