"""Failed work: a message says why, and an unexpected error goes to the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.worker import Worker, WorkerState

from recto.tui.look.lines import plain
from recto.tui.terminal import crash

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget


def failure_of(event: Worker.StateChanged) -> str | None:
    """Return why work failed, ``None`` where it did not; an unexpected error is logged.

    The event is handled with it: Textual calls the handlers of all classes of a widget.
    """
    error = event.worker.error
    if event.state is not WorkerState.ERROR or not isinstance(error, Exception):
        return None
    event.prevent_default()
    if hasattr(error, "next_step"):
        return plain(str(error))
    return f"Unexpected error; details are in the log: {crash.record(error)}"


def report_failed_work(node: Widget | App[Any], event: Worker.StateChanged) -> None:
    """Show a message that says why work failed."""
    if (failure := failure_of(event)) is not None:
        node.notify(failure, severity="error", timeout=10, markup=False)
