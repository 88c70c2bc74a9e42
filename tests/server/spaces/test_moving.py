from __future__ import annotations

from typing import Any

import pytest

from recto.server.http.problems import BadRequest
from recto.server.people import directory
from recto.server.platform import Platform
from support.content import make_space
from support.organization_tree import PEOPLE, OrganizationTree, person, second_organization
from support.platform import FrozenClock, Speaker

AT_THE_TOP = ["one", "Box", "two", "Chest", "three"]


@pytest.fixture
async def tree(platform: Platform, ada: Speaker, organization: str) -> OrganizationTree:
    """Three spaces and two collections at the top; in the box ``four`` and ``Drawer``, in the drawer ``five``."""
    made = OrganizationTree(platform, ada, organization)
    await made.space("one")
    await made.collection("Box")
    await made.space("two")
    await made.collection("Chest")
    await made.space("three")
    await made.space("four", "Box")
    await made.collection("Drawer", "Box")
    await made.space("five", "Drawer")
    return made


@pytest.mark.parametrize(
    ("name", "position", "order"),
    [
        ("three", {"before": "one"}, ["three", "one", "Box", "two", "Chest"]),
        ("one", {"after": "three"}, ["Box", "two", "Chest", "three", "one"]),
        ("one", {"before": "Chest"}, ["Box", "two", "one", "Chest", "three"]),
        ("one", {"after": "Box"}, ["Box", "one", "two", "Chest", "three"]),
        ("Chest", {"before": "Box"}, ["one", "Chest", "Box", "two", "three"]),
        ("Box", {"after": "two", "before": "Chest"}, ["one", "two", "Box", "Chest", "three"]),
        ("three", {"after": "one", "before": "Box"}, ["one", "three", "Box", "two", "Chest"]),
    ],
)
@pytest.mark.parametrize("parent", ["left out", "named"])
async def test_it_comes_to_stand_where_it_is_put(
    tree: OrganizationTree, name: str, position: dict[str, str], order: list[str], parent: str
) -> None:
    body: dict[str, Any] = {**position, "parent": None} if parent == "named" else {**position}
    moved = await tree.move(name, **body)
    assert (moved["id"], moved.get("parent")) == (tree.ids[name], None)
    assert await tree.speaker.get(tree.path(name)) == moved
    assert (await tree.order())[None] == order


async def test_the_same_move_again_changes_nothing(tree: OrganizationTree) -> None:
    for name, body in (("three", {"before": "one"}), ("Chest", {"parent": "Box"}), ("four", {"parent": None})):
        await tree.move(name, **body)
        order = await tree.order()
        assert "nothing would change" in await tree.move(name, 409, **body)
        assert await tree.order() == order


@pytest.mark.parametrize(
    "body", [{}, {"parent": None}, {"after": "Box"}, {"before": "Chest"}, {"after": "Box", "before": "Chest"}]
)
async def test_a_move_to_where_it_is_changes_nothing(tree: OrganizationTree, body: dict[str, Any]) -> None:
    message = await tree.move("two", 409, **body)
    assert message == "The space “two” is there already, so nothing would change."
    assert (await tree.order())[None] == AT_THE_TOP


async def test_into_a_collection_it_comes_last_or_where_it_is_put(tree: OrganizationTree) -> None:
    moved = await tree.move("one", parent="Box")
    assert (moved["parent"], moved["visibility"]) == (tree.ids["Box"], "in-collection")
    await tree.move("two", parent="Box", before="Drawer")
    await tree.move("Chest", parent="Box", after="four")
    assert await tree.order() == {
        None: ["Box", "three"],
        "Box": ["four", "Chest", "two", "Drawer", "one"],
        "Drawer": ["five"],
    }
    back = await tree.move("one", parent=None, before="Box")
    assert ("parent" in back, back["visibility"]) == (False, "private")
    assert (await tree.order())[None] == ["one", "Box", "three"]


async def test_without_a_parent_it_stays_in_the_one_it_is_in(tree: OrganizationTree) -> None:
    moved = await tree.move("Drawer", before="four")
    assert moved["parent"] == tree.ids["Box"]
    assert (await tree.order())["Box"] == ["Drawer", "four"]


