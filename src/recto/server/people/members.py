"""Members of organizations."""

from __future__ import annotations

import json

from recto.contract.common import ListPage, Order, Role
from recto.contract.members import Member, Members, MemberSort, MemberSpace, UpdateMember
from recto.contract.operation import DECLARED
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import NotFound, PreconditionFailed
from recto.server.http.registry import handles
from recto.server.people.access import VisibleSpaces, allows, refusal, require_organization, standing_of
from recto.server.serializers import SPACES, known_fields, serialize_space, serialize_user
from recto.server.storage.database import Row

MEMBER_COLUMNS = """
    users.*, members.*,
    (SELECT count(*) FROM team_members
        WHERE organization = members.organization AND user = members.user) AS teams,
    (SELECT count(*) FROM sites
        WHERE organization = members.organization AND members.role IS NOT NULL AND NOT members.disabled) AS sites
"""
"""What :func:`serialize_member` needs of ``members`` joined with ``users``."""


def serialize_member(context: Context, row: Row, visible: VisibleSpaces) -> Member:
    """Return a row of :data:`MEMBER_COLUMNS` as a member; a disabled member sees no space."""
    return Member(
        id=row["id"],
        role=row["role"],
        user=serialize_user(context, row),
        disabled=bool(row["disabled"]),
        joined_at=row["joined_at"],
        sso=bool(row["sso"]),
        spaces=0 if row["disabled"] else visible.count(row["user"], row["role"]),
        teams=row["teams"],
        sites=row["sites"],
        **known_fields(last_seen_at=row["last_seen_at"]),
    )


def find_member(context: Context, organization: str, user: str) -> Row:
    """Return a row of :data:`MEMBER_COLUMNS`; raises :class:`NotFound` for anyone else."""
    member = _member(context, organization, user)
    if member is None:
        raise NotFound(f"There is no member {user} in this organization.")
    return member


def require_member(context: Context, organization: str, user: str) -> Row:
    """Return the member's row where the caller may see them: any member themselves, others with the read role.

    Raises :class:`NotFound` for an organization that the caller may not see, and for a user who is not a member.
    """
    row = require_organization(context, organization)
    if user != context.caller and not allows(standing_of(context, organization).role, "read"):
        raise refusal("read", f"the organization “{row['title']}”")
    return find_member(context, organization, user)


def member_with_spaces(context: Context, row: Row) -> Member:
    """Return a single row of :data:`MEMBER_COLUMNS` as a member."""
    return serialize_member(context, row, VisibleSpaces(context, row["organization"]))


def change_role(context: Context, organization: str, user: str, role: Role | None) -> None:
    """Set the role of a member; ``None`` makes them a guest.

    Raises :class:`PreconditionFailed` where the organization would be left without an admin.
    """
    if role != "admin":
        _keep_an_admin(context, organization, user, "may not get another role")
    context.database.execute(
        "UPDATE members SET role = ? WHERE organization = ? AND user = ?", role, organization, user
    )


def remove_member(context: Context, organization: str, user: str) -> None:
    """Remove a member, who leaves their teams with it; there may be none.

    Raises :class:`PreconditionFailed` where the organization would be left without an admin.
    """
    _keep_an_admin(context, organization, user, "may not leave")
    context.database.execute("DELETE FROM members WHERE organization = ? AND user = ?", organization, user)


def _member(context: Context, organization: str, user: str) -> Row | None:
    return context.database.one(
        f"SELECT {MEMBER_COLUMNS} FROM members JOIN users ON users.id = members.user"
        " WHERE members.organization = ? AND members.user = ?",
        organization,
        user,
    )


def _keep_an_admin(context: Context, organization: str, user: str, what: str) -> None:
    """Raise :class:`PreconditionFailed` where ``user`` is the last admin who is not disabled."""
    admins = context.database.column(
        "SELECT user FROM members WHERE organization = ? AND role = 'admin' AND NOT disabled LIMIT 2", organization
    )
    if admins == [user]:
        raise PreconditionFailed(f"The last admin {what}: make another member an admin first.")


_MEMBERS = """
    SELECT {columns}, {key} AS sort_key FROM members JOIN users ON users.id = members.user
    WHERE members.organization = :organization {filters}
"""

_SORT_KEYS = {
    "joinedAt": "members.joined_at",
    "lastSeenAt": "members.last_seen_at",
    "name": "fold(users.display_name)",
}


@handles(Members.list_members)
def list_members(
    context: Context,
    organization_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    order: Order = DECLARED,
    role: Role | str | None = DECLARED,
    search: str | None = DECLARED,
    sort: MemberSort = DECLARED,
) -> ListPage[Member]:
    """Return the members that the filters leave, sorted; by ``lastSeenAt`` only those who have been active."""
    require_organization(context, organization_id, "read")
    filters = []
    if role is not None:
        filters.append("AND members.role IS NULL" if role == "guest" else "AND members.role = :role")
    if search:
        filters.append(
            "AND (instr(fold(users.display_name), fold(:search)) OR instr(fold(users.email), fold(:search)))"
        )
    if sort == "lastSeenAt":
        filters.append("AND members.last_seen_at IS NOT NULL AND NOT members.disabled")
    visible = VisibleSpaces(context, organization_id)
    return list_rows(
        context.database,
        _MEMBERS.format(columns=MEMBER_COLUMNS, key=_SORT_KEYS[sort], filters=" ".join(filters)),
        {"organization": organization_id, "role": role, "search": search},
        keys=("sort_key", "id"),
        build=lambda row: serialize_member(context, row, visible),
        page=page,
        limit=limit,
        order=order,
        asked=(organization_id, role, search),
    )


@handles(Members.get_member)
def get_member(context: Context, organization_id: str, user_id: str) -> Member:
    """Return a member: the caller, or any member with the read role."""
    return member_with_spaces(context, require_member(context, organization_id, user_id))


@handles(Members.update_member)
def update_member(context: Context, organization_id: str, user_id: str, body: UpdateMember) -> Member:
    """Change the role of a member; requires the admin role, and leaves the organization an admin."""
    require_organization(context, organization_id, "admin")
    find_member(context, organization_id, user_id)
    if "role" in body.model_fields_set:
        change_role(context, organization_id, user_id, body.role)
    return get_member(context, organization_id, user_id)


@handles(Members.delete_member)
def delete_member(context: Context, organization_id: str, user_id: str) -> None:
    """Remove a member, which requires the admin role, or leave; the organization keeps an admin."""
    require_organization(context, organization_id, None if user_id == context.caller else "admin")
    remove_member(context, organization_id, user_id)


@handles(Members.list_member_spaces)
def list_member_spaces(
    context: Context,
    organization_id: str,
    user_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    order: Order = DECLARED,
) -> ListPage[MemberSpace]:
    """Return the spaces that both the member and the caller may see, by when they were made."""
    require_member(context, organization_id, user_id)
    own = standing_of(context, organization_id).on_spaces()
    theirs = standing_of(context, organization_id, user_id).on_spaces()
    permissions = {space: role for space, role in theirs.items() if space in own}
    return list_rows(
        context.database,
        f"{SPACES} WHERE id IN (SELECT value FROM json_each(:visible))",
        {"visible": json.dumps(list(permissions))},
        keys=("created_at", "id"),
        build=lambda row: MemberSpace(
            permission=permissions[row["id"]], space=serialize_space(context, row, own[row["id"]])
        ),
        page=page,
        limit=limit,
        order=order,
        asked=(organization_id, user_id),
    )
