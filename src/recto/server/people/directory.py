"""Records of people and places: users, organizations, members, collections and spaces."""

from __future__ import annotations

import json

from recto.contract.common import Role
from recto.server.context import Context
from recto.server.http.problems import Conflict, NotFound
from recto.server.spaces.positions import next_position
from recto.server.spaces.retention import UNSWEPT
from recto.server.storage.database import Connection, Row


def recall(database: Connection, key: str) -> str | None:
    """Return the value that the workspace stores under a key."""
    value: str | None = database.value("SELECT value FROM workspace WHERE key = ?", key)
    return value


def remember(database: Connection, key: str, value: str) -> None:
    """Store a value of the workspace under a key, replacing the earlier value."""
    database.execute("INSERT OR REPLACE INTO workspace (key, value) VALUES (?, ?)", key, value)


def create_user(context: Context, name: str, email: str | None = None, photo_url: str | None = None) -> str:
    """Make a user and return their id."""
    user = context.ids.fresh()
    context.database.insert(
        "users", id=user, display_name=name, email=email, photo_url=photo_url, created_at=context.stamp()
    )
    return user


def rename_user(database: Connection, user: str, name: str, email: str | None) -> None:
    """Change the name and the e-mail address of a user."""
    database.update("users", user, display_name=name, email=email)


def create_organization(context: Context, title: str) -> str:
    """Make an organization without members and return its id."""
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


_PEOPLE = """
    SELECT id, display_name, email FROM users
    WHERE id IN (SELECT user FROM members WHERE NOT disabled) AND {condition} ORDER BY rowid
"""


def find_people(database: Connection, meant: str) -> list[Row]:
    """Return the members of the workspace who have this id or e-mail address, else those of this name.

    Each has ``id``, ``display_name`` and ``email``; case does not count.
    """
    for condition in ("id = ?", "fold(email) = fold(?)", "fold(display_name) = fold(?)"):
        if found := database.all(_PEOPLE.format(condition=condition), meant):
            return found
    return []


def add_person(context: Context, name: str, email: str, role: Role, organization: str | None = None) -> str:
    """Make a person a member of an organization, the owner's own where none is named; return their id.

    Raises :class:`NotFound` where there is no such organization, :class:`Conflict` for a member.
    """
    place = organization or own_organization(context)
    if place is None or context.database.value("SELECT id FROM organizations WHERE id = ?", place) is None:
        raise NotFound(f"There is no organization {place}." if place else "You have no organization to add people to.")
    known: str | None = context.database.value("SELECT id FROM users WHERE fold(email) = fold(?)", email)
    if known is not None and find_people(context.database, known):
        raise Conflict(f"{email} is a member already.")
    user = known or create_user(context, name, email)
    add_member(context, place, user, role)
    return user


def own_organization(context: Context) -> str | None:
    """Return the first organization that the caller administrates; in the owner's workspace, the owner's."""
    first: str | None = context.database.value(
        "SELECT organization FROM members JOIN organizations ON organizations.id = organization"
        " WHERE user = ? AND role = 'admin' AND NOT disabled ORDER BY organizations.rowid",
        context.caller,
    )
    return first
