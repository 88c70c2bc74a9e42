from __future__ import annotations

import pytest

from recto.server.context import Context
from recto.server.people import directory
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from support.platform import Speaker, join


@pytest.fixture
def shelves(platform: Platform, organization: str) -> dict[str, str]:
    """Two shelves, the second with one inside that only admins may see; a space in each, and one beside them."""

    def work(context: Context) -> dict[str, str]:
        made = {"outer": directory.create_collection(context, organization, "Outer", description="All of it")}
        made["space beside"] = add_space(context, organization, "Beside")
        made["second"] = directory.create_collection(context, organization, "Second")
        made["inner"] = directory.create_collection(context, organization, "Inner", made["second"])
        context.database.update("collections", made["inner"], default_level=None)
        for name in ("outer", "second", "inner"):
            made[f"space {name}"] = add_space(context, organization, name, parent=made[name])
        return made

    return platform.database.write_now(lambda connection: work(platform.context(connection)))


async def test_all_collections_or_those_at_the_top(ada: Speaker, organization: str, shelves: dict[str, str]) -> None:
    everything = await ada.get(f"/orgs/{organization}/collections")
    assert {each["id"] for each in everything["items"]} == {shelves["outer"], shelves["second"], shelves["inner"]}
    top = await ada.get(f"/orgs/{organization}/collections", nested="false")
    assert [each["title"] for each in top["items"]] == ["Outer", "Second"]
    assert top["count"] == 2


async def test_a_collection_says_what_it_is(ada: Speaker, organization: str, shelves: dict[str, str]) -> None:
    outer = await ada.get(f"/collections/{shelves['outer']}")
    assert outer == {
        "object": "collection",
        "id": shelves["outer"],
        "title": "Outer",
        "description": "All of it",
        "organization": organization,
        "defaultLevel": "inherit",
        "urls": {
            "app": f"http://recto.test/c/{shelves['outer']}",
            "location": f"http://recto.test/v1/collections/{shelves['outer']}",
        },
        "permissions": {"view": True, "admin": True, "viewInviteLinks": True, "create": True},
    }
    inner = await ada.get(f"/collections/{shelves['inner']}")
    assert (inner["parent"], inner["defaultLevel"]) == (shelves["second"], None)


async def test_only_the_spaces_directly_in_it_are_listed(ada: Speaker, shelves: dict[str, str]) -> None:
    listed = await ada.get(f"/collections/{shelves['second']}/spaces")
    assert [space["id"] for space in listed["items"]] == [shelves["space second"]]
    assert listed["items"][0]["visibility"] == "in-collection"


async def test_what_a_member_may_not_see_is_not_there(
    platform: Platform, organization: str, shelves: dict[str, str]
) -> None:
    rosa = Speaker(platform, join(platform, organization, "Rosa Reader", "read"))
    listed = await rosa.get(f"/orgs/{organization}/collections")
    assert [each["title"] for each in listed["items"]] == ["Outer", "Second"]
    assert listed["items"][0]["permissions"] == {
        "view": True, "admin": False, "viewInviteLinks": False, "create": False,
    }  # fmt: skip
    for path in ("", "/spaces"):
        await rosa.refused("GET", f"/collections/{shelves['inner']}{path}", 404)
    spaces = await rosa.get(f"/orgs/{organization}/spaces")
    assert shelves["space inner"] not in {space["id"] for space in spaces["items"]}
    assert spaces["count"] == 3


async def test_an_unknown_collection_is_a_404(ada: Speaker) -> None:
    for path in ("/collections/unknown", "/collections/unknown/spaces"):
        assert "unknown" in await ada.refused("GET", path, 404)
