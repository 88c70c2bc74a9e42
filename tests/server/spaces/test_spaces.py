from __future__ import annotations

from typing import Any

import pytest

from recto.server.people import directory
from recto.server.platform import Platform
from support.platform import FrozenClock, Speaker, join


@pytest.fixture
async def space(ada: Speaker, organization: str) -> dict[str, Any]:
    made: dict[str, Any] = await ada.send("POST", f"/orgs/{organization}/spaces", {"title": "Handbook"}, 201)
    return made


async def test_a_new_space_is_empty_open_and_private(ada: Speaker, organization: str, space: dict[str, Any]) -> None:
    assert space["title"] == "Handbook"
    assert space["organization"] == organization
    assert (space["visibility"], space["editMode"], space["emoji"]) == ("private", "live", "")
    assert (space["defaultLevel"], space["mergeRules"]) == ("inherit", {"type": "inherit"})
    counters = ("comments", "changeRequests", "changeRequestsOpen", "changeRequestsDraft")
    assert [space[counter] for counter in counters] == [0, 0, 0, 0]
    assert space["revision"]
    assert "parent" not in space
    assert "deletedAt" not in space
    assert await ada.get(f"/spaces/{space['id']}") == space


async def test_all_fields_of_a_new_space(platform: Platform, ada: Speaker, organization: str) -> None:
    shelf = platform.database.write_now(
        lambda c: directory.create_collection(platform.context(c), organization, "Shelf")
    )
    body = {"title": "Manuel", "emoji": "1f3e0", "parent": shelf, "language": "pt-br", "editMode": "locked"}
    space = await ada.send("POST", f"/orgs/{organization}/spaces", body, 201)
    assert {name: space[name] for name in body} == body
    assert space["visibility"] == "in-collection"


async def test_the_same_call_twice_makes_two_spaces(ada: Speaker, organization: str) -> None:
    for _ in range(2):
        await ada.send("POST", f"/orgs/{organization}/spaces", {"title": "Twin"}, 201)
    listed = await ada.get(f"/orgs/{organization}/spaces")
    assert [space["title"] for space in listed["items"]] == ["Twin", "Twin"]
    assert len({space["id"] for space in listed["items"]}) == 2


async def test_without_a_title_it_is_untitled(ada: Speaker, organization: str) -> None:
    assert (await ada.send("POST", f"/orgs/{organization}/spaces", {}, 201))["title"] == "Untitled"


@pytest.mark.parametrize("title", ["x" * 50, "ä" * 50, "🏠" * 50, ""])
async def test_a_title_has_up_to_50_characters(ada: Speaker, organization: str, title: str) -> None:
    assert (await ada.send("POST", f"/orgs/{organization}/spaces", {"title": title}, 201))["title"] == title


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"title": "x" * 51}, "title: at most 50 characters"),
        ({"title": None}, "title: must be a string"),
        ({"title": 7}, "title: must be a string"),
        ({"editMode": "open"}, "editMode: one of 'live' or 'locked'"),
        ({"language": "english"}, "language: must be a code of two letters, or pt-br, zh-tw or yue"),
    ],
)
async def test_what_is_wrong_is_named(
    ada: Speaker, organization: str, space: dict[str, Any], body: dict[str, Any], message: str
) -> None:
    assert await ada.refused("POST", f"/orgs/{organization}/spaces", 400, body) == message
    assert await ada.refused("PATCH", f"/spaces/{space['id']}", 400, body) == message
    assert await ada.get(f"/spaces/{space['id']}") == space


async def test_the_parent_must_be_a_collection_of_the_organization(
    platform: Platform, ada: Speaker, organization: str
) -> None:
    def elsewhere(context: Any) -> str:
        return directory.create_collection(context, directory.create_organization(context, "Other"), "Far")

    far = platform.database.write_now(lambda c: elsewhere(platform.context(c)))
    for parent in ("unknown", far):
        message = await ada.refused("POST", f"/orgs/{organization}/spaces", 400, {"parent": parent})
        assert message == f"parent: there is no collection {parent} in this organization"


async def test_changing_sets_what_is_given_and_leaves_the_rest(
    ada: Speaker, space: dict[str, Any], clock: FrozenClock
) -> None:
    clock.advance(minutes=1)
    path = f"/spaces/{space['id']}"
    changed = await ada.send("PATCH", path, {"title": "Guide", "emoji": "1f4d6", "language": "de"})
    assert changed == space | {
        "title": "Guide", "emoji": "1f4d6", "language": "de", "updatedAt": "2026-03-02T09:01:00.000Z",
    }  # fmt: skip
    assert (await ada.send("PATCH", path, {}))["title"] == "Guide"
    assert (await ada.send("PATCH", path, {"editMode": "locked"}))["editMode"] == "locked"
    assert (await ada.get(path))["language"] == "de"


@pytest.mark.parametrize("level", ["admin", "create", "review", "edit", "comment", "read", "inherit", None])
async def test_a_default_level_is_a_role_or_inherit_or_null(
    ada: Speaker, space: dict[str, Any], level: str | None
) -> None:
    path = f"/spaces/{space['id']}"
    await ada.send("PATCH", path, {"defaultLevel": level})
    await ada.send("PATCH", path, {"title": "Left out is left alone"})
    assert (await ada.get(path))["defaultLevel"] == level


async def test_a_level_that_is_none_is_refused(ada: Speaker, space: dict[str, Any]) -> None:
    message = await ada.refused("PATCH", f"/spaces/{space['id']}", 400, {"defaultLevel": "owner"})
    assert message.startswith("defaultLevel")


