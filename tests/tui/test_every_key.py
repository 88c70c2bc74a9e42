"""Every key of the registry in every place: each acts or says why not, by the action's own reason; none is silent."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send
from textual.pilot import Pilot

from recto.server.platform import Platform
from recto.store.locations import Location, SpaceLocation
from recto.store.store import Store
from recto.tui import actions
from recto.tui.app import RectoApp
from recto.tui.dialogs.dialog import Dialog
from recto.tui.navigation import views
from recto.tui.widgets.bars import StatusBar
from support.guide_workspace import guided_store, last_row, open_guided
from support.screens import press_at_once, screen_text, settled, steps_of
from support.slow import with_slow
from support.walk import openings

# Work that is given up before it has begun is a coroutine that nothing waits for.
pytestmark = pytest.mark.filterwarnings("ignore:.*was never awaited", "ignore::pytest.PytestUnraisableExceptionWarning")

ORGANIZATIONS, SITE, SPACE = "OrganizationsView", "SiteView", "SpaceView"
REQUEST, REVISION = "ChangeRequestView", "a past revision"

PLACES: dict[str, tuple[str, tuple[str, ...]]] = {
    "organizations": (ORGANIZATIONS, ()),
    "inbox": (ORGANIZATIONS, (*last_row("Change requests"), "enter")),
    "members": (ORGANIZATIONS, (*last_row("Members"), "enter")),
    "teams": (ORGANIZATIONS, (*last_row("Teams"), "enter")),
    "a member": (ORGANIZATIONS, (*last_row("Members"), "enter", "enter")),
    "invites": (ORGANIZATIONS, (*last_row("Invites"), "enter")),
    "sign-on": (ORGANIZATIONS, (*last_row("Sign-on"), "enter")),
    "new provider": (ORGANIZATIONS, (*last_row("Sign-on"), "enter", "a")),
    "organization settings": (ORGANIZATIONS, (*last_row("Settings"), "enter")),
    "merge rules": (ORGANIZATIONS, (*last_row("Settings"), "enter", *"jjjjjjjj", "enter")),
    "site": (SITE, ("j",)),
    "site lifting": (SITE, ("j", "j", "m")),
    "site settings": (SITE, ("2",)),
    "share links": (SITE, ("3",)),
    "audience": (SITE, ("4",)),
    "redirects": (SITE, ("5",)),
    "publication": (SITE, ("6",)),
    "sites": (ORGANIZATIONS, (*last_row("Sites"), "enter")),
    "overview": (REQUEST, ("1",)),
    "changes": (REQUEST, ("2",)),
    "changed pages": (REQUEST, ("2", "h")),
    "conversation": (REQUEST, ("3",)),
    "preview": (REQUEST, ("4",)),
    "page tree": (SPACE, ()),
    "page": (SPACE, ("enter",)),
    "outline": (SPACE, ("enter", "t")),
    "links of a page": (SPACE, ("enter", "b")),
    "facts": (SPACE, ("enter", "i")),
    "comments of a page": (SPACE, ("enter", "C")),
    "change requests": (SPACE, ("2",)),
    "comments": (SPACE, ("3",)),
    "files": (SPACE, ("4",)),
    "links": (SPACE, ("5",)),
    "revisions": (SPACE, ("6",)),
    "space settings": (SPACE, ("7",)),
    "pages then": (REVISION, ()),
    "page then": (REVISION, ("enter",)),
    "difference": (REVISION, ("enter", "2")),
    "help": (SPACE, ("question_mark",)),
    "palette": (SPACE, ("colon",)),
    "jump": (SPACE, ("f",)),
    "search": (SPACE, ("s",)),
    "thread": (SPACE, ("3", "enter")),
    "settings": (ORGANIZATIONS, ("f9",)),
    "console": (SPACE, ("exclamation_mark",)),
    "call": (SPACE, ("exclamation_mark", "enter")),
    "answer": (SPACE, ("exclamation_mark", "enter", "ctrl+s")),
    "a line": (SPACE, ("f2",)),
    "review": (REQUEST, ("S",)),
}
"""The places by name: the screen, and the keys that lead there."""

WIDE = ("palette", "page")
"""The places where keys are pressed on a wider screen."""
UNBOUND = ("f12", "ctrl+g", "ampersand")
STEPS = re.compile(r"(next|previous)_(hunk|thread|page|heading|link)|^conflict\.(next|previous)|^dialog\.(down|up)")
"""Actions that step through something."""
LEAVES = frozenset({"ctrl+q"})
NEXT = "f12"
"""A key without an action, which says on which screen it was pressed."""


class Counting:
    """An application that counts requests."""

    def __init__(self, application: ASGIApp) -> None:
        self.count = 0
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.count += 1
        await self._application(scope, receive, send)


class Place:
    """The program at a place, started again when a key has led elsewhere."""

    def __init__(self, pilot: Pilot[None], counting: Counting, done: list[str]) -> None:
        self.pilot, self._counting, self._done = pilot, counting, done
        self.explained: list[object] = []
        """The screens on which :data:`NEXT` was pressed."""
        explain = self.app._explain_key

        def note(key: str) -> None:
            if key == NEXT:
                self.explained.append(self.app.screen)
            explain(key)

        self.app._explain_key = note

    async def opens_unheld(self, key: str) -> bool:
        """Press a key that opens a dialog and another in one go; return whether that acted below the dialog."""
        below, self.explained = self.app.screen, []
        press_at_once(self.app, key, NEXT)
        await settled(self.pilot)
        return below in self.explained and self.app.screen is not below

    @property
    def app(self) -> Any:
        return self.pilot.app

    async def press(self, *keys: str) -> None:
        press_at_once(self.app, *keys)
        await settled(self.pilot)

    @property
    def effects(self) -> tuple[object, ...]:
        """What a person can notice of a key beside the text of the screen, which takes longest to read."""
        told = len(self.app._notifications) + len(self._done)
        return self.app.focused, len(self.app.screen_stack), told, self._counting.count

    @property
    def reason(self) -> str:
        bar = next(iter(self.app.screen.query(StatusBar)), None)
        if bar is None:
            return ""
        if bar.reason:
            drawn = [bar.render_line(y).text for y in range(bar.size.height)]
            assert "".join("".join(drawn).split()) == "".join(bar.reason.split()), "it is read whole"
        return str(bar.reason)


@asynccontextmanager
async def at(platform: Platform, folder: Path, name: str, size: tuple[int, int]) -> AsyncIterator[Place]:
    screen, keys = PLACES[name]
    counting = Counting(platform.application)
    done: list[str] = []

    async def open_store() -> Store:
        return guided_store(platform, folder, counting)

    def edit(file: Path, *_line: int) -> None:
        done.append("edited")

    app = RectoApp(open_store, opening=location_of(platform, screen), editor=edit)
    app.open_url = lambda url, *, new_tab=True: done.append(url)  # type: ignore[method-assign]
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        place = Place(pilot, counting, done)
        for step in steps_of(keys):
            await place.press(*step)
        yield place


def location_of(platform: Platform, screen: str) -> Location:
    """Return a location of a screen, that of the first space for its own."""

    def name(location: Location) -> str:
        past = isinstance(location, SpaceLocation) and location.revision is not None
        return REVISION if past else views.view_class(location).__name__

    return next(each for each in openings(platform) if name(each) == screen)


def keys_to_press() -> list[str]:
    views.import_views()
    named = {key for action in actions.all_actions() for key in action.keys}
    return sorted(named - LEAVES) + list(UNBOUND)


def is_moving(key: str) -> bool:
    """Whether a key may only move, which at an edge is exempt."""
    return any(
        key in action.keys and (action.group == actions.MOVING or STEPS.search(action.name))
        for action in actions.all_actions()
        if action.name != "list.open"
    )


def is_own_reason(key: str, reason: str) -> bool:
    """Whether a reason names an action of the key, or for a key that has none the help."""
    titles = [action.title.lower() for action in actions.all_actions() if key in action.keys]
    return any(title in reason.lower() for title in titles or ["?"])


async def silent_keys(folder: Path, name: str, size: tuple[int, int] = (80, 24)) -> list[str]:
    """Press each key at a place; return those of which nothing could be noticed, or whose dialog takes no keys yet."""
    platform = open_guided(folder)
    silent = []
    ahead = keys_to_press()
    again = ""
    """The key pressed last, if it opened a dialog: it is pressed once more."""
    try:
        while ahead:
            async with at(platform, folder, name, size) as place:
                start = (place.app.view.here.subject, type(place.app.screen), len(place.app.screen_stack))
                text: list[str] | None = None
                while ahead:
                    key, below = ahead.pop(0), place.app.screen
                    effects = place.effects
                    if text is None and not is_moving(key):
                        text = screen_text(place.app)
                    if again:
                        again = ""
                        if await place.opens_unheld(key):
                            silent.append(f"{key}: keys pressed before {place.app.screen} is there act below it")
                    else:
                        await place.press(key)
                        if isinstance(place.app.screen, Dialog) and place.app.screen is not below:
                            again = key
                            ahead.insert(0, key)
                    assert place.app._exception is None, key
                    reason = place.reason
                    if place.app._exit:
                        break
                    before, text = text, None
                    if place.effects == effects and not is_moving(key) and not is_own_reason(key, reason):
                        text = screen_text(place.app)
                        if text == before:
                            silent.append(f"{key}: {reason}")
                    if isinstance(place.app.screen, Dialog) and not issubclass(start[1], Dialog):
                        await place.press("escape")
                        text = None
                    if (place.app.view.here.subject, type(place.app.screen), len(place.app.screen_stack)) != start:
                        break
    finally:
        platform.close()
    return silent


@pytest.mark.parametrize("name", with_slow(WIDE, ["page"]))
async def test_no_key_is_silent(tmp_path: Path, name: str) -> None:
    assert await silent_keys(tmp_path, name, (120, 40)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PLACES if name != "page"])
async def test_no_key_is_silent_anywhere(tmp_path: Path, name: str) -> None:
    assert await silent_keys(tmp_path, name) == []
