"""Changing and joining organizations, and their instructions for agents."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from recto.contract.agent_instructions import AgentInstructions, Instructions, SetInstructions
from recto.contract.common import Urls
from recto.contract.organizations import (
    DefaultCollection,
    DefaultContentBody,
    DefaultSpace,
    Organization,
    Organizations,
    OrganizationsOfDomain,
    Ping,
    UpdateOrganization,
)
from recto.contract.rich_text import Document
from recto.frozen import frozen
from recto.server.context import Context
from recto.server.http.problems import BadRequest, Forbidden, NotFound
from recto.server.http.registry import handles
from recto.server.people.access import require_organization, standing_of
from recto.server.people.directory import add_member
from recto.server.people.organizations import (
    get_organization,
    serialize_organization,
    serialize_public_organization,
)
from recto.server.sites.visitor_claims import sign_claims
from recto.server.spaces.rule_checks import check_rules
from recto.server.storage.database import Row

_TAKEN_AS_IS = frozenset({"title", "hostname", "default_role", "logo", "sso", "ai", "invite_links"})


def change_organization(context: Context, organization: str, body: UpdateOrganization) -> None:
    """Change what the body sets; ``None`` takes away a logo, default content and the default role.

    Raises :class:`BadRequest` for default content that is not the organization's, and for merge rules that lack
    something.
    """
    changes: dict[str, Any] = {name: getattr(body, name) for name in _TAKEN_AS_IS & body.model_fields_set}
    if "email_domains" in body.model_fields_set:
        changes["email_domains"] = json.dumps(list(dict.fromkeys(each.lower() for each in body.email_domains)))
    if "default_content" in body.model_fields_set:
        changes |= _default_content(context, organization, body.default_content)
    if "merge_rules" in body.model_fields_set:
        changes["merge_rules"] = check_rules(body.merge_rules)
    context.database.update("organizations", organization, **changes)


def _default_content(context: Context, organization: str, body: DefaultContentBody | None) -> dict[str, str | None]:
    """Return the columns of the default content."""
    nothing = dict.fromkeys(("default_site", "default_space", "default_collection"))
    if body is None:
        return nothing
    if isinstance(body, DefaultSpace):
        kind, wanted, select = "space", body.space, "SELECT 1 FROM spaces WHERE deleted_at IS NULL AND"
    elif isinstance(body, DefaultCollection):
        kind, wanted, select = "collection", body.collection, "SELECT 1 FROM collections WHERE"
    else:
        kind, wanted, select = "site", body.site, "SELECT 1 FROM sites WHERE"
    if context.database.one(f"{select} id = ? AND organization = ?", wanted, organization) is None:
        raise BadRequest(f"defaultContent.{kind}: there is no {kind} {wanted} in this organization")
    return nothing | {f"default_{kind}": wanted}


def organizations_of_domain(context: Context, domain: str) -> list[Row]:
    """Return the rows of the organizations that people with an e-mail address of a domain may join, oldest first."""
    return context.database.all(
        "SELECT * FROM organizations WHERE EXISTS (SELECT 1 FROM json_each(email_domains) WHERE value = ?)"
        " ORDER BY created_at, rowid",
        domain.lower(),
    )


def instructions_of(context: Context, organization: str) -> Row | None:
    """Return the instructions for agents, or ``None`` where none are written."""
    return context.database.one("SELECT * FROM agent_instructions WHERE organization = ?", organization)


@frozen
class Beginning:
    """When an organization was made, and the id of the member who administrates it for the longest time."""

    at: str
    by: str


def beginning_of(context: Context, organization: str) -> Beginning:
    """Return when and by whom an organization began; ``by`` is empty where it has no admin."""
    row = context.database.one(
        "SELECT created_at, (SELECT user FROM members WHERE organization = organizations.id AND role = 'admin'"
        " ORDER BY joined_at, user LIMIT 1) AS first FROM organizations WHERE id = ?",
        organization,
    )
    assert row is not None
    return Beginning(row["created_at"], row["first"] or "")


def save_instructions(context: Context, organization: str, instructions: Document) -> None:
    """Save the instructions for agents, written by the caller now."""
    context.database.execute(
        "INSERT OR REPLACE INTO agent_instructions (organization, instructions, updated_at, updated_by)"
        " VALUES (?, ?, ?, ?)",
        organization,
        instructions.to_json().decode(),
        context.stamp(),
        context.caller,
    )


def join_by_domain(context: Context, organization: str) -> None:
    """Make the caller a member with the organization's default role; a member keeps their role.

    Raises :class:`NotFound` for an unknown organization, :class:`BadRequest` where the domain of the caller's e-mail
    address is not among those that it allows, :class:`Forbidden` for a member who is disabled.
    """
    row = context.database.one("SELECT * FROM organizations WHERE id = ?", organization)
    if row is None:
        raise NotFound(f"There is no organization {organization}.")
    disabled = context.database.value(
        "SELECT disabled FROM members WHERE organization = ? AND user = ?", organization, context.caller
    )
    if disabled is None:
        _check_domain(context, row)
        add_member(context, organization, context.caller, row["default_role"])
    elif disabled:
        raise Forbidden(
            f"You may not join the organization “{row['title']}” again: your membership is disabled. Ask its admins."
        )


def mark_seen(context: Context, organization: str) -> None:
    """Remember that the caller is active in an organization now."""
    context.database.execute(
        "UPDATE members SET last_seen_at = ? WHERE organization = ? AND user = ?",
        context.stamp(),
        organization,
        context.caller,
    )


def domain_of_caller(context: Context) -> str | None:
    """Return the domain of the caller's e-mail address, in lower case; ``None`` without an address."""
    address: str | None = context.database.value("SELECT email FROM users WHERE id = ?", context.caller)
    _, at, domain = (address or "").rpartition("@")
    return domain.lower() if at and domain else None


