from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from support.platform import FrozenClock, Speaker

AWAY = {"kind": "external", "url": "https://example.org/"}


class Ground:
    """A site with the section Guide, in which the site space Book stands, whose space has the page ``start``."""

    def __init__(self, site: Any, space: str) -> None:
        self.site = site
        self.speaker: Speaker = site.speaker
        self.space = space
        self.section = self.link = ""
        self.path = f"{site.path}/redirects"

    @property
    def destinations(self) -> tuple[dict[str, str], ...]:
        return (
            {"kind": "site-section", "siteSectionId": self.section},
            {"kind": "site-space", "siteSpaceId": self.link},
            {"kind": "site-page", "siteSpaceId": self.link, "pageId": "start"},
            AWAY,
        )

    async def make(self, source: str, destination: Any = None, **more: Any) -> Any:
        body = {"source": source, "destination": destination or AWAY} | more
        return await self.speaker.send("POST", self.path, body, 201)

    async def listed(self) -> list[str]:
        return [each["source"] for each in (await self.speaker.get(self.path))["items"]]


@pytest.fixture
async def ground(platform: Platform, site: Any, make_space: Callable[[str], str]) -> Ground:
    made = Ground(site, make_space("Book"))
    tree = ImportedTree((ImportedPage("start", "Start", "start"),))
    platform.database.write_now(lambda c: import_tree(platform.context(c), made.space, tree))
    made.section = await site.section("Guide", made.space)
    made.link = (await site.speaker.get(f"{site.path}/site-spaces"))["items"][0]["id"]
    return made


async def test_a_redirect_says_what_it_is(ground: Ground) -> None:
    body = {"source": "/old", "destination": ground.destinations[0], "permanent": True}
    answer = await ground.speaker.request("POST", ground.path, json=body)
    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"] == f"http://recto.test/v1{ground.path}/{made['id']}"
    told = {"object": "site-redirect", "id": made["id"], "createdAt": "2026-03-02T09:00:00.000Z"}
    assert made == body | told | {"draft": False, "captureWildcard": False}


async def test_it_leads_to_each_kind_of_place(ground: Ground) -> None:
    for at, to in enumerate(ground.destinations):
        made = await ground.make(f"/old/{at}", to)
        assert (made["destination"], made["permanent"]) == (to, False)
    listed = (await ground.speaker.get(ground.path))["items"]
    assert sorted(each["destination"]["kind"] for each in listed) == sorted(to["kind"] for to in ground.destinations)


async def test_the_list_and_its_pages(ground: Ground, clock: FrozenClock) -> None:
    made = []
    for source in ("/c", "/a", "/b"):
        clock.advance(minutes=1)
        made.append(await ground.make(source))
    assert await ground.speaker.get(ground.path) == {"count": 3, "items": made}
    first = await ground.speaker.get(ground.path, limit=2)
    await ground.speaker.send("DELETE", f"{ground.path}/{made[0]['id']}", status=204)
    second = await ground.speaker.get(ground.path, limit=2, page=first["next"]["page"])
    assert [*first["items"], *second["items"]] == made


async def test_what_is_sent_changes_and_the_rest_stays(ground: Ground) -> None:
    made = await ground.make("/old", ground.destinations[2], permanent=True)
    path = f"{ground.path}/{made['id']}"
    for _ in range(2):
        assert await ground.speaker.send("PATCH", path, {"source": "/older"}) == made | {"source": "/older"}
    changed = made | {"source": "/older", "destination": AWAY}
    assert await ground.speaker.send("PATCH", path, {"destination": AWAY}) == changed
    assert await ground.speaker.send("PATCH", path, {}) == changed
    back = {"destination": ground.destinations[1], "permanent": False}
    assert await ground.speaker.send("PATCH", path, back) == changed | back


