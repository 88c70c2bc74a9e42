from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.people import directory
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from recto.server.sites import site_spaces, sites
from recto.server.spaces.spaces import add_space
from support.platform import FrozenClock, Speaker, join


@pytest.fixture
def found(platform: Platform, organization: str, clock: FrozenClock) -> Callable[..., str]:
    """Makes sites, a minute apart."""

    def make(title: str, **more: Any) -> str:
        clock.advance(minutes=1)
        return platform.database.write_now(lambda c: sites.add_site(platform.context(c), organization, title, **more))

    return make


async def test_a_site_says_what_it_is(ada: Speaker, organization: str, found: Callable[..., str]) -> None:
    site = found("Public docs", visibility="unlisted", basename="docs")
    path = f"/orgs/{organization}/sites/{site}"
    app = f"http://recto.test{path.replace('/orgs/', '/o/')}"
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
        "ads": {"status": "pending", "submittable": False},
        "agentsContext": "included",
        "features": [
            {"id": f"sites-{each}", "plan": "basic", "frozen": False, "customizations": []}
            for each in ("sections", "multivariant-site", "share-links", "redirects", "adaptive-content")
        ],
        "appliedType": "basic",
        "defaultLevel": "inherit",
        "permissions": {
            "view": True,
            "access": True,
            "edit": True,
            "create": True,
            "admin": True,
            "installIntegration": False,
            "viewAdaptiveSchema": True,
            "editAdaptiveSchema": True,
        },
        "urls": {"app": app, "location": f"http://recto.test/v1{path}", "preview": app},
    }


async def test_filters(
    platform: Platform, ada: Speaker, organization: str, found: Callable[..., str], make_space: Callable[[str], str]
) -> None:
    first, second = found("Öffentlich"), found("Internal", published=True)
    book, other = make_space("Book"), make_space("Other")
    platform.database.write_now(lambda c: site_spaces.add_site_space(platform.context(c), second, book))

    async def list_items(**query: Any) -> list[str]:
        answer = await ada.get(f"/orgs/{organization}/sites", **query)
        assert answer["count"] == len(answer["items"])
        return [site["id"] for site in answer["items"]]

    assert await list_items() == [first, second]
    assert await list_items(title="öFFENT") == [first]
    assert await list_items(title="nowhere") == []
    assert await list_items(published="true") == [second]
    assert await list_items(published="false") == [first]
    assert await list_items(space=book) == [second]
    assert await list_items(space=other) == await list_items(space="unknown") == []
    assert await list_items(space=book, published="false") == []
    third = found("Third", kind="premium")
    assert await list_items(type="premium") == [third]
    assert await list_items(type=["premium", "basic"]) == [first, second, third]
    assert await list_items(type="ultimate") == []


async def test_a_deleted_space_finds_no_site_and_counts_on_none(
    site: Any, organization: str, make_space: Callable[[str], str]
) -> None:
    book = make_space("Book")
    await site.add(book)
    await site.speaker.send("DELETE", f"/spaces/{book}", status=204)
    assert (await site.speaker.get(f"/orgs/{organization}/sites", space=book))["items"] == []
    assert (await site.speaker.get(site.path))["siteSpaces"] == 0
    await site.speaker.send("POST", f"/spaces/{book}/restore")
    assert len((await site.speaker.get(f"/orgs/{organization}/sites", space=book))["items"]) == 1
    assert (await site.speaker.get(site.path))["siteSpaces"] == 1


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