def _check_domain(context: Context, organization: Row) -> None:
    domain = domain_of_caller(context)
    if domain is None:
        raise BadRequest("Your account has no e-mail address, so no domain to join by.")
    allowed = context.database.value(
        "SELECT count(*) FROM json_each(?) WHERE value = ?", organization["email_domains"], domain
    )
    if not allowed:
        raise BadRequest(f"The e-mail domain {domain} is not valid for joining this organization. Ask for an invite.")


@handles(Organizations.update_organization)
def update_organization(context: Context, organization_id: str, body: UpdateOrganization) -> Organization:
    """Change an organization's settings; takes the admin role."""
    require_organization(context, organization_id, "admin")
    change_organization(context, organization_id, body)
    return get_organization(context, organization_id)


@handles(Organizations.join_organization)
def join_organization(context: Context, organization_id: str) -> None:
    """Make the caller a member where the domain of their e-mail address is allowed."""
    join_by_domain(context, organization_id)


@handles(Organizations.ping)
def ping(context: Context, organization_id: str) -> Ping:
    """Record that the caller, any member, is active, and return a signed token for sites."""
    require_organization(context, organization_id)
    mark_seen(context, organization_id)
    return Ping(service_visitor_claims=sign_claims(context, organization_id, context.caller))


@handles(Organizations.list_organizations_of_domain)
def list_organizations_of_domain(context: Context, email_domain: str) -> OrganizationsOfDomain:
    """Return the organizations that allow a domain: those of the caller, and, for their own domain, those to join."""
    own_domain = domain_of_caller(context) == email_domain.lower()

    def build(row: Row) -> Organization | None:
        place = standing_of(context, row["id"])
        if place.member is not None:
            return serialize_organization(context, row, place)
        return serialize_public_organization(context, row, place) if own_domain else None

    found = map(build, organizations_of_domain(context, email_domain))
    return OrganizationsOfDomain(organizations=tuple(each for each in found if each is not None))


@handles(AgentInstructions.get_instructions)
def get_instructions(context: Context, organization_id: str) -> Instructions:
    """Return the instructions for agents; takes the read role."""
    require_organization(context, organization_id, "read")
    return _instructions(context, organization_id)


@handles(AgentInstructions.set_instructions)
def set_instructions(context: Context, organization_id: str, body: SetInstructions) -> Instructions:
    """Write the instructions for agents; takes the admin role."""
    require_organization(context, organization_id, "admin")
    save_instructions(context, organization_id, body.instructions)
    return _instructions(context, organization_id)


def _instructions(context: Context, organization: str) -> Instructions:
    urls = Urls(location=context.location(f"/orgs/{organization}/agent-instructions"))
    row = instructions_of(context, organization)
    if row is None:
        begun = beginning_of(context, organization)
        made = datetime.fromisoformat(begun.at)
        return Instructions(instructions=Document(), updated_at=made, updated_by=begun.by, urls=urls)
    return Instructions(
        instructions=Document.model_validate_json(row["instructions"]),
        updated_at=row["updated_at"],
        updated_by=row["updated_by"],
        urls=urls,
    )
