"""Makes and keeps people and places: users, organizations, members, collections and the rows of spaces."""

from __future__ import annotations

import json

from recto.contract.common import Role
from recto.server.context import Context
from recto.server.spaces.positions import next_position
from recto.server.spaces.retention import UNSWEPT
from recto.server.storage.database import Connection


def recall(database: Connection, key: str) -> str | None:
    """Return what the workspace remembers under a key."""
    value: str | None = database.value("SELECT value FROM workspace WHERE key = ?", key)
    return value


def remember(database: Connection, key: str, value: str) -> None:
    """Have the workspace remember a value under a key, in place of an earlier one."""
    database.execute("INSERT OR REPLACE INTO workspace (key, value) VALUES (?, ?)", key, value)


def create_user(context: Context, name: str, email: str | None = None, photo_url: str | None = None) -> str:
    """Make a user and return their id."""
    user = context.ids.fresh()
    context.database.insert(
        "users", id=user, display_name=name, email=email, photo_url=photo_url, created_at=context.stamp()
    )
    return user


def create_organization(context: Context, title: str) -> str:
    """Make an organization that nobody belongs to yet and return its id."""
    organization = context.ids.fresh()
    context.database.insert(
        "organizations",
        id=organization,
        title=title,
        created_at=context.stamp(),
        type="community",
        use_case="docsSite",
        plan="community_2024",
        merge_rules=json.dumps({"type": "none"}),
    )
    return organization


def delete_organization(context: Context, organization: str) -> None:
    """Remove an organization and all that it holds; the content that its spaces shared by hash is swept later."""
    context.database.execute("DELETE FROM organizations WHERE id = ?", organization)
    remember(context.database, UNSWEPT, "yes")


def add_member(context: Context, organization: str, user: str, role: Role | None) -> None:
    """Make a user a member with a role, or a guest with ``None``; a member gets the role in place of theirs."""
    context.database.execute(
        "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (organization, user) DO UPDATE SET role = excluded.role",
        organization,
        user,
        role,
        context.stamp(),
    )


def create_collection(
    context: Context, organization: str, title: str, parent: str | None = None, description: str | None = None
) -> str:
    """Make a collection after its siblings and return its id."""
    collection = context.ids.fresh()
    context.database.insert(
        "collections",
        id=collection,
        organization=organization,
        parent=parent,
        title=title,
        description=description,
        default_level="inherit",
        position=next_position(context.database, organization, parent),
        created_at=context.stamp(),
    )
    return collection
