"""Letters typed while a dialog is on its way belong to it, and act on nothing below."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual.widgets import Input

from recto.tui.actions import bindings
from recto.tui.app import RectoApp
from recto.tui.dialogs.prompt import PromptLine
from support.screens import settled
from support.views import ExampleView

Program = Callable[..., RectoApp]


class Slow(ExampleView):
    """A view whose dialog opens late, or never."""

    BINDINGS = bindings("item.new", "item.delete")
    opens = True

    def on_mount(self) -> None:
        self.gate = asyncio.Event()
        self.deleted = 0

    def action_item_new(self) -> None:
        self.work(self._new(), "new")

    async def _new(self) -> None:
        await self.gate.wait()
        if self.opens:
            await self.ask(PromptLine("New page"))

    def action_item_delete(self) -> None:
        self.deleted += 1


async def typed(program: Program, *keys: str, opens: bool = True) -> tuple[Any, Slow]:
    app = program(Slow)
    async with app.run_test() as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, Slow)
        view.opens = opens
        for key in ("a", *keys):
            await pilot.press(key)
        assert view.deleted == 0
        view.gate.set()
        await settled(pilot)
        if opens:
            return app.screen.query_one(Input).value, view
        await pilot.press("D")
        await settled(pilot)
        return None, view


async def test_letters_typed_before_the_dialog_is_there_are_its_text(program: Program) -> None:
    text, view = await typed(program, "D", "q", "D")

    assert (text, view.deleted) == ("DqD", 0)


async def test_where_nothing_opens_they_are_dropped_and_keys_act_again(program: Program) -> None:
    _, view = await typed(program, "D", "D", opens=False)

    assert view.deleted == 1
