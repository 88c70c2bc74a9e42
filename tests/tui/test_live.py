"""What others do arrives on the screen; the reader, the cursor and what is typed stay; polling keeps to its budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.live import MOST_REQUESTS, Live
from recto.store.locations import (
    ChangeRequestLocation,
    Location,
    OrganizationsLocation,
    SiteLocation,
    SpaceLocation,
    item_id,
)
from recto.store.store import Store
from recto.tui.app import RectoApp
from recto.tui.lists.tree_list import TreeList
from recto.tui.look.signs import NEWS_SIGN
from recto.tui.look.times import clock_time
from recto.tui.navigation.messages import Go
from recto.tui.screens.pane import DELETED_BY_OTHERS
from recto.tui.screens.space.space_view import SpaceView
from support.content import change_space, make_space, propose
from support.hosted import Hosted
from support.platform import FrozenClock, Speaker, join, own_organization
from support.screens import screen_text, settled, shows
from support.spaces import handbook

pytestmark = pytest.mark.slow  # others work for minutes by the clock

WORDS = "This paragraph is here to be commented on."

CHANGED_BY_OTHERS, NEWER_REVISION = "changed by others: r shows it", "newer revision: r loads it"


@pytest.fixture(autouse=True)
def polled_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests say when time has passed."""

    async def run(_live: Live) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Live, "run", run)


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, handbook())


class Desk:
    """A person at the program on a hosted platform, whose clock goes on when they wait."""

    def __init__(self, pilot: Pilot[None], store: Store, hosted: Hosted, clock: FrozenClock) -> None:
        self.pilot = pilot
        self.store = store
        self.hosted = hosted
        self.clock = clock

    async def wait(self, seconds: float) -> list[float]:
        """Let time pass; returns when each request was made, in seconds from now."""
        begun, asked = self.clock(), self.hosted.line.asked
        before, at = len(asked), list[float]()
        end = begun + timedelta(seconds=seconds)
        while True:
            self.store.note_activity()
            pause = timedelta(seconds=await self.store.live.step())
            await settled(self.pilot)
            at += [(self.clock() - begun).total_seconds()] * (len(asked) - before - len(at))
            if self.clock() + pause > end:
                self.clock.moment = end
                return at
            self.clock.moment += pause

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await settled(self.pilot)

    def shows(self, text: str) -> bool:
        return shows(self.pilot.app, text)

    def lines(self) -> list[str]:
        return screen_text(self.pilot.app)

    def messages(self) -> list[str]:
        return [one.message for one in self.pilot.app._notifications]


@asynccontextmanager
async def desk_at(
    platform: Platform, folder: Path, clock: FrozenClock, location: Location, size: tuple[int, int] = (120, 30)
) -> AsyncIterator[Desk]:
    hosted = Hosted(platform, folder)
    store = hosted.store()

    async def open_store() -> Store:
        return store

    app = RectoApp(open_store, opening=location)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield Desk(pilot, store, hosted, clock)
    await store.aclose()


def handbook_with(text: str) -> list[ImportedPage]:
    first, *rest = handbook()
    return [replace(first, text=f"{text}\n"), *rest]