class TestMaking:
    async def test_every_field_of_a_new_site_is_optional(self, ada: Speaker, organization: str) -> None:
        answer = await ada.request("POST", f"/orgs/{organization}/sites", json={})
        made = answer.json()
        assert answer.status_code == 201
        assert answer.headers["location"] == f"http://recto.test/v1/orgs/{organization}/sites/{made['id']}"
        told = {name: made[name] for name in ("type", "title", "visibility", "published", "siteSpaces")}
        assert told == {
            "type": "basic", "title": "Untitled", "visibility": "public", "published": False, "siteSpaces": 0,
        }  # fmt: skip

    async def test_the_same_twice_makes_two(self, ada: Speaker, organization: str) -> None:
        body = {"title": "Docs", "type": "premium", "visibility": "visitor-auth"}
        made = [await ada.send("POST", f"/orgs/{organization}/sites", body, 201) for _ in range(2)]
        assert [(each["title"], each["type"], each["visibility"]) for each in made] == [tuple(body.values())] * 2
        assert (await ada.get(f"/orgs/{organization}/sites"))["count"] == 2

    async def test_its_spaces_stand_at_the_root_each_once_and_the_first_is_the_default(
        self, ada: Speaker, organization: str, make_space: Callable[[str], str]
    ) -> None:
        one, two = make_space("One"), make_space("Two")
        made = await ada.send("POST", f"/orgs/{organization}/sites", {"spaces": [two, one, two]}, 201)
        assert made["siteSpaces"] == 2
        structure = await ada.get(f"/orgs/{organization}/sites/{made['id']}/structure")
        assert structure["type"] == "siteSpaces"
        told = [(each["title"], each["path"], each["default"]) for each in structure["structure"]]
        assert told == [("Two", "two", True), ("One", "one", False)]

    async def test_a_space_that_cannot_be_put_on_it_is_named_and_nothing_is_made(
        self, platform: Platform, ada: Speaker, organization: str, make_space: Callable[[str], str]
    ) -> None:
        def elsewhere(context: Any) -> str:
            other = directory.create_organization(context, "Second")
            directory.add_member(context, other, platform.owner, "admin")
            return add_space(context, other, "Foreign")

        foreign = platform.database.write_now(lambda c: elsewhere(platform.context(c)))
        deleted = make_space("Deleted")
        await ada.send("DELETE", f"/spaces/{deleted}", status=204)
        for space in ("unknown", foreign, deleted):
            body = {"spaces": [make_space("Good"), space]}
            message = await ada.refused("POST", f"/orgs/{organization}/sites", 400, body)
            assert message == f"spaces[1]: there is no space {space} in this organization"
        assert (await ada.get(f"/orgs/{organization}/sites"))["items"] == []

    @pytest.mark.parametrize("title", ["ab", "x" * 128])
    async def test_titles_at_the_ends_of_the_limits(self, ada: Speaker, organization: str, title: str) -> None:
        assert (await ada.send("POST", f"/orgs/{organization}/sites", {"title": title}, 201))["title"] == title

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ({"title": "a"}, "title: at least 2 characters"),
            ({"title": "x" * 129}, "title: at most 128 characters"),
            ({"title": None}, "title: must be a string"),
            ({"type": "grand"}, "type: one of"),
            ({"visibility": "private"}, "visibility: one of"),
            ({"visibility": None}, "visibility: one of"),
            ({"spaces": "abc"}, "spaces: must be a list"),
            ({"spaces": [1]}, "spaces[0]: must be a string"),
            ({"name": "Docs"}, "name: is not a field of this request"),
        ],
    )
    async def test_limits(self, ada: Speaker, organization: str, body: dict[str, Any], message: str) -> None:
        assert (await ada.refused("POST", f"/orgs/{organization}/sites", 400, body)).startswith(message)


