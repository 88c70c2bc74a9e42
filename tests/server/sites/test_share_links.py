from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from recto.contract.common import Role
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from support.platform import FrozenClock, Speaker


async def share(site: Any, name: str = "For Bob") -> Any:
    return await site.speaker.send("POST", f"{site.path}/share-links", {"name": name}, 201)


def key_of(link: Any) -> str:
    return str(parse_qs(urlsplit(link["urls"]["published"]).query)["shareKey"][0])


async def test_a_share_link_says_what_it_is(site: Any) -> None:
    answer = await site.speaker.request("POST", f"{site.path}/share-links", json={"name": "For Bob"})
    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"] == f"http://recto.test/v1{site.path}/share-links/{made['id']}"
    assert made == {
        "object": "share-link",
        "id": made["id"],
        "createdAt": "2026-03-02T09:00:00.000Z",
        "name": "For Bob",
        "active": True,
        "urls": {"published": f"http://recto.test/v1{site.path}/published?shareKey={key_of(made)}"},
    }


async def test_keys_are_long_and_no_two_are_alike(site: Any) -> None:
    keys = {key_of(await share(site)) for _ in range(5)}
    assert len(keys) == 5
    assert all(len(key) >= 20 for key in keys)


async def test_the_list_and_its_pages(site: Any, clock: FrozenClock) -> None:
    made = []
    for name in ("First", "Second", "Third"):
        clock.advance(minutes=1)
        made.append(await share(site, name))
    path = f"{site.path}/share-links"
    assert await site.speaker.get(path) == {"count": 3, "items": made}
    first = await site.speaker.get(path, limit=2)
    await site.speaker.send("DELETE", f"{path}/{made[1]['id']}", status=204)
    second = await site.speaker.get(path, limit=2, page=first["next"]["page"])
    assert [*first["items"], *second["items"]] == made
    assert (second["count"], "next" in second) == (2, False)


async def test_what_is_sent_changes_and_the_rest_stays(site: Any) -> None:
    made = await share(site)
    path = f"{site.path}/share-links/{made['id']}"
    for _ in range(2):
        assert await site.speaker.send("PATCH", path, {"active": False}) == made | {"active": False}
    assert await site.speaker.send("PATCH", path, {"name": "For Eve"}) == made | {"active": False, "name": "For Eve"}
    assert await site.speaker.send("PATCH", path, {}) == made | {"active": False, "name": "For Eve"}
    assert await site.speaker.send("PATCH", path, {"active": True, "name": "For Bob"}) == made


@pytest.mark.parametrize("name", ["", "x" * 50])
async def test_the_ends_of_the_limits_are_taken(site: Any, name: str) -> None:
    made = await share(site, name)
    assert made["name"] == name
    path = f"{site.path}/share-links/{made['id']}"
    assert (await site.speaker.send("PATCH", path, {"name": name}))["name"] == name


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": "x" * 51}, "name: at most 50 characters"),
        ({"name": None}, "name: must be a string"),
        ({"name": "x", "key": "mine"}, "key: is not a field of this request"),
        ({"name": "x", "active": None}, "active: "),
        ({"name": "x", "active": 1}, "active: "),
    ],
)
async def test_limits(site: Any, body: dict[str, Any], message: str) -> None:
    assert (await site.speaker.refused("POST", f"{site.path}/share-links", 400, body)).startswith(message)
    made = await share(site)
    path = f"{site.path}/share-links/{made['id']}"
    assert (await site.speaker.refused("PATCH", path, 400, body)).startswith(message)
    assert (await site.speaker.get(f"{site.path}/share-links"))["items"] == [made]


async def test_a_link_needs_a_name(site: Any) -> None:
    assert await site.speaker.refused("POST", f"{site.path}/share-links", 400, {}) == "name: is required"