async def test_a_collection_takes_along_what_is_in_it(tree: OrganizationTree) -> None:
    await tree.move("Box", parent="Chest")
    assert await tree.order() == {
        None: ["one", "two", "Chest", "three"], "Chest": ["Box"], "Box": ["four", "Drawer"], "Drawer": ["five"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("visibility", "inside", "outside"),
    [
        ("private", "in-collection", "private"),
        ("in-collection", "in-collection", "private"),
        ("public", "public", "public"),
        ("unlisted", "unlisted", "unlisted"),
        ("share-link", "share-link", "share-link"),
        ("visitor-auth", "visitor-auth", "visitor-auth"),
    ],
)
async def test_only_in_a_collection_a_space_is_seen_by_who_sees_that(
    platform: Platform, tree: OrganizationTree, visibility: str, inside: str, outside: str
) -> None:
    space = tree.ids["one"]
    platform.database.write_now(lambda connection: connection.update("spaces", space, visibility=visibility))
    assert (await tree.move("one", parent="Box"))["visibility"] == inside
    assert (await tree.move("one", parent=None))["visibility"] == outside


async def test_sorting_is_no_change_of_the_space(tree: OrganizationTree, clock: FrozenClock) -> None:
    before = await tree.speaker.get(tree.path("one"))
    clock.advance(minutes=1)
    assert await tree.move("one", after="three") == before
    moved = await tree.move("one", parent="Box")
    assert moved["updatedAt"] == "2026-03-02T09:01:00.000Z"


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("one", {"before": "four"}, "position.before: there is no space {four} in the same parent"),
        ("one", {"after": "Drawer"}, "position.after: there is no collection {Drawer} in the same parent"),
        ("one", {"before": "one"}, "position.before: there is no space {one} in the same parent"),
        ("one", {"parent": "Box", "before": "two"}, "position.before: there is no space {two} in the same"),
        ("one", {"after": "Box", "before": "Chest"}, "position: before and after are not neighbours"),
        ("one", {"after": "three", "before": "Box"}, "position: before and after are not neighbours"),
        ("one", {"parent": "unknown"}, "parent: there is no collection unknown in this organization"),
        ("one", {"parent": "two"}, "parent: there is no collection {two} in this organization"),
        ("Box", {"parent": "Box"}, "parent: a collection cannot move into itself or into a collection that is in it"),
        ("Box", {"parent": "Drawer"}, "parent: a collection cannot move into itself or into"),
    ],
)
async def test_a_place_that_is_none_is_refused(
    tree: OrganizationTree, name: str, body: dict[str, str], message: str
) -> None:
    before = await tree.order()
    told = await tree.move(name, 400, **body)
    assert told.startswith(message.format(**tree.ids))
    assert await tree.order() == before


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"position": {}}, "position: needs before or after"),
        ({"position": None}, "position: must be an object"),
        ({"position": {"before": {"space": "x"}}}, "position.before: 'type' is required"),
        ({"position": {"before": {"type": "page", "page": "x"}}}, "position.before: 'type' must be one of"),
        ({"position": {"before": {"type": "collection", "space": "x"}}}, "position.before"),
        ({"position": {"first": True}}, "position.first: is not a field of this request"),
        ({"parent": 7}, "parent: must be a string"),
        ({"position": {"after": {"type": "space", "space": "unknown"}}}, "position.after: there is no space unknown"),
    ],
)
@pytest.mark.parametrize("name", ["one", "Box"])
async def test_what_is_wrong_is_named(tree: OrganizationTree, name: str, body: dict[str, Any], message: str) -> None:
    assert (await tree.speaker.refused("POST", f"{tree.path(name)}/move", 400, body)).startswith(message)


async def test_what_is_deleted_or_unseen_is_no_place_and_keeps_its_own(
    platform: Platform, organization: str, tree: OrganizationTree
) -> None:
    await tree.speaker.send("PATCH", tree.path("two"), {"defaultLevel": None})
    for name in ("one", "Chest", "three"):
        await tree.speaker.send("PATCH", tree.path(name), {"defaultLevel": "admin"})
    pat = person(platform, organization, "read")
    theirs = OrganizationTree(platform, pat, organization)
    theirs.ids = tree.ids
    assert "there is no space" in await theirs.move("one", 400, before="two")
    await theirs.move("three", after="Box", before="Chest")
    assert (await tree.order())[None] == ["one", "Box", "two", "three", "Chest"]
    await tree.speaker.send("DELETE", tree.path("two"), status=204)
    assert "there is no space" in await tree.move("one", 400, after="two")
    await tree.move("one", after="Box", before="three")
    await tree.speaker.send("POST", f"{tree.path('two')}/restore")
    assert (await tree.order())[None] == ["Box", "two", "one", "three", "Chest"]


@pytest.mark.parametrize("role", PEOPLE)
@pytest.mark.parametrize("name", ["one", "Box"])
@pytest.mark.parametrize("doing", ["move", "transfer"])
async def test_moving_and_transferring_take_admin(
    platform: Platform, organization: str, tree: OrganizationTree, role: Any, name: str, doing: str
) -> None:
    pat = person(platform, organization, role)
    second = second_organization(platform)
    bodies = {"move": {"parent": tree.ids["Chest"]}, "transfer": {"organization": second}}
    user = platform.database.read_now(lambda c: c.value("SELECT id FROM users WHERE display_name <> 'Ada Lovelace'"))
    platform.database.write_now(lambda c: directory.add_member(platform.context(c), second, user, "create"))
    expected = 200 if role == "admin" else 404 if role in (None, "stranger") else 403
    assert (await pat.request("POST", f"{tree.path(name)}/{doing}", json=bodies[doing])).status_code == expected


