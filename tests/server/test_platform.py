from __future__ import annotations

from pathlib import Path
from random import Random
from string import ascii_letters, ascii_lowercase, digits

import pytest

from recto.server.ids import Ids
from recto.server.platform import Owner, Platform
from support.platform import MORNING, FrozenClock, Speaker, join, make_platform, own_organization, user_of_token


async def test_a_new_workspace_holds_its_owner_and_an_empty_organization_of_theirs(ada: Speaker) -> None:
    user = await ada.get("/user")
    assert (user["displayName"], user["email"]) == ("Ada Lovelace", "ada@example.org")
    organizations = await ada.get("/orgs")
    assert [each["title"] for each in organizations["items"]] == ["Ada's documentation"]
    assert (await ada.get(f"/orgs/{organizations['items'][0]['id']}/spaces"))["count"] == 0


async def test_it_is_all_still_there_at_the_next_start(tmp_path: Path) -> None:
    first = make_platform(tmp_path)
    owner, organization = first.owner, own_organization(first)
    first.close()
    second = Platform.open(tmp_path / "workspace.recto", owner=Owner("Somebody Else"))
    assert (second.owner, own_organization(second)) == (owner, organization)
    second.close()


def test_who_the_owner_is_is_found_out_for_a_new_workspace_only(tmp_path: Path) -> None:
    asked: list[str] = []

    def find_out() -> Owner:
        asked.append("Git")
        return Owner("Ada Lovelace")

    for _ in range(2):
        Platform.open(tmp_path / "workspace.recto", owner=find_out).close()
    assert asked == ["Git"]


@pytest.mark.parametrize("name", ["", "   "])
async def test_an_owner_without_a_name_gets_an_organization_too(tmp_path: Path, name: str) -> None:
    platform = Platform.open(tmp_path / "workspace.recto", owner=Owner(name))
    assert (await Speaker(platform).get("/orgs"))["items"][0]["title"] == "My documentation"
    platform.close()


async def test_the_token_is_of_this_run_alone_and_never_stored(tmp_path: Path) -> None:
    first = make_platform(tmp_path)
    token = first.token
    first.close()
    second = make_platform(tmp_path)
    assert second.token != token
    assert user_of_token(second, token) is None
    assert user_of_token(second, second.token) == second.owner
    second.close()
    assert not holds(tmp_path, second.token)


def holds(folder: Path, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in folder.iterdir())


async def test_an_admitted_token_speaks_for_its_user(platform: Platform, organization: str) -> None:
    grace = join(platform, organization, "Grace Hopper", "read")
    platform.admit("open sesame", grace)
    assert user_of_token(platform, "open sesame") == grace
    assert user_of_token(platform, "open sesam") is None


async def test_a_stored_token_speaks_for_its_user(platform: Platform, organization: str) -> None:
    from hashlib import sha256

    grace = join(platform, organization, "Grace Hopper", "read")
    platform.database.write_now(
        lambda connection: connection.insert(
            "tokens", hash=sha256(b"kept").digest(), user=grace, label="laptop", created_at="2026-03-02T09:00:00.000Z"
        )
    )
    assert user_of_token(platform, "kept") == grace


class TestFurnishing:
    def test_it_happens_once(self, tmp_path: Path) -> None:
        calls: list[str] = []
        for _ in range(2):
            Platform.open(tmp_path / "w.recto", fill=lambda platform: calls.append(platform.owner)).close()
        assert len(calls) == 1

    def test_it_is_tried_again_where_it_did_not_come_to_its_end(self, tmp_path: Path) -> None:
        def fail(platform: Platform) -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            Platform.open(tmp_path / "w.recto", fill=fail)
        calls: list[str] = []
        Platform.open(tmp_path / "w.recto", fill=lambda platform: calls.append(platform.owner)).close()
        assert len(calls) == 1


def test_seeded_ids_repeat_and_have_the_shapes_of_public_services() -> None:
    def some(ids: Ids) -> list[str]:
        return [ids.fresh(), ids.site(), ids.section(), ids.section_group(), ids.site_space()]

    assert some(Ids(Random(7))) == some(Ids(Random(7))) != some(Ids(Random(8)))
    fresh, site, section, group, site_space = some(Ids())
    assert len(fresh) == 20
    assert fresh.isalnum()
    for made, prefix in ((site, "site_"), (section, "sitesc_"), (group, "sitescg_"), (site_space, "sitesp_")):
        assert made.startswith(prefix)
        assert len(made) == len(prefix) + 5


def test_ids_of_the_system_use_all_letters_and_digits() -> None:
    ids = Ids()
    assert set("".join(ids.fresh() for _ in range(1_000))) == set(ascii_letters + digits)
    assert set("".join(ids.site()[5:] for _ in range(1_000))) == set(ascii_lowercase + digits)


async def test_the_clock_is_injected(platform: Platform, clock: FrozenClock, ada: Speaker, organization: str) -> None:
    clock.advance(hours=1)
    space = await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201)
    assert space["createdAt"] == "2026-03-02T10:00:00.000Z"
    assert MORNING.hour == 9
