from __future__ import annotations

from typing import Any, ClassVar

import pytest

from recto.contract.common import Role
from recto.server.people import directory
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from support.platform import FrozenClock, Speaker, join, stranger


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


async def test_search_looks_in_names_and_addresses_in_any_case(members: Any) -> None:
    assert await members(search="ÉDIT") == ["Émile"]
    assert await members(search="ROSA@EXAMPLE") == ["Rosa"]
    assert await members(search="%") == []
    assert await members(search="") == await members()


async def test_by_name(members: Any) -> None:
    assert await members(sort="name", order="asc") == ["Ada", "bob", "Gil", "Rosa", "Émile"]


@pytest.mark.parametrize("key", ["displayName", "email", "role"])
async def test_nothing_else_sorts_members(ada: Speaker, organization: str, key: str) -> None:
    assert (await ada.refused("GET", f"/orgs/{organization}/members", 400, sort=key)).startswith("sort: ")


async def test_by_last_seen_only_the_active_are_listed(
    platform: Platform, people: dict[str, str], members: Any
) -> None:
    def record_visit(user: str, when: str, disabled: bool = False) -> None:
        platform.database.write_now(
            lambda c: c.execute(
                "UPDATE members SET last_seen_at = ?, disabled = ? WHERE user = ?", when, disabled, user
            )
        )

    record_visit(people["bob"], "2026-03-02T11:00:00.000Z")
    record_visit(people["Rosa"], "2026-03-02T10:00:00.000Z")
    record_visit(people["Gil"], "2026-03-02T12:00:00.000Z", disabled=True)
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
    assert "read role" in await gil.refused("GET", f"/orgs/{organization}/members", 403)


@pytest.mark.parametrize(("query", "field"), [({"sort": "age"}, "sort"), ({"role": "owner"}, "role")])
async def test_what_is_none_of_the_choices_is_refused(
    ada: Speaker, organization: str, query: dict[str, str], field: str
) -> None:
    assert (await ada.refused("GET", f"/orgs/{organization}/members", 400, **query)).startswith(f"{field}: ")


async def test_a_page_goes_on_with_the_same_question_only(
    ada: Speaker, organization: str, people: dict[str, str]
) -> None:
    path = f"/orgs/{organization}/members"
    asked: dict[str, Any] = {"role": "read", "search": "example", "sort": "name", "order": "asc", "limit": 1}
    page = (await ada.get(path, **asked))["next"]["page"]
    (rest,) = (await ada.get(path, page=page, **asked))["items"]
    assert rest["id"] == people["Rosa"]
    for other in ({"role": "edit"}, {"search": "org"}, {"sort": "joinedAt"}, {"order": "desc"}):
        assert "not a page of this list" in await ada.refused("GET", path, 400, page=page, **asked | other)


async def test_people_who_come_and_go_do_not_shift_the_pages(
    platform: Platform, ada: Speaker, organization: str, people: dict[str, str], clock: FrozenClock
) -> None:
    path = f"/orgs/{organization}/members"
    first = await ada.get(path, limit=2)
    assert [each["id"] for each in first["items"]] == [people["Gil"], people["Rosa"]]
    clock.advance(hours=1)
    join(platform, organization, "Nora New", "read")
    await ada.send("DELETE", f"{path}/{people['Rosa']}", status=204)
    rest = await ada.get(path, limit=3, page=first["next"]["page"])
    assert [each["id"] for each in rest["items"]] == [people["bob"], people["Émile"], people["Ada"]]
    assert (rest["count"], "next" in rest) == (5, False)


async def test_a_member_is_the_one_listed(ada: Speaker, organization: str, people: dict[str, str]) -> None:
    listed = (await ada.get(f"/orgs/{organization}/members"))["items"]
    assert len(listed) == 5
    for member in listed:
        assert await ada.get(f"/orgs/{organization}/members/{member['id']}") == member


@pytest.mark.parametrize("method", ["GET", "PATCH"])
async def test_one_who_is_not_a_member_is_unknown(
    platform: Platform, ada: Speaker, organization: str, method: str
) -> None:
    for user in ("unknown", stranger(platform)):
        refused = await ada.refused(
            method, f"/orgs/{organization}/members/{user}", 404, {} if method == "PATCH" else None
        )
        assert refused == f"There is no member {user} in this organization."
        await ada.refused(method, f"/orgs/unknown/members/{user}", 404, {} if method == "PATCH" else None)


@pytest.mark.parametrize("role", [*ROLES, None])
async def test_who_may_see_a_member(platform: Platform, organization: str, role: Role | None) -> None:
    user = join(platform, organization, "Max Member", role)
    speaker, members = Speaker(platform, user), f"/orgs/{organization}/members"
    assert (await speaker.get(f"{members}/{user}"))["role"] == role
    for path in (f"{members}/{platform.owner}", f"{members}/{platform.owner}/spaces"):
        await speaker.get(path, status=200 if role else 403)
    await speaker.get(f"{members}/{user}/spaces")


