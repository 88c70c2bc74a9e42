from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.people import directory
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from support.platform import FrozenClock, Speaker, join, stranger


class Doors:
    """An organization with a box on a shelf, a book in the box and a leaflet at the top, and the invites to them."""

    def __init__(self, platform: Platform, organization: str) -> None:
        self.platform = platform
        self.organization = organization
        self.path = f"/orgs/{organization}/link-invites"
        self.ada = Speaker(platform)

        def fill(connection: Any) -> tuple[str, ...]:
            context = platform.context(connection)
            shelf = directory.create_collection(context, organization, "Shelf")
            box = directory.create_collection(context, organization, "Box", shelf)
            book = add_space(context, organization, "Book", parent=box)
            return shelf, box, book, add_space(context, organization, "Leaflet")

        self.shelf, self.box, self.book, self.leaflet = platform.database.write_now(fill)

    async def open(self, enabled: bool = True) -> None:
        await self.ada.send("PATCH", f"/orgs/{self.organization}", {"inviteLinks": enabled})

    async def invite(self, **body: str) -> str:
        return str((await self.ada.send("POST", self.path, body))["id"])

    async def redundant(self, *invites: str) -> list[bool]:
        listed = {each["id"]: each["redundant"] for each in (await self.ada.get(self.path))["items"]}
        return [listed[each] for each in invites]

    async def level(self, place: str, level: str | None) -> None:
        await self.ada.send("PATCH", place, {"defaultLevel": level})


@pytest.fixture
async def doors(platform: Platform, organization: str) -> Doors:
    made = Doors(platform, organization)
    await made.open()
    return made


async def test_an_invite_in_each_of_its_forms(ada: Speaker, doors: Doors) -> None:
    forms: tuple[dict[str, Any], ...] = (
        {"role": "read"},
        {"level": "edit", "space": doors.leaflet},
        {"level": "review", "collection": doors.shelf},
    )
    made = [await ada.send("POST", doors.path, form) for form in forms]
    for form, invite in zip(forms, made, strict=True):
        assert invite == {"object": "invite", "id": invite["id"], "redundant": False} | form
    listed = await ada.get(doors.path)
    assert (listed["count"], listed["items"]) == (3, made)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "role: is required, or a level"),
        ({"role": None}, "role: one of "),
        ({"role": "guest"}, "role: one of "),
        ({"level": "inherit", "space": "{leaflet}"}, "level: one of "),
        ({"role": "read", "level": "read", "space": "{leaflet}"}, "role: cannot be combined"),
        ({"role": "read", "space": "{leaflet}"}, "role: cannot be combined"),
        ({"level": "read"}, "level: needs either a space or a collection"),
        ({"level": "read", "space": "{leaflet}", "collection": "{shelf}"}, "level: needs either a space or a collect"),
        ({"space": "{leaflet}"}, "level: is required"),
        ({"level": "read", "space": "unknown"}, "space: there is no space unknown in this organization"),
        ({"level": "read", "space": "{shelf}"}, "space: there is no space {shelf} in this organization"),
        ({"level": "read", "collection": "{book}"}, "collection: there is no collection {book} in this organization"),
        ({"role": "read", "expires": "never"}, "expires: is not a field of this request"),
    ],
)
async def test_an_invite_in_no_form_is_refused(
    ada: Speaker, doors: Doors, body: dict[str, Any], complaint: str
) -> None:
    names = {"leaflet": doors.leaflet, "shelf": doors.shelf, "book": doors.book}
    sent = {name: value.format(**names) if value else value for name, value in body.items()}
    assert (await ada.refused("POST", doors.path, 400, sent)).startswith(complaint.format(**names))
    assert (await ada.get(doors.path))["count"] == 0