async def test_each_source_has_one_redirect_on_its_site(ground: Ground, organization: str) -> None:
    first, second = await ground.make("/first"), await ground.make("/second")
    taken = "source: there is a redirect from “/first” already"
    body = {"source": "/first", "destination": AWAY}
    assert await ground.speaker.refused("POST", ground.path, 400, body) == taken
    path = f"{ground.path}/{second['id']}"
    assert await ground.speaker.refused("PATCH", path, 400, {"source": "/first"}) == taken
    assert (await ground.speaker.get(ground.path))["count"] == 2
    other = await ground.speaker.send("POST", f"/orgs/{organization}/sites", {}, 201)
    await ground.speaker.send("POST", f"/orgs/{organization}/sites/{other['id']}/redirects", body, 201)
    await ground.speaker.send("DELETE", f"{ground.path}/{first['id']}", status=204)
    await ground.make("/first")


@pytest.mark.parametrize("other", ["/%c3%bc-a", "/%C3%bc-%61"])
async def test_an_address_has_one_redirect_however_it_is_spelt(ground: Ground, other: str) -> None:
    made = await ground.make("/%C3%BC-a")
    await ground.make("/%C3%BC-A")
    body = {"source": other, "destination": AWAY}
    assert "already" in await ground.speaker.refused("POST", ground.path, 400, body)
    changed = await ground.speaker.send("PATCH", f"{ground.path}/{made['id']}", {"source": other})
    assert changed["source"] == other


@pytest.mark.parametrize("source", ["/x", "/" + "x" * 511, "/a/b-c/d_e/~f.html", "/%C3%A9t%C3%A9"])
async def test_sources_that_are_taken(ground: Ground, source: str) -> None:
    assert (await ground.make(source))["source"] == source


@pytest.mark.parametrize("source", ["", "/", "old", "//old", "/old/", "/a b", "/a?b", "/a#b", "/été", "/%zz", 7, None])
async def test_sources_that_are_not(ground: Ground, source: Any) -> None:
    body = {"source": source, "destination": AWAY}
    assert (await ground.speaker.refused("POST", ground.path, 400, body)).startswith("source: ")
    made = await ground.make("/old")
    path = f"{ground.path}/{made['id']}"
    assert (await ground.speaker.refused("PATCH", path, 400, {"source": source})).startswith("source: ")


async def test_a_source_has_at_most_512_characters(ground: Ground) -> None:
    body = {"source": "/" + "x" * 512, "destination": AWAY}
    assert await ground.speaker.refused("POST", ground.path, 400, body) == "source: at most 512 characters"


@pytest.mark.parametrize(
    ("destination", "message"),
    [
        (None, "destination: "),
        ({}, "destination: "),
        ({"kind": "elsewhere"}, "destination: "),
        ({"kind": "site-section"}, "destination.siteSectionId: is required"),
        ({"kind": "site-page", "siteSpaceId": "x"}, "destination.pageId: is required"),
        ({"kind": "site-section", "siteSectionId": "x"}, "destination.siteSectionId: there is no section x on this"),
        ({"kind": "site-space", "siteSpaceId": "x"}, "destination.siteSpaceId: there is no site space x on this"),
        ({"kind": "site-page", "siteSpaceId": "x", "pageId": "start"}, "destination.siteSpaceId: there is no site sp"),
        ({"kind": "external"}, "destination.url: is required"),
        ({"kind": "external", "url": "ftp://example.org"}, "destination.url: must be an address"),
        ({"kind": "external", "url": "javascript:alert(1)"}, "destination.url: must be an address"),
        ({"kind": "external", "url": "https://me:secret@example.org"}, "destination.url: must be an address"),
        ({"kind": "external", "url": "https://a.b/" + "x" * 2048}, "destination.url: at most 2048 characters"),
        ({**AWAY, "pageId": "start"}, "destination.pageId: is not a field"),
    ],
)
async def test_destinations_that_are_not(ground: Ground, destination: Any, message: str) -> None:
    body = {"source": "/old", "destination": destination}
    assert (await ground.speaker.refused("POST", ground.path, 400, body)).startswith(message)
    made = await ground.make("/old")
    body = {"destination": destination}
    assert (await ground.speaker.refused("PATCH", f"{ground.path}/{made['id']}", 400, body)).startswith(message)
    assert (await ground.speaker.get(ground.path))["items"] == [made]


