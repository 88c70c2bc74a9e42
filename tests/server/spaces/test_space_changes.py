from __future__ import annotations

from typing import Any

import pytest

from recto.server.content.imported_tree import ImportedPage
from recto.server.content.objects import save_blob
from recto.server.platform import Platform
from recto.server.spaces.spaces import copy_title
from support.content import Desk, make_space
from support.organization_tree import PEOPLE, OrganizationTree, person
from support.platform import FrozenClock, Speaker

PAGES = (
    ImportedPage("start", "Start", "start", text="Hello there.\n"),
    ImportedPage("more", "More", "more", text="More.\n", children=(ImportedPage("deep", "Deep", "deep", text="D.\n"),)),
)


@pytest.fixture
def space(platform: Platform) -> str:
    """A space with pages, a file, a variable and a reusable content."""
    blob = platform.database.write_now(lambda connection: save_blob(connection, b"bytes"))
    return make_space(
        platform,
        PAGES,
        files=[{"id": "file", "name": "a.txt", "contentType": "text/plain", "size": 5, "blob": blob}],
        variables={"product": "Recto"},
        reusable_contents=[{"id": "note", "title": "Note", "text": "A note.\n"}],
    )


async def test_a_deleted_space_is_read_for_seven_days_and_is_nowhere_else(
    ada: Speaker, organization: str, space: str, clock: FrozenClock
) -> None:
    desk = await Desk.open(ada, space)
    before = await ada.get(f"/spaces/{space}")
    clock.advance(minutes=5)
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    clock.advance(days=7)
    after = await ada.get(f"/spaces/{space}")
    assert after["deletedAt"] == "2026-03-02T09:05:00.000Z"
    assert {name for name, allowed in after.pop("permissions").items() if allowed} == {"view", "admin"}
    del after["deletedAt"], before["permissions"]
    assert after == before
    for path in ("spaces", "change-requests?status=draft"):
        assert (await ada.get(f"/orgs/{organization}/{path}"))["items"] == []
    assert (await ada.get(f"/orgs/{organization}/search", query="Hello"))["items"] == []
    assert [each["spaces"] for each in (await ada.get(f"/orgs/{organization}/members"))["items"]] == [0]
    clock.advance(milliseconds=1)
    await ada.refused("GET", f"/spaces/{space}", 404)
    await ada.refused("GET", desk.path, 404)


async def test_nothing_is_done_to_what_is_in_a_deleted_space(ada: Speaker, organization: str, space: str) -> None:
    desk = await Desk.open(ada, space)
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    for path in (
        "/content", "/content/pages", "/content/files", "/content/page/start", "/comments", "/change-requests",
        f"/change-requests/{desk.number}", "/links",
    ):  # fmt: skip
        await ada.refused("GET", f"/spaces/{space}{path}", 404)
    await ada.refused("GET", f"/spaces/{space}/search", 404, query="Hello")
    body = {"subject": "x"}
    await ada.refused("POST", f"/spaces/{space}/change-requests", 404, body)
    await ada.refused("POST", f"{desk.path}/merge", 404)
    await ada.refused("PATCH", f"/spaces/{space}", 404, {"title": "x"})
    for doing, sent in (("move", {"parent": None}), ("transfer", {"organization": organization}), ("duplicate", None)):
        await ada.refused("POST", f"/spaces/{space}/{doing}", 404, sent)


async def test_deleting_again_does_not_restart_the_seven_days(ada: Speaker, space: str, clock: FrozenClock) -> None:
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    clock.advance(days=6)
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    assert (await ada.get(f"/spaces/{space}"))["deletedAt"] == "2026-03-02T09:00:00.000Z"


async def test_a_restored_space_is_where_it_was(platform: Platform, ada: Speaker, organization: str) -> None:
    tree = OrganizationTree(platform, ada, organization)
    await tree.collection("Box")
    for name in ("one", "two", "three"):
        await tree.space(name, "Box")
    before, order = await ada.get(tree.path("two")), await tree.order()
    await ada.send("DELETE", tree.path("two"), status=204)
    assert (await tree.order())["Box"] == ["one", "three"]
    listed = await ada.get(f"{tree.path('Box')}/spaces")
    assert (listed["count"], len(listed["items"])) == (2, 2)
    assert await ada.send("POST", f"{tree.path('two')}/restore") == before
    assert await ada.get(tree.path("two")) == before
    assert await tree.order() == order
    message = await ada.refused("POST", f"{tree.path('two')}/restore", 409)
    assert message == "The space “two” is not deleted."


async def test_it_is_restored_with_all_that_it_held_until_the_seven_days_are_over(
    ada: Speaker, space: str, clock: FrozenClock
) -> None:
    desk = await Desk.open(ada, space)
    await desk.edit("start", "# Start\n\nChanged.\n")
    comment = await ada.send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}})
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    clock.advance(days=7)
    restored = await ada.send("POST", f"/spaces/{space}/restore")
    assert (restored["comments"], restored["changeRequests"]) == (1, 1)
    assert (await ada.get(f"/spaces/{space}/comments"))["items"][0]["id"] == comment["id"]
    assert (await ada.get(f"/spaces/{space}/search", query="Hello"))["count"] == 1
    await desk.merge()
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    clock.advance(days=7, milliseconds=1)
    await ada.refused("POST", f"/spaces/{space}/restore", 404)


