"""Changes that let more people in, or lock some out, are named and confirmed by a title."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from recto.contract.collections import Collection, UpdateCollection
from recto.contract.invites import Invites
from recto.contract.organizations import Organization, Organizations, UpdateOrganization
from recto.contract.spaces import Space, UpdateSpace
from recto.store.locations import OrganizationsLocation
from recto.store.space_changes import update_collection, update_space
from recto.tui.dialogs.confirm import NO_UNDO
from recto.tui.screens.interactive import Interactive
from recto.tui.screens.organizations.organization_settings import consequences
from recto.tui.screens.space.space_settings import confirm_level
from support.guide_workspace import guided_app, last_row
from support.other_platforms import OtherPlatform, visit_platform
from support.platform import Speaker, make_platform, own_organization
from support.screens import settled, shows, type_text

OURS = Organization(id="o1", title="Ours", default_role="read", email_domains=("a.org",))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"title": "Theirs", "ai": True}, []),
        ({"invite_links": True}, ["Anyone with an invite link can join."]),
        ({"email_domains": ("a.org", "b.org")}, ["an address of b.org can join, as read"]),
        ({"email_domains": ()}, []),
        ({"default_role": "admin"}, ["becomes an admin"]),
        ({"default_role": "create"}, []),
        ({"default_role": "admin", "email_domains": ("c.org",)}, ["c.org can join, as admin", "becomes an admin"]),
    ],
)
def test_settings_that_let_more_people_in_name_them(body: dict[str, Any], says: list[str]) -> None:
    found = consequences(OURS, UpdateOrganization(**body))

    assert len(found) == len(says)
    assert all(part in sentence for part, sentence in zip(says, found, strict=True))


class Asked:
    """Counts the questions, and answers none of them."""

    questions = 0

    async def ask(self, _question: object) -> bool | None:
        self.questions += 1
        return None


@pytest.mark.parametrize(
    ("before", "after", "asks"),
    [(None, "read", True), ("read", "admin", True), ("read", "edit", False), ("admin", None, False)],
)
async def test_a_wider_default_role_is_asked_about(before: Any, after: Any, asks: bool) -> None:
    host = Asked()
    space, collection = Space(id="s", title="S", default_level=before), Collection(id="c", default_level=before)

    wider, same = UpdateSpace(default_level=after), UpdateCollection(default_level=after)
    owner = cast("Interactive", host)
    assert await confirm_level(owner, space, wider, update_space(space, wider)) is not asks
    assert await confirm_level(owner, collection, same, update_collection(collection, same)) is not asks
    renamed = UpdateSpace(title="T")
    assert await confirm_level(owner, space, renamed, update_space(space, renamed))
    assert host.questions == 2 * asks


_SIGN_ON = ("enter", *["j"] * 7, "space", "ctrl+s")
"""The keys that enforce sign-on in the settings of an organization."""


async def test_where_nothing_enforces_sign_on_it_says_so_and_what_cannot_be_undone_with_it(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    place = OrganizationsLocation(f"settings:{own_organization(platform)}")
    async with guided_app(platform, tmp_path, place).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press(*_SIGN_ON)
        await settled(pilot)
        assert shows(pilot.app, "This workspace only keeps the setting")
        assert shows(pilot.app, "u takes it back.")
        await pilot.press("escape", *["k"] * 4, "enter")
        await type_text(pilot, "a.example.org")
        await pilot.press("escape", "ctrl+s")
        await settled(pilot)
        assert shows(pilot.app, NO_UNDO), "a host name cannot be removed"
    platform.close()


async def test_enforcing_sign_on_says_who_is_locked_out_and_when_it_can_be_undone(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    place = OrganizationsLocation(f"settings:{own_organization(platform)}")
    async with visit_platform(platform, tmp_path, OtherPlatform(platform), place) as ada:
        await ada.press(*_SIGN_ON)
        assert "All members have to sign in through an identity provider" in ada.screen
        assert "Whoever has no account there is locked out, you too." in ada.screen
        assert "No identity provider is active here" in ada.screen
        assert "u takes it back only while you are still let in." in ada.screen
        await ada.press("escape", "x", *["k"] * 3, "enter")
        await ada.type("a.org")
        await ada.press("escape")
        change = UpdateOrganization(default_role="admin")
        await ada.store.call(Organizations.update_organization, own_organization(platform), change)
        await ada.press("ctrl+s")
        assert "a.org can join, as admin" in ada.screen, "what others changed meanwhile counts"
    platform.close()


async def test_deleting_a_space_asks_for_the_sites_that_lose_it(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    organization, silent = own_organization(platform), [True]
    server = Speaker(platform, platform.owner)
    space = await server.send("POST", f"/orgs/{organization}/spaces", {"title": "Manual"}, 201)
    await server.send("POST", f"/orgs/{organization}/sites", {"title": "Handbook", "spaces": [space["id"]]}, 201)
    failing = httpx.Response(500, json={"error": {"code": 500, "message": "Out of order"}})
    transport = OtherPlatform(
        platform, has=lambda _, path: not (silent[0] and path.endswith("/sites")), refusal=failing
    )
    async with visit_platform(platform, tmp_path, transport) as ada:
        await ada.press(*last_row("Manual"), "D")
        assert "its places on sites, which could not be loaded" in ada.screen
        silent[0] = False
        await ada.press("escape", "D")
        assert "its place on the site “Handbook”" in ada.screen
    platform.close()


async def test_an_invite_for_admins_takes_the_title_of_what_they_administer(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    organization = own_organization(platform)
    async with visit_platform(platform, tmp_path, OtherPlatform(platform)) as ada:
        await ada.store.call(Organizations.update_organization, organization, UpdateOrganization(invite_links=True))
        await ada.press("r")
        await ada.press(*last_row("Invites"), "enter")
        await ada.press("a")
        await ada.type("admin")
        await ada.press("enter")
        assert "Anyone with the invite can become" in ada.screen
        assert "u takes it back." in ada.screen
        await ada.press("enter")
        assert (await ada.store.call(Invites.list_invites, organization)).items == ()
        await ada.type("adas documentation")
        await ada.press("enter")
        made = (await ada.store.call(Invites.list_invites, organization)).items
        assert [invite.role for invite in made] == ["admin"]
    platform.close()