async def test_unknown_ids(site: Any, platform: Platform, organization: str) -> None:
    made = await share(site)
    other = await site.speaker.send("POST", f"/orgs/{organization}/sites", {}, 201)
    elsewhere = f"/orgs/{organization}/sites/{other['id']}/share-links"
    for path in (f"{site.path}/share-links/unknown", f"{elsewhere}/{made['id']}"):
        message = await site.speaker.refused("PATCH", path, 404, {"active": False})
        assert message.startswith("There is no share link")
        await site.speaker.send("DELETE", path, status=204)
    assert (await site.speaker.get(f"{site.path}/share-links"))["items"] == [made]
    for method in ("GET", "POST"):
        await site.speaker.refused(method, f"{site.path}x/share-links", 404, {"name": "x"})


@pytest.mark.parametrize("role", [*ROLES, None, "stranger"])
async def test_secrets_are_for_admins(
    site: Any, speak: Callable[[Role | str | None], Speaker], role: Role | str | None
) -> None:
    made = await share(site)
    somebody = speak(role)
    refused = 404 if role in (None, "stranger") else 403
    calls: tuple[tuple[str, str, Any, int], ...] = (
        ("GET", "", None, 200),
        ("POST", "", {"name": "Mine"}, 201),
        ("PATCH", f"/{made['id']}", {"active": False}, 200),
        ("DELETE", f"/{made['id']}", None, 204),
    )
    for method, path, body, status in calls:
        answer = await somebody.request(method, f"{site.path}/share-links{path}", json=body)
        assert answer.status_code == (status if role == "admin" else refused)
        assert role == "admin" or key_of(made) not in answer.text


