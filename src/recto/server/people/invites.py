"""Makes, changes and finds the invites of an organization, and tells which of them add nothing to the others."""

from __future__ import annotations

from typing import Any

from recto.contract.common import Role
from recto.contract.invites import Invite
from recto.server.context import Context
from recto.server.people.access import allows
from recto.server.people.answers import known
from recto.server.storage.database import Row

INVITES = """
    SELECT link_invites.*, link_invites.rowid AS sequence FROM link_invites
    LEFT JOIN spaces ON spaces.id = link_invites.space
    LEFT JOIN collections ON collections.id = link_invites.collection
    WHERE link_invites.organization = :organization
        AND (link_invites.space IS NULL
            OR (spaces.organization = link_invites.organization AND spaces.deleted_at IS NULL))
        AND (link_invites.collection IS NULL OR collections.organization = link_invites.organization)
"""
"""Selects the invites of ``:organization``, without those to what has been deleted or has gone elsewhere."""


def create_invite(
    context: Context, organization: str, role: Role, *, space: str | None = None, collection: str | None = None
) -> str:
    """Make an invite to the organization, or to a space or collection of it, and return its id."""
    invite = context.ids.fresh()
    context.database.insert(
        "link_invites",
        id=invite,
        organization=organization,
        space=space,
        collection=collection,
        role=role,
        created_at=context.stamp(),
    )
    return invite


def update_invite(context: Context, invite: str, role: Role, space: str | None, collection: str | None) -> None:
    """Have an invite give another role, there or elsewhere."""
    context.database.update("link_invites", invite, role=role, space=space, collection=collection)


def delete_invite(context: Context, invite: str) -> None:
    """Take an invite back."""
    context.database.execute("DELETE FROM link_invites WHERE id = ?", invite)


def find_invite(context: Context, organization: str, invite: str) -> Row | None:
    """Return a row of :data:`INVITES`, or ``None``."""
    return context.database.one(
        f"{INVITES} AND link_invites.id = :invite", {"organization": organization, "invite": invite}
    )


class InviteAnswers:
    """Builds the answers about the invites of one organization."""

    def __init__(self, context: Context, organization: str) -> None:
        database = context.database
        # Of those that give one role on one thing the oldest stands for all.
        self._oldest: dict[str | None, dict[Role, Row]] = {}
        for row in sorted(database.all(INVITES, {"organization": organization}), key=_age):
            self._oldest.setdefault(_target(row), {}).setdefault(row["role"], row)
        self._collections = _by_id(
            database.all("SELECT id, parent, default_level FROM collections WHERE organization = ?", organization)
        )
        self._spaces = _by_id(
            database.all(
                "SELECT id, parent, default_level FROM spaces WHERE id IN"
                " (SELECT space FROM link_invites WHERE organization = ?)",
                organization,
            )
        )

    def invite(self, row: Row) -> Invite:
        """Return a row of :data:`INVITES` as an invite."""
        where = known(space=row["space"], collection=row["collection"])
        gives: dict[str, Any] = {"level" if where else "role": row["role"]}
        return Invite(id=row["id"], redundant=self._is_redundant(row), **gives, **where)

    def _is_redundant(self, row: Row) -> bool:
        """Whether another invite gives as much or more; of those that give the same to the same the oldest counts."""
        places = self._places(row)

        def covers(other: Row) -> bool:
            given = _given(other, places)
            if other["id"] == row["id"] or given is None or not allows(given, row["role"]):
                return False
            same = given == row["role"] and _target(other) == _target(row)
            return not same or _age(other) < _age(row)

        targets = [None, *dict.fromkeys(place["id"] for place in places)]
        return any(covers(other) for target in targets for other in self._oldest.get(target, {}).values())

    def _places(self, row: Row) -> list[Row]:
        """Return what an invite is to and the collections around it, from the inside out; none for an organization."""
        place = self._spaces.get(row["space"]) or self._collections.get(row["collection"])
        places: list[Row] = []
        while place is not None:
            places.append(place)
            place = self._collections.get(place["parent"])
        return places


def _given(invite: Row, places: list[Row]) -> Role | None:
    """Return what an invite gives on the innermost of these places, or, without places, in the organization."""
    role: Role = invite["role"]
    target = _target(invite)
    if target is not None:
        return role if any(place["id"] == target for place in places) else None
    if role == "admin":
        return role
    level = next((place["default_level"] for place in places if place["default_level"] != "inherit"), role)
    given: Role | None = level
    return given


def _target(invite: Row) -> str | None:
    """Return the id of the space or collection to which an invite is; ``None`` for the organization."""
    target: str | None = invite["space"] or invite["collection"]
    return target


def _age(row: Row) -> tuple[str, int]:
    return row["created_at"], row["sequence"]


def _by_id(rows: list[Row]) -> dict[str | None, Row]:
    return {row["id"]: row for row in rows}
