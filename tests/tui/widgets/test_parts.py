"""The small parts: the bottom line, tabs, and the text field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widgets import Input

from recto.tui.actions import bindings
from recto.tui.app import RectoApp
from recto.tui.screens.pane import Pane
from recto.tui.widgets.bars import StatusBar
from recto.tui.widgets.notice import Notice
from recto.tui.widgets.tab_strip import TabStrip
from recto.tui.widgets.text_pad import TextPad
from support.screens import screen_text, settled, shows
from support.views import ExampleView

Program = Callable[..., RectoApp]


class Parts(ExampleView):
    """A view of parts."""

    BINDINGS = bindings("item.new")
    AUTO_FOCUS = ""
    heard: list[object]

    def compose_body(self) -> ComposeResult:
        self.tab_strip = TabStrip(
            ("Content", "Change requests", "Comments"), short={"Change requests": "Changes", "Comments": "Notes"}
        )
        yield self.tab_strip
        yield TextPad("draft")

    def on_mount(self) -> None:
        self.heard = []

    def action_item_new(self) -> None:
        self.heard.append("new")

    def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        self.heard.append(("tab", event.index))

    def on_text_pad_sent(self, event: TextPad.Sent) -> None:
        self.heard.append(("sent", event.text))

    def on_text_pad_left(self, event: TextPad.Left) -> None:
        self.heard.append(("left", event.text))


async def test_a_notice_that_is_filled_before_it_is_mounted_follows_its_keys(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = program(Parts)
    async with app.run_test() as pilot:
        await settled(pilot)
        notice = Notice()
        mounting = app.screen.mount(notice, before=0)
        notice.empty("No pages yet.", ("a", "adds one"))
        await mounting
        await settled(pilot)
        assert shows(app, "a  adds one")
        monkeypatch.setattr(Parts, "why_not", lambda _view, _action: "needs the admin role")
        app.screen.refresh_bindings()
        await settled(pilot)
        assert shows(app, "a  adds one; not now: needs the admin role")


async def parts(program: Program, *keys: str, width: int = 80) -> tuple[list[object], list[str]]:
    app = program(Parts)
    async with app.run_test(size=(width, 24)) as pilot:
        await settled(pilot)
        await pilot.press(*keys)
        await settled(pilot)
        assert isinstance(app.screen, Parts)
        return app.screen.heard, screen_text(app)


async def test_a_key_in_the_bottom_line_can_be_clicked(program: Program) -> None:
    app = program(Parts)
    async with app.run_test() as pilot:
        await settled(pilot)
        line = screen_text(app)[-1]
        await pilot.click(offset=(line.index("a new"), 23))
        await settled(pilot)

        assert isinstance(app.screen, Parts)
        assert app.screen.heard == ["new"]


async def test_news_stand_at_the_right_of_the_bottom_line(program: Program) -> None:
    app = program(Parts)
    async with app.run_test() as pilot:
        await settled(pilot)
        app.screen.query_one(StatusBar).news = "saving"
        await settled(pilot)

        assert screen_text(app)[-1].endswith("saving")


@pytest.mark.parametrize(
    ("width", "strip"),
    [
        (46, "1 Content   2 Change requests   3 Comments"),
        (45, "1 Content  2 Change requests  3 Comments"),
        (43, "1 Content  2 Change requests  3 Notes"),
        (40, "1 Content  2 Changes  3 Notes"),
        (32, "1 Content  2 Changes  3 Not…"),
        (28, "1 Content  2 Changes  3"),
        (26, "1 Conte…  2 Changes  3"),
        (20, "1  2 Changes  3"),
    ],
)
async def test_tabs_shrink_as_far_as_there_is_no_room(program: Program, width: int, strip: str) -> None:
    _heard, screen = await parts(program, "2", width=width)

    assert screen[1].strip() == strip


async def test_a_tab_can_be_clicked_and_has_a_count(program: Program) -> None:
    app = program(Parts)
    async with app.run_test() as pilot:
        await settled(pilot)
        strip = app.screen.query_one(TabStrip)
        strip.count(2, 4)
        await settled(pilot)
        assert shows(app, "3 Comments 4")
        await pilot.click(TabStrip, offset=(screen_text(app)[1].index("Comments"), 0))
        await settled(pilot)

        assert isinstance(app.screen, Parts)
        assert app.screen.heard == [("tab", 2)]


@pytest.mark.parametrize(("key", "heard"), [("ctrl+s", ("sent", "draft?")), ("escape", ("left", "draft?"))])
async def test_a_text_is_sent_or_left(program: Program, key: str, heard: object) -> None:
    told, _screen = await parts(program, "tab", "?", key)

    assert told == [heard]


class Panels(ExampleView):
    """Two panels with fields."""

    AUTO_FOCUS = "#left-0"

    def compose_body(self) -> ComposeResult:
        for side in ("left", "right"):
            yield Pane(self.store, side, *(Input(id=f"{side}-{number}") for number in range(20)), id=side)


async def test_the_panel_with_the_focus_is_marked_and_nothing_beside_it_is_styled_again(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    styled: list[str | None] = []
    apply = Stylesheet.apply

    def note(sheet: Stylesheet, node: DOMNode, **more: Any) -> None:
        styled.append(node.id)
        apply(sheet, node, **more)

    async with program(Panels).run_test() as pilot:
        await settled(pilot)
        left, right = pilot.app.screen.query(Pane)
        assert (left.has_class("-focused"), right.has_class("-focused")) == (True, False)
        marked = left.styles.border

        monkeypatch.setattr(Stylesheet, "apply", note)
        pilot.app.screen.query_one("#left-1").focus()
        await settled(pilot)
        assert {name for name in styled if name} == {"left-0", "left-1"}

        styled.clear()
        pilot.app.screen.query_one("#right-0").focus()
        await settled(pilot)
        assert {name for name in styled if name} == {"left-1", "right-0", "left", "right"}
        assert (right.styles.border, left.styles.border == marked) == (marked, False)
