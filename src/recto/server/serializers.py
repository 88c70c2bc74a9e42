"""Rows of users and spaces as models of the contract."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from recto.contract.common import Role, Urls, User
from recto.contract.merge_rules import MergeRules
from recto.contract.spaces import GitSync, Space, SpacePermissions
from recto.server.context import Context
from recto.server.people.access import allows
from recto.server.storage.database import Row
from recto.urls import Thing

SPACES = """
    SELECT spaces.*,
        (SELECT count(*) FROM comments
            WHERE space = spaces.id AND change_request IS NULL AND resolved_at IS NULL) AS open_comments,
        (SELECT count(*) FROM change_requests WHERE space = spaces.id) AS change_requests,
        (SELECT count(*) FROM change_requests WHERE space = spaces.id AND status = 'open') AS change_requests_open,
        (SELECT count(*) FROM change_requests WHERE space = spaces.id AND status = 'draft') AS change_requests_draft,
        (SELECT json_object('repoName', repo_name, 'installationProvider', provider, 'url', url,
                'updatedAt', updated_at, 'installationId', space, 'installationStatus', 'active')
            FROM git_syncs WHERE space = spaces.id) AS git_sync
    FROM spaces
"""
"""Selects spaces with their counters, as :func:`serialize_space` needs them."""


def known_fields(**fields: Any) -> dict[str, Any]:
    """Return the fields that have a value; a response leaves the others out."""
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
        comments_updated_at=row["comments_updated_at"] or row["created_at"],
        change_requests=row["change_requests"],
        change_requests_open=row["change_requests_open"],
        change_requests_draft=row["change_requests_draft"],
        permissions=space_permissions(role, deleted=row["deleted_at"] is not None),
        **known_fields(
            parent=row["parent"],
            language=row["language"],
            git_sync=read_git_sync(row["git_sync"]),
            revision=row["revision"],
            deleted_at=row["deleted_at"],
        ),
    )


def read_git_sync(stored: str | None) -> GitSync | None:
    """Return the repository of a space, from JSON; ``None`` where it has none."""
    return None if stored is None else GitSync.model_validate(known_fields(**json.loads(stored)))


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