class TestChanging:
    async def test_what_is_sent_changes_and_the_rest_stays(self, site: Any) -> None:
        body = {
            "title": "Handbook", "visibility": "unlisted", "basename": "handbook", "agentsContext": "excluded",
            "adaptiveContent": {"enabled": True}, "proxy": "example.org/docs/v2",
        }  # fmt: skip
        changed = await site.speaker.send("PATCH", site.path, body)
        origin = f"http://recto.test/v1{site.path}/published"
        proxy = {"target": "https://example.org/docs/v2", "origin": origin}
        assert {name: changed[name] for name in body} == body | {"proxy": proxy}
        assert await site.speaker.get(site.path) == changed
        assert await site.speaker.send("PATCH", site.path, body) == changed
        assert await site.speaker.send("PATCH", site.path, {}) == changed
        changed = await site.speaker.send("PATCH", site.path, {"adaptiveContent": {"enabled": False}})
        assert (changed["title"], changed["proxy"]) == ("Handbook", proxy)
        assert changed["adaptiveContent"] == {"enabled": False}

    async def test_null_removes_the_proxy_and_nothing_else_takes_it(self, site: Any) -> None:
        await site.speaker.send("PATCH", site.path, {"proxy": "example.org/docs"})
        assert "proxy" in await site.speaker.send("PATCH", site.path, {"title": "Docs"})
        for _ in range(2):
            assert "proxy" not in await site.speaker.send("PATCH", site.path, {"proxy": None})

    async def test_the_proxy_fetches_from_where_the_site_is_published(self, site: Any) -> None:
        await site.speaker.send("PATCH", site.path, {"proxy": "example.org/docs"})
        published = await site.speaker.send("POST", f"{site.path}/publish")
        address = f"http://recto.test/v1{site.path}/published"
        assert published["proxy"] == {"target": "https://example.org/docs", "origin": address}
        assert published["urls"]["published"] == address

    @pytest.mark.parametrize(
        "proxy", ["a.b/c", "docs.example.org/a/b-c/d_e/~f/%20", "x" * 63 + ".org/y", "a.b/" + "c" * 508]
    )
    async def test_proxies_that_are_taken(self, site: Any, proxy: str) -> None:
        changed = await site.speaker.send("PATCH", site.path, {"proxy": proxy})
        assert changed["proxy"]["target"] == f"https://{proxy}"

    @pytest.mark.parametrize(
        "proxy",
        [
            "", "localhost/docs", "example.org", "example.org/", "example.org//docs", "example.org/docs/",
            "https://example.org/docs", "Example.org/docs", "-a.org/docs", "example.org/../docs", "example.org:80/docs",
            "example.org/a b", "example.org/docs\n", "x" * 64 + ".org/y", 7,
        ],
    )  # fmt: skip
    async def test_proxies_that_are_not(self, site: Any, proxy: Any) -> None:
        assert (await site.speaker.refused("PATCH", site.path, 400, {"proxy": proxy})).startswith("proxy: must be")

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ({"title": "a"}, "title: at least 2 characters"),
            ({"title": "x" * 129}, "title: at most 128 characters"),
            ({"title": None}, "title: must be a string"),
            ({"visibility": "private"}, "visibility: one of"),
            ({"visibility": None}, "visibility: one of"),
            ({"basename": ""}, "basename: at least 1 character"),
            ({"basename": "x" * 101}, "basename: at most 100 characters"),
            ({"basename": None}, "basename: must be a string"),
            ({"adaptiveContent": None}, "adaptiveContent: must be an object"),
            ({"adaptiveContent": {}}, "adaptiveContent.enabled: is required"),
            ({"adaptiveContent": {"enabled": 1}}, "adaptiveContent.enabled: must be true or false"),
            ({"agentsContext": "some"}, "agentsContext: one of"),
            ({"agentsContext": None}, "agentsContext: one of"),
            ({"defaultSiteSpace": None}, "defaultSiteSpace: must be a string"),
            ({"defaultSiteSection": None}, "defaultSiteSection: must be a string"),
            ({"proxy": "a.b/" + "c" * 509}, "proxy: at most 512 characters"),
            ({"hostname": "docs.example.org"}, "hostname: is not a field of this request"),
            ({"defaultSiteSpace": "unknown"}, "defaultSiteSpace: there is no site space unknown on this site"),
            ({"defaultSiteSection": "unknown"}, "defaultSiteSection: there is no section unknown on this site"),
        ],
    )
    async def test_limits(self, site: Any, body: dict[str, Any], message: str) -> None:
        before = await site.speaker.get(site.path)
        assert (await site.speaker.refused("PATCH", site.path, 400, body)).startswith(message)
        assert await site.speaker.get(site.path) == before

    async def test_the_ends_of_the_limits_are_taken(self, site: Any) -> None:
        for body in ({"title": "ab", "basename": "x"}, {"title": "x" * 128, "basename": "y" * 100}):
            changed = await site.speaker.send("PATCH", site.path, body)
            assert {name: changed[name] for name in body} == body

    async def test_no_two_sites_of_an_organization_have_one_basename(
        self, site: Any, found: Callable[..., str]
    ) -> None:
        found("Other", basename="docs")
        message = await site.speaker.refused("PATCH", site.path, 400, {"basename": "docs"})
        assert message == "basename: “docs” is taken by another site of this organization"
        for _ in range(2):
            assert (await site.speaker.send("PATCH", site.path, {"basename": "books"}))["basename"] == "books"


