from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.people import directory
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from support.platform import FrozenClock, Speaker, join, stranger


class Crew:
    """Two teams of an organization and the people around them, by first name.

    Oda owns the writers and Max is in them, both with the role read; Gil, a guest, is in the editors. Rosa, who may
    read too, is in neither.
    """

    def __init__(self, platform: Platform, organization: str) -> None:
        self.platform = platform
        self.organization = organization
        self.people = {"Ada": platform.owner, "Sam": stranger(platform)}
        people: dict[str, Role | None] = {"Oda Owner": "read", "Max Member": "read", "Rosa Reader": "read"}
        for name, role in (people | {"Gil Guest": None}).items():
            self.people[name.split()[0]] = join(platform, organization, name, role)
        self.teams = f"/orgs/{organization}/teams"
        self.writers = self.editors = ""

    async def gather(self) -> None:
        ada, people = self.speaker("Ada"), self.people
        writers = await ada.send(
            "PUT", self.teams, {"title": "Writers", "members": [people["Oda"], people["Max"]]}, 201
        )
        editors = await ada.send("PUT", self.teams, {"title": "Éditeurs", "members": [people["Gil"]]}, 201)
        self.writers, self.editors = (f"{self.teams}/{each['id']}" for each in (writers, editors))
        await ada.send("PUT", f"{self.writers}/members/{people['Oda']}", {"role": "owner"}, 204)

    def speaker(self, name: str) -> Speaker:
        return Speaker(self.platform, self.people[name])

    async def roles(self, team: str) -> dict[str, str]:
        """What each member of a team is in it, by first name."""
        listed = await self.speaker("Ada").get(f"{team}/members")
        return {
            item["organization"]["user"]["displayName"].split()[0]: item["team"]["role"] for item in listed["items"]
        }


@pytest.fixture
async def crew(platform: Platform, organization: str) -> Crew:
    made = Crew(platform, organization)
    await made.gather()
    return made


async def titles(speaker: Speaker, path: str, **query: Any) -> list[str]:
    listed = await speaker.get(path, **query)
    assert listed["count"] == len(listed["items"])
    return [item["title"] for item in listed["items"]]


async def test_a_team_says_what_it_is(ada: Speaker, organization: str, crew: Crew) -> None:
    made = await ada.get(crew.writers)
    assert made == {
        "object": "team",
        "id": crew.writers.rpartition("/")[2],
        "title": "Writers",
        "members": 2,
        "spaces": 0,
        "createdAt": "2026-03-02T09:00:00.000Z",
        "permissions": {"admin": True, "view": True},
    }


async def test_the_maker_owns_it_where_they_are_in_it(ada: Speaker, crew: Crew) -> None:
    people = crew.people
    body = {"title": "All", "members": [people["Max"], people["Ada"], people["Max"]]}
    made = await ada.send("PUT", crew.teams, body, 201)
    assert made["members"] == 2
    assert await crew.roles(f"{crew.teams}/{made['id']}") == {"Ada": "owner", "Max": "member"}
    empty = await ada.send("PUT", crew.teams, {"title": "None", "members": []}, 201)
    assert empty["members"] == 0


async def test_the_same_body_twice_makes_two_teams(ada: Speaker, crew: Crew) -> None:
    made = [(await ada.send("PUT", crew.teams, {"title": "Twins", "members": []}, 201))["id"] for _ in range(2)]
    assert len(set(made)) == 2


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "title: is required; members: is required"),
        ({"title": "", "members": []}, "title: at least 1 character"),
        ({"title": None, "members": []}, "title: must be a string"),
        ({"title": "Writers", "members": None}, "members: must be a list"),
        ({"title": "Writers", "members": [1]}, "members[0]: must be a string"),
        ({"title": "Writers", "members": [], "color": "red"}, "color: is not a field of this request"),
    ],
)
async def test_what_a_team_cannot_be_made_of(
    ada: Speaker, organization: str, body: dict[str, Any], complaint: str
) -> None:
    path = f"/orgs/{organization}/teams"
    assert await ada.refused("PUT", path, 400, body) == complaint
    assert await titles(ada, path) == []


