"""The page tree at an address, made into an index that a screen hands to its panes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recto.contract.content import Content, PageTree
from recto.contract.unread import unread_of
from recto.tui.screens.reading.page_index import PageIndex

if TYPE_CHECKING:
    from recto.contract.addresses import Address
    from recto.store.editing import NewPage
    from recto.store.query import Query
    from recto.tui.screens.interactive import Interactive


class Pages:
    """Follows a page tree for a screen.

    ``changed`` is called with each state of the query, ``known`` with the index when it is ready.
    """

    def __init__(
        self,
        owner: Interactive,
        address: Address,
        changed: Callable[[Query[PageTree]], None],
        known: Callable[[PageIndex], None],
    ) -> None:
        self._owner = owner
        self._address = address
        self._changed = changed
        self._known = known
        self._query: Query[PageTree] | None = None
        self._index = PageIndex()
        self._new: tuple[NewPage, ...] = ()

    def begin(self) -> bool:
        """Follow the page tree if it is already in the store; returns whether it is."""
        if is_known := self._owner.store.known(Content.list_pages, self._address) is not None:
            self.follow()
        return is_known

    def follow(self) -> Query[PageTree]:
        """Ask for the page tree, once."""
        if self._query is None:
            self._query = self._owner.store.query(Content.list_pages, self._address)
            self._owner.follow(self._query, self._take)
        return self._query

    async def ask(self) -> None:
        """Ask for the page tree and wait until it is there, or is known not to come."""
        await self.follow().wait()

    def reload(self) -> None:
        """Ask again."""
        self.follow().refresh()

    def show_new(self, new: tuple[NewPage, ...]) -> None:
        """Show new pages that are not sent where they will stand."""
        if new != self._new:
            self._new = new
            if self._query is not None:
                self._take(self._query)

    def _take(self, query: Query[PageTree]) -> None:
        self._changed(query)
        tree = query.value
        if tree is None:
            return
        index = self._index
        if tree.pages is not index.roots or self._new != index.new:
            index = PageIndex.of(tree.pages, unread_of(tree), self._new)
        self._index = index
        self._known(index)
