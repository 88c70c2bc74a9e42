"""The page of a space that is being read: the tree, the page and its comparison are kept on it together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.addresses import Address, AtRevision, Main
from recto.store.query import Query, QueryState
from recto.tui.look import signs
from recto.tui.screens.reading.page_index import NEW, PageIndex, title_of
from recto.tui.screens.reading.page_tree_pane import PageTreePane
from recto.tui.screens.reading.reading_pane import ReadingPane, position_of
from recto.tui.screens.space.changed_pages import ChangedPages
from recto.tui.screens.space.panels import PAGE, TREE, Panels
from recto.tui.screens.space.space_tabs import ITS_CHANGES, SINCE, Tabs

if TYPE_CHECKING:
    from recto.contract.content import PageTree
    from recto.store.locations import SpaceLocation
    from recto.tui.navigation.messages import Block
    from recto.tui.screens.space.difference import DifferencePane
    from recto.tui.screens.space.space_address import SpaceAddress
    from recto.tui.screens.view import View


class CurrentPage:
    """Opens the page that a location, the tree, a link or an edit leads to, once the page tree holds it."""

    def __init__(
        self,
        view: View[SpaceLocation],
        at: Address,
        address: SpaceAddress,
        changed: ChangedPages,
        tabs: Tabs,
        panels: Panels,
        page_tree: PageTreePane,
        reading: ReadingPane,
        difference: DifferencePane | None,
    ) -> None:
        self._view = view
        self._past = isinstance(at, AtRevision)
        self._at_main = isinstance(at, Main)
        self._address = address
        self._changed = changed
        self._tabs = tabs
        self._panels = panels
        self._page_tree = page_tree
        self._reading = reading
        self._difference = difference
        self._wanted: SpaceLocation | None = view.opened_at
        """The location to go to when the pages are there."""
        self._is_refreshing = False
        """Whether the pages may be older than the page that is wanted."""
        self._is_news = False
        """Whether the pages are those to which others have changed the space."""
        self._written: str | None = None
        """The page that was written here, until the tree holds it."""
        self._lacked: str | None = None
        """The page last reported as missing; the tree comes again with its deleted pages."""
        self._seeks_change = True
        """Whether the first changed page of a revision is to be shown once it is known."""

    @property
    def is_open(self) -> bool:
        """Whether the pages are known, and with them the page to read."""
        return self._wanted is None

    # Going to a page

    def go_to(self, location: SpaceLocation) -> bool:
        """Go to the page of a location, now or when the pages are there; whether it is shown already."""
        page = location.page
        if self._wanted is not None:
            self._wanted = location
        elif page is not None and page not in self._reading.index:
            self._view.say(self._address.lacks_page)
        elif page is not None:
            is_shown = self._reading.shown is not None and self._reading.shown.id == page
            position = position_of(location)
            self.focus(
                self._reading.visit(page, anchor=location.anchor, position=position, block=self._block_of_arrival)
            )
            return is_shown
        return False

    @property
    def _block_of_arrival(self) -> Block | None:
        return self._view.arrival.block if self._view.arrival is not None else None

    def focus(self, page: str | None) -> bool:
        """Move the focus to the page that was opened; false without a page."""
        if page is None:
            return False
        self._tabs.show_content()
        self._page_tree.reveal(page)
        self._panels.go_to(PAGE)
        return True

    def go_to_written(self, page: str) -> None:
        """Go to a page that was written here, as soon as the tree holds it."""
        self._written = page
        self._find_written()

    def _find_written(self) -> None:
        if self._written is not None and self._written in self._reading.index:
            page, self._written = self._written, None
            self.focus(self._reading.visit(page))

    def pass_over(self, page: str) -> None:
        """Show the page under the cursor of the tree."""
        if self._reading.is_deleted and self._panels.part != TREE:
            # The cursor moved by itself, since its page is gone.
            return
        if page != self._reading.page:
            self._seeks_change = False
        self._show(page)

    def _show(self, page: str) -> None:
        index = self._reading.index
        if page in index and page != self._reading.page:
            self._lacked = None
            self._reading.open(page)
        elif page not in index and (gone := self._changed.tree_of(index).pages.get(page)) is not None:
            self._show_deleted(title_of(gone))
        self.compare()

    def _show_deleted(self, title: str) -> None:
        self._reading.clear()
        self._reading.entitle(title, signs.CHANGE["deleted"].word)
        if self._past:
            self._reading.show_empty("This revision deleted this page.", "1", "shows its former text")
            return
        self._reading.show_empty("This page is deleted in the change request.", "w", "leads to main, where it still is")

    # The page tree

    def show_state(self, query: Query[PageTree], *, has_new: bool) -> None:
        """Show how far the page tree is known; ``has_new`` tells of new pages that are not sent."""
        self._is_refreshing = query.state is QueryState.REFRESHING
        self._is_news = query.is_news
        self._page_tree.show_state(query, "the pages of this revision" if self._past else "the pages")
        tree = query.value
        if tree is None:
            if self._wanted is not None or query.beginning is None:
                self._page_tree.show_beginning(query.beginning, self._wanted or self._view.opened_at)
        elif not tree.pages and not has_new and not self._has_deleted_alone:
            if self._past:
                self._page_tree.show_empty("The space had no pages then.")
            else:
                begins = [("T", "adds the pages of a template")] if self._at_main else []
                self._page_tree.show_empty("No pages yet.", "a", "writes the first one", *begins)
            self._reading.show_empty("No page to read." if self._past else "No page to read yet.")
            if self._difference is not None:
                self._difference.show_empty("No page to compare.")
            self._reading.clear()

    @property
    def _has_deleted_alone(self) -> bool:
        """Whether all pages are deleted at the address, and stand in the tree where they were."""
        index = self._reading.index
        return not index.ids and bool(self._changed.tree_of(index).ids)

    def show_tree(self, index: PageIndex) -> None:
        """Show the page tree with the deleted pages; open the page of the location when the tree is there first."""
        tree = self._changed.tree_of(index)
        if self._page_tree.is_of(tree):
            self._page_tree.show_count()
            return
        if self._has_deleted_alone:
            self._page_tree.show_body()
        wanted = self._wanted
        if wanted is not None:
            # As long as the beginning of the tree was there, the person may have walked in it.
            here = self._page_tree.page_reached(index)
            if here is None and self._is_refreshing and wanted.page is not None and wanted.page not in index:
                # A page that was just written is in no older tree.
                self._page_tree.show_loading("the pages")
                return
            self._wanted = None
            if here is not None:
                self._reading.open(here)
            else:
                self._open(wanted, index)
            self._page_tree.show(tree, self._reading.page, wanted)
        else:
            page, shown = self._reading.page, self._reading.shown
            if page is not None and page not in index and (not shown or shown.type != NEW) and page != self._lacked:
                self._lacked = page
                if self._is_news and shown is not None and self._panels.part != TREE:
                    self._reading.mark_deleted()
                else:
                    self._view.say(self._address.lacks_page)
            self._page_tree.show(tree, self._written if self._written in index else None)
            self._find_written()

    def _open(self, wanted: SpaceLocation, index: PageIndex) -> None:
        """Read the page of a location, else show the first page; of a revision the first changed page."""
        if not index.ids:
            return
        if wanted.page is not None and wanted.page in index:
            block = self._block_of_arrival
            self._reading.visit(wanted.page, anchor=wanted.anchor, position=position_of(wanted), block=block)
            return
        if wanted.page is not None:
            self._view.arrival = None
            self._view.say(self._address.lacks_page)
        changed = self._changed.pages if self._past else {}
        self._reading.open(next((page for page in index.ids if page in changed), index.landing or index.ids[0]))

    # Changes

    @property
    def has_tree(self) -> bool:
        """Whether there are pages, or deleted pages, to show in the tree."""
        return bool(self._reading.index.ids) or self._has_deleted_alone

    def find_change(self) -> None:
        """Show the first changed page where this page was not changed; a page requested by address as it was."""
        changed = self._changed.pages
        if self._tabs.current != ITS_CHANGES or not changed or not self._seeks_change:
            return
        self._seeks_change = False
        if self._reading.page in changed:
            return
        opened_at = self._view.opened_at
        if opened_at.page is not None and opened_at.panel != TREE:
            self._tabs.show_content()
            return
        tree = self._changed.tree_of(self._reading.index)
        if (first := next((id for id in tree.ids if id in changed), None)) is not None:
            self._page_tree.reveal(first)
            self._show(first)

    def compare(self) -> None:
        """Compare the page with its version before or after the revision, on the tabs that show that."""
        here = self._reading.page or self._page_tree.current or ""
        tree = self._changed.tree_of(self._reading.index)
        page = tree.pages.get(here)
        if self._difference is None or page is None:
            return
        self._difference.titles = tree.titles
        if self._tabs.current == ITS_CHANGES:
            self._difference.show_change(page, self._changed)
        elif self._tabs.current == SINCE:
            self._difference.show_since(page)