async def test_who_is_not_a_member_is_named_by_their_place(ada: Speaker, crew: Crew) -> None:
    for nobody in (crew.people["Sam"], "unknown", "\x00"):
        body = {"title": "Odd", "members": [crew.people["Max"], nobody]}
        assert (await ada.refused("PUT", crew.teams, 400, body)).startswith("members[1]: ")
    assert await titles(ada, crew.teams, title="Odd") == []


async def test_half_a_character_is_refused(ada: Speaker, crew: Crew) -> None:
    answer = await ada.request("PUT", crew.teams, content=rb'{"title": "\ud800", "members": []}')
    assert answer.status_code == 400


async def test_any_text_is_a_title(ada: Speaker, crew: Crew) -> None:
    for title in ("x", " ", "\x00\x07", "🏳️‍🌈" * 1000):
        made = await ada.send("PUT", crew.teams, {"title": title, "members": []}, 201)
        assert (await ada.get(f"{crew.teams}/{made['id']}"))["title"] == title
        assert title in await titles(ada, crew.teams, title=title)


async def test_by_title_in_any_case(ada: Speaker, crew: Crew) -> None:
    assert await titles(ada, crew.teams) == await titles(ada, crew.teams, title="")
    assert await titles(ada, crew.teams, title="WRIT") == ["Writers"]
    assert await titles(ada, crew.teams, title="ÉDIT") == ["Éditeurs"]
    assert await titles(ada, crew.teams, title="%") == []


async def test_by_who_can_manage_them(ada: Speaker, organization: str, crew: Crew) -> None:
    people = crew.people
    assert await titles(ada, crew.teams, owner=people["Oda"]) == ["Writers"]
    assert await titles(ada, crew.teams, owner=people["Oda"], title="édit") == []
    assert set(await titles(ada, crew.teams, owner=people["Ada"])) == {"Writers", "Éditeurs"}
    for other in (people["Max"], people["Gil"], people["Sam"], "unknown", ""):
        assert await titles(ada, crew.teams, owner=other) == []
    crew.platform.database.write_now(
        lambda connection: connection.execute("UPDATE members SET disabled = 1 WHERE user = ?", people["Oda"])
    )
    assert await titles(ada, crew.teams, owner=people["Oda"]) == []


async def test_a_team_shares_the_spaces_that_all_of_it_may_see(ada: Speaker, organization: str, crew: Crew) -> None:
    for level in ("inherit", "read", None):
        space = await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201)
        await ada.send("PATCH", f"/spaces/{space['id']}", {"defaultLevel": level})
    people = crew.people

    async def count_shared(*names: str) -> int:
        body = {"title": "Some", "members": [people[name] for name in names]}
        return int((await ada.send("PUT", crew.teams, body, 201))["spaces"])

    assert [await count_shared("Ada"), await count_shared("Max"), await count_shared("Gil")] == [3, 2, 1]
    assert [await count_shared("Ada", "Max"), await count_shared("Ada", "Max", "Gil"), await count_shared()] == [
        2,
        1,
        0,
    ]
    crew.platform.database.write_now(
        lambda connection: connection.execute("UPDATE members SET disabled = 1 WHERE user = ?", people["Gil"])
    )
    assert [await count_shared("Ada", "Gil"), await count_shared("Gil")] == [3, 0]


async def test_renaming(ada: Speaker, crew: Crew) -> None:
    for _ in range(2):
        renamed = await ada.send("PATCH", crew.writers, {"title": "Authors"})
        assert (renamed["title"], renamed["members"]) == ("Authors", 2)
    assert await ada.get(crew.writers) == renamed
    for body, complaint in (({}, "is required"), ({"title": ""}, "at least 1"), ({"title": None}, "must be a string")):
        assert complaint in await ada.refused("PATCH", crew.writers, 400, body)
    assert await ada.get(crew.writers) == renamed


