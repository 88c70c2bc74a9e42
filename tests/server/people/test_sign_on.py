from __future__ import annotations

from typing import Any

import pytest

from recto.server.people import directory
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from support.platform import FrozenClock, Speaker, join, stranger

PEM = "-----BEGIN CERTIFICATE-----\r\nMIIBszCCAVmgAwIBAgIU\r\nGyGBCA==\r\n-----END CERTIFICATE-----\r\n"
COMPLETE = {
    "label": "Example ID",
    "entityID": "urn:example",
    "certificate": PEM,
    "ssoURL": "https://id.example.org/sso",
}


@pytest.fixture
def saml(organization: str) -> str:
    """The path of the identity providers."""
    return f"/orgs/{organization}/saml"


@pytest.fixture
async def team(ada: Speaker, organization: str) -> dict[str, Any]:
    made: dict[str, Any] = await ada.send("PUT", f"/orgs/{organization}/teams", {"title": "New", "members": []}, 201)
    return made


async def test_a_provider_says_what_it_is(ada: Speaker, saml: str, team: dict[str, Any]) -> None:
    body = COMPLETE | {"defaultTeam": team["id"], "defaultRole": "comment"}
    answer = await ada.request("POST", saml, json=body)
    assert answer.status_code == 201
    made = answer.json()
    place = f"http://recto.test/v1{saml}/{made['id']}"
    assert answer.headers["Location"] == place
    assert made == body | {
        "object": "saml-provider",
        "id": made["id"],
        "defaultTeam": team,
        "createdAt": "2026-03-02T09:00:00.000Z",
        "status": "active",
        "service": {"acsURL": f"{place}/acs", "startURL": f"{place}/start", "entityID": place},
        "urls": {"location": place},
    }
    assert await ada.get(f"{saml}/{made['id']}") == made
    assert await ada.get(saml) == {"count": 1, "items": [made]}


async def test_a_label_is_enough_and_the_rest_may_come_later(ada: Speaker, saml: str) -> None:
    made = await ada.send("POST", saml, {"label": "X"}, 201)
    assert made["status"] == "pending"
    assert made["defaultRole"] is None
    assert [made[name] for name in ("entityID", "certificate", "ssoURL")] == ["", "", ""]
    assert "defaultTeam" not in made
    same = await ada.send("POST", saml, {"label": "X", "defaultRole": None}, 201)
    assert set(same) == set(made)
    assert same["id"] != made["id"]


@pytest.mark.parametrize("missing", ["entityID", "certificate", "ssoURL"])
async def test_a_provider_is_active_once_it_has_all_that_it_needs(
    ada: Speaker, organization: str, saml: str, missing: str
) -> None:
    made = await ada.send("POST", saml, {name: COMPLETE[name] for name in COMPLETE if name != missing}, 201)
    assert made["status"] == "pending"
    assert await ada.get(f"/orgs/{organization}/sso") == {"items": []}
    place = f"{saml}/{made['id']}"
    assert (await ada.send("PATCH", place, {missing: COMPLETE[missing]}))["status"] == "active"
    login = {"id": made["id"], "label": "Example ID", "startURL": made["service"]["startURL"]}
    assert await ada.get(f"/orgs/{organization}/sso") == {"items": [login]}
    assert (await ada.refused("PATCH", place, 400, {missing: None})).startswith(f"{missing}: ")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("entityID", "urn:other"),
        ("certificate", "AAAA"),
        ("ssoURL", "http://id.example.org"),
        ("defaultTeam", "the team"),
        ("defaultRole", "read"),
    ],
)
async def test_a_value_is_set_and_left(ada: Speaker, saml: str, team: dict[str, Any], field: str, value: str) -> None:
    sent, shown = (team["id"], team) if field == "defaultTeam" else (value, value)
    place = f"{saml}/{(await ada.send('POST', saml, COMPLETE, 201))['id']}"
    for _ in range(2):
        changed = await ada.send("PATCH", place, {field: sent})
        assert changed[field] == shown
        assert await ada.get(place) == changed
    assert await ada.send("PATCH", place, {}) == changed
    assert (await ada.send("PATCH", place, {"label": "Renamed"}))[field] == shown
    others = set(COMPLETE) - {field, "label", "defaultTeam"}
    assert {name: changed[name] for name in others} == {name: COMPLETE[name] for name in others}


async def test_a_label_stays_where_it_is_left_out_and_cannot_be_taken_away(ada: Speaker, saml: str) -> None:
    place = f"{saml}/{(await ada.send('POST', saml, COMPLETE, 201))['id']}"
    assert (await ada.send("PATCH", place, {"defaultRole": None}))["label"] == "Example ID"
    assert await ada.refused("PATCH", place, 400, {"label": None}) == "label: must be a string"
    assert (await ada.get(place))["label"] == "Example ID"


