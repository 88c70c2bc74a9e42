from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.people import directory
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from recto.server.sites import sites
from recto.server.spaces.spaces import add_space
from support.platform import BASE_URL, Speaker, join, stranger

EVERYTHING: dict[str, Any] = {
    "title": "Engines",
    "emailDomains": ["example.org", "example.com"],
    "hostname": "docs.example.org",
    "defaultRole": "comment",
    "logo": "https://example.org/logo.png?size=2#dark",
    "sso": True,
    "ai": True,
    "inviteLinks": True,
    "mergeRules": {"type": "rules", "rules": [{"rule": "require_at_least_one_review", "message": "Ask Ada"}]},
}


@pytest.fixture
def path(organization: str) -> str:
    return f"/orgs/{organization}"


async def test_a_new_organization_has_nothing_set(ada: Speaker, path: str, organization: str) -> None:
    found = await ada.get(path)
    assert found == found | {
        "object": "organization",
        "id": organization,
        "title": "Ada's documentation",
        "createdAt": "2026-03-02T09:00:00.000Z",
        "emailDomains": [],
        "type": "community",
        "useCase": "docsSite",
        "plan": "community_2024",
        "defaultRole": None,
        "sso": False,
        "ai": False,
        "inviteLinks": False,
        "mergeRules": {"type": "none"},
        "trial": {"status": "notapplicable", "count": 0},
        "urls": {"app": f"{BASE_URL}/o/{organization}", "location": f"{BASE_URL}/v1{path}"},
    }
    assert not found.keys() & {"hostname", "defaultContent", "billing", "blocked", "communityType"}


async def test_each_field_that_is_written_comes_back(ada: Speaker, path: str) -> None:
    expected = {name: value for name, value in EVERYTHING.items() if name != "logo"}
    for _ in range(2):
        changed = await ada.send("PATCH", path, EVERYTHING)
        assert changed == changed | expected
        assert changed["urls"]["logo"] == EVERYTHING["logo"]
        assert changed == await ada.get(path)
        assert changed in (await ada.get("/orgs"))["items"]


@pytest.mark.parametrize("name", sorted(EVERYTHING))
async def test_a_field_that_is_left_out_stays(ada: Speaker, path: str, name: str) -> None:
    before = await ada.get(path)
    changed = await ada.send("PATCH", path, {name: EVERYTHING[name]})
    different = {each for each in changed if changed[each] != before.get(each)}
    assert different == {"urls" if name == "logo" else name}
    assert await ada.send("PATCH", path, {}) == changed


@pytest.mark.parametrize("name", ["defaultContent", "defaultRole", "logo"])
async def test_what_may_be_null_is_taken_away_by_null(ada: Speaker, path: str, name: str, site: Any) -> None:
    content = {"defaultContent": {"type": "site", "site": site.id}}
    before = await ada.send("PATCH", path, EVERYTHING | content)
    changed = await ada.send("PATCH", path, {name: None})
    assert changed.get(name) is None
    assert "logo" not in changed["urls"] or name != "logo"
    different = {each for each in before if before[each] != changed.get(each)}
    assert different == {"urls" if name == "logo" else name}


@pytest.mark.parametrize("name", ["title", "hostname", "emailDomains", "sso", "ai", "inviteLinks", "mergeRules"])
async def test_what_may_not_be_null_is_refused(ada: Speaker, path: str, name: str) -> None:
    assert (await ada.refused("PATCH", path, 400, {name: None})).startswith(name)


async def test_domains_are_kept_in_small_letters_and_once(ada: Speaker, path: str) -> None:
    changed = await ada.send("PATCH", path, {"emailDomains": ["Example.ORG", "b.example", "example.org"]})
    assert changed["emailDomains"] == ["example.org", "b.example"]
    assert (await ada.send("PATCH", path, {"emailDomains": []}))["emailDomains"] == []


