"""Lists that are read beside something else: they recede while the focus is elsewhere."""

from __future__ import annotations

from rich.style import Style

from recto.tui.widgets.virtual_list import VirtualList


class QuietList(VirtualList):
    """A list that has a cursor only while it has the focus."""

    def state_of(self, index: int) -> Style:
        """Return the ground of a row: none while the focus is elsewhere."""
        return super().state_of(index) if self.has_focus else Style.null()


class Facts(QuietList):
    """Lines to read: there is nothing to open or to find."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only to move."""
        return action not in ("list_open", "list_find", "list_clear") and super().check_action(action, parameters)
