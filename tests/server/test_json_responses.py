"""Cached items of lists: each says what the thing says alone, after every change and to every caller."""

from __future__ import annotations

from typing import Any

import pytest

from recto.server.content import change_request_handlers, change_requests, search, search_handlers
from recto.server.content.imported_tree import ImportedPage
from recto.server.context import Context
from recto.server.platform import Platform
from recto.server.storage.database import Connection, Row
from support.content import Desk, make_space
from support.platform import FrozenClock, Speaker, join

PAGES = (ImportedPage("one", "One", "one", text="Otters swim.\n"), ImportedPage("two", "Two", "two", text="Otters.\n"))


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES)


@pytest.fixture
def grace(platform: Platform, organization: str) -> Speaker:
    return Speaker(platform, join(platform, organization, "Grace Hopper", "comment"))


async def compare(path: str, *speakers: Speaker) -> list[Any]:
    """Return a list as the last of the callers gets it, whose items say to each what they say when read alone."""
    items: list[Any] = []
    for speaker in speakers:
        items = (await speaker.request("GET", path)).json()["items"]
        for item in items:
            alone = await speaker.get(f"{path.partition('?')[0]}/{item['id']}")
            assert item == {name: alone[name] for name in item}
    return items


def rename(platform: Platform, user: str, name: str) -> None:
    platform.database.write_now(
        lambda connection: connection.execute("UPDATE users SET display_name = ? WHERE email = ?", name, user)
    )


async def test_comments_in_a_list_are_what_they_are_alone(
    platform: Platform, clock: FrozenClock, organization: str, ada: Speaker, grace: Speaker, space: str
) -> None:
    comments = f"/spaces/{space}/comments"

    hedy = Speaker(platform, join(platform, organization, "Hedy Lamarr", "comment"))

    async def look() -> list[Any]:
        return await compare(comments, ada, hedy, grace)

    made = await ada.send("POST", comments, {"body": {"markdown": "Why?"}, "page": "one"})
    mine = f"{comments}/{made['id']}"
    clock.advance(minutes=1)
    await grace.send("POST", comments, {"body": {"markdown": "Why not?"}, "page": "two"})
    assert [each["permissions"]["edit"] for each in await look()] == [True, False]
    await grace.send("POST", f"{mine}/replies", {"body": {"markdown": "Since."}})
    assert [each["replies"] for each in await look()] == [0, 1]
    await grace.send("POST", f"{mine}/replies", {"body": {"markdown": "As said."}})
    assert [each["replies"] for each in await look()] == [0, 2]
    await grace.send("PUT", mine, {"addedReactions": ["1f44d"]})
    assert [len(each["reactions"]) for each in await look()] == [0, 1]
    await grace.send("PUT", mine, {"addedReactions": ["1f389"], "removedReactions": ["1f44d"]})
    assert [each["emoji"] for each in (await look())[1]["reactions"]] == ["1f389"]
    await ada.send("PUT", mine, {"resolved": True, "body": {"markdown": "How?"}})
    assert [(each["status"], each["body"]["markdown"]) for each in await look()][1] == ("resolved", "How?")
    rename(platform, "grace@example.org", "Rear Admiral Hopper")
    assert (await look())[1]["reactions"][0]["users"][0]["user"]["displayName"] == "Rear Admiral Hopper"
    desk = await Desk.open(ada, space)
    await desk.write({"operation": "update_page", "page": "one", "title": "First"})
    await desk.write({"operation": "delete_page", "page": "two"})
    await desk.merge()
    pages = [each["target"]["page"] for each in await look()]
    assert [(page["title"], page["outdated"]) for page in pages] == [("Two", True), ("First", False)]
    user = (await grace.get("/user"))["id"]
    await ada.send("PATCH", f"/orgs/{organization}/members/{user}", {"role": "read"})
    assert [each["permissions"]["edit"] for each in await look()] == [False, False]
    platform.public_url = "https://docs.example.org"
    assert (await look())[0]["urls"]["location"].startswith("https://docs.example.org/v1/")
    documents = await ada.get(comments, format="document")
    assert [set(each["body"]) for each in documents["items"]] == [{"document"}] * 2


