"""Who may do what: roles, as they come from membership and from the default levels of collections and spaces.

An organization's admin is admin everywhere. Else the nearest default level other than ``inherit`` counts: the space's,
then its collections' from the inside out, then the member's role. What one may not see answers 404, what one may see
but not do answers 403.
"""

from __future__ import annotations

from typing import Final, get_args

from recto.contract.common import Role
from recto.server.context import Context
from recto.server.database import Connection, Row
from recto.server.problems import Forbidden, NotFound

ROLES: Final[tuple[Role, ...]] = get_args(Role)
"""The roles, most first."""

_RANK: Final[dict[str | None, int]] = {None: 0} | {role: len(ROLES) - at for at, role in enumerate(ROLES)}

_DOING: Final[dict[Role, str]] = {
    "read": "see this",
    "comment": "comment",
    "edit": "edit",
    "review": "review and merge",
    "create": "create content",
    "admin": "administrate",
}


def allows(role: Role | None, least: Role) -> bool:
    """Return whether ``role`` is at least ``least``."""
    return _RANK[role] >= _RANK[least]


class Standing:
    """What one person may do throughout one organization; made anew for each call."""

    def __init__(self, database: Connection, organization: str, user: str) -> None:
        self._database = database
        self._by_collection: dict[str, Role | None] = {}
        self.member = database.one(
            "SELECT * FROM members WHERE organization = ? AND user = ? AND NOT disabled", organization, user
        )
        """The row of the membership; ``None`` for a stranger and for a disabled member."""
        self.role: Role | None = self.member["role"] if self.member else None
        """The role in the organization; ``None`` for a guest and for a stranger."""

    def on(self, place: Row) -> Role | None:
        """Return the role on a collection or space, given its row or its ``default_level`` and ``parent``."""
        if self.member is None or self.role == "admin":
            return self.role
        level: str | None = place["default_level"]
        if level != "inherit":
            return _as_role(level)
        return self.role if place["parent"] is None else self._on_collection(place["parent"])

    def _on_collection(self, collection: str) -> Role | None:
        if collection not in self._by_collection:
            row = self._database.one("SELECT parent, default_level FROM collections WHERE id = ?", collection)
            self._by_collection[collection] = self.on(row) if row else None
        return self._by_collection[collection]


class VisibleSpaces:
    """Counts the spaces of an organization that its members may see; members of one role see the same ones."""

    def __init__(self, context: Context, organization: str) -> None:
        self._database = context.database
        self._organization = organization
        self._spaces = context.database.all(
            "SELECT parent, default_level FROM spaces WHERE organization = ? AND deleted_at IS NULL", organization
        )
        self._counts: dict[str | None, int] = {}

    def count(self, user: str, role: str | None) -> int:
        """Return how many spaces a member with this role may see."""
        if role not in self._counts:
            standing = Standing(self._database, self._organization, user)
            self._counts[role] = sum(standing.on(space) is not None for space in self._spaces)
        return self._counts[role]


def standing(context: Context, organization: str, user: str | None = None) -> Standing:
    """Return what the caller, or ``user``, may do throughout an organization."""
    return Standing(context.database, organization, user if user is not None else context.caller)


def space_role(context: Context, space: Row, user: str | None = None) -> Role | None:
    """Return the role of the caller, or of ``user``, on a space, given its row."""
    return standing(context, space["organization"], user).on(space)


def _as_role(level: str | None) -> Role | None:
    return next((role for role in ROLES if role == level), None)


def require_organization(context: Context, organization: str, least: Role | None = None) -> Row:
    """Return the organization's row where the caller is a member with at least this role (``None``: any member)."""
    row = context.database.one("SELECT * FROM organizations WHERE id = ?", organization)
    place = standing(context, organization)
    if row is None or place.member is None:
        raise NotFound(f"There is no organization {organization}, or you may not see it.")
    if least is not None and not allows(place.role, least):
        raise refusal(least, f"the organization “{row['title']}”")
    return row


def require_collection(context: Context, collection: str, least: Role = "read") -> Row:
    """Return the collection's row where the caller has at least this role on it."""
    row = context.database.one("SELECT * FROM collections WHERE id = ?", collection)
    role = standing(context, row["organization"]).on(row) if row else None
    if row is None or role is None:
        raise NotFound(f"There is no collection {collection}, or you may not see it.")
    if not allows(role, least):
        raise refusal(least, f"the collection “{row['title']}”")
    return row


def require(context: Context, space: str, least: Role = "read") -> Row:
    """Return the space's row where the caller has at least this role on it and it is not deleted.

    Raises :class:`NotFound` where the caller may not see it, :class:`Forbidden` where they may see it only.
    """
    row = context.database.one("SELECT * FROM spaces WHERE id = ? AND deleted_at IS NULL", space)
    role = space_role(context, row) if row else None
    if row is None or role is None:
        raise NotFound(f"There is no space {space}, or you may not see it.")
    if not allows(role, least):
        raise refusal(least, f"the space “{row['title']}”")
    return row


def refusal(least: Role, where: str) -> Forbidden:
    """Return the problem of a caller who may see a place but not do there what takes the role ``least``."""
    return Forbidden(f"You may not {_DOING[least]} in {where}: it takes the role {least} there.")
