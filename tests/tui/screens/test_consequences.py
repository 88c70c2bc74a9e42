"""Changes that let more people in, or lock some out, are named and confirmed by a title."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from recto.contract.collections import Collection, UpdateCollection
from recto.contract.invites import Invites
from recto.contract.organizations import Organization, Organizations, UpdateOrganization
from recto.contract.spaces import Space, UpdateSpace
from recto.tui.screens.interactive import Interactive
from recto.tui.screens.organizations.organization_settings import consequences
from recto.tui.screens.space.space_settings import confirm_level
from support.guided import last_row
from support.otherwise import Otherwise, visiting
from support.platform import make_platform, own_organization

OURS = Organization(id="o1", title="Ours", default_role="read", email_domains=("a.org",))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"title": "Theirs", "ai": True}, []),
        ({"sso": True}, ["All members have to sign in", "locked out, you too"]),
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

    for thing, body in ((space, UpdateSpace(default_level=after)), (collection, UpdateCollection(default_level=after))):
        assert await confirm_level(cast("Interactive", host), thing, body) is not asks
    assert await confirm_level(cast("Interactive", host), space, UpdateSpace(title="T"))
    assert host.questions == 2 * asks


async def test_an_invite_for_admins_takes_the_title_of_what_they_administer(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    organization = own_organization(platform)
    async with visiting(platform, tmp_path, Otherwise(platform)) as ada:
        await ada.store.call(Organizations.update_organization, organization, UpdateOrganization(invite_links=True))
        await ada.press("r")
        await ada.press(*last_row("Invites"), "enter")
        await ada.press("a")
        await ada.press(*"admin", "enter")
        assert "Anyone with the invite can become" in ada.screen
        assert "u takes it back." in ada.screen
        await ada.press("enter")
        assert (await ada.store.call(Invites.list_invites, organization)).items == ()
        await ada.type("adas documentation")
        await ada.press("enter")
        made = (await ada.store.call(Invites.list_invites, organization)).items
        assert [invite.role for invite in made] == ["admin"]
    platform.close()
