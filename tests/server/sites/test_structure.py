from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from support.platform import Speaker, join

SECTION, GROUP, SPACE = "site-section", "site-section-group", "site-space"


class TestSiteSpacesAtTheRoot:
    async def test_the_first_is_the_default_and_the_structure_lists_them(
        self, site: Any, make_space: Callable[[str], str]
    ) -> None:
        one, two = await site.add(make_space("One")), await site.add(make_space("Two"))
        structure = await site.speaker.get(f"{site.path}/structure")
        assert structure["type"] == "siteSpaces"
        assert [(each["id"], each["default"]) for each in structure["structure"]] == [(one, True), (two, False)]
        assert structure["structure"][0]["space"]["title"] == "One"
        assert (await site.speaker.get(site.path))["siteSpaces"] == 2

    async def test_the_first_section_gathers_them(self, site: Any, make_space: Callable[[str], str]) -> None:
        for title in ("One", "Two"):
            await site.add(make_space(title))
        section = await site.section("All", make_space("Three"))
        assert await site.outline() == ["All"]
        assert await site.variants(section) == ["ONE", "Two", "Three"]

    async def test_a_space_among_them_is_not_put_in_twice(self, site: Any, make_space: Callable[[str], str]) -> None:
        one = make_space("One")
        await site.add(one)
        assert await site.variants(await site.section("All", one)) == ["ONE"]

    async def test_the_second_section_gathers_nothing(self, site: Any, parts: dict[str, str]) -> None:
        assert await site.variants(parts["A"]) == ["A", "a2", "a3"]
        assert await site.variants(parts["B"]) == ["B"]


