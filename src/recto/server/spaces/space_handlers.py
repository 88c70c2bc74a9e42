"""Answers about spaces, all but their content."""

from __future__ import annotations

import json
from contextlib import suppress

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.spaces import CreateSpace, MoveSpace, Space, Spaces, TransferSpace, UpdateSpace
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import BadRequest, Conflict, Forbidden, NotFound
from recto.server.http.registry import handles
from recto.server.people.access import find_deleted, require, require_organization, require_place, standing
from recto.server.people.answers import SPACES, space_answer
from recto.server.spaces import retention, spaces
from recto.server.spaces.positions import Shelved


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
    require_organization(context, organization_id)
    require_place(context, organization_id, body.parent)
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
    """Return a space that the caller may see; one that was deleted within seven days to those who administrate it.

    A ``share_key`` that opens a site on which the space is gives its published address, and the space to anybody.
    """
    if share_key is not None:
        from recto.server.sites.published import visited_space

        if (visited := visited_space(context, space_id, share_key)) is not None:
            return visited
    if find_deleted(context, space_id) is None:
        require(context, space_id)
    return spaces.find_space(context, space_id)


@handles(Spaces.update_space)
def update_space(context: Context, space_id: str, body: UpdateSpace) -> Space:
    """Change a space's settings; takes the role admin."""
    require(context, space_id, "admin")
    spaces.update_space(context, space_id, body)
    return spaces.find_space(context, space_id)


@handles(Spaces.delete_space)
def delete_space(context: Context, space_id: str) -> None:
    """Delete a space; takes the role admin. One that is not there, or deleted already, stays so."""
    with suppress(NotFound):
        require(context, space_id, "admin")
        retention.delete_space(context, space_id)


@handles(Spaces.restore_space)
def restore_space(context: Context, space_id: str) -> Space:
    """Bring a deleted space back; takes the role admin."""
    if find_deleted(context, space_id) is None:
        row = require(context, space_id, "admin")
        raise Conflict(f"The space “{row['title']}” is not deleted.")
    retention.restore_space(context, space_id)
    return spaces.find_space(context, space_id)


@handles(Spaces.duplicate_space, location="/spaces/{answer.id}")
def duplicate_space(context: Context, space_id: str) -> Space:
    """Copy a space that the caller may see; takes the role create where it lies."""
    from recto.server.spaces import duplicating

    row = require(context, space_id)
    try:
        require_place(context, row["organization"], row["parent"])
    except BadRequest as problem:
        raise Forbidden(
            f"You may not copy the space “{row['title']}”: you may not see the collection in which the copy would lie."
        ) from problem
    return spaces.find_space(context, duplicating.duplicate_space(context, row))


@handles(Spaces.move_space)
def move_space(context: Context, space_id: str, body: MoveSpace) -> Space:
    """Move a space; takes the role admin on it, and create where it goes to."""
    from recto.server.spaces import moving

    row = require(context, space_id, "admin")
    parent = body.parent if "parent" in body.model_fields_set else row["parent"]
    if parent != row["parent"]:
        require_place(context, row["organization"], parent)
    moving.move(context, Shelved("space", space_id), row, parent, body.position)
    return spaces.find_space(context, space_id)


@handles(Spaces.transfer_space)
def transfer_space(context: Context, space_id: str, body: TransferSpace) -> Space:
    """Give a space to another organization; takes the role admin on it, and create there."""
    from recto.server.spaces import moving

    row = require(context, space_id, "admin")
    moving.transfer_space(context, row, body.organization)
    return spaces.find_space(context, space_id)
