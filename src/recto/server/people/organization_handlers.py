"""Answers about organizations."""

from __future__ import annotations

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.organizations import (
    Organization,
    Organizations,
    OrganizationsOfDomain,
    Ping,
    UpdateOrganization,
)
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.registry import handles
from recto.server.people import organizations as store
from recto.server.people.access import require_organization, standing
from recto.server.people.answers import organization_answer, public_organization_answer
from recto.server.people.members import domain_of_caller, join_by_domain, mark_seen
from recto.server.sites.visitors import sign_claims
from recto.server.storage.database import Row

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
        build=lambda row: organization_answer(context, row, standing(context, row["id"])),
        page=page,
        limit=limit,
    )


@handles(Organizations.get_organization)
def get_organization(context: Context, organization_id: str) -> Organization:
    """Return an organization of which the caller is a member."""
    row = require_organization(context, organization_id)
    return organization_answer(context, row, standing(context, organization_id))


@handles(Organizations.update_organization)
def update_organization(context: Context, organization_id: str, body: UpdateOrganization) -> Organization:
    """Change an organization's settings; takes the role admin."""
    require_organization(context, organization_id, "admin")
    store.update_organization(context, organization_id, body)
    return get_organization(context, organization_id)


@handles(Organizations.join_organization)
def join_organization(context: Context, organization_id: str) -> None:
    """Make the caller a member where the domain of their e-mail address is allowed."""
    join_by_domain(context, organization_id)


@handles(Organizations.ping)
def ping(context: Context, organization_id: str) -> Ping:
    """Remember that the caller, any member, is active, and give them what they may show to sites."""
    require_organization(context, organization_id)
    mark_seen(context, organization_id)
    return Ping(service_visitor_claims=sign_claims(context, organization_id, context.caller))


@handles(Organizations.list_organizations_of_domain)
def list_organizations_of_domain(context: Context, email_domain: str) -> OrganizationsOfDomain:
    """Return the organizations that allow a domain: those of the caller, and, for their own domain, those to join."""
    own_domain = domain_of_caller(context) == email_domain.lower()

    def build(row: Row) -> Organization | None:
        place = standing(context, row["id"])
        if place.member is not None:
            return organization_answer(context, row, place)
        return public_organization_answer(context, row, place) if own_domain else None

    found = map(build, store.organizations_of_domain(context, email_domain))
    return OrganizationsOfDomain(organizations=tuple(each for each in found if each is not None))
