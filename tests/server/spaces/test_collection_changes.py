from __future__ import annotations

from typing import Any

import pytest

from recto.server.people import directory
from recto.server.platform import Platform
from support.platform import Speaker
from support.shelves import PEOPLE, Shelf, person


@pytest.fixture
async def shelf(platform: Platform, ada: Speaker, organization: str) -> Shelf:
    """A space, the collection ``Box`` with a space, the collection ``Drawer`` and a space in it, and a last space."""
    made = Shelf(platform, ada, organization)
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


async def test_it_comes_last_in_its_parent(shelf: Shelf) -> None:
    await shelf.collection("Cabinet")
    await shelf.collection("Case", "Box")
    order = await shelf.order()
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
async def test_what_is_wrong_is_named(shelf: Shelf, organization: str, body: dict[str, Any], message: str) -> None:
    before = await shelf.speaker.get(shelf.path("Box"))
    assert await shelf.speaker.refused("POST", f"/orgs/{organization}/collections", 400, body) == message
    assert await shelf.speaker.refused("PATCH", shelf.path("Box"), 400, body) == message
    assert await shelf.speaker.get(shelf.path("Box")) == before


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"description": "x" * 101}, "description: at most 100 characters"),
        ({"description": False}, "description: must be a string"),
        ({"defaultLevel": "owner"}, "defaultLevel"),
        ({"parent": None}, "parent: is not a field of this request"),
    ],
)
async def test_what_cannot_be_changed_is_refused(shelf: Shelf, body: dict[str, Any], message: str) -> None:
    assert (await shelf.speaker.refused("PATCH", shelf.path("Box"), 400, body)).startswith(message)


async def test_the_parent_must_be_a_collection_of_the_organization(
    platform: Platform, shelf: Shelf, organization: str
) -> None:
    def elsewhere(context: Any) -> str:
        return directory.create_collection(context, directory.create_organization(context, "Other"), "Far")

    far = platform.database.write_now(lambda connection: elsewhere(platform.context(connection)))
    for parent in ("unknown", far, shelf.ids["one"]):
        message = await shelf.speaker.refused("POST", f"/orgs/{organization}/collections", 400, {"parent": parent})
        assert message == f"parent: there is no collection {parent} in this organization"


async def test_null_a_value_and_left_out_are_three_things(shelf: Shelf) -> None:
    path = shelf.path("Box")
    first = await shelf.speaker.send("PATCH", path, {"description": "All", "defaultLevel": "edit"})
    assert (first["description"], first["defaultLevel"]) == ("All", "edit")
    assert await shelf.speaker.send("PATCH", path, {}) == first
    assert await shelf.speaker.send("PATCH", path, {"title": "Chest"}) == first | {"title": "Chest"}
    bare = await shelf.speaker.send("PATCH", path, {"description": "", "defaultLevel": None})
    assert "description" not in bare
    assert bare["defaultLevel"] is None
    assert await shelf.speaker.get(path) == bare


@pytest.mark.parametrize("level", ["admin", "create", "review", "edit", "comment", "read", "inherit", None])
async def test_a_default_level_is_a_role_or_inherit_or_null(shelf: Shelf, level: str | None) -> None:
    await shelf.speaker.send("PATCH", shelf.path("Box"), {"defaultLevel": level})
    assert (await shelf.speaker.get(shelf.path("Box")))["defaultLevel"] == level


async def test_what_is_in_a_removed_collection_takes_its_place(shelf: Shelf) -> None:
    await shelf.speaker.send("DELETE", shelf.path("Box"), status=204)
    assert await shelf.order() == {None: ["one", "two", "Drawer", "three", "last"], "Drawer": ["deep"]}
    for name, visibility in (("two", "private"), ("three", "private"), ("deep", "in-collection")):
        assert (await shelf.speaker.get(shelf.path(name)))["visibility"] == visibility
    await shelf.speaker.refused("GET", shelf.path("Box"), 404)
    await shelf.speaker.send("DELETE", shelf.path("Box"), status=204)
    await shelf.speaker.send("DELETE", shelf.path("Drawer"), status=204)
    assert await shelf.order() == {None: ["one", "two", "deep", "three", "last"]}


