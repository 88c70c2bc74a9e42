"""Answers about the members of organizations."""

from __future__ import annotations

from recto.contract.common import ListPage, Order, Role
from recto.contract.members import Member, Members, MemberSort
from recto.contract.operation import DECLARED
from recto.server.access import VisibleSpaces, require_organization
from recto.server.answers import MEMBER_COLUMNS, member_answer
from recto.server.context import Context
from recto.server.paging import list_rows
from recto.server.registry import handles

_MEMBERS = """
    SELECT {columns}, {key} AS sort_key FROM members JOIN users ON users.id = members.user
    WHERE members.organization = :organization {filters}
"""

_SORT_KEYS = {
    "joinedAt": "members.joined_at",
    "lastSeenAt": "members.last_seen_at",
    "displayName": "fold(users.display_name)",
    "email": "fold(coalesce(users.email, ''))",
    "role": (
        "CASE members.role WHEN 'admin' THEN 6 WHEN 'create' THEN 5 WHEN 'review' THEN 4 WHEN 'edit' THEN 3"
        " WHEN 'comment' THEN 2 WHEN 'read' THEN 1 ELSE 0 END"
    ),
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
        build=lambda row: member_answer(row, 0 if row["disabled"] else visible.count(row["user"], row["role"])),
        page=page,
        limit=limit,
        order=order,
    )