class TestSiteSpaces:
    async def test_without_a_section_it_goes_to_the_default_one(
        self, site: Any, parts: dict[str, str], make_space: Callable[[str], str]
    ) -> None:
        await site.add(make_space("new"))
        assert await site.variants(parts["A"]) == ["A", "a2", "a3", "new"]

    async def test_the_list_is_in_reading_order_and_knows_defaults(self, site: Any, parts: dict[str, str]) -> None:
        async def titles(**query: Any) -> list[str]:
            answer = await site.speaker.get(f"{site.path}/site-spaces", **query)
            assert answer["count"] == len(answer["items"])
            return [each["title"] for each in answer["items"]]

        assert await titles() == ["a", "a2", "a3", "d", "b", "c"]
        assert await titles(default="true") == ["a", "d", "b", "c"]
        assert await titles(default="false") == ["a2", "a3"]
        assert await titles(shareKey="abc") == await titles()

    async def test_pages_of_the_list(self, site: Any, parts: dict[str, str]) -> None:
        first = await site.speaker.get(f"{site.path}/site-spaces", limit=4)
        await site.speaker.send("DELETE", f"{site.path}/site-spaces/{parts['a2']}", status=204)
        second = await site.speaker.get(f"{site.path}/site-spaces", limit=4, page=first["next"]["page"])
        assert [each["title"] for each in first["items"] + second["items"]] == ["a", "a2", "a3", "d", "b", "c"]
        for page in ("unknown", first["next"]["page"]):
            await site.speaker.refused("GET", f"{site.path}/sections", 400, page=page)

    async def test_the_same_space_twice_in_a_section_is_a_conflict(
        self, site: Any, parts: dict[str, str], make_space: Callable[[str], str]
    ) -> None:
        space = make_space("Twice")
        await site.add(space, parts["A"])
        await site.add(space, parts["B"])
        body = {"spaceId": space, "sectionId": parts["A"]}
        assert "already" in await site.speaker.refused("POST", f"{site.path}/site-spaces", 409, body)

    async def test_paths_come_from_titles_and_are_distinguished(
        self, site: Any, parts: dict[str, str], make_space: Callable[[str], str]
    ) -> None:
        for _ in range(2):
            await site.add(make_space("Größe & Maß"), parts["A"])
        listed = await site.speaker.get(f"{site.path}/site-spaces")
        paths = [each["path"] for each in listed["items"] if each["title"] == "Größe & Maß"]
        assert len(set(paths)) == 2

    async def test_what_is_set_changes_and_what_is_left_out_stays(self, site: Any, parts: dict[str, str]) -> None:
        path = f"{site.path}/site-spaces/{parts['a2']}"
        changed = await site.speaker.send("PATCH", path, {"path": "v2", "condition": "visitor.claims.beta"})
        assert (changed["path"], changed["condition"]) == ("v2", "visitor.claims.beta")
        assert (await site.speaker.send("PATCH", path, {"path": "v2"}))["condition"] == "visitor.claims.beta"
        assert "condition" not in await site.speaker.send("PATCH", path, {"condition": None})
        assert (await site.speaker.send("PATCH", path, {}))["path"] == "v2"

    async def test_it_may_point_to_another_space(
        self, site: Any, parts: dict[str, str], make_space: Callable[[str], str]
    ) -> None:
        path, new = f"{site.path}/site-spaces/{parts['a2']}", make_space("New")
        changed = await site.speaker.send("PATCH", path, {"spaceId": new})
        assert (changed["space"]["id"], changed["title"]) == (new, "New")
        assert (await site.speaker.send("PATCH", path, {"spaceId": new}))["space"]["id"] == new
        message = await site.speaker.refused("PATCH", path, 400, {"spaceId": "unknown"})
        assert message == "spaceId: there is no space unknown in this organization"

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ({"path": ""}, "path: at least 1 character"),
            ({"path": "x" * 101}, "path: at most 100 characters"),
            ({"path": None}, "path: must be a string"),
            ({"path": "a"}, "path: “a” is taken by something else on this site"),
            ({"path": "two words"}, "path: must be words joined by “/”"),
            ({"path": "a/.."}, "path: must be words joined by “/”"),
            ({"path": "."}, "path: must be words joined by “/”"),
            ({"path": "/lead"}, "path: must be words joined by “/”"),
            ({"condition": "x" * 1025}, "condition: at most 1024 characters"),
            ({"spaceId": None}, "spaceId: must be a string"),
        ],
    )
    async def test_limits(self, site: Any, parts: dict[str, str], body: dict[str, Any], message: str) -> None:
        path = f"{site.path}/site-spaces/{parts['a2']}"
        assert (await site.speaker.refused("PATCH", path, 400, body)).startswith(message)

    async def test_the_ends_of_the_limits_are_taken(self, site: Any, parts: dict[str, str]) -> None:
        body = {"path": "x" * 100, "condition": "y" * 1024}
        changed = await site.speaker.send("PATCH", f"{site.path}/site-spaces/{parts['a2']}", body)
        assert (changed["path"], changed["condition"]) == (body["path"], body["condition"])

    async def test_the_first_left_succeeds_a_removed_default(self, site: Any, parts: dict[str, str]) -> None:
        for _ in range(2):
            await site.speaker.send("DELETE", f"{site.path}/site-spaces/{parts['a']}", status=204)
        assert await site.variants(parts["A"]) == ["A2", "a3"]
        await site.speaker.send("DELETE", f"{site.path}/site-spaces/{parts['a3']}", status=204)
        assert await site.variants(parts["A"]) == ["A2"]

    async def test_the_deprecated_move(self, site: Any, parts: dict[str, str]) -> None:
        path = f"{site.path}/site-spaces/{parts['a3']}/move"
        moved = await site.speaker.send(
            "POST", path, {"position": {"before": {"type": SPACE, "siteSpace": parts["a"]}}}
        )
        assert moved["id"] == parts["a3"]
        assert await site.variants(parts["A"]) == ["a3", "A", "a2"]
        await site.speaker.send("POST", path, {"position": {"after": {"type": SPACE, "id": parts["a"]}}})
        assert await site.variants(parts["A"]) == ["A", "a3", "a2"]
        for position in ({}, {"before": {"type": SPACE}}, {"after": {"type": SPACE, "siteSpace": parts["b"]}}):
            await site.speaker.refused("POST", path, 400, {"position": position})

    async def test_what_the_caller_may_not_see_comes_without_its_space(
        self, platform: Platform, organization: str, site: Any, parts: dict[str, str]
    ) -> None:
        listed = (await site.speaker.get(f"{site.path}/site-spaces"))["items"]
        await site.speaker.send("PATCH", f"/spaces/{listed[0]['space']['id']}", {"defaultLevel": None})
        rosa = Speaker(platform, join(platform, organization, "Rosa Reader", "read"))
        seen = (await rosa.get(f"{site.path}/site-spaces"))["items"]
        assert [each["id"] for each in seen] == [each["id"] for each in listed]
        assert ["space" in each for each in seen] == [False, True, True, True, True, True]