async def test_a_stranger_sees_no_member(platform: Platform, organization: str) -> None:
    user = stranger(platform)
    for path in (user, platform.owner, f"{platform.owner}/spaces"):
        await Speaker(platform, user).refused("GET", f"/orgs/{organization}/members/{path}", 404)


@pytest.mark.parametrize("role", [*ROLES, None])
async def test_a_member_gets_a_role(ada: Speaker, organization: str, people: dict[str, str], role: Role | None) -> None:
    path = f"/orgs/{organization}/members/{people['Rosa']}"
    before = await ada.get(path)
    for _ in range(2):
        changed = await ada.send("PATCH", path, {"role": role})
        assert changed == before | {"role": role}
        assert await ada.get(path) == changed
    assert await ada.send("PATCH", path, {}) == changed


@pytest.mark.parametrize("body", [{"role": "owner"}, {"role": "guest"}, {"role": 1}, {"disabled": True}])
async def test_what_is_no_role_is_refused(
    ada: Speaker, organization: str, people: dict[str, str], body: dict[str, Any]
) -> None:
    path = f"/orgs/{organization}/members/{people['Rosa']}"
    assert (await ada.refused("PATCH", path, 400, body)).startswith(next(iter(body)))
    assert (await ada.get(path))["role"] == "read"


@pytest.mark.parametrize("role", [*ROLES[1:], None])
async def test_only_an_admin_changes_roles_and_removes_others(
    platform: Platform, ada: Speaker, organization: str, people: dict[str, str], role: Role | None
) -> None:
    members = f"/orgs/{organization}/members"
    user = join(platform, organization, "Max Member", role)
    speaker = Speaker(platform, user)
    for whom in (people["Rosa"], user):
        assert "admin role" in await speaker.refused("PATCH", f"{members}/{whom}", 403, {"role": "admin"})
    assert "admin role" in await speaker.refused("DELETE", f"{members}/{people['Rosa']}", 403)
    assert (await ada.get(f"{members}/{people['Rosa']}"))["role"] == "read"
    assert (await ada.get(f"{members}/{user}"))["role"] == role


@pytest.mark.parametrize("role", [*ROLES, None])
async def test_anyone_may_leave(platform: Platform, ada: Speaker, organization: str, role: Role | None) -> None:
    user = join(platform, organization, "Max Member", role)
    path = f"/orgs/{organization}/members/{user}"
    await Speaker(platform, user).send("DELETE", path, status=204)
    await ada.refused("GET", path, 404)
    await Speaker(platform, user).refused("DELETE", path, 404)


async def test_a_member_who_is_removed_is_gone_with_what_they_had(
    platform: Platform, ada: Speaker, organization: str, people: dict[str, str]
) -> None:
    members, rosa = f"/orgs/{organization}/members", people["Rosa"]
    team = await ada.send("PUT", f"/orgs/{organization}/teams", {"title": "Readers", "members": [rosa]}, 201)
    for _ in range(2):
        await ada.send("DELETE", f"{members}/{rosa}", status=204)
    await ada.send("DELETE", f"{members}/unknown", status=204)
    assert (await ada.get(members))["count"] == 4
    assert (await ada.get(f"/orgs/{organization}/teams/{team['id']}"))["members"] == 0
    await Speaker(platform, rosa).refused("GET", f"/orgs/{organization}", 404)
    assert (await Speaker(platform, rosa).get("/user"))["id"] == rosa


async def test_there_is_always_an_admin_left(
    platform: Platform, ada: Speaker, organization: str, people: dict[str, str]
) -> None:
    members = f"/orgs/{organization}/members"
    own = f"{members}/{platform.owner}"
    then = "make another member an admin first."
    for role in ("create", None):
        refused = await ada.refused("PATCH", own, 412, {"role": role})
        assert refused == f"The last admin may not get another role: {then}"
    assert await ada.refused("DELETE", own, 412) == f"The last admin may not leave: {then}"
    assert (await ada.send("PATCH", own, {"role": "admin"}))["role"] == "admin"
    await ada.send("PATCH", f"{members}/{people['Rosa']}", {"role": "admin"})
    assert (await ada.send("PATCH", own, {"role": "read"}))["role"] == "read"
    rosa = Speaker(platform, people["Rosa"])
    await rosa.refused("DELETE", f"{members}/{people['Rosa']}", 412)
    await rosa.send("DELETE", own, status=204)


