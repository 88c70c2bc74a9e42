from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

SECTION, GROUP, SPACE = "site-section", "site-section-group", "site-space"


class TestGroups:
    async def test_a_group_holds_its_sections_in_the_order_given(self, site: Any, parts: dict[str, str]) -> None:
        group = await site.group("H", parts["D"], parts["A"], parts["D"])
        assert await site.outline() == [("G", ["B", "C"]), ("H", ["D", "A"])]
        listed = await site.speaker.get(f"{site.path}/section-groups")
        assert [each["title"] for each in listed["items"]] == ["G", "H"]
        made = listed["items"][1]
        assert made["id"] == group
        assert [each["title"] for each in made["sections"]] == ["D", "A"]

    async def test_groups_nest_and_sections_names_only_the_direct_ones(self, site: Any, parts: dict[str, str]) -> None:
        inner = await site.group("Inner", parts["D"], parent=parts["G"])
        assert await site.outline() == ["A", ("G", ["B", "C", ("Inner", ["D"])])]
        listed = await site.speaker.get(f"{site.path}/section-groups")
        outer, nested = listed["items"]
        assert [each["title"] for each in outer["sections"]] == ["B", "C"]
        assert (nested["id"], nested["sectionGroup"]) == (inner, parts["G"])

    async def test_no_group_lies_in_itself(self, site: Any, parts: dict[str, str]) -> None:
        inner = await site.group("Inner", parent=parts["G"])
        path = f"{site.path}/section-groups/{parts['G']}"
        for parent in (parts["G"], inner):
            message = await site.speaker.refused("PATCH", path, 400, {"parentSectionGroupId": parent})
            assert "cannot be inside itself" in message
        assert await site.outline() == ["A", "D", ("G", ["B", "C", ("Inner", [])])]

    async def test_groups_nest_to_a_limit(self, site: Any, make_space: Callable[[str], str]) -> None:
        parent = None
        for at in range(10):
            parent = await site.group(str(at), parent=parent)
        body = {"title": "Too deep", "parent": parent}
        message = await site.speaker.refused("POST", f"{site.path}/section-groups", 400, body)
        assert message == "parent: at most 10 levels of groups"
        tower = await site.group("Tower")
        path = f"{site.path}/section-groups/{tower}"
        message = await site.speaker.refused("PATCH", path, 400, {"parentSectionGroupId": parent})
        assert message.startswith("parentSectionGroupId: at most 10")

    async def test_what_is_set_changes_and_null_removes(self, site: Any, parts: dict[str, str]) -> None:
        path = f"{site.path}/section-groups/{parts['G']}"
        changed = await site.speaker.send("PATCH", path, {"title": "Gee", "icon": "box"})
        assert (changed["title"], changed["icon"]) == ("Gee", "box")
        assert "icon" not in await site.speaker.send("PATCH", path, {"icon": None})
        for body in ({"title": ""}, {"title": None}, {"name": "x"}):
            await site.speaker.refused("PATCH", path, 400, body)

    async def test_into_another_group_and_to_the_root(self, site: Any, parts: dict[str, str]) -> None:
        group = await site.group("H", parts["A"])
        path = f"{site.path}/section-groups/{group}"
        await site.speaker.send("PATCH", path, {"parentSectionGroupId": parts["G"]})
        assert await site.outline() == ["D", ("G", ["B", "C", ("H", ["A"])])]
        await site.speaker.send("PATCH", path, {"parentSectionGroupId": None})
        assert await site.outline() == ["D", ("G", ["B", "C"]), ("H", ["A"])]

    async def test_what_a_removed_group_held_takes_its_place(self, site: Any, parts: dict[str, str]) -> None:
        await site.group("Inner", parts["A"], parent=parts["G"])
        last = await site.group("Last")
        for _ in range(2):
            await site.speaker.send("DELETE", f"{site.path}/section-groups/{parts['G']}", status=204)
        assert await site.outline() == ["D", "B", "C", ("Inner", ["A"]), ("Last", [])]
        await site.speaker.send("DELETE", f"{site.path}/section-groups/{last}", status=204)
        assert (await site.speaker.get(site.path))["siteSpaces"] == 6

    @pytest.mark.parametrize("limit", [1, 2, 3, 4])
    async def test_whoever_pages_through_meets_each_of_the_others_once_when_a_group_goes(
        self, site: Any, parts: dict[str, str], limit: int
    ) -> None:
        empty = await site.group("Empty")
        await site.sort(GROUP, empty, before=(SECTION, parts["A"]))
        await site.sort(GROUP, parts["G"], before=(SECTION, parts["D"]))
        first = await site.speaker.get(f"{site.path}/sections", limit=limit)
        for group in (empty, parts["G"]):
            await site.speaker.send("DELETE", f"{site.path}/section-groups/{group}", status=204)
        rest = [
            await site.speaker.get(f"{site.path}/sections", page=each["page"]) for each in [first.get("next")] if each
        ]
        titles = [each["title"] for page in (first, *rest) for each in page["items"]]
        assert [title for title in titles if title in "AD"] == ["A", "D"]
        assert await site.outline() == ["A", "B", "C", "D"]
        await site.section("E", (await site.speaker.get(f"{site.path}/site-spaces"))["items"][0]["space"]["id"])
        assert await site.outline() == ["A", "B", "C", "D", "E"]

    async def test_putting_in_and_taking_out(self, site: Any, parts: dict[str, str]) -> None:
        path = f"{site.path}/section-groups/{parts['G']}/sections"
        for _ in range(2):
            group = await site.speaker.send("POST", path, {"sectionId": parts["A"]}, 201)
            assert [each["title"] for each in group["sections"]] == ["B", "C", "A"]
        for _ in range(2):
            await site.speaker.send("DELETE", f"{path}/{parts['B']}", status=204)
            assert await site.outline() == ["D", ("G", ["C", "A"]), "B"]
        await site.speaker.send("DELETE", f"{path}/unknown", status=204)
        message = await site.speaker.refused("POST", path, 400, {"sectionId": "unknown"})
        assert message == "sectionId: there is no section unknown on this site"

    async def test_moving_among_siblings(self, site: Any, parts: dict[str, str]) -> None:
        position = {"before": {"type": SECTION, "id": parts["A"]}}
        moved = await site.speaker.send("POST", f"{site.path}/section-groups/{parts['G']}/move", {"position": position})
        assert moved["id"] == parts["G"]
        assert await site.outline() == [("G", ["B", "C"]), "A", "D"]

    async def test_unknown_sections_and_parents_are_named(self, site: Any, parts: dict[str, str]) -> None:
        body: dict[str, Any] = {"title": "H", "sections": [parts["A"], "unknown"]}
        message = await site.speaker.refused("POST", f"{site.path}/section-groups", 400, body)
        assert message == "sections[1]: there is no section unknown on this site"
        message = await site.speaker.refused(
            "POST", f"{site.path}/section-groups", 400, {"title": "H", "parent": "unknown"}
        )
        assert message == "parent: there is no section group unknown on this site"
        assert await site.outline() == ["A", "D", ("G", ["B", "C"])]


