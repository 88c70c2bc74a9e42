"""Rows of users, organizations and spaces as models of the contract."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from recto.contract.common import Role, Urls, User
from recto.contract.merge_rules import MergeRules
from recto.contract.organizations import DefaultContent, Organization, OrganizationPermissions, Trial
from recto.contract.spaces import Space, SpacePermissions
from recto.server.context import Context
from recto.server.people.access import Standing, allows
from recto.server.storage.database import Row
from recto.urls import Thing

SPACES = """
    SELECT spaces.*,
        (SELECT count(*) FROM comments
            WHERE space = spaces.id AND change_request IS NULL AND resolved_at IS NULL) AS open_comments,
        (SELECT count(*) FROM change_requests WHERE space = spaces.id) AS change_requests,
        (SELECT count(*) FROM change_requests WHERE space = spaces.id AND status = 'open') AS change_requests_open,
        (SELECT count(*) FROM change_requests WHERE space = spaces.id AND status = 'draft') AS change_requests_draft
    FROM spaces
"""
"""Selects spaces with their counters, as :func:`serialize_space` needs them."""


def known_fields(**fields: Any) -> dict[str, Any]:
    """Return the fields that have a value; an answer leaves the others out."""
    return {name: value for name, value in fields.items() if value is not None}


def serialize_user(context: Context, row: Row) -> User:
    """Return a row of ``users`` as a user."""
    return User(
        id=row["id"],
        display_name=row["display_name"],
        urls=Urls(location=context.location(f"/users/{row['id']}")),
        **known_fields(email=row["email"], photo_url=row["photo_url"]),
    )


def users_by_id(context: Context, users: Iterable[str | None]) -> dict[str, User]:
    """Return the users with these ids, by id; unknown ids are skipped."""
    wanted = json.dumps(sorted({user for user in users if user is not None}))
    rows = context.database.all("SELECT * FROM users WHERE id IN (SELECT value FROM json_each(?))", wanted)
    return {row["id"]: serialize_user(context, row) for row in rows}


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
    """Return a row of ``organizations`` as users see it who may join it."""
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
        create_open_api_spec=False,
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


def serialize_space(context: Context, row: Row, role: Role | None) -> Space:
    """Return a row of :data:`SPACES` as a person with this role on it sees it."""
    return Space(
        id=row["id"],
        title=row["title"],
        emoji=row["emoji"],
        visibility=row["visibility"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        edit_mode=row["edit_mode"],
        merge_rules=MergeRules.model_validate_json(row["merge_rules"]),
        urls=space_urls(context, row),
        organization=row["organization"],
        default_level=row["default_level"],
        comments=row["open_comments"],
        change_requests=row["change_requests"],
        change_requests_open=row["change_requests_open"],
        change_requests_draft=row["change_requests_draft"],
        permissions=space_permissions(role, deleted=row["deleted_at"] is not None),
        **known_fields(
            parent=row["parent"], language=row["language"], revision=row["revision"], deleted_at=row["deleted_at"]
        ),
    )


def space_urls(context: Context, row: Row) -> Urls:
    """Return the addresses of a space."""
    app = context.app(Thing(space=row["id"]))
    return Urls(app=app, location=context.location(f"/spaces/{row['id']}"), **known_fields(icon=row["icon"]))


def space_permissions(role: Role | None, *, deleted: bool = False) -> SpacePermissions:
    """Return what a role allows on a space; a deleted space can only be viewed and restored."""
    here = None if deleted else role
    return SpacePermissions(
        view=allows(role, "read"),
        access=allows(here, "read"),
        admin=allows(role, "admin"),
        view_invite_links=allows(here, "admin"),
        edit=allows(here, "edit"),
        trigger_git_sync=allows(here, "create"),
        comment=allows(here, "comment"),
        merge=allows(here, "review"),
        review=allows(here, "review"),
        install_integration=False,
    )
