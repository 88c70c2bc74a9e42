from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from recto.server.sites.visitor_claims import sign_claims
from support.platform import FrozenClock, Speaker, join

Speak = Callable[[Role | str | None], Speaker]


@pytest.fixture
async def placed(site: Any, make_space: Callable[[str], str]) -> dict[str, str]:
    """Sections A and B, and C in the group G; A has a second variant. The site is published for all."""
    made = {letter: await site.section(letter, make_space(letter.lower())) for letter in "ABC"}
    made["G"] = await site.group("G", made["C"])
    made["a2"] = await site.add(make_space("a2"), made["A"])
    await site.speaker.send("POST", f"{site.path}/publish")
    return made


@pytest.fixture
def sign(platform: Platform, organization: str) -> Callable[[str], str]:
    """Signs the claims of the organization's member with a name, who has the read role."""

    def make(name: str) -> str:
        user = join(platform, organization, name, "read")
        return platform.database.write_now(lambda c: sign_claims(platform.context(c), organization, user))

    return make


async def condition(site: Any, kind: str, item: str, said: str | None) -> None:
    await site.speaker.send("PATCH", f"{site.path}/{kind}/{item}", {"condition": said})


async def adapt(site: Any, enabled: bool = True, **more: Any) -> None:
    await site.speaker.send("PATCH", site.path, {"adaptiveContent": {"enabled": enabled}} | more)


def titles_of(items: list[Any]) -> list[Any]:
    """The titles of a structure: a section with those of its site spaces, defaults in capitals, a group with both."""
    found: list[Any] = []
    for item in items:
        title = item["title"].upper() if item.get("default") else item["title"].lower()
        inner = item.get("children", item.get("siteSpaces"))
        found.append(title if inner is None else (title, titles_of(inner)))
    return found


async def read(somebody: Speaker, site: Any, **query: Any) -> list[Any]:
    published = await somebody.get(f"{site.path}/published", **query)
    return titles_of(published["structure"]["structure"])


WHOLE = [("A", ["A", "a2"]), ("b", ["B"]), ("g", [("c", ["C"])])]


class TestPublishing:
    async def test_it_is_published_and_taken_back(self, site: Any) -> None:
        for path, published in (("publish", True), ("publish", True), ("unpublish", False), ("unpublish", False)):
            answer = await site.speaker.send("POST", f"{site.path}/{path}")
            assert (answer["object"], answer["id"], answer["published"]) == ("site", site.id, published)
            assert await site.speaker.get(site.path) == answer
            assert ("published" in answer["urls"]) == published
            await site.speaker.get(f"{site.path}/published", 200 if published else 404)

    async def test_a_site_with_nothing_on_it_may_be_published(self, site: Any) -> None:
        await site.speaker.send("POST", f"{site.path}/publish")
        published = await site.speaker.get(f"{site.path}/published")
        assert published["structure"] == {"type": "siteSpaces", "structure": []}

    async def test_unknown_sites_are_404s(self, site: Any) -> None:
        for method, path in (("POST", "publish"), ("POST", "unpublish"), ("GET", "published")):
            await site.speaker.refused(method, f"{site.path}x/{path}", 404)
            await site.speaker.refused(method, f"/orgs/unknown/sites/{site.id}/{path}", 404)