LONGEST_DOMAIN = ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 61])


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("emailDomains", [LONGEST_DOMAIN]),
        ("emailDomains", ["xn--mller-kva.example"]),
        ("emailDomains", ["a.b"]),
        ("hostname", "a.b.cd"),
        ("hostname", f"{'a' * 63}.b.{'c' * 63}"),
        ("hostname", ".".join([*["a" * 63] * 7, "b" * 61, "cd"])),
        ("logo", "http://[::1]:8080/"),
        ("logo", "https://example.org/" + "a" * 2028),
    ],
)
async def test_at_the_edge_of_what_is_taken(ada: Speaker, path: str, name: str, good: Any) -> None:
    changed = await ada.send("PATCH", path, {name: good})
    assert (changed["urls"]["logo"] if name == "logo" else changed[name]) == good


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"emailDomains": [f"{LONGEST_DOMAIN}d"]}, "emailDomains[0]: at most 253 characters"),
        ({"emailDomains": ["a.b", "localhost"]}, "emailDomains[1]: must be a domain such as example.org"),
        ({"emailDomains": ["ada@example.org"]}, "emailDomains[0]: must be a domain such as example.org"),
        ({"emailDomains": [f"{'a' * 64}.org"]}, "emailDomains[0]: must be a domain such as example.org"),
        ({"emailDomains": ["example.org\n"]}, "emailDomains[0]: must be a domain such as example.org"),
        ({"emailDomains": "example.org"}, "emailDomains: must be a list"),
        ({"hostname": "example.org"}, "hostname: must be a host name of at least three parts"),
        ({"hostname": "Docs.example.org"}, "hostname: must be a host name of at least three parts"),
        ({"hostname": f"{'a' * 64}.b.cd"}, "hostname: must be a host name of at least three parts"),
        ({"hostname": ".".join(["a" * 63] * 8) + ".bc"}, "hostname: at most 512 characters"),
        ({"hostname": ""}, "hostname: must be a host name of at least three parts"),
        ({"defaultRole": "owner"}, "defaultRole: one of "),
        ({"defaultRole": "inherit"}, "defaultRole: one of "),
        ({"logo": "ftp://example.org/logo.png"}, "logo: must be an address that begins with http:// or https://"),
        ({"logo": "javascript:alert(1)"}, "logo: must be an address that begins with http:// or https://"),
        ({"logo": "https://"}, "logo: must be an address that begins with http:// or https://"),
        ({"logo": "https://example.org/a b"}, "logo: must be an address that begins with http:// or https://"),
        ({"logo": "https://example.org/" + "a" * 2029}, "logo: at most 2048 characters"),
        ({"sso": "yes"}, "sso: must be true or false"),
        ({"mergeRules": {"type": "inherit"}}, "mergeRules.type: one of 'none' or 'rules'"),
        ({"mergeRules": {"type": "none", "rules": [{"rule": "allow_bypass", "users": ["a"]}]}}, "mergeRules.rules: go"),
        (
            {"mergeRules": {"type": "rules", "rules": [{"rule": "require_specific_reviewers"}]}},
            "mergeRules.rules[0].users: the rule require_specific_reviewers needs at least one user",
        ),
        ({"title": "t" * 129}, "title: at most 128 characters"),
        ({"emailDomains": ["example.org"] * 101}, "emailDomains: at most 100 items"),
        (
            {"mergeRules": {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}] * 51}},
            "mergeRules.rules: at most 50 items",
        ),
        (
            {"mergeRules": {"type": "rules", "rules": [{"rule": "allow_bypass", "users": ["u"] * 101}]}},
            "mergeRules.rules[0].users: at most 100 items",
        ),
        (
            {"mergeRules": {"type": "rules", "rules": [{"rule": "custom", "expression": "a" * 1025}]}},
            "mergeRules.rules[0].expression: at most 1024 characters",
        ),
        (
            {"mergeRules": {"type": "rules", "rules": [{"rule": "require_at_least_one_review", "message": "m" * 513}]}},
            "mergeRules.rules[0].message: at most 512 characters",
        ),
        ({"plan": "pro_2024"}, "plan: is not a field of this request"),
    ],
)
async def test_one_past_the_edge_is_refused_and_changes_nothing(
    ada: Speaker, path: str, body: dict[str, Any], complaint: str
) -> None:
    before = await ada.get(path)
    assert (await ada.refused("PATCH", path, 400, {"title": "Changed"} | body)).startswith(complaint)
    assert await ada.get(path) == before


async def test_default_content_is_a_site_a_space_or_a_collection(
    platform: Platform, ada: Speaker, path: str, organization: str, make_space: Callable[[str], str], site: Any
) -> None:
    shelf = platform.database.write_now(
        lambda c: directory.create_collection(platform.context(c), organization, "Shelf")
    )
    for content in (
        {"type": "site", "site": site.id},
        {"type": "space", "space": make_space("Book")},
        {"type": "collection", "collection": shelf},
    ):
        assert (await ada.send("PATCH", path, {"defaultContent": content}))["defaultContent"] == content
        assert (await ada.get(path))["defaultContent"] == content


async def test_default_content_that_goes_is_not_shown_any_more(
    ada: Speaker, path: str, make_space: Callable[[str], str], site: Any
) -> None:
    book = make_space("Book")
    await ada.send("PATCH", path, {"defaultContent": {"type": "space", "space": book}})
    await ada.send("DELETE", f"/spaces/{book}", status=204)
    assert "defaultContent" not in await ada.get(path)
    await ada.send("PATCH", path, {"defaultContent": {"type": "site", "site": site.id}})
    await ada.send("DELETE", site.path, status=204)
    assert "defaultContent" not in await ada.get(path)


