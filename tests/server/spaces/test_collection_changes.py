from __future__ import annotations

from typing import Any

import pytest

from recto.server.people import directory
from recto.server.platform import Platform
from support.organization_tree import PEOPLE, OrganizationTree, person
from support.platform import Speaker


@pytest.fixture
async def tree(platform: Platform, ada: Speaker, organization: str) -> OrganizationTree:
    """A space, the collection ``Box`` with a space, the collection ``Drawer`` and a space in it, and a last space."""
    made = OrganizationTree(platform, ada, organization)
    await made.space("one")
    await made.collection("Box")
    await made.space("last")
    await made.space("two", "Box")
    await made.collection("Drawer", "Box")
    await made.space("three", "Box")
    await made.space("deep", "Drawer")
    return made


async def test_a_new_collection_is_empty_and_open(ada: Speaker, organization: str) -> None:
    answer = await ada.request("POST", f"/orgs/{organization}/collections", json={"title": "Box"})
    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == made["urls"]["location"] == f"http://recto.test/v1/collections/{made['id']}"
    assert (made["title"], made["organization"], made["defaultLevel"]) == ("Box", organization, "inherit")
    assert made.keys() == {"object", "id", "title", "organization", "defaultLevel", "urls", "permissions"}
    assert await ada.get(f"/collections/{made['id']}") == made
    assert (await ada.get(f"/collections/{made['id']}/spaces"))["items"] == []


async def test_it_comes_last_in_its_parent(tree: OrganizationTree) -> None:
    await tree.collection("Cabinet")
    await tree.collection("Case", "Box")
    order = await tree.order()
    assert (order[None], order["Box"]) == (["one", "Box", "last", "Cabinet"], ["two", "Drawer", "three", "Case"])


async def test_the_same_call_twice_makes_two(ada: Speaker, organization: str) -> None:
    made = [await ada.send("POST", f"/orgs/{organization}/collections", {}, 201) for _ in range(2)]
    assert made[0]["id"] != made[1]["id"]
    assert [each["title"] for each in made] == ["Untitled", "Untitled"]


@pytest.mark.parametrize("title", ["x" * 50, "🏠" * 50, ""])
@pytest.mark.parametrize("description", ["x" * 100, ""])
async def test_what_fits(ada: Speaker, organization: str, title: str, description: str) -> None:
    made = await ada.send("POST", f"/orgs/{organization}/collections", {"title": title}, 201)
    path = f"/collections/{made['id']}"
    changed = await ada.send("PATCH", path, {"title": title, "description": description})
    assert (changed["title"], changed.get("description", "")) == (title, description)
    assert await ada.get(path) == changed


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"title": "x" * 51}, "title: at most 50 characters"),
        ({"title": None}, "title: must be a string"),
        ({"title": 5}, "title: must be a string"),
        ({"name": "Box"}, "name: is not a field of this request"),
    ],
)
async def test_what_is_wrong_is_named(
    tree: OrganizationTree, organization: str, body: dict[str, Any], message: str
) -> None:
    before = await tree.speaker.get(tree.path("Box"))
    assert await tree.speaker.refused("POST", f"/orgs/{organization}/collections", 400, body) == message
    assert await tree.speaker.refused("PATCH", tree.path("Box"), 400, body) == message
    assert await tree.speaker.get(tree.path("Box")) == before


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"description": "x" * 101}, "description: at most 100 characters"),
        ({"description": False}, "description: must be a string"),
        ({"defaultLevel": "owner"}, "defaultLevel"),
        ({"parent": None}, "parent: is not a field of this request"),
    ],
)
async def test_what_cannot_be_changed_is_refused(tree: OrganizationTree, body: dict[str, Any], message: str) -> None:
    assert (await tree.speaker.refused("PATCH", tree.path("Box"), 400, body)).startswith(message)


async def test_the_parent_must_be_a_collection_of_the_organization(
    platform: Platform, tree: OrganizationTree, organization: str
) -> None:
    def elsewhere(context: Any) -> str:
        return directory.create_collection(context, directory.create_organization(context, "Other"), "Far")

    far = platform.database.write_now(lambda connection: elsewhere(platform.context(connection)))
    for parent in ("unknown", far, tree.ids["one"]):
        message = await tree.speaker.refused("POST", f"/orgs/{organization}/collections", 400, {"parent": parent})
        assert message == f"parent: there is no collection {parent} in this organization"


async def test_null_a_value_and_left_out_are_three_things(tree: OrganizationTree) -> None:
    path = tree.path("Box")
    first = await tree.speaker.send("PATCH", path, {"description": "All", "defaultLevel": "edit"})
    assert (first["description"], first["defaultLevel"]) == ("All", "edit")
    assert await tree.speaker.send("PATCH", path, {}) == first
    assert await tree.speaker.send("PATCH", path, {"title": "Chest"}) == first | {"title": "Chest"}
    bare = await tree.speaker.send("PATCH", path, {"description": "", "defaultLevel": None})
    assert "description" not in bare
    assert bare["defaultLevel"] is None
    assert await tree.speaker.get(path) == bare