class TestKeys:
    """What a key opens, to a stranger who has nothing else."""

    @pytest.fixture
    async def book(self, site: Any, make_space: Callable[[str], str]) -> str:
        """A space on the site, which is published for share links, in the section Guide."""
        space = make_space("Book")
        await site.section("Guide", space)
        await site.speaker.send("PATCH", site.path, {"visibility": "share-link"})
        await site.speaker.send("POST", f"{site.path}/publish")
        return space

    @pytest.fixture
    def paths(self, site: Any, book: str) -> tuple[str, ...]:
        return (f"{site.path}/published", f"{site.path}/site-spaces", f"{site.path}/sections", f"/spaces/{book}")

    async def test_a_good_key_opens_the_site_and_its_spaces(
        self, site: Any, paths: tuple[str, ...], speak: Callable[[str], Speaker]
    ) -> None:
        key, sam = key_of(await share(site)), speak("stranger")
        for path in paths:
            await sam.get(path, shareKey=key)
            await sam.refused("GET", path, 404)
            await sam.refused("GET", path, 404, shareKey="guessed")
            await sam.refused("GET", path, 404, shareKey="")

    async def test_it_opens_nothing_else(
        self, site: Any, book: str, make_space: Callable[[str], str], speak: Callable[[str], Speaker]
    ) -> None:
        key, sam = key_of(await share(site)), speak("stranger")
        others = (f"/spaces/{make_space('Loose')}", site.path, f"{site.path}/structure", f"{site.path}/share-links")
        for path in (*others, f"/spaces/{book}/content"):
            await sam.refused("GET", path, 404, shareKey=key)

    async def test_a_link_stops_working_at_once_and_works_again(
        self, site: Any, paths: tuple[str, ...], speak: Callable[[str], Speaker]
    ) -> None:
        link, sam = await share(site), speak("stranger")
        change = f"{site.path}/share-links/{link['id']}"
        for active, status in ((False, 404), (True, 200)):
            await site.speaker.send("PATCH", change, {"active": active})
            for path in paths:
                await sam.get(path, status, shareKey=key_of(link))
        await site.speaker.send("DELETE", change, status=204)
        for path in paths:
            await sam.refused("GET", path, 404, shareKey=key_of(link))

    async def test_it_opens_only_the_site_it_is_of(
        self, site: Any, organization: str, paths: tuple[str, ...], speak: Callable[[str], Speaker]
    ) -> None:
        other = await site.speaker.send("POST", f"/orgs/{organization}/sites", {"visibility": "share-link"}, 201)
        path = f"/orgs/{organization}/sites/{other['id']}"
        await site.speaker.send("POST", f"{path}/publish")
        key = key_of(await site.speaker.send("POST", f"{path}/share-links", {"name": "Other"}, 201))
        sam = speak("stranger")
        for each in paths:
            await sam.refused("GET", each, 404, shareKey=key)
        await sam.get(f"{path}/published", shareKey=key)

    @pytest.mark.parametrize("change", [{"visibility": "visitor-auth"}, None])
    async def test_it_opens_nothing_on_a_site_that_is_not_published_for_share_links(
        self, site: Any, paths: tuple[str, ...], speak: Callable[[str], Speaker], change: Any
    ) -> None:
        key, sam = key_of(await share(site)), speak("stranger")
        if change is None:
            await site.speaker.send("POST", f"{site.path}/unpublish")
        else:
            await site.speaker.send("PATCH", site.path, change)
        for path in paths[1:]:
            await sam.refused("GET", path, 404, shareKey=key)
        await sam.refused("GET", paths[0], 404 if change is None else 403, shareKey=key)

    async def test_a_guest_and_a_disabled_member_need_one_too(
        self, platform: Platform, site: Any, paths: tuple[str, ...], speak: Callable[[Any], Speaker]
    ) -> None:
        key = key_of(await share(site))
        gil, dora = speak(None), speak("admin")
        await dora.get(site.path)
        platform.database.write_now(
            lambda c: c.execute("UPDATE members SET disabled = 1 WHERE role = 'admin' AND user <> ?", platform.owner)
        )
        for somebody in (gil, dora):
            for path in paths[:3]:
                await somebody.refused("GET", path, 404)
                await somebody.get(path, shareKey=key)

    async def test_addresses_carry_the_key(
        self, site: Any, paths: tuple[str, ...], speak: Callable[[str], Speaker]
    ) -> None:
        key, sam = key_of(await share(site)), speak("stranger")
        address = f"http://recto.test/v1{site.path}/published?shareKey={key}"
        published, links, sections, space = [await sam.get(path, shareKey=key) for path in paths]
        assert published["site"]["urls"]["published"] == address
        assert sections["items"][0]["urls"]["published"] == f"{address}#guide"
        assert links["items"][0]["urls"]["published"] == f"{address}#guide/book"
        assert space["urls"]["published"] == f"{address}#guide/book"

    async def test_a_stranger_gets_what_a_reader_may_know_of_a_space(
        self, site: Any, paths: tuple[str, ...], speak: Callable[[str], Speaker]
    ) -> None:
        space = await speak("stranger").get(paths[3], shareKey=key_of(await share(site)))
        assert space["title"] == "Book"
        assert [name for name, allowed in space["permissions"].items() if allowed] == ["view"]
        kept_back = (space["comments"], space["changeRequests"], space["mergeRules"], space["defaultLevel"])
        assert kept_back == (0, 0, {"type": "inherit"}, None)

    async def test_a_member_gets_all_of_a_space_and_its_published_address(
        self, site: Any, paths: tuple[str, ...]
    ) -> None:
        plain = await site.speaker.get(paths[3])
        key = key_of(await share(site))
        with_key = await site.speaker.get(paths[3], shareKey=key)
        assert with_key["urls"].pop("published").endswith(f"shareKey={key}#guide/book")
        plain["urls"].pop("published", None)
        assert with_key == plain
        assert (await site.speaker.get(paths[3], shareKey="guessed"))["id"] == plain["id"]

    async def test_a_deleted_space_is_not_opened(
        self, site: Any, book: str, paths: tuple[str, ...], speak: Callable[[str], Speaker]
    ) -> None:
        key, sam = key_of(await share(site)), speak("stranger")
        await site.speaker.send("DELETE", f"/spaces/{book}", status=204)
        await sam.refused("GET", paths[3], 404, shareKey=key)
        assert (await sam.get(paths[1], shareKey=key))["items"] == []