async def test_default_content_that_goes_to_another_organization_is_shown_in_neither(
    platform: Platform, ada: Speaker, path: str, make_space: Callable[[str], str]
) -> None:
    def find(connection: Any) -> str:
        context = platform.context(connection)
        other = directory.create_organization(context, "Other")
        directory.add_member(context, other, platform.owner, "admin")
        return other

    book, other = make_space("Book"), platform.database.write_now(find)
    await ada.send("PATCH", path, {"defaultContent": {"type": "space", "space": book}})
    await ada.send("POST", f"/spaces/{book}/transfer", {"organization": other})
    for each in (path, f"/orgs/{other}"):
        assert "defaultContent" not in await ada.get(each)


async def test_default_content_is_shown_to_those_who_may_see_it(
    platform: Platform, ada: Speaker, path: str, organization: str, make_space: Callable[[str], str]
) -> None:
    book = make_space("Book")
    await ada.send("PATCH", f"/spaces/{book}", {"defaultLevel": None})
    await ada.send("PATCH", path, {"defaultContent": {"type": "space", "space": book}})
    rosa = Speaker(platform, join(platform, organization, "Rosa Reader", "read"))
    assert "defaultContent" not in await rosa.get(path)
    assert (await ada.get(path))["defaultContent"] == {"type": "space", "space": book}


@pytest.mark.parametrize("kind", ["site", "space", "collection"])
async def test_default_content_that_is_not_the_organizations_is_refused(
    platform: Platform, ada: Speaker, path: str, kind: str
) -> None:
    def elsewhere(connection: Any) -> str:
        context = platform.context(connection)
        other = directory.create_organization(context, "Other")
        directory.add_member(context, other, platform.owner, "admin")
        if kind == "site":
            return sites.add_site(context, other, "Docs")
        if kind == "space":
            return add_space(context, other, "Book")
        return directory.create_collection(context, other, "Shelf")

    for wanted in ("unknown", platform.database.write_now(elsewhere)):
        body = {"defaultContent": {"type": kind, kind: wanted}}
        complaint = f"defaultContent.{kind}: there is no {kind} {wanted} in this organization"
        assert await ada.refused("PATCH", path, 400, body) == complaint
    assert "defaultContent" not in await ada.get(path)


async def test_default_content_of_no_known_kind_is_refused(ada: Speaker, path: str) -> None:
    refused = await ada.refused("PATCH", path, 400, {"defaultContent": {"type": "page", "page": "p"}})
    assert refused == "defaultContent: 'type' must be one of 'site', 'space', 'collection'"
    refused = await ada.refused("PATCH", path, 400, {"defaultContent": {"type": "site"}})
    assert refused == "defaultContent.site: is required"


async def test_merge_rules_hold_in_the_spaces_that_inherit_them(
    ada: Speaker, path: str, make_space: Callable[[str], str]
) -> None:
    await ada.send("PATCH", path, EVERYTHING)
    requests = f"/spaces/{make_space('Book')}/change-requests"
    made = await ada.send("POST", requests, {"subject": "A page"}, 201)
    change = {"operation": "insert_page", "title": "A page", "document": {"markdown": "Text.\n"}}
    await ada.send("POST", f"{requests}/{made['id']}/content", {"changes": [change]})
    refused = await ada.refused("POST", f"{requests}/{made['id']}/merge", 409)
    assert "require_at_least_one_review" in refused
    assert "Ask Ada" in refused
    await ada.send("PATCH", path, {"mergeRules": {"type": "none"}})
    assert (await ada.send("POST", f"{requests}/{made['id']}/merge"))["result"] == "merge"


@pytest.mark.parametrize("role", [*ROLES[1:], None])
async def test_only_an_admin_changes_settings(
    platform: Platform, organization: str, path: str, role: Role | None
) -> None:
    speaker = Speaker(platform, join(platform, organization, "Max Member", role))
    assert "admin role" in await speaker.refused("PATCH", path, 403, {"title": "Mine"})
    assert (await speaker.get(path))["title"] == "Ada's documentation"


async def test_another_admin_changes_settings(platform: Platform, organization: str, path: str) -> None:
    anna = Speaker(platform, join(platform, organization, "Anna Admin", "admin"))
    assert (await anna.send("PATCH", path, {"title": "Ours"}))["title"] == "Ours"


async def test_an_organization_that_one_does_not_see_cannot_be_changed(
    platform: Platform, ada: Speaker, path: str
) -> None:
    await Speaker(platform, stranger(platform)).refused("PATCH", path, 404, {"title": "Mine"})
    await ada.refused("PATCH", "/orgs/unknown", 404, {"title": "Mine"})
