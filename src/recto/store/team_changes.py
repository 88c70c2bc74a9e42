"""Changes of the teams of an organization and of their members, as mutations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from recto.client.call import pages
from recto.client.errors import Unsupported
from recto.contract.common import MAX_LIMIT
from recto.contract.members import Members
from recto.contract.teams import (
    CreateTeam,
    SetTeamMember,
    Team,
    TeamMember,
    TeamRole,
    Teams,
    UpdateTeam,
    UpdateTeamMembers,
)
from recto.document.text import count
from recto.store.mutation import Mutation, changes_items, new_in_list
from recto.store.query_keys import Chooser, calls

if TYPE_CHECKING:
    from recto.client.call import Call

Roles = Mapping[str, TeamRole]
"""What members are in a team, by their ids."""


def _stale(organization: str) -> tuple[Chooser, ...]:
    # A team counts its members and a member their teams.
    operations = (Teams.list_teams, Teams.list_member_teams, Teams.list_team_members, Members.list_members)
    return tuple(calls(operation, organization_id=organization) for operation in operations)


def create_team(organization: str, title: str, members: Sequence[str]) -> Mutation[Team]:
    """Make a team of members given by their ids; undoing deletes it."""
    return Mutation(
        doing=f"Creating the team “{title}”",
        done=f"Created the team “{title}”",
        call=lambda call: call(Teams.create_team, organization, CreateTeam(title=title, members=tuple(members))),
        lookup=new_in_list(lambda one: one.title == title, Teams.list_teams, organization, title=title),
        stale=_stale(organization),
        inverse=lambda team: delete_team(organization, team),
    )


def rename_team(organization: str, team: str, title: str, before: str) -> Mutation[Team]:
    """Rename a team; undo restores the former title."""

    def rename(shown: Team) -> Team:
        return shown.model_copy(update={"title": title}) if shown.id == team else shown

    return Mutation(
        doing=f"Renaming the team to “{title}”",
        done=f"Renamed the team to “{title}”",
        call=lambda call: call(Teams.update_team, organization, team, UpdateTeam(title=title)),
        effects=(changes_items(Teams.list_teams, rename, organization_id=organization),),
        stale=_stale(organization),
        inverse=lambda _: rename_team(organization, team, before, title),
        lane=("team", team),
    )


def delete_team(organization: str, team: Team) -> Mutation[None]:
    """Delete a team; its members stay in the organization."""
    return Mutation(
        doing=f"Deleting the team “{team.title}”",
        done=f"Deleted the team “{team.title}”",
        call=lambda call: call(Teams.delete_team, organization, team.id),
        effects=(
            changes_items(
                Teams.list_teams, lambda one: None if one.id == team.id else one, organization_id=organization
            ),
        ),
        stale=_stale(organization),
        lane=("team", team.id),
    )


def add_members(organization: str, team: Team, members: Roles) -> Mutation[Roles]:
    """Add members to a team, as what they are to be in it, all or none; undoing takes out those who were not in it.

    Without a list of the members of the team that is not known, and it cannot be undone.
    """
    who = count(len(members), "member")
    owners = {id: SetTeamMember(role=role) for id, role in members.items() if role != "member"}
    others = tuple(id for id in members if id not in owners)
    body = UpdateTeamMembers.model_validate(
        {**({"add": others} if others else {}), **({"memberships": owners} if owners else {})}
    )

    async def work(call: Call) -> Roles:
        already = set(members)
        with suppress(Unsupported):
            listed = pages(call, Teams.list_team_members, organization, team.id, limit=MAX_LIMIT)
            already = {one.organization.id async for page in listed for one in page.items}
        await call(Teams.update_team_members, organization, team.id, body)
        return {id: role for id, role in members.items() if id not in already}

    return Mutation(
        doing=f"Adding {who} to the team “{team.title}”",
        done=f"Added {who} to the team “{team.title}”",
        call=work,
        stale=_stale(organization),
        inverse=lambda added: remove_members(organization, team, added) if added else None,
        lane=("team", team.id),
    )


def remove_members(organization: str, team: Team, members: Roles) -> Mutation[None]:
    """Take members out of a team, all or none; undoing adds them as what they were in it."""
    ids = tuple(members)

    async def work(call: Call) -> None:
        if len(ids) == 1:
            await call(Teams.remove_team_member, organization, team.id, ids[0])
        else:
            await call(Teams.update_team_members, organization, team.id, UpdateTeamMembers(remove=ids))

    who = count(len(ids), "member")
    return Mutation(
        doing=f"Removing {who} from the team “{team.title}”",
        done=f"Removed {who} from the team “{team.title}”",
        call=work,
        effects=(
            changes_items(
                Teams.list_team_members,
                lambda one: None if one.organization.id in members else one,
                organization_id=organization,
                team_id=team.id,
            ),
        ),
        stale=_stale(organization),
        inverse=lambda _: add_members(organization, team, members),
        lane=("team", team.id),
    )


def set_roles(organization: str, team: Team, members: Roles, before: Roles) -> Mutation[None]:
    """Give members of a team other roles in it, all or none; undoing gives them those before."""

    async def work(call: Call) -> None:
        roles = {id: SetTeamMember(role=role) for id, role in members.items()}
        if len(roles) == 1:
            ((id, role),) = roles.items()
            await call(Teams.set_team_member, organization, team.id, id, role)
        else:
            await call(Teams.update_team_members, organization, team.id, UpdateTeamMembers(memberships=roles))

    def change_item(one: TeamMember) -> TeamMember:
        role = members.get(one.organization.id)
        return one.model_copy(update={"team": one.team.model_copy(update={"role": role})}) if role is not None else one

    who, what = count(len(members), "member"), " and ".join(sorted(set(members.values())))
    return Mutation(
        doing=f"Making {who} of the team “{team.title}” {what}",
        done=f"Made {who} of the team “{team.title}” {what}",
        call=work,
        effects=(changes_items(Teams.list_team_members, change_item, organization_id=organization, team_id=team.id),),
        stale=_stale(organization),
        inverse=lambda _: set_roles(organization, team, before, members),
        lane=("team", team.id),
    )


def roles_of(members: Sequence[TeamMember]) -> Roles:
    """Return what members are in a team, by their ids."""
    return {one.organization.id: cast("TeamRole", one.team.role) for one in members}
