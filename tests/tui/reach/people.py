"""Rows of members, teams and invites of an organization."""

from __future__ import annotations

from recto.contract.invites import CreateInvite, Invites
from recto.contract.members import Member, Members
from recto.contract.organizations import Organizations, UpdateOrganization
from recto.contract.sign_on import SignOn
from recto.contract.spaces import Spaces
from recto.contract.teams import CreateTeam, Team, TeamMember, Teams
from recto.store.locations import OrganizationsLocation
from tui.reach.row import Driver, Place, Row

ADMIN = "needs the admin role"
MANAGED = "needs an owner of the team"
TEAM_OWNER = "needs an owner of a team"

MEMBERS = Place("Members", lambda world: OrganizationsLocation(f"members:{world.organization}"), ("enter",))
MEMBER = Place("A member", lambda world: OrganizationsLocation(f"members:{world.organization}"), ("enter", "enter"))
TEAMS = Place("Teams", lambda world: OrganizationsLocation(f"teams:{world.organization}"), ("enter",))
INVITES = Place("Invites", lambda world: OrganizationsLocation(f"invites:{world.organization}"), ("enter",))


async def members(ada: Driver) -> dict[str, Member]:
    listed = await ada.call(Members.list_members, ada.world.organization)
    return {member.user.display_name.split()[0]: member for member in listed.items if member.user is not None}


async def teams(ada: Driver) -> dict[str, Team]:
    return {team.title: team for team in (await ada.call(Teams.list_teams, ada.world.organization)).items}


async def in_team(ada: Driver, title: str) -> dict[str, str]:
    team = (await teams(ada))[title]
    listed = await ada.call(Teams.list_team_members, ada.world.organization, team.id)
    return {_first_name(one): str(one.team.role) for one in listed.items}


def _first_name(one: TeamMember) -> str:
    assert one.organization.user is not None
    return one.organization.user.display_name.split()[0]


async def make_team(ada: Driver, title: str = "Writers", *names: str) -> None:
    """Make a team beside the program, and show it."""
    known = await members(ada)
    body = CreateTeam(title=title, members=tuple(known[name].id for name in names))
    await ada.call(Teams.create_team, ada.world.organization, body)
    await ada.press("r")


async def open_team(ada: Driver) -> None:
    """Make a team beside the program, and show who is in it."""
    await make_team(ada, "Writers", "Ines")
    await ada.press("enter")
    assert "Members of Writers" in ada.screen


# Members


async def sort_and_narrow(ada: Driver) -> None:
    for words in ("oldest", "role review"):
        await ada.press("s")
        await ada.type(words)
        await ada.press("enter")
    assert "Ines Park" in ada.screen


async def search(ada: Driver) -> None:
    await ada.press("slash")
    await ada.type("ines")
    assert "1 of them" in ada.screen


async def change_role(ada: Driver) -> None:
    await ada.find("Ines")
    await ada.press("e")
    await ada.type("create")
    await ada.press("enter")
    assert (await members(ada))["Ines"].role == "create"
    await ada.press("u")
    assert (await members(ada))["Ines"].role == "review"


async def remove_member(ada: Driver) -> None:
    await ada.find("Ines")
    await ada.press("D")
    assert "Remove Ines Park" in ada.screen
    assert "This cannot be undone." in ada.screen
    await ada.press("y")
    assert "Ines" not in await members(ada)


async def make_sign_on_member(ada: Driver) -> None:
    await ada.find("Ines")
    await ada.press("S", "y")
    assert (await members(ada))["Ines"].sso


async def add_to_team(ada: Driver) -> None:
    await make_team(ada)
    await ada.press("space", "space", "t", "enter")
    assert await in_team(ada, "Writers") == {"Ada": "member", "Ines": "member"}
    await ada.press("u")
    assert await in_team(ada, "Writers") == {}


# Of a member


async def sort_spaces(ada: Driver) -> None:
    await ada.press("s")
    await ada.type("oldest")
    await ada.press("enter")


async def search_teams_of_member(ada: Driver) -> None:
    await make_team(ada, "Writers", "Ada")
    await make_team(ada, "Editors", "Ada")
    await ada.press("tab", "r", "slash")
    await ada.type("edit")
    assert "Editors" in ada.screen
    assert "Writers" not in ada.screen


# Teams


async def new_team(ada: Driver) -> None:
    await ada.press("a")
    await ada.type("Writers")
    await ada.press("enter", "enter")
    await ada.type("ines")
    await ada.press("enter", "ctrl+s", "ctrl+s")
    assert await in_team(ada, "Writers") == {"Ines": "member"}
    await ada.press("u")
    assert "Writers" not in await teams(ada)


