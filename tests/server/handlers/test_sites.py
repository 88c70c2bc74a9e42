from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.server import directory, site_spaces, sites
from recto.server.platform import Platform
from support.platform import FrozenClock, Speaker, join


@pytest.fixture
def found(platform: Platform, organization: str, clock: FrozenClock) -> Callable[..., str]:
    """Makes sites, a minute apart."""

    def make(title: str, **more: Any) -> str:
        clock.advance(minutes=1)
        return platform.database.write_now(
            lambda c: sites.create_site(platform.context(c), organization, title, **more)
        )

    return make


async def test_a_site_says_what_it_is(ada: Speaker, organization: str, found: Callable[..., str]) -> None:
    site = found("Public docs", visibility="unlisted", basename="docs")
    path = f"/orgs/{organization}/sites/{site}"
    assert await ada.get(path) == {
        "object": "site",
        "id": site,
        "type": "basic",
        "title": "Public docs",
        "basename": "docs",
        "visibility": "unlisted",
        "published": False,
        "siteSpaces": 0,
        "createdAt": "2026-03-02T09:01:00.000Z",
        "adaptiveContent": {"enabled": False},
        "ads": {"status": "disabled", "submittable": False},
        "agentsContext": "included",
        "features": [
            {"id": f"sites-{each}", "plan": "basic", "frozen": False, "customizations": []}
            for each in ("sections", "multivariant-site", "share-links", "redirects", "adaptive-content")
        ],
        "urls": {"location": f"http://recto.test/v1{path}"},
    }


async def test_filters(
    platform: Platform, ada: Speaker, organization: str, found: Callable[..., str], make_space: Callable[[str], str]
) -> None:
    first, second = found("Öffentlich"), found("Internal", published=True)
    book, other = make_space("Book"), make_space("Other")
    platform.database.write_now(lambda c: site_spaces.add_site_space(platform.context(c), second, book))

    async def listed(**query: Any) -> list[str]:
        answer = await ada.get(f"/orgs/{organization}/sites", **query)
        assert answer["count"] == len(answer["items"])
        return [site["id"] for site in answer["items"]]

    assert await listed() == [first, second]
    assert await listed(title="öFFENT") == [first]
    assert await listed(title="nowhere") == []
    assert await listed(published="true") == [second]
    assert await listed(published="false") == [first]
    assert await listed(space=book) == [second]
    assert await listed(space=other) == await listed(space="unknown") == []
    assert await listed(space=book, published="false") == []


async def test_pages(ada: Speaker, organization: str, found: Callable[..., str]) -> None:
    made = [found(f"Site {at}") for at in range(3)]
    first = await ada.get(f"/orgs/{organization}/sites", limit=2)
    second = await ada.get(f"/orgs/{organization}/sites", limit=2, page=first["next"]["page"])
    assert [site["id"] for site in first["items"] + second["items"]] == made
    assert (first["count"], "next" in second) == (3, False)


async def test_a_site_of_another_organization_is_a_404(
    platform: Platform, ada: Speaker, organization: str, found: Callable[..., str]
) -> None:
    def second(context: Any) -> str:
        made = directory.create_organization(context, "Second")
        directory.add_member(context, made, platform.owner, "admin")
        return made

    other = platform.database.write_now(lambda c: second(platform.context(c)))
    site = found("Docs")
    for path in (f"/orgs/{other}/sites/{site}", f"/orgs/{organization}/sites/unknown", f"/orgs/unknown/sites/{site}"):
        await ada.refused("GET", path, 404)


async def test_a_reader_sees_sites_and_a_guest_does_not(
    platform: Platform, organization: str, found: Callable[..., str]
) -> None:
    site = found("Docs")
    rosa = Speaker(platform, join(platform, organization, "Rosa Reader", "read"))
    assert (await rosa.get(f"/orgs/{organization}/sites/{site}"))["id"] == site
    gil = Speaker(platform, join(platform, organization, "Gil Guest", None))
    await gil.refused("GET", f"/orgs/{organization}/sites", 403)
    await gil.refused("GET", f"/orgs/{organization}/sites/{site}", 404)
