"""Organizations of the caller."""

from __future__ import annotations

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.organizations import (
    Organization,
    Organizations,
)
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.registry import handles
from recto.server.people.access import require_organization, standing
from recto.server.serializers import serialize_organization

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
        build=lambda row: serialize_organization(context, row, standing(context, row["id"])),
        page=page,
        limit=limit,
    )


@handles(Organizations.get_organization)
def get_organization(context: Context, organization_id: str) -> Organization:
    """Return an organization of which the caller is a member."""
    row = require_organization(context, organization_id)
    return serialize_organization(context, row, standing(context, organization_id))