LIMITS = [
    ("label", "x" * 30, "x" * 31, "label: at most 30 characters"),
    ("label", "x", "", "label: at least 1 character"),
    ("entityID", "x" * 1024, "x" * 1025, "entityID: at most 1024 characters"),
    ("entityID", "x", "", "entityID: at least 1 character"),
    ("certificate", "A" * 10000, "A" * 10004, "certificate: at most 10000 characters"),
    ("ssoURL", "https://x/".ljust(2048, "x"), "https://x/".ljust(2049, "x"), "ssoURL: at most 2048 characters"),
]


@pytest.mark.parametrize(("field", "good", "bad", "complaint"), LIMITS, ids=[each[3] for each in LIMITS])
async def test_limits(ada: Speaker, saml: str, field: str, good: str, bad: str, complaint: str) -> None:
    made = await ada.send("POST", saml, {"label": "X", field: good}, 201)
    assert made[field] == good
    assert await ada.refused("POST", saml, 400, {"label": "X", field: bad}) == complaint
    assert await ada.refused("PATCH", f"{saml}/{made['id']}", 400, {field: bad}) == complaint
    assert (await ada.get(f"{saml}/{made['id']}"))[field] == good
    assert (await ada.get(saml))["count"] == 1


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "label: is required"),
        ({"label": None}, "label: must be a string"),
        ({"label": 7}, "label: must be a string"),
        ({"label": "X", "entityId": "urn:x"}, "entityId: is not a field of this request"),
        ({"label": "X", "status": "active"}, "status: is not a field of this request"),
        ({"label": "X", "defaultTeam": "unknown"}, "defaultTeam: there is no team unknown in this organization"),
        ({"label": "X", "defaultTeam": {"id": "unknown"}}, "defaultTeam: must be a string"),
    ],
)
async def test_what_a_provider_cannot_be_made_of(ada: Speaker, saml: str, body: dict[str, Any], complaint: str) -> None:
    assert await ada.refused("POST", saml, 400, body) == complaint
    assert (await ada.get(saml))["items"] == []


@pytest.mark.parametrize("role", [*ROLES, "guest", "inherit", ""])
async def test_newcomers_get_a_role(ada: Speaker, saml: str, role: str) -> None:
    if role in ROLES:
        assert (await ada.send("POST", saml, {"label": "X", "defaultRole": role}, 201))["defaultRole"] == role
    else:
        message = await ada.refused("POST", saml, 400, {"label": "X", "defaultRole": role})
        assert message.startswith("defaultRole: one of ")


@pytest.mark.parametrize(
    "bad", [b'{"label": "\\ud800"}', b'{"label": "X"', b"[]", b'"X"', b"\xff", b'{"label": 1e999}']
)
async def test_a_body_that_is_none_is_refused(ada: Speaker, saml: str, bad: bytes) -> None:
    answer = await ada.request("POST", saml, content=bad)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["message"]


async def test_any_text_is_a_label_and_a_name(ada: Speaker, saml: str) -> None:
    for text in ("\x00", " ", "🏳️‍🌈", "{response.id}"):
        made = await ada.send("POST", saml, {"label": text, "entityID": text}, 201)
        found = await ada.get(f"{saml}/{made['id']}")
        assert (found["label"], found["entityID"]) == (text, text)


@pytest.mark.parametrize(
    "good", [PEM, PEM.strip(), PEM * 2, f"\n{PEM}", "AAAA", "AAA=", "AA==", "AA\n==\n", "TUlJ Qg==", "+/+/"]
)
async def test_a_certificate_is_kept_as_it_came(ada: Speaker, saml: str, good: str) -> None:
    made = await ada.send("POST", saml, {"label": "X", "certificate": good}, 201)
    assert made["certificate"] == good


@pytest.mark.parametrize(
    "bad",
    [
        "",
        " ",
        "A",
        "AAAAA",
        "A===",
        "=AAA",
        "AA==AAAA",
        "my certificate",
        "AAA\x00",
        "ÄÄÄÄ",
        "AAAA\u00a0",
        PEM.replace("END", "FIN"),
        PEM.replace("CERTIFICATE", "PRIVATE KEY"),
        "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
        f"{PEM}AAAA",
        "A" * 9999,
        "A \n" * 3333,
    ],
)
async def test_what_is_no_certificate_is_refused(ada: Speaker, saml: str, bad: str) -> None:
    message = await ada.refused("POST", saml, 400, {"label": "X", "certificate": bad})
    assert message == "certificate: must be a certificate, as PEM or as its base64 alone"


