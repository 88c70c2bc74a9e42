"""The program begins where it was left, and keys pressed meanwhile act on the view that comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from recto.client.sender import Sender
from recto.contract.operation import Route
from recto.contract.organizations import Organizations
from recto.contract.spaces import Spaces
from recto.server.platform import Platform
from recto.settings import Settings
from recto.store.locations import Location, OrganizationsLocation, SpaceLocation
from recto.store.store import Store
from recto.tui import starting
from recto.tui.app import RectoApp
from recto.tui.dialogs.help import Help
from recto.tui.look.themes import LATER, style_sheets
from recto.tui.screens.opening_screen import Opening
from recto.tui.screens.space.space_view import SpaceView
from support.guide_workspace import guided_store, open_guided
from support.screens import screen_text, settled, shows

pytestmark = pytest.mark.usefixtures("each_step_painted")

WORDS = "What Recto is, and what this guide is for."
OPENING = "Opening your documentation"


_LEFT: dict[tuple[str, ...], tuple[str, dict[str, bytes]]] = {}
"""By the keys pressed before leaving, what was seen and what was kept; a workspace with the guide is always alike."""


class Recorded(RectoApp):
    """The program, which writes down each frame that it paints."""

    frames: list[str]
    drawn = 0
    """How often a frame was drawn, whether it was painted or not."""

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        super()._display(screen, renderable)
        self.drawn += renderable is not None and screen is self.screen
        if renderable is not None and screen is self.screen and not self._batch_count:
            self.frames.append("\n".join(screen_text(self)))


class NotLetIn(Exception):
    """A refusal after which trying again would not help."""

    exit_code = 1


class Desk:
    """A workspace with the guide, at which the program is started time and again."""

    def __init__(self, folder: Path, platform: Platform) -> None:
        self.folder = folder
        self._platform = platform
        self.gate = asyncio.Event()
        """Opens the workspace."""
        self.gate.set()
        self.refusal: Exception | None = None

    def program(self, settings: Settings | None = None, opening: Location | None = None) -> Recorded:
        store = guided_store(self._platform, self.folder)

        async def open_store() -> Store:
            await self.gate.wait()
            if self.refusal is not None:
                raise self.refusal
            return store

        app = Recorded(open_store, settings, opening)
        app.frames = []
        return app

    async def leave_at_welcome(self, *keys: str) -> str:
        """Go to the page “Welcome”, press keys there, and leave; gives what was seen then."""
        if keys not in _LEFT:
            seen = await self._leave_at_welcome(*keys)
            _LEFT[keys] = seen, {file.name: file.read_bytes() for file in self.folder.glob("*.json")}
        seen, files = _LEFT[keys]
        for name, data in files.items():
            (self.folder / name).write_bytes(data)
        return seen

    async def _leave_at_welcome(self, *keys: str) -> str:
        store = guided_store(self._platform, self.folder)
        (space,) = (one for one in await all_spaces(store) if one.title == "Guide")
        app = self.program(opening=SpaceLocation(space.id))
        async with app.run_test(size=(100, 32)) as pilot:
            await settled(pilot)
            await pilot.press(*keys)
            await settled(pilot)
            seen = "\n".join(screen_text(app))
            await pilot.press("ctrl+q")
            await pilot.pause()
        return seen


async def all_spaces(store: Store) -> list[Any]:
    organizations = await store.call(Organizations.list_organizations)
    found = [await store.call(Spaces.list_spaces, one.id) for one in organizations.items]
    return [space for one in found for space in one.items]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    platform = open_guided(tmp_path)
    yield Desk(tmp_path, platform)
    platform.close()


@asynccontextmanager
async def coming_back(
    desk: Desk, settings: Settings | None = None, *, size: tuple[int, int] = (100, 32)
) -> AsyncIterator[tuple[Recorded, Pilot[None]]]:
    """Start the program again, before its workspace is open; opening the gate opens it."""
    desk.gate.clear()
    app = desk.program(settings)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        yield app, pilot
        desk.gate.set()
        await settled(pilot)


async def test_the_page_that_was_left_is_painted_at_once_and_whole(desk: Desk) -> None:
    seen = (await desk.leave_at_welcome()).splitlines()
    async with coming_back(desk) as (app, pilot):
        assert OPENING in app.frames[0]
        desk.gate.set()
        await settled(pilot)

        assert screen_text(app) == seen
        assert not any(app.stylesheet.has_source(str(sheet)) for sheet in style_sheets(LATER))
        # No frame without the page came between, and none was drawn in vain.
        assert all(WORDS in frame or OPENING in frame for frame in app.frames)
        assert app.drawn == len(app.frames)


@pytest.mark.parametrize(("keys", "part", "size"), [("/", "FindLine", (96, 1)), ("7", ".label", (24, 1))])
async def test_fields_look_as_elsewhere_in_the_view_that_is_first(
    desk: Desk, keys: str, part: str, size: tuple[int, int]
) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk) as (app, pilot):
        desk.gate.set()
        await settled(pilot)
        await pilot.press(*keys)
        await settled(pilot)

        assert app.screen.query(part).first().outer_size == size


async def test_it_goes_on_at_the_place_in_the_page(desk: Desk) -> None:
    seen = await desk.leave_at_welcome("tab", *"jjjjj", "ctrl+d", "t")
    async with coming_back(desk) as (app, pilot):
        desk.gate.set()
        await settled(pilot)

        assert "\n".join(screen_text(app)) == seen


async def test_keys_pressed_early_act_in_their_order_when_the_view_is_there(desk: Desk) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk) as (app, pilot):
        await pilot.press("f", *"first steps")
        assert shows(app, OPENING)
        desk.gate.set()
        await pilot.press("enter", "tab")
        await settled(pilot)

        assert not isinstance(app.screen, Opening)
        assert app.view is not None
        assert app.view.location.title == "First steps"
        assert WORDS not in app.frames[-1]


async def test_what_can_wait_is_asked_for_when_keys_pressed_early_have_acted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[str] = []
    ask, outline = Sender.ask, SpaceView.action_space_outline

    async def asked(sender: Sender, route: Route, arguments: Mapping[str, Any]) -> bytes:
        log.append(route.name)
        return await ask(sender, route, arguments)

    async def show_outline(view: SpaceView) -> None:
        log.append("outline")
        await outline(view)

    await desk.leave_at_welcome()
    monkeypatch.setattr(Sender, "ask", asked)
    monkeypatch.setattr(SpaceView, "action_space_outline", show_outline)
    async with coming_back(desk) as (_, pilot):
        await pilot.press("t")
        desk.gate.set()
        await settled(pilot)

    acted = log.index("outline")
    assert log.index("get_page") < acted
    assert acted < min(log.index(name) for name in ("list_comments", "list_change_requests", "list_links"))


async def test_a_view_that_keys_pressed_early_leave_again_asks_for_nothing_more(desk: Desk) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk) as (app, pilot):
        await pilot.press("backspace")
        desk.gate.set()
        await settled(pilot)

        assert app.view is not None
        assert isinstance(app.view.location, OrganizationsLocation)
        assert app._store is not None
        assert all(query.key.operation.name != "list_comments" for query in app._store._queries.values())


async def test_leaving_need_not_wait_for_anything(desk: Desk) -> None:
    await desk.leave_at_welcome()
    for keys in (["ctrl+q"], ["f", "ctrl+q"], ["q", "ctrl+q"]):
        async with coming_back(desk) as (app, pilot):
            await pilot.press(*keys)
            assert app._exit


async def test_a_letter_typed_early_into_what_an_earlier_key_opens_is_a_letter(desk: Desk) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk) as (app, pilot):
        await pilot.press("f", "q", "escape", "question_mark")
        assert not app._exit
        assert shows(app, OPENING)
        desk.gate.set()
        await settled(pilot)

        assert isinstance(app.screen, Help)


async def test_keys_wait_for_a_view_that_does_not_come_for_a_few_seconds_only(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.leave_at_welcome()
    monkeypatch.setattr(starting, "_LONGEST", 0.01)
    async with coming_back(desk) as (app, pilot):
        await pilot.press("q")
        while not app._exit:
            await pilot.pause(0.01)


async def test_a_start_without_a_reachable_platform_is_reported(desk: Desk) -> None:
    await desk.leave_at_welcome()
    desk.refusal = OSError("no answer came")
    async with coming_back(desk) as (app, pilot):
        await pilot.press("D")
        desk.gate.set()
        await settled(pilot)
        assert shows(app, "no answer came")
        assert not shows(app, WORDS)
        # A key that was meant for the page is not for another try.
        desk.refusal = None
        await pilot.press("r")
        await settled(pilot)

        assert shows(app, WORDS)
        assert len(app.screen_stack) == 2


async def test_a_place_that_is_gone_meanwhile_says_so(desk: Desk) -> None:
    await desk.leave_at_welcome()
    store = guided_store(desk._platform, desk.folder)
    (space,) = (one for one in await all_spaces(store) if one.title == "Guide")
    await store.call(Spaces.delete_space, space.id)
    async with coming_back(desk) as (app, pilot):
        desk.gate.set()
        await settled(pilot)

        assert shows(app, "Could not load")
        assert not shows(app, WORDS)


async def test_the_terminal_may_change_its_size_meanwhile(desk: Desk) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk) as (app, pilot):
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert shows(app, OPENING)
        assert len(screen_text(app)) == 24
        desk.gate.set()
        await settled(pilot)

        assert shows(app, WORDS)


async def test_where_a_place_is_asked_for_it_begins_there(desk: Desk) -> None:
    await desk.leave_at_welcome()
    desk.gate.clear()
    app = desk.program(opening=OrganizationsLocation())
    async with app.run_test() as pilot:
        await pilot.pause()
        assert shows(app, OPENING)
        desk.gate.set()
        await settled(pilot)
