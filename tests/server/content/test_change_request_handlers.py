"""Change requests: made, found, listed, changed, and who may do what with them."""

from __future__ import annotations

from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.platform import FrozenClock, Speaker, join, stranger

PAGES = (ImportedPage("one", "One", "one", text="Text.\n"),)


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES)


async def test_a_change_request_starts_from_the_main_content_as_a_draft(ada: Speaker, space: str) -> None:
    answer = await ada.request("POST", f"/spaces/{space}/change-requests", json={"subject": "Say more"})
    made = answer.json()
    main = (await ada.get(f"/spaces/{space}"))["revision"]
    assert answer.status_code == 201
    assert answer.headers["location"].endswith(f"/spaces/{space}/change-requests/{made['id']}")
    assert made["createdBy"]["displayName"] == "Ada Lovelace"
    assert (made["status"], made["subject"], made["space"], made["comments"], made["outdated"]) == (
        "draft",
        "Say more",
        space,
        0,
        False,
    )
    assert made["revision"] == made["revisionInitial"] == main
    assert "revisionMerged" not in made
    beside = {"spaceRevision": main, "spaceChangeRequests": 1}  # what the one that is read says of its space
    for name in (made["id"], made["number"]):
        assert await ada.get(f"/spaces/{space}/change-requests/{name}") == made | beside


async def test_numbers_count_up_in_each_space(ada: Speaker, platform: Platform, space: str) -> None:
    other = make_space(platform, PAGES)
    numbers = [(await Desk.open(ada, each)).number for each in (space, space, other)]
    assert numbers == [1, 2, 1]


@pytest.mark.parametrize("name", ["nowhere", "7", "²", "0", "99999999999999999999999", "0000000000000000011"])
async def test_an_unknown_change_request_is_not_found(ada: Speaker, space: str, name: str) -> None:
    await Desk.open(ada, space)
    assert name in await ada.refused("GET", f"/spaces/{space}/change-requests/{name}", 404)


async def test_the_counters_of_the_space_tell_the_truth(ada: Speaker, space: str) -> None:
    desks = [await Desk.open(ada, space) for _ in range(4)]
    for desk, status in zip(desks, ("open", "open", "archived"), strict=False):
        await ada.send("PATCH", desk.path, {"status": status})
    await desks[1].merge()
    counted = await ada.get(f"/spaces/{space}")
    assert (counted["changeRequests"], counted["changeRequestsOpen"], counted["changeRequestsDraft"]) == (4, 1, 1)


async def test_lists_give_one_status_newest_first(
    ada: Speaker, space: str, organization: str, clock: FrozenClock
) -> None:
    for status in ("draft", "open", "open", "archived"):
        clock.advance(minutes=1)
        desk = await Desk.open(ada, space)
        await ada.send("PATCH", desk.path, {"status": status})

    async def numbers(path: str, **query: Any) -> list[int]:
        answer = await ada.request("GET", path, params=query)
        assert answer.status_code == 200
        return [each["number"] for each in answer.json()["items"]]

    for path in (f"/spaces/{space}/change-requests", f"/orgs/{organization}/change-requests"):
        assert await numbers(path) == [3, 2]
        assert await numbers(path, status="draft") == [1]
        assert await numbers(path, status="archived") == [4]
        assert await numbers(path, status="merged") == []
        first = await ada.get(path, limit=1)
        assert (first["count"], await numbers(path, limit=1, page=first["next"]["page"])) == (2, [2])
        assert (await ada.request("GET", path, params={"status": "all"})).status_code == 400


