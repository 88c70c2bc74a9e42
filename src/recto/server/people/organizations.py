"""The caller and their organizations, as models of the contract."""

from __future__ import annotations

import json

from recto.contract.common import ListPage, Urls, User
from recto.contract.merge_rules import MergeRules
from recto.contract.operation import DECLARED
from recto.contract.organizations import (
    DefaultContent,
    Organization,
    OrganizationPermissions,
    Organizations,
    Trial,
)
from recto.contract.users import Users
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import NotFound
from recto.server.http.registry import handles
from recto.server.people.access import Standing, allows, require_organization, standing_of
from recto.server.serializers import known_fields, serialize_user
from recto.server.storage.database import Row
from recto.urls import Thing

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


def serialize_organization(context: Context, row: Row, standing: Standing) -> Organization:
    """Return a row of ``organizations`` as the member with this standing sees it."""
    return Organization(
        id=row["id"],
        title=row["title"],
        created_at=row["created_at"],
        email_domains=tuple(json.loads(row["email_domains"])),
        type=row["type"],
        use_case=row["use_case"],
        plan=row["plan"],
        default_role=row["default_role"],
        sso=bool(row["sso"]),
        ai=bool(row["ai"]),
        invite_links=bool(row["invite_links"]),
        merge_rules=MergeRules.model_validate_json(row["merge_rules"]),
        urls=_organization_urls(context, row),
        trial=Trial(status="notapplicable", count=0),
        permissions=_organization_permissions(context, row, standing),
        **known_fields(hostname=row["hostname"], default_content=_default_content(context, row, standing)),
    )


def serialize_public_organization(context: Context, row: Row, standing: Standing) -> Organization:
    """Return a row of ``organizations`` as users who may join it see it."""
    return Organization(
        id=row["id"],
        title=row["title"],
        created_at=row["created_at"],
        email_domains=(),
        type=row["type"],
        plan=row["plan"],
        invite_links=False,
        merge_rules=MergeRules(type="none"),
        urls=_organization_urls(context, row),
        trial=Trial(status="notapplicable", count=0),
        permissions=_organization_permissions(context, row, standing),
    )


def _organization_urls(context: Context, row: Row) -> Urls:
    app = context.app(Thing(organization=row["id"]))
    return Urls(app=app, location=context.location(f"/orgs/{row['id']}"), **known_fields(logo=row["logo"]))


def _organization_permissions(context: Context, row: Row, standing: Standing) -> OrganizationPermissions:
    role = standing.role
    owned = context.database.one(
        "SELECT 1 FROM team_members WHERE organization = ? AND user = ? AND role = 'owner'", row["id"], context.caller
    )
    return OrganizationPermissions(
        view=standing.member is not None,
        access=standing.member is not None,
        admin=allows(role, "admin"),
        own_team=allows(role, "admin") or owned is not None,
        create_content=allows(role, "create"),
        create_open_api_spec=allows(role, "create"),
        ingest_conversations=False,
        view_billing=False,
        list_members=allows(role, "read"),
        list_teams=allows(role, "read"),
        list_integrations=False,
        list_installations=False,
        install_integration=False,
    )


def _default_content(context: Context, row: Row, standing: Standing) -> DefaultContent | None:
    """Return what an organization shows first, unless it has gone, or is content that the caller may not see."""
    if row["default_site"] is not None:
        return DefaultContent(type="site", site=row["default_site"])
    for kind, table in (("space", "spaces"), ("collection", "collections")):
        found = row[f"default_{kind}"]
        place = context.database.one(f"SELECT * FROM {table} WHERE id = ?", found) if found is not None else None
        if place is None or place["organization"] != row["id"] or place.get("deleted_at") is not None:
            continue
        if standing.on(place) is not None:
            return DefaultContent.model_validate({"type": kind, kind: found})
    return None
