"""Members: the people of an organization."""

from __future__ import annotations

from typing import Literal

from recto.contract.common import Limit, ListPage, Order, Role, User
from recto.contract.model import Instant, Model
from recto.contract.operation import Resource, get

MemberSort = Literal["joinedAt", "lastSeenAt", "displayName", "email", "role"]
"""By what members are sorted; with ``lastSeenAt`` only active members are listed."""


class Member(Model):
    """A person in an organization. A ``role`` of ``None`` is a guest."""

    object: str = "member"
    id: str
    role: Role | str | None = None
    user: User | None = None
    disabled: bool = False
    joined_at: Instant | None = None
    last_seen_at: Instant | None = None
    sso: bool = False
    spaces: int = 0
    teams: int = 0


class Members(Resource):
    """The members of an organization."""

    @get("/orgs/{organization_id}/members")
    async def list_members(
        self,
        organization_id: str,
        page: str | None = None,
        limit: Limit = None,
        order: Order = "desc",
        role: Literal[Role, "guest"] | None = None,
        search: str | None = None,
        sort: MemberSort = "joinedAt",
    ) -> ListPage[Member]:
        """The members of an organization; ``search`` looks in display names and e-mail addresses."""
        ...