@pytest.mark.parametrize(
    "good",
    [
        "https://id.example.org",
        "http://localhost:8080/saml?x=1&y=%20#top",
        "https://[::1]:8443/sso",
        "https://xn--mnchen-3ya.example/",
    ],
)
async def test_where_one_signs_in_is_an_address(ada: Speaker, saml: str, good: str) -> None:
    assert (await ada.send("POST", saml, {"label": "X", "ssoURL": good}, 201))["ssoURL"] == good


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "id.example.org",
        "/sso",
        "ftp://id.example.org",
        "javascript:alert(1)",
        "https://",
        "https:///sso",
        "https://user:secret@id.example.org",
        "https://id.example.org/a b",
        "https://id.example.org/\x00",
        "https://id.example.org/\n",
        "https://id.example.org/ü",
    ],
)
async def test_what_is_no_address_is_refused(ada: Speaker, saml: str, bad: str) -> None:
    message = await ada.refused("POST", saml, 400, {"label": "X", "ssoURL": bad})
    assert message == "ssoURL: must be an address that begins with http:// or https://"


async def test_a_deleted_team_is_no_default_any_more(
    ada: Speaker, organization: str, saml: str, team: dict[str, Any]
) -> None:
    made = await ada.send("POST", saml, COMPLETE | {"defaultTeam": team["id"]}, 201)
    await ada.send("DELETE", f"/orgs/{organization}/teams/{team['id']}", status=204)
    found = await ada.get(f"{saml}/{made['id']}")
    assert "defaultTeam" not in found
    assert found["status"] == "active"
    message = await ada.refused("PATCH", f"{saml}/{made['id']}", 400, {"label": "Lost", "defaultTeam": team["id"]})
    assert team["id"] in message
    assert (await ada.get(f"{saml}/{made['id']}"))["label"] == "Example ID"


async def test_a_deleted_provider_is_gone(ada: Speaker, organization: str, saml: str) -> None:
    made = [(await ada.send("POST", saml, COMPLETE, 201))["id"] for _ in range(2)]
    for _ in range(2):
        await ada.send("DELETE", f"{saml}/{made[0]}", status=204)
    await ada.refused("GET", f"{saml}/{made[0]}", 404)
    await ada.refused("PATCH", f"{saml}/{made[0]}", 404, {})
    assert [each["id"] for each in (await ada.get(saml))["items"]] == made[1:]
    assert [each["id"] for each in (await ada.get(f"/orgs/{organization}/sso"))["items"]] == made[1:]


async def test_what_another_organization_has_is_not_there(
    platform: Platform, ada: Speaker, organization: str, saml: str, team: dict[str, Any]
) -> None:
    def find(connection: Any) -> str:
        context = platform.context(connection)
        elsewhere = directory.create_organization(context, "Elsewhere")
        directory.add_member(context, elsewhere, context.caller, "admin")
        return elsewhere

    elsewhere = f"/orgs/{platform.database.write_now(find)}"
    place = f"{elsewhere}/saml/{(await ada.send('POST', saml, COMPLETE, 201))['id']}"
    await ada.refused("GET", place, 404)
    await ada.refused("PATCH", place, 404, {"label": "Mine"})
    await ada.send("DELETE", place, status=204)
    assert (await ada.get(saml))["count"] == 1
    assert (await ada.get(f"{elsewhere}/saml"))["items"] == []
    assert await ada.get(f"{elsewhere}/sso") == {"items": []}
    await ada.refused("POST", f"{elsewhere}/saml", 400, {"label": "X", "defaultTeam": team["id"]})
    await ada.send("POST", saml, COMPLETE, 201)
    page = (await ada.get(saml, limit=1))["next"]["page"]
    assert (await ada.refused("GET", f"{elsewhere}/saml", 400, page=page)).startswith("page: ")


async def test_a_member_becomes_an_sso_member(platform: Platform, ada: Speaker, organization: str) -> None:
    rosa = join(platform, organization, "Rosa Reader", "read")
    for _ in range(2):
        changed = await ada.send("POST", f"/orgs/{organization}/members/{rosa}/sso")
        assert (changed["object"], changed["id"], changed["sso"], changed["role"]) == ("member", rosa, True, "read")
    members = (await ada.get(f"/orgs/{organization}/members"))["items"]
    assert changed in members
    assert [each["sso"] for each in members if each["id"] != rosa] == [False]
    for nobody in (stranger(platform), "unknown", "%00"):
        await ada.refused("POST", f"/orgs/{organization}/members/{nobody}/sso", 404)


async def test_a_disabled_member_may_become_one_and_still_sees_nothing(
    platform: Platform, ada: Speaker, organization: str
) -> None:
    rosa = join(platform, organization, "Rosa Reader", "read")
    await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201)
    assert (await ada.send("POST", f"/orgs/{organization}/members/{rosa}/sso"))["spaces"] == 1
    platform.database.write_now(
        lambda connection: connection.execute("UPDATE members SET disabled = 1 WHERE user = ?", rosa)
    )
    changed = await ada.send("POST", f"/orgs/{organization}/members/{rosa}/sso")
    assert (changed["disabled"], changed["sso"], changed["spaces"]) == (True, True, 0)


