"""Every key of the registry in every place: each acts or says why not, by the action's own reason; none is silent."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum, auto
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
from recto.tui.widgets.line_field import FindLine
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
LAST = (
    *("C", "b", "i", "t", "escape", "enter", "h", "left", "l", "right", "tab", "shift+tab"),
    *("1", "2", "3", "4", "5", "6", "7", "8", "9", "minus", "underscore", "plus", "backspace", "q"),
)
"""Keys that lead to another panel, tab or view: they come last, so that the others are pressed at the place itself."""
OPENING = actions.OPENING | {"content.pdf", "space.export", "space.git_export", "space.git_import", "space.template"}
"""Actions of which it is expected that they open a dialog."""
NEXT = "f12"
"""A key without an action, which says on which screen it was pressed."""


class How(Enum):
    """How a key is pressed; at first by what the screen says of it, which only saves presses of the other kinds."""

    AS_OFFERED = auto()
    ALONE = auto()
    WITH_NEXT = auto()
    """With :data:`NEXT` in one go."""


class Counting:
    """An application that counts requests."""

    def __init__(self, application: ASGIApp) -> None:
        self.count = 0
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.count += 1
        await self._application(scope, receive, send)


class Place:
    """The program at a place."""

    def __init__(self, pilot: Pilot[None], counting: Counting, done: list[str]) -> None:
        self.pilot, self._counting, self._done = pilot, counting, done
        self._way: list[tuple[object, tuple[str, ...]]] = []
        """What was pressed on the way to the place, and where."""
        self._explained: list[object] = []
        """The screens on which :data:`NEXT` was pressed."""
        explain = self.app._explain_key

        def note(key: str) -> None:
            if key == NEXT:
                self._explained.append(self.app.screen)
            explain(key)

        self.app._explain_key = note

    @property
    def app(self) -> Any:
        return self.pilot.app

    async def press(self, *keys: str) -> None:
        press_at_once(self.app, *keys)
        await settled(self.pilot)

    async def go(self, keys: tuple[str, ...]) -> None:
        """Go the way to the place."""
        for step in steps_of(keys):
            self._way.append((self._where, step))
            await self.press(*step)
        self._start, self._height = self._where, len(self.app.screen_stack)
        self._shown = screen_text(self.app)

    async def come_back(self) -> bool:
        """Close what a key has opened, or open again what it has closed; return whether that led to the place."""
        is_above = isinstance(self.app.screen, Dialog) and len(self.app.screen_stack) > self._height
        if is_above or isinstance(self.app.focused, FindLine):
            await self.press("escape")
        if self._where == self._start:
            return True
        at = next((at for at, (where, _) in reversed([*enumerate(self._way)]) if where == self._where), len(self._way))
        for _, step in self._way[at:]:
            await self.press(*step)
        return self._where == self._start and screen_text(self.app) == self._shown

    @property
    def _where(self) -> object:
        return self.app.view.here.subject, type(self.app.screen), len(self.app.screen_stack)

    async def find_fault(self, key: str, how: How) -> str | How:
        """Press a key; return what is wrong with it, or how it has still to be pressed; an empty text for neither."""
        below, effects = self.app.screen, self._effects
        self._explained = []
        offered = self._offered(key) if how is How.AS_OFFERED else how
        text = screen_text(self.app) if offered is How.ALONE and not is_moving(key) else None
        if offered is How.WITH_NEXT:
            await self.press(key, NEXT)
        else:
            await self.press(key)
        assert self.app._exception is None, key
        opens = isinstance(self.app.screen, Dialog) and self.app.screen is not below
        if offered is How.WITH_NEXT:
            if opens and below in self._explained:
                return f"{key}: keys pressed before {self.app.screen} is there act below it"
            return "" if opens or how is How.WITH_NEXT else How.ALONE
        reason = self._reason
        if self.app._exit:
            return ""
        if self._effects == effects and not is_moving(key) and not self._is_own(reason, key):
            if reason:
                return f"{key}: {reason}"
            if text is None:
                return How.ALONE
            if screen_text(self.app) == text:
                return f"{key}: nothing"
        return How.WITH_NEXT if opens else ""

    def _offered(self, key: str) -> How:
        """Return how to press a key by what the screen offers: with the next if it opens something."""
        focus = self.app.focused
        if focus is not None and focus.check_consume_key(key, key if len(key) == 1 else None):
            return How.ALONE
        bound = self.app.screen.active_bindings.get(key)
        action = actions.find(bound.binding.id) if bound is not None else None
        if action is None or actions.why_not(bound.node, action) is not None:
            return How.AS_OFFERED
        return How.WITH_NEXT if action.name in OPENING else How.ALONE

    def _is_own(self, reason: str, key: str) -> bool:
        """Whether a reason names an action of the key, or the key before several, or the help for one without."""
        means = [action for action in actions.all_actions() if key in action.keys]
        label = actions.key_label(key)
        if len(means) > 1 and reason.startswith((f"{label}: ", f"{label} does nothing here; ")):
            return True
        around = (self.app.focused or self.app.screen).ancestors_with_self
        titles = {actions.reword_for(node, action).title.lower() for node in around for action in means}
        return any(title in reason.lower() for title in titles or ["shows the keys that work here"])

    @property
    def _effects(self) -> tuple[object, ...]:
        """What a person can notice of a key beside the text of the screen, which takes longest to read."""
        told = len(self.app._notifications) + len(self._done)
        return self.app.focused, len(self.app.screen_stack), told, self._counting.count

    @property
    def _reason(self) -> str:
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
        await place.go(keys)
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
    return [*sorted(named - LEAVES - {*LAST}), *UNBOUND, *LAST]


def is_moving(key: str) -> bool:
    """Whether a key may only move, which at an edge is exempt."""
    return any(
        key in action.keys and (action.group == actions.MOVING or STEPS.search(action.name))
        for action in actions.all_actions()
        if action.name != "list.open"
    )


async def faults(folder: Path, name: str, size: tuple[int, int] = (80, 24)) -> list[str]:
    """Press each key at a place; tell those of which nothing could be noticed, or whose dialog takes no keys yet."""
    platform = open_guided(folder)
    found = []
    ahead = deque((key, How.AS_OFFERED) for key in keys_to_press())
    try:
        while ahead:
            async with at(platform, folder, name, size) as place:
                is_there = True
                while ahead and is_there:
                    key, how = ahead.popleft()
                    fault = await place.find_fault(key, how)
                    if isinstance(fault, How):
                        ahead.appendleft((key, fault))
                    elif fault:
                        found.append(fault)
                    is_there = not place.app._exit and await place.come_back()
    finally:
        platform.close()
    return found


@pytest.mark.parametrize("name", with_slow(WIDE, ["page"]))
async def test_no_key_is_silent(tmp_path: Path, name: str) -> None:
    assert await faults(tmp_path, name, (120, 40)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PLACES if name != "page"])
async def test_no_key_is_silent_anywhere(tmp_path: Path, name: str) -> None:
    assert await faults(tmp_path, name) == []
