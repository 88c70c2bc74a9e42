from __future__ import annotations

from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.platform import Platform
from support.platform import FrozenClock, Speaker, join


@pytest.fixture
def people(platform: Platform, organization: str, clock: FrozenClock) -> dict[str, str]:
    """Members by first name, who joined one hour after another, after Ada."""
    found = {"Ada": platform.owner}
    newcomers: tuple[tuple[str, Role | None], ...] = (
        ("Émile Éditeur", "edit"),
        ("bob Baker", "read"),
        ("Rosa Reader", "read"),
        ("Gil Guest", None),
    )
    for name, role in newcomers:
        clock.advance(hours=1)
        found[name.split()[0]] = join(platform, organization, name, role)
    return found


@pytest.fixture
def members(ada: Speaker, organization: str, people: dict[str, str]) -> Any:
    """Asks for the members and gives back their first names."""

    async def ask(**query: Any) -> list[str]:
        answer = await ada.get(f"/orgs/{organization}/members", **query)
        assert answer["count"] >= len(answer["items"])
        return [member["user"]["displayName"].split()[0] for member in answer["items"]]

    return ask


async def test_who_joined_last_comes_first(members: Any) -> None:
    assert await members() == ["Gil", "Rosa", "bob", "Émile", "Ada"]
    assert await members(order="asc") == ["Ada", "Émile", "bob", "Rosa", "Gil"]


async def test_by_role(members: Any) -> None:
    assert await members(role="read") == ["Rosa", "bob"]
    assert await members(role="guest") == ["Gil"]
    assert await members(role="create") == []
    by_role = await members(sort="role")
    assert (by_role[:2], set(by_role[2:4]), by_role[4:]) == (["Ada", "Émile"], {"Rosa", "bob"}, ["Gil"])


async def test_search_looks_in_names_and_addresses_in_any_case(members: Any) -> None:
    assert await members(search="ÉDIT") == ["Émile"]
    assert await members(search="ROSA@EXAMPLE") == ["Rosa"]
    assert await members(search="%") == []
    assert await members(search="") == await members()


async def test_by_name_and_address(members: Any) -> None:
    assert await members(sort="displayName", order="asc") == ["Ada", "bob", "Gil", "Rosa", "Émile"]
    assert await members(sort="email", order="desc") == ["Émile", "Rosa", "Gil", "bob", "Ada"]


async def test_by_last_seen_only_the_active_are_listed(
    platform: Platform, people: dict[str, str], members: Any
) -> None:
    def seen(user: str, when: str, disabled: bool = False) -> None:
        platform.database.write_now(
            lambda c: c.execute(
                "UPDATE members SET last_seen_at = ?, disabled = ? WHERE user = ?", when, disabled, user
            )
        )

    seen(people["bob"], "2026-03-02T11:00:00.000Z")
    seen(people["Rosa"], "2026-03-02T10:00:00.000Z")
    seen(people["Gil"], "2026-03-02T12:00:00.000Z", disabled=True)
    assert await members(sort="lastSeenAt") == ["bob", "Rosa"]


async def test_pages_hold_all_members_once(ada: Speaker, organization: str, people: dict[str, str]) -> None:
    found: list[str] = []
    page: dict[str, Any] = {}
    while True:
        answer = await ada.get(f"/orgs/{organization}/members", limit=2, **page)
        assert answer["count"] == 5
        found += [member["id"] for member in answer["items"]]
        if "next" not in answer:
            break
        page = {"page": answer["next"]["page"]}
    assert sorted(found) == sorted(people.values())


async def test_a_member_and_the_spaces_they_may_see(ada: Speaker, organization: str, people: dict[str, str]) -> None:
    for level in ("inherit", "read", None):
        space = await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201)
        await ada.send("PATCH", f"/spaces/{space['id']}", {"defaultLevel": level})
    answer = await ada.get(f"/orgs/{organization}/members")
    by_name = {member["user"]["displayName"]: member for member in answer["items"]}
    counts = {name: member["spaces"] for name, member in by_name.items()}
    assert counts == {"Ada Lovelace": 3, "Émile Éditeur": 2, "bob Baker": 2, "Rosa Reader": 2, "Gil Guest": 1}
    gil = by_name["Gil Guest"]
    assert gil["role"] is None
    assert gil["joinedAt"] == "2026-03-02T13:00:00.000Z"
    assert gil["user"]["email"] == "gil@example.org"
    assert (gil["disabled"], gil["sso"], gil["teams"]) == (False, False, 0)


async def test_a_guest_may_not_list_members(platform: Platform, organization: str, people: dict[str, str]) -> None:
    gil = Speaker(platform, people["Gil"])
    assert "role read" in await gil.refused("GET", f"/orgs/{organization}/members", 403)


@pytest.mark.parametrize(("query", "field"), [({"sort": "age"}, "sort"), ({"role": "owner"}, "role")])
async def test_what_is_none_of_the_choices_is_refused(
    ada: Speaker, organization: str, query: dict[str, str], field: str
) -> None:
    assert (await ada.refused("GET", f"/orgs/{organization}/members", 400, **query)).startswith(f"{field}: ")
