"""The difference that a past revision made to a page, and the difference from now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual import work

from recto.contract.addresses import AtRevision, Main
from recto.store.page_comparison import PageComparison
from recto.store.review_pages import DELETED, NEW, ReviewPage
from recto.store.titled_text import title_lines
from recto.tui.lists.diff_list import DiffList
from recto.tui.look import signs
from recto.tui.screens.pane import Pane
from recto.tui.screens.reading.page_index import NO_TEXT, title_of

if TYPE_CHECKING:
    from recto.contract.addresses import Address
    from recto.contract.content import Page
    from recto.store.store import Store
    from recto.tui.screens.space.changed_pages import ChangedPages

_WAS = "2", "shows the page as it was"


class DifferencePane(Pane):
    """Compares a page with its version before a revision, or with the current version; loads when first shown."""

    def __init__(self, store: Store, at: AtRevision) -> None:
        self._diff = DiffList(store.clock, id="difference")
        super().__init__(store, "Page", self._diff, id="difference-pane")
        self._at = at
        self._comparison: PageComparison | None = None
        self._compared: tuple[str, Address | None, Address | None] | None = None
        self._title = "Page"
        self._since = False
        self.titles: Mapping[str, str] = {}
        """The titles of the pages, by id and by path, which are shown in place of their addresses."""

    def on_unmount(self) -> None:
        """Stop following the page."""
        self._close()

    def _close(self) -> None:
        if self._comparison is not None:
            self._comparison.close()
        self._comparison = self._compared = None

    # Comparing

    def show_change(self, page: Page, changed: ChangedPages) -> None:
        """Show what the revision changed of a page, as far as that is known."""
        self._since = False
        change, base = changed.pages.get(page.id), changed.base
        if changed.query is None:
            self._show_nothing(page, "")
            self.show_loading("what this revision changed")
        elif changed.query.value is None:
            self._show_nothing(page, "")
            self.show_state(changed.query, "the changes of a revision")
        elif change is None:
            self._show_nothing(page, "This revision did not change this page.")
        elif base is None and NEW not in change.kinds:
            self._show_nothing(page, "")
            self.show_loading("what this revision changed")
        else:
            before = None if NEW in change.kinds or base is None else AtRevision(self._at.space, base)
            self._look_at(page, change, before, None if DELETED in change.kinds else self._at)

    def show_since(self, page: Page) -> None:
        """Show how a page differs from the page now."""
        self._since = True
        if page.type in NO_TEXT:
            self._show_nothing(page, "This entry has no text.")
        else:
            self._look_at(page, ReviewPage(page.id, page.title, page.type), self._at, Main(self._at.space))

    def _show_nothing(self, page: Page, says: str) -> None:
        self._close()
        self.entitle(title_of(page))
        if says:
            self.show_empty(says, *_WAS)

    def _look_at(self, page: Page, change: ReviewPage, before: Address | None, after: Address | None) -> None:
        if self._compared == (page.id, before, after):
            return
        self._close()
        self._title = title_of(page)
        self._compared = (page.id, before, after)
        self._comparison = PageComparison(self.store, change, before, after, self._compare_soon, self.is_uncovered)
        self._compare()

    @property
    def line_here(self) -> int:
        """The line of the page as it was under the cursor, or the nearest to it, counted from 1 with the title."""
        comparison, place = self._comparison, self._diff.cursor_line
        if comparison is None or comparison.diff is None or place is None:
            return 1
        diff = comparison.diff
        page, line = (
            (comparison.before, diff.old_number_at(place))
            if self._since
            else (comparison.after, diff.new_number_at(place))
        )
        return line + title_lines(page) if page is not None and line is not None else 1

    def reload(self) -> None:
        """Ask again for what may have changed or failed."""
        if self._comparison is not None:
            self._comparison.refresh()

    # Drawing

    def _compare_soon(self) -> None:
        self.call_later(self._compare)

    @work(group="compare", exclusive=True, exit_on_error=False)
    async def _compare(self) -> None:
        if self._comparison is not None:
            await self._comparison.compare()
            self._show()

    def _show(self) -> None:
        comparison = self._comparison
        if comparison is None or not self.is_attached:
            return
        diff = comparison.diff
        changed = diff is not None and (diff.added or diff.removed)
        kinds = [signs.sign(signs.CHANGE, kind).word for kind in comparison.page.kinds]
        counted = [f"+{diff.added} -{diff.removed}"] if diff is not None and changed else []
        self.entitle(self._title, "  ".join([", ".join(kinds), *counted] if kinds else counted))
        if comparison.error is not None:
            self.show_failed("Could not load the page as it was.", str(comparison.error))
        elif self._since and comparison.is_gone:
            self.show_empty("This page is no longer in the space.", *_WAS)
        elif comparison.error_after is not None:
            now = "as it is now" if self._since else "as the revision left it"
            self.show_failed(f"Could not load the page {now}.", str(comparison.error_after))
        elif diff is None:
            self.show_loading("the page as it was and as it is now" if self._since else "what this revision changed")
        elif self._since and not (changed or comparison.page.attributes):
            self.show_empty("Nothing has changed since.", *_WAS)
        else:
            self.show_body()
            self._diff.show_reading(comparison, titles=self.titles)