async def test_none_is_made_while_invite_links_are_disabled(ada: Speaker, doors: Doors) -> None:
    invite = await doors.invite(role="read")
    await doors.open(False)
    assert "invite links disabled" in await ada.refused("POST", doors.path, 412, {"role": "read"})
    assert [each["id"] for each in (await ada.get(doors.path))["items"]] == [invite]
    await ada.send("PATCH", f"{doors.path}/{invite}", {"role": "comment"})
    await ada.send("DELETE", f"{doors.path}/{invite}", status=204)


async def test_a_second_identical_invite_is_another_and_redundant(ada: Speaker, doors: Doors) -> None:
    first, second = await doors.invite(role="read"), await doors.invite(role="read")
    assert first != second
    assert await doors.redundant(first, second) == [False, True]
    await ada.send("DELETE", f"{doors.path}/{first}", status=204)
    assert await doors.redundant(second) == [False]


async def test_redundant_is_what_another_invite_gives_too(doors: Doors) -> None:
    less = await doors.invite(level="comment", space=doors.book)
    box = await doors.invite(level="comment", collection=doors.box)
    shelf = await doors.invite(level="edit", collection=doors.shelf)
    more = await doors.invite(level="review", space=doors.book)
    beside = await doors.invite(level="read", space=doors.leaflet)
    assert await doors.redundant(less, box, shelf, more, beside) == [True, True, False, False, False]
    everywhere = await doors.invite(role="edit")
    every = (less, box, shelf, more, beside, everywhere)
    assert await doors.redundant(*every) == [True, True, True, False, True, False]
    admin = await doors.invite(role="admin")
    assert await doors.redundant(*every, admin) == [True] * 6 + [False]


async def test_of_two_that_give_the_same_the_narrower_is_redundant_whichever_was_first(doors: Doors) -> None:
    book = await doors.invite(level="edit", space=doors.book)
    box = await doors.invite(level="edit", collection=doors.box)
    later = await doors.invite(level="edit", space=doors.book)
    assert await doors.redundant(book, box, later) == [True, False, True]


async def test_a_role_counts_as_much_as_the_levels_let_it(doors: Doors) -> None:
    leaflet = await doors.invite(level="read", space=doors.leaflet)
    book = await doors.invite(level="edit", space=doors.book)
    everywhere = await doors.invite(role="review")
    assert await doors.redundant(leaflet, book, everywhere) == [True, True, False]
    await doors.level(f"/spaces/{doors.leaflet}", None)
    await doors.level(f"/collections/{doors.shelf}", "comment")
    assert await doors.redundant(leaflet, book, everywhere) == [False, False, False]
    await doors.level(f"/collections/{doors.box}", "edit")
    assert await doors.redundant(leaflet, book, everywhere) == [False, True, False]
    await doors.level(f"/collections/{doors.shelf}", None)
    await doors.level(f"/collections/{doors.box}", "inherit")
    assert await doors.redundant(leaflet, book, await doors.invite(role="admin")) == [True, True, False]


async def test_an_invite_is_changed(ada: Speaker, doors: Doors) -> None:
    invite = await doors.invite(level="read", space=doors.leaflet)
    path = f"{doors.path}/{invite}"
    steps: tuple[tuple[dict[str, str], dict[str, str]], ...] = (
        ({}, {"level": "read", "space": doors.leaflet}),
        ({"level": "edit"}, {"level": "edit", "space": doors.leaflet}),
        ({"space": doors.book}, {"level": "edit", "space": doors.book}),
        ({"collection": doors.box}, {"level": "edit", "collection": doors.box}),
        ({"role": "comment"}, {"role": "comment"}),
        ({"role": "review"}, {"role": "review"}),
        ({"level": "read", "space": doors.book}, {"level": "read", "space": doors.book}),
    )
    for body, after in steps:
        for _ in range(2):
            changed = await ada.send("PATCH", path, body)
            assert changed == {"object": "invite", "id": invite, "redundant": False} | after
            assert (await ada.get(doors.path))["items"] == [changed]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"role": "owner"}, "role: one of "),
        ({"role": "read", "level": "read"}, "role: cannot be combined"),
        ({"level": "read"}, "level: needs either"),
        ({"space": "{book}"}, "level: is required"),
        ({"level": "read", "space": "unknown"}, "space: there is no space unknown"),
    ],
)
async def test_an_invite_to_the_organization_is_not_changed_by_half(
    ada: Speaker, doors: Doors, body: dict[str, str], complaint: str
) -> None:
    path = f"{doors.path}/{await doors.invite(role='read')}"
    sent = {name: value.format(book=doors.book) for name, value in body.items()}
    assert (await ada.refused("PATCH", path, 400, sent)).startswith(complaint)
    assert (await ada.get(doors.path))["items"][0]["role"] == "read"


