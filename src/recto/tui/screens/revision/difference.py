"""How a page of a past revision differs from the page now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work
from textual.app import ComposeResult
from textual.containers import Container

from recto.contract.addresses import Address
from recto.store.past_page import PastPage
from recto.tui.lists.diff_list import DiffList
from recto.tui.screens.reading.page_index import NO_TEXT, title_of
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.store.store import Store


class DifferencePane(Container):
    """Compares a page of a content with the page now; nothing is asked before a page is looked at."""

    def __init__(self, store: Store, content: Address) -> None:
        super().__init__(id="difference-pane")
        self._store = store
        self._content = content
        self._reading: PastPage | None = None
        self._title = "Page"

    def compose(self) -> ComposeResult:
        """Put the diff."""
        yield Panel("Page", DiffList(self._store.clock, id="difference"), id="difference-panel")

    def on_unmount(self) -> None:
        """Follow the page no more."""
        self._close()

    def _close(self) -> None:
        if self._reading is not None:
            self._reading.close()
        self._reading = None

    def look_at(self, page: Page) -> None:
        """Compare a page, as the page tree tells of it."""
        if self._reading is not None and self._reading.page.id == page.id:
            return
        self._close()
        self._title = title_of(page)
        if page.type in NO_TEXT:
            panel = self.query_one(Panel)
            panel.entitle(self._title)
            panel.show_empty("This has no text of its own.")
            return
        self._reading = PastPage(self._store, self._content, page, self._hear)
        self._compare()

    def refresh_texts(self) -> None:
        """Ask anew for what may have changed or failed."""
        if self._reading is not None:
            self._reading.refresh()

    def _hear(self) -> None:
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
        panel = self.query_one(Panel)
        diff = reading.diff
        changed = diff is not None and (diff.added or diff.removed)
        panel.entitle(self._title, f"+{diff.added} -{diff.removed}" if diff is not None and changed else "")
        if reading.error is not None:
            panel.show_failed("Could not load the page as it was.", str(reading.error))
        elif reading.is_gone:
            panel.show_empty("This page is no longer in the space.", "1", "shows it as it was")
        elif reading.error_now is not None:
            panel.show_failed("Could not load the page as it is now.", str(reading.error_now))
        elif diff is None:
            panel.show_loading("the page as it was and as it is now")
        elif not (changed or reading.page.attributes):
            panel.show_empty("Nothing has changed since.", "1", "shows the page")
        else:
            panel.show_body()
            self.query_one(DiffList).show_reading(reading, (), ())
