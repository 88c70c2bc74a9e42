"""Scenarios of teams: which there are, who is in them, and who may change that."""

from __future__ import annotations

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World, is_gone
from recto.contract.members import Members
from recto.contract.teams import CreateTeam, SetTeamMember, Team, Teams, UpdateTeam, UpdateTeamMembers


async def new_team(world: World, title: str, *members: str) -> Team:
    return await world.call(Teams.create_team, world.places.organization, CreateTeam(title=title, members=members))


async def roles(world: World, team: Team) -> dict[str, str]:
    """Return what each member of a team is in it, by their ids."""
    listed = await world.call(Teams.list_team_members, world.places.organization, team.id)
    return {each.organization.id: each.team.role for each in listed.items}


@proves(Teams.list_teams)
async def teams_are_found_by_title_and_by_who_manages_them(world: World) -> None:
    organization, listing = world.places.organization, Teams.list_teams
    writers = await new_team(world, "Technical writers", world.places.grace)
    editors = await new_team(world, "Editors", world.places.grace)
    managed = SetTeamMember(role="owner")
    await world.call(Teams.set_team_member, organization, editors.id, world.places.grace, managed)
    assert {each.id for each in (await world.call(listing, organization)).items} == {writers.id, editors.id}
    assert (await world.call(listing, organization, title="WRIT")).items == (writers,)
    assert [each.id for each in (await world.call(listing, organization, owner=world.places.grace)).items] == [
        editors.id
    ]
    assert (await world.call(listing, organization, owner=world.places.ada)).count == 2


@proves(Teams.create_team)
async def a_team_is_made_of_members(world: World) -> None:
    made = await new_team(world, "Writers", world.places.ada, world.places.grace)
    assert (made.title, made.members, made.spaces) == ("Writers", 2, 3)
    assert made.permissions.admin
    assert made.permissions.view
    assert await roles(world, made) == {world.places.ada: "owner", world.places.grace: "member"}
    members = (await world.call(Members.list_members, world.places.organization)).items
    assert [member.teams for member in members] == [1, 1]


@proves(Teams.get_team)
async def a_team_is_the_one_listed(world: World) -> None:
    made = await new_team(world, "Writers", world.places.grace)
    assert await world.call(Teams.get_team, world.places.organization, made.id) == made
    assert (await world.call(Teams.list_teams, world.places.organization)).items == (made,)


@proves(Teams.update_team)
async def a_team_is_renamed(world: World) -> None:
    made = await new_team(world, "Writers", world.places.grace)
    await world.call(Teams.update_team, world.places.organization, made.id, UpdateTeam(title="Authors"))
    found = await world.call(Teams.get_team, world.places.organization, made.id)
    assert (found.title, found.members) == ("Authors", 1)


@proves(Teams.delete_team)
async def a_team_is_deleted_and_its_members_stay(world: World) -> None:
    organization = world.places.organization
    made = await new_team(world, "Writers", world.places.grace)
    await world.call(Teams.delete_team, organization, made.id)
    assert await is_gone(world.call(Teams.get_team, organization, made.id))
    members = {each.id: each.teams for each in (await world.call(Members.list_members, organization)).items}
    assert members[world.places.grace] == 0


@proves(Teams.list_team_members)
async def the_members_of_a_team_are_members_of_the_organization(world: World) -> None:
    organization = world.places.organization
    made = await new_team(world, "Writers", world.places.grace)
    (found,) = (await world.call(Teams.list_team_members, organization, made.id)).items
    assert (found.team.role, found.permissions.view) == ("member", True)
    assert found.organization in (await world.call(Members.list_members, organization)).items


@proves(Teams.update_team_members)
async def members_come_leave_and_change_in_one_step(world: World) -> None:
    made = await new_team(world, "Writers", world.places.ada)
    body = UpdateTeamMembers(remove=(world.places.ada,), memberships={world.places.grace: SetTeamMember(role="owner")})
    await world.call(Teams.update_team_members, world.places.organization, made.id, body)
    assert await roles(world, made) == {world.places.grace: "owner"}
    await world.call(
        Teams.update_team_members,
        world.places.organization,
        made.id,
        UpdateTeamMembers(add=(world.places.ada, world.places.grace)),
    )
    assert await roles(world, made) == {world.places.grace: "owner", world.places.ada: "member"}


@proves(Teams.set_team_member)
async def a_member_comes_in_and_becomes_an_owner(world: World) -> None:
    made = await new_team(world, "Writers")
    place = (world.places.organization, made.id, world.places.grace)
    await world.call(Teams.set_team_member, *place, SetTeamMember())
    assert await roles(world, made) == {world.places.grace: "member"}
    await world.call(Teams.set_team_member, *place, SetTeamMember(role="owner"))
    assert await roles(world, made) == {world.places.grace: "owner"}


@proves(Teams.remove_team_member)
async def a_member_leaves(world: World) -> None:
    made = await new_team(world, "Writers", world.places.ada, world.places.grace)
    await world.call(Teams.remove_team_member, world.places.organization, made.id, world.places.grace)
    assert await roles(world, made) == {world.places.ada: "owner"}


@proves(Teams.list_member_teams)
async def a_member_is_in_the_teams_that_hold_them(world: World) -> None:
    organization, listing = world.places.organization, Teams.list_member_teams
    writers = await new_team(world, "Writers", world.places.ada)
    await new_team(world, "Editors", world.places.grace)
    (found,) = (await world.call(listing, organization, world.places.ada)).items
    assert (found.team, found.member.role) == (writers, "owner")
    assert (await world.call(listing, organization, world.places.ada, title="edit")).items == ()
    await world.call(Teams.remove_team_member, organization, writers.id, world.places.ada)
    assert (await world.call(listing, organization, world.places.ada)).items == ()
