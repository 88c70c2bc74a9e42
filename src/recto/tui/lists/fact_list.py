"""A list to read, such as the facts about a thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.tui.lists.virtual_list import VirtualList

if TYPE_CHECKING:
    from recto.tui.lists.rows import Rows


class FactList(VirtualList):
    """Lines to read: there is nothing to open unless it is ``openable``, nothing to select or find.

    The cursor is not shown while the focus is elsewhere.
    """

    def __init__(self, rows: Rows | None = None, *, id: str | None = None) -> None:
        super().__init__(rows, openable=False, findable=False, quiet=True, id=id)
