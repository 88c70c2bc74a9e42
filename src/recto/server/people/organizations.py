"""Changes the settings of organizations, and what they show first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from recto.contract.organizations import DefaultCollection, DefaultContentBody, DefaultSpace, UpdateOrganization
from recto.contract.rich_text import Document
from recto.server.context import Context
from recto.server.http.problems import BadRequest
from recto.server.spaces.merge_rules import checked_rules
from recto.server.storage.database import Row

_TAKEN_AS_IS = frozenset({"title", "hostname", "default_role", "logo", "sso", "ai", "invite_links"})


def update_organization(context: Context, organization: str, body: UpdateOrganization) -> None:
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
        changes["merge_rules"] = checked_rules(body.merge_rules)
    context.database.update("organizations", organization, **changes)


def _default_content(context: Context, organization: str, body: DefaultContentBody | None) -> dict[str, str | None]:
    """Return the columns that say what is shown first."""
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
    """Return what an organization asks of agents, or ``None`` where nobody has written it."""
    return context.database.one("SELECT * FROM agent_instructions WHERE organization = ?", organization)


@dataclass(frozen=True, slots=True)
class Beginning:
    """When an organization was made, and the id of the member who administrates it for the longest time."""

    at: str
    by: str


def beginning_of(context: Context, organization: str) -> Beginning:
    """Return how an organization began; it is by whom nobody, "", where no member administrates it."""
    row = context.database.one(
        "SELECT created_at, (SELECT user FROM members WHERE organization = organizations.id AND role = 'admin'"
        " ORDER BY joined_at, user LIMIT 1) AS first FROM organizations WHERE id = ?",
        organization,
    )
    assert row is not None
    return Beginning(row["created_at"], row["first"] or "")


def set_instructions(context: Context, organization: str, instructions: Document) -> None:
    """Keep what an organization asks of agents, as written by the caller now."""
    context.database.execute(
        "INSERT OR REPLACE INTO agent_instructions (organization, instructions, updated_at, updated_by)"
        " VALUES (?, ?, ?, ?)",
        organization,
        instructions.wire().decode(),
        context.stamp(),
        context.caller,
    )