async def rename_team(ada: Driver) -> None:
    await make_team(ada)
    await ada.press("f2", "ctrl+u")
    await ada.type("Editors")
    await ada.press("ctrl+s")
    assert list(await teams(ada)) == ["Editors"]
    await ada.press("u")
    assert list(await teams(ada)) == ["Writers"]


async def delete_team(ada: Driver) -> None:
    await make_team(ada)
    await ada.press("D", "y")
    assert await teams(ada) == {}


async def search_teams(ada: Driver) -> None:
    await make_team(ada)
    await make_team(ada, "Editors")
    await ada.press("slash")
    await ada.type("edit")
    assert "Editors" in ada.screen
    assert "Writers" not in ada.screen


async def teams_to_manage(ada: Driver) -> None:
    await make_team(ada)
    await ada.press("s")
    await ada.type("manage")
    await ada.press("enter")
    assert "Writers" in ada.screen


async def show_team(ada: Driver) -> None:
    await make_team(ada, "Writers", "Ada")
    await ada.press("enter")
    assert "Members of Writers" in ada.screen
    assert "ada@example.org" in ada.screen


async def add_members(ada: Driver) -> None:
    await make_team(ada)
    await ada.press("enter", "a")
    await ada.type("ines")
    await ada.press("enter", "ctrl+s")
    assert await in_team(ada, "Writers") == {"Ines": "member"}
    await ada.press("u")
    assert await in_team(ada, "Writers") == {}


async def make_owner(ada: Driver) -> None:
    await make_team(ada, "Writers", "Ines")
    await ada.press("enter", "e")
    await ada.type("owner")
    await ada.press("enter")
    assert await in_team(ada, "Writers") == {"Ines": "owner"}
    await ada.press("u")
    assert await in_team(ada, "Writers") == {"Ines": "member"}


async def make_owners(ada: Driver) -> None:
    await make_team(ada, "Writers", "Ines", "Ada")
    await ada.press("enter", "space", "space", "e")
    await ada.type("member")
    await ada.press("enter")
    assert "You are an owner yourself" in ada.screen
    await ada.type("Writers")
    await ada.press("enter")
    assert await in_team(ada, "Writers") == {"Ada": "member", "Ines": "member"}
    await ada.press("g", "v", "j", "e")
    await ada.type("owner")
    await ada.press("enter")
    assert await in_team(ada, "Writers") == {"Ada": "owner", "Ines": "owner"}


async def remove_from_team(ada: Driver) -> None:
    await make_team(ada, "Writers", "Ines")
    await ada.press("enter", "D", "y")
    assert await in_team(ada, "Writers") == {}
    await ada.press("u")
    assert await in_team(ada, "Writers") == {"Ines": "member"}


async def remove_several_from_team(ada: Driver) -> None:
    await make_team(ada, "Writers", "Ines", "Ada")
    await ada.press("enter", "v", "j", "D")
    assert "You are an owner yourself" in ada.screen
    await ada.type("Writers")
    await ada.press("enter")
    assert await in_team(ada, "Writers") == {}
    await ada.press("u")
    assert await in_team(ada, "Writers") == {"Ada": "owner", "Ines": "member"}


# Invites


async def given(ada: Driver) -> list[tuple[str, str]]:
    """What the invites give, and where, by title."""
    spaces = {space.id: space.title for space in (await ada.call(Spaces.list_spaces, ada.world.organization)).items}
    listed = await ada.call(Invites.list_invites, ada.world.organization)
    found = []
    for one in listed.items:
        where = spaces.get(str(one.space), "collection") if one.space or one.collection else "all"
        found.append((where, str(one.role or one.level)))
    return found


async def allow_invites(ada: Driver) -> None:
    await ada.call(Organizations.update_organization, ada.world.organization, UpdateOrganization(invite_links=True))
    await ada.press("r", "h")
    await ada.press("r", "enter")


async def invite(ada: Driver, where: str, role: str) -> None:
    await ada.press("a")
    await choose(ada, where, role)


async def choose(ada: Driver, where: str, role: str) -> None:
    for words in (where, role):
        await ada.type(words)
        await ada.press("enter")


async def make_invite(ada: Driver) -> None:
    """Make an invite beside the program, and show it."""
    await allow_invites(ada)
    await ada.call(Invites.create_invite, ada.world.organization, CreateInvite(role="comment"))
    await ada.press("r")


async def new_invite(ada: Driver) -> None:
    await allow_invites(ada)
    await invite(ada, "whole org", "comment")
    assert await given(ada) == [("all", "comment")]
    await ada.press("u")
    assert await given(ada) == []


