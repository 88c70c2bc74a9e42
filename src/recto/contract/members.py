"""Members: the people of an organization."""

from typing import Literal

from recto.contract.common import Limit, ListPage, Order, Role, User
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, delete, get, patch
from recto.contract.spaces import Space

MemberSort = Literal["joinedAt", "lastSeenAt", "name"]
"""By what members are sorted; with ``lastSeenAt`` only active members are listed. Older services lack ``name``."""


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
    sites: int = 0


class UpdateMember(Body):
    """Changes to a member. A ``role`` of ``None`` makes a guest of them."""

    role: Role | None = LEFT_OUT


class MemberSpace(Model):
    """A space that a member may see, and what they may do there."""

    permission: Role | str
    space: Space


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
    ) -> "ListPage[Member]":
        """The members of an organization; ``search`` looks in display names and e-mail addresses."""
        ...

    @get("/orgs/{organization_id}/members/{user_id}")
    async def get_member(self, organization_id: str, user_id: str) -> Member:
        """A member."""
        ...

    @patch("/orgs/{organization_id}/members/{user_id}")
    async def update_member(self, organization_id: str, user_id: str, body: UpdateMember) -> Member:
        """Change the role of a member."""
        ...

    @delete("/orgs/{organization_id}/members/{user_id}")
    async def delete_member(self, organization_id: str, user_id: str) -> None:
        """Remove a member; what they wrote stays."""
        ...

    @get("/orgs/{organization_id}/members/{user_id}/spaces")
    async def list_member_spaces(
        self,
        organization_id: str,
        user_id: str,
        page: str | None = None,
        limit: Limit = None,
        order: Order = "desc",
    ) -> "ListPage[MemberSpace]":
        """The spaces that a member may see, by when they were made, and what the member may do in each."""
        ...