async def test_an_unknown_invite(ada: Speaker, doors: Doors) -> None:
    assert "no invite unknown" in await ada.refused("PATCH", f"{doors.path}/unknown", 404, {"role": "read"})
    await ada.send("DELETE", f"{doors.path}/unknown", status=204)
    for method in ("PATCH", "DELETE"):
        await ada.refused(method, "/orgs/unknown/link-invites/unknown", 404, {} if method == "PATCH" else None)


async def test_an_invite_of_another_organization_is_unknown(platform: Platform, ada: Speaker, doors: Doors) -> None:
    def elsewhere(connection: Any) -> str:
        context = platform.context(connection)
        other = directory.create_organization(context, "Other")
        directory.add_member(context, other, platform.owner, "admin")
        return other

    invite = await doors.invite(role="read")
    other = f"/orgs/{platform.database.write_now(elsewhere)}/link-invites"
    await ada.refused("PATCH", f"{other}/{invite}", 404, {"role": "edit"})
    await ada.send("DELETE", f"{other}/{invite}", status=204)
    assert (await ada.get(other))["count"] == 0
    assert [each["role"] for each in (await ada.get(doors.path))["items"]] == ["read"]


async def test_an_invite_that_is_taken_back_is_gone(ada: Speaker, doors: Doors) -> None:
    path = f"{doors.path}/{await doors.invite(role='read')}"
    for _ in range(2):
        await ada.send("DELETE", path, status=204)
    assert (await ada.get(doors.path))["items"] == []
    await ada.refused("PATCH", path, 404, {"role": "edit"})


async def test_an_invite_to_what_is_deleted_waits_for_it(ada: Speaker, doors: Doors) -> None:
    invite = await doors.invite(level="read", space=doors.leaflet)
    await ada.send("DELETE", f"/spaces/{doors.leaflet}", status=204)
    assert (await ada.get(doors.path))["count"] == 0
    await ada.refused("PATCH", f"{doors.path}/{invite}", 404, {"level": "edit"})
    await ada.send("POST", f"/spaces/{doors.leaflet}/restore")
    assert [each["id"] for each in (await ada.get(doors.path))["items"]] == [invite]


async def test_an_invite_does_not_follow_what_goes_to_another_organization(
    platform: Platform, ada: Speaker, doors: Doors
) -> None:
    def elsewhere(connection: Any) -> str:
        context = platform.context(connection)
        other = directory.create_organization(context, "Other")
        directory.add_member(context, other, platform.owner, "admin")
        return other

    other = platform.database.write_now(elsewhere)
    invites = [
        await doors.invite(level="read", space=doors.leaflet),
        await doors.invite(level="read", collection=doors.shelf),
        await doors.invite(level="read", space=doors.book),
    ]
    await ada.send("POST", f"/spaces/{doors.leaflet}/transfer", {"organization": other})
    await ada.send("POST", f"/collections/{doors.shelf}/transfer", {"organization": other})
    for organization in (doors.organization, other):
        assert (await ada.get(f"/orgs/{organization}/link-invites"))["count"] == 0
    await ada.refused("PATCH", f"{doors.path}/{invites[0]}", 404, {"level": "edit"})