class TestReading:
    async def test_what_a_reader_gets(self, site: Any, placed: dict[str, str]) -> None:
        published = await site.speaker.get(f"{site.path}/published")
        assert published == {
            "object": "published-content-site",
            "site": await site.speaker.get(site.path),
            "structure": await site.speaker.get(f"{site.path}/structure"),
            "customizations": {"site": {}, "siteSpaces": {}},
            "scripts": [],
        }
        assert published["structure"]["type"] == "sections"
        assert published["structure"]["structure"][1]["urls"]["published"].endswith("/published#b")

    async def test_a_site_without_sections(self, site: Any, make_space: Callable[[str], str]) -> None:
        for title in ("One", "Two"):
            await site.add(make_space(title))
        await site.speaker.send("POST", f"{site.path}/publish")
        published = await site.speaker.get(f"{site.path}/published")
        assert published["structure"]["type"] == "siteSpaces"
        assert titles_of(published["structure"]["structure"]) == ["ONE", "two"]

    @pytest.mark.parametrize("role", [*ROLES, None, "stranger"])
    async def test_members_need_no_key_and_others_do_where_it_is_not_open(
        self, site: Any, placed: dict[str, str], speak: Speak, role: Any
    ) -> None:
        somebody = speak(role)
        for visibility in ("public", "unlisted", "share-link", "visitor-auth"):
            await site.speaker.send("PATCH", site.path, {"visibility": visibility})
            if role in (None, "stranger") and visibility in ("share-link", "visitor-auth"):
                await somebody.refused("GET", f"{site.path}/published", 404)
            else:
                assert await read(somebody, site) == WHOLE
        await site.speaker.send("POST", f"{site.path}/unpublish")
        await somebody.refused("GET", f"{site.path}/published", 404)

    async def test_a_member_with_a_key_is_taken_for_its_holder(self, site: Any, placed: dict[str, str]) -> None:
        path = f"{site.path}/published"
        for visibility in ("share-link", "visitor-auth"):
            await site.speaker.send("PATCH", site.path, {"visibility": visibility})
            await site.speaker.refused("GET", path, 403, shareKey="guessed")
            await site.speaker.refused("GET", path, 403, shareKey="")

    async def test_spaces_come_with_what_a_reader_may_know(
        self, site: Any, placed: dict[str, str], speak: Speak
    ) -> None:
        published = await speak("stranger").get(f"{site.path}/published")
        space = published["structure"]["structure"][0]["siteSpaces"][0]["space"]
        assert space["title"] == "a"
        assert [name for name, allowed in space["permissions"].items() if allowed] == ["view"]
        assert space["mergeRules"] == {"type": "inherit"}

    async def test_a_deleted_space_is_not_on_it(self, site: Any, placed: dict[str, str], speak: Speak) -> None:
        listed = (await site.speaker.get(f"{site.path}/site-spaces"))["items"]
        await site.speaker.send("DELETE", f"/spaces/{listed[0]['space']['id']}", status=204)
        assert await read(speak("stranger"), site) == [("A", ["A2"]), *WHOLE[1:]]


class TestConditions:
    async def test_they_count_where_content_is_adaptive(self, site: Any, placed: dict[str, str]) -> None:
        await condition(site, "sections", placed["B"], "visitor.claims.beta")
        assert await read(site.speaker, site) == WHOLE
        await adapt(site)
        assert await read(site.speaker, site) == [WHOLE[0], WHOLE[2]]
        await condition(site, "sections", placed["B"], "!visitor.claims.beta")
        assert await read(site.speaker, site) == WHOLE
        await condition(site, "sections", placed["B"], "visitor.claims.unsigned.beta")
        await adapt(site, enabled=False)
        assert await read(site.speaker, site) == WHOLE

    async def test_members_see_all_of_it_elsewhere(self, site: Any, placed: dict[str, str]) -> None:
        await adapt(site)
        await condition(site, "sections", placed["B"], "false")
        assert titles_of((await site.speaker.get(f"{site.path}/structure"))["structure"]) == WHOLE
        assert (await site.speaker.get(f"{site.path}/sections"))["count"] == 3

    async def test_another_default_stands_in_for_one_that_is_hidden(self, site: Any, placed: dict[str, str]) -> None:
        await adapt(site)
        listed = (await site.speaker.get(f"{site.path}/site-spaces"))["items"]
        await condition(site, "site-spaces", listed[0]["id"], "false")
        assert await read(site.speaker, site) == [("A", ["A2"]), *WHOLE[1:]]
        await condition(site, "sections", placed["A"], "false")
        assert await read(site.speaker, site) == [("B", ["B"]), WHOLE[2]]

    async def test_sections_and_groups_left_empty_are_hidden_too(self, site: Any, placed: dict[str, str]) -> None:
        await adapt(site)
        await site.group("Outer", parent=await site.group("Empty"))
        c = (await site.speaker.get(f"{site.path}/site-spaces"))["items"][3]
        assert c["title"] == "c"
        await condition(site, "site-spaces", c["id"], "false")
        assert await read(site.speaker, site) == [*WHOLE[:2], ("empty", [("outer", [])])]
        await condition(site, "site-spaces", c["id"], None)
        await condition(site, "sections", placed["C"], "false")
        assert await read(site.speaker, site) == [*WHOLE[:2], ("empty", [("outer", [])])]

    async def test_one_that_cannot_be_read_is_never_true(
        self, platform: Platform, site: Any, placed: dict[str, str]
    ) -> None:
        await adapt(site)
        platform.database.write_now(
            lambda c: c.execute("UPDATE sections SET condition = 'true ||' WHERE id = ?", placed["B"])
        )
        assert await read(site.speaker, site) == [WHOLE[0], WHOLE[2]]

    async def test_a_share_link_says_nothing_about_its_holder(
        self, site: Any, placed: dict[str, str], speak: Speak
    ) -> None:
        await adapt(site, visibility="share-link")
        await condition(site, "sections", placed["B"], "visitor.claims.beta")
        link = await site.speaker.send("POST", f"{site.path}/share-links", {"name": "All"}, 201)
        key = link["urls"]["published"].partition("shareKey=")[2]
        sam = speak("stranger")
        assert await read(sam, site, shareKey=key) == [WHOLE[0], WHOLE[2]]
        listed = await sam.get(f"{site.path}/sections", shareKey=key)
        assert (listed["count"], [each["title"] for each in listed["items"]]) == (2, ["A", "C"])
        spaces = await sam.get(f"{site.path}/site-spaces", shareKey=key)
        assert [each["title"] for each in spaces["items"]] == ["a", "a2", "c"]
        hidden = (await site.speaker.get(f"{site.path}/sections"))["items"][1]["siteSpaces"][0]["space"]["id"]
        await sam.refused("GET", f"/spaces/{hidden}", 404, shareKey=key)


