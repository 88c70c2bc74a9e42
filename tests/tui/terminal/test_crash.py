from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from textual.app import ComposeResult
from textual.widgets import Static
from textual.worker import WorkerFailed

from recto import paths
from recto.tui.actions import bindings
from recto.tui.app import RectoApp
from recto.tui.screens.view import View
from recto.tui.terminal import crash
from support.screens import settled, shows
from support.views import ExampleView

Program = Callable[..., RectoApp]
SECRET = "token-5f2c"


class Fragile(ExampleView):
    """A view that breaks."""

    BINDINGS = bindings("item.new", "item.rename")

    def action_item_new(self) -> None:
        token = SECRET
        raise ValueError(f"broke with {len(token)}")

    def action_item_rename(self) -> None:
        self.work(self._rename())

    async def _rename(self) -> None:
        token = SECRET
        raise ValueError(f"broke with {len(token)}")


async def test_an_unexpected_error_ends_in_the_log_without_the_values_of_variables(
    program: Program, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    app = program(Fragile)
    with pytest.raises(ValueError, match="broke with 10"):
        async with app.run_test() as pilot:
            await settled(pilot)
            await pilot.press("a")

    assert app.return_code == 1
    assert "broke with 10" in caplog.text
    assert "action_item_new" in caplog.text
    assert SECRET not in caplog.text
    captured = capsys.readouterr()
    assert SECRET not in captured.out + captured.err


class BreaksInCompose(ExampleView):
    """A view that cannot be put together."""

    def compose_body(self) -> ComposeResult:
        token = SECRET
        raise ValueError(f"broke with {len(token)}")


class BreaksInMount(ExampleView):
    """A view that cannot be begun."""

    def on_mount(self) -> None:
        token = SECRET
        raise ValueError(f"broke with {len(token)}")


class BreaksLater(ExampleView):
    """A view that breaks in a call it has asked for, and in what it draws."""

    def on_mount(self) -> None:
        self.call_after_refresh(self._break)

    def _break(self) -> None:
        token = SECRET
        raise ValueError(f"broke with {len(token)}")


class BreaksInDrawing(ExampleView):
    """A view that cannot be drawn."""

    class Torn(Static):
        def render(self) -> str:
            token = SECRET
            raise ValueError(f"broke with {len(token)}")

    def compose_body(self) -> ComposeResult:
        yield self.Torn()


class BreaksInAWorker(ExampleView):
    """A view whose work ends the program where it fails."""

    def on_mount(self) -> None:
        self.run_worker(self._break())

    async def _break(self) -> None:
        token = SECRET
        raise ValueError(f"broke with {len(token)}")


@pytest.mark.parametrize("view", [BreaksInCompose, BreaksInMount, BreaksLater, BreaksInDrawing, BreaksInAWorker])
async def test_a_crash_prints_a_sentence_alone(
    program: Program, view: type[View], caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    app = program(view)
    with suppress(ValueError, WorkerFailed):
        async with app.run_test() as pilot:
            await settled(pilot)

    assert "broke with 10" in caplog.text
    captured = capsys.readouterr()
    assert SECRET not in caplog.text + captured.out + captured.err
    assert "Traceback" not in captured.out + captured.err


async def test_passing_messages_are_plain_text(program: Program) -> None:
    app = program(Fragile)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        app.notify("[bold]one[/bold]\x1b[66m two")
        await settled(pilot)

        assert shows(app, "[bold]one[/bold]␛[66m two")


async def test_work_that_fails_says_so_and_the_program_goes_on(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    app = program(Fragile)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("f2")
        await settled(pilot)

        assert app.is_running
        assert [note.severity for note in app._notifications] == ["error"]
        assert "broke with 10" in caplog.text


def test_where_nothing_was_set_up_the_log_is_written_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash.log, "propagate", False)

    told = crash.record(ValueError("broke early"))

    assert told == str(paths.log_file())
    assert "broke early" in paths.log_file().read_text()


def test_the_sentence_names_the_log() -> None:
    assert "/x/recto.log" in crash.sentence("/x/recto.log")