async def test_pages_hold_every_invite_once_while_others_come_and_go(
    ada: Speaker, doors: Doors, clock: FrozenClock
) -> None:
    made = []
    for _ in range(4):
        made.append(await doors.invite(role="read"))
        clock.advance(seconds=1)
    first = await ada.get(doors.path, limit=2)
    assert [each["id"] for each in first["items"]] == made[:2]
    await ada.send("DELETE", f"{doors.path}/{made[1]}", status=204)
    late = await doors.invite(role="edit")
    rest = await ada.get(doors.path, limit=1000, page=first["next"]["page"])
    assert [each["id"] for each in rest["items"]] == [*made[2:], late]
    assert (rest["count"], "next" in rest) == (4, False)
    for limit in (0, 1001):
        assert (await ada.refused("GET", doors.path, 400, limit=limit)).startswith("limit: ")


@pytest.mark.parametrize("role", [*ROLES[1:], None])
async def test_only_an_admin_has_to_do_with_invites(
    platform: Platform, ada: Speaker, organization: str, doors: Doors, role: Role | None
) -> None:
    invite = await doors.invite(role="read")
    speaker = Speaker(platform, join(platform, organization, "Max Member", role))
    assert "admin role" in await speaker.refused("GET", doors.path, 403)
    for body in ({"role": "read"}, {"level": "read", "space": doors.leaflet}):
        await speaker.refused("POST", doors.path, 403 if role or "role" in body else 400, body)
    assert "admin role" in await speaker.refused("PATCH", f"{doors.path}/{invite}", 403, {"role": "admin"})
    assert "admin role" in await speaker.refused("DELETE", f"{doors.path}/{invite}", 403)
    assert [each["role"] for each in (await ada.get(doors.path))["items"]] == ["read"]


async def test_a_stranger_sees_no_invites(platform: Platform, doors: Doors) -> None:
    sam = Speaker(platform, stranger(platform))
    await sam.refused("GET", doors.path, 404)
    await sam.refused("POST", doors.path, 404, {"role": "read"})
    for method in ("PATCH", "DELETE"):
        await sam.refused(method, f"{doors.path}/unknown", 404, {} if method == "PATCH" else None)


@pytest.mark.parametrize("kind", ["space", "collection"])
async def test_who_is_admin_of_something_invites_to_it(
    platform: Platform, ada: Speaker, organization: str, doors: Doors, kind: str
) -> None:
    own, other = (doors.leaflet, doors.book) if kind == "space" else (doors.box, doors.shelf)
    await doors.level(f"/{kind}s/{own}", "admin")
    await doors.invite(role="edit")
    rosa = Speaker(platform, join(platform, organization, "Rosa Reader", "read"))
    assert (await rosa.get(doors.path))["items"] == []
    made = await rosa.send("POST", doors.path, {"level": "edit", kind: own})
    assert await rosa.get(doors.path) == {"count": 1, "items": [made]}
    assert "admin role" in await rosa.refused("POST", doors.path, 403, {"role": "edit"})
    path = f"{doors.path}/{made['id']}"
    assert (await rosa.send("PATCH", path, {"level": "review"}))["level"] == "review"
    assert "admin role" in await rosa.refused("PATCH", path, 403, {"role": "edit"})
    if kind == "collection":
        assert "admin role" in await rosa.refused("PATCH", path, 403, {"collection": other})
    await rosa.send("DELETE", path, status=204)
    assert (await ada.get(doors.path))["count"] == 1


async def test_what_one_may_not_see_is_not_there_to_invite_to(
    platform: Platform, organization: str, doors: Doors, make_space: Callable[[str], str]
) -> None:
    await doors.level(f"/spaces/{doors.leaflet}", None)
    rosa = Speaker(platform, join(platform, organization, "Rosa Reader", "read"))
    refused = await rosa.refused("POST", doors.path, 400, {"level": "read", "space": doors.leaflet})
    assert refused == f"space: there is no space {doors.leaflet} in this organization"
