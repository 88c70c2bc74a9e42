"""Teams and their members."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

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
    TeamPermissions,
    TeamRole,
    Teams,
    UpdateTeam,
    UpdateTeamMembers,
)
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import BadRequest, Forbidden, NotFound
from recto.server.http.registry import handles
from recto.server.people.access import Standing, VisibleSpaces, allows, require_organization, standing_of
from recto.server.people.members import MEMBER_COLUMNS, find_member, require_member, serialize_member
from recto.server.storage.database import Connection, Row

TEAMS = """
    SELECT teams.*,
        (SELECT count(*) FROM team_members WHERE team = teams.id) AS members,
        (SELECT role FROM team_members WHERE team = teams.id AND user = :caller) AS own_role
    FROM teams
"""
"""Selects teams with the number of their members and what ``:caller`` is in them, as :class:`TeamSerializer` needs."""


def add_team(context: Context, organization: str, title: str, members: Sequence[str]) -> str:
    """Make a team of these members and return its id; its creator owns it, if a member.

    Raises :class:`BadRequest` for the first who is not a member of the organization.
    """
    for at, stranger in enumerate(_are_not_members(context.database, organization, members)):
        if stranger:
            raise _not_a_member(f"members[{at}]", members[at])
    team = context.ids.fresh()
    context.database.insert("teams", id=team, organization=organization, title=title, created_at=context.stamp())
    roles: dict[str, TeamRole] = {user: "owner" if user == context.caller else "member" for user in members}
    _set_roles(context.database, organization, team, roles)
    return team


def rename_team(context: Context, team: str, title: str) -> None:
    """Rename a team."""
    context.database.update("teams", team, title=title)


def remove_team(context: Context, organization: str, team: str) -> None:
    """Remove a team, also as the default of identity providers; unknown ids are ignored."""
    context.database.execute("DELETE FROM teams WHERE id = ? AND organization = ?", team, organization)


def change_members(
    context: Context,
    team: Row,
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    roles: Mapping[str, TeamRole | None] | None = None,
) -> None:
    """Add, remove and re-role team members.

    A role of ``None`` keeps the role, ``member`` for new members. Raises :class:`BadRequest` for a user who is not a
    member of the organization, or is both added and removed; then nothing has changed.
    """
    database, organization, leaving = context.database, team["organization"], set(remove)
    wanted = dict.fromkeys(add) | dict(roles or {})
    places = [f"add[{at}]" for at in range(len(add))] + [f"memberships.{user}" for user in roles or {}]
    named = [*add, *(roles or {})]
    for place, user, stranger in zip(places, named, _are_not_members(database, organization, named), strict=True):
        if stranger:
            raise _not_a_member(place, user)
        if user in leaving:
            raise BadRequest(f"{place}: {user} cannot leave the team and be in it at once")
    before = {row["user"]: row["role"] for row in database.all("SELECT * FROM team_members WHERE team = ?", team["id"])}
    database.execute_many(
        "DELETE FROM team_members WHERE team = ? AND user = ?", [(team["id"], user) for user in leaving]
    )
    after = {user: role or before.get(user, "member") for user, role in wanted.items()}
    _set_roles(database, organization, team["id"], after)


def _set_roles(database: Connection, organization: str, team: str, roles: Mapping[str, TeamRole]) -> None:
    database.execute_many(
        "INSERT INTO team_members (team, organization, user, role) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (team, user) DO UPDATE SET role = excluded.role",
        [(team, organization, user, role) for user, role in roles.items()],
    )


def _are_not_members(database: Connection, organization: str, users: Sequence[str]) -> list[bool]:
    """Return, for each user, whether they are not a member of the organization."""
    members = database.column(
        "SELECT user FROM members WHERE organization = ? AND user IN (SELECT value FROM json_each(?))",
        organization,
        json.dumps(sorted(set(users))),
    )
    found = set(members)
    return [user not in found for user in users]


def _not_a_member(place: str, user: str) -> BadRequest:
    return BadRequest(f"{place}: {user} is not a member of this organization")


def find_team(context: Context, organization: str, team: str) -> Row | None:
    """Return a row of :data:`TEAMS`, or ``None`` where the organization has no such team."""
    return context.database.one(
        f"{TEAMS} WHERE id = :team AND organization = :organization",
        {"caller": context.caller, "team": team, "organization": organization},
    )


def require_team(context: Context, organization: str, team: str, *, manage: bool = False) -> Row:
    """Return the team's row where the caller may see it, or where they may ``manage`` it.

    Raises :class:`NotFound` where the caller may not see it, :class:`Forbidden` where they may see it only.
    """
    require_organization(context, organization)
    place = standing_of(context, organization)
    row = find_team(context, organization, team)
    if row is None or not may_see(place, row):
        raise NotFound(f"There is no team {team} in this organization, or you may not see it.")
    if manage and not may_manage(place, row):
        raise Forbidden(
            f"You may not change the team “{row['title']}”: that takes one of its owners, or the admin role in the"
            " organization."
        )
    return row


def may_see(place: Standing, team: Row) -> bool:
    """Return whether the person whose row of :data:`TEAMS` it is may see a team: a guest those they are in."""
    return allows(place.role, "read") or (place.member is not None and team["own_role"] is not None)


def may_manage(place: Standing, team: Row) -> bool:
    """Return whether the person whose row of :data:`TEAMS` it is may rename a team and say who is in it."""
    return allows(place.role, "admin") or (place.member is not None and team["own_role"] == "owner")


class TeamSerializer:
    """Builds the responses about the teams of one organization, as the caller sees them."""

    def __init__(self, context: Context, organization: str) -> None:
        self._context = context
        self._place = standing_of(context, organization)
        self._visible = VisibleSpaces(context, organization)

    def team(self, row: Row) -> Team:
        """Return a row of :data:`TEAMS` as a team."""
        return Team(
            id=row["id"],
            title=row["title"],
            members=row["members"],
            spaces=self._spaces(row["id"]),
            created_at=row["created_at"],
            permissions=TeamPermissions(admin=may_manage(self._place, row), view=may_see(self._place, row)),
        )

    def _spaces(self, team: str) -> int:
        """Count the spaces that the whole team may see.

        A team gives no access of its own, so that what it shares is what each of its members may see. A higher
        role sees all that a lower role sees, so the smallest count is what all of them see. A disabled
        member sees nothing, but does not keep the others from working together.
        """
        by_role = self._context.database.all(
            "SELECT members.role, min(members.user) AS user FROM team_members JOIN members USING (organization, user)"
            " WHERE team_members.team = ? AND NOT members.disabled GROUP BY members.role",
            team,
        )
        return min((self._visible.count(each["user"], each["role"]) for each in by_role), default=0)


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
        build=TeamSerializer(context, organization_id).team,
        page=page,
        limit=limit,
        asked=(organization_id, owner, title),
    )


@handles(Teams.create_team)
def create_team(context: Context, organization_id: str, body: CreateTeam) -> Team:
    """Make a team; takes the admin role."""
    require_organization(context, organization_id, "admin")
    team = add_team(context, organization_id, body.title, body.members)
    return _team(context, organization_id, team)


@handles(Teams.get_team)
def get_team(context: Context, organization_id: str, team_id: str) -> Team:
    """Return a team that the caller may see."""
    row = require_team(context, organization_id, team_id)
    return TeamSerializer(context, organization_id).team(row)


@handles(Teams.update_team)
def update_team(context: Context, organization_id: str, team_id: str, body: UpdateTeam) -> Team:
    """Rename a team; takes a team owner or the admin role."""
    require_team(context, organization_id, team_id, manage=True)
    rename_team(context, team_id, body.title)
    return _team(context, organization_id, team_id)


@handles(Teams.delete_team)
def delete_team(context: Context, organization_id: str, team_id: str) -> None:
    """Remove a team; takes the admin role."""
    require_organization(context, organization_id, "admin")
    remove_team(context, organization_id, team_id)


@handles(Teams.list_team_members)
def list_team_members(
    context: Context, organization_id: str, team_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[TeamMember]:
    """Return the members of a team that the caller may see, by name."""
    require_team(context, organization_id, team_id)
    sees_all = allows(standing_of(context, organization_id).role, "read")
    visible = VisibleSpaces(context, organization_id)

    def build(row: Row) -> TeamMember:
        return TeamMember(
            organization=serialize_member(context, row, visible),
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
    """Change the members of a team; takes a team owner or the admin role."""
    team = require_team(context, organization_id, team_id, manage=True)
    memberships = body.memberships or {}
    change_members(
        context,
        team,
        add=body.add or (),
        remove=body.remove or (),
        roles={user: membership.role for user, membership in memberships.items()},
    )


@handles(Teams.set_team_member)
def set_team_member(context: Context, organization_id: str, team_id: str, user_id: str, body: SetTeamMember) -> None:
    """Add a member to a team or change their role in it; takes a team owner or the admin role."""
    team = require_team(context, organization_id, team_id, manage=True)
    find_member(context, organization_id, user_id)
    change_members(context, team, roles={user_id: body.role})


@handles(Teams.remove_team_member)
def remove_team_member(context: Context, organization_id: str, team_id: str, user_id: str) -> None:
    """Remove a member from a team; takes a team owner or the admin role."""
    team = require_team(context, organization_id, team_id, manage=True)
    change_members(context, team, remove=(user_id,))


@handles(Teams.list_member_teams)
def list_member_teams(
    context: Context,
    organization_id: str,
    user_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    title: str | None = DECLARED,
) -> ListPage[MemberTeam]:
    """Return the teams that a member is in, the oldest first; their own for any member, else takes the read role."""
    require_member(context, organization_id, user_id)
    serializer = TeamSerializer(context, organization_id)
    return list_rows(
        context.database,
        "SELECT found.*, team_members.role AS role"
        f" FROM ({TEAMS}) AS found JOIN team_members ON team_members.team = found.id"
        f" WHERE team_members.organization = :organization AND team_members.user = :user"
        f" AND {_WITH_TITLE if title else 'true'}",
        {"caller": context.caller, "organization": organization_id, "user": user_id, "title": title},
        keys=("created_at", "id"),
        build=lambda row: MemberTeam(team=serializer.team(row), member=TeamMembership(role=row["role"])),
        page=page,
        limit=limit,
        asked=(organization_id, user_id, title),
    )


def _team(context: Context, organization: str, team: str) -> Team:
    row = find_team(context, organization, team)
    assert row is not None
    return TeamSerializer(context, organization).team(row)
