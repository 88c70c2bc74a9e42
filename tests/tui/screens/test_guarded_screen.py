"""Keys and messages that come to a screen before its widgets are there, or when they are going."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recto.store.locations import SpaceLocation
from recto.tui import actions
from recto.tui.app import RectoApp
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import UNDO, Confirm
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.jump import Jump
from recto.tui.dialogs.palette import Palette
from recto.tui.dialogs.prompt import PromptLine, PromptText
from recto.tui.dialogs.search_pages import Scope, SearchPages
from recto.tui.navigation.messages import GoUp
from recto.tui.screens.space.panels import Panels
from support.screens import settled
from support.spaces import Workspace
from support.views import ExampleView

Program = Callable[..., RectoApp]


class Under(ExampleView):
    """What lies under the dialogs."""


def top(app: RectoApp) -> list[object]:
    return list(app.screen_stack[-1:])


async def nothing(*_: object) -> Any:
    return
    yield


DIALOGS: list[Callable[[], Dialog[Any]]] = [
    lambda: PromptLine("Rename", "Old", limit=5),
    lambda: PromptText("Comment", limit=5),
    lambda: Choose("Space", [Choice("one", "One")]),
    lambda: Confirm("Delete", "Six pages.", does="deletes them", undo=UNDO),
    lambda: Jump(nothing, nothing),
    lambda: Palette([]),
    lambda: SearchPages([Scope("here", nothing)], "words"),
]


@pytest.mark.parametrize("rounds", range(4))
@pytest.mark.parametrize("make", DIALOGS)
async def test_the_program_is_left_quietly_while_a_dialog_opens(
    program: Program, make: Callable[[], Dialog[Any]], rounds: int
) -> None:
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        app.push_screen(make())
        for _ in range(rounds):
            await asyncio.sleep(0)
        app.exit()
        assert app._task is not None
        await asyncio.wait([app._task])
    assert app.return_code == 0


@pytest.mark.parametrize("make", DIALOGS)
async def test_a_dialog_dismissed_before_it_is_composed_ends_quietly(
    program: Program, make: Callable[[], Dialog[Any]]
) -> None:
    answers: list[object] = []
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        dialog = make()
        app.push_screen(dialog, answers.append)
        dialog.dismiss(None)
        dialog.dismiss(None)
        await settled(pilot)

        assert isinstance(app.screen, Under)
        assert answers == [None]
    assert app._exception is None


@pytest.mark.parametrize("make", DIALOGS)
async def test_keys_that_a_dialog_gets_when_it_is_dismissed_do_nothing(
    program: Program, make: Callable[[], Dialog[Any]]
) -> None:
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        dialog = make()
        app.push_screen(dialog)
        await pilot.pause()
        dialog.dismiss(None)
        for action in actions.all_actions():
            if action.name.startswith(("dialog.", "text.", "search.")):
                await app.run_action(action.method, dialog)
        await settled(pilot)

        assert isinstance(app.screen, Under)
    assert app._exception is None


@pytest.mark.parametrize("rounds", range(8))
async def test_going_back_while_a_view_begins_to_ask_ends_nothing_else(program: Program, rounds: int) -> None:
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        view = await app.show_view(SpaceLocation("one"))
        await settled(pilot)
        app.post_message(GoUp())
        for _ in range(rounds):
            await asyncio.sleep(0)
        with view._context():
            asking = view.ask(Confirm("Delete", "Six pages.", does="deletes them", undo=UNDO))
            view.work(asking)
        await settled(pilot)
        assert app._task is not None and not app._task.done()


async def test_a_dialog_left_under_another_goes_when_that_is_left(program: Program) -> None:
    answers: list[object] = []
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        lower, upper = PromptLine("Lower"), PromptLine("Upper")
        app.push_screen(lower, answers.append)
        app.push_screen(upper, answers.append)
        await settled(pilot)
        lower.dismiss("lower")
        await settled(pilot)
        assert top(app) == [upper]
        upper.dismiss("upper")
        await settled(pilot)

        assert top(app) == [app.view]
        assert answers == ["upper", "lower"]


async def test_going_back_leaves_no_dialog_that_was_opened_since(program: Program) -> None:
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        await app.show_view(SpaceLocation("one"))
        view = app.view
        app.post_message(GoUp())
        app.push_screen(dialog := PromptLine("Rename"))
        await settled(pilot)
        assert top(app) == [dialog]
        await pilot.press("escape")
        await settled(pilot)
        assert top(app) == [view]


@pytest.mark.parametrize("key", ["tab", "shift+tab"])
async def test_tab_goes_on_from_where_the_focus_is_when_the_side_panel_has_just_closed(
    tmp_path: Path, key: str
) -> None:
    workspace = Workspace(tmp_path)
    async with workspace.reader(size=(160, 40)) as reader:
        await reader.press("enter", "t")
        panels = reader.pilot.app.screen.query_one(Panels)
        # That the list at the side has the focus is told when the panel is closed already.
        reader.pilot.app.screen.set_focus(None)
        reader.pilot.app.screen.set_focus(reader.pilot.app.screen.query_one("#aside"))
        panels.close_side()
        await reader.press(key)

        assert reader.pilot.app.focused is reader.pilot.app.screen.query_one("#pages")
        assert panels.part == "tree"
    workspace.close()
