"""Lists of facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.tui.lists.virtual_list import VirtualList

if TYPE_CHECKING:
    from recto.tui.lists.rows import Rows


class FactList(VirtualList):
    """A list of lines to read: rows open only if it is ``openable``, and nothing is selected or found.

    The cursor is hidden while the focus is elsewhere.
    """

    def __init__(self, rows: Rows | None = None, *, id: str | None = None) -> None:
        super().__init__(rows, openable=False, findable=False, quiet=True, id=id)