class TestSections:
    async def test_the_first_is_the_default_and_all_have_paths(self, site: Any, parts: dict[str, str]) -> None:
        listed = await site.speaker.get(f"{site.path}/sections")
        told = [(each["title"], each["path"], each["default"]) for each in listed["items"]]
        assert told == [("A", "a", True), ("D", "d", False), ("B", "b", False), ("C", "c", False)]
        groups = [each.get("sectionGroup") for each in listed["items"]]
        assert groups == [None, None, parts["G"], parts["G"]]

    async def test_without_a_title_it_is_called_as_its_space(self, site: Any, make_space: Callable[[str], str]) -> None:
        body = {"spaceId": make_space("Handbook"), "icon": "book"}
        answer = await site.speaker.request("POST", f"{site.path}/sections", json=body)
        made = answer.json()
        assert (answer.status_code, made["title"], made["icon"], made["draft"]) == (201, "Handbook", "book", False)
        assert answer.headers["location"] == f"http://recto.test/v1{site.path}/sections/{made['id']}"

    async def test_what_is_set_changes_null_removes_and_the_rest_stays(self, site: Any, parts: dict[str, str]) -> None:
        path = f"{site.path}/sections/{parts['B']}"
        body = {"title": "Beta", "path": "beta", "icon": "leaf", "description": "All of B", "condition": "true"}
        changed = await site.speaker.send("PATCH", path, body)
        assert {name: changed[name] for name in body} == body
        changed = await site.speaker.send("PATCH", path, {"icon": None, "condition": None})
        assert (changed["title"], changed["description"]) == ("Beta", "All of B")
        assert "icon" not in changed
        assert "condition" not in changed

    async def test_the_default_site_space(self, site: Any, parts: dict[str, str]) -> None:
        path = f"{site.path}/sections/{parts['A']}"
        await site.speaker.send("PATCH", path, {"defaultSiteSpace": parts["a3"]})
        assert await site.variants(parts["A"]) == ["a", "a2", "A3"]
        for other in (parts["b"], "unknown"):
            message = await site.speaker.refused("PATCH", path, 400, {"defaultSiteSpace": other})
            assert message.startswith("defaultSiteSpace: ")

    async def test_nothing_is_put_where_something_else_is_read(
        self, site: Any, parts: dict[str, str], make_space: Callable[[str], str]
    ) -> None:
        section, other = (f"{site.path}/sections/{parts[letter]}" for letter in "BC")
        taken = "path: “{}” is taken by something else on this site".format
        assert await site.speaker.refused("PATCH", section, 400, {"path": "a/a2"}) == taken("a/a2")
        await site.speaker.send("PATCH", section, {"path": "a/v9"})
        second = f"{site.path}/site-spaces/{parts['a2']}"
        assert await site.speaker.refused("PATCH", second, 400, {"path": "v9"}) == taken("v9")
        made = await site.add(make_space("V9"), parts["A"])
        listed = (await site.speaker.get(f"{site.path}/site-spaces"))["items"]
        assert [each["path"] for each in listed if each["id"] == made] == ["v9-1"]
        await site.speaker.send("PATCH", f"{site.path}/site-spaces/{parts['c']}", {"path": "v9"})
        await site.speaker.send("PATCH", f"{site.path}/sections/{parts['A']}", {"path": "first"})
        assert await site.speaker.refused("PATCH", other, 400, {"path": "a"}) == taken("a")

    @pytest.mark.parametrize("path", ["\u202e", "a\u200bb", "\ufeff"])
    async def test_a_path_has_no_characters_that_are_not_seen(
        self, site: Any, parts: dict[str, str], path: str
    ) -> None:
        where = f"{site.path}/sections/{parts['B']}"
        assert "invisible characters" in await site.speaker.refused("PATCH", where, 400, {"path": path})

    async def test_into_a_group_and_to_the_root(self, site: Any, parts: dict[str, str]) -> None:
        path = f"{site.path}/sections/{parts['A']}"
        changed = await site.speaker.send("PATCH", path, {"siteSectionGroupId": parts["G"]})
        assert changed["sectionGroup"] == parts["G"]
        assert await site.outline() == ["D", ("G", ["B", "C", "A"])]
        await site.speaker.send("PATCH", path, {"title": "A!"})
        assert await site.outline() == ["D", ("G", ["B", "C", "A!"])]
        assert "sectionGroup" not in await site.speaker.send("PATCH", path, {"siteSectionGroupId": None})
        assert await site.outline() == ["D", ("G", ["B", "C"]), "A!"]
        message = await site.speaker.refused("PATCH", path, 400, {"siteSectionGroupId": "unknown"})
        assert message == "siteSectionGroupId: there is no section group unknown on this site"

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"title": ""}, "title"),
            ({"title": None}, "title"),
            ({"path": ""}, "path"),
            ({"path": "x" * 101}, "path"),
            ({"path": "a"}, "path"),
            ({"condition": "x" * 1025}, "condition"),
            ({"sectionGroup": None}, "sectionGroup"),
        ],
    )
    async def test_limits(self, site: Any, parts: dict[str, str], body: dict[str, Any], field: str) -> None:
        message = await site.speaker.refused("PATCH", f"{site.path}/sections/{parts['B']}", 400, body)
        assert message.startswith(f"{field}: ")
        assert await site.outline() == ["A", "D", ("G", ["B", "C"])]

    async def test_removing_takes_its_site_spaces_and_the_next_succeeds_a_default(
        self, site: Any, parts: dict[str, str]
    ) -> None:
        for _ in range(2):
            await site.speaker.send("DELETE", f"{site.path}/sections/{parts['A']}", status=204)
        listed = await site.speaker.get(f"{site.path}/sections")
        assert [(each["title"], each["default"]) for each in listed["items"]] == [
            ("D", True),
            ("B", False),
            ("C", False),
        ]
        assert (await site.speaker.get(site.path))["siteSpaces"] == 3

    async def test_after_the_last_section_the_root_takes_site_spaces_again(
        self, site: Any, make_space: Callable[[str], str]
    ) -> None:
        section = await site.section("Only", make_space("One"))
        await site.speaker.send("DELETE", f"{site.path}/sections/{section}", status=204)
        assert await site.speaker.get(f"{site.path}/structure") == {"type": "siteSpaces", "structure": []}
        await site.add(make_space("Two"))
        assert await site.outline() == ["Two"]

    async def test_moving_among_siblings(self, site: Any, parts: dict[str, str]) -> None:
        def move(section: str, **position: Any) -> Any:
            return site.speaker.send("POST", f"{site.path}/sections/{section}/move", {"position": position})

        moved = await move(parts["D"], before={"type": SECTION, "siteSection": parts["A"]})
        assert moved["id"] == parts["D"]
        assert await site.outline() == ["D", "A", ("G", ["B", "C"])]
        await move(parts["D"], after={"type": GROUP, "siteSectionGroup": parts["G"]})
        assert await site.outline() == ["A", ("G", ["B", "C"]), "D"]


