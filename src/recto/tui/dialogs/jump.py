"""Going anywhere by a few letters of its name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from textual.worker import Worker, WorkerState

from recto.store.places import Spot
from recto.tui import lines
from recto.tui.dialogs.choose import Finder
from recto.tui.lines import Line, Span


@dataclass(frozen=True, slots=True)
class Target:
    """Somewhere to go: its title, what it is (``page``, ``space``) and what it is in."""

    title: str
    what: str
    where: str
    spot: Spot


Targets = Callable[[], AsyncIterator[Sequence[Target]]]
"""Gives targets as they become known, in portions."""


class Jump(Finder[Target, Spot]):
    """Answers the spot to go to; the list grows while one types."""

    def __init__(self, targets: Targets) -> None:
        super().__init__("Go to", placeholder="organization, space, page, change request, site")
        self._targets = targets

    def on_mount(self) -> None:
        """Begin to gather targets."""
        self.run_worker(self._gather(), name="targets", exit_on_error=False)

    async def _gather(self) -> None:
        async for some in self._targets():
            self.add(some)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say when not everything could be listed."""
        if event.state is WorkerState.ERROR:
            self.notify(f"Not all places could be listed: {event.worker.error}", severity="warning", markup=False)

    def text_of(self, item: Target) -> str:
        """Return the title and what it is in."""
        return f"{item.title} {item.where}"

    def draw(self, item: Target, width: int) -> Line:
        """Draw the title with what it is in, and its kind at the right."""
        left: list[Span] = [(lines.plain(item.title), ""), (f"  {lines.plain(item.where)}", "muted")]
        return lines.beside(left, [(item.what, "faint")], width)

    def answer(self, item: Target) -> Spot:
        """Return the spot."""
        return item.spot