class TestVisitors:
    """A site with ``visitor-auth``, read with what the organization signed about a person."""

    @pytest.fixture
    async def guarded(self, site: Any, placed: dict[str, str]) -> Any:
        await adapt(site, visibility="visitor-auth")
        await condition(site, "sections", placed["B"], 'visitor.claims.name == "Vera Visitor"')
        return site

    async def test_who_shows_a_good_token_gets_what_is_for_them(
        self, guarded: Any, sign: Callable[[str], str], speak: Speak
    ) -> None:
        sam = speak("stranger")
        assert await read(sam, guarded, shareKey=sign("Vera Visitor")) == WHOLE
        assert await read(sam, guarded, shareKey=sign("Otto Other")) == [WHOLE[0], WHOLE[2]]
        assert await read(guarded.speaker, guarded) == [WHOLE[0], WHOLE[2]]
        assert await read(guarded.speaker, guarded, shareKey=sign("Vera Visitor")) == WHOLE

    async def test_it_opens_the_lists_and_the_spaces_that_are_for_them(
        self, guarded: Any, sign: Callable[[str], str], speak: Speak
    ) -> None:
        sam, vera, otto = speak("stranger"), sign("Vera Visitor"), sign("Otto Other")
        space = (await guarded.speaker.get(f"{guarded.path}/sections"))["items"][1]["siteSpaces"][0]["space"]["id"]
        assert (await sam.get(f"{guarded.path}/sections", shareKey=vera))["count"] == 3
        assert (await sam.get(f"{guarded.path}/site-spaces", shareKey=otto))["count"] == 3
        assert "shareKey" not in (await sam.get(f"/spaces/{space}", shareKey=vera))["urls"]["published"]
        await sam.refused("GET", f"/spaces/{space}", 404, shareKey=otto)

    async def test_an_expired_one_is_refused(
        self, guarded: Any, sign: Callable[[str], str], speak: Speak, clock: FrozenClock
    ) -> None:
        sam, token = speak("stranger"), sign("Vera Visitor")
        clock.advance(hours=1)
        for somebody in (sam, guarded.speaker):
            message = await somebody.refused("GET", f"{guarded.path}/published", 403, shareKey=token)
            assert "expired" in message
        await sam.refused("GET", f"{guarded.path}/sections", 404, shareKey=token)

    async def test_a_forged_one_is_refused(self, guarded: Any, sign: Callable[[str], str], speak: Speak) -> None:
        head, body, signature = sign("Vera Visitor").split(".")
        other = sign("Otto Other").split(".")[1]
        sam = speak("stranger")
        for token in (f"{head}.{other}.{signature}", f"{head}.{body}.", f"{head}.{body}", "guessed"):
            message = await sam.refused("GET", f"{guarded.path}/published", 403, shareKey=token)
            assert "not signed by this organization" in message
            await sam.refused("GET", f"{guarded.path}/sections", 404, shareKey=token)

    async def test_what_a_ping_hands_out_is_good(self, guarded: Any, organization: str, speak: Speak) -> None:
        vera = speak("read")
        token = (await vera.send("POST", f"/orgs/{organization}/ping"))["serviceVisitorClaims"]
        assert await read(speak("stranger"), guarded, shareKey=token) == [WHOLE[0], WHOLE[2]]

    async def test_on_an_open_site_a_good_token_says_who_one_is_and_a_bad_one_nothing(
        self, guarded: Any, sign: Callable[[str], str], speak: Speak
    ) -> None:
        sam = speak("stranger")
        for visibility in ("public", "unlisted"):
            await guarded.speaker.send("PATCH", guarded.path, {"visibility": visibility})
            assert await read(sam, guarded, shareKey=sign("Vera Visitor")) == WHOLE
            assert await read(sam, guarded, shareKey="guessed") == [WHOLE[0], WHOLE[2]]
