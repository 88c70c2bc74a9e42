"""Answers about teams and who is in them."""

from __future__ import annotations

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.teams import (
    CreateTeam,
    MemberTeam,
    SetTeamMember,
    Team,
    TeamMember,
    TeamMemberPermissions,
    TeamMembership,
    Teams,
    UpdateTeam,
    UpdateTeamMembers,
)
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.registry import handles
from recto.server.people import teams as store
from recto.server.people.access import VisibleSpaces, allows, require_organization, standing
from recto.server.people.answers import MEMBER_COLUMNS, member_answer
from recto.server.people.members import find_member, require_member
from recto.server.people.teams import TEAMS, TeamAnswers, require_team
from recto.server.storage.database import Row

_MANAGED_BY_OWNER = """
    id IN (
        SELECT teams.id FROM members JOIN teams USING (organization)
        LEFT JOIN team_members ON team_members.team = teams.id AND team_members.user = members.user
        WHERE members.organization = :organization AND members.user = :owner AND NOT members.disabled
            AND (members.role = 'admin' OR team_members.role = 'owner'))
"""
_WITH_TITLE = "instr(fold(title), fold(:title))"

_TEAM_MEMBERS = f"""
    SELECT {MEMBER_COLUMNS}, fold(users.display_name) AS sort_key, team_members.role AS team_role FROM team_members
    JOIN members USING (organization, user) JOIN users ON users.id = members.user
    WHERE team_members.team = :team
"""


@handles(Teams.list_teams)
def list_teams(
    context: Context,
    organization_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    owner: str | None = DECLARED,
    title: str | None = DECLARED,
) -> ListPage[Team]:
    """Return the teams that the filters leave, the oldest first; an organization's admin can manage any."""
    require_organization(context, organization_id, "read")
    filters = ["organization = :organization"]
    if owner is not None:
        filters.append(_MANAGED_BY_OWNER)
    if title:
        filters.append(_WITH_TITLE)
    return list_rows(
        context.database,
        f"{TEAMS} WHERE {' AND '.join(filters)}",
        {"caller": context.caller, "organization": organization_id, "owner": owner, "title": title},
        keys=("created_at", "id"),
        build=TeamAnswers(context, organization_id).team,
        page=page,
        limit=limit,
        asked=(organization_id, owner, title),
    )


@handles(Teams.create_team)
def create_team(context: Context, organization_id: str, body: CreateTeam) -> Team:
    """Make a team; takes the role admin."""
    require_organization(context, organization_id, "admin")
    team = store.create_team(context, organization_id, body.title, body.members)
    return _answer(context, organization_id, team)


@handles(Teams.get_team)
def get_team(context: Context, organization_id: str, team_id: str) -> Team:
    """Return a team that the caller may see."""
    row = require_team(context, organization_id, team_id)
    return TeamAnswers(context, organization_id).team(row)


@handles(Teams.update_team)
def update_team(context: Context, organization_id: str, team_id: str, body: UpdateTeam) -> Team:
    """Rename a team; takes one of its owners or the role admin."""
    require_team(context, organization_id, team_id, manage=True)
    store.rename_team(context, team_id, body.title)
    return _answer(context, organization_id, team_id)


@handles(Teams.delete_team)
def delete_team(context: Context, organization_id: str, team_id: str) -> None:
    """Remove a team; takes the role admin."""
    require_organization(context, organization_id, "admin")
    store.delete_team(context, organization_id, team_id)


@handles(Teams.list_team_members)
def list_team_members(
    context: Context, organization_id: str, team_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[TeamMember]:
    """Return the members of a team that the caller may see, by name."""
    require_team(context, organization_id, team_id)
    sees_all = allows(standing(context, organization_id).role, "read")
    visible = VisibleSpaces(context, organization_id)

    def build(row: Row) -> TeamMember:
        spaces = 0 if row["disabled"] else visible.count(row["id"], row["role"])
        return TeamMember(
            organization=member_answer(context, row, spaces),
            team=TeamMembership(role=row["team_role"]),
            permissions=TeamMemberPermissions(view=sees_all or row["id"] == context.caller),
        )

    return list_rows(
        context.database,
        _TEAM_MEMBERS,
        {"team": team_id},
        keys=("sort_key", "id"),
        build=build,
        page=page,
        limit=limit,
        asked=(team_id,),
    )


@handles(Teams.update_team_members)
def update_team_members(context: Context, organization_id: str, team_id: str, body: UpdateTeamMembers) -> None:
    """Change who is in a team; takes one of its owners or the role admin."""
    team = require_team(context, organization_id, team_id, manage=True)
    memberships = body.memberships or {}
    store.change_members(
        context,
        team,
        add=body.add or (),
        remove=body.remove or (),
        roles={user: membership.role for user, membership in memberships.items()},
    )


@handles(Teams.set_team_member)
def set_team_member(context: Context, organization_id: str, team_id: str, user_id: str, body: SetTeamMember) -> None:
    """Put a member into a team or change what they are in it; takes one of its owners or the role admin."""
    team = require_team(context, organization_id, team_id, manage=True)
    find_member(context, organization_id, user_id)
    store.change_members(context, team, roles={user_id: body.role})


@handles(Teams.remove_team_member)
def remove_team_member(context: Context, organization_id: str, team_id: str, user_id: str) -> None:
    """Take a member out of a team; takes one of its owners or the role admin."""
    team = require_team(context, organization_id, team_id, manage=True)
    store.change_members(context, team, remove=(user_id,))


@handles(Teams.list_member_teams)
def list_member_teams(
    context: Context,
    organization_id: str,
    user_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    title: str | None = DECLARED,
) -> ListPage[MemberTeam]:
    """Return the teams that a member is in, the oldest first; one's own for any member, else takes the role read."""
    require_member(context, organization_id, user_id)
    answers = TeamAnswers(context, organization_id)
    return list_rows(
        context.database,
        "SELECT found.*, team_members.role AS role"
        f" FROM ({TEAMS}) AS found JOIN team_members ON team_members.team = found.id"
        f" WHERE team_members.organization = :organization AND team_members.user = :user"
        f" AND {_WITH_TITLE if title else 'true'}",
        {"caller": context.caller, "organization": organization_id, "user": user_id, "title": title},
        keys=("created_at", "id"),
        build=lambda row: MemberTeam(team=answers.team(row), member=TeamMembership(role=row["role"])),
        page=page,
        limit=limit,
        asked=(organization_id, user_id, title),
    )


def _answer(context: Context, organization: str, team: str) -> Team:
    row = store.find_team(context, organization, team)
    assert row is not None
    return TeamAnswers(context, organization).team(row)
