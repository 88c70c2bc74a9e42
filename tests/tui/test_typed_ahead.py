"""Letters typed while a dialog is on its way belong to it, and act on nothing below."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.screen import Screen

from recto.tui.actions import bindings
from recto.tui.app import RectoApp
from recto.tui.dialogs.jump import Jump, Target
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.navigation import key_queue
from recto.tui.navigation.key_queue import KeyQueue
from recto.tui.private_names import KeyAfterEscape
from recto.tui.widgets.bars import StatusBar
from recto.tui.widgets.line_field import FindLine, LineField
from recto.tui.widgets.text_pad import TextPad
from support.content import Desk
from support.idle import wait_until_idle
from support.screens import press_at_once, settled
from support.spaces import Workspace
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


async def type_while_opening(program: Program, *keys: str, opens: bool = True) -> tuple[Any, Slow]:
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
            return app.screen.query_one(LineField).value, view
        await pilot.press("D")
        await settled(pilot)
        return None, view


async def test_letters_typed_before_the_dialog_is_there_are_its_text(program: Program) -> None:
    text, view = await type_while_opening(program, "D", "q", "D")

    assert (text, view.deleted) == ("DqD", 0)


async def test_where_nothing_opens_they_are_dropped_and_keys_act_again(program: Program) -> None:
    _, view = await type_while_opening(program, "D", "D", opens=False)

    assert view.deleted == 1


async def test_keys_that_come_in_one_go_act_one_after_another(program: Program) -> None:
    app = program(Slow)
    async with app.run_test() as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, Slow)
        view.gate.set()
        press_at_once(app, "a", "D", "q", "escape", "D")
        await settled(pilot)
        # The letters were for the dialog, and what came after esc for the view.
        assert (app.screen, view.deleted) == (view, 1)
        text = "Dq" * 40
        press_at_once(app, "a", *text)
        await settled(pilot)
        assert (app.screen.query_one(LineField).value, view.deleted) == (text, 1)


class Busy(Slow):
    """A view whose focus is busy with a key for as long as a gate is closed."""

    async def on_key(self) -> None:
        await self.busy.wait()

    def on_mount(self) -> None:
        self.busy = asyncio.Event()


async def test_a_key_waits_for_as_long_as_the_one_before_has_not_acted(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_queue, "_A_MOMENT", 0.0)
    app = program(Busy)
    async with app.run_test() as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, Busy)
        view.gate.set()
        press_at_once(app, "a", "D")
        await wait_until_idle()
        view.busy.set()
        await settled(pilot)
        assert (app.screen.query_one(LineField).value, view.deleted) == ("D", 0)


async def test_quitting_again_does_not_wait_for_a_key_that_never_acts(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = program(Busy)
    async with app.run_test() as pilot:
        await settled(pilot)
        view, ended = app.screen, list[bool]()
        assert isinstance(view, Busy)

        async def end() -> None:
            ended.append(True)

        monkeypatch.setattr(app, "action_app_quit", end)
        press_at_once(app, "D", "ctrl+q")
        await wait_until_idle()
        begun = len(ended)
        press_at_once(app, "ctrl+q")
        await wait_until_idle()
        assert (begun, len(ended)) == (0, 1)
        view.busy.set()


async def test_esc_leaves_a_jump_that_is_still_searching(program: Program) -> None:
    app = program(Slow)

    async def nothing() -> AsyncIterator[Sequence[Target]]:
        for _ in ():
            yield ()

    async def late(words: str) -> AsyncIterator[Sequence[Target]]:
        await asyncio.Event().wait()
        yield ()

    async with app.run_test() as pilot:
        await settled(pilot)
        view = app.screen
        app.push_screen(Jump(nothing, late))
        await settled(pilot)
        press_at_once(app, *"rates", "escape")
        await settled(pilot)
        assert app.screen is view


class Listed(ExampleView):
    """A view with a list, and a letter that acts on it."""

    BINDINGS = bindings("item.delete")

    def compose_body(self) -> ComposeResult:
        yield VirtualList(ItemRows(["one", "Dot", "Dots"], lambda item, width: [(item, "")]))

    def on_mount(self) -> None:
        self.deleted = 0

    def action_item_delete(self) -> None:
        self.deleted += 1


async def test_letters_typed_at_once_after_the_key_that_finds_are_the_text_to_find(program: Program) -> None:
    app = program(Listed)
    async with app.run_test() as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, Listed)
        press_at_once(app, "slash", "D", "o", "t", "s")
        await settled(pilot)
        assert (view.query_one(FindLine).value, view.deleted) == ("Dots", 0)
        # What follows enter is for the list again.
        press_at_once(app, "enter", "D", "D")
        await settled(pilot)
        assert (view.deleted, view.query_one(VirtualList).cursor) == (2, 2)


async def test_letters_typed_at_once_for_what_does_not_open_act_on_nothing(program: Program) -> None:
    app = program(Slow)
    async with app.run_test() as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, Slow)
        # There is no list to find in, and nothing to rename; once that can be read, keys act again.
        for refused in ("slash", "f2"):
            press_at_once(app, refused, "D", "D")
            await settled(pilot)
            assert view.deleted == 0
            assert view.query_one(StatusBar).reason
        press_at_once(app, "D", "D")
        await settled(pilot)
        assert view.deleted == 2
        # A key with which no text is written ends it, whether it comes at once or a moment later.
        press_at_once(app, "f2", "D", "enter", "down", "D")
        await settled(pilot)
        assert view.deleted == 3


async def test_a_reason_stays_when_letters_are_dropped_for_it(program: Program) -> None:
    app = program(Slow)
    async with app.run_test() as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, Slow)
        refused, painted = asyncio.Event(), asyncio.Event()

        def call_after_refresh(call: Callable[[], object]) -> bool:
            refused.set()
            app.run_worker(after_painting(call))
            return True

        async def after_painting(call: Callable[[], object]) -> None:
            await painted.wait()
            call()

        view.call_after_refresh = call_after_refresh  # type: ignore[method-assign,assignment]
        press_at_once(app, "f2")
        await refused.wait()
        press_at_once(app, "D")
        await wait_until_idle()
        painted.set()
        del view.call_after_refresh
        await settled(pilot)
        assert (view.query_one(StatusBar).reason.split(":")[0], view.deleted) == ("Rename", 0)


async def test_keys_wait_for_any_dialog_that_is_put_on_top(program: Program) -> None:
    app = program(Slow)
    async with app.run_test() as pilot:
        await settled(pilot)
        # What no action has announced: a question of the program itself, or a dialog over another.
        view = app.screen
        assert isinstance(view, Slow)
        app.push_screen(PromptLine("Name"))
        press_at_once(app, "D", "q", "escape", "D")
        await settled(pilot)
        assert (app.screen, view.deleted) == (view, 1)
        # Esc that comes before a dialog is whole closes it; what is dismissed at once holds nothing.
        app.push_screen(PromptLine("Name"))
        press_at_once(app, "escape")
        await settled(pilot)
        assert (app.screen, view.deleted) == (view, 1)
        dialog = PromptLine("Name")
        app.push_screen(dialog)
        dialog.dismiss(None)
        await settled(pilot)
        assert not app.typed_ahead.holds
        press_at_once(app, "D")
        await settled(pilot)
        assert view.deleted == 2


async def test_keys_after_an_answer_are_dropped_only_if_they_came_before_it_could_act(program: Program) -> None:
    app = program(Slow)
    async with app.run_test() as pilot:
        await settled(pilot)
        view, gate, closed, wait = app.screen, asyncio.Event(), asyncio.Event(), app._keys._wait_until_acted
        assert isinstance(view, Slow)

        async def wait_long() -> None:
            await wait()
            if app.screen_stack[-1] is view:
                closed.set()
                await gate.wait()

        app._keys._wait_until_acted = wait_long  # type: ignore[method-assign]
        for key in ("a", "x", "enter", "D"):
            await pilot.press(key)  # the dialog does not open yet
        view.gate.set()
        await closed.wait()
        press_at_once(app, "D", "D")
        await wait_until_idle()
        gate.set()
        await settled(pilot)
        assert view.deleted == 2


async def test_esc_and_a_key_in_one_go_are_two_keys_but_alt_and_a_letter_where_text_is_written(
    program: Program,
) -> None:
    app = program(Slow)
    async with app.run_test() as pilot:
        await settled(pilot)
        view, answers = app.screen, list[Any]()
        assert isinstance(view, Slow)
        app.push_screen(PromptLine("Name"), answers.append)
        await pilot.press("D")
        for key, understood, open_dialogs in (("D", "alt+shift+d", 1), ("enter", "enter", 0), ("D", "alt+shift+d", 0)):
            apart = [events.Key("escape", None), events.Key(key, None)]
            app.post_message(KeyAfterEscape(events.Key(understood, None), apart))
            await settled(pilot)
            assert len(app.screen_stack) - 2 == open_dialogs
        assert (answers, view.deleted) == ([None], 1)


@pytest.mark.parametrize("field", [LineField, TextPad])
async def test_each_character_of_a_keyboard_is_typed(program: Program, field: type[LineField | TextPad]) -> None:
    text = "\u3042\u3000a\u00a0b\u202fc \u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f4bb \U0001fae8 \u200dz"
    app = program(Slow)
    async with app.run_test() as pilot:
        await settled(pilot)
        written = field()
        await app.screen.mount(written)
        written.focus()
        for sign in text:
            app.post_message(events.Key(sign, sign))
        await settled(pilot)
        assert (written.value if isinstance(written, LineField) else written.text) == text
        app.screen.set_focus(None)
        app.post_message(events.Key("ideographic_space", "\u3000"))
        await settled(pilot)
        assert "has no action" in app.screen.query_one(StatusBar).reason


async def test_all_lines_of_a_pasted_text_come_into_a_field_of_one_line(program: Program) -> None:
    app = program(Slow)
    async with app.run_test() as pilot:
        await settled(pilot)
        field = LineField("Old words")
        await app.screen.mount(field)
        field.focus()
        await pilot.press("home", *["shift+right"] * 3)
        app.post_message(events.Paste("\nNew and\r\n\nlonger"))
        await settled(pilot)
        assert (field.value, field.cursor_position) == ("New and longer words", 14)


# Through several steps


async def test_keys_typed_while_e_moves_to_the_change_request_belong_to_the_editor(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space, "Say it better")
    await desk.edit("guide", "# The guide\n\nFour.\n")
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("w", "down", "enter", "minus")
        reader.shows("● main")
        gate = asyncio.Event()
        reader.transport.then["get_change_request"] = gate.wait
        await reader.pilot.press("E", "q", "D", "M")
        reader.shows("● main")
        gate.set()
        await settled(reader.pilot)
        pad = reader.pilot.app.screen.query_one(TextPad)
        assert "qDM" in pad.text
        await reader.press("escape")
        reader.shows("◌ #1")


async def test_keys_typed_while_a_change_request_is_created_act_in_it(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.read("The guide")
        gate = asyncio.Event()
        reader.transport.then["create_change_request"] = gate.wait
        await reader.pilot.press("w", *"New words", "enter")
        await reader.pilot.press("f", *"guide")
        reader.shows("● main")
        gate.set()
        await settled(reader.pilot)
        assert reader.pilot.app.screen.query_one(LineField).value == "guide"
        await reader.press("escape")
        reader.shows("◌ #1")


async def test_what_a_key_has_closed_is_not_waited_for() -> None:
    app: App[None] = App()
    async with app.run_test(), asyncio.timeout(60):
        screen: Screen[None] = Screen()
        await app.push_screen(screen)
        # A message that a screen gets as it closes is taken and never handled.
        waiting = asyncio.create_task(KeyQueue._until_called(screen, lambda _called: True))
        await asyncio.sleep(0)
        await app.pop_screen()
        await waiting