async def test_a_page_changed_under_the_reader_says_so_and_r_shows_it(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    async with desk_at(platform, tmp_path, clock, SpaceLocation(space, page="welcome")) as desk:
        before = desk.lines()
        clock.advance(seconds=1)
        change_space(platform, space, handbook_with("Words of today."))
        await desk.wait(10)
        assert desk.shows(WORDS) and not desk.shows("Words of today.")
        assert desk.shows(CHANGED_BY_OTHERS)
        moved = [line for line, other in zip(desk.lines(), before, strict=True) if line != other]
        assert len(moved) == 2, "the title of the page and the marked page in the tree, and nothing else"
        await desk.press("r")
        assert desk.shows("Words of today.") and not desk.shows(CHANGED_BY_OTHERS)
        remarks = []
        for nth in range(4):  # more than there is room for
            clock.advance(seconds=1)
            change_space(platform, space, handbook_with(f"Words {nth}."))
            await desk.wait(10)
            remarks += [remark for remark in (CHANGED_BY_OTHERS, NEWER_REVISION) if desk.shows(remark)]
            await desk.press("r")
            assert desk.shows(f"Words {nth}.")
            assert not desk.shows(CHANGED_BY_OTHERS) and not desk.shows(NEWER_REVISION)
        assert len(remarks) == 4 and NEWER_REVISION in remarks


async def test_a_page_deleted_under_the_reader_stays_and_says_so_until_the_reader_goes_on(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    async with desk_at(platform, tmp_path, clock, SpaceLocation(space, page="welcome")) as desk:
        clock.advance(seconds=1)
        change_space(platform, space, handbook()[1:])
        await desk.wait(10)
        assert desk.shows(WORDS) and desk.shows(DELETED_BY_OTHERS)
        for key in ("E", "c", "D"):
            await desk.press(key)
            assert desk.shows("others have deleted the page"), key
        await desk.press("r")
        assert desk.shows(WORDS) and desk.shows(DELETED_BY_OTHERS)
        await desk.press("h")
        assert not desk.shows(WORDS) and not desk.shows(DELETED_BY_OTHERS)


async def test_a_page_of_another_is_there_when_one_goes_to_it(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    async with desk_at(platform, tmp_path, clock, SpaceLocation(space, page="welcome", panel="tree")) as desk:
        await desk.press("tab", "tab")
        change_space(platform, space, [*handbook(), ImportedPage("new", "Brand new", slug="new", text="Fresh.\n")])
        await desk.wait(10)
        line = next(line for line in desk.lines() if "Brand new" in line)
        assert NEWS_SIGN in line
        await desk.press("j")
        clock.advance(seconds=3)
        await desk.press("j")
        assert not desk.shows(NEWS_SIGN)


async def test_the_cursor_stays_on_its_page_and_what_is_typed_stays_when_a_page_comes_above(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    async with desk_at(platform, tmp_path, clock, SpaceLocation(space, page="welcome", panel="tree")) as desk:
        view = desk.pilot.app.screen
        assert isinstance(view, SpaceView)
        tree = view.page_tree.target
        assert isinstance(tree, TreeList)
        view.page_tree.take_focus()
        await desk.press("j")
        before = (tree.cursor, tree.cursor_key)
        new = ImportedPage("new", "Brand new", slug="new", text="Fresh.\n")
        change_space(platform, space, [new, *handbook()])
        await desk.wait(10)
        assert (tree.cursor, tree.cursor_key) == (before[0] + 1, before[1])
        await desk.press("k", "E", "enter")  # the subject of a new change request
        await desk.press("ctrl+end", *"Typed")
        change_space(platform, space, handbook_with("Words of today."))
        await desk.wait(10)
        assert desk.shows("Typed")
        assert desk.pilot.app.screen is not view


async def test_a_change_request_of_another_is_counted_on_its_tab_and_marked_until_it_was_seen(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    async with desk_at(platform, tmp_path, clock, SpaceLocation(space, page="welcome")) as desk:
        grace = Speaker(platform, join(platform, own_organization(platform), "Grace Hopper", "admin"))
        await grace.send("POST", f"/spaces/{space}/change-requests", {"subject": "Better words"}, 201)
        await desk.wait(10)
        tabs = next(line for line in desk.lines() if "Change requests" in line)
        assert f"Change requests 1{NEWS_SIGN}" in " ".join(tabs.split())
        await desk.press("2")
        line = next(line for line in desk.lines() if "Better words" in line)
        assert NEWS_SIGN in line
        clock.advance(seconds=3)
        await desk.press("j")
        assert not desk.shows(NEWS_SIGN)
        await desk.press("1")
        assert not [line for line in desk.lines() if "Change requests" in line and NEWS_SIGN in line]


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_a_thread_of_another_is_marked_on_the_tab_and_in_the_diff_until_it_was_seen(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str, size: tuple[int, int]
) -> None:
    request = propose(platform, space, "Better words", handbook_with("Better."))
    grace = Speaker(platform, join(platform, own_organization(platform), "Grace Hopper", "admin"))
    async with desk_at(platform, tmp_path, clock, ChangeRequestLocation(space, request, tab=0), size) as desk:
        path = f"/spaces/{space}/change-requests/{request}/comments"
        await grace.send("POST", path, {"body": {"markdown": "Hm."}, "page": "welcome"})
        await desk.wait(10)
        assert [word for line in desk.lines() for word in line.split() if NEWS_SIGN in word] == [f"1{NEWS_SIGN}"]
        await desk.press("2", *(["enter"] if size[0] < 100 else []))
        line = next(line for line in desk.lines() if "Grace Hopper" in line)
        assert NEWS_SIGN in line
        clock.advance(seconds=3)
        await desk.press("j")
        assert not desk.shows(NEWS_SIGN)


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_a_verdict_of_another_is_marked_on_the_tab_and_in_the_overview_until_it_was_seen(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str, size: tuple[int, int]
) -> None:
    request = propose(platform, space, "Better words", handbook_with("Better."))
    path = f"/spaces/{space}/change-requests/{request}"
    grace = Speaker(platform, join(platform, own_organization(platform), "Grace Hopper", "admin"))
    reviewer = {"users": [(await grace.get("/user"))["id"]]}
    await Speaker(platform).send("POST", f"{path}/requested-reviewers", reviewer)
    async with desk_at(platform, tmp_path, clock, ChangeRequestLocation(space, request, tab=1), size) as desk:
        await desk.wait(60)
        assert desk.shows("Grace Hopper review requested")
        await grace.send("POST", f"{path}/comments", {"body": {"markdown": "Hm."}})
        await grace.send("POST", f"{path}/reviews", {"status": "approved"}, 201)
        await desk.wait(10)
        assert desk.shows("Grace Hopper approved")
        marked = [word for line in desk.lines() for word in line.split() if NEWS_SIGN in word]
        assert marked[0] == f"Overview{NEWS_SIGN}"
        await desk.press("1")
        marked = [line for line in desk.lines() if NEWS_SIGN in line]
        assert len(marked) == 2, "the conversation's tab is marked, too"
        assert "Grace Hopper" in marked[1]
        clock.advance(seconds=3)
        await desk.press("j")
        assert [line for line in desk.lines() if NEWS_SIGN in line] == marked[:1]


async def test_what_others_make_in_an_organization_is_marked_in_its_tree_and_lists(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    organization = own_organization(platform)
    grace = Speaker(platform, join(platform, organization, "Grace Hopper", "admin"))

    def list_marked(desk: Desk) -> list[str]:
        return [line.split(NEWS_SIGN)[0] for line in desk.lines() if NEWS_SIGN in line]

    at = OrganizationsLocation(item_id("space", space), (item_id("organization", organization),))
    async with desk_at(platform, tmp_path, clock, at, (80, 24)) as desk:
        await desk.wait(1)
        await grace.send("POST", f"/orgs/{organization}/spaces", {"title": "Theirs"}, 201)
        await desk.wait(10)
        assert [("Theirs" in line) for line in list_marked(desk)] == [True]
        clock.advance(seconds=3)
        await desk.press("j")
        assert list_marked(desk) == []
        path = f"/spaces/{space}/change-requests"
        request = await grace.send("POST", path, {"subject": "Better words"}, 201)
        await grace.send("PATCH", f"{path}/{request['id']}", {"status": "open"})
        await desk.wait(75)
        assert ["Change requests" in line for line in list_marked(desk)] == [True]
        desk.pilot.app.screen.arrive(OrganizationsLocation(item_id("teams", organization)))  # type: ignore[attr-defined]
        await desk.press()
        await grace.send("PUT", f"/orgs/{organization}/teams", {"title": "Writers", "members": []}, 201)
        await desk.wait(10)
        assert any("Writers" in line for line in list_marked(desk))


async def test_a_covered_screen_asks_for_nothing_until_it_is_seen_again(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    organization = own_organization(platform)
    grace = Speaker(platform, join(platform, organization, "Grace Hopper", "admin"))
    request = propose(platform, space, "Better words", handbook_with("Better."))
    at = OrganizationsLocation(item_id("space", space), (item_id("organization", organization),))
    async with desk_at(platform, tmp_path, clock, at) as desk:
        desk.pilot.app.post_message(Go(ChangeRequestLocation(space, request)))
        await desk.press()
        asked = desk.hosted.line.asked
        asked.clear()
        await desk.press("M", "y")
        assert desk.shows("merged")
        await grace.send("POST", f"/orgs/{organization}/spaces", {"title": "Theirs"}, 201)
        await desk.wait(30)
        lists = f"/v1/orgs/{organization}/"
        assert not [path for path in asked if path.startswith(lists)]
        await desk.press("backspace", "backspace")
        assert [path.partition("?")[0] for path in asked if path.startswith(lists)] == [
            f"{lists}spaces",
            f"{lists}change-requests",
        ]
        assert desk.shows("Theirs")


async def test_what_came_to_a_covered_screen_is_marked_when_it_is_seen_again(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    request = propose(platform, space, "Better words", handbook_with("Better."))
    grace = Speaker(platform, join(platform, own_organization(platform), "Grace Hopper", "admin"))
    async with desk_at(platform, tmp_path, clock, SpaceLocation(space, page="welcome")) as desk:
        await desk.wait(10)
        desk.pilot.app.post_message(Go(ChangeRequestLocation(space, request)))
        await desk.press()
        asked = desk.hosted.line.asked
        asked.clear()
        await grace.send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}, "page": "welcome"})
        await desk.wait(40)
        assert not [path for path in asked if path.startswith(f"/v1/spaces/{space}/comments")]
        await desk.press("backspace")
        await desk.wait(10)
        tabs = next(line for line in desk.lines() if "Comments" in line)
        assert f"Comments 1{NEWS_SIGN}" in " ".join(tabs.split())


async def test_a_section_by_another_is_marked_in_the_structure_of_a_site_and_what_stays_is_not(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    organization = own_organization(platform)
    ada = Speaker(platform)
    site = await ada.send("POST", f"/orgs/{organization}/sites", {"title": "Site", "spaces": [space]}, 201)
    async with desk_at(platform, tmp_path, clock, SiteLocation(organization, site["id"])) as desk:
        other = await ada.send("POST", f"/orgs/{organization}/spaces", {"title": "Theirs"}, 201)
        await ada.send("POST", f"/orgs/{organization}/sites/{site['id']}/site-spaces", {"spaceId": other["id"]}, 201)
        await desk.wait(10)
        marked = [line for line in desk.lines() if NEWS_SIGN in line]
        assert len(marked) == 1
        assert "Theirs" in marked[0]
        clock.advance(seconds=3)
        await desk.press("j")
        assert not desk.shows(NEWS_SIGN)


async def test_a_diff_changed_under_the_reviewer_says_so_and_r_shows_it(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    request = propose(platform, space, "Better words", handbook_with("Better."))
    async with desk_at(platform, tmp_path, clock, ChangeRequestLocation(space, request, page="welcome")) as desk:
        assert desk.shows("Better.")
        path = f"/spaces/{space}/change-requests/{request}/content"
        change = {"operation": "update_page", "page": "welcome", "document": {"markdown": "Best."}}
        clock.advance(seconds=1)
        await Speaker(platform).send("POST", path, {"changes": [change]})
        await desk.wait(10)
        assert desk.shows("Better.") and not desk.shows("Best.")
        assert desk.shows(CHANGED_BY_OTHERS)
        await desk.press("r")
        assert desk.shows("Best.") and not desk.shows(CHANGED_BY_OTHERS)


async def test_the_title_says_since_when_and_why_it_is_offline(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    async with desk_at(platform, tmp_path, clock, SpaceLocation(space, page="welcome")) as desk:
        desk.hosted.line.is_cut = True
        await desk.wait(10)
        assert desk.shows(f"offline since {clock_time(clock())}: cannot be reached")
        assert desk.shows(WORDS), "what is on the screen stays"
        desk.hosted.line.is_cut = False
        await desk.wait(60)
        assert not desk.shows("offline")
        assert "The platform can be reached again." in desk.messages()


async def test_offline_a_page_is_edited_from_the_copy_at_hand_and_sent_afterwards(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    async with desk_at(platform, tmp_path, clock, SpaceLocation(space, page="welcome")) as desk:
        desk.hosted.line.is_cut = True
        await desk.wait(10)
        await desk.press("E", "enter")  # the subject of a new change request
        await desk.press("ctrl+end", *"Written offline.", "ctrl+s")
        assert any("draft" in message for message in desk.messages())
        desk.hosted.line.is_cut = False
        await desk.wait(60)
        await desk.press("E")
        assert desk.shows("Written offline.")
        await desk.press("ctrl+s")
        request = platform.database.read_now(lambda connection: connection.one("SELECT * FROM change_requests"))
        assert request is not None
        page = await Speaker(platform).get(
            f"/spaces/{space}/change-requests/{request['id']}/content/page/welcome", format="markdown"
        )
        assert "Written offline." in page["markdown"]


async def test_the_header_names_platform_person_and_role(
    platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    async with desk_at(platform, tmp_path, clock, SpaceLocation(space, page="welcome"), (80, 24)) as desk:
        assert desk.lines()[0].endswith("recto.test · Ada Lovelace (admin)")


PLACES = {
    "organizations": (),
    "inbox": ("down",),
    "space": (),
    "space, change requests": ("2",),
    "space, comments": ("3",),
    "space, files": ("4",),
    "space, links": ("5",),
    "space, revisions": ("6",),
    "space, in a change request": (),
    "change request": (),
    "change request, changes": ("2",),
    "change request, conversation": ("3",),
    "change request, preview": ("4",),
    "thread": ("3", "enter"),
    "site": (),
}


@pytest.mark.parametrize("place", PLACES)
async def test_each_screen_keeps_to_the_budget(
    place: str, platform: Platform, tmp_path: Path, clock: FrozenClock, space: str
) -> None:
    organization = own_organization(platform)
    speaker = Speaker(platform)
    await speaker.send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}})
    request = propose(platform, space, "Better words", handbook_with("Better."))
    site = await speaker.send("POST", f"/orgs/{organization}/sites", {"title": "Site", "spaces": [space]}, 201)
    locations: dict[str, Location] = {
        "organizations": OrganizationsLocation(),
        "inbox": OrganizationsLocation(),
        "space, in a change request": SpaceLocation(space, change_request=request, page="welcome"),
        "site": SiteLocation(organization, site["id"]),
    }
    at: Location = SpaceLocation(space, page="welcome")
    if place.startswith("change request"):
        at = ChangeRequestLocation(space, request)
    async with desk_at(platform, tmp_path, clock, locations.get(place, at)) as desk:
        await desk.press(*PLACES[place])
        clock.advance(seconds=60)
        asked = await desk.wait(300)
        busiest = max((sum(0 <= other - one < 60 for other in asked) for one in asked), default=0)
        print(f"{place}: {len(asked) / 5:.1f} a minute, {busiest} in the busiest")
        assert len(asked) > 20
        assert busiest <= MOST_REQUESTS