async def test_deleting_leaves_the_members(ada: Speaker, organization: str, crew: Crew) -> None:
    for _ in range(2):
        await ada.send("DELETE", crew.writers, status=204)
    assert await titles(ada, crew.teams) == ["Éditeurs"]
    await ada.refused("GET", crew.writers, 404)
    await ada.refused("GET", f"{crew.writers}/members", 404)
    members = (await ada.get(f"/orgs/{organization}/members"))["items"]
    assert {member["id"]: member["teams"] for member in members}[crew.people["Max"]] == 0
    assert len(members) == 5


async def test_who_leaves_the_organization_leaves_its_teams(ada: Speaker, crew: Crew) -> None:
    crew.platform.database.write_now(
        lambda connection: connection.execute("DELETE FROM members WHERE user = ?", crew.people["Oda"])
    )
    assert await crew.roles(crew.writers) == {"Max": "member"}
    assert (await ada.get(crew.writers))["members"] == 1


async def test_an_organization_takes_its_teams_with_it(ada: Speaker, crew: Crew) -> None:
    team = crew.writers.rpartition("/")[2]
    await ada.send("POST", f"/orgs/{crew.organization}/saml", {"label": "ID", "defaultTeam": team}, 201)

    def work(connection: Any) -> dict[str, int]:
        directory.delete_organization(crew.platform.context(connection), crew.organization)
        tables = ("teams", "team_members", "saml_providers")
        return {table: connection.value(f"SELECT count(*) FROM {table}") for table in tables}

    assert crew.platform.database.write_now(work) == {"teams": 0, "team_members": 0, "saml_providers": 0}


@pytest.fixture
def elsewhere(crew: Crew) -> str:
    """Another organization, of which Ada is an admin and Sam a member."""

    def work(connection: Any) -> str:
        context = crew.platform.context(connection)
        made = directory.create_organization(context, "Elsewhere")
        directory.add_member(context, made, context.caller, "admin")
        directory.add_member(context, made, crew.people["Sam"], "read")
        return made

    return crew.platform.database.write_now(work)


async def test_a_team_of_another_organization_is_not_there(ada: Speaker, crew: Crew, elsewhere: str) -> None:
    team = crew.writers.replace(crew.organization, elsewhere)
    member = f"{team}/members/{crew.people['Ada']}"
    await ada.refused("GET", team, 404)
    await ada.refused("PATCH", team, 404, {"title": "Mine"})
    await ada.refused("GET", f"{team}/members", 404)
    await ada.refused("PUT", f"{team}/members", 404, {})
    await ada.refused("PUT", member, 404, {})
    await ada.refused("DELETE", member, 404)
    await ada.send("DELETE", team, status=204)
    assert (await ada.get(crew.writers))["title"] == "Writers"


async def test_members_of_another_organization_are_unknown_here(ada: Speaker, crew: Crew, elsewhere: str) -> None:
    people = crew.people
    await ada.refused("PUT", crew.teams, 400, {"title": "Odd", "members": [people["Sam"]]})
    await ada.refused("PUT", f"{crew.writers}/members", 400, {"add": [people["Sam"]]})
    await ada.refused("PUT", f"{crew.writers}/members/{people['Sam']}", 404, {})
    there = f"/orgs/{elsewhere}"
    await ada.send("PUT", f"{there}/teams", {"title": "Ours", "members": [people["Ada"], people["Sam"]]}, 201)
    assert await titles(ada, crew.teams, owner=people["Sam"]) == []
    for organization, teams in ((crew.organization, 0), (elsewhere, 1)):
        members = (await ada.get(f"/orgs/{organization}/members"))["items"]
        assert {each["id"]: each["teams"] for each in members}[people["Ada"]] == teams
        own = await ada.get(f"/orgs/{organization}/members/{people['Ada']}/teams")
        assert own["count"] == len(own["items"]) == teams


