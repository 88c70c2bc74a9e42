"""Work that fails is reported once, wherever it runs, and an error that nobody expected is in the log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from textual.pilot import Pilot

from recto.client.errors import Unreachable
from recto.tui.app import RectoApp
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.jump import Jump, Target
from recto.tui.dialogs.palette import Palette
from recto.tui.dialogs.search_pages import Scope, SearchPages
from support.screens import all_messages, settled, shows
from support.views import ExampleView

Program = Callable[..., RectoApp]

EXPECTED = Unreachable("Could not load the pages.", "No answer came.", "Try again.")
UNEXPECTED = KeyError("surprise")
FAILURES = pytest.mark.parametrize(
    ("error", "told"),
    [(EXPECTED, "Could not load the pages. No answer came."), (UNEXPECTED, "Unexpected error; details are in the log")],
    ids=["expected", "unexpected"],
)


class Under(ExampleView):
    """The view of the program."""


async def fail(error: Exception) -> Sequence[Target]:
    raise error.with_traceback(None)


async def list_nothing(error: Exception) -> AsyncIterator[Any]:
    await fail(error)
    yield ()


def messages(app: RectoApp, told: str) -> list[str]:
    return [message for message in all_messages(app) if told in message]


def assert_logged(caplog: pytest.LogCaptureFixture, error: Exception) -> None:
    logged = [record for record in caplog.records if "KeyError: 'surprise'" in record.getMessage()]
    assert len(logged) == (1 if error is UNEXPECTED else 0)


@FAILURES
async def test_the_work_of_a_view_or_of_the_app_is_reported_once(
    program: Program, caplog: pytest.LogCaptureFixture, error: Exception, told: str
) -> None:
    for on_view in (True, False):
        caplog.clear()
        app = program(Under)
        async with app.run_test(size=(100, 24), notifications=True) as pilot:
            await settled(pilot)
            node = app.screen if on_view else app
            node.run_worker(fail(error), exit_on_error=False)
            await settled(pilot)
            assert len(messages(app, told)) == 1
            assert_logged(caplog, error)


async def show(pilot: Pilot[None], dialog: Any) -> None:
    await settled(pilot)
    pilot.app.push_screen(dialog)
    await settled(pilot)


async def test_what_a_finder_or_the_palette_cannot_request_is_reported(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    for dialog in (
        Choose("Page", [Choice("one", "One")], find=lambda _: list_nothing(UNEXPECTED)),
        Palette([], lambda: fail(UNEXPECTED)),
        Jump(lambda: list_nothing(UNEXPECTED)),
    ):
        caplog.clear()
        app = program(Under)
        async with app.run_test(size=(100, 24), notifications=True) as pilot:
            await show(pilot, dialog)
            assert len(messages(app, "Unexpected error; details are in the log")) == 1
            assert_logged(caplog, UNEXPECTED)


@FAILURES
async def test_a_search_that_fails_says_why_in_its_place(
    program: Program, caplog: pytest.LogCaptureFixture, error: Exception, told: str
) -> None:
    app = program(Under)
    async with app.run_test(size=(160, 24), notifications=True) as pilot:
        await show(pilot, SearchPages([Scope("this space", lambda _: list_nothing(error))], "words"))
        assert shows(app, f"× {told[:24]}"), "the rest may be on the next line"
        assert messages(app, told) == []
        assert ("KeyError: 'surprise'" in caplog.text) == (error is UNEXPECTED)