class TestSorting:
    async def test_before_and_after(self, site: Any, parts: dict[str, str]) -> None:
        answer = await site.sort(SECTION, parts["D"], before=(SECTION, parts["A"]))
        listed = await site.speaker.get(f"{site.path}/sections")
        assert answer == next(each for each in listed["items"] if each["id"] == parts["D"])
        assert await site.outline() == ["D", "A", ("G", ["B", "C"])]
        await site.sort(GROUP, parts["G"], after=(SECTION, parts["D"]))
        assert await site.outline() == ["D", ("G", ["B", "C"]), "A"]
        await site.sort(SECTION, parts["C"], before=(SECTION, parts["B"]))
        assert await site.outline() == ["D", ("G", ["C", "B"]), "A"]
        await site.sort(SPACE, parts["a"], after=(SPACE, parts["a3"]))
        assert await site.variants(parts["A"]) == ["a2", "a3", "A"]

    async def test_the_same_call_twice_changes_nothing_more(self, site: Any, parts: dict[str, str]) -> None:
        first = await site.sort(SECTION, parts["D"], before=(SECTION, parts["A"]))
        assert await site.sort(SECTION, parts["D"], before=(SECTION, parts["A"])) == first

    async def test_both_must_be_neighbours(self, site: Any, parts: dict[str, str]) -> None:
        await site.sort(SECTION, parts["A"], after=(SECTION, parts["D"]), before=(GROUP, parts["G"]))
        assert await site.outline() == ["D", "A", ("G", ["B", "C"])]
        answer = await site.sort(SECTION, parts["A"], 400, after=(GROUP, parts["G"]), before=(SECTION, parts["D"]))
        assert answer["error"]["message"] == "position: before and after are not neighbours"

    async def test_only_siblings_can_be_sorted(self, site: Any, parts: dict[str, str]) -> None:
        for beside in ((SECTION, parts["B"]), (SECTION, parts["A"]), (GROUP, parts["D"]), (SPACE, parts["a"])):
            answer = await site.sort(SECTION, parts["A"], 400, before=beside)
            assert answer["error"]["message"].startswith("position.before: ")
        answer = await site.sort(SECTION, parts["A"], 400)
        assert answer["error"]["message"] == "position: needs before or after"
        assert await site.outline() == ["A", "D", ("G", ["B", "C"])]

    async def test_an_unknown_item_is_a_404_and_an_unknown_kind_a_400(self, site: Any, parts: dict[str, str]) -> None:
        await site.sort(SECTION, "unknown", 404, before=(SECTION, parts["A"]))
        await site.sort(GROUP, parts["A"], 404, before=(SECTION, parts["A"]))
        await site.sort("site-external-link", "unknown", 404, before=(SECTION, parts["A"]))
        await site.sort(SECTION, parts["A"], 400, before=("site-external-link", "unknown"))
        await site.sort("chapter", parts["A"], 400, before=(SECTION, parts["D"]))


async def test_invalid_positions_of_sections_and_groups(site: Any, parts: dict[str, str]) -> None:
    for path, itself in (
        (f"sections/{parts['A']}", {"type": SECTION, "id": parts["A"]}),
        (f"section-groups/{parts['G']}", {"type": GROUP, "id": parts["G"]}),
    ):
        for beside in (
            itself,
            {"type": SECTION, "id": "unknown"},
            {"type": SECTION, "siteSection": parts["B"]},
            {"type": SPACE, "siteSpace": parts["a"]},
            {"type": SECTION},
        ):
            body = {"position": {"before": beside}}
            message = await site.speaker.refused("POST", f"{site.path}/{path}/move", 400, body)
            assert message.startswith("position.before: ")
        message = await site.speaker.refused("POST", f"{site.path}/{path}/move", 400, {"position": {}})
        assert message == "position: needs before or after"
        assert (await site.speaker.refused("POST", f"{site.path}/{path}/move", 400, {})) == "position: is required"
    assert await site.outline() == ["A", "D", ("G", ["B", "C"])]
