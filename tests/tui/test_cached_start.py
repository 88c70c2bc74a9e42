"""A start on a hosted platform shows what was read before, says how old it is, and lets nothing be changed on it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from recto.server.platform import Platform
from recto.store.locations import ChosenRequest, Locations, SpaceLocation
from recto.tui.actions import CUT_OFF, NOT_REFRESHED, REFRESHING
from recto.tui.app import RectoApp
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.page_editor import PageEditor
from recto.tui.look.times import clock_time
from recto.tui.widgets.text_pad import TextPad
from support.content import change_space, make_space, propose
from support.hosted import Hosted
from support.platform import BASE_URL, FrozenClock
from support.screens import all_messages, settled, shows, until_shown
from support.spaces import handbook

pytestmark = pytest.mark.slow  # the program starts again and again

WORDS = "This paragraph is here to be commented on."


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, handbook())


@pytest.fixture
async def hosted(platform: Platform, tmp_path: Path, space: str, clock: FrozenClock) -> Hosted:
    """A platform on which the welcome page was read two hours ago."""
    hosted = Hosted(platform, tmp_path)
    async with program(hosted, space) as pilot:
        await settled(pilot)
        assert shows(pilot.app, WORDS)
        assert not shows(pilot.app, "as of")
    clock.advance(hours=2)
    hosted.line.asked.clear()
    return hosted


@asynccontextmanager
async def program(hosted: Hosted, space: str, change_request: str | None = None) -> AsyncIterator[Pilot[None]]:
    store = hosted.store()

    async def open_store() -> object:
        return store

    location = SpaceLocation(space, page="welcome", change_request=change_request)
    app = RectoApp(open_store, opening=location)  # type: ignore[arg-type]
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        yield pilot
        hosted.line.gate.set()
    await store.aclose()


async def test_the_page_is_there_before_the_platform_answers(hosted: Hosted, space: str, platform: Platform) -> None:
    first, *rest = handbook()
    change_space(platform, space, [replace(first, text="Words of today.\n"), *rest])
    hosted.line.gate.clear()
    async with program(hosted, space) as pilot:
        await until_shown(pilot, WORDS)
        await until_shown(pilot, "as of 2 h ago, refreshing")
        assert shows(pilot.app, "The guide")
        hosted.line.gate.set()
        await settled(pilot)
        assert shows(pilot.app, "Words of today.")
        assert not shows(pilot.app, "as of")


async def test_nothing_can_be_changed_on_what_may_be_old(hosted: Hosted, space: str) -> None:
    hosted.line.gate.clear()
    async with program(hosted, space) as pilot:
        await until_shown(pilot, WORDS)
        await pilot.press("e")
        await pilot.pause()
        assert any(REFRESHING in each for each in all_messages(pilot.app))
        assert not isinstance(pilot.app.screen, Dialog)
        hosted.line.gate.set()
        await settled(pilot)
        assert isinstance(pilot.app.screen, Dialog), "it acts on what is refreshed, without another key"


async def test_where_the_platform_cannot_be_reached_one_reads_on_and_the_header_says_so(
    hosted: Hosted, space: str
) -> None:
    hosted.line.is_cut = True
    async with program(hosted, space) as pilot:
        await settled(pilot)
        assert shows(pilot.app, WORDS)
        assert shows(pilot.app, "as of 2 h ago")
        assert not shows(pilot.app, "refreshing")
        assert shows(pilot.app, f"offline since {clock_time(hosted.platform.clock())}: cannot be reached")
        await pilot.press("f2")
        await settled(pilot)
        assert any(CUT_OFF in each for each in all_messages(pilot.app))
        assert not isinstance(pilot.app.screen, Dialog)
        await pilot.press("E", "enter")  # the subject of a new change request
        await settled(pilot)
        assert isinstance(pilot.app.screen, PageEditor)
        assert pilot.app.screen.query_one(TextPad).text.startswith("# Welcome")


async def read_better_words(hosted: Hosted, space: str, platform: Platform) -> str:
    """Choose a change request in which “Welcome” was read, and return its id."""
    first, *rest = handbook()
    request = propose(platform, space, "Better words", [replace(first, text="Better words.\n"), *rest])
    async with program(hosted, space, request) as pilot:
        await settled(pilot)
        assert shows(pilot.app, "Better words.")
    locations = Locations(hosted.folder / "places.json")
    locations.choose(BASE_URL, space, ChosenRequest(request, at_main=True))
    locations.flush()
    return request


async def test_where_the_platform_cannot_be_reached_a_page_is_edited_in_the_change_request_chosen(
    hosted: Hosted, space: str, platform: Platform
) -> None:
    await read_better_words(hosted, space, platform)
    hosted.line.is_cut = True
    async with program(hosted, space) as pilot:
        await settled(pilot)
        assert shows(pilot.app, WORDS)
        await pilot.press("E")
        await settled(pilot)
        assert any("Edits go to #1 “Better words”" in each for each in all_messages(pilot.app))
        assert isinstance(pilot.app.screen, PageEditor)
        assert pilot.app.screen.query_one(TextPad).text == "# Welcome\n\nBetter words.\n"


@pytest.mark.parametrize(("status", "reason"), [(502, "error 502"), (None, "a web page answered")])
async def test_where_something_else_answers_for_the_platform_one_reads_on_as_offline(
    hosted: Hosted, space: str, status: int | None, reason: str
) -> None:
    hosted.line.has_portal = status is None
    hosted.line.refusals = {"": status} if status is not None else {}
    async with program(hosted, space) as pilot:
        await settled(pilot)
        assert shows(pilot.app, WORDS) and shows(pilot.app, "The guide")
        assert shows(pilot.app, "as of 2 h ago") and not shows(pilot.app, "refreshing")
        assert shows(pilot.app, f"offline since {clock_time(hosted.platform.clock())}: {reason}")
        await pilot.press("f2")
        await settled(pilot)
        assert any(CUT_OFF in each for each in all_messages(pilot.app))


async def test_where_the_platform_fails_to_give_the_pages_one_reads_on_and_it_says_so(
    hosted: Hosted, space: str
) -> None:
    hosted.line.refusals["/content/"] = 500
    async with program(hosted, space) as pilot:
        await settled(pilot)
        assert shows(pilot.app, WORDS) and shows(pilot.app, "The guide")
        assert shows(pilot.app, "as of 2 h ago") and not shows(pilot.app, "refreshing")
        assert shows(pilot.app, "not refreshed") and not shows(pilot.app, "offline")
        await pilot.press("f2")
        await settled(pilot)
        assert any(NOT_REFRESHED in each for each in all_messages(pilot.app))


async def test_an_empty_cached_list_is_not_shown_as_missing(hosted: Hosted, space: str) -> None:
    async with program(hosted, space) as pilot:
        await settled(pilot)
        await pilot.press("2")
        await settled(pilot)
        assert shows(pilot.app, "No change requests yet.")
    hosted.line.is_cut = True
    async with program(hosted, space) as pilot:
        await settled(pilot)
        for tab, words in (("2", "No change requests yet."), ("3", "No comments yet.")):
            await pilot.press(tab)
            await settled(pilot)
            assert shows(pilot.app, words)
            assert shows(pilot.app, "not refreshed")
            assert not shows(pilot.app, "Could not load")


async def test_who_is_not_let_in_any_more_sees_nothing_and_the_program_ends(hosted: Hosted, space: str) -> None:
    hosted.line.refusals[""] = 401
    async with program(hosted, space) as pilot:
        await settled(pilot)
        app = pilot.app
        assert isinstance(app, RectoApp)
        assert "RECTO_TOKEN" in app.last_words
        assert app.return_code == 1
    assert hosted.cache().is_empty()


async def test_a_token_that_is_revoked_meanwhile_is_named_until_it_is_accepted_again(
    hosted: Hosted, space: str
) -> None:
    async with program(hosted, space) as pilot:
        await settled(pilot)
        since = f"token not valid since {clock_time(hosted.platform.clock())}"
        assert shows(pilot.app, WORDS) and not shows(pilot.app, since)
        hosted.line.refusals[""] = 401
        await pilot.press("r")
        await settled(pilot)
        assert shows(pilot.app, WORDS) and shows(pilot.app, since)
        hosted.line.refusals.clear()
        await pilot.press("r")
        await settled(pilot)
        assert not shows(pilot.app, since) and not shows(pilot.app, "not refreshed")