async def test_a_disabled_member_sees_nothing(ada: Speaker, organization: str, crew: Crew) -> None:
    await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201)
    crew.platform.database.write_now(
        lambda connection: connection.execute("UPDATE members SET disabled = 1 WHERE user = ?", crew.people["Max"])
    )
    listed = await ada.get(f"{crew.writers}/members")
    spaces = {each["organization"]["id"]: each["organization"]["spaces"] for each in listed["items"]}
    assert spaces == {crew.people["Oda"]: 1, crew.people["Max"]: 0}


async def test_the_members_of_a_team_by_name(ada: Speaker, organization: str, crew: Crew) -> None:
    listed = await ada.get(f"{crew.writers}/members")
    assert listed["count"] == 2
    oda = listed["items"][1]
    assert [each["organization"]["id"] for each in listed["items"]] == [crew.people["Max"], crew.people["Oda"]]
    assert oda["team"] == {"role": "owner"}
    assert oda["permissions"] == {"view": True}
    assert oda["organization"]["teams"] == 1
    members = await ada.get(f"/orgs/{organization}/members")
    assert oda["organization"] in members["items"]


async def test_a_guest_sees_no_more_of_the_others_than_that_they_are_there(crew: Crew) -> None:
    ada, gil = crew.speaker("Ada"), crew.speaker("Gil")
    await ada.send("PUT", f"{crew.editors}/members/{crew.people['Max']}", {}, 204)
    listed = await gil.get(f"{crew.editors}/members")
    views = {each["organization"]["id"]: each["permissions"]["view"] for each in listed["items"]}
    assert views == {crew.people["Gil"]: True, crew.people["Max"]: False}


async def test_members_come_leave_and_change_at_once(ada: Speaker, crew: Crew) -> None:
    people = crew.people
    body = {
        "add": [people["Rosa"], people["Oda"], people["Rosa"]],
        "remove": [people["Max"], "unknown"],
        "memberships": {people["Ada"]: {"role": "owner"}, people["Rosa"]: {}},
    }
    for _ in range(2):
        await ada.send("PUT", f"{crew.writers}/members", body, 204)
        assert await crew.roles(crew.writers) == {"Ada": "owner", "Oda": "owner", "Rosa": "member"}
    roles = {people["Oda"]: {"role": "member"}, people["Ada"]: {}}
    await ada.send("PUT", f"{crew.writers}/members", {"memberships": roles}, 204)
    assert await crew.roles(crew.writers) == {"Ada": "owner", "Oda": "member", "Rosa": "member"}
    await ada.send("PUT", f"{crew.writers}/members", {}, 204)
    assert len(await crew.roles(crew.writers)) == 3


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"add": ["Rosa", "Sam"], "remove": ["Max"]}, "add[1]"),
        ({"add": ["Rosa"], "memberships": {"Sam": {"role": "owner"}}}, "memberships.Sam"),
        ({"add": ["Rosa", "Max"], "remove": ["Oda", "Max"]}, "add[1]"),
        ({"remove": ["Max"], "memberships": {"Max": {}}}, "memberships.Max"),
        ({"add": ["Rosa"], "memberships": {"Oda": {"role": "admin"}}}, "memberships.Oda.role"),
        ({"add": ["Rosa"], "memberships": {"Oda": {"role": None}}}, "memberships.Oda.role"),
        ({"add": None}, "add"),
        ({"remove": None}, "remove"),
        ({"memberships": None}, "memberships"),
    ],
)
async def test_a_change_of_members_that_cannot_be_made_changes_nothing(
    ada: Speaker, crew: Crew, change: dict[str, Any], place: str
) -> None:
    people = crew.people
    body = {name: [people[each] for each in ids] if isinstance(ids, list) else ids for name, ids in change.items()}
    if body.get("memberships"):
        body["memberships"] = {people[each]: role for each, role in change["memberships"].items()}
    for name, user in people.items():
        place = place.replace(name, user)
    message = await ada.refused("PUT", f"{crew.writers}/members", 400, body)
    assert message.startswith(f"{place}: ")
    assert "dictionary" not in message
    assert await crew.roles(crew.writers) == {"Oda": "owner", "Max": "member"}