async def test_lists_are_narrowed_to_a_person(ada: Speaker, platform: Platform, organization: str, space: str) -> None:
    grace_id = join(platform, organization, "Grace Hopper", "edit")
    grace = Speaker(platform, grace_id)
    of_ada, of_grace, of_both = await Desk.open(ada, space), await Desk.open(grace, space), await Desk.open(ada, space)
    await of_both.speaker.send("POST", f"{of_both.path}/comments", {"body": {"markdown": "Hm."}})
    await Desk(grace, space, of_both.number).edit("one", "# One\n\nEdited.\n")

    async def numbers(**query: Any) -> list[int]:
        answer = await ada.request("GET", f"/spaces/{space}/change-requests", params={"status": "draft", **query})
        return [each["number"] for each in answer.json()["items"]]

    assert await numbers(creator=grace_id) == [of_grace.number]
    assert await numbers(contributor=grace_id) == [of_both.number]
    assert await numbers(creator=platform.owner) == [of_both.number, of_ada.number]


async def test_pulling_the_main_content_in_contributes_nothing(
    ada: Speaker, platform: Platform, organization: str, space: str
) -> None:
    grace_id = join(platform, organization, "Grace Hopper", "edit")
    pulled, merged = await Desk.open(ada, space), await Desk.open(ada, space)
    await merged.edit("one", "# One\n\nEdited.\n")
    await merged.merge()
    await Desk(Speaker(platform, grace_id), space, pulled.number).update()
    assert (await ada.get(f"{pulled.path}/contributors"))["items"] == []
    listed = await ada.request(
        "GET", f"/spaces/{space}/change-requests", params={"status": "draft", "contributor": grace_id}
    )
    assert listed.json()["count"] == 0


async def test_a_change_request_is_renamed_opened_archived_and_reopened(
    ada: Speaker, space: str, clock: FrozenClock
) -> None:
    desk = await Desk.open(ada, space)
    for status in ("open", "archived", "draft", "open"):
        before = await desk.get()
        clock.advance(minutes=1)
        changed = await ada.send("PATCH", desk.path, {"status": status})
        assert changed["status"] == status
        assert changed["updatedAt"] > before["updatedAt"]
    assert (await ada.send("PATCH", desk.path, {"subject": "x" * 100}))["subject"] == "x" * 100
    assert "subject" in await ada.refused("PATCH", desk.path, 400, {"subject": "x" * 101})
    assert "status" in await ada.refused("PATCH", desk.path, 400, {"status": "merged"})
    assert (await desk.get())["status"] == "open"