async def test_a_site_is_without_a_deleted_space_until_it_is_restored(
    ada: Speaker, organization: str, space: str, platform: Platform
) -> None:
    other = make_space(platform, ())
    site = await ada.send("POST", f"/orgs/{organization}/sites", {"title": "Docs", "spaces": [space, other]}, 201)
    path = f"/orgs/{organization}/sites/{site['id']}"

    async def list_shown() -> list[tuple[str, bool]]:
        structure = (await ada.get(f"{path}/structure"))["structure"]
        listed = (await ada.get(f"{path}/site-spaces"))["items"]
        assert [each["id"] for each in structure] == [each["id"] for each in listed]
        return [(each["space"]["id"], each["default"]) for each in listed]

    assert await list_shown() == [(space, True), (other, False)]
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    assert await list_shown() == [(other, True)]
    listed = f"/orgs/{organization}/sites"
    assert [each["siteSpaces"] for each in (await ada.get(listed))["items"]] == [1]
    assert (await ada.get(listed, space=space))["items"] == []
    await ada.send("POST", f"/spaces/{space}/restore")
    assert (await ada.get(listed, space=space))["count"] == 1
    assert await list_shown() == [(space, True), (other, False)]


@pytest.mark.parametrize("role", PEOPLE)
async def test_deleting_and_restoring_take_admin(
    platform: Platform, ada: Speaker, organization: str, space: str, role: Any
) -> None:
    pat, unseen = person(platform, organization, role), role in (None, "stranger")
    deleted = await pat.request("DELETE", f"/spaces/{space}")
    assert deleted.status_code == (204 if role == "admin" or unseen else 403)
    assert ("deletedAt" in await ada.get(f"/spaces/{space}")) == (role == "admin")
    live = await pat.request("POST", f"/spaces/{space}/restore")
    assert live.status_code == (200 if role == "admin" else 404 if unseen else 403)
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    for method, path in (("GET", ""), ("POST", "/restore")):
        answer = await pat.request(method, f"/spaces/{space}{path}")
        assert answer.status_code == (200 if role == "admin" else 404)
    await ada.request("POST", f"/spaces/{space}/restore")
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    assert (await pat.request("DELETE", f"/spaces/{space}")).status_code == 204


async def test_a_copy_has_the_content_and_the_settings_and_nothing_of_the_talk(
    platform: Platform, ada: Speaker, organization: str, space: str, clock: FrozenClock
) -> None:
    rules = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}
    settings = {"emoji": "1f4d6", "language": "de", "mergeRules": rules, "defaultLevel": "edit", "editMode": "locked"}
    original = await ada.send("PATCH", f"/spaces/{space}", settings)
    await Desk.open(ada, space)
    await ada.send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}})
    clock.advance(minutes=1)
    answer = await ada.request("POST", f"/spaces/{space}/duplicate")
    copy = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == copy["urls"]["location"]
    assert copy["id"] != space
    assert {name: copy[name] for name in settings} == settings
    changed = {"id", "title", "createdAt", "updatedAt", "commentsUpdatedAt", "urls", "revision"}
    assert {name: copy[name] for name in copy.keys() - changed} == {
        name: original[name] for name in copy.keys() - changed
    }
    assert (copy["title"], copy["createdAt"]) == ("Copy of Guide", "2026-03-02T09:01:00.000Z")
    assert (copy["changeRequests"], copy["comments"]) == (0, 0)
    assert await ada.get(f"/spaces/{copy['id']}") == copy
    here, there = await ada.get(f"/spaces/{space}/content"), await ada.get(f"/spaces/{copy['id']}/content")
    assert there["variables"] == here["variables"] == {"product": "Recto"}
    assert there["reusableContents"] == here["reusableContents"]
    assert [file["id"] for file in there["files"]] == ["file"]
    assert (await ada.request("GET", there["files"][0]["downloadURL"])).content == b"bytes"
    for page in ("start", "more", "deep"):
        texts = [
            await ada.get(f"/spaces/{each}/content/page/{page}", format="markdown") for each in (space, copy["id"])
        ]
        assert texts[0]["markdown"] == texts[1]["markdown"]
    assert (await ada.get(f"/spaces/{copy['id']}/search", query="Hello"))["count"] == 1


async def test_a_copy_shares_what_it_has_and_stands_beside_its_original(
    platform: Platform, ada: Speaker, organization: str, space: str
) -> None:
    def read_stored(connection: Any) -> list[int]:
        tables = ("texts", "nodes", "manifests", "blobs")
        return [connection.value(f"SELECT count(*) FROM {table}") for table in tables]

    make_space(platform, ())
    before = platform.database.read_now(read_stored)
    copies = [await ada.send("POST", f"/spaces/{space}/duplicate", status=201) for _ in range(2)]
    assert platform.database.read_now(read_stored) == before
    listed = [each["id"] for each in (await ada.get(f"/orgs/{organization}/spaces"))["items"]]
    assert listed[:3] == [space, copies[1]["id"], copies[0]["id"]]


