"""The caller and their organizations."""

from __future__ import annotations

from recto.contract.common import ListPage, User
from recto.contract.operation import DECLARED
from recto.contract.organizations import Organization, Organizations
from recto.contract.users import Users
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import NotFound
from recto.server.http.registry import handles
from recto.server.people.access import require_organization, standing_of
from recto.server.serializers import serialize_organization, serialize_user

_ORGANIZATIONS_OF_CALLER = """
    SELECT organizations.*, organizations.rowid AS sequence FROM organizations
    JOIN members ON members.organization = organizations.id
    WHERE members.user = :caller AND NOT members.disabled
"""


@handles(Organizations.list_organizations)
def list_organizations(
    context: Context, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Organization]:
    """Return the organizations of which the caller is a member, the oldest first."""
    return list_rows(
        context.database,
        _ORGANIZATIONS_OF_CALLER,
        {"caller": context.caller},
        keys=("created_at", "sequence"),
        build=lambda row: serialize_organization(context, row, standing_of(context, row["id"])),
        page=page,
        limit=limit,
    )


@handles(Organizations.get_organization)
def get_organization(context: Context, organization_id: str) -> Organization:
    """Return an organization of which the caller is a member."""
    row = require_organization(context, organization_id)
    return serialize_organization(context, row, standing_of(context, organization_id))


@handles(Users.get_user)
def get_user(context: Context) -> User:
    """Return the caller."""
    row = context.database.one("SELECT * FROM users WHERE id = ?", context.caller)
    if row is None:
        raise NotFound("The user of this token is not in this workspace (any more).")
    return serialize_user(context, row)