async def test_what_is_merged_stays_merged(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    await desk.merge()
    for status in ("open", "archived", "draft"):
        assert "merged" in await ada.refused("PATCH", desk.path, 409, {"status": status})
    await ada.refused("POST", f"{desk.path}/merge", 409)
    await ada.refused("POST", f"{desk.path}/update", 409)


async def test_an_archived_change_request_is_not_merged(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    await ada.send("PATCH", desk.path, {"status": "archived"})
    assert "archived" in await ada.refused("POST", f"{desk.path}/merge", 409)


async def test_an_update_of_what_is_up_to_date_changes_nothing(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    before = await desk.get()
    assert await desk.update() == {"revision": before["revision"], "result": "update"}
    assert await desk.get() == before


async def test_outdated_means_that_the_main_content_is_another_one(ada: Speaker, space: str) -> None:
    first, second, idle = [await Desk.open(ada, space) for _ in range(3)]
    await idle.merge()
    assert (await first.get())["outdated"] is False, "a merge of nothing leaves the content as it was"
    await second.edit("one", "# Uno\n\nText.\n")
    await second.merge()
    assert (await first.get())["outdated"] is True
    await first.update()
    assert (await first.get())["outdated"] is False


async def test_a_merged_one_says_who_merged_it_and_when(ada: Speaker, platform: Platform, space: str) -> None:
    desk = await Desk.open(ada, space)
    assert {"mergedAt", "mergedBy"}.isdisjoint(await desk.get())
    await desk.edit("one", "# One\n\nAnother text.\n")
    await desk.merge()
    merged = await desk.get()
    assert (merged["mergedBy"]["id"], merged["mergedAt"]) == (platform.owner, merged["updatedAt"])


async def test_lists_give_those_that_a_person_is_asked_to_review_in_either_order(
    ada: Speaker, platform: Platform, organization: str, space: str
) -> None:
    grace = join(platform, organization, "Grace Hopper", "review")
    first, second = [await Desk.open(ada, space) for _ in range(2)]
    platform.clock.advance(minutes=1)  # type: ignore[attr-defined]
    await ada.send("POST", f"{first.path}/requested-reviewers", {"users": [grace]})
    for path in (f"/spaces/{space}/change-requests", f"/orgs/{organization}/change-requests"):
        for asked, listed in (
            ({"requestedReviewer": grace}, [first]),
            ({"requestedReviewer": platform.owner}, []),
            ({"orderBy": "updatedAt"}, [first, second]),
            ({"orderBy": "createdAt"}, [second, first]),
            ({}, [second, first]),
        ):
            answer = await ada.request("GET", path, params={"status": "draft", **asked})
            assert [each["number"] for each in answer.json()["items"]] == [desk.number for desk in listed]


@pytest.mark.parametrize(
    ("role", "allowed"),
    [("read", set()), ("comment", set()), ("edit", {"edit"}), ("review", {"edit", "review"})],
)
async def test_each_operation_takes_its_role(
    ada: Speaker, platform: Platform, organization: str, space: str, role: Role, allowed: set[str]
) -> None:
    desk = await Desk.open(ada, space)
    grace = Speaker(platform, join(platform, organization, "Grace Hopper", role))
    assert (await grace.get(desk.path))["number"] == desk.number
    change = {"operation": "update_page", "page": "one", "title": "Uno"}
    for needed, method, path, body in (
        ("edit", "POST", f"/spaces/{space}/change-requests", {}),
        ("edit", "PATCH", desk.path, {"subject": "x"}),
        ("edit", "POST", f"{desk.path}/content", {"changes": [change]}),
        ("edit", "POST", f"{desk.path}/update", None),
        ("review", "POST", f"{desk.path}/merge", None),
    ):
        answer = await grace.request(method, path, json=body)
        assert answer.is_success == (needed in allowed), path
        assert answer.is_success or answer.status_code == 403


async def test_who_may_not_see_the_space_finds_nothing(
    ada: Speaker, platform: Platform, organization: str, space: str
) -> None:
    desk = await Desk.open(ada, space)
    await ada.send("PATCH", f"/spaces/{space}", {"defaultLevel": None})
    grace = Speaker(platform, join(platform, organization, "Grace Hopper", "create"))
    for speaker in (grace, Speaker(platform, stranger(platform))):
        for path in ("", "/content", "/content/pages", "/comments", "/reviews", "/changes", "/contributors"):
            await speaker.refused("GET", f"{desk.path}{path}", 404)
        await speaker.refused("POST", f"{desk.path}/merge", 404)
    assert (await grace.get(f"/orgs/{organization}/change-requests?status=draft"))["items"] == []


async def test_the_task_of_an_agent_is_not_known_here(ada: Speaker, space: str) -> None:
    path = f"/spaces/{space}/change-requests"
    for task in ("task-1", ""):
        assert (await ada.refused("POST", path, 400, {"agentTaskId": task})).startswith("agentTaskId:")
    assert (await ada.get(f"/spaces/{space}"))["changeRequests"] == 0


@pytest.mark.parametrize(("subject", "status"), [("", 201), ("x" * 100, 201), ("x" * 101, 400), (None, 400), (7, 400)])
async def test_a_subject_has_at_most_100_characters(ada: Speaker, space: str, subject: Any, status: int) -> None:
    answer = await ada.request("POST", f"/spaces/{space}/change-requests", json={"subject": subject})
    assert answer.status_code == status
    assert status == 201 or answer.json()["error"]["message"].startswith("subject:")


async def test_a_description_is_set_kept_and_taken_away(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    assert "description" not in await desk.get()
    paragraph = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [{"text": "Why."}]}]}
    described = {"object": "document", "data": {"schemaVersion": 1, "mine": 2}, "nodes": [paragraph]}
    made = await ada.send("PATCH", desk.path, {"description": described})
    assert made["description"]["data"] == {"schemaVersion": 1, "mine": 2}
    assert made["description"]["nodes"][0]["nodes"][0]["leaves"][0]["text"] == "Why."
    assert (await ada.send("PATCH", desk.path, {"subject": "Other"}))["description"] == made["description"]
    for wrong in ("Why.", 7, {"nodes": 1}):
        assert "description" in await ada.refused("PATCH", desk.path, 400, {"description": wrong})
    assert "description" in await ada.refused("PATCH", desk.path, 400, {"description": None})
    assert "description" not in await ada.send("PATCH", desk.path, {"description": {"object": "document", "nodes": []}})


async def test_what_is_merged_may_still_be_described(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    await desk.merge()
    changed = await ada.send("PATCH", desk.path, {"subject": "What it was"})
    assert (changed["subject"], changed["status"]) == ("What it was", "merged")
    assert "merged" in await ada.refused("PATCH", desk.path, 409, {"subject": "No", "status": "open"})
    assert (await desk.get())["subject"] == "What it was"


async def test_an_id_and_a_number_name_the_same_change_request_everywhere(ada: Speaker, space: str) -> None:
    await Desk.open(ada, space)
    desk = await Desk.open(ada, space)
    await desk.edit("one", "# One\n\nEdited.\n")
    comment = await ada.send("POST", f"{desk.path}/comments", {"body": {"markdown": "Hm."}})
    named = f"/spaces/{space}/change-requests/{(await desk.get())['id']}"
    for suffix in (
        "",
        "/content",
        "/content/pages",
        "/content/page/one",
        "/content/path/one",
        "/content/page/one/links",
        "/content/page/one/backlinks",
        "/content/files",
        "/links",
        "/changes",
        "/contributors",
        "/reviews",
        "/requested-reviewers",
        "/comments",
        f"/comments/{comment['id']}",
        f"/comments/{comment['id']}/replies",
        "/commenters",
    ):
        assert await ada.get(named + suffix) == await ada.get(desk.path + suffix), suffix
    assert (await ada.send("PATCH", named, {"status": "open"}))["number"] == desk.number
    review = await ada.send("POST", f"{named}/reviews", {"status": "approved"}, 201)
    assert (await ada.get(f"{desk.path}/reviews"))["items"] == [review]
    assert (await ada.send("POST", f"{named}/update"))["result"] == "update"
    assert (await ada.send("POST", f"{named}/merge"))["result"] == "merge"
    assert (await desk.get())["status"] == "merged"


async def test_each_change_request_is_listed_once_while_others_come_and_go(
    ada: Speaker, space: str, organization: str
) -> None:
    for path in (f"/spaces/{space}/change-requests", f"/orgs/{organization}/change-requests"):
        made = [(await Desk.open(ada, space)).path for _ in range(7)]
        for each in made:
            await ada.send("PATCH", each, {"status": "open"})
        seen: list[int] = []
        page: dict[str, Any] = {}
        while True:
            answer = await ada.get(path, limit=2, **page)
            seen += [each["number"] for each in answer["items"]]
            late = await Desk.open(ada, space)
            await ada.send("PATCH", late.path, {"status": "open"})
            if len(seen) == 4:
                await ada.send("PATCH", f"/spaces/{space}/change-requests/{seen[-1]}", {"status": "archived"})
            if "next" not in answer:
                break
            page = {"page": answer["next"]["page"]}
        numbers = [int(each.rpartition("/")[2]) for each in made]
        assert [number for number in seen if number in numbers] == sorted(numbers, reverse=True)
        assert len(seen) == len(set(seen))


@pytest.mark.parametrize(("limit", "status"), [(0, 400), (1, 200), (1000, 200), (1001, 400), ("x", 400)])
async def test_changes_are_listed_up_to_a_limit(ada: Speaker, space: str, limit: Any, status: int) -> None:
    desk = await Desk.open(ada, space)
    revision = (await desk.get())["revision"]
    for path in (desk.path, f"/spaces/{space}/revisions/{revision}"):
        answer = await ada.request("GET", f"{path}/changes", params={"limit": limit})
        assert answer.status_code == status
        assert status == 200 or answer.json()["error"]["message"].startswith("limit:")