@pytest.mark.parametrize("level", ["admin", "create", "review", "edit", "comment", "read", "inherit", None])
async def test_a_default_level_is_a_role_or_inherit_or_null(tree: OrganizationTree, level: str | None) -> None:
    await tree.speaker.send("PATCH", tree.path("Box"), {"defaultLevel": level})
    assert (await tree.speaker.get(tree.path("Box")))["defaultLevel"] == level


async def test_what_is_in_a_removed_collection_takes_its_place(tree: OrganizationTree) -> None:
    await tree.speaker.send("DELETE", tree.path("Box"), status=204)
    assert await tree.order() == {None: ["one", "two", "Drawer", "three", "last"], "Drawer": ["deep"]}
    for name, visibility in (("two", "private"), ("three", "private"), ("deep", "in-collection")):
        assert (await tree.speaker.get(tree.path(name)))["visibility"] == visibility
    await tree.speaker.refused("GET", tree.path("Box"), 404)
    await tree.speaker.send("DELETE", tree.path("Box"), status=204)
    await tree.speaker.send("DELETE", tree.path("Drawer"), status=204)
    assert await tree.order() == {None: ["one", "two", "deep", "three", "last"]}


async def test_within_another_collection_they_stay_in_that(tree: OrganizationTree) -> None:
    await tree.speaker.send("DELETE", tree.path("Drawer"), status=204)
    assert (await tree.order())["Box"] == ["two", "deep", "three"]
    assert (await tree.speaker.get(tree.path("deep")))["visibility"] == "in-collection"


@pytest.mark.parametrize("level", ["comment", None, "inherit"])
async def test_access_stays_the_same_when_a_collection_goes(
    platform: Platform, organization: str, tree: OrganizationTree, level: str | None
) -> None:
    await tree.speaker.send("PATCH", tree.path("Box"), {"defaultLevel": level})
    await tree.speaker.send("PATCH", tree.path("three"), {"defaultLevel": "review"})
    pat = person(platform, organization, "edit")

    async def list_grants() -> dict[str, Any]:
        answers = {name: (await pat.request("GET", tree.path(name))).json() for name in ("two", "three", "deep")}
        return {name: answer.get("permissions") for name, answer in answers.items()}

    before = await list_grants()
    await tree.speaker.send("DELETE", tree.path("Box"), status=204)
    assert await list_grants() == before
    assert (await tree.speaker.get(tree.path("two")))["defaultLevel"] == level
    assert (await tree.speaker.get(tree.path("three")))["defaultLevel"] == "review"


async def test_a_deleted_space_comes_back_to_where_its_collection_was(tree: OrganizationTree) -> None:
    await tree.speaker.send("DELETE", tree.path("two"), status=204)
    await tree.speaker.send("DELETE", tree.path("Box"), status=204)
    restored = await tree.speaker.send("POST", f"{tree.path('two')}/restore")
    assert ("parent" in restored, restored["visibility"]) == (False, "private")
    assert (await tree.order())[None] == ["one", "two", "Drawer", "three", "last"]


@pytest.mark.parametrize("role", PEOPLE)
async def test_who_may_make_change_and_remove(
    platform: Platform, organization: str, tree: OrganizationTree, role: Any
) -> None:
    pat = person(platform, organization, role)
    unseen = role in (None, "stranger")
    made = await pat.request("POST", f"/orgs/{organization}/collections", json={"title": "Mine"})
    assert made.status_code == (404 if role == "stranger" else 201 if role in ("admin", "create") else 403)
    inside = await pat.request("POST", f"/orgs/{organization}/collections", json={"parent": tree.ids["Box"]})
    assert inside.status_code == (
        404 if role == "stranger" else 400 if role is None else 201 if role in ("admin", "create") else 403
    )
    changed = await pat.request("PATCH", tree.path("Box"), json={"title": "Mine"})
    assert changed.status_code == (404 if unseen else 200 if role == "admin" else 403)
    removed = await pat.request("DELETE", tree.path("Box"))
    assert removed.status_code == (204 if unseen or role == "admin" else 403)
    still = (await tree.speaker.request("GET", tree.path("Box"))).status_code
    assert still == (404 if role == "admin" else 200)
    seen = await pat.request("GET", tree.path("Drawer"))
    if not unseen:
        assert seen.json()["permissions"] == {
            "view": True,
            "admin": role == "admin",
            "viewInviteLinks": role == "admin",
            "create": role in ("admin", "create"),
        }


async def test_the_level_of_the_collection_decides_who_may_make_one_in_it(
    platform: Platform, organization: str, tree: OrganizationTree
) -> None:
    pat, path = person(platform, organization, "read"), f"/orgs/{organization}/collections"
    body = {"parent": tree.ids["Box"]}
    for level, status in (("create", 201), ("edit", 403), (None, 400)):
        await tree.speaker.send("PATCH", tree.path("Box"), {"defaultLevel": level})
        assert (await pat.request("POST", path, json=body)).status_code == status


async def test_what_is_not_there(ada: Speaker) -> None:
    await ada.refused("PATCH", "/collections/unknown", 404, {"title": "x"})
    await ada.send("DELETE", "/collections/unknown", status=204)
    await ada.refused("POST", "/orgs/unknown/collections", 404, {})