async def new_invite_to_content(ada: Driver) -> None:
    await allow_invites(ada)
    await invite(ada, "Questions", "edit")
    await invite(ada, "Reference", "review")
    assert await given(ada) == [("Questions", "edit"), ("collection", "review")]


async def change_invite(ada: Driver) -> None:
    await allow_invites(ada)
    await invite(ada, "whole org", "comment")
    for where, role, now in (
        ("whole org", "edit", ("all", "edit")),
        ("Questions", "read", ("Questions", "read")),
        ("Reference", "read", ("collection", "read")),
    ):
        await ada.press("e")
        await choose(ada, where, role)
        assert await given(ada) == [now]
    await ada.press("u")
    assert await given(ada) == [("Questions", "read")]


async def delete_invite(ada: Driver) -> None:
    await allow_invites(ada)
    await invite(ada, "whole org", "comment")
    await ada.press("D", "y")
    assert await given(ada) == []


ROWS: tuple[Row, ...] = (
    Row(Members.list_members, MEMBERS),
    Row(
        Members.list_members,
        MEMBERS,
        "list.order",
        {"sort": "choice", "order": "choice", "role": "choice"},
        act=sort_and_narrow,
    ),
    Row(Members.list_members, MEMBERS, "list.find", {"search": "/"}, act=search),
    Row(Members.update_member, MEMBERS, "item.change", {"role": "choice"}, act=change_role, needs=ADMIN),
    Row(Members.delete_member, MEMBERS, "item.delete", act=remove_member, needs=ADMIN),
    Row(SignOn.make_sso_member, MEMBERS, "member.sign_on", act=make_sign_on_member, needs=ADMIN),
    Row(
        Teams.update_team_members,
        MEMBERS,
        "member.team",
        {"add": "selection"},
        act=add_to_team,
        needs=TEAM_OWNER,
        seen=make_team,
    ),
    Row(Members.list_member_spaces, MEMBER),
    Row(Members.list_member_spaces, MEMBER, "list.order", {"order": "choice"}, act=sort_spaces),
    Row(Teams.list_member_teams, MEMBER),
    Row(Teams.list_member_teams, MEMBER, "list.find", {"title": "/"}, act=search_teams_of_member),
    Row(Teams.list_teams, TEAMS),
    Row(Teams.list_teams, TEAMS, "list.find", {"title": "/"}, act=search_teams),
    Row(Teams.list_teams, TEAMS, "list.order", {"owner": "choice"}, act=teams_to_manage),
    Row(Teams.create_team, TEAMS, "item.new", {"title": "field", "members": "choice"}, act=new_team, needs=ADMIN),
    Row(Teams.update_team, TEAMS, "item.rename", {"title": "field"}, act=rename_team, needs=MANAGED, seen=make_team),
    Row(Teams.delete_team, TEAMS, "item.delete", act=delete_team, needs=ADMIN),
    Row(Teams.list_team_members, TEAMS, "list.open", act=show_team),
    Row(
        Teams.update_team_members, TEAMS, "item.new", {"add": "choice"}, act=add_members, needs=MANAGED, seen=open_team
    ),
    Row(Teams.set_team_member, TEAMS, "item.change", {"role": "choice"}, act=make_owner, needs=MANAGED, seen=open_team),
    Row(
        Teams.update_team_members,
        TEAMS,
        "item.change",
        {"memberships": "choice"},
        act=make_owners,
        needs=MANAGED,
        seen=open_team,
    ),
    Row(Teams.remove_team_member, TEAMS, "item.delete", act=remove_from_team, needs=MANAGED, seen=open_team),
    Row(
        Teams.update_team_members,
        TEAMS,
        "item.delete",
        {"remove": "selection"},
        act=remove_several_from_team,
        needs=MANAGED,
        seen=open_team,
    ),
    Row(Invites.list_invites, INVITES),
    Row(Invites.create_invite, INVITES, "item.new", {"role": "choice"}, act=new_invite, needs=ADMIN),
    Row(
        Invites.create_invite,
        INVITES,
        "item.new",
        {"level": "choice", "space": "choice", "collection": "choice"},
        act=new_invite_to_content,
        needs=ADMIN,
    ),
    Row(
        Invites.update_invite,
        INVITES,
        "item.change",
        {"role": "choice", "level": "choice", "space": "choice", "collection": "choice"},
        act=change_invite,
        needs=ADMIN,
    ),
    Row(Invites.delete_invite, INVITES, "item.delete", act=delete_invite, needs=ADMIN, seen=make_invite),
)
