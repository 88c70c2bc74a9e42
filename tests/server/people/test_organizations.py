from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from recto.server.context import Context
from recto.server.people import directory
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from recto.server.storage.database import Connection
from support.platform import Speaker, join, stranger


async def test_only_ones_own_organizations_are_listed(platform: Platform, ada: Speaker, organization: str) -> None:
    def find(name: str) -> str:
        return platform.database.write_now(lambda c: directory.create_organization(platform.context(c), name))

    hidden, second = find("Hidden"), find("Second")
    platform.database.write_now(lambda c: directory.add_member(platform.context(c), second, platform.owner, "comment"))
    listed = await ada.get("/orgs")
    assert {each["id"] for each in listed["items"]} == {organization, second}
    assert listed["count"] == 2
    assert hidden in await ada.refused("GET", f"/orgs/{hidden}", 404)


async def test_permissions_are_the_callers(platform: Platform, ada: Speaker, organization: str) -> None:
    async def permissions(speaker: Speaker) -> set[str]:
        answer = await speaker.get(f"/orgs/{organization}")
        return {name for name, allowed in answer["permissions"].items() if allowed}

    creates = {"createContent", "createOpenAPISpec"}
    assert await permissions(ada) == {"view", "access", "admin", "ownTeam", "listMembers", "listTeams"} | creates
    creator = Speaker(platform, join(platform, organization, "Carl Creator", "create"))
    assert await permissions(creator) == {"view", "access", "listMembers", "listTeams"} | creates
    reader = Speaker(platform, join(platform, organization, "Rosa Reader", "read"))
    assert await permissions(reader) == {"view", "access", "listMembers", "listTeams"}
    gil = join(platform, organization, "Gil Guest", None)
    assert await permissions(Speaker(platform, gil)) == {"view", "access"}
    team = await ada.send("PUT", f"/orgs/{organization}/teams", {"title": "Writers", "members": [gil]}, 201)
    assert await permissions(Speaker(platform, gil)) == {"view", "access"}
    await ada.send("PUT", f"/orgs/{organization}/teams/{team['id']}/members/{gil}", {"role": "owner"}, 204)
    assert await permissions(Speaker(platform, gil)) == {"view", "access", "ownTeam"}


async def test_a_stranger_sees_nothing(platform: Platform, organization: str) -> None:
    sam = Speaker(platform, stranger(platform))
    assert await sam.get("/orgs") == {"count": 0, "items": []}
    for path in ("", "/spaces", "/collections", "/members", "/sites"):
        await sam.refused("GET", f"/orgs/{organization}{path}", 404)


async def test_an_unknown_organization_is_a_404(ada: Speaker) -> None:
    assert await ada.refused("GET", "/orgs/unknown", 404) == "There is no organization unknown, or you may not see it."


async def test_a_token_of_a_deleted_user_says_so(platform: Platform) -> None:
    ghost = Speaker(platform, "nobody")
    await ghost.refused("GET", "/user", 404)
    assert (await ghost.get("/orgs"))["count"] == 0


async def test_deleting_an_organization_takes_all_that_it_holds(
    platform: Platform, ada: Speaker, organization: str, make_space: Callable[[str], str], site: Any
) -> None:
    space = make_space("Book")
    await site.group("Outer", await site.section("Section", space))
    await site.group("Inner", parent=(await ada.get(f"{site.path}/section-groups"))["items"][0]["id"])

    def work(context: Context) -> None:
        shelf = directory.create_collection(context, organization, "Shelf")
        add_space(
            context,
            organization,
            "Nested",
            parent=directory.create_collection(context, organization, "Inner shelf", shelf),
        )
        directory.delete_organization(context, organization)

    platform.database.write_now(lambda c: work(platform.context(c)))
    await ada.refused("GET", f"/spaces/{space}", 404)
    for table in ("members", "collections", "spaces", "revisions", "sites", "sections", "site_spaces"):
        left = partial(Connection.value, sql=f"SELECT count(*) FROM {table}")
        assert platform.database.read_now(left) == 0
