"""Members, teams and invites of an organization, and the inbox over all organizations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import httpx

from recto.contract.common import Role, User
from recto.contract.members import Members
from recto.contract.organizations import Organization, Organizations, UpdateOrganization
from recto.contract.sign_on import CreateSamlProvider, SignOn
from recto.contract.teams import CreateTeam, Teams, UpdateTeam
from recto.contract.users import Users
from recto.server.people.members import change_role
from recto.server.platform import Platform
from recto.store.store import Store
from recto.tui.dialogs.confirm import NO_UNDO
from recto.tui.screens.change_request.change_request_view import ChangeRequestView
from recto.tui.screens.organizations.people import MembersPane, ownership_lost
from recto.tui.screens.space.space_view import SpaceView
from support.guide_workspace import Person, last_row, open_guided
from support.other_platforms import OtherPlatform, only_the_reference, visit_platform
from support.platform import join, make_platform, own_organization
from support.screens import all_messages, settled

OWN = "Ada's documentation"


class Holding(OtherPlatform):
    """Holds the second change until it is released."""

    def __init__(self, platform: Platform) -> None:
        super().__init__(platform)
        self.changes = 0
        self.held, self.released = asyncio.Event(), asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        if request.method == "PATCH":
            self.changes += 1
            if self.changes == 2:
                self.held.set()
                await self.released.wait()
        return await super().handle_async_request(request)


@asynccontextmanager
async def among(
    folder: Path, names: Sequence[str] = (), transport: type[OtherPlatform] | None = None
) -> AsyncIterator[tuple[Person, OtherPlatform]]:
    """Start the program at the members of an organization with these beside its owner."""
    platform = make_platform(folder)
    try:
        for name in names:
            join(platform, own_organization(platform), name, "edit")
        server = (transport or OtherPlatform)(platform)
        async with visit_platform(platform, folder, server) as ada:
            await ada.press(*last_row("Members"), "enter")
            yield ada, server
    finally:
        platform.close()


async def roles(ada: Person) -> dict[str, str]:
    listed = await ada.store.call(Members.list_members, own_organization(ada.platform))
    return {one.user.display_name: str(one.role) for one in listed.items if one.user is not None}


def give_role(platform: Platform, user: str, role: Role | None) -> None:
    organization = own_organization(platform)
    platform.database.write_now(lambda connection: change_role(platform.context(connection), organization, user, role))


async def test_the_title_names_ones_role_where_permissions_do_not_tell_it(tmp_path: Path) -> None:
    async with among(tmp_path) as (ada, _):
        join(ada.platform, own_organization(ada.platform), "Grace Hopper", "admin")
        me = (await ada.store.call(Users.get_user)).id
        await ada.press("h")
        assert "Ada Lovelace (admin)" in ada.screen
        changes: list[tuple[Role | None, str]] = [("review", "review"), ("comment", "comment"), (None, "guest")]
        for role, word in changes:
            give_role(ada.platform, me, role)
            await ada.press("r")
            assert f"Ada Lovelace ({word})" in ada.screen


async def test_the_breadcrumb_of_a_member_leads_to_the_list_and_to_the_organization(tmp_path: Path) -> None:
    async with among(tmp_path) as (ada, _):
        await ada.press("enter")
        title = ada.screen.splitlines()[0]
        assert f"{OWN} › Members › Ada Lovelace" in title
        await ada.pilot.click(offset=(title.index("Members"), 0))
        await settled(ada.pilot)
        assert "Ada Lovelace  " not in ada.screen.splitlines()[0]
        await ada.pilot.click(offset=(title.index(OWN), 0))
        await settled(ada.pilot)
        assert "Members" not in ada.screen.splitlines()[0]


async def test_a_title_that_others_gave_a_team_meanwhile_is_shown_before_it_is_replaced(tmp_path: Path) -> None:
    async with among(tmp_path) as (ada, _):
        organization = own_organization(ada.platform)
        team = await ada.store.call(Teams.create_team, organization, CreateTeam(title="Writers", members=()))
        await ada.press("h", *last_row("Teams"), "enter", "f2")
        await ada.type(" of mine")
        await ada.store.call(Teams.update_team, organization, team.id, UpdateTeam(title="Theirs"))
        await ada.press("ctrl+s")
        assert "Others changed it meanwhile, to: Theirs" in ada.screen


async def test_to_stop_owning_a_team_takes_its_title(tmp_path: Path) -> None:
    async with among(tmp_path) as (ada, _):
        organization = own_organization(ada.platform)
        me = (await ada.store.call(Members.list_members, organization)).items[0].id
        team = await ada.store.call(Teams.create_team, organization, CreateTeam(title="Writers", members=(me,)))

        async def role() -> list[str]:
            listed = await ada.store.call(Teams.list_team_members, organization, team.id)
            return [str(one.team.role) for one in listed.items]

        await ada.press("enter", "tab", "r", "e")
        await ada.type("member")
        await ada.press("enter")
        assert "You are an owner yourself" in ada.screen
        await ada.press("y", "enter")
        assert await role() == ["owner"]
        await ada.press("escape", "D")
        assert "You are an owner yourself" in ada.screen
        # An admin can still take it back.
        assert "u takes it back." in ada.screen
        await ada.type("Writers")
        await ada.press("enter")
        assert await role() == []


async def test_owners_who_are_no_admins_are_warned_before_losing_the_team() -> None:
    me = User(id="u", display_name="Grace")

    class Known:
        async def fetch_or_kept(self, _operation: object) -> User:
            return me

    reader = Organization(id="o", title="Ours")
    lost = await ownership_lost(cast("Store", Known()), reader, ["u", "v"])
    assert lost == "You are an owner yourself: you can change nothing here afterwards."
    assert await ownership_lost(cast("Store", Known()), reader, ["v"]) is None
    assert await ownership_lost(cast("Store", Known()), reader, []) is None


async def test_to_lose_ones_own_role_takes_the_title_of_the_organization(tmp_path: Path) -> None:
    async with among(tmp_path, ["Grace Hopper"]) as (ada, _):
        await ada.find("Ada")
        await ada.press("e")
        await ada.type("review")
        await ada.press("enter")
        assert "This is your own membership" in ada.screen
        assert "No admin would be left" in ada.screen
        assert NO_UNDO in ada.screen
        await ada.type("Ada's")
        await ada.press("enter")
        assert (await roles(ada))["Ada Lovelace"] == "admin"
        await ada.type(" documentation")
        await ada.press("enter")
        # The platform has the last word.
        assert any("The last admin may not get another role" in text for text in all_messages(ada.pilot.app))
        assert (await roles(ada))["Ada Lovelace"] == "admin"


async def test_what_fails_of_several_is_named_and_stays_selected(tmp_path: Path) -> None:
    async with among(tmp_path, ["Grace Hopper", "Alan Turing"]) as (ada, _):
        await ada.press("v", "j", "j", "D")
        assert "Remove 3 members" in ada.screen
        await ada.type(OWN)
        await ada.press("enter")
        assert "Removed 2 members; 1 failed and are still selected." in ada.screen
        assert "Ada Lovelace: " in ada.screen
        await ada.press("enter")
        assert list(await roles(ada)) == ["Ada Lovelace"]
        pane = ada.pilot.app.screen.query_one(MembersPane)
        assert len(pane.rows.selected) == 1


async def test_esc_stops_what_is_done_to_several_after_the_one_under_way(tmp_path: Path) -> None:
    names = ["Grace Hopper", "Alan Turing", "Edsger Dijkstra"]
    async with among(tmp_path, names, Holding) as (ada, server):
        assert isinstance(server, Holding)
        await ada.find("Grace")
        await ada.press("space")
        await ada.find("Alan")
        await ada.press("space")
        await ada.find("Edsger")
        await ada.press("space", "e")
        await ada.type("create")
        await ada.pilot.press("enter")
        await asyncio.wait_for(server.held.wait(), 60)
        await ada.pilot.pause()
        assert "Changing roles: 2 of 3; esc stops" in ada.screen
        await ada.pilot.press("escape")
        server.released.set()
        await settled(ada.pilot)
        assert sorted((await roles(ada)).values()) == ["admin", "create", "create", "edit"]
        assert any("1 not begun and still selected" in text for text in all_messages(ada.pilot.app))
        await ada.press("u")
        assert sorted((await roles(ada)).values()) == ["admin", "edit", "edit", "edit"]


async def test_a_member_is_shown_in_place_of_the_list_and_keys_lead_back(tmp_path: Path) -> None:
    async with among(tmp_path, ["Grace Hopper"]) as (ada, _):
        organization = own_organization(ada.platform)
        await ada.store.call(Teams.create_team, organization, CreateTeam(title="Writers", members=()))
        for back in ("escape", "backspace", "h", "q"):
            await ada.press("enter")
            assert "› Members › Grace Hopper" in ada.screen
            assert "Spaces of Grace Hopper" in ada.screen
            await ada.press(back)
            assert "› Members › Grace" not in ada.screen
            assert isinstance(ada.pilot.app.focused, type(ada.pilot.app.screen.query_one(MembersPane).rows))
        await ada.press("enter", "tab", "a", "enter")
        assert "Writers" in ada.screen
        await ada.press("enter")
        assert "Members › Grace Hopper › Writers" in ada.screen
        await ada.press("escape", "escape")
        assert "Members › Grace" not in ada.screen


async def test_a_list_that_a_role_may_not_see_is_not_tried_again_and_no_role_is_guessed(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    ada_id = platform.database.read_now(lambda connection: connection.value("SELECT id FROM users"))
    join(platform, own_organization(platform), "Grace Hopper", "admin")
    give_role(platform, str(ada_id), "review")
    server = OtherPlatform(platform, has=lambda _, path: not path.endswith("/user"))
    async with visit_platform(platform, tmp_path, server) as ada:
        await ada.press(*last_row("Invites"), "enter")
        assert "No access to the invites." in ada.screen
        assert "tries again" not in ada.screen
        assert "(read)" not in ada.screen
        await ada.press("h", *last_row("Sign-on"), "enter")
        assert "Identity providers are shown to admins" in ada.screen
        give_role(platform, str(ada_id), "admin")
        await ada.press("h", "r")
        assert "No identity providers." in ada.screen
        give_role(platform, str(ada_id), "review")
        await ada.press("r")
        assert "Identity providers are shown to admins" in ada.screen
        give_role(platform, str(ada_id), "admin")
        own = own_organization(platform)
        await ada.store.call(SignOn.create_saml_provider, own, CreateSamlProvider(label="Keys of all"))
        await ada.store.call(Organizations.update_organization, own, UpdateOrganization(sso=True))
        await ada.press("r", "enter", "D")
        assert "members without another provider are locked out" in ada.screen
        assert f"Type {OWN}" in ada.screen
    platform.close()


async def test_a_page_of_a_list_that_fails_leaves_what_came_before_it(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    for number in range(250):
        join(platform, own_organization(platform), f"Person {number:03}", "read")
    fails = True
    server = OtherPlatform(platform, refusal=httpx.Response(500))

    async def handle(request: httpx.Request) -> httpx.Response:
        if fails and "page=" in request.url.query.decode() and request.url.path.endswith("/members"):
            return httpx.Response(403, json={"error": {"code": 403, "message": "Not now."}})
        return await OtherPlatform.handle_async_request(server, request)

    server.handle_async_request = handle  # type: ignore[method-assign]
    async with visit_platform(platform, tmp_path, server) as ada:
        await ada.press(*last_row("Members"), "enter", "G")
        assert "not all are here: r tries again" in ada.screen
        assert "200 of 251" in ada.screen
        fails = False
        await ada.press("r")
        assert "251 members" in ada.screen
    platform.close()


async def test_a_whole_list_that_could_not_be_refreshed_is_tried_again(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    fails = False
    server = OtherPlatform(platform, refusal=httpx.Response(500))

    async def handle(request: httpx.Request) -> httpx.Response:
        if fails and request.url.path.endswith("/members"):
            return httpx.Response(403, json={"error": {"code": 403, "message": "Not now."}})
        return await OtherPlatform.handle_async_request(server, request)

    server.handle_async_request = handle  # type: ignore[method-assign]
    async with visit_platform(platform, tmp_path, server) as ada:
        await ada.press(*last_row("Members"), "enter")
        join(platform, own_organization(platform), "Grace", "read")
        fails = True
        await ada.press("r")
        assert "not refreshed: r tries again" in ada.screen
        assert "Grace" not in ada.screen
        fails = False
        await ada.press("r")
        assert "not refreshed" not in ada.screen
        assert "Grace" in ada.screen
    platform.close()


async def test_a_server_that_tells_no_members_of_teams_says_so(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    async with visit_platform(platform, tmp_path, OtherPlatform(platform, has=only_the_reference)) as ada:
        body = CreateTeam(title="Writers", members=())
        await ada.store.call(Teams.create_team, own_organization(platform), body)
        await ada.press(*last_row("Teams"), "enter", "r", "enter")
        assert "This server does not offer the members of the team." in ada.screen
        await ada.press("escape", *("h",), *last_row("Invites"))
        assert "This server does not offer the invites." in ada.screen
    platform.close()


async def test_the_inbox_over_all_organizations_names_each_and_says_which_failed(tmp_path: Path) -> None:
    platform = open_guided(tmp_path)
    own = platform.database.read_now(
        lambda connection: connection.value("SELECT id FROM organizations WHERE title = ?", OWN)
    )
    server = OtherPlatform(
        platform,
        has=lambda _, path: not (str(own) in path and path.endswith("/change-requests")),
        refusal=httpx.Response(403, json={"error": {"code": 403, "message": "Not for you."}}),
    )
    async with visit_platform(platform, tmp_path, server) as ada:
        await ada.press(*last_row("Combined"), "enter")
        assert "Recto guide › Guide" in ada.screen
        assert f"not loaded: {OWN}. r tries again" in ada.screen
        await ada.press("enter")
        assert isinstance(ada.pilot.app.screen, ChangeRequestView)
    platform.close()


async def test_another_row_asks_about_a_changed_form(tmp_path: Path) -> None:
    async with among(tmp_path) as (ada, _):
        await ada.press("h", *last_row("Settings"), "enter", "enter", *"XY", "escape", "h", "k")
        assert "Not sent yet: 1 changed field of “Settings”." in ada.screen
        await ada.press("n")
        assert "documentationXY" in ada.screen
        await ada.press("h", "k", "y")
        assert "documentationXY" not in ada.screen
        await ada.press("j")
        assert "documentationXY" not in ada.screen
        assert "Enforce sign-on" in ada.screen


async def test_a_space_of_a_member_is_opened(tmp_path: Path) -> None:
    platform = open_guided(tmp_path)
    async with visit_platform(platform, tmp_path, OtherPlatform(platform)) as ada:
        await ada.press(*last_row("Members"), "enter", "enter", "enter")
        assert isinstance(ada.pilot.app.screen, SpaceView)
    platform.close()


async def test_a_changed_identity_provider_is_said_to_be_saved_and_one_that_was_looked_at_not(tmp_path: Path) -> None:
    async with among(tmp_path) as (ada, _):
        organization = own_organization(ada.platform)
        body = CreateSamlProvider(
            label="Example", entity_id="urn:example", sso_url="https://example.org/sso", certificate="MIIB"
        )
        await ada.store.call(SignOn.create_saml_provider, organization, body)
        await ada.press("h", *last_row("Sign-on"), "enter", "enter", "escape")
        assert not any("Saved" in each for each in all_messages(ada.pilot.app))
        await ada.press("enter", *"Our ", "ctrl+s")
        assert any("Saved the identity provider" in each for each in all_messages(ada.pilot.app))