async def test_one_member_comes_in_and_changes(ada: Speaker, crew: Crew) -> None:
    rosa = f"{crew.writers}/members/{crew.people['Rosa']}"
    for body, role in (({}, "member"), ({"role": "owner"}, "owner"), ({}, "owner"), ({"role": "member"}, "member")):
        for _ in range(2):
            await ada.send("PUT", rosa, body, 204)
            assert (await crew.roles(crew.writers))["Rosa"] == role
    wrong: tuple[dict[str, Any], ...] = ({"role": "admin"}, {"role": None}, {"level": "owner"})
    for each in wrong:
        await ada.refused("PUT", rosa, 400, each)
    for nobody in (crew.people["Sam"], "unknown", "%00"):
        await ada.refused("PUT", f"{crew.writers}/members/{nobody}", 404, {})


async def test_one_member_leaves(ada: Speaker, crew: Crew) -> None:
    for nobody in (crew.people["Max"], crew.people["Max"], crew.people["Rosa"], crew.people["Sam"], "unknown"):
        await ada.send("DELETE", f"{crew.writers}/members/{nobody}", status=204)
    assert await crew.roles(crew.writers) == {"Oda": "owner"}


async def test_the_teams_of_a_member(ada: Speaker, organization: str, crew: Crew) -> None:
    people = crew.people
    await ada.send("PUT", f"{crew.editors}/members/{people['Oda']}", {}, 204)
    path = f"/orgs/{organization}/members/{people['Oda']}/teams"
    listed = await ada.get(path)
    assert listed["count"] == 2
    assert {each["team"]["title"]: each["member"]["role"] for each in listed["items"]} == {
        "Writers": "owner", "Éditeurs": "member",
    }  # fmt: skip
    (found,) = (await ada.get(path, title="éDIT"))["items"]
    assert found["team"] == await ada.get(crew.editors)
    assert (await ada.get(path, title="%"))["items"] == []
    assert (await ada.get(f"/orgs/{organization}/members/{people['Rosa']}/teams"))["items"] == []
    for nobody in (people["Sam"], "unknown"):
        await ada.refused("GET", f"/orgs/{organization}/members/{nobody}/teams", 404)


async def test_unknown_teams(ada: Speaker, organization: str, crew: Crew) -> None:
    for place in (f"{crew.teams}/unknown", f"{crew.teams}/%00", "/orgs/unknown/teams/unknown"):
        await ada.refused("GET", place, 404)
        await ada.refused("PATCH", place, 404, {"title": "New"})
        await ada.refused("GET", f"{place}/members", 404)
        await ada.refused("PUT", f"{place}/members", 404, {})
        await ada.refused("PUT", f"{place}/members/{crew.people['Max']}", 404, {})
        await ada.refused("DELETE", f"{place}/members/{crew.people['Max']}", 404)
    await ada.send("DELETE", f"{crew.teams}/unknown", status=204)
    for method, body in (("GET", None), ("PUT", {"title": "New", "members": []}), ("DELETE", None)):
        path = "/orgs/unknown/teams" + ("/unknown" if method == "DELETE" else "")
        await ada.refused(method, path, 404, body)


# Who may do what: 200 stands for any success, and a stranger does not even see the organization. The owner's role in
# the organization is read.

WHO = ("admin", "create", "review", "edit", "comment", "read", "guest", "owner", "stranger")
SEEING = dict(zip(WHO, (200, 200, 200, 200, 200, 200, 404, 200, 404), strict=True))
LISTING = dict(zip(WHO, (200, 200, 200, 200, 200, 200, 403, 200, 404), strict=True))
MANAGING = dict(zip(WHO, (200, 403, 403, 403, 403, 403, 404, 200, 404), strict=True))
ADMINISTRATING = dict(zip(WHO, (200, 403, 403, 403, 403, 403, 403, 403, 404), strict=True))

