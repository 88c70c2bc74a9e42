"""A view in terminals that change their size: it is laid out for the size there is, whatever lies over it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from textual import events
from textual.app import ComposeResult
from textual.geometry import Size
from textual.widgets import Static

from recto.tui.app import RectoApp
from recto.tui.dialogs.confirm import UNDO, Confirm
from recto.tui.screens.view import View
from support.screens import settled
from support.views import ExampleView

Program = Callable[..., RectoApp]

WIDTHS = {60: "-narrow", 90: "-medium", 120: "-wide", 150: "-broad"}


class Plain(ExampleView):
    """A view with a line in it."""

    def compose_body(self) -> ComposeResult:
        yield Static("one", id="line")


def _width(view: View) -> list[str]:
    return [name for name in WIDTHS.values() if view.has_class(name)]


async def test_a_view_has_the_class_of_its_width_after_each_change(program: Program) -> None:
    app = program(Plain)
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, View)
        for width, name in (WIDTHS | dict(reversed(WIDTHS.items()))).items():
            await pilot.resize_terminal(width, 30)
            await settled(pilot)
            assert _width(app.screen) == [name]


@pytest.mark.parametrize("dialog", [True, False])
async def test_a_view_has_the_class_of_its_width_when_what_lay_over_it_is_gone(program: Program, dialog: bool) -> None:
    app = program(Plain)
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, View)
        over = (
            Confirm("Go on", "Something is left.", does="goes on", undo=UNDO)
            if dialog
            else Plain(view.store, view.location)
        )
        await app.push_screen(over)
        await settled(pilot)
        await pilot.resize_terminal(60, 30)
        await settled(pilot)
        over.dismiss()
        await settled(pilot)

        assert view.is_current
        assert view.size.width == 60
        assert _width(view) == ["-narrow"]


async def test_the_last_of_sizes_that_come_while_a_view_waits_for_its_turn_holds(program: Program) -> None:
    app = program(Plain)
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, View)
        for rounds in range(6):
            for width in (90, 150):
                app._size = size = Size(width, 30)
                view.post_message(events.Resize(size, size))
                for _ in range(rounds):
                    await asyncio.sleep(0)
            await settled(pilot)
            assert view.query_one("#line").region.width == 150, f"{rounds} rounds between"
            assert _width(view) == ["-broad"], f"{rounds} rounds between"
