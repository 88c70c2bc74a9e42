"""How a page of a past revision differs from the page now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from recto.contract.addresses import Address
from recto.store.past_page import PastPage
from recto.tui.lists.diff_list import DiffList
from recto.tui.screens.pane import Pane
from recto.tui.screens.reading.page_index import NO_TEXT, title_of

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.store.store import Store


class DifferencePane(Pane):
    """Compares a page at an address with the page now; asks for nothing before a page is looked at."""

    def __init__(self, store: Store, address: Address) -> None:
        self._diff = DiffList(store.clock, id="difference")
        super().__init__(store, "Page", self._diff, id="difference-pane")
        self._address = address
        self._reading: PastPage | None = None
        self._title = "Page"

    def on_unmount(self) -> None:
        """Stop following the page."""
        self._close()

    def _close(self) -> None:
        if self._reading is not None:
            self._reading.close()
        self._reading = None

    def look_at(self, page: Page) -> None:
        """Compare a page of the page tree."""
        if self._reading is not None and self._reading.page.id == page.id:
            return
        self._close()
        self._title = title_of(page)
        if page.type in NO_TEXT:
            self.entitle(self._title)
            self.show_empty("This has no text of its own.")
            return
        self._reading = PastPage(self.store, self._address, page, self._compare_soon)
        self._compare()

    def reload(self) -> None:
        """Ask again for what may have changed or failed."""
        if self._reading is not None:
            self._reading.refresh()

    def _compare_soon(self) -> None:
        self.call_later(self._compare)

    @work(group="compare", exclusive=True, exit_on_error=False)
    async def _compare(self) -> None:
        if self._reading is not None:
            await self._reading.compare()
            self._show()

    def _show(self) -> None:
        reading = self._reading
        if reading is None or not self.is_attached:
            return
        diff = reading.diff
        changed = diff is not None and (diff.added or diff.removed)
        self.entitle(self._title, f"+{diff.added} -{diff.removed}" if diff is not None and changed else "")
        if reading.error is not None:
            self.show_failed("Could not load the page as it was.", str(reading.error))
        elif reading.is_gone:
            self.show_empty("This page is no longer in the space.", "1", "shows it as it was")
        elif reading.error_now is not None:
            self.show_failed("Could not load the page as it is now.", str(reading.error_now))
        elif diff is None:
            self.show_loading("the page as it was and as it is now")
        elif not (changed or reading.page.attributes):
            self.show_empty("Nothing has changed since.", "1", "shows the page")
        else:
            self.show_body()
            self._diff.show_reading(reading, (), ())
