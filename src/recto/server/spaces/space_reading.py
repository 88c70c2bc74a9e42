"""Reading spaces, apart from changing them: a start on a page imports this module alone."""

from __future__ import annotations

import json

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.spaces import Space, Spaces
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.registry import handles
from recto.server.people.access import find_deleted, require, require_organization, space_role, standing_of
from recto.server.serializers import SPACES, serialize_space


def find_space(context: Context, space: str) -> Space:
    """Return a space as the caller sees it."""
    row = context.database.one(f"{SPACES} WHERE id = ?", space)
    assert row is not None
    return serialize_space(context, row, space_role(context, row))


@handles(Spaces.list_spaces)
def list_spaces(
    context: Context, organization_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Space]:
    """Return the spaces that the caller may see, those in collections too."""
    require_organization(context, organization_id)
    roles = standing_of(context, organization_id).on_spaces()
    return list_rows(
        context.database,
        f"{SPACES} WHERE id IN (SELECT value FROM json_each(:visible))",
        {"visible": json.dumps(list(roles))},
        keys=("position", "id"),
        build=lambda row: serialize_space(context, row, roles[row["id"]]),
        page=page,
        limit=limit,
    )


@handles(Spaces.get_space)
def get_space(context: Context, space_id: str, share_key: str | None = DECLARED) -> Space:
    """Return a space that the caller may see; its admins also get it for seven days after deletion.

    A ``share_key`` that opens a site on which the space is gives its published address, to any caller.
    """
    if share_key is not None:
        from recto.server.sites.publication import visited_space

        if (visited := visited_space(context, space_id, share_key)) is not None:
            return visited
    if find_deleted(context, space_id) is None:
        require(context, space_id)
    return find_space(context, space_id)