async def test_unknown_places(ada: Speaker, saml: str) -> None:
    for place in (f"{saml}/unknown", f"{saml}/%00", "/orgs/unknown/saml/unknown"):
        await ada.refused("GET", place, 404)
        await ada.refused("PATCH", place, 404, {"label": "X"})
    await ada.send("DELETE", f"{saml}/unknown", status=204)
    await ada.refused("DELETE", "/orgs/unknown/saml/unknown", 404)
    await ada.refused("POST", "/orgs/unknown/saml", 404, {"label": "X"})
    await ada.refused("POST", "/orgs/unknown/members/unknown/sso", 404)
    for path in ("saml", "sso"):
        await ada.refused("GET", f"/orgs/unknown/{path}", 404)


@pytest.mark.parametrize("who", [*ROLES, "guest", "stranger"])
async def test_only_an_admin_sees_to_sign_on(
    platform: Platform, ada: Speaker, organization: str, saml: str, who: str
) -> None:
    made = await ada.send("POST", saml, COMPLETE, 201)
    role = next((each for each in ROLES if each == who), None)
    user = stranger(platform) if who == "stranger" else join(platform, organization, "Nora Newcomer", role)
    speaker = Speaker(platform, user)
    refusal = {"admin": 200, "stranger": 404}.get(who, 403)
    calls = [
        ("GET", saml, None),
        ("GET", f"{saml}/{made['id']}", None),
        ("POST", f"/orgs/{organization}/members/{platform.owner}/sso", None),
        ("POST", saml, {"label": "More"}),
        ("PATCH", f"{saml}/{made['id']}", {"label": "Other"}),
        ("DELETE", f"{saml}/unknown", None),
        ("DELETE", f"{saml}/{made['id']}", None),
    ]
    found = {}
    for method, path, body in calls:
        answer = await speaker.request(method, path, json=body)
        found[method, path] = 200 if answer.is_success else answer.status_code
    assert set(found.values()) == {refusal}, found
    if who != "admin":
        assert (await ada.get(saml))["items"] == [made]
        assert not any(each["sso"] for each in (await ada.get(f"/orgs/{organization}/members"))["items"])


@pytest.mark.parametrize("who", [*ROLES, "guest", "disabled", "stranger"])
async def test_any_member_sees_how_to_sign_in(
    platform: Platform, ada: Speaker, organization: str, saml: str, who: str
) -> None:
    made = await ada.send("POST", saml, COMPLETE, 201)
    role = next((each for each in ROLES if each == who), None)
    user = stranger(platform) if who == "stranger" else join(platform, organization, "Nora Newcomer", role)
    speaker = Speaker(platform, user)
    if who == "disabled":
        platform.database.write_now(
            lambda connection: connection.execute("UPDATE members SET disabled = 1 WHERE user = ?", user)
        )
    if who in ("disabled", "stranger"):
        await speaker.refused("GET", f"/orgs/{organization}/sso", 404)
    else:
        (login,) = (await speaker.get(f"/orgs/{organization}/sso"))["items"]
        assert set(login) == {"id", "label", "startURL"}
        assert login["id"] == made["id"]


async def test_pages_of_providers_while_they_come_and_go(ada: Speaker, clock: FrozenClock, saml: str) -> None:
    made = []
    for at in range(9):
        clock.advance(minutes=1)
        made.append((await ada.send("POST", saml, {"label": f"ID {at}"}, 201))["id"])
    staying = made[:3] + made[4:7]
    leaving = [made[3], made[7], made[8]]
    seen: list[str] = []
    page: dict[str, Any] = {}
    while True:
        answer = await ada.get(saml, limit=2, **page)
        assert answer["count"] >= len(answer["items"])
        seen += [each["id"] for each in answer["items"]]
        if "next" not in answer:
            break
        page = {"page": answer["next"]["page"]}
        if leaving:
            await ada.send("DELETE", f"{saml}/{leaving.pop()}", status=204)
            clock.advance(minutes=1)
            await ada.send("POST", saml, {"label": "Newer"}, 201)
    assert len(seen) == len(set(seen))
    assert [each for each in seen if each in staying] == staying


@pytest.mark.parametrize("limit", [0, 1001, "many", 10**30])
async def test_a_limit_out_of_bounds_is_refused(ada: Speaker, saml: str, limit: Any) -> None:
    assert (await ada.refused("GET", saml, 400, limit=limit)).startswith("limit: ")
    for good in (1, 1000):
        await ada.get(saml, limit=good)