@pytest.mark.parametrize(("level", "status"), [("admin", 200), ("create", 200), ("edit", 403), (None, 400)])
async def test_the_place_it_goes_to_takes_create(
    platform: Platform, organization: str, tree: OrganizationTree, level: Any, status: int
) -> None:
    await tree.speaker.send("PATCH", tree.path("one"), {"defaultLevel": "admin"})
    await tree.speaker.send("PATCH", tree.path("Chest"), {"defaultLevel": level})
    pat = person(platform, organization, "read")
    answer = await pat.request("POST", f"{tree.path('one')}/move", json={"parent": tree.ids["Chest"]})
    assert answer.status_code == status
    if status == 200:
        refused = await pat.refused("POST", f"{tree.path('one')}/move", 403, {"parent": None})
        assert refused.startswith("You may not create content in the organization")


@pytest.mark.parametrize("name", ["one", "Box"])
async def test_what_is_not_there_does_not_move(tree: OrganizationTree, name: str) -> None:
    kind = tree.pointer(name)["type"]
    for doing, body in (("move", {"parent": None}), ("transfer", {"organization": tree.organization})):
        assert "unknown" in await tree.speaker.refused("POST", f"/{kind}s/unknown/{doing}", 404, body)


async def test_a_list_stays_as_it_is_while_someone_pages_and_something_moves(tree: OrganizationTree) -> None:
    path = f"/orgs/{tree.organization}/spaces"
    whole = [each["id"] for each in (await tree.speaker.get(path))["items"]]
    first = await tree.speaker.get(path, limit=2)
    moved = await tree.space("six")
    await tree.move("six", before="one")
    rest = await tree.speaker.get(path, limit=100, page=first["next"]["page"])
    assert [each["id"] for each in (*first["items"], *rest["items"])] == whole
    assert moved not in whole


async def test_a_space_is_given_to_another_organization(platform: Platform, tree: OrganizationTree) -> None:
    second = second_organization(platform)
    beside = OrganizationTree(platform, tree.speaker, second)
    await beside.space("first")
    given = await tree.speaker.send("POST", f"{tree.path('four')}/transfer", {"organization": second})
    assert (given["organization"], given.get("parent"), given["visibility"]) == (second, None, "private")
    assert await tree.speaker.get(tree.path("four")) == given
    assert await beside.order() == {None: ["first", "four"]}
    assert (await tree.order())["Box"] == ["Drawer"]
    message = await tree.speaker.refused("POST", f"{tree.path('four')}/transfer", 409, {"organization": second})
    assert message == "“four” is in this organization already, so there is nothing to transfer."


async def test_a_collection_is_given_with_all_that_is_in_it(platform: Platform, tree: OrganizationTree) -> None:
    second = second_organization(platform)
    await tree.space("gone", "Drawer")
    await tree.speaker.send("DELETE", tree.path("gone"), status=204)
    given = await tree.speaker.send("POST", f"{tree.path('Box')}/transfer", {"organization": second})
    assert (given["organization"], "parent" in given) == (second, False)
    assert await tree.order() == {None: ["one", "two", "Chest", "three"]}
    assert await tree.order(second) == {None: ["Box"], "Box": ["four", "Drawer"], "Drawer": ["five"]}
    assert (await tree.speaker.get(tree.path("five")))["visibility"] == "in-collection"
    restored = await tree.speaker.send("POST", f"{tree.path('gone')}/restore")
    assert (restored["organization"], restored["parent"]) == (second, tree.ids["Drawer"])


@pytest.mark.parametrize("name", ["one", "Box"])
async def test_a_transfer_goes_where_the_caller_may_create(
    platform: Platform, tree: OrganizationTree, organization: str, name: str
) -> None:
    path = f"{tree.path(name)}/transfer"
    hidden = platform.database.write_now(
        lambda connection: directory.create_organization(platform.context(connection), "Not Ada's")
    )
    for target in ("unknown", hidden):
        message = await tree.speaker.refused("POST", path, 400, {"organization": target})
        assert message == f"organization: there is no organization {target}, or you may not see it"
    await tree.speaker.refused("POST", path, 409, {"organization": organization})
    assert await tree.speaker.refused("POST", path, 400, {}) == "organization: is required"
    editing = second_organization(platform, "edit")
    message = await tree.speaker.refused("POST", path, 403, {"organization": editing})
    assert message.startswith("You may not create content in the organization “Second”")
    creating = second_organization(platform, "create")
    await tree.speaker.send("POST", path, {"organization": creating})