async def test_unknown_ids_are_404s(site: Any, parts: dict[str, str]) -> None:
    move = {"position": {"before": {"type": SECTION, "id": parts["A"]}}}
    for method, path, body in (
        ("PATCH", "site-spaces/unknown", {}),
        ("POST", "site-spaces/unknown/move", move),
        ("PATCH", "sections/unknown", {"title": "x"}),
        ("POST", "sections/unknown/move", move),
        ("PATCH", "section-groups/unknown", {}),
        ("POST", "section-groups/unknown/move", move),
        ("POST", "section-groups/unknown/sections", {"sectionId": parts["A"]}),
        ("PATCH", f"sections/{parts['G']}", {}),
    ):
        assert "There is no" in await site.speaker.refused(method, f"{site.path}/{path}", 404, body)


CHANGES: tuple[tuple[str, str, Any], ...] = (
    ("PATCH", "structure/sort", {"item": {"type": SECTION, "id": "A"}, "position": {}}),
    ("POST", "site-spaces", {"spaceId": "x"}),
    ("PATCH", "site-spaces/x", {}),
    ("DELETE", "site-spaces/x", None),
    ("POST", "site-spaces/x/move", {"position": {}}),
    ("POST", "sections", {"spaceId": "x", "title": "x"}),
    ("PATCH", "sections/x", {}),
    ("DELETE", "sections/x", None),
    ("POST", "sections/x/move", {"position": {}}),
    ("POST", "section-groups", {"title": "x"}),
    ("PATCH", "section-groups/x", {}),
    ("DELETE", "section-groups/x", None),
    ("POST", "section-groups/x/sections", {"sectionId": "x"}),
    ("DELETE", "section-groups/x/sections/x", None),
    ("POST", "section-groups/x/move", {"position": {}}),
)


@pytest.mark.parametrize("role", [*(role for role in ROLES if role != "admin"), None, "stranger"])
async def test_changes_take_admin(site: Any, speak: Callable[[Role | str | None], Speaker], role: Any) -> None:
    somebody = speak(role)
    for method, path, body in CHANGES:
        if role in (None, "stranger"):
            await somebody.refused(method, f"{site.path}/{path}", 404, body)
        else:
            assert "admin role" in await somebody.refused(method, f"{site.path}/{path}", 403, body)


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
async def test_on_unknown_sites_they_are_404s(site: Any, method: str, path: str, body: Any) -> None:
    await site.speaker.refused(method, f"{site.path}x/{path}", 404, body)


@pytest.mark.parametrize("role", [*ROLES, None, "stranger"])
async def test_every_member_with_a_role_sees_it_all(
    site: Any, speak: Callable[[Role | str | None], Speaker], role: Any
) -> None:
    somebody = speak(role)
    for path in ("structure", "site-spaces", "sections", "section-groups"):
        if role in (None, "stranger"):
            await somebody.refused("GET", f"{site.path}/{path}", 404)
        else:
            assert await somebody.get(f"{site.path}/{path}") == await site.speaker.get(f"{site.path}/{path}")
