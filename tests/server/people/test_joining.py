from __future__ import annotations

from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.people import directory
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from recto.server.sites.visitor_claims import LIFETIME, verify_claims
from support.platform import BASE_URL, FrozenClock, Speaker, join, stranger


@pytest.fixture
def sam(platform: Platform) -> Speaker:
    """Sam, who belongs to no organization and whose address is sam@example.org."""
    return Speaker(platform, stranger(platform))


@pytest.fixture
def path(organization: str) -> str:
    return f"/orgs/{organization}"


async def _allow(ada: Speaker, path: str, *domains: str, role: Role | None = "comment") -> None:
    await ada.send("PATCH", path, {"emailDomains": domains, "defaultRole": role})


async def _sams(ada: Speaker, path: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await ada.get(f"{path}/members", search="sam@"))["items"]
    return items


@pytest.mark.parametrize("role", [*ROLES, None])
async def test_who_joins_gets_the_default_role(
    ada: Speaker, sam: Speaker, path: str, role: Role | None, clock: FrozenClock
) -> None:
    await _allow(ada, path, "example.com", "example.org", role=role)
    clock.advance(hours=1)
    assert await sam.send("POST", f"{path}/join", status=204) is None
    (member,) = await _sams(ada, path)
    assert (member["role"], member["joinedAt"]) == (role, "2026-03-02T10:00:00.000Z")
    assert (await sam.get(path))["permissions"]["view"]


async def test_who_joins_again_stays_what_they_are(ada: Speaker, sam: Speaker, path: str, clock: FrozenClock) -> None:
    await _allow(ada, path, "example.org")
    await sam.send("POST", f"{path}/join", status=204)
    (before,) = await _sams(ada, path)
    clock.advance(hours=1)
    await _allow(ada, path, role="admin")
    await sam.send("POST", f"{path}/join", status=204)
    assert await _sams(ada, path) == [before]


@pytest.mark.parametrize("domains", [(), ("example.com",), ("sub.example.org", "ample.org", "org.example")])
async def test_a_domain_that_is_not_allowed_is_not_valid(
    ada: Speaker, sam: Speaker, path: str, domains: tuple[str, ...]
) -> None:
    await _allow(ada, path, *domains)
    refused = await sam.refused("POST", f"{path}/join", 400)
    assert refused == "The e-mail domain example.org is not valid for joining this organization. Ask for an invite."
    assert await _sams(ada, path) == []


def _nameless(platform: Platform, address: str | None) -> str:
    return platform.database.write_now(lambda c: directory.create_user(platform.context(c), "Nameless", address))


async def test_without_an_address_no_one_joins(platform: Platform, ada: Speaker, path: str) -> None:
    await _allow(ada, path, "example.org")
    for address in (None, "", "example.org", "sam@"):
        user = _nameless(platform, address)
        refused = await Speaker(platform, user).refused("POST", f"{path}/join", 400)
        assert refused == "Your account has no e-mail address, so no domain to join by."
    assert (await ada.get(f"{path}/members"))["count"] == 1


async def test_the_domain_of_an_address_may_be_in_any_case(platform: Platform, ada: Speaker, path: str) -> None:
    await _allow(ada, path, "Example.Org")
    user = _nameless(platform, '"a@b"@EXAMPLE.ORG')
    await Speaker(platform, user).send("POST", f"{path}/join", status=204)
    assert (await ada.get(f"{path}/members"))["count"] == 2


async def test_a_disabled_member_does_not_come_back_by_joining(
    platform: Platform, ada: Speaker, sam: Speaker, path: str
) -> None:
    await _allow(ada, path, "example.org")
    await sam.send("POST", f"{path}/join", status=204)
    (member,) = await _sams(ada, path)
    platform.database.write_now(lambda c: c.execute("UPDATE members SET disabled = 1 WHERE user = ?", member["id"]))
    assert "your membership is disabled" in await sam.refused("POST", f"{path}/join", 403)
    assert [each["disabled"] for each in await _sams(ada, path)] == [True]
    await sam.refused("GET", path, 404)


async def test_an_organization_that_is_not_there_cannot_be_joined(sam: Speaker) -> None:
    assert await sam.refused("POST", "/orgs/unknown/join", 404) == "There is no organization unknown."


