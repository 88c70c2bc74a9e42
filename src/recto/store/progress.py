"""Progress of long tasks."""

from __future__ import annotations

from recto.frozen import frozen
from recto.store.signal import Signal


@frozen
class Progress:
    """The progress of a long task at a moment."""

    doing: str
    """The current step, in a few words."""
    done: int
    total: int | None = None
    """The total amount; None while that is not known."""
    kept: str = ""
    """What is kept if the job is cancelled now, as a sentence; empty if nothing is."""


class Reporter:
    """Passes the progress of a task from its thread to the screen."""

    def __init__(self) -> None:
        self.latest: Progress | None = None
        self.changed: Signal[Progress] = Signal()

    def report(self, progress: Progress) -> None:
        """Report the progress of the work, in the event loop's thread."""
        self.latest = progress
        self.changed.emit(progress)


class StepReporter(Reporter):
    """Passes the progress of a change that is made in steps and is not listed as a job."""
