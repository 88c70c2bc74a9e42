"""How far a long work is."""

from __future__ import annotations

from recto.frozen import frozen
from recto.store.signal import Signal


@frozen
class Progress:
    """How far a long work is at one moment."""

    doing: str
    """What is being done, in a few words."""
    done: int
    total: int | None = None
    """How much there is to do in all; None while that is not known."""


class Reporter:
    """Carries the progress of one work from where it is done to where it is shown."""

    def __init__(self) -> None:
        self.latest: Progress | None = None
        self.changed: Signal[Progress] = Signal()

    def report(self, progress: Progress) -> None:
        """Tell how far the work is, in the event loop's thread."""
        self.latest = progress
        self.changed.emit(progress)