class TestDefaults:
    async def test_at_the_root_another_site_space_becomes_the_default(
        self, site: Any, make_space: Callable[[str], str]
    ) -> None:
        _, two = await site.add(make_space("One")), await site.add(make_space("Two"))
        for _ in range(2):
            await site.speaker.send("PATCH", site.path, {"defaultSiteSpace": two})
            listed = (await site.speaker.get(f"{site.path}/site-spaces"))["items"]
            assert [each["default"] for each in listed] == [False, True]

    async def test_a_default_site_space_makes_its_section_the_default(
        self, site: Any, make_space: Callable[[str], str]
    ) -> None:
        first = await site.section("First", make_space("One"))
        second = await site.section("Second", make_space("Two"))
        three = await site.add(make_space("Three"), second)
        await site.speaker.send("PATCH", site.path, {"defaultSiteSpace": three})
        assert await site.variants(first) == ["ONE"]
        assert await site.variants(second) == ["Two", "THREE"]
        assert await defaults(site) == ["Second"]

    async def test_a_default_section_keeps_the_defaults_within_sections(
        self, site: Any, make_space: Callable[[str], str]
    ) -> None:
        first = await site.section("First", make_space("One"))
        second = await site.section("Second", make_space("Two"))
        for _ in range(2):
            await site.speaker.send("PATCH", site.path, {"defaultSiteSection": second})
            assert await defaults(site) == ["Second"]
        assert (await site.variants(first), await site.variants(second)) == (["ONE"], ["TWO"])

    async def test_both_at_once_must_be_of_one_mind(self, site: Any, make_space: Callable[[str], str]) -> None:
        first = await site.section("First", make_space("One"))
        second = await site.section("Second", make_space("Two"))
        three = await site.add(make_space("Three"), second)
        body = {"defaultSiteSection": first, "defaultSiteSpace": three}
        message = await site.speaker.refused("PATCH", site.path, 400, body)
        assert message == f"defaultSiteSpace: the site space {three} is not in the section of defaultSiteSection"
        assert await defaults(site) == ["First"]
        await site.speaker.send("PATCH", site.path, body | {"defaultSiteSection": second})
        assert await defaults(site) == ["Second"]
        assert await site.variants(second) == ["Two", "THREE"]


async def defaults(site: Any) -> list[str]:
    """The titles of the sections that are the default one."""
    listed = await site.speaker.get(f"{site.path}/sections")
    return [each["title"] for each in listed["items"] if each["default"]]


class TestRemoving:
    async def test_all_that_is_on_it_goes_and_the_spaces_stay(
        self, site: Any, make_space: Callable[[str], str]
    ) -> None:
        book = make_space("Book")
        section = await site.section("A", book)
        await site.group("Inner", section, parent=await site.group("Outer"))
        await site.speaker.send("POST", f"{site.path}/share-links", {"name": "All"}, 201)
        to = {"kind": "site-section", "siteSectionId": section}
        await site.speaker.send("POST", f"{site.path}/redirects", {"source": "/a", "destination": to}, 201)
        for _ in range(2):
            await site.speaker.send("DELETE", site.path, status=204)
        await site.speaker.refused("GET", site.path, 404)
        assert (await site.speaker.get(f"/spaces/{book}"))["title"] == "Book"

    async def test_a_site_of_another_organization_stays(self, platform: Platform, ada: Speaker, site: Any) -> None:
        def second(context: Any) -> str:
            made = directory.create_organization(context, "Second")
            directory.add_member(context, made, platform.owner, "admin")
            return made

        other = platform.database.write_now(lambda c: second(platform.context(c)))
        await ada.send("DELETE", f"/orgs/{other}/sites/{site.id}", status=204)
        assert (await ada.get(site.path))["id"] == site.id


@pytest.mark.parametrize("role", [*ROLES, None, "stranger"])
async def test_changes_of_sites_take_admin(
    organization: str, site: Any, speak: Callable[[Role | str | None], Speaker], role: Role | str | None
) -> None:
    somebody = speak(role)
    calls: tuple[tuple[str, str, Any], ...] = (
        ("POST", f"/orgs/{organization}/sites", {}),
        ("PATCH", site.path, {"title": "Changed"}),
        ("POST", f"{site.path}/publish", None),
        ("POST", f"{site.path}/unpublish", None),
        ("PUT", f"{site.path}/adaptive-schema", {"jsonSchema": {"type": "object"}}),
        ("DELETE", site.path, None),
    )
    for method, path, body in calls:
        answer = await somebody.request(method, path, json=body)
        if role == "admin":
            assert answer.is_success
        elif role == "stranger" or (role is None and method not in ("DELETE", "POST")):
            assert answer.status_code == 404
        elif role is None:
            assert answer.status_code in (403, 404)
        else:
            assert answer.status_code == 403
    if role != "admin":
        assert (await site.speaker.get(site.path))["title"] == "Docs"


@pytest.mark.parametrize("method", ["PATCH", "GET"])
async def test_unknown_sites_are_404s(ada: Speaker, organization: str, site: Any, method: str) -> None:
    for path in (f"/orgs/{organization}/sites/unknown", f"/orgs/unknown/sites/{site.id}"):
        assert "There is no" in await ada.refused(method, path, 404, {})
