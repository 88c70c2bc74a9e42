"""The page tree of a space as it is walked: what stands beside names, and where the cursor is put."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.worker import Worker, WorkerError

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.content import Content, PageTree
from recto.contract.unread import unread_of
from recto.tui.screens.reading.page_index import Marks, PageIndex, details, tree_of
from recto.tui.screens.reading.reader import Reader, position_of
from recto.tui.screens.space.layout import PAGE, TREE

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.changes import Changes
    from recto.contract.comments import Comment
    from recto.store.editing import Editing
    from recto.store.locations import SpaceLocation
    from recto.store.query import Query
    from recto.tui.lists.tree_rows import Flat
    from recto.tui.screens.space.base import SpaceBase
    from recto.tui.screens.space.neighbours import Neighbours
    from recto.tui.screens.space.talk_lists import Lists

_MOST_OPEN = 300
"""How many items of the tree are remembered as open or as closed."""

_MOST_CHANGES = 1000

_MANY = 1000
"""From this many pages on they are made known in parts, between which the event loop is free."""

_GONE = "The page you were on is no longer in this space."


@dataclass(frozen=True, slots=True)
class _Begun:
    """What the tree shows as long as only its beginning is known, and the page that the cursor was put on."""

    index: PageIndex
    page: str


class Walk:
    """Shows the tree and remembers what is open in it; ``wanted`` is the location to go to when the pages are there."""

    def __init__(
        self,
        view: SpaceBase,
        space: str,
        reader: Reader,
        lists: Lists,
        edits: Editing,
        neighbours: Neighbours,
        wanted: SpaceLocation,
    ) -> None:
        self._view = view
        self._space = space
        self._reader = reader
        self._lists = lists
        self._edits = edits
        self._neighbours = neighbours
        self.wanted: SpaceLocation | None = wanted
        self._marks: Marks | None = None
        self._shown: PageIndex | None = None
        self._begun: _Begun | None = None
        self._pages: Query[PageTree] | None = None
        self._knowing: Worker[None] | None = None
        self._changes: Query[Changes] | None = None

    def begin(self) -> None:
        """Show the pages where they are known."""
        if self._view.store.known(Content.list_pages, Main(self._space)) is not None:
            self._follow()
        else:
            self._view.panels.panel(TREE).show_loading("the pages")

    def _follow(self) -> Query[PageTree]:
        if self._pages is None:
            self._pages = self._view.store.query(Content.list_pages, Main(self._space))
            self._view.follow(self._pages, self._show_pages)
        return self._pages

    async def ask(self) -> None:
        """Follow the pages, and wait until they are there or are known not to come."""
        await self._follow().settled()
        if self._knowing is not None:
            with suppress(WorkerError):
                await self._knowing.wait()

    def refresh(self) -> None:
        """Ask for the pages anew."""
        self._follow().refresh()

    def _show_pages(self, query: Query[PageTree]) -> None:
        panel = self._view.panels.panel(TREE)
        panel.show_state(query, "the pages")
        tree = query.value
        if tree is None:
            self._show_beginning(query.beginning)
            return
        if not tree.pages:
            panel.show_empty("The pages of this space would be here.", "a", "makes the first one")
            self._view.panels.panel(PAGE).show_empty("There is no page to read yet.")
            self._reader.close()
        if self._knowing is not None:
            self._knowing.cancel()
            self._knowing = None
        index = self._reader.index
        if tree.pages is not index.roots:
            index = PageIndex.of(tree.pages, unread_of(tree))
        # What is known beforehand is there with the first frame.
        if len(index.ids) >= _MANY and self._view.is_mounted:
            self._knowing = self._view.work(self._know_many(index), "pages")
        else:
            self._know(index)

    def _know(self, index: PageIndex) -> None:
        if index is not self._reader.index:
            self._reader.know(index)
        self.show()
        self.filtered()

    async def _know_many(self, index: PageIndex) -> None:
        await index.prepare()
        self._know(index)

    def _show_beginning(self, beginning: PageTree | None) -> None:
        """Let what has come be seen where it holds the page to go to; the reader waits until all pages are known."""
        tree, wanted = self._view.panels.page_tree, self.wanted
        if beginning is None:
            if self._begun is not None:
                self._begun = None
                tree.show_flat(tree_of(PageIndex()))
                self.filtered()
            return
        if wanted is None:
            return
        if self._begun is None:
            index = PageIndex.of(beginning.pages)
            page = wanted.page or index.landing
            if page is None or page not in index:
                return
            self._begun = _Begun(index, page)
            tree.show_flat(tree_of(index), page, opened=self._remembered(wanted, index))
        self._view.panels.panel(TREE).show_body()
        self.filtered()

    def filtered(self) -> None:
        """Say how many pages there are, and how many of them are shown."""
        panel, tree = self._view.panels.panel(TREE), self._view.panels.page_tree
        if self._begun is not None:
            panel.entitle("Pages", "loading more")
            return
        count = self._reader.index.count
        of = f"{tree.found:,} of " if tree.needle else ""
        panel.entitle("Pages", f"{of}{count:,}" if count else "")
        if tree.found or not tree.needle:
            if count:
                panel.show_body()
        elif count:
            panel.show_empty(f"No page has “{tree.needle}” in its title.", "esc", "shows all again")

    def show(self) -> None:
        """Show the tree where it has changed, and what is to stand beside names now."""
        index = self._reader.index
        marks = Marks(
            Counter(page for one in self._lists.comments if one.status != "resolved" and (page := _page_of(one))),
            _changed_pages(self._changes.value if self._changes is not None else None),
            (),
            frozenset(self._edits.drafts),
            self._neighbours.broken.counts,
        )
        tree = self._view.panels.page_tree
        if marks != self._marks:
            self._marks = marks
            tree.mark(details(marks))
        if index is self._shown or (self._shown is None and not index.roots):
            return
        self._shown = index
        flat = tree_of(index)
        wanted, self.wanted = self.wanted, None
        begun, self._begun = self._begun, None
        if wanted is None:
            if self._reader.page is not None and self._reader.page not in index:
                self._view.say(_GONE)
            tree.show_flat(flat)
        elif begun is None:
            self._go(wanted, index)
            tree.show_flat(flat, self._reader.page, opened=self._remembered(wanted, index))
        else:
            self._go_on(wanted, index, flat, begun)

    def _go_on(self, wanted: SpaceLocation, index: PageIndex, flat: Flat, begun: _Begun) -> None:
        """Show the tree whose beginning was seen, in which the person may have walked and opened things meanwhile."""
        tree = self._view.panels.page_tree
        here = str(tree.cursor_key)
        if here != begun.page and here in index:
            self._reader.open(here)
        else:
            self._go(wanted, index)
        opened = [page for page in self._remembered(wanted, index) if page not in begun.index]
        # What one sees stays where it is, unless another page is to be gone to.
        tree.show_flat(flat, None if self._reader.page == here else self._reader.page, opened=opened)

    def _go(self, wanted: SpaceLocation, index: PageIndex) -> None:
        """Read the page of a location, else show the one that a reader sees first."""
        page = wanted.page
        if page is not None and page not in index:
            self._view.say(_GONE)
        if page in index:
            position = position_of(wanted)
            self._reader.visit(str(page), anchor=wanted.anchor, position=position)
        else:
            self._reader.open(index.landing or index.roots[0].id)

    def follow_changes(self, target: ChangeRequest | None) -> None:
        """Mark the pages that are changed in the change request that edits go to."""
        if target is None:
            self._changes = None
            self._view.follow_instead("changes", self._show_changes)
            self.show()
        elif self._changes is None or self._changes.key.argument("change_request_id") != target.id:
            from recto.contract.changes import ContentChanges

            self._changes = self._view.store.query(
                ContentChanges.list_changes, InChangeRequest(self._space, target.id), limit=_MOST_CHANGES
            )
            self._view.follow_instead("changes", self._show_changes, self._changes)

    def _show_changes(self, _query: Query[Changes]) -> None:
        self.show()

    def reveal(self, page: str) -> None:
        """Put the cursor on a page, whatever is filtered or closed."""
        tree = self._view.panels.page_tree
        if tree.needle:
            tree.find("")
        tree.reveal(page)

    def branches(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """Return the expanded branches or, where most are, the collapsed ones: one of the two is ``None``."""
        above = self._reader.index.above
        opened = self._view.panels.page_tree.expanded & above
        closed = above - opened
        if len(closed) < len(opened):
            return None, tuple(sorted(closed)[:_MOST_OPEN])
        return (tuple(sorted(opened)[:_MOST_OPEN]) if above else None), None

    @staticmethod
    def _remembered(location: SpaceLocation, index: PageIndex) -> Collection[str]:
        """Return what was open; the groups where nothing is known of it."""
        if location.closed is not None:
            return index.above - set(location.closed)
        return location.opened if location.opened is not None else index.groups()


def _page_of(comment: Comment) -> str | None:
    return comment.target.page.id if comment.target.page is not None else None


def _changed_pages(changes: Changes | None) -> frozenset[str]:
    pages = (getattr(change, "page", None) for change in (changes.changes if changes is not None else ()))
    return frozenset(page.id for page in pages if page is not None)
