"""Finds the person whom somebody means, among those who belong to an organization of the workspace."""

from __future__ import annotations

from recto.contract.common import Role
from recto.server.context import Context
from recto.server.http.problems import Conflict, NotFound
from recto.server.people import directory
from recto.server.storage.database import Connection, Row

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

    Raises :class:`NotFound` where there is no such organization, :class:`Conflict` where they are a member of one.
    """
    place = organization or own_organization(context)
    if place is None or context.database.value("SELECT id FROM organizations WHERE id = ?", place) is None:
        raise NotFound(f"There is no organization {place}." if place else "You have no organization to put people in.")
    known: str | None = context.database.value("SELECT id FROM users WHERE fold(email) = fold(?)", email)
    if known is not None and find_people(context.database, known):
        raise Conflict(f"{email} is a member already.")
    user = known or directory.create_user(context, name, email)
    directory.add_member(context, place, user, role)
    return user


def own_organization(context: Context) -> str | None:
    """Return the first organization that the caller administrates; in a workspace of one's own, one's own."""
    first: str | None = context.database.value(
        "SELECT organization FROM members JOIN organizations ON organizations.id = organization"
        " WHERE user = ? AND role = 'admin' AND NOT disabled ORDER BY organizations.rowid",
        context.caller,
    )
    return first
