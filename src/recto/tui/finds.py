"""Screens in which one can type what to find in a list or a page of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from recto.tui.whole import WholeScreen
from recto.tui.widgets.find_line import Findable, FindLine
from recto.tui.widgets.status_bar import StatusBar

if TYPE_CHECKING:
    from recto.tui.lists.virtual_list import VirtualList
    from recto.tui.page.view import PageView

Result = TypeVar("Result")


class Finds(WholeScreen[Result], inherit_bindings=False):
    """Puts the line in which one types what to find above the keys, and says there how often it was found."""

    async def on_virtual_list_find_requested(self, event: VirtualList.FindRequested) -> None:
        """Let a text be typed that is looked for in the list."""
        event.stop()
        await self._ask_what_to_find(event.list)

    async def on_page_view_find_requested(self, event: PageView.FindRequested) -> None:
        """Let a text be typed that is looked for in the page."""
        event.stop()
        await self._ask_what_to_find(event.view)

    async def _ask_what_to_find(self, target: Findable) -> None:
        await self.query(FindLine).remove()
        line = FindLine(target)
        await self.mount(line, before=self.query_one(StatusBar))
        line.focus()

    def on_find_line_counted(self, event: FindLine.Counted) -> None:
        """Say how often what is typed was found."""
        self.query_one(StatusBar).news = f"{event.count:,} found" if event.text else ""

    async def on_find_line_done(self, event: FindLine.Done) -> None:
        """Take the line away and go back to the list."""
        event.stop()
        self.query_one(StatusBar).news = ""
        await self.query(FindLine).remove()
        event.target.focus()