async def test_who_could_join_learns_what_it_is_called_and_no_more(
    ada: Speaker, sam: Speaker, path: str, organization: str
) -> None:
    await _allow(ada, path, "example.org")
    await ada.send("PATCH", path, {"logo": "https://example.org/logo.png"})
    (found,) = (await sam.get("/email-domains/Example.org/orgs"))["organizations"]
    assert not any(found.pop("permissions").values())
    assert found == {
        "object": "organization",
        "id": organization,
        "title": "Ada's documentation",
        "createdAt": "2026-03-02T09:00:00.000Z",
        "emailDomains": [],
        "type": "community",
        "plan": "community_2024",
        "inviteLinks": False,
        "mergeRules": {"type": "none"},
        "trial": {"status": "notapplicable", "count": 0},
        "urls": {
            "app": f"{BASE_URL}/o/{organization}",
            "location": f"{BASE_URL}/v1{path}",
            "logo": "https://example.org/logo.png",
        },
    }
    await sam.send("POST", f"{path}/join", status=204)
    (found,) = (await sam.get("/email-domains/example.org/orgs"))["organizations"]
    assert found == await sam.get(path)


async def test_organizations_of_another_domain_are_shown_to_their_members_alone(
    platform: Platform, ada: Speaker, sam: Speaker, path: str
) -> None:
    await _allow(ada, path, "example.com")
    assert await sam.get("/email-domains/example.com/orgs") == {"organizations": []}
    (found,) = (await ada.get("/email-domains/example.com/orgs"))["organizations"]
    assert found == await ada.get(path)
    assert await ada.get("/email-domains/example.org/orgs") == {"organizations": []}


async def test_several_organizations_of_a_domain_come_oldest_first(
    platform: Platform, ada: Speaker, sam: Speaker, path: str, organization: str, clock: FrozenClock
) -> None:
    def find(title: str) -> str:
        def work(connection: Any) -> str:
            context = platform.context(connection)
            made = directory.create_organization(context, title)
            directory.add_member(context, made, platform.owner, "admin")
            return made

        clock.advance(hours=1)
        return platform.database.write_now(work)

    others = [find("Second"), find("Third")]
    for each in reversed([organization, *others]):
        await _allow(ada, f"/orgs/{each}", "example.org")
    listed = (await sam.get("/email-domains/example.org/orgs"))["organizations"]
    assert [each["id"] for each in listed] == [organization, *others]


@pytest.mark.parametrize("domain", ["localhost", "a b.org", "-a.org", f"{'a' * 64}.org", ".".join(["a" * 63] * 4)])
async def test_what_is_no_domain_is_refused(ada: Speaker, domain: str) -> None:
    assert (await ada.refused("GET", f"/email-domains/{domain}/orgs", 400)).startswith("emailDomain: ")


@pytest.mark.parametrize("role", [*ROLES, None])
async def test_any_member_who_pings_has_been_seen(
    platform: Platform, ada: Speaker, organization: str, path: str, clock: FrozenClock, role: Role | None
) -> None:
    user = join(platform, organization, "Max Member", role)
    max_ = Speaker(platform, user)
    assert "lastSeenAt" not in await max_.get(f"{path}/members/{user}")
    for hour in (10, 11):
        clock.advance(hours=1)
        claims = (await max_.send("POST", f"{path}/ping"))["serviceVisitorClaims"]
        assert (await max_.get(f"{path}/members/{user}"))["lastSeenAt"] == f"2026-03-02T{hour}:00:00.000Z"
    told = platform.database.read_now(lambda c: verify_claims(platform.context(c), organization, claims))
    assert (told["sub"], told["name"], told.get("role")) == (user, "Max Member", role)
    assert told["exp"] == int((clock() + LIFETIME).timestamp())
    assert "lastSeenAt" not in await ada.get(f"{path}/members/{platform.owner}")


async def test_a_stranger_and_a_disabled_member_do_not_ping(
    platform: Platform, sam: Speaker, organization: str, path: str
) -> None:
    await sam.refused("POST", f"{path}/ping", 404)
    user = join(platform, organization, "Max Member", "read")
    platform.database.write_now(lambda c: c.execute("UPDATE members SET disabled = 1 WHERE user = ?", user))
    await Speaker(platform, user).refused("POST", f"{path}/ping", 404)
    assert platform.database.read_now(lambda c: c.value("SELECT count(*) FROM visitor_keys")) == 0
