"""The pane with the page tree: the signs beside names, the open items, and the page under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from textual.message import Message

from recto.document.text import count
from recto.frozen import frozen
from recto.store.moves import find_lifted
from recto.tui.lists.lift_tree import LiftTree
from recto.tui.lists.tree_list import TreeList
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.screens.pane import Pane
from recto.tui.screens.reading.page_index import PageIndex, PageMarks, describe_in, details, tree_of

if TYPE_CHECKING:
    from recto.contract.content import PageTree
    from recto.store.arrangement import Arrangement
    from recto.store.locations import SpaceLocation
    from recto.store.staging import Staging
    from recto.store.store import Store

_MOST_OPEN = 300
"""How many items of the tree are remembered as open or as closed."""


@frozen
class _Beginning:
    """The pages shown while only the beginning of the tree is known, and the page that the cursor was put on."""

    index: PageIndex
    page: str


class PageTreePane(Pane):
    """Shows a page tree. ``title`` stands in its border, with how many pages there are where ``counted``.

    ``arrange`` returns the pages that can be moved, ``why_not_moved`` why none can be.
    """

    @frozen
    class Passed(Message):
        """The cursor stands on a page."""

        page: str

    @frozen
    class Entered(Message):
        """The person wants to go into a page."""

        page: str

    def __init__(
        self,
        store: Store,
        title: str = "Pages",
        *,
        counted: bool = True,
        arrange: Callable[[], Arrangement],
        why_not_moved: Callable[[], str | None],
    ) -> None:
        self._tree = LiftTree(id="pages", why_not_moved=lambda: self._why_not_moved(why_not_moved))
        self._tree.mark_news(store.news)
        super().__init__(store, title, self._tree, id="tree")
        self._title = title
        self._counted = counted
        self._marks: PageMarks | None = None
        self._index: PageIndex | None = None
        self._arrange_pages = arrange
        self._staging: Staging | None = None
        self._beginning: _Beginning | None = None

    # Drawing

    def show_beginning(self, beginning: PageTree | None, wanted: SpaceLocation) -> None:
        """Show what has come of the tree, where it holds the page wanted; ``None`` takes it away again."""
        if beginning is None:
            if self._beginning is not None:
                self._beginning = None
                self._tree.show_flat(tree_of(PageIndex()))
                self.show_count()
            return
        if self._beginning is None:
            index = PageIndex.of(beginning.pages)
            page = wanted.page or index.landing
            if page is None or page not in index:
                return
            self._beginning = _Beginning(index, page)
            self._tree.show_flat(tree_of(index), page, opened=_open_in(index, wanted))
        self.show_body()
        self.show_count()

    def is_of(self, index: PageIndex) -> bool:
        """Whether the tree shows this index, or nothing and there is nothing to show."""
        return index is self._index or (self._index is None and not index.ids)

    def page_reached(self, index: PageIndex) -> str | None:
        """Return the page that the person has walked to meanwhile, in a tree of which only the beginning was known."""
        here = str(self._tree.cursor_key)
        is_walked = self._beginning is not None and here != self._beginning.page and here in index
        return here if is_walked else None

    def show(self, index: PageIndex, page: str | None = None, wanted: SpaceLocation | None = None) -> None:
        """Show a tree, with the cursor on a page and the branches of a location open where these are given."""
        begun, self._beginning = self._beginning, None
        self._index = index
        opened = _open_in(index, wanted) if wanted is not None else ()
        if begun is not None:
            # The visible part stays where it is, unless another page is to be shown.
            opened = [id for id in opened if id not in begun.index]
            page = None if page == str(self._tree.cursor_key) else page
        self._arrange(index, page, opened)
        self.show_count()

    def _arrange(self, index: PageIndex, page: str | None, opened: Collection[str] = ()) -> None:
        staging = self._staging
        self._tree.show_arranged(
            staging.arrangement if staging is not None else self._arrange_pages,
            staging.origins if staging is not None else {},
            describe_in(index, lambda: self._tree.arrangement),
            page,
            opened=opened,
            at_rest=tree_of(index) if staging is None else None,
        )

    # Moving

    def show_staging(self, staging: Staging | None, page: str | None = None) -> None:
        """Show the pages with the staged moves, and put the cursor on a page if given."""
        self._staging = staging
        if self._index is not None:
            self._arrange(self._index, page)
            if page is not None:
                self._tree.reveal(page)
        self.show_count()

    @property
    def is_lifting(self) -> bool:
        """Whether pages are lifted."""
        return self._tree.lift is not None

    def put_back(self) -> None:
        """Put lifted pages back."""
        self._tree.put_back()

    def _why_not_moved(self, ask: Callable[[], str | None]) -> str | None:
        return "no pages here yet" if self._index is None else ask()

    def mark(self, marks: PageMarks) -> None:
        """Show what stands beside names."""
        if marks != self._marks:
            self._marks = marks
            self._tree.mark(details(marks))

    def on_tree_list_filtered(self, event: TreeList.Filtered) -> None:
        """Show how many of the pages are found."""
        event.stop()
        self.show_count()

    def show_count(self) -> None:
        """Show how many pages there are, or how many of them are found."""
        if not self._counted:
            return
        if self._beginning is not None:
            self.entitle(self._title, "loading more")
            return
        tree = self._tree
        pages = self._index.count if self._index is not None else 0
        of = f"{tree.found:,} of " if tree.needle else ""
        below = f"{count(self._staging.count, 'move')} staged" if self._staging is not None else ""
        self.entitle(self._title, f"{of}{pages:,}" if pages else "", below)
        if tree.found or not tree.needle:
            if self._index is not None and self._index.ids:
                self.show_body()
        elif pages:
            self.show_empty(f"No page has “{tree.needle}” in its title.", "escape", "shows all again")

    # Going

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Post which page the cursor stands on."""
        event.stop()
        self.post_message(self.Passed(str(event.key)))

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Post which page is entered."""
        event.stop()
        self.post_message(self.Entered(str(event.key)))

    def toggle(self) -> bool:
        """Open or close the item under the cursor; returns whether it has others under it."""
        item = self._tree.current
        if item is None or not item.expandable:
            return False
        self._tree.toggle(item)
        return True

    def shows(self, page: str | None) -> bool:
        """Whether a page stands in sight."""
        row = self._tree.tree_rows.index_of(page) if page is not None else None
        top = self._tree.scroll_offset.y
        return row is not None and top <= row < top + self._tree.size.height

    @property
    def current(self) -> str | None:
        """The page under the cursor."""
        return str(self._tree.cursor_key) if self._tree.cursor_key is not None else None

    @property
    def selected(self) -> tuple[str, ...]:
        """The selected pages from top to bottom, without those that are under another of them."""
        chosen = self._tree.selected
        return find_lifted(self._tree.arrangement, map(str, chosen)) if chosen else ()

    def reveal(self, page: str) -> None:
        """Put the cursor on a page, whatever is filtered or closed."""
        if self._tree.needle:
            self._tree.find("")
        self._tree.reveal(page)

    # Open items

    @property
    def branches(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """The expanded branches or, where most are, the collapsed ones; the other is ``None``."""
        above = self._index.above if self._index is not None else frozenset()
        opened = self._tree.expanded & above
        closed = above - opened
        if len(closed) < len(opened):
            return None, tuple(sorted(closed)[:_MOST_OPEN])
        return (tuple(sorted(opened)[:_MOST_OPEN]) if above else None), None


def _open_in(index: PageIndex, location: SpaceLocation) -> Collection[str]:
    """Return the branches open at a location; the groups where it does not say."""
    if location.closed is not None:
        return index.above - set(location.closed)
    return location.opened if location.opened is not None else index.groups()
