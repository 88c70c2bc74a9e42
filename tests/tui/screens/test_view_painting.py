"""What a terminal shows is what the view holds: nothing that changes meanwhile is left unpainted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyte
import pytest
from textual._compositor import CompositorUpdate, LayoutUpdate
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Static
from textual.widgets._toast import Toast

from recto.tui.app import RectoApp
from recto.tui.dialogs.confirm import UNDO, Confirm
from recto.tui.page.page_view import PageView
from recto.tui.screens.opening_screen import Opening
from recto.tui.screens.pane import Pane
from recto.tui.screens.view import View
from recto.tui.widgets.line_view import Ground
from recto.tui.widgets.tab_strip import TabStrip
from support.screens import screen_text, settled
from support.views import ExampleView

pytestmark = pytest.mark.usefixtures("each_step_painted")

Program = Callable[..., RectoApp]

SIZE = (60, 20)


class Long(ExampleView):
    """A view with more lines than there is room for."""

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(id="lines"):
            for number in range(40):
                yield Static(f"line {number}", id=f"line-{number}")


class Framed(ExampleView):
    """A view with tabs and a pane."""

    def compose_body(self) -> ComposeResult:
        self.tab_strip = TabStrip(("First", "Second"))
        yield self.tab_strip
        yield Pane(self.store, "A pane", Ground(), id="pane")


class Beside(ExampleView):
    """A view with a page, and something beside it that can be hidden."""

    def compose_body(self) -> ComposeResult:
        with Horizontal():
            page = PageView()
            page.show("A page", "Words that are wrapped where there is less room for them than here.\n\n" * 9)
            yield page
            yield Static("beside", id="beside")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pyte.Screen:
    """What a terminal shows of all that is painted."""
    screen = pyte.Screen(*SIZE)
    stream = pyte.Stream(screen)
    display = RectoApp._display

    def feed(app: RectoApp, of: Screen[Any], drawn: Any) -> None:
        if isinstance(drawn, CompositorUpdate) and not app._batch_count:
            stream.feed(drawn.render_segments(app.console).replace("\n", "\r\n"))
        display(app, of, drawn)

    monkeypatch.setattr(RectoApp, "_display", feed)
    return screen


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[CompositorUpdate]:
    """What is painted."""
    painted: list[CompositorUpdate] = []
    display = RectoApp._display

    def note(app: RectoApp, of: Screen[Any], drawn: Any) -> None:
        if isinstance(drawn, CompositorUpdate):
            painted.append(drawn)
        display(app, of, drawn)

    monkeypatch.setattr(RectoApp, "_display", note)
    return painted


def _question() -> Confirm:
    return Confirm("Delete", "Six pages.", does="deletes them", undo=UNDO)


def _shown_lines(terminal: pyte.Screen) -> list[str]:
    return [line.rstrip() for line in terminal.display]


async def test_a_message_disappears_from_the_screen_after_scrolling_too(
    program: Program, terminal: pyte.Screen
) -> None:
    app = program(Long)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settled(pilot)
        app.notify("It is done.", timeout=600)
        await settled(pilot)
        assert any("It is done." in line for line in _shown_lines(terminal))
        app.screen.query_one("#lines").scroll_to(y=3, animate=False, immediate=True)
        await settled(pilot)
        app.screen.query_one(Toast)._expire()
        await settled(pilot)

        assert _shown_lines(terminal) == screen_text(app)
        assert not any("It is done." in line for line in _shown_lines(terminal))


async def test_what_changes_while_painting_is_held_back_is_painted_when_it_goes_on(
    program: Program, terminal: pyte.Screen
) -> None:
    app = program(Long)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, View)
        with app.batch_update():
            view._refresh_layout()
            await pilot.pause()
            view.query_one("#line-2", Static).update("another line")
            await pilot.pause()
        await view.until_painted()
        await settled(pilot)

        assert "another line" in " ".join(_shown_lines(terminal))
        assert _shown_lines(terminal) == screen_text(app)


async def test_a_page_is_painted_for_the_room_that_it_gets(program: Program, terminal: pyte.Screen) -> None:
    app = program(Beside)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        beside = app.screen.query_one("#beside")
        for width in (30, 12, 45):
            beside.styles.width = width
            await settled(pilot)
            assert _shown_lines(terminal) == screen_text(app)
            assert any("Words" in line for line in _shown_lines(terminal))
        app.screen.query_one(PageView).cursor.go_to_bottom()
        await settled(pilot)
        assert _shown_lines(terminal) == screen_text(app)
        beside.display = False
        await settled(pilot)
        assert _shown_lines(terminal) == screen_text(app)


async def test_the_screen_is_not_painted_again_where_the_focus_moves(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = program(Beside)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        page = app.screen.query_one(PageView)
        page.focus()
        await settled(pilot)
        painted: list[Any] = []
        display = app._display

        def note_painted(of: Screen[Any], drawn: Any) -> None:
            painted.append(drawn)
            display(of, drawn)

        monkeypatch.setattr(app, "_display", note_painted)
        page.blur()
        await settled(pilot)
        assert painted, "the page shows that it has no focus"
        assert not any(isinstance(drawn, LayoutUpdate) for drawn in painted)


async def test_what_an_editor_leaves_on_the_terminal_is_painted_over(program: Program, terminal: pyte.Screen) -> None:
    app = program(Long)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        terminal.reset()
        app.app_resume_signal.publish(app)
        await settled(pilot)

        assert "line 2" in " ".join(_shown_lines(terminal))
        assert _shown_lines(terminal) == screen_text(app)


async def test_what_changes_below_a_dialog_is_painted_once(
    program: Program, terminal: pyte.Screen, painted: list[CompositorUpdate]
) -> None:
    app = program(Long)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        view = app.screen
        app.push_screen(_question())
        await settled(pilot)
        view.query_one("#line-0", Static).update("another line")
        await settled(pilot)
        assert "another line" in " ".join(_shown_lines(terminal))
        assert _shown_lines(terminal) == screen_text(app)
        painted.clear()
        for _ in range(3):
            view.call_later(lambda: None)
            await settled(pilot)

        assert painted == []


async def test_a_dialog_that_closes_leaves_the_layout_below_as_it_was(program: Program, terminal: pyte.Screen) -> None:
    app = program(Long)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        laid_out = list[object]()
        app.screen.screen_layout_refresh_signal.subscribe(app.screen, laid_out.append)
        app.push_screen(_question())
        await settled(pilot)
        assert "Six pages." in " ".join(_shown_lines(terminal))
        laid_out.clear()
        await pilot.press("escape")
        await settled(pilot)

        assert laid_out == []
        assert _shown_lines(terminal) == screen_text(app)


async def test_a_view_is_not_painted_again_for_the_sizes_that_its_layout_gives(
    program: Program, painted: list[CompositorUpdate], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its last step may come when the view is there already, which then paints all once more.
    monkeypatch.setattr(Opening, "_compositor_refresh", lambda _: None)
    app = program(Framed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        (view,) = painted
        assert isinstance(view, LayoutUpdate)
