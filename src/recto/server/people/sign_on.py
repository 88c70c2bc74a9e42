"""Makes, changes and finds the identity providers through which members sign in.

What is kept here is for a gateway in front of the server, which signs people in at the addresses of ``service``: the
server itself takes tokens alone and answers nothing at them.
"""

from __future__ import annotations

from typing import Any

from recto.contract.common import Urls
from recto.contract.sign_on import SamlProvider, SamlService, SsoLogin
from recto.contract.teams import Team
from recto.server.context import Context
from recto.server.http.problems import BadRequest, NotFound
from recto.server.people.answers import known
from recto.server.storage.database import Row

ACTIVE = "entity_id IS NOT NULL AND certificate IS NOT NULL AND sso_url IS NOT NULL"
"""Holds of the rows of ``saml_providers`` through which one can sign in."""


def create_provider(context: Context, organization: str, label: str, **values: Any) -> str:
    """Make an identity provider with these further columns and return its id.

    Raises :class:`BadRequest` for a ``default_team`` that is not one of the organization's.
    """
    _check_team(context, organization, values)
    provider = context.ids.fresh()
    context.database.insert(
        "saml_providers",
        id=provider,
        organization=organization,
        label=label,
        created_at=context.stamp(),
        **values,
    )
    return provider


def update_provider(context: Context, provider: Row, **values: Any) -> None:
    """Set these columns of an identity provider.

    Raises :class:`BadRequest` for a ``default_team`` that is not one of the organization's.
    """
    _check_team(context, provider["organization"], values)
    context.database.update("saml_providers", provider["id"], **values)


def delete_provider(context: Context, organization: str, provider: str) -> None:
    """Remove an identity provider; there may be none."""
    context.database.execute("DELETE FROM saml_providers WHERE id = ? AND organization = ?", provider, organization)


def make_sso_member(context: Context, organization: str, user: str) -> None:
    """Have a member sign in through an identity provider."""
    context.database.execute("UPDATE members SET sso = 1 WHERE organization = ? AND user = ?", organization, user)


def _check_team(context: Context, organization: str, values: dict[str, Any]) -> None:
    team = values.get("default_team")
    if team is None:
        return
    if context.database.one("SELECT 1 FROM teams WHERE id = ? AND organization = ?", team, organization) is None:
        raise BadRequest(f"defaultTeam: there is no team {team} in this organization")


def require_provider(context: Context, organization: str, provider: str) -> Row:
    """Return the row of an identity provider; raises :class:`NotFound` where the organization has none such."""
    row = context.database.one("SELECT * FROM saml_providers WHERE id = ? AND organization = ?", provider, organization)
    if row is None:
        raise NotFound(f"There is no identity provider {provider} in this organization.")
    return row


def provider_answer(context: Context, row: Row, default_team: Team | None) -> SamlProvider:
    """Return a row of ``saml_providers``, with the team that it names, as an identity provider."""
    location = _location(context, row)
    active = None not in (row["entity_id"], row["certificate"], row["sso_url"])
    return SamlProvider(
        id=row["id"],
        label=row["label"],
        default_role=row["default_role"],
        created_at=row["created_at"],
        status="active" if active else "pending",
        service=SamlService(acs_url=f"{location}/acs", start_url=_start_url(context, row), entity_id=location),
        urls=Urls(location=location),
        # Each is a text, also while it is not known yet.
        sso_url=row["sso_url"] or "",
        entity_id=row["entity_id"] or "",
        certificate=row["certificate"] or "",
        **known(default_team=default_team),
    )


def login_answer(context: Context, row: Row) -> SsoLogin:
    """Return a row of ``saml_providers`` as a way to sign in."""
    return SsoLogin(id=row["id"], label=row["label"], start_url=_start_url(context, row))


def _location(context: Context, row: Row) -> str:
    return context.location(f"/orgs/{row['organization']}/saml/{row['id']}")


def _start_url(context: Context, row: Row) -> str:
    return f"{_location(context, row)}/start"