async def test_within_another_collection_they_stay_in_that(shelf: Shelf) -> None:
    await shelf.speaker.send("DELETE", shelf.path("Drawer"), status=204)
    assert (await shelf.order())["Box"] == ["two", "deep", "three"]
    assert (await shelf.speaker.get(shelf.path("deep")))["visibility"] == "in-collection"


@pytest.mark.parametrize("level", ["comment", None, "inherit"])
async def test_access_stays_the_same_when_a_collection_goes(
    platform: Platform, organization: str, shelf: Shelf, level: str | None
) -> None:
    await shelf.speaker.send("PATCH", shelf.path("Box"), {"defaultLevel": level})
    await shelf.speaker.send("PATCH", shelf.path("three"), {"defaultLevel": "review"})
    pat = person(platform, organization, "edit")

    async def list_grants() -> dict[str, Any]:
        answers = {name: (await pat.request("GET", shelf.path(name))).json() for name in ("two", "three", "deep")}
        return {name: answer.get("permissions") for name, answer in answers.items()}

    before = await list_grants()
    await shelf.speaker.send("DELETE", shelf.path("Box"), status=204)
    assert await list_grants() == before
    assert (await shelf.speaker.get(shelf.path("two")))["defaultLevel"] == level
    assert (await shelf.speaker.get(shelf.path("three")))["defaultLevel"] == "review"


async def test_a_deleted_space_comes_back_to_where_its_collection_was(shelf: Shelf) -> None:
    await shelf.speaker.send("DELETE", shelf.path("two"), status=204)
    await shelf.speaker.send("DELETE", shelf.path("Box"), status=204)
    restored = await shelf.speaker.send("POST", f"{shelf.path('two')}/restore")
    assert ("parent" in restored, restored["visibility"]) == (False, "private")
    assert (await shelf.order())[None] == ["one", "two", "Drawer", "three", "last"]


@pytest.mark.parametrize("role", PEOPLE)
async def test_who_may_make_change_and_remove(platform: Platform, organization: str, shelf: Shelf, role: Any) -> None:
    pat = person(platform, organization, role)
    unseen = role in (None, "stranger")
    made = await pat.request("POST", f"/orgs/{organization}/collections", json={"title": "Mine"})
    assert made.status_code == (404 if role == "stranger" else 201 if role in ("admin", "create") else 403)
    inside = await pat.request("POST", f"/orgs/{organization}/collections", json={"parent": shelf.ids["Box"]})
    assert inside.status_code == (
        404 if role == "stranger" else 400 if role is None else 201 if role in ("admin", "create") else 403
    )
    changed = await pat.request("PATCH", shelf.path("Box"), json={"title": "Mine"})
    assert changed.status_code == (404 if unseen else 200 if role == "admin" else 403)
    removed = await pat.request("DELETE", shelf.path("Box"))
    assert removed.status_code == (204 if unseen or role == "admin" else 403)
    still = (await shelf.speaker.request("GET", shelf.path("Box"))).status_code
    assert still == (404 if role == "admin" else 200)
    seen = await pat.request("GET", shelf.path("Drawer"))
    if not unseen:
        assert seen.json()["permissions"] == {
            "view": True,
            "admin": role == "admin",
            "viewInviteLinks": role == "admin",
            "create": role in ("admin", "create"),
        }


async def test_the_level_of_the_collection_decides_who_may_make_one_in_it(
    platform: Platform, organization: str, shelf: Shelf
) -> None:
    pat, path = person(platform, organization, "read"), f"/orgs/{organization}/collections"
    body = {"parent": shelf.ids["Box"]}
    for level, status in (("create", 201), ("edit", 403), (None, 400)):
        await shelf.speaker.send("PATCH", shelf.path("Box"), {"defaultLevel": level})
        assert (await pat.request("POST", path, json=body)).status_code == status


async def test_what_is_not_there(ada: Speaker) -> None:
    await ada.refused("PATCH", "/collections/unknown", 404, {"title": "x"})
    await ada.send("DELETE", "/collections/unknown", status=204)
    await ada.refused("POST", "/orgs/unknown/collections", 404, {})
