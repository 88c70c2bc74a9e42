"""Identity providers through which members sign in.

The settings are for a gateway in front of the server, which signs people in at the addresses of ``service``: the
server itself takes tokens alone and does not respond at them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recto.contract.common import ListPage, Urls
from recto.contract.members import Member
from recto.contract.operation import DECLARED
from recto.contract.sign_on import (
    CreateSamlProvider,
    SamlProvider,
    SamlService,
    SignOn,
    SsoLogin,
    SsoLogins,
    UpdateSamlProvider,
)
from recto.contract.teams import Team
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import BadRequest, NotFound
from recto.server.http.registry import handles
from recto.server.people.access import require_organization
from recto.server.people.members import find_member, member_with_spaces
from recto.server.people.teams import TeamSerializer, find_team
from recto.server.serializers import known_fields
from recto.server.storage.database import Row

ACTIVE = "entity_id IS NOT NULL AND certificate IS NOT NULL AND sso_url IS NOT NULL"
"""SQL condition on ``saml_providers``: ready to sign in through."""


def create_provider(context: Context, organization: str, label: str, **values: Any) -> str:
    """Make an identity provider with these further columns and return its id.

    Raises :class:`BadRequest` for a ``default_team`` of another organization.
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

    Raises :class:`BadRequest` for a ``default_team`` of another organization.
    """
    _check_team(context, provider["organization"], values)
    context.database.update("saml_providers", provider["id"], **values)


def delete_provider(context: Context, organization: str, provider: str) -> None:
    """Remove an identity provider; there may be none."""
    context.database.execute("DELETE FROM saml_providers WHERE id = ? AND organization = ?", provider, organization)


def mark_sso_member(context: Context, organization: str, user: str) -> None:
    """Mark a member as signing in through an identity provider."""
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


def serialize_provider(context: Context, row: Row, default_team: Team | None) -> SamlProvider:
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
        **known_fields(default_team=default_team),
    )


def serialize_login(context: Context, row: Row) -> SsoLogin:
    """Return a row of ``saml_providers`` as a way to sign in."""
    return SsoLogin(id=row["id"], label=row["label"], start_url=_start_url(context, row))


def _location(context: Context, row: Row) -> str:
    return context.location(f"/orgs/{row['organization']}/saml/{row['id']}")


def _start_url(context: Context, row: Row) -> str:
    return f"{_location(context, row)}/start"


@handles(SignOn.list_saml_providers)
def list_saml_providers(
    context: Context, organization_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[SamlProvider]:
    """Return the identity providers, the oldest first; takes the admin role."""
    require_organization(context, organization_id, "admin")
    return list_rows(
        context.database,
        "SELECT * FROM saml_providers WHERE organization = :organization",
        {"organization": organization_id},
        keys=("created_at", "id"),
        build=_builder(context, organization_id),
        page=page,
        limit=limit,
        asked=(organization_id,),
    )


@handles(SignOn.create_saml_provider, location="/orgs/{organization_id}/saml/{response.id}")
def create_saml_provider(context: Context, organization_id: str, body: CreateSamlProvider) -> SamlProvider:
    """Make an identity provider; takes the admin role."""
    require_organization(context, organization_id, "admin")
    provider = create_provider(context, organization_id, **_columns_of(body))
    return _provider(context, organization_id, provider)


@handles(SignOn.get_saml_provider)
def get_saml_provider(context: Context, organization_id: str, saml_provider_id: str) -> SamlProvider:
    """Return an identity provider; takes the admin role."""
    require_organization(context, organization_id, "admin")
    return _provider(context, organization_id, saml_provider_id)


@handles(SignOn.update_saml_provider)
def update_saml_provider(
    context: Context, organization_id: str, saml_provider_id: str, body: UpdateSamlProvider
) -> SamlProvider:
    """Change an identity provider; takes the admin role."""
    require_organization(context, organization_id, "admin")
    update_provider(context, require_provider(context, organization_id, saml_provider_id), **_columns_of(body))
    return _provider(context, organization_id, saml_provider_id)


@handles(SignOn.delete_saml_provider)
def delete_saml_provider(context: Context, organization_id: str, saml_provider_id: str) -> None:
    """Remove an identity provider; takes the admin role."""
    require_organization(context, organization_id, "admin")
    delete_provider(context, organization_id, saml_provider_id)


@handles(SignOn.list_sso_logins)
def list_sso_logins(context: Context, organization_id: str) -> SsoLogins:
    """Return the ways to sign in, the oldest first, to any member."""
    require_organization(context, organization_id)
    rows = context.database.all(
        f"SELECT * FROM saml_providers WHERE organization = ? AND {ACTIVE} ORDER BY created_at, id", organization_id
    )
    return SsoLogins(items=tuple(serialize_login(context, row) for row in rows))


@handles(SignOn.make_sso_member)
def make_sso_member(context: Context, organization_id: str, user_id: str) -> Member:
    """Mark a member as signing in through an identity provider; takes the admin role."""
    require_organization(context, organization_id, "admin")
    find_member(context, organization_id, user_id)
    mark_sso_member(context, organization_id, user_id)
    return member_with_spaces(context, find_member(context, organization_id, user_id))


def _columns_of(body: CreateSamlProvider | UpdateSamlProvider) -> dict[str, Any]:
    """Return what was sent by the name of its column."""
    return {name: getattr(body, name) for name in body.model_fields_set}


def _builder(context: Context, organization: str) -> Callable[[Row], SamlProvider]:
    serializer = TeamSerializer(context, organization)

    def build(row: Row) -> SamlProvider:
        team = find_team(context, organization, row["default_team"]) if row["default_team"] is not None else None
        return serialize_provider(context, row, serializer.team(team) if team is not None else None)

    return build


def _provider(context: Context, organization: str, provider: str) -> SamlProvider:
    return _builder(context, organization)(require_provider(context, organization, provider))