@pytest.mark.parametrize("name", ["five", "Box"])
async def test_what_is_on_a_site_cannot_go(
    platform: Platform, tree: OrganizationTree, organization: str, name: str
) -> None:
    sites = f"/orgs/{organization}/sites"
    site = await tree.speaker.send("POST", sites, {"title": "Docs", "spaces": [tree.ids["five"]]}, 201)
    target = {"organization": second_organization(platform)}
    message = await tree.speaker.refused("POST", f"{tree.path(name)}/transfer", 412, target)
    assert message == (
        "The space “five” is on the site “Docs”, which stays with its organization. Take the space off the site first."
    )
    assert (await tree.speaker.get(tree.path(name)))["organization"] == organization
    (link,) = (await tree.speaker.get(f"{sites}/{site['id']}/site-spaces"))["items"]
    await tree.speaker.send("DELETE", f"{sites}/{site['id']}/site-spaces/{link['id']}", status=204)
    await tree.speaker.send("POST", f"{tree.path(name)}/transfer", target)


async def test_a_deleted_space_that_goes_along_does_not_come_back_to_its_old_site(
    platform: Platform, tree: OrganizationTree, organization: str
) -> None:
    sites = f"/orgs/{organization}/sites"
    site = await tree.speaker.send("POST", sites, {"title": "Docs", "spaces": [tree.ids["five"], tree.ids["one"]]}, 201)
    await tree.speaker.send("DELETE", tree.path("five"), status=204)
    await tree.speaker.send("POST", f"{tree.path('Box')}/transfer", {"organization": second_organization(platform)})
    await tree.speaker.send("POST", f"{tree.path('five')}/restore")
    (left,) = (await tree.speaker.get(f"{sites}/{site['id']}/site-spaces"))["items"]
    assert (left["space"]["id"], left["default"]) == (tree.ids["one"], True)


async def test_a_collection_stays_where_something_in_it_is_not_the_callers_to_give(
    platform: Platform, tree: OrganizationTree, organization: str
) -> None:
    await tree.speaker.send("PATCH", tree.path("Box"), {"defaultLevel": "admin"})
    pat = person(platform, organization, "read")
    second = second_organization(platform)
    user = platform.database.read_now(lambda c: c.value("SELECT id FROM users WHERE display_name = 'Pat Person'"))
    platform.database.write_now(lambda c: directory.add_member(platform.context(c), second, user, "admin"))
    for name, level in (("five", "create"), ("five", None)):
        await tree.speaker.send("PATCH", tree.path(name), {"defaultLevel": level})
        message = await pat.refused("POST", f"{tree.path('Box')}/transfer", 403, {"organization": second})
        assert "you need the admin role" in message
        assert "five" not in message
    await tree.speaker.send("PATCH", tree.path("five"), {"defaultLevel": "inherit"})
    await pat.send("POST", f"{tree.path('Box')}/transfer", {"organization": second})


async def test_folders_and_invites_follow_or_end(platform: Platform, ada: Speaker, organization: str) -> None:
    space, second = make_space(platform, ()), second_organization(platform)

    def prepare(connection: Any) -> None:
        other = connection.value("SELECT revision FROM spaces WHERE id = ?", space)
        for folder, owner in (("/a", organization), ("/b", organization), ("/b", second)):
            connection.insert("imports", organization=owner, folder=folder, space=space, revision=other)
        connection.insert(
            "link_invites", id="i", organization=organization, space=space, role="read", created_at="2026"
        )

    platform.database.write_now(prepare)
    await ada.send("POST", f"/spaces/{space}/transfer", {"organization": second})
    assert platform.database.read_now(lambda c: c.all("SELECT organization, folder FROM imports ORDER BY folder")) == [
        {"organization": second, "folder": "/a"},
        {"organization": second, "folder": "/b"},
    ]
    assert platform.database.read_now(lambda c: c.all("SELECT * FROM link_invites")) == []


def test_a_collection_in_thousands_of_others_moves(platform: Platform, organization: str) -> None:
    from recto.server.spaces.moving import move
    from recto.server.spaces.positions import PlacedItem

    def work(connection: Any) -> None:
        context = platform.context(connection)
        chain = [directory.create_collection(context, organization, "Outer")]
        for _ in range(2000):
            chain.append(directory.create_collection(context, organization, "Inner", chain[-1]))
        row = connection.one("SELECT * FROM collections WHERE id = ?", chain[0])
        with pytest.raises(BadRequest):
            move(context, PlacedItem("collection", chain[0]), row, chain[-1], None)

    platform.database.write_now(work)
