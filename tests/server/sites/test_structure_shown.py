from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.platform import FrozenClock

SECTION, GROUP, SPACE = "site-section", "site-section-group", "site-space"
BAD_CONDITIONS = ("", " ", "visitor.claims.", "beta ||", "a = b", "(true", "alert('x')", "x" * 1024 + "y")


class TestConditions:
    @pytest.mark.parametrize("kind", ["site-spaces", "sections"])
    async def test_only_expressions_are_taken_and_null_removes(
        self, site: Any, parts: dict[str, str], kind: str
    ) -> None:
        path = f"{site.path}/{kind}/{parts['a2' if kind == 'site-spaces' else 'B']}"
        good = 'visitor.claims.beta && !visitor.claims.unsigned.x || ["a"].includes(visitor.claims.role)'
        for condition in (good, "y" * 1024, "true"):
            assert (await site.speaker.send("PATCH", path, {"condition": condition}))["condition"] == condition
        for bad in (*BAD_CONDITIONS, 7, False):
            message = await site.speaker.refused("PATCH", path, 400, {"condition": bad})
            assert message.startswith("condition: ")
        assert (await site.speaker.send("PATCH", path, {"path": "same"}))["condition"] == "true"
        for _ in range(2):
            assert "condition" not in await site.speaker.send("PATCH", path, {"condition": None})

    async def test_faults_of_an_item_are_reported(self, site: Any, parts: dict[str, str]) -> None:
        path = f"{site.path}/sections/{parts['B']}"
        message = await site.speaker.refused("PATCH", path, 400, {"condition": "true ||"})
        assert message == "condition: It ends too early (character 8)"
        message = await site.speaker.refused("PATCH", path, 400, {"condition": "x" * 1025})
        assert message == "condition: at most 1024 characters"


class TestDeletedSpaces:
    """A site space whose space was deleted is not on the site, and comes back with it."""

    @pytest.fixture
    async def space(self, site: Any, parts: dict[str, str]) -> str:
        """The space of ``a``, the default site space of A, deleted."""
        listed = (await site.speaker.get(f"{site.path}/site-spaces"))["items"]
        space = str(listed[0]["space"]["id"])
        await site.speaker.send("DELETE", f"/spaces/{space}", status=204)
        return space

    async def test_the_next_one_is_the_default_until_it_is_back(
        self, site: Any, parts: dict[str, str], space: str
    ) -> None:
        assert await site.variants(parts["A"]) == ["A2", "a3"]
        for default, titles in (("true", ["a2", "d", "b", "c"]), ("false", ["a3"])):
            listed = await site.speaker.get(f"{site.path}/site-spaces", default=default)
            assert [each["title"] for each in listed["items"]] == titles
        await site.speaker.send("POST", f"/spaces/{space}/restore")
        assert await site.variants(parts["A"]) == ["A", "a2", "a3"]

    async def test_it_is_gone_for_good_after_seven_days(
        self, site: Any, parts: dict[str, str], space: str, clock: FrozenClock
    ) -> None:
        clock.advance(days=8)
        assert await site.variants(parts["A"]) == ["A2", "a3"]
        assert (await site.speaker.get(site.path))["siteSpaces"] == 5

    async def test_its_path_is_kept_and_said_to_be(self, site: Any, parts: dict[str, str], space: str) -> None:
        path = f"{site.path}/site-spaces/{parts['a2']}"
        kept = "path: “a” is kept for a deleted space as long as that can be restored"
        assert await site.speaker.refused("PATCH", path, 400, {"path": "a"}) == kept

    async def test_nothing_can_be_done_with_it(self, site: Any, parts: dict[str, str], space: str) -> None:
        path = f"{site.path}/site-spaces/{parts['a']}"
        await site.speaker.refused("PATCH", path, 404, {"path": "x"})
        await site.speaker.refused("POST", f"{path}/move", 404, {"position": {"before": {"type": SPACE, "id": "a2"}}})
        await site.sort(SPACE, parts["a"], 404, before=(SPACE, parts["a2"]))
        await site.sort(SPACE, parts["a2"], 400, before=(SPACE, parts["a"]))
        for target, body in (
            (f"{site.path}/sections/{parts['A']}", {"defaultSiteSpace": parts["a"]}),
            (site.path, {"defaultSiteSpace": parts["a"]}),
        ):
            assert "there is no site space" in await site.speaker.refused("PATCH", target, 400, body)
        body = {"spaceId": space, "sectionId": parts["B"]}
        assert "there is no space" in await site.speaker.refused("POST", f"{site.path}/site-spaces", 400, body)
        await site.speaker.send("DELETE", path, status=204)
        await site.speaker.send("POST", f"/spaces/{space}/restore")
        assert await site.variants(parts["A"]) == ["A2", "a3"]

    async def test_others_are_neighbours_across_it_and_it_keeps_its_place(
        self, site: Any, parts: dict[str, str], space: str
    ) -> None:
        await site.sort(SPACE, parts["a2"], after=(SPACE, parts["a3"]))
        await site.speaker.send("POST", f"/spaces/{space}/restore")
        assert await site.variants(parts["A"]) == ["A", "a3", "a2"]
        await site.sort(SPACE, parts["a"], after=(SPACE, parts["a3"]))
        await site.speaker.send("DELETE", f"/spaces/{space}", status=204)
        last = await site.add((await self.another(site)), parts["A"])
        await site.sort(SPACE, last, after=(SPACE, parts["a3"]), before=(SPACE, parts["a2"]))
        assert await site.variants(parts["A"]) == ["A3", "new", "a2"]

    async def another(self, site: Any) -> str:
        made = await site.speaker.send("POST", site.path.partition("/sites")[0] + "/spaces", {"title": "new"}, 201)
        return str(made["id"])

    async def test_a_section_or_site_with_nothing_else_is_empty(
        self, site: Any, parts: dict[str, str], make_space: Callable[[str], str]
    ) -> None:
        alone = make_space("alone")
        section = await site.section("Z", alone)
        await site.speaker.send("DELETE", f"/spaces/{alone}", status=204)
        assert await site.variants(section) == []
        await site.add(make_space("more"), section)
        assert await site.variants(section) == ["MORE"]
        await site.speaker.send("POST", f"/spaces/{alone}/restore")
        assert await site.variants(section) == ["ALONE", "more"]