async def test_a_copy_goes_its_own_way(ada: Speaker, space: str) -> None:
    copy = (await ada.send("POST", f"/spaces/{space}/duplicate", status=201))["id"]
    for each, text in ((space, "Here"), (copy, "There")):
        desk = await Desk.open(ada, each)
        await desk.edit("start", f"# Start\n\n{text}.\n")
        await desk.merge()
    for each, text in ((space, "Here"), (copy, "There")):
        page = await ada.get(f"/spaces/{each}/content/page/start", format="markdown")
        assert page["markdown"] == f"# Start\n\n{text}.\n"
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    assert (await ada.get(f"/spaces/{copy}/content/page/start", format="markdown"))["title"] == "Start"


@pytest.mark.parametrize(
    ("title", "copied"),
    [
        ("x" * 42, "Copy of " + "x" * 42),
        ("x" * 43, "Copy of " + "x" * 41 + "…"),
        ("ä" * 50, "Copy of " + "ä" * 41 + "…"),
        ("", "Copy of Untitled"),
    ],
)
def test_the_title_of_a_copy_fits(title: str, copied: str) -> None:
    assert copy_title(title) == copied
    assert len(copied) <= 50


@pytest.mark.parametrize("role", PEOPLE)
@pytest.mark.parametrize("within", [False, True])
async def test_copying_takes_create_where_the_space_lies(
    platform: Platform, ada: Speaker, organization: str, role: Any, within: bool
) -> None:
    tree = OrganizationTree(platform, ada, organization)
    await tree.collection("Box")
    await tree.space("one", "Box" if within else None, defaultLevel="read")
    answer = await person(platform, organization, role).request("POST", f"{tree.path('one')}/duplicate")
    expected = 201 if role in ("admin", "create") else 404 if role == "stranger" else 403
    assert answer.status_code == expected
    if expected == 201:
        assert answer.json()["defaultLevel"] == "read"


async def test_what_is_not_there(ada: Speaker) -> None:
    await ada.send("DELETE", "/spaces/unknown", status=204)
    for doing in ("restore", "duplicate"):
        await ada.refused("POST", f"/spaces/unknown/{doing}", 404)


async def test_a_space_has_an_emoji_or_an_icon(ada: Speaker, space: str) -> None:
    path, icon = f"/spaces/{space}", "https://a.example/icon.png"
    await ada.send("PATCH", path, {"emoji": "1f3e0"})
    with_icon = await ada.send("PATCH", path, {"icon": icon})
    assert (with_icon["emoji"], with_icon["urls"]["icon"]) == ("", icon)
    assert (await ada.send("POST", f"{path}/duplicate", status=201))["urls"]["icon"] == icon
    with_emoji = await ada.send("PATCH", path, {"emoji": "1f4d6"})
    assert (with_emoji["emoji"], "icon" in with_emoji["urls"]) == ("1f4d6", False)
    await ada.send("PATCH", path, {"icon": icon})
    assert "icon" not in (await ada.send("PATCH", path, {"icon": None}))["urls"]
    assert "either emoji or icon" in await ada.refused("PATCH", path, 400, {"icon": icon, "emoji": "1f3e0"})


async def test_null_removes_what_need_not_be_there(ada: Speaker, space: str) -> None:
    path = f"/spaces/{space}"
    full = await ada.send("PATCH", path, {"language": "pt-br", "emoji": "1f3e0", "defaultLevel": "edit"})
    assert (full["language"], full["emoji"], full["defaultLevel"]) == ("pt-br", "1f3e0", "edit")
    assert await ada.send("PATCH", path, {}) == full
    bare = await ada.send("PATCH", path, {"emoji": None, "defaultLevel": None})
    assert (bare["emoji"], bare["defaultLevel"]) == ("", None)
    for field in ("title", "editMode", "mergeRules", "language"):
        assert (await ada.refused("PATCH", path, 400, {field: None})).startswith(f"{field}: ")
    assert await ada.get(path) == bare


async def test_a_locked_space_changes_through_change_requests_alone(
    platform: Platform, ada: Speaker, space: str
) -> None:
    from recto.server.content.imported_tree import ImportedTree, import_tree
    from recto.server.http.problems import Conflict

    await ada.send("PATCH", f"/spaces/{space}", {"editMode": "locked"})

    def write(connection: Any) -> None:
        import_tree(platform.context(connection), space, ImportedTree(()))

    with pytest.raises(Conflict):
        platform.database.write_now(write)
    desk = await Desk.open(ada, space)
    await desk.edit("start", "# Start\n\nReviewed.\n")
    await desk.merge()
    page = await ada.get(f"/spaces/{space}/content/page/start", format="markdown")
    assert page["markdown"] == "# Start\n\nReviewed.\n"
