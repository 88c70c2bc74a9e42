"""Answers about the members of organizations."""

from __future__ import annotations

import json

from recto.contract.common import ListPage, Order, Role
from recto.contract.members import Member, Members, MemberSort, MemberSpace, UpdateMember
from recto.contract.operation import DECLARED
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.registry import handles
from recto.server.people import members as store
from recto.server.people.access import VisibleSpaces, require_organization, standing
from recto.server.people.answers import MEMBER_COLUMNS, SPACES, member_answer, space_answer
from recto.server.people.members import find_member, member_with_spaces, require_member

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
        build=lambda row: member_answer(
            context, row, 0 if row["disabled"] else visible.count(row["user"], row["role"])
        ),
        page=page,
        limit=limit,
        order=order,
        asked=(organization_id, role, search),
    )


@handles(Members.get_member)
def get_member(context: Context, organization_id: str, user_id: str) -> Member:
    """Return a member: oneself, or with the role read anyone."""
    return member_with_spaces(context, require_member(context, organization_id, user_id))


@handles(Members.update_member)
def update_member(context: Context, organization_id: str, user_id: str, body: UpdateMember) -> Member:
    """Give a member another role; takes the role admin, and leaves the organization at least one admin."""
    require_organization(context, organization_id, "admin")
    find_member(context, organization_id, user_id)
    if "role" in body.model_fields_set:
        store.change_role(context, organization_id, user_id, body.role)
    return get_member(context, organization_id, user_id)


@handles(Members.delete_member)
def delete_member(context: Context, organization_id: str, user_id: str) -> None:
    """Remove a member, which takes the role admin, or leave; the organization keeps at least one admin."""
    require_organization(context, organization_id, None if user_id == context.caller else "admin")
    store.remove_member(context, organization_id, user_id)


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
    own, theirs = standing(context, organization_id), standing(context, organization_id, user_id)
    rows = context.database.all(
        "SELECT id, parent, default_level FROM spaces WHERE organization = ? AND deleted_at IS NULL", organization_id
    )
    permissions = {row["id"]: role for row in rows if own.on(row) is not None and (role := theirs.on(row)) is not None}
    return list_rows(
        context.database,
        f"{SPACES} WHERE id IN (SELECT value FROM json_each(:visible))",
        {"visible": json.dumps(list(permissions))},
        keys=("created_at", "id"),
        build=lambda row: MemberSpace(permission=permissions[row["id"]], space=space_answer(context, row, own.on(row))),
        page=page,
        limit=limit,
        order=order,
        asked=(organization_id, user_id),
    )
