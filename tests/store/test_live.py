"""Polling: one cheap request tells what differs, only that is fetched again, and a budget holds throughout."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from recto.cli.own_workspace import OwnWorkspace
from recto.client.errors import TimedOut
from recto.client.sender import embed
from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import ContentChanges
from recto.contract.collections import Collections
from recto.contract.comments import Comments
from recto.contract.content import Content
from recto.contract.reviews import Reviews
from recto.contract.sites import Sites
from recto.contract.spaces import Spaces
from recto.contract.teams import Teams
from recto.contract.users import Users
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.content_writes import change_pages, update_text
from recto.store.drafts import Drafts
from recto.store.live import PACE, Live
from recto.store.locations import ChangeRequestLocation, Location, OrganizationsLocation, SpaceLocation
from recto.store.news import MOST_NEWS, News
from recto.store.query import Query, QueryState
from recto.store.request_changes import RequestChanges
from recto.store.store import Store
from recto.store.talking import CommentChanges
from support.content import change_space, make_space, propose
from support.hosted import Hosted
from support.platform import FrozenClock, Speaker, make_platform, own_organization
from support.spaces import handbook

pytestmark = pytest.mark.slow  # others work for minutes by the clock


def edited(text: str) -> list[ImportedPage]:
    """Return the handbook with another text on its first page."""
    first, *rest = handbook()
    return [replace(first, text=f"{text}\n"), *rest]


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, handbook())


@pytest.fixture
def hosted(platform: Platform, tmp_path: Path) -> Hosted:
    return Hosted(platform, tmp_path)


@pytest.fixture
async def store(hosted: Hosted) -> AsyncIterator[Store]:
    store = hosted.store()
    yield store
    await store.aclose()


@dataclass(frozen=True)
class Happening:
    """Something that another person does after some seconds, and whether it is on the screen."""

    at: float
    name: str
    do: Callable[[], Awaitable[object]]
    is_seen: Callable[[], bool] | None = None


class Watcher:
    """A person before a screen: follows queries, and polls by a clock that does not tick by itself."""

    def __init__(self, store: Store, clock: FrozenClock, asked: list[str], location: Location) -> None:
        self.store = store
        self.clock = clock
        self.asked = asked
        self.at: list[float] = []
        """When each request was made, in seconds from the beginning."""
        self.began = clock()
        store.live.where = lambda: location

    async def follow(self, *queries: Query[Any]) -> None:
        for query in queries:
            query.watch(lambda _: None)
            await query.wait()
        self.asked.clear()

    async def poll(self, seconds: float, *, acting: bool = True) -> list[str]:
        """Let time pass; returns what was asked meanwhile."""
        before = len(self.asked)
        end = self.clock() + timedelta(seconds=seconds)
        while True:
            if acting:
                self.store.live.act()
            pause = await self.store.live.step()
            passed = (self.clock() - self.began).total_seconds()
            self.at += [passed] * (len(self.asked) - len(self.at))
            if self.clock() + timedelta(seconds=pause) > end:
                self.clock.moment = end
                return self.asked[before:]
            self.clock.advance(seconds=pause)

    async def live_through(self, seconds: float, happenings: Iterable[Happening]) -> dict[str, list[float]]:
        """Let others do things at their times; returns after how many seconds each was seen, by its name.

        What has not been seen at the end counts as seen then.
        """
        begun = due = self.clock()
        ahead = deque(sorted(happenings, key=lambda each: each.at))
        unseen: list[tuple[Happening, datetime]] = []
        found: dict[str, list[float]] = {}
        end = begun + timedelta(seconds=seconds)
        while self.clock() < end:
            self.clock.moment = min(due, end, *(begun + timedelta(seconds=each.at) for each in list(ahead)[:1]))
            while ahead and begun + timedelta(seconds=ahead[0].at) <= self.clock():
                each = ahead.popleft()
                await each.do()
                if each.is_seen is not None:
                    unseen.append((each, self.clock()))
            if self.clock() >= due:
                self.store.live.act()
                due = self.clock() + timedelta(seconds=await self.store.live.step())
                self.at += [(self.clock() - self.began).total_seconds()] * (len(self.asked) - len(self.at))
            for each, since in list(unseen):
                assert each.is_seen is not None
                if each.is_seen() or self.clock() >= end:
                    unseen.remove((each, since))
                    found.setdefault(each.name, []).append((self.clock() - since).total_seconds())
        return found

    @property
    def busiest_minute(self) -> int:
        """The most requests of any minute."""
        return max((sum(0 <= other - one < 60 for other in self.at) for one in self.at), default=0)


async def space_watched(store: Store, clock: FrozenClock, hosted: Hosted, space: str) -> Watcher:
    watcher = Watcher(store, clock, hosted.line.asked, SpaceLocation(space))
    await watcher.follow(
        store.query(Spaces.get_space, space),
        store.query(Content.list_pages, Main(space)),
        store.query(Content.get_page, Main(space), "welcome", format="markdown"),
        store.query_list(ChangeRequests.list_change_requests, space, status="open"),
        store.query_list(ChangeRequests.list_change_requests, space, status="draft"),
        store.query_list(Comments.list_comments, Main(space), format="markdown"),
    )
    return watcher


async def test_as_long_as_nothing_differs_only_the_space_is_asked(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    asked = await watcher.poll(300)
    assert set(asked) == {f"/v1/spaces/{space}"}
    assert 30 <= len(asked) <= 40
    assert watcher.busiest_minute <= 12


async def test_an_edited_page_is_fetched_within_ten_seconds_and_nothing_else_is(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    await watcher.poll(9)
    change_space(platform, space, edited("Words of today."))
    asked = await watcher.poll(10)
    page = store.query(Content.get_page, Main(space), "welcome", format="markdown")
    assert page.value is not None and "Words of today." in str(page.value.markdown)
    assert page.is_news
    assert not [one for one in asked if "change-requests" in one or "comments" in one]
    assert sum("/content/page" in one for one in asked) == 2, "the tree and the page, once"


async def test_a_change_request_by_another_arrives_and_is_new(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    me = (await store.fetch(Users.get_user)).id
    narrowed = store.query_list(ChangeRequests.list_change_requests, space, status="draft", creator=me)
    await watcher.follow(narrowed)
    request = propose(platform, space, "Better words", edited("Better."))
    asked = await watcher.poll(10)
    drafts = store.query_list(ChangeRequests.list_change_requests, space, status="draft")
    for listed in (drafts, narrowed):
        assert listed.value is not None and [one.id for one in listed.value.items] == [request]
    assert not [one for one in asked if "content" in one or "comments" in one]
    assert request in store.news
    store.news.see(request)
    store.live.act()
    assert request in store.news, "it was not looked at yet"
    clock.advance(seconds=3)
    store.live.act()
    assert request not in store.news


async def test_a_comment_of_another_arrives_and_ones_own_is_not_new(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    ada = Speaker(platform)
    await ada.send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}})
    asked = await watcher.poll(10)
    comments = store.query_list(Comments.list_comments, Main(space), format="markdown")
    assert comments.value is not None and len(comments.value.items) == 1
    assert sum("comments" in one for one in asked) == 1


async def test_a_busy_space_keeps_to_the_budget(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    for turn in range(40):
        change_space(platform, space, edited(f"Words of turn {turn}."))
        propose(platform, space, f"Better words {turn}", edited(f"Better words of turn {turn}."))
        await watcher.poll(9)
    await watcher.poll(60)
    assert watcher.busiest_minute <= 12
    page = store.query(Content.get_page, Main(space), "welcome", format="markdown")
    assert page.value is not None and "turn 39" in str(page.value.markdown)


async def test_a_large_space_keeps_to_the_budget(
    store: Store, clock: FrozenClock, hosted: Hosted, platform: Platform
) -> None:
    pages = [ImportedPage(f"page{n}", f"Page {n}", slug=f"page{n}", text="Words.\n") for n in range(5_000)]
    space = make_space(platform, [replace(pages[0], id="welcome", slug="welcome"), *pages[1:]])
    watcher = await space_watched(store, clock, hosted, space)
    await watcher.poll(120)
    change_space(platform, space, [replace(pages[0], id="welcome", slug="welcome", text="New.\n"), *pages[1:]])
    await watcher.poll(10)
    page = store.query(Content.get_page, Main(space), "welcome", format="markdown")
    assert page.value is not None and "New." in str(page.value.markdown)
    await watcher.poll(120)
    assert watcher.busiest_minute <= 12
    assert sum(one.partition("?")[0].endswith("/content/pages") for one in watcher.asked) == 1


async def test_who_is_away_costs_one_request_a_minute_and_is_shown_all_when_back(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    drafts = store.query_list(ChangeRequests.list_change_requests, space, status="draft")
    await watcher.poll(60)
    await watcher.poll(600, acting=False)
    watcher.at.clear()
    watcher.asked.clear()
    await watcher.poll(1_200, acting=False)
    assert watcher.busiest_minute == 1
    assert 18 <= len(watcher.at) <= 20
    propose(platform, space, "Better words", edited("Better."))
    await watcher.poll(2)
    assert drafts.value is not None and len(drafts.value.items) == 1


async def request_watched(store: Store, clock: FrozenClock, hosted: Hosted, space: str, request: str) -> Watcher:
    at = InChangeRequest(space, request)
    watcher = Watcher(store, clock, hosted.line.asked, ChangeRequestLocation(space, request))
    await watcher.follow(
        store.query(ChangeRequests.get_change_request, space, request),
        store.query(Spaces.get_space, space),
        store.query_list(Reviews.list_reviews, space, request),
        store.query_list(Reviews.list_requested_reviewers, space, request),
        store.query_list(Comments.list_comments, at, order="asc", status="all", format="markdown"),
        store.query(ContentChanges.list_changes, at, limit=1000),
        store.query(Content.list_pages, at),
    )
    return watcher


async def test_what_one_has_written_is_not_fetched_once_more(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    await watcher.poll(30)
    clock.advance(seconds=2)
    mutation = change_pages(space, request, "", [update_text("welcome", "Mine.\n")], "Sending", "Sent", lambda _: None)
    assert (await store.run(mutation)).ok
    await store.idle()
    pages = store.query(Content.list_pages, InChangeRequest(space, request))
    await pages.wait()
    asked = await watcher.poll(60)
    assert not any("/content" in path or "/changes" in path for path in asked), asked

    change = {"operation": "update_page", "page": "welcome", "document": {"markdown": "Theirs.\n"}}
    path = f"/spaces/{space}/change-requests/{request}/content"
    await Speaker(platform).send("POST", path, {"changes": [change]})
    asked = await watcher.poll(20)
    assert sum("/changes" in path for path in asked) == 1, "what others write arrives as before"


async def test_an_own_comment_is_not_fetched_again(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    comments = store.query_list(
        Comments.list_comments, InChangeRequest(space, request), order="asc", status="all", format="markdown"
    )
    await watcher.poll(30)
    for mutation in (
        CommentChanges(InChangeRequest(space, request)).comment("Which words?"),
        RequestChanges(space, request).submit_review("changes-requested", ""),
    ):
        clock.advance(seconds=2)
        assert (await store.run(mutation)).ok
        await store.idle()
    await comments.wait()
    asked = await watcher.poll(60)
    assert not any("/comments?" in path or "/review" in path for path in asked), asked

    clock.advance(seconds=2)
    path = f"/spaces/{space}/change-requests/{request}/comments"
    await Speaker(platform).send("POST", path, {"body": {"markdown": "These."}})
    await watcher.poll(10)
    assert length(comments) == 2, "what others say arrives as before"


async def test_what_another_says_just_after_one_is_fetched(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    at, path = InChangeRequest(space, request), f"/spaces/{space}/change-requests/{request}/comments"
    comments = store.query_list(Comments.list_comments, at, order="asc", status="all", format="markdown")
    await watcher.poll(30)
    assert (await store.run(CommentChanges(at).comment("Which words?"))).ok
    await store.idle()
    clock.advance(seconds=1)
    await Speaker(platform).send("POST", path, {"body": {"markdown": "These."}})
    await watcher.poll(10)
    assert length(comments) == 2


async def test_what_another_wrote_beside_ones_own_write_is_fetched(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    await watcher.poll(30)
    mutation = change_pages(space, request, "", [update_text("welcome", "Mine.\n")], "Sending", "Sent", lambda _: None)
    assert (await store.run(mutation)).ok
    await store.idle()
    change = {"operation": "update_page", "page": "guide", "document": {"markdown": "Theirs.\n"}}
    path = f"/spaces/{space}/change-requests/{request}/content"
    await Speaker(platform).send("POST", path, {"changes": [change]})
    asked = await watcher.poll(20)
    assert sum("/content/pages" in path for path in asked) == 1


async def test_what_another_does_besides_pages_after_ones_own_write_arrives(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    await watcher.poll(30)
    mutation = change_pages(space, request, "", [update_text("welcome", "Mine.\n")], "Sending", "Sent", lambda _: None)
    assert (await store.run(mutation)).ok
    await store.idle()
    clock.advance(seconds=1)
    path = f"/spaces/{space}/change-requests/{request}/reviews"
    await Speaker(platform).send("POST", path, {"status": "approved"}, 201)
    asked = await watcher.poll(60)
    reviews = store.query_list(Reviews.list_reviews, space, request)
    assert reviews.value is not None and [one.status for one in reviews.value.items] == ["approved"]
    assert not any("/comments?" in path for path in asked)


async def test_a_verdict_arrives(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    await watcher.poll(120)
    assert watcher.busiest_minute <= 12
    clock.advance(seconds=1)
    path = f"/spaces/{space}/change-requests/{request}/reviews"
    await Speaker(platform).send("POST", path, {"status": "approved"}, 201)
    asked = await watcher.poll(10)
    reviews = store.query_list(Reviews.list_reviews, space, request)
    assert reviews.value is not None and [one.status for one in reviews.value.items] == ["approved"]
    assert not [one for one in asked if "/content" in one or "changes" in one.rpartition("/")[2]]


@pytest.mark.parametrize("phase", range(8))
async def test_a_verdict_arrives_in_time_while_others_write(
    phase: int, store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    await watcher.follow(store.query_list(ChangeRequests.list_contributors, space, request))
    reviews = store.query_list(Reviews.list_reviews, space, request)
    ada, path = Speaker(platform), f"/spaces/{space}/change-requests/{request}"
    await watcher.poll(120 + phase)
    for turn in range(1, 4):
        await ada.send("POST", f"{path}/comments", {"body": {"markdown": "Hm."}})
        await watcher.poll(20)
        change = {"operation": "update_page", "page": "welcome", "document": {"markdown": f"Words of turn {turn}."}}
        await ada.send("POST", f"{path}/content", {"changes": [change]})
        await watcher.poll(20)
        await ada.send("POST", f"{path}/reviews", {"status": "approved"}, 201)
        await watcher.poll(10)
        assert reviews.value is not None and len(reviews.value.items) == turn
        await watcher.poll(40)
    assert watcher.busiest_minute <= 12


async def test_a_verdict_just_after_an_edit_and_a_comment_arrives_in_time(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    await watcher.follow(store.query_list(ChangeRequests.list_contributors, space, request))
    reviews = store.query_list(Reviews.list_reviews, space, request)
    ada, path = Speaker(platform), f"/spaces/{space}/change-requests/{request}"
    await watcher.poll(120)
    for turn in range(1, 4):
        await ada.send("POST", f"{path}/comments", {"body": {"markdown": "Hm."}})
        change = {"operation": "update_page", "page": "welcome", "document": {"markdown": f"Words of turn {turn}."}}
        await ada.send("POST", f"{path}/content", {"changes": [change]})
        await ada.send("POST", f"{path}/reviews", {"status": "approved"}, 201)
        await watcher.poll(10)
        assert reviews.value is not None and len(reviews.value.items) == turn
        await watcher.poll(30)
    comments = store.query_list(
        Comments.list_comments, InChangeRequest(space, request), order="asc", status="all", format="markdown"
    )
    assert comments.value is not None and len(comments.value.items) == 3, "no query is put off for ever"
    assert watcher.busiest_minute <= 12


def length(query: Query[Any]) -> int:
    """Return how many items of a list are known."""
    return len(query.value.items) if query.value is not None else -1


@pytest.mark.parametrize("phase", range(10))
async def test_all_of_a_burst_in_a_change_request_is_seen_within_ten_seconds(
    phase: int, store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    at, path = InChangeRequest(space, request), f"/spaces/{space}/change-requests/{request}"
    ada = Speaker(platform)
    thread = (await ada.send("POST", f"{path}/comments", {"body": {"markdown": "First."}}))["id"]
    watcher = await request_watched(store, clock, hosted, space, request)
    page = store.query(Content.get_page, at, "welcome", format="markdown")
    rich = store.query(Content.get_page, at, "welcome", format="document")
    comments = store.query_list(Comments.list_comments, at, order="asc", status="all", format="markdown")
    replies = store.query_list(Comments.list_replies, at, thread, format="markdown")
    reviews = store.query_list(Reviews.list_reviews, space, request)
    changes = store.query(ContentChanges.list_changes, at, limit=1000)
    contributors = store.query_list(ChangeRequests.list_contributors, space, request)
    await watcher.follow(contributors, rich, page, replies)
    await watcher.poll(120 + phase)
    write = {"operation": "update_page", "page": "welcome", "document": {"markdown": "These words."}}
    ask = partial(ada.send, "POST", f"{path}/comments", {"body": {"markdown": "Which words?"}})
    approve = partial(ada.send, "POST", f"{path}/reviews", {"status": "approved"}, 201)
    edit = partial(ada.send, "POST", f"{path}/content", {"changes": [write]})
    before = changes.value, rich.value
    happenings = [
        Happening(0, "comment", ask, lambda: length(comments) > 1),
        Happening(5, "verdict", approve, lambda: length(reviews) > 0),
        Happening(10, "comment", ask, lambda: length(comments) > 2),
        Happening(14, "edit", edit, lambda: page.value is not None and "These words." in str(page.value.markdown)),
    ]
    found = await watcher.live_through(30, happenings)
    assert {name: times for name, times in found.items() if max(times) > 10} == {}
    await watcher.poll(150)
    assert changes.value != before[0] and rich.value != before[1], "what is explained is fetched later"
    assert watcher.busiest_minute <= 12


@pytest.mark.parametrize("phase", range(0, 10, 3))
async def test_all_of_a_burst_in_a_space_is_seen_within_ten_seconds(
    phase: int, store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    drafts = store.query_list(ChangeRequests.list_change_requests, space, status="draft")
    comments = store.query_list(Comments.list_comments, Main(space), format="markdown")
    page = store.query(Content.get_page, Main(space), "welcome", format="markdown")
    tree = store.query(Content.list_pages, Main(space))
    ask = partial(Speaker(platform).send, "POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}})

    async def make() -> None:
        propose(platform, space, "Better words", edited("Better."))

    async def edit() -> None:
        change_space(platform, space, edited("These words."))

    before = tree.value
    await watcher.poll(120 + phase)
    happenings = [
        Happening(0, "comment", ask, lambda: length(comments) > 0),
        Happening(5, "draft", make, lambda: length(drafts) > 0),
        Happening(10, "comment", ask, lambda: length(comments) > 1),
        Happening(14, "edit", edit, lambda: page.value is not None and "These words." in str(page.value.markdown)),
    ]
    found = await watcher.live_through(30, happenings)
    assert {name: times for name, times in found.items() if max(times) > 10} == {}
    await watcher.poll(60)
    assert tree.value != before
    assert watcher.busiest_minute <= 12


@pytest.mark.parametrize("phase", range(0, 10, 3))
async def test_pages_that_another_adds_to_a_change_request_are_seen_within_ten_seconds(
    phase: int, store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "More pages", edited("Better."))
    at, path = InChangeRequest(space, request), f"/spaces/{space}/change-requests/{request}"
    watcher = Watcher(store, clock, hosted.line.asked, SpaceLocation(space, change_request=request))
    tree = store.query(Content.list_pages, at)
    changes = store.query(ContentChanges.list_changes, at, limit=1000)
    await watcher.follow(
        store.query(ChangeRequests.get_change_request, space, request),
        tree,
        changes,
        store.query(Content.get_page, at, "welcome", format="markdown"),
        store.query_list(ChangeRequests.list_change_requests, space, status="open"),
        store.query_list(Comments.list_comments, at, order="asc", status="all", format="markdown"),
    )
    ada = Speaker(platform)
    await watcher.poll(120 + phase)

    async def add(title: str) -> None:
        change = {"operation": "insert_page", "title": title, "document": {"markdown": "Words."}}
        await ada.send("POST", f"{path}/content", {"changes": [change]})

    def shows(title: str) -> bool:
        return tree.value is not None and any(page.title == title for page in tree.value.pages)

    titles = [f"Page {nth}" for nth in range(5)]
    before = changes.value
    happenings = [
        Happening(nth * 30, "page", partial(add, title), partial(shows, title)) for nth, title in enumerate(titles)
    ]
    found = await watcher.live_through(180, happenings)
    assert max(found["page"]) <= 10, found
    await watcher.poll(60)
    assert changes.value != before, "what is explained is fetched later"
    assert watcher.busiest_minute <= 12


@pytest.mark.parametrize("phase", range(0, 10, 3))
async def test_what_happens_to_other_change_requests_is_seen_within_ten_seconds_in_one(
    phase: int, store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = Watcher(store, clock, hosted.line.asked, SpaceLocation(space, change_request=request))
    open_requests, drafts = (
        store.query_list(ChangeRequests.list_change_requests, space, status=status) for status in ("open", "draft")
    )
    await watcher.follow(
        store.query(Spaces.get_space, space),
        store.query(ChangeRequests.get_change_request, space, request),
        store.query(Content.list_pages, InChangeRequest(space, request)),
        open_requests,
        drafts,
    )
    others: list[str] = []

    async def make() -> None:
        others.append(propose(platform, space, "Other words", edited("Other.")))

    async def merge() -> None:
        await Speaker(platform).send("POST", f"/spaces/{space}/change-requests/{others[-1]}/merge")

    before = length(open_requests), length(drafts)
    await watcher.poll(120 + phase)
    happenings = [
        Happening(0, "made", make, lambda: length(open_requests) + length(drafts) > sum(before)),
        Happening(40, "merged", merge, lambda: length(open_requests) + length(drafts) == sum(before)),
    ]
    found = await watcher.live_through(100, happenings)
    assert {name: times for name, times in found.items() if max(times) > 10} == {}
    assert watcher.busiest_minute <= 12


@pytest.mark.parametrize("phase", range(0, 8, 3))
async def test_comments_and_requests_for_a_review_arrive_in_time_between_edits(
    phase: int, store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    await watcher.follow(store.query_list(ChangeRequests.list_contributors, space, request))
    requested = store.query_list(Reviews.list_requested_reviewers, space, request)
    comments = store.query_list(
        Comments.list_comments, InChangeRequest(space, request), order="asc", status="all", format="markdown"
    )
    ada, path = Speaker(platform), f"/spaces/{space}/change-requests/{request}"
    me = (await ada.send("GET", "/user"))["id"]
    await watcher.poll(120 + phase)
    for turn in range(1, 4):
        await ada.send("POST", f"{path}/requested-reviewers", {"users": [me]})
        await watcher.poll(10)
        assert length(requested) == 1
        await watcher.poll(20)
        await ada.send("POST", f"{path}/comments", {"body": {"markdown": "Hm."}})
        await watcher.poll(10)
        assert length(comments) == turn
        await watcher.poll(20)
        change = {"operation": "update_page", "page": "welcome", "document": {"markdown": f"Words of turn {turn}."}}
        await ada.send("POST", f"{path}/content", {"changes": [change]})
        asked = await watcher.poll(10)
        assert any("/changes?" in path for path in asked)
        await watcher.poll(20)
        await ada.send("DELETE", f"{path}/requested-reviewers/{me}", None, 204)
        await watcher.poll(10)
        assert length(requested) == 0
        await watcher.poll(20)
    assert watcher.busiest_minute <= 12


async def live_beside_writers(
    watcher: Watcher,
    platform: Platform,
    space: str,
    request: str,
    *,
    phase: float,
    writing: float,
    spacing: float,
    turns: int = 4,
) -> dict[str, list[float]]:
    """Have others write every ``writing`` seconds and do all else in turn; returns when what was seen."""
    store, at = watcher.store, InChangeRequest(space, request)
    ada, path = Speaker(platform), f"/spaces/{space}/change-requests/{request}"
    me = (await ada.send("GET", "/user"))["id"]
    thread = (await ada.send("POST", f"{path}/comments", {"body": {"markdown": "First."}}))["id"]
    reviews = store.query_list(Reviews.list_reviews, space, request)
    requested = store.query_list(Reviews.list_requested_reviewers, space, request)
    comments = store.query_list(Comments.list_comments, at, order="asc", status="all", format="markdown")
    replies = store.query_list(Comments.list_replies, at, thread, format="markdown")
    await watcher.follow(
        store.query_list(ChangeRequests.list_contributors, space, request),
        store.query(Content.get_page, at, "welcome", format="markdown"),
        store.query(Content.get_page, at, "welcome"),
        replies,
    )
    watcher.at.clear()
    await watcher.live_through(120 + phase, ())

    async def write(text: str) -> None:
        change = {"operation": "update_page", "page": "welcome", "document": {"markdown": text}}
        await ada.send("POST", f"{path}/content", {"changes": [change]})

    def reacted(times: int) -> bool:
        assert comments.value is not None
        return any(len(each.reactions) >= times for each in comments.value.items)

    def is_longer(query: Query[Any], than: int) -> bool:
        return length(query) > than

    emojis = ["1f600", "1f601", "1f602", "1f603"]
    seconds = 5 * turns * spacing + 60
    edits = range(int(seconds / writing))
    happenings = [Happening(nth * writing, "edit", partial(write, f"Words {nth}.")) for nth in edits]
    for turn in range(turns):
        ask = partial(ada.send, "POST", f"{path}/requested-reviewers", {"users": [me]})
        approve = partial(ada.send, "POST", f"{path}/reviews", {"status": "approved"}, 201)
        comment = partial(ada.send, "POST", f"{path}/comments", {"body": {"markdown": "Hm."}})
        reply = partial(ada.send, "POST", f"{path}/comments/{thread}/replies", {"body": {"markdown": "Yes."}})
        react = partial(ada.send, "PUT", f"{path}/comments/{thread}", {"addedReactions": [emojis[turn]]})
        doings: list[tuple[str, Callable[[], Awaitable[object]], Callable[[], bool]]] = [
            ("request", ask, partial(is_longer, requested, 0)),
            ("verdict", approve, partial(is_longer, reviews, turn)),
            ("comment", comment, partial(is_longer, comments, 1 + turn)),
            ("reply", reply, partial(is_longer, replies, turn)),
            ("reaction", react, partial(reacted, 1 + turn)),
        ]
        for nth, (name, do, is_seen) in enumerate(doings):
            happenings.append(Happening((5 * turn + nth) * spacing + 1.5, name, do, is_seen))
    found = await watcher.live_through(seconds, happenings)
    assert watcher.busiest_minute <= 12
    return found


@pytest.mark.parametrize("phase", range(0, 10, 4))
@pytest.mark.parametrize("writing", [3, 20])
async def test_all_that_others_do_is_seen_within_ten_seconds_while_they_write(
    phase: int, writing: float, store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    found = await live_beside_writers(watcher, platform, space, request, phase=phase, writing=writing, spacing=30)
    assert {name: max(each) for name, each in found.items() if max(each) > 10} == {}
    assert len(found) == 5


@pytest.mark.parametrize("phase", range(0, 10, 4))
async def test_a_newer_revision_is_known_within_ten_seconds_also_where_the_text_has_to_wait(
    phase: int, store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    page = store.query(Content.get_page, Main(space), "welcome", format="markdown")
    begun = (await store.fetch(Spaces.get_space, space)).revision
    past = store.query(Content.get_page, AtRevision(space, begun), "welcome", format="markdown")
    await watcher.follow(past)
    watcher.at.clear()
    await watcher.live_through(120 + phase, ())

    async def edit(nth: int) -> None:
        change_space(platform, space, edited(f"Words {nth}."))

    def shows(nth: int) -> bool:
        shown = page.value.markdown or "" if page.value is not None else ""
        return any(f"Words {later}." in shown for later in range(nth, 30))

    def is_known(nth: int) -> bool:
        return page.is_behind or shows(nth)

    happenings = []
    for nth in range(30):
        happenings.append(Happening(nth * 8, "text", partial(edit, nth), partial(shows, nth)))
        happenings.append(Happening(nth * 8, "sign", partial(asyncio.sleep, 0), partial(is_known, nth)))
    found = await watcher.live_through(300, happenings)
    assert max(found["sign"]) <= 10 < max(found["text"])
    assert shows(29) and not page.is_behind and not past.is_behind
    assert not any("/revisions/" in path for path in watcher.asked), "a past revision does not change"
    assert watcher.busiest_minute <= 12


@pytest.mark.parametrize("phase", [3, 8])
@pytest.mark.parametrize(
    ("left_out", "within"),
    [
        (("commentsUpdatedAt", "reviewsUpdatedAt"), {"comment": 35, "request": 35, "verdict": 35, "others": 65}),
        (("commentsUpdatedAt", "reviewsUpdatedAt", "updatedAt"), {"comment": 10, "others": 65}),
    ],
    ids=["updatedAt moves", "nothing moves"],
)
async def test_on_a_platform_that_tells_less_all_is_seen_in_turn_while_others_write(
    left_out: tuple[str, ...],
    within: dict[str, float],
    phase: int,
    store: Store,
    clock: FrozenClock,
    hosted: Hosted,
    space: str,
    platform: Platform,
) -> None:
    hosted.line.left_out = left_out
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    found = await live_beside_writers(watcher, platform, space, request, phase=phase, writing=5, spacing=90, turns=2)
    latest = {name: max(each) for name, each in found.items()}
    assert {name: each for name, each in latest.items() if each > within.get(name, within["others"])} == {}


async def test_a_verdict_is_seen_at_once_where_the_time_of_update_shows_it(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    hosted.line.left_out = ("commentsUpdatedAt", "reviewsUpdatedAt")
    request = propose(platform, space, "Better words", edited("Better."))
    watcher = await request_watched(store, clock, hosted, space, request)
    reviews = store.query_list(Reviews.list_reviews, space, request)
    path = f"/spaces/{space}/change-requests/{request}/reviews"
    await watcher.poll(120)
    for turn in range(1, 4):
        await Speaker(platform).send("POST", path, {"status": "approved"}, 201)
        await watcher.poll(10)
        assert length(reviews) == turn
        await watcher.poll(37)
    assert watcher.busiest_minute <= 12


async def test_the_list_that_the_person_looks_at_follows_in_time_beside_many_others(
    store: Store, clock: FrozenClock, hosted: Hosted, platform: Platform
) -> None:
    organization = own_organization(platform)
    watcher = Watcher(store, clock, hosted.line.asked, OrganizationsLocation())
    sites = store.query_list(Sites.list_sites, organization)
    spaces = store.query_list(Spaces.list_spaces, organization)
    requests = store.query_list(ChangeRequests.list_organization_change_requests, organization)
    teams = store.query_pages(Teams.list_teams, organization)
    await watcher.follow(sites, spaces, requests, teams, store.query_list(Collections.list_collections, organization))
    store.live.in_focus = lambda: [teams]
    await watcher.poll(60)
    ada = Speaker(platform)
    for turn in range(1, 4):
        await ada.send("PUT", f"/orgs/{organization}/teams", {"title": f"Team {turn}", "members": []}, 201)
        await watcher.poll(10)
        assert teams.value is not None and len(teams.value.items) == turn
    await ada.send("POST", f"/orgs/{organization}/spaces", {"title": "Theirs"}, 201)
    await watcher.poll(60)
    assert spaces.value is not None and len(spaces.value.items) == 1, "all others follow less often"
    assert watcher.busiest_minute <= 12


async def test_a_space_and_a_site_by_another_arrive_in_the_tree_of_an_organization(
    store: Store, clock: FrozenClock, hosted: Hosted, platform: Platform
) -> None:
    organization = own_organization(platform)
    watcher = Watcher(store, clock, hosted.line.asked, OrganizationsLocation())
    spaces = store.query_list(Spaces.list_spaces, organization)
    sites = store.query_list(Sites.list_sites, organization)
    requests = store.query_list(ChangeRequests.list_organization_change_requests, organization)
    await watcher.follow(spaces, sites, requests)
    await watcher.poll(60)
    ada = Speaker(platform)
    await ada.send("POST", f"/orgs/{organization}/spaces", {"title": "Theirs"}, 201)
    await ada.send("POST", f"/orgs/{organization}/sites", {"title": "Theirs"}, 201)
    await watcher.poll(50)
    assert spaces.value is not None and [one.title for one in spaces.value.items] == ["Theirs"]
    assert sites.value is not None and [one.title for one in sites.value.items] == ["Theirs"]
    assert watcher.busiest_minute <= 12


async def test_an_open_thread_is_read_again_for_edits_and_reactions(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    ada = Speaker(platform)
    made = await ada.send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}})
    watcher = await space_watched(store, clock, hosted, space)
    comments = store.query_list(Comments.list_comments, Main(space), format="markdown")
    replies = store.query_list(Comments.list_replies, Main(space), made["id"], format="markdown")
    path = f"/spaces/{space}/comments/{made['id']}"
    watching = replies.watch(lambda _: None)
    await replies.wait()
    watcher.asked.clear()
    clock.advance(seconds=1)
    await ada.send("PUT", path, {"body": {"markdown": "Hmm."}})
    await watcher.poll(10)
    assert comments.value is not None and comments.value.items[0].body.markdown == "Hmm."
    reply = await ada.send("POST", f"{path}/replies", {"body": {"markdown": "Yes."}})
    await watcher.poll(10)
    assert replies.value is not None and len(replies.value.items) == 1
    await ada.send("PUT", f"{path}/replies/{reply['id']}", {"addedReactions": ["1f600"]})
    await watcher.poll(10)
    assert replies.value.items[0].reactions
    await watcher.poll(120)
    assert watcher.busiest_minute <= 12
    watching.close()
    watcher.asked.clear()
    asked = await watcher.poll(60)
    assert not [one for one in asked if "comments" in one]


async def test_a_platform_that_asks_for_fewer_requests_gets_fewer(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    calm = len(await watcher.poll(120))
    hosted.line.refusals[""] = 429
    refused = await watcher.poll(55)
    assert len(refused) == 1, "it is not sent again at once, and then not for a minute"
    assert store.waiting == ()
    hosted.line.refusals.clear()
    await watcher.poll(60)
    assert len(await watcher.poll(120)) <= calm / 2 + 1
    assert store.query(Spaces.get_space, space).state is QueryState.READY


async def test_a_platform_that_asks_to_wait_for_years_is_asked_again_after_an_hour(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    hosted.line.refusals[""] = 429
    hosted.line.headers["Retry-After"] = "9" * 30
    assert len(await watcher.poll(3_500)) == 1
    assert len(await watcher.poll(300)) == 1


def test_marks_of_news_are_bounded(clock: FrozenClock) -> None:
    news = News(clock)
    news.add(range(MOST_NEWS + 5))
    assert 4 not in news and 5 in news
    news.add(["new"])
    assert 5 not in news and "new" in news


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_what_fails_behind_leaves_what_is_shown_and_is_fetched_later(
    status: int, store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    tree = store.query(Content.list_pages, Main(space))
    change_space(platform, space, handbook()[:2])
    hosted.line.refusals["/content"] = status
    await watcher.poll(20)
    assert tree.value is not None
    shown = len(tree.value.pages)
    hosted.line.refusals.clear()
    await watcher.poll(90)
    assert len(tree.value.pages) < shown


async def test_comments_that_fail_again_and_again_are_tried_less_often_and_stop_nothing_else(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    page = store.query(Content.get_page, Main(space), "welcome", format="markdown")
    hosted.line.refusals["/comments"] = 500
    await Speaker(platform).send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}})
    asked = await watcher.poll(1_800)
    assert 4 <= sum("/comments" in target for target in asked) <= 8
    change_space(platform, space, edited("Words of today."))
    await watcher.poll(60)
    assert page.value is not None and "Words of today." in str(page.value.markdown)


async def test_offline_is_known_with_its_reason_and_ends_by_itself(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str, platform: Platform
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    told: list[bool] = []
    store.reach.subscribe(lambda offline: told.append(offline is not None))
    since = clock() + timedelta(seconds=PACE)
    hosted.line.is_cut = True
    await watcher.poll(PACE)
    offline = store.offline
    assert offline is not None
    assert (offline.since, offline.error.why) == (since, "http://recto.test cannot be reached.")
    change_space(platform, space, edited("Words of today."))
    await watcher.poll(300)
    assert watcher.busiest_minute <= 12
    hosted.line.is_cut = False
    await watcher.poll(61)
    assert told == [True, False]
    page = store.query(Content.get_page, Main(space), "welcome", format="markdown")
    assert page.value is not None and "Words of today." in str(page.value.markdown)


async def test_a_platform_behind_a_failing_gateway_is_offline_until_it_answers(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str
) -> None:
    told: list[str] = []
    store.reach.subscribe(lambda offline: told.append(offline.reason if offline is not None else ""))
    hosted.line.refusals[""] = 502
    tree = store.query(Content.list_pages, Main(space))
    page = store.query(Content.get_page, Main(space), "welcome", format="markdown")
    watcher = await space_watched(store, clock, hosted, space)
    await watcher.poll(300)
    assert tree.is_cut_off and page.is_cut_off
    assert told == ["error 502"]
    assert watcher.busiest_minute <= 12
    hosted.line.refusals.clear()
    await watcher.poll(61)
    await store.idle()
    assert told == ["error 502", ""]
    assert (tree.state, page.state) == (QueryState.READY, QueryState.READY)


async def test_an_operation_that_is_slow_alone_is_not_offline_and_is_tried_again_ever_less_often(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    told: list[bool] = []
    store.reach.subscribe(lambda offline: told.append(offline is not None))
    is_over = hosted.line.slow["/content/pages"] = asyncio.Event()
    tree = store.query(Content.list_pages, Main(space))
    tree.refresh()
    asked: list[str] = []
    for _ in range(14):
        asked += await watcher.poll(30)  # others are answered in the time that it takes
        is_over.set()
        await store.idle()
        is_over.clear()
        assert tree.value is not None
    assert isinstance(tree.error, TimedOut)
    assert told == []
    assert 4 <= sum("/content/pages" in target for target in asked) <= 7
    hosted.line.slow.clear()
    await watcher.poll(600)
    await store.idle()
    assert tree.state is QueryState.READY


async def test_what_fails_alone_while_nothing_else_is_sent_is_offline_once(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    told: list[bool] = []
    store.reach.subscribe(lambda offline: told.append(offline is not None))
    hosted.line.refusals["/content/pages"] = 504
    tree = store.query(Content.list_pages, Main(space))
    tree.refresh()
    await watcher.poll(420)
    assert told == [True, False]
    assert tree.is_cut_off
    assert hosted.line.asked.count(f"/v1/spaces/{space}/content/pages") <= 8
    hosted.line.refusals.clear()
    await watcher.poll(600)
    assert tree.state is QueryState.READY


async def test_an_operation_that_fails_is_tried_again_by_itself_without_polling(
    store: Store, clock: FrozenClock, hosted: Hosted, space: str
) -> None:
    watcher = await space_watched(store, clock, hosted, space)
    store.live.pace_now = lambda: None
    hosted.line.refusals["/content/pages"] = 500
    tree = store.query(Content.list_pages, Main(space))
    tree.refresh()
    for _ in range(24):
        await store.idle()
        await watcher.poll(5)
    assert 3 <= len(hosted.line.asked) <= 6
    assert all("/content/pages" in target for target in hosted.line.asked)
    assert (tree.state, store.offline) == (QueryState.FAILED, None)
    hosted.line.refusals.clear()
    for _ in range(24):
        await store.idle()
        await watcher.poll(5)
    assert tree.state is QueryState.READY
    assert await watcher.poll(300) == []


async def test_another_program_on_the_same_file_is_noticed_within_three_seconds(
    tmp_path: Path, platform: Platform, space: str, clock: FrozenClock
) -> None:
    other = make_platform(tmp_path, clock=clock, seed=1)
    store = Store(
        embed(platform.application, platform.token),
        Drafts(tmp_path / "drafts", clock),
        clock=clock,
        workspace=OwnWorkspace(platform),
    )
    watcher = Watcher(store, clock, [], SpaceLocation(space))
    tree = store.query(Content.list_pages, Main(space))
    page = store.query(Content.get_page, Main(space), "welcome", format="markdown")
    await watcher.follow(store.query(Spaces.get_space, space), tree, page)
    reads = record_requests(store, watcher)
    await watcher.poll(300)
    assert reads == [], "nothing is asked as long as the file is the same"
    change_space(other, space, edited("Words of today."))
    await watcher.poll(3)
    assert page.value is not None and "Words of today." in str(page.value.markdown)
    assert page.is_news
    other.close()
    await store.aclose()


def record_requests(store: Store, watcher: Watcher) -> list[object]:
    """Return a list that grows with each request of the store."""
    found: list[object] = []
    ask = store._transport.ask  # type: ignore[attr-defined]

    async def note(route: Any, arguments: Any) -> Any:
        found.append(route)
        return await ask(route, arguments)

    store._transport.ask = note  # type: ignore[attr-defined]
    return found


async def test_own_commits_do_not_change_the_version_of_the_file(
    tmp_path: Path, platform: Platform, space: str
) -> None:
    before = await platform.database.version()
    change_space(platform, space, handbook()[:2])
    assert await platform.database.version() == before
    other = make_platform(tmp_path, seed=1)
    change_space(other, space, handbook())
    assert await platform.database.version() != before
    other.close()


async def test_polling_runs_until_it_is_cancelled_and_goes_on_after_a_failure(store: Store) -> None:
    pauses: list[float] = []
    live = Live(store, {})

    async def broken() -> float:
        raise ValueError("a defect")

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            running.cancel()

    live.step = broken  # type: ignore[method-assign]
    running = asyncio.ensure_future(live.run(pause))
    with pytest.raises(asyncio.CancelledError):
        await running
    assert pauses == [60.0, 60.0]


async def test_a_wake_during_a_step_of_polling_is_followed_by_another_step(store: Store) -> None:
    live = Live(store, {})
    steps = 0

    async def step() -> float:
        nonlocal steps
        steps += 1
        if steps == 2:
            running.cancel()
        live.wake()
        return 60.0

    async def pause(seconds: float) -> None:
        await asyncio.Event().wait()

    live.step = step  # type: ignore[method-assign]
    running = asyncio.ensure_future(live.run(pause))
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 5)
    assert steps == 2
