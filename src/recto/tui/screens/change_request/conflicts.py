"""The conflicts of a change request, to be settled one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container

from recto.tui.lists.settle_list import SettleList
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.store.settlement import Dispute, Settlement


class ConflictsPane(Container):
    """Shows the sides of each dispute, and how many are left."""

    def __init__(self) -> None:
        super().__init__(id="conflicts")

    def compose(self) -> ComposeResult:
        """Put the list."""
        yield Panel("Conflicts", SettleList(id="disputes"), id="disputes-panel")

    @property
    def current(self) -> Dispute | None:
        """The dispute under the cursor."""
        return self.query_one(SettleList).current

    def show(self, settlement: Settlement) -> None:
        """Show how a settlement stands."""
        total = len(settlement.disputes)
        state = f"{settlement.left} of {total} left" if settlement.left else f"all {total} settled, A writes them"
        self.query_one(Panel).entitle("Conflicts", state)
        self.query_one(SettleList).show_settlement(settlement)
