"""The conflicts of a change request, to be resolved in turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container

from recto.tui.lists.conflict_list import ConflictList
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.store.resolution import Conflict, Resolution


class ConflictsPane(Container):
    """Shows the sides of each conflict, and how many are left."""

    def __init__(self) -> None:
        super().__init__(id="conflicts")

    def compose(self) -> ComposeResult:
        """Put the list."""
        yield Panel("Conflicts", ConflictList(id="conflict-list"), id="conflicts-panel")

    @property
    def current(self) -> Conflict | None:
        """The conflict under the cursor."""
        return self.query_one(ConflictList).current

    def show(self, resolution: Resolution, titles: Mapping[str, str]) -> None:
        """Show the state of a resolution; ``titles`` are those of pages, by id and by path."""
        total = len(resolution.conflicts)
        all_of_them = f"all {total} resolved" if total > 1 else "resolved"
        state = f"{resolution.left} of {total} left" if resolution.left else f"{all_of_them}, A applies"
        self.query_one(Panel).entitle("Conflicts", state)
        self.query_one(ConflictList).show_resolution(resolution, titles=titles)