ALLOWED: tuple[tuple[str, str, Any, dict[str, int]], ...] = (
    ("GET", "{teams}", None, LISTING),
    ("GET", "{writers}", None, SEEING),
    ("GET", "{writers}/members", None, SEEING),
    ("GET", "{members}/{max}/teams", None, LISTING),
    ("PUT", "{teams}", {"title": "New", "members": []}, ADMINISTRATING),
    ("PATCH", "{writers}", {"title": "New"}, MANAGING),
    ("PUT", "{writers}/members", {"add": []}, MANAGING),
    ("PUT", "{writers}/members/{max}", {"role": "owner"}, MANAGING),
    ("DELETE", "{writers}/members/{max}", None, MANAGING),
    ("DELETE", "{writers}/members/unknown", None, MANAGING),
    ("DELETE", "{teams}/unknown", None, ADMINISTRATING),
    ("DELETE", "{writers}", None, ADMINISTRATING),
)


@pytest.mark.parametrize("who", WHO)
async def test_what_each_may_do(crew: Crew, who: str) -> None:
    if who in ("owner", "stranger"):
        speaker = crew.speaker("Oda" if who == "owner" else "Sam")
    else:
        role = next((each for each in ROLES if each == who), None)
        speaker = Speaker(crew.platform, join(crew.platform, crew.organization, "Nora Newcomer", role))
    members = f"/orgs/{crew.organization}/members"
    found, expected = {}, {}
    for method, path, body, allowed in ALLOWED:
        where = path.format(teams=crew.teams, writers=crew.writers, max=crew.people["Max"], members=members)
        before = await everything(crew)
        answer = await speaker.request(method, where, json=body)
        found[method, path] = 200 if answer.is_success else answer.status_code
        expected[method, path] = allowed[who]
        assert answer.is_success or await everything(crew) == before
    assert found == expected


async def everything(crew: Crew) -> list[Any]:
    """All that there is to see of all teams."""
    ada = crew.speaker("Ada")
    teams = (await ada.get(crew.teams))["items"]
    return [teams, *[await ada.get(f"{crew.teams}/{team['id']}/members") for team in teams]]


@pytest.mark.parametrize(
    ("who", "writers", "editors"),
    [("Ada", (True, True), (True, True)), ("Oda", (True, True), (False, True)), ("Max", (False, True), (False, True))],
)
async def test_permissions_are_the_callers(
    crew: Crew, who: str, writers: tuple[bool, bool], editors: tuple[bool, bool]
) -> None:
    speaker = crew.speaker(who)
    for path, (admin, view) in ((crew.writers, writers), (crew.editors, editors)):
        assert (await speaker.get(path))["permissions"] == {"admin": admin, "view": view}


async def test_a_guest_sees_the_teams_they_are_in(crew: Crew) -> None:
    gil = crew.speaker("Gil")
    assert (await gil.get(crew.editors))["permissions"] == {"admin": False, "view": True}
    own = await gil.get(f"/orgs/{crew.organization}/members/{crew.people['Gil']}/teams")
    assert [each["team"]["title"] for each in own["items"]] == ["Éditeurs"]
    await gil.refused("GET", crew.writers, 404)


async def test_a_disabled_owner_manages_no_more(crew: Crew) -> None:
    crew.platform.database.write_now(
        lambda connection: connection.execute("UPDATE members SET disabled = 1 WHERE user = ?", crew.people["Oda"])
    )
    await crew.speaker("Oda").refused("PATCH", crew.writers, 404, {"title": "Mine"})


# Pages


async def walk(speaker: Speaker, path: str, change: Callable[[int], Any], **query: Any) -> list[dict[str, Any]]:
    """Page through a list two by two and change something after each page."""
    found: list[dict[str, Any]] = []
    page: dict[str, Any] = {}
    for at in range(100):
        answer = await speaker.get(path, limit=2, **page, **query)
        found += answer["items"]
        if "next" not in answer:
            return found
        page = {"page": answer["next"]["page"]}
        await change(at)
    raise AssertionError("the list has no end")


