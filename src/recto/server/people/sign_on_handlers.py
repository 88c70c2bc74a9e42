"""Answers about the identity providers through which members sign in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recto.contract.common import ListPage
from recto.contract.members import Member
from recto.contract.operation import DECLARED
from recto.contract.sign_on import CreateSamlProvider, SamlProvider, SignOn, SsoLogins, UpdateSamlProvider
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.registry import handles
from recto.server.people import sign_on as store
from recto.server.people.access import require_organization
from recto.server.people.members import find_member, member_with_spaces
from recto.server.people.sign_on import ACTIVE, login_answer, provider_answer, require_provider
from recto.server.people.teams import TeamAnswers, find_team
from recto.server.storage.database import Row


@handles(SignOn.list_saml_providers)
def list_saml_providers(
    context: Context, organization_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[SamlProvider]:
    """Return the identity providers, the oldest first; takes the role admin."""
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


@handles(SignOn.create_saml_provider, location="/orgs/{organization_id}/saml/{answer.id}")
def create_saml_provider(context: Context, organization_id: str, body: CreateSamlProvider) -> SamlProvider:
    """Make an identity provider; takes the role admin."""
    require_organization(context, organization_id, "admin")
    provider = store.create_provider(context, organization_id, **_given(body))
    return _answer(context, organization_id, provider)


@handles(SignOn.get_saml_provider)
def get_saml_provider(context: Context, organization_id: str, saml_provider_id: str) -> SamlProvider:
    """Return an identity provider; takes the role admin."""
    require_organization(context, organization_id, "admin")
    return _answer(context, organization_id, saml_provider_id)


@handles(SignOn.update_saml_provider)
def update_saml_provider(
    context: Context, organization_id: str, saml_provider_id: str, body: UpdateSamlProvider
) -> SamlProvider:
    """Change an identity provider; takes the role admin."""
    require_organization(context, organization_id, "admin")
    store.update_provider(context, require_provider(context, organization_id, saml_provider_id), **_given(body))
    return _answer(context, organization_id, saml_provider_id)


@handles(SignOn.delete_saml_provider)
def delete_saml_provider(context: Context, organization_id: str, saml_provider_id: str) -> None:
    """Remove an identity provider; takes the role admin."""
    require_organization(context, organization_id, "admin")
    store.delete_provider(context, organization_id, saml_provider_id)


@handles(SignOn.list_sso_logins)
def list_sso_logins(context: Context, organization_id: str) -> SsoLogins:
    """Return the ways to sign in, the oldest first, to any member."""
    require_organization(context, organization_id)
    rows = context.database.all(
        f"SELECT * FROM saml_providers WHERE organization = ? AND {ACTIVE} ORDER BY created_at, id", organization_id
    )
    return SsoLogins(items=tuple(login_answer(context, row) for row in rows))


@handles(SignOn.make_sso_member)
def make_sso_member(context: Context, organization_id: str, user_id: str) -> Member:
    """Have a member sign in through an identity provider; takes the role admin."""
    require_organization(context, organization_id, "admin")
    find_member(context, organization_id, user_id)
    store.make_sso_member(context, organization_id, user_id)
    return member_with_spaces(context, find_member(context, organization_id, user_id))


def _given(body: CreateSamlProvider | UpdateSamlProvider) -> dict[str, Any]:
    """Return what was sent by the name of its column."""
    return {name: getattr(body, name) for name in body.model_fields_set}


def _builder(context: Context, organization: str) -> Callable[[Row], SamlProvider]:
    answers = TeamAnswers(context, organization)

    def build(row: Row) -> SamlProvider:
        team = find_team(context, organization, row["default_team"]) if row["default_team"] is not None else None
        return provider_answer(context, row, answers.team(team) if team is not None else None)

    return build


def _answer(context: Context, organization: str, provider: str) -> SamlProvider:
    return _builder(context, organization)(require_provider(context, organization, provider))
