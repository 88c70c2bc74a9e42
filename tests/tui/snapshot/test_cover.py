"""The program begins with what one saw last, and what is typed meanwhile acts on the view that comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Size
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
from recto.tui.app import RectoApp
from recto.tui.dialogs.help import Help
from recto.tui.screens.opening import Opening
from recto.tui.screens.space.view import SpaceView
from recto.tui.screens.view import View
from recto.tui.snapshot import cover, saver
from recto.tui.snapshot.files import Snapshots
from recto.tui.snapshot.strips import fit, snapshot_of, strips_of
from support.guided import guided_store, open_guided
from support.screens import screen_text, settled, shows

pytestmark = pytest.mark.usefixtures("each_step_painted")

WORDS = "What Recto is, and what this guide is for."
STANDS = "as you left it"
OPENING = "Opening your documentation"


_LEFT: dict[tuple[str, ...], tuple[str, dict[str, bytes]]] = {}
"""By the keys pressed before leaving, what was seen and what was kept; a workspace with the guide is always alike."""


class Recorded(RectoApp):
    """The program, which writes down each frame that it paints."""

    frames: list[str]

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        super()._display(screen, renderable)
        if renderable is not None and screen is self.screen and not self._batch_count:
            self.frames.append("\n".join(screen_text(self)))


class NotLetIn(Exception):
    """A refusal after which trying again would not help."""

    exit_code = 1


class Desk:
    """A workspace with the guide, at which the program is started time and again."""

    def __init__(self, folder: Path, platform: Platform) -> None:
        self.folder = folder
        self.file = folder / "sight.json"
        self._platform = platform
        self.gate = asyncio.Event()
        """Opens the workspace."""
        self.gate.set()
        self.refusal: Exception | None = None

    def program(self, settings: Settings | None = None, opening: Location | None = None) -> Recorded:
        store = guided_store(self._platform, self.folder)
        assert store.locations is not None

        async def open_store() -> Store:
            await self.gate.wait()
            if self.refusal is not None:
                raise self.refusal
            return store

        app = Recorded(open_store, settings, opening, snapshots=Snapshots(self.file, store.locations, store.address))
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


async def test_the_first_frame_shows_the_page_that_was_left_and_says_so(desk: Desk) -> None:
    seen = (await desk.leave_at_welcome()).splitlines()
    async with coming_back(desk) as (app, pilot):
        first = app.frames[0].splitlines()
        assert WORDS in app.frames[0]
        assert STANDS in first[0]
        assert (first[0][:30], first[1:]) == (seen[0][:30], seen[1:])
        desk.gate.set()
        await settled(pilot)

        assert screen_text(app) == seen
        # Neither an empty frame nor one that says that something is on its way came between.
        assert all(WORDS in frame for frame in app.frames)


async def test_it_goes_on_where_one_was_in_the_page(desk: Desk) -> None:
    seen = await desk.leave_at_welcome("tab", *"jjjjj", "ctrl+d", "t")
    async with coming_back(desk) as (app, pilot):
        assert app.frames[0].splitlines()[1:] == seen.splitlines()[1:]
        desk.gate.set()
        await settled(pilot)

        assert "\n".join(screen_text(app)) == seen


async def test_keys_pressed_early_act_in_their_order_when_the_view_is_there(desk: Desk) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk) as (app, pilot):
        await pilot.press("f", *"first steps")
        assert shows(app, STANDS)
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

    async def outlined(view: SpaceView) -> None:
        log.append("outline")
        await outline(view)

    await desk.leave_at_welcome()
    monkeypatch.setattr(Sender, "ask", asked)
    monkeypatch.setattr(SpaceView, "action_space_outline", outlined)
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
    for keys in (["ctrl+q"], ["f", "ctrl+q"], ["escape", "ctrl+q"]):
        async with coming_back(desk) as (app, pilot):
            await pilot.press(*keys)
            assert app._exit
        # What was seen last is still that: nothing newer was seen.
        assert WORDS in desk.file.read_text(encoding="utf-8")


async def test_a_letter_typed_early_into_what_an_earlier_key_opens_is_a_letter(desk: Desk) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk) as (app, pilot):
        await pilot.press("f", "q", "escape", "question_mark")
        assert not app._exit
        assert shows(app, STANDS)
        desk.gate.set()
        await settled(pilot)

        assert isinstance(app.screen, Help)


async def test_esc_shows_how_things_are(desk: Desk) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk) as (app, pilot):
        await pilot.press("escape")
        await pilot.pause()
        assert shows(app, OPENING)
        assert not shows(app, WORDS)
        desk.gate.set()
        await settled(pilot)

        assert shows(app, WORDS)


async def test_what_takes_too_long_is_not_hidden(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    await desk.leave_at_welcome()
    monkeypatch.setattr(cover, "_LONGEST", 0.01)
    async with coming_back(desk) as (app, pilot):
        while not shows(app, OPENING):
            await pilot.pause(0.01)
        assert not shows(app, WORDS)


async def test_where_the_platform_cannot_be_reached_that_is_said(desk: Desk) -> None:
    await desk.leave_at_welcome()
    desk.refusal = OSError("nobody answers")
    async with coming_back(desk) as (app, pilot):
        await pilot.press("D")
        desk.gate.set()
        await settled(pilot)
        assert shows(app, "nobody answers")
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
        assert shows(app, WORDS)
        desk.gate.set()
        await settled(pilot)

        assert shows(app, "Could not load")
        assert not shows(app, WORDS)
        assert not shows(app, STANDS)


async def test_who_is_no_longer_let_in_leaves_no_sight_behind(desk: Desk) -> None:
    await desk.leave_at_welcome()
    desk.refusal = NotLetIn("The token is not good any more.")
    async with coming_back(desk) as (_app, pilot):
        desk.gate.set()
        await settled(pilot)

        assert not desk.file.exists()


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (99, 32), (100, 50), (160, 48), (200, 20)])
async def test_on_a_terminal_of_another_size_it_is_cut_or_filled(desk: Desk, size: tuple[int, int]) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk, size=size) as (app, pilot):
        first = app.frames[0].splitlines()
        assert len(first) == size[1]
        assert any("What Recto is" in line for line in first)
        assert STANDS in first[0]
        # The borders of the panels meet at the corner.
        assert [line[-1] for line in first[3:-1]] == ["╮", *"│" * (size[1] - 6), "╯"]
        desk.gate.set()
        await settled(pilot)

        assert isinstance(app.screen, View)
        assert not shows(app, STANDS)


async def test_the_terminal_may_change_its_size_meanwhile(desk: Desk) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk) as (app, pilot):
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert shows(app, STANDS)
        assert len(screen_text(app)) == 24
        desk.gate.set()
        await settled(pilot)

        assert shows(app, WORDS)


async def test_a_dialog_is_never_kept_nor_what_is_told_in_passing(desk: Desk) -> None:
    seen = await desk.leave_at_welcome("Y", "f", *"secret")
    assert "secret" in seen
    kept = json.loads(desk.file.read_text(encoding="utf-8")) if desk.file.exists() else {}
    assert not any(word in str(kept) for word in ("secret", "Go to", "Copied"))
    await desk.leave_at_welcome("Y")
    kept = json.loads(desk.file.read_text(encoding="utf-8"))
    assert WORDS in str(kept)
    assert "Copied" not in str(kept)


async def test_under_another_theme_it_is_not_shown(desk: Desk) -> None:
    await desk.leave_at_welcome()
    async with coming_back(desk, Settings(theme="light")) as (app, _pilot):
        assert OPENING in app.frames[0]


@pytest.mark.parametrize("style", ["no style at all", "link https://example.org"])
async def test_a_style_that_was_never_written_is_not_painted(desk: Desk, style: str) -> None:
    await desk.leave_at_welcome()
    data = json.loads(desk.file.read_text(encoding="utf-8"))
    data["styles"][0] = style
    data["lines"][4][0][0] = "\x1b]0;pwned\x07"
    desk.file.write_text(json.dumps(data))
    async with coming_back(desk) as (app, pilot):
        assert "\x1b" not in app.frames[0]
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


async def test_a_place_is_kept_some_moments_after_it_was_gone_to(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saver, "_REST", 0.001)
    await desk.leave_at_welcome()
    desk.file.unlink()
    async with coming_back(desk) as (_app, pilot):
        desk.gate.set()
        await settled(pilot)
        await pilot.press("G", "enter")
        while not desk.file.exists():
            await pilot.pause(0.01)

        assert "When something goes wrong" in desk.file.read_text(encoding="utf-8")


async def test_a_snapshot_of_any_size_fits_any_size(desk: Desk) -> None:
    await desk.leave_at_welcome()
    store = guided_store(desk._platform, desk.folder)
    assert store.locations is not None
    snapshot = Snapshots(desk.file, store.locations, store.address).last()
    assert snapshot is not None
    strips = strips_of(snapshot)
    assert snapshot_of(strips, snapshot.location, snapshot.look) == snapshot
    for width in (1, 2, 3, 5, 40, 101, 300):
        for height in (1, 2, 3, 5, 100):
            lines = fit(strips, Size(width, height))
            assert len(lines) == height
            assert {line.cell_length for line in lines} == {width}
    assert fit(strips, Size(0, 0)) == []