async def test_pages_of_teams_while_teams_come_and_go(
    ada: Speaker, organization: str, clock: FrozenClock, crew: Crew
) -> None:
    stay: list[str] = []
    go: list[str] = []
    for at in range(12):
        clock.advance(minutes=1)
        team = (await ada.send("PUT", crew.teams, {"title": f"Team {at}", "members": [crew.people["Max"]]}, 201))["id"]
        (go if at % 3 == 0 else stay).append(team)

    async def change(_: int) -> None:
        if go:
            await ada.send("DELETE", f"{crew.teams}/{go.pop()}", status=204)
        await ada.send("PUT", crew.teams, {"title": "Team new", "members": [crew.people["Max"]]}, 201)

    leaving = [*go]
    seen = [each["id"] for each in await walk(ada, crew.teams, change, title="team")]
    assert len(seen) == len(set(seen))
    assert [each for each in seen if each in stay] == stay
    go[:] = [each for each in leaving if each in seen]
    path = f"/orgs/{organization}/members/{crew.people['Max']}/teams"
    seen = [each["team"]["id"] for each in await walk(ada, path, change)]
    assert len(seen) == len(set(seen))
    assert [each for each in seen if each in stay] == stay


async def test_pages_of_a_team_while_members_come_and_go(ada: Speaker, organization: str, crew: Crew) -> None:
    people = [join(crew.platform, organization, f"{name} Twin", "read") for name in "BBCCDDEEFF"]
    await ada.send("PUT", f"{crew.writers}/members", {"add": people}, 204)
    leaving, coming = people[::3], [join(crew.platform, organization, f"{name} New", "read") for name in "AZCEF"]
    staying = sorted(set(people) - set(leaving))

    async def change(at: int) -> None:
        body = {"add": coming[at : at + 1], "remove": leaving[at : at + 1]}
        await ada.send("PUT", f"{crew.writers}/members", body, 204)

    seen = [each["organization"]["id"] for each in await walk(ada, f"{crew.writers}/members", change)]
    assert len(seen) == len(set(seen))
    assert sorted(set(seen) & set(staying)) == staying


@pytest.mark.parametrize("limit", [0, 1001, "many", 10**30])
async def test_a_limit_out_of_bounds_is_refused(ada: Speaker, organization: str, crew: Crew, limit: Any) -> None:
    mine = f"/orgs/{organization}/members/{crew.people['Ada']}/teams"
    for path in (crew.teams, f"{crew.writers}/members", mine):
        assert (await ada.refused("GET", path, 400, limit=limit)).startswith("limit: ")
        for good in (1, 1000):
            await ada.get(path, limit=good)


async def test_a_page_of_another_list_is_refused(ada: Speaker, organization: str, crew: Crew) -> None:
    people, members = crew.people, f"/orgs/{organization}/members"
    await ada.send("PUT", f"{crew.editors}/members", {"add": [people["Max"], people["Oda"]]}, 204)
    lists: list[tuple[str, dict[str, Any]]] = [
        (crew.teams, {}),
        (crew.teams, {"title": "e"}),
        (crew.teams, {"title": "t"}),
        (crew.teams, {"owner": people["Ada"]}),
        (f"{crew.writers}/members", {}),
        (f"{crew.editors}/members", {}),
        (f"{members}/{people['Max']}/teams", {}),
        (f"{members}/{people['Oda']}/teams", {}),
        (f"{members}/{people['Oda']}/teams", {"title": "e"}),
        (f"{members}/{people['Oda']}/teams", {"title": "t"}),
    ]
    for one in lists:
        page = (await ada.get(one[0], limit=1, **one[1]))["next"]["page"]
        for path, query in lists:
            answer = await ada.request("GET", path, params={**query, "page": page})
            assert answer.status_code == (200 if one == (path, query) else 400)
