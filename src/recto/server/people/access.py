"""Permissions: roles, as they come from membership and from the default levels of collections and spaces.

An organization's admin is admin everywhere. Else the nearest default level other than ``inherit`` counts: the space's,
then its collections' from the inside out, then the member's role. What a caller may not see is answered with 404, what
they may see but not do with 403."""

from __future__ import annotations

from typing import Final, get_args

from recto.contract.common import Role
from recto.server.context import Context
from recto.server.http.problems import BadRequest, Forbidden, NotFound
from recto.server.spaces.retention import kept_since
from recto.server.storage.database import Connection, Row

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
    """The permissions of a person in an organization, read for each call."""

    def __init__(self, database: Connection, organization: str, user: str) -> None:
        self._database = database
        self._organization = organization
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
        passed: list[str] = []
        while place["default_level"] == "inherit" and place["parent"] is not None:
            outer: str = place["parent"]
            if outer in self._by_collection:
                return self._note(passed, self._by_collection[outer])
            passed.append(outer)
            row = self._database.one("SELECT parent, default_level FROM collections WHERE id = ?", outer)
            assert row is not None
            place = row
        level: str | None = place["default_level"]
        return self._note(passed, self.role if level == "inherit" else _role_of(level))

    def on_spaces(self) -> dict[str, Role]:
        """Return the roles on the spaces of the organization that may be seen, by their ids."""
        spaces = self._database.all(
            "SELECT id, parent, default_level FROM spaces WHERE organization = ? AND deleted_at IS NULL",
            self._organization,
        )
        return {space["id"]: role for space in spaces if (role := self.on(space)) is not None}

    def _note(self, collections: list[str], role: Role | None) -> Role | None:
        """Remember the role on collections that were looked at."""
        self._by_collection.update(dict.fromkeys(collections, role))
        return role


class VisibleSpaces:
    """Counts the spaces of an organization that its members may see; members with the same role see the same spaces."""

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


def standing_of(context: Context, organization: str, user: str | None = None) -> Standing:
    """Return what the caller, or ``user``, may do throughout an organization."""
    return Standing(context.database, organization, user if user is not None else context.caller)


def space_role(context: Context, space: Row, user: str | None = None) -> Role | None:
    """Return the role of the caller, or of ``user``, on a space, given its row."""
    return standing_of(context, space["organization"], user).on(space)


def _role_of(level: str | None) -> Role | None:
    return next((role for role in ROLES if role == level), None)


def require_organization(context: Context, organization: str, least: Role | None = None) -> Row:
    """Return the organization's row where the caller is a member with at least this role (``None``: any member)."""
    row = context.database.one("SELECT * FROM organizations WHERE id = ?", organization)
    place = standing_of(context, organization)
    if row is None or place.member is None:
        raise NotFound(f"There is no organization {organization}, or you may not see it.")
    if least is not None and not allows(place.role, least):
        raise refusal(least, f"the organization “{row['title']}”")
    return row


def require_collection(context: Context, collection: str, least: Role = "read") -> Row:
    """Return the collection's row where the caller has at least this role on it."""
    row = context.database.one("SELECT * FROM collections WHERE id = ?", collection)
    role = standing_of(context, row["organization"]).on(row) if row else None
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


def find_deleted(context: Context, space: str) -> Row | None:
    """Return the row of a space that is deleted but kept, to those who administrate it; ``None`` to all others."""
    row = context.database.one(
        "SELECT * FROM spaces WHERE id = ? AND deleted_at >= ?", space, kept_since(context.clock)
    )
    return row if row is not None and allows(space_role(context, row), "admin") else None


def require_place(context: Context, organization: str, parent: str | None, field: str = "parent") -> None:
    """Check that the caller may put something into a collection, or with ``None`` at the top of an organization.

    Raises :class:`BadRequest`, which names the ``field``, where the organization has no such collection that the caller
    may see, and :class:`Forbidden` where they may not create anything there.
    """
    place = standing_of(context, organization)
    if parent is None:
        title = context.database.value("SELECT title FROM organizations WHERE id = ?", organization)
        role, where = place.role, f"the organization “{title}”"
    else:
        row = context.database.one("SELECT * FROM collections WHERE id = ? AND organization = ?", parent, organization)
        role = place.on(row) if row else None
        if row is None or role is None:
            raise BadRequest(f"{field}: there is no collection {parent} in this organization")
        where = f"the collection “{row['title']}”"
    if not allows(role, "create"):
        raise refusal("create", where)


def refusal(least: Role, where: str) -> Forbidden:
    """Return the problem of a caller who may see a place but lacks the role ``least`` there."""
    return Forbidden(f"You may not {_DOING[least]} in {where}: it takes the {least} role there.")
