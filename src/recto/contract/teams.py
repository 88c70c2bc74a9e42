"""Teams: named groups of members of an organization."""

from typing import Annotated, Literal

from pydantic import Field

from recto.contract.common import MAX_NAMED, Ids, Limit, ListPage
from recto.contract.members import Member
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, delete, get, patch, put

TeamRole = Literal["owner", "member"]
"""What a member is in a team; an owner manages it."""

TeamTitle = Annotated[str, Field(min_length=1)]


class TeamPermissions(Model):
    """Permissions of the caller on a team; ``admin`` may rename it and change its members."""

    admin: bool = False
    view: bool = False


class Team(Model):
    """A team; ``members`` and ``spaces`` are counts."""

    object: str = "team"
    id: str
    title: str = ""
    members: int = 0
    spaces: int = 0
    created_at: Instant | None = None
    permissions: TeamPermissions = TeamPermissions.model_construct()


class TeamMembership(Model):
    """What a member is in a team."""

    role: TeamRole | str = "member"


class TeamMemberPermissions(Model):
    """The caller's permissions on a member of a team."""

    view: bool = False


class TeamMember(Model):
    """A member of a team: the member of the ``organization``, and what they are in the ``team``."""

    organization: Member
    team: TeamMembership = TeamMembership.model_construct()
    permissions: TeamMemberPermissions = TeamMemberPermissions.model_construct()


class MemberTeam(Model):
    """A team of a member, and what the member is in it."""

    team: Team
    member: TeamMembership = TeamMembership.model_construct()


class CreateTeam(Body):
    """A new team, of members given by their ids."""

    title: TeamTitle
    members: Ids


class UpdateTeam(Body):
    """Changes to a team."""

    title: TeamTitle


class SetTeamMember(Body):
    """The role of a member in a team; left out it stays, and is ``member`` for a new member."""

    role: TeamRole = LEFT_OUT


class UpdateTeamMembers(Body):
    """Members to add to a team, to remove, and their roles in it, by their ids."""

    add: Ids = LEFT_OUT
    remove: Ids = LEFT_OUT
    memberships: Annotated[dict[str, SetTeamMember], Field(max_length=MAX_NAMED)] = LEFT_OUT


class Teams(Resource):
    """The teams of an organization."""

    @get("/orgs/{organization_id}/teams")
    async def list_teams(
        self,
        organization_id: str,
        page: str | None = None,
        limit: Limit = None,
        owner: str | None = None,
        title: str | None = None,
    ) -> "ListPage[Team]":
        """The teams of an organization: those that the member ``owner`` can manage, those with a title."""
        ...

    @put("/orgs/{organization_id}/teams", status=201)
    async def create_team(self, organization_id: str, body: CreateTeam) -> Team:
        """Make a team."""
        ...

    @get("/orgs/{organization_id}/teams/{team_id}")
    async def get_team(self, organization_id: str, team_id: str) -> Team:
        """A team."""
        ...

    @patch("/orgs/{organization_id}/teams/{team_id}")
    async def update_team(self, organization_id: str, team_id: str, body: UpdateTeam) -> Team:
        """Rename a team."""
        ...

    @delete("/orgs/{organization_id}/teams/{team_id}")
    async def delete_team(self, organization_id: str, team_id: str) -> None:
        """Delete a team; its members stay in the organization."""
        ...

    @get("/orgs/{organization_id}/teams/{team_id}/members")
    async def list_team_members(
        self, organization_id: str, team_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[TeamMember]":
        """The members of a team."""
        ...

    @put("/orgs/{organization_id}/teams/{team_id}/members", status=204)
    async def update_team_members(self, organization_id: str, team_id: str, body: UpdateTeamMembers) -> None:
        """Change the members of a team: add, remove, and give roles, all of it or nothing."""
        ...

    @put("/orgs/{organization_id}/teams/{team_id}/members/{user_id}", status=204)
    async def set_team_member(self, organization_id: str, team_id: str, user_id: str, body: SetTeamMember) -> None:
        """Add a member to a team, or change their role in it."""
        ...

    @delete("/orgs/{organization_id}/teams/{team_id}/members/{user_id}")
    async def remove_team_member(self, organization_id: str, team_id: str, user_id: str) -> None:
        """Remove a member from a team."""
        ...

    @get("/orgs/{organization_id}/members/{user_id}/teams")
    async def list_member_teams(
        self,
        organization_id: str,
        user_id: str,
        page: str | None = None,
        limit: Limit = None,
        title: str | None = None,
    ) -> "ListPage[MemberTeam]":
        """The teams of a member: those with a title."""
        ...