async def test_a_page_must_be_in_the_space(ground: Ground) -> None:
    to = {"kind": "site-page", "siteSpaceId": ground.link, "pageId": "nowhere"}
    message = await ground.speaker.refused("POST", ground.path, 400, {"source": "/old", "destination": to})
    assert message == "destination.pageId: there is no page nowhere in the space of this site space"


async def test_what_is_missing_is_named(ground: Ground) -> None:
    message = await ground.speaker.refused("POST", ground.path, 400, {})
    assert message == "source: is required; destination: is required"


async def test_a_redirect_goes_with_what_it_leads_to(ground: Ground) -> None:
    for at, to in enumerate(ground.destinations):
        await ground.make(f"/{at}", to)
    await ground.speaker.send("DELETE", f"{ground.site.path}/site-spaces/{ground.link}", status=204)
    assert sorted(await ground.listed()) == ["/0", "/3"]
    await ground.speaker.send("DELETE", f"{ground.site.path}/sections/{ground.section}", status=204)
    assert await ground.listed() == ["/3"]


async def test_a_redirect_to_a_deleted_space_waits_for_it(ground: Ground) -> None:
    made = await ground.make("/old", ground.destinations[2])
    await ground.make("/away")
    await ground.speaker.send("DELETE", f"/spaces/{ground.space}", status=204)
    assert await ground.listed() == ["/away"]
    await ground.speaker.refused("PATCH", f"{ground.path}/{made['id']}", 404, {})
    body = {"source": "/new", "destination": ground.destinations[1]}
    assert "there is no site space" in await ground.speaker.refused("POST", ground.path, 400, body)
    body = {"source": "/old", "destination": AWAY}
    kept = "source: the redirect from “/old” leads to a deleted space, and is kept as long as that can be restored"
    assert await ground.speaker.refused("POST", ground.path, 400, body) == kept
    await ground.speaker.send("POST", f"/spaces/{ground.space}/restore")
    assert sorted(await ground.listed()) == ["/away", "/old"]


async def test_unknown_ids(ground: Ground, organization: str) -> None:
    made = await ground.make("/old")
    other = await ground.speaker.send("POST", f"/orgs/{organization}/sites", {}, 201)
    for path in (f"{ground.path}/unknown", f"/orgs/{organization}/sites/{other['id']}/redirects/{made['id']}"):
        assert (await ground.speaker.refused("PATCH", path, 404, {})).startswith("There is no redirect")
        await ground.speaker.send("DELETE", path, status=204)
    assert await ground.listed() == ["/old"]
    for method in ("GET", "POST"):
        body = {"source": "/old", "destination": AWAY}
        await ground.speaker.refused(method, f"{ground.site.path}x/redirects", 404, body)


async def test_removing_it_twice_is_as_removing_it_once(ground: Ground) -> None:
    made = await ground.make("/old")
    for _ in range(2):
        await ground.speaker.send("DELETE", f"{ground.path}/{made['id']}", status=204)
        assert await ground.listed() == []


@pytest.mark.parametrize("role", [*ROLES, None, "stranger"])
async def test_all_who_see_the_site_see_its_redirects_and_admins_change_them(
    ground: Ground, speak: Callable[[Role | str | None], Speaker], role: Role | str | None
) -> None:
    made = await ground.make("/old")
    somebody = speak(role)
    outside = role in (None, "stranger")
    assert (await somebody.request("GET", ground.path)).status_code == (404 if outside else 200)
    calls: tuple[tuple[str, str, Any, int], ...] = (
        ("POST", "", {"source": "/new", "destination": AWAY}, 201),
        ("PATCH", f"/{made['id']}", {"permanent": True}, 200),
        ("DELETE", f"/{made['id']}", None, 204),
    )
    for method, path, body, status in calls:
        answer = await somebody.request(method, f"{ground.path}{path}", json=body)
        assert answer.status_code == (status if role == "admin" else 404 if outside else 403)