async def test_change_requests_in_a_list_are_what_they_are_alone(
    platform: Platform, ada: Speaker, grace: Speaker, space: str
) -> None:
    requests = f"/spaces/{space}/change-requests"

    async def look(status: str) -> list[Any]:
        return await compare(f"{requests}?status={status}", ada, grace)

    desk, other = await Desk.open(ada, space), await Desk.open(ada, space, "Another")
    await look("draft")
    await ada.send("PATCH", desk.path, {"status": "open", "subject": "Better"})
    await ada.send("PATCH", other.path, {"status": "open"})
    assert [each["subject"] for each in await look("open")] == ["Another", "Better"]
    await other.edit("one", "Otters play.\n")
    await grace.send("POST", f"{desk.path}/comments", {"body": {"markdown": "Hm."}})
    assert [each["comments"] for each in await look("open")] == [0, 1]
    rename(platform, "ada@example.org", "Countess Lovelace")
    assert {each["createdBy"]["displayName"] for each in await look("open")} == {"Countess Lovelace"}
    await other.merge()
    assert [each["outdated"] for each in await look("open")] == [True]
    assert [each["mergedBy"]["displayName"] for each in await look("merged")] == ["Countess Lovelace"]
    platform.public_url = "https://docs.example.org"
    assert (await look("open"))[0]["urls"]["app"].startswith("https://docs.example.org/")


async def test_hits_are_ranked_once_until_the_content_changes(
    platform: Platform, ada: Speaker, grace: Speaker, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked: list[str] = []
    rank = search._rank

    def count_and_rank(connection: Connection, ranked_space: str, expression: str) -> Any:
        ranked.append(ranked_space)
        return rank(connection, ranked_space, expression)

    monkeypatch.setattr(search, "_rank", count_and_rank)

    async def look(speaker: Speaker) -> list[tuple[str, str]]:
        hits = (await speaker.get(f"/spaces/{space}/search", query="otters"))["items"]
        assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
        return sorted((hit["title"], hit["sections"][0]["body"]) for hit in hits)

    found = [("One", "Otters swim."), ("Two", "Otters.")]
    assert [await look(speaker) for speaker in (ada, grace, ada)] == [found] * 3
    assert ranked == [space]
    desk = await Desk.open(ada, space)
    await desk.edit("two", "Otters sleep.\n")
    assert await look(ada) == found
    assert ranked == [space]
    await desk.merge()
    assert [await look(speaker) for speaker in (ada, grace)] == [[found[0], ("Two", "Otters sleep.")]] * 2
    assert ranked == [space] * 2
    platform.public_url = "https://docs.example.org"
    hits = await ada.get(f"/spaces/{space}/search", query="otters")
    assert hits["items"][0]["sections"][0]["urls"]["location"].startswith("https://docs.example.org/v1/")


async def test_a_hit_is_made_once_whatever_comes_and_goes_above_it(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = make_space(
        platform, [ImportedPage(f"rank{at}", f"Rank {at}", f"rank{at}", text="Otters.\n") for at in range(5)]
    )
    made: list[str] = []
    make = search_handlers._hit

    def count_and_make(*given: Any) -> Any:
        made.append(given[3].page)
        return make(*given)

    monkeypatch.setattr(search_handlers, "_hit", count_and_make)

    async def look() -> list[tuple[str, int]]:
        hits = (await ada.get(f"/spaces/{space}/search", query="otters"))["items"]
        return [(hit["id"], hit["rank"]) for hit in hits]

    assert await look() == [(f"rank{at}", at + 1) for at in range(5)]
    desk = await Desk.open(ada, space)
    await desk.edit("rank0", "Seals.\n")
    await desk.merge()
    assert await look() == [(f"rank{at}", at) for at in range(1, 5)]
    assert sorted(made) == [f"rank{at}" for at in range(5)]


async def test_an_item_is_made_once_for_all_that_may_do_the_same_with_it(
    ada: Speaker, grace: Speaker, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    serialize = change_requests.serialize_change_request

    def count_and_serialize(context: Context, row: Row, people: Any) -> Any:
        made.append(row["subject"])
        return serialize(context, row, people)

    for number in range(3):
        await Desk.open(ada, space, f"Change {number} of this test alone")
    monkeypatch.setattr(change_request_handlers, "serialize_change_request", count_and_serialize)
    for speaker in (ada, grace, ada):
        await speaker.request("GET", f"/spaces/{space}/change-requests?status=draft")
    assert len(made) == 3


def test_a_list_is_read_in_the_order_of_an_index(platform: Platform, space: str) -> None:
    select = f"{change_requests.CHANGE_REQUESTS} WHERE request.space = ? AND request.status = 'merged'"
    plan = platform.database.read_now(
        lambda connection: connection.all(
            f"EXPLAIN QUERY PLAN SELECT * FROM ({select}) ORDER BY created_at DESC, number DESC, id DESC LIMIT 51",
            space,
        )
    )
    assert not [step["detail"] for step in plan if "TEMP B-TREE" in step["detail"]]