async def test_an_admin_who_is_disabled_does_not_count(
    platform: Platform, ada: Speaker, organization: str, people: dict[str, str]
) -> None:
    members = f"/orgs/{organization}/members"
    await ada.send("PATCH", f"{members}/{people['Rosa']}", {"role": "admin"})
    platform.database.write_now(lambda c: c.execute("UPDATE members SET disabled = 1 WHERE user = ?", people["Rosa"]))
    await ada.refused("DELETE", f"{members}/{platform.owner}", 412)
    assert (await ada.get(f"{members}/{people['Rosa']}"))["spaces"] == 0
    await ada.send("DELETE", f"{members}/{people['Rosa']}", status=204)


class ListedSpaces:
    """Spaces at the top and in a collection, whose default levels tell members of different roles apart."""

    LEVELS: ClassVar[dict[str, str | None]] = {
        "Open": "inherit",
        "Comments": "comment",
        "Closed": None,
        "Writers": "edit",
    }

    def __init__(self, platform: Platform, organization: str, clock: FrozenClock) -> None:
        def make(title: str, parent: str | None) -> str:
            return platform.database.write_now(
                lambda c: add_space(platform.context(c), organization, title, parent=parent)
            )

        self.shelf = platform.database.write_now(
            lambda c: directory.create_collection(platform.context(c), organization, "Shelf")
        )
        self.ids: dict[str, str] = {}
        for title in (*self.LEVELS, "Shelved"):
            clock.advance(minutes=1)
            self.ids[title] = make(title, self.shelf if title == "Shelved" else None)

    async def set_levels(self, ada: Speaker) -> None:
        for title, level in self.LEVELS.items():
            await ada.send("PATCH", f"/spaces/{self.ids[title]}", {"defaultLevel": level})
        await ada.send("PATCH", f"/collections/{self.shelf}", {"defaultLevel": "review"})


@pytest.fixture
async def shelves(platform: Platform, ada: Speaker, organization: str, clock: FrozenClock) -> ListedSpaces:
    made = ListedSpaces(platform, organization, clock)
    await made.set_levels(ada)
    return made


async def _permissions(speaker: Speaker, organization: str, user: str, **query: Any) -> list[tuple[str, str]]:
    answer = await speaker.get(f"/orgs/{organization}/members/{user}/spaces", **query)
    return [(each["space"]["title"], each["permission"]) for each in answer["items"]]


async def test_the_spaces_of_a_member_with_what_they_may_do_there(
    ada: Speaker, organization: str, people: dict[str, str], shelves: ListedSpaces
) -> None:
    async def of(name: str, **query: Any) -> list[tuple[str, str]]:
        return await _permissions(ada, organization, people[name], **query)

    rosas = [("Shelved", "review"), ("Writers", "edit"), ("Comments", "comment"), ("Open", "read")]
    assert await of("Rosa") == rosas
    assert await of("Rosa", order="asc") == rosas[::-1]
    assert await of("Gil") == rosas[:-1]
    assert await of("Ada") == [(title, "admin") for title in ("Shelved", "Writers", "Closed", "Comments", "Open")]
    first = await ada.get(f"/orgs/{organization}/members/{people['Rosa']}/spaces", limit=3)
    assert first["count"] == 4
    rest = await of("Rosa", limit=3, page=first["next"]["page"])
    assert rest == rosas[3:]
    path = f"/orgs/{organization}/members/{people['Gil']}/spaces"
    assert "not a page of this list" in await ada.refused("GET", path, 400, page=first["next"]["page"])


async def test_the_spaces_of_a_member_are_those_that_the_caller_sees_too(
    platform: Platform, organization: str, people: dict[str, str], shelves: ListedSpaces
) -> None:
    rosa = Speaker(platform, people["Rosa"])
    listed = (await rosa.get(f"/orgs/{organization}/members/{platform.owner}/spaces"))["items"]
    assert [each["space"]["title"] for each in listed] == ["Shelved", "Writers", "Comments", "Open"]
    assert {each["permission"] for each in listed} == {"admin"}
    for each in listed:
        assert each["space"] == await rosa.get(f"/spaces/{each['space']['id']}")
        assert not each["space"]["permissions"]["admin"]


async def test_a_disabled_member_sees_no_space_and_a_deleted_space_is_not_listed(
    platform: Platform, ada: Speaker, organization: str, people: dict[str, str], shelves: ListedSpaces
) -> None:
    await ada.send("DELETE", f"/spaces/{shelves.ids['Open']}", status=204)
    assert len(await _permissions(ada, organization, people["Rosa"])) == 3
    platform.database.write_now(lambda c: c.execute("UPDATE members SET disabled = 1 WHERE user = ?", people["Rosa"]))
    assert await _permissions(ada, organization, people["Rosa"]) == []


async def test_spaces_of_one_who_is_no_member(platform: Platform, ada: Speaker, organization: str) -> None:
    for user in ("unknown", stranger(platform)):
        await ada.refused("GET", f"/orgs/{organization}/members/{user}/spaces", 404)