@pytest.mark.parametrize(
    "rules",
    [
        {"type": "inherit"},
        {"type": "none"},
        {"type": "rules", "rules": []},
        {"type": "rules", "rules": [{"rule": "require_up_to_date_change_request", "message": "Pull first"}]},
        {"type": "rules", "rules": [{"rule": "require_specific_reviewers", "users": ["u"]}]},
        {"type": "rules", "rules": [{"rule": "custom", "expression": "actor.id == 'u'"}]},
    ],
)
async def test_merge_rules_come_back_as_they_went(ada: Speaker, space: dict[str, Any], rules: dict[str, Any]) -> None:
    assert (await ada.send("PATCH", f"/spaces/{space['id']}", {"mergeRules": rules}))["mergeRules"] == rules
    assert (await ada.get(f"/spaces/{space['id']}"))["mergeRules"] == rules


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        ({"type": "all"}, "mergeRules.type"),
        ({"type": "rules", "rules": [{"rule": "be_nice"}]}, "mergeRules.rules[0].rule"),
        ({"type": "rules", "rules": [{"rule": "allow_bypass"}]}, "mergeRules.rules[0].users"),
        ({"type": "rules", "rules": [{"rule": "allow_bypass", "users": []}]}, "mergeRules.rules[0].users"),
        ({"type": "rules", "rules": [{"rule": "custom"}]}, "mergeRules.rules[0].expression"),
        ({"type": "none", "rules": [{"rule": "require_author_to_merge"}]}, "mergeRules.rules"),
    ],
)
async def test_merge_rules_that_could_not_be_kept_are_refused(
    ada: Speaker, space: dict[str, Any], rules: dict[str, Any], field: str
) -> None:
    message = await ada.refused("PATCH", f"/spaces/{space['id']}", 400, {"mergeRules": rules})
    assert message.startswith(f"{field}:")


@pytest.mark.parametrize("role", ["read", "comment", "edit", "review", "create", "admin"])
async def test_settings_take_admin_and_new_spaces_create(
    platform: Platform, organization: str, space: dict[str, Any], role: Any
) -> None:
    person = Speaker(platform, join(platform, organization, "Pat Person", role))
    seen = await person.get(f"/spaces/{space['id']}")
    change = await person.request("PATCH", f"/spaces/{space['id']}", json={"title": "Mine"})
    assert change.status_code == (200 if role == "admin" else 403)
    assert seen["permissions"]["admin"] == (role == "admin")
    new = await person.request("POST", f"/orgs/{organization}/spaces", json={"title": "Mine"})
    assert new.status_code == (201 if role in ("create", "admin") else 403)


async def test_permissions_are_those_of_the_role(platform: Platform, organization: str, space: dict[str, Any]) -> None:
    granted = {
        "read": set(),
        "comment": {"comment"},
        "edit": {"comment", "edit"},
        "review": {"comment", "edit", "review", "merge"},
        "create": {"comment", "edit", "review", "merge", "triggerGitSync"},
        "admin": {"comment", "edit", "review", "merge", "triggerGitSync", "admin", "viewInviteLinks"},
    }
    for role, extra in granted.items():
        person = Speaker(platform, join(platform, organization, "Pat Person", role))  # type: ignore[arg-type]
        permissions = (await person.get(f"/spaces/{space['id']}"))["permissions"]
        assert {name for name, allowed in permissions.items() if allowed} == {"view", "access"} | extra


async def test_in_a_collection_its_level_decides_who_may_create(
    platform: Platform, ada: Speaker, organization: str
) -> None:
    def shelf(level: str | None) -> str:
        def work(context: Any) -> str:
            made = directory.create_collection(context, organization, "Shelf")
            context.database.update("collections", made, default_level=level)
            return made

        return platform.database.write_now(lambda c: work(platform.context(c)))

    person = Speaker(platform, join(platform, organization, "Pat Person", "read"))
    await person.send("POST", f"/orgs/{organization}/spaces", {"parent": shelf("create")}, 201)
    await person.refused("POST", f"/orgs/{organization}/spaces", 403, {"parent": shelf("edit")})
    await person.refused("POST", f"/orgs/{organization}/spaces", 400, {"parent": shelf(None)})


async def test_counters_count(platform: Platform, ada: Speaker, space: dict[str, Any]) -> None:
    now = "2026-03-02T09:00:00.000Z"

    def work(connection: Any) -> None:
        for number, status in enumerate(("draft", "open", "open", "archived", "merged"), 1):
            connection.insert(
                "change_requests", id=f"cr{number}", space=space["id"], number=number, status=status,
                created_by=platform.owner, created_at=now, updated_at=now,
                revision=space["revision"], revision_initial=space["revision"],
            )  # fmt: skip
        for at, (request, resolved) in enumerate([(None, None), (None, None), (None, now), ("cr2", None)]):
            connection.insert(
                "comments", id=f"c{at}", space=space["id"], change_request=request, revision=space["revision"],
                body="Hm.", posted_by=platform.owner, posted_at=now, resolved_at=resolved,
            )  # fmt: skip

    platform.database.write_now(work)
    counters = ("changeRequests", "changeRequestsOpen", "changeRequestsDraft", "comments")
    seen = await ada.get(f"/spaces/{space['id']}")
    assert [seen[counter] for counter in counters] == [5, 2, 1, 2]


async def test_an_unknown_space_is_a_404(ada: Speaker) -> None:
    assert await ada.refused("GET", "/spaces/unknown", 404) == "There is no space unknown, or you may not see it."
    await ada.refused("PATCH", "/spaces/unknown", 404, {"title": "x"})


async def test_a_share_key_is_taken(ada: Speaker, space: dict[str, Any]) -> None:
    assert (await ada.get(f"/spaces/{space['id']}", shareKey="abc"))["id"] == space["id"]
