"""The changes of a change request or a revision: its pages, the places of deleted pages, and the lines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from recto.client.errors import Unsupported
from recto.contract.addresses import Address, AtRevision, InChangeRequest
from recto.contract.content import Content, Page
from recto.tui.look import signs
from recto.tui.screens.reading.page_index import PageIndex, with_deleted

if TYPE_CHECKING:
    from recto.contract.changes import Changes
    from recto.contract.content import PageTree
    from recto.store.query import Query
    from recto.store.review_pages import ReviewPage
    from recto.tui.screens.interactive import Interactive


class ChangedPages:
    """Follows the changes at an address; ``changed`` is called when more are known. Main has none."""

    def __init__(self, owner: Interactive, at: Address, changed: Callable[[], None]) -> None:
        self._owner = owner
        self._at = at
        self._changed = changed
        self.query: Query[Changes] | None = None
        """The changes, once they are requested."""
        self.base: str | None = None
        """The revision from which the change request began, or the one before the revision."""
        self._before: Query[PageTree] | None = None
        self.pages: Mapping[str, ReviewPage] = {}
        """The pages that are changed, by id."""
        self.marked = True
        """Whether changed lines are marked in the page."""
        self._deleted: frozenset[str] = frozenset()
        self._tree: tuple[tuple[object, ...], PageIndex] | None = None

    def begin(self) -> None:
        """Ask for the changes."""
        if self.query is None and isinstance(self._at, InChangeRequest | AtRevision):
            from recto.contract.changes import MAX_LISTED, ContentChanges

            self.query = self._owner.store.query(ContentChanges.list_changes, self._at, limit=MAX_LISTED)
            self._owner.follow(self.query, self._take)

    def reload(self) -> None:
        """Ask again, for what could not be loaded."""
        for query in (self.query, self._before):
            if query is not None and query.value is None:
                query.refresh()

    def know_base(self, base: str) -> None:
        """Take over from which revision the change request began, or which was before the revision."""
        if base != self.base:
            self.base = base
            self._before = None
            self._find_deleted()
            # Only now are the changes of a page known.
            self._changed()

    def _take(self, query: Query[Changes]) -> None:
        if query.value is not None:
            from recto.store.review_pages import DELETED, review_pages

            self.pages = {page.id: page for page in review_pages(query.value)}
            self._deleted = frozenset(id for id, page in self.pages.items() if DELETED in page.kinds)
            self._find_deleted()
        self._changed()

    @property
    def is_not_offered(self) -> bool:
        """Whether the server has turned out not to list changes."""
        return self.query is not None and self.query.value is None and isinstance(self.query.error, Unsupported)

    def word_of(self, page: str | None) -> str:
        """Return the word for the change of a page; empty for an unchanged page."""
        if self.is_not_offered:
            return "changes unknown"
        changed = self.pages.get(page or "")
        return signs.sign(signs.CHANGE, changed.kind).word if changed is not None else ""

    def why_no_changes(self, page: str | None) -> str | None:
        """Return why there are no changes of a page to go to, or ``None``."""
        if not isinstance(self._at, InChangeRequest):
            return "only in a change request; ‹space.choose_address› chooses one"
        if page is None:
            return "no page is shown"
        is_known = self.query is not None and self.query.value is not None
        return "this page is not changed here" if is_known and page not in self.pages else None

    # Deleted pages

    def has_deleted(self, page: str | None) -> bool:
        """Whether a page is deleted at the address."""
        return page in self._deleted

    def _find_deleted(self) -> None:
        """Ask where the deleted pages were."""
        if self._before is None and self.base is not None and self._deleted:
            at = AtRevision(self._at.space, self.base)
            self._before = self._owner.store.query(Content.list_pages, at)
            self._owner.follow_instead("before", lambda _: self._changed(), self._before)

    def tree_of(self, index: PageIndex) -> PageIndex:
        """Return a page tree with the deleted pages where they were."""
        before = self._before.value if self._before is not None else None
        if before is None or not self._deleted:
            return index
        key = (index, before, self._deleted)
        if self._tree is None or any(one is not other for one, other in zip(self._tree[0], key, strict=True)):
            self._tree = (key, PageIndex.of(with_deleted(index.order.roots, before.pages, self._deleted)))
        return self._tree[1]

    # Lines

    async def lines_of(self, page: Page) -> Mapping[int, str]:
        """Return what was done to lines of a page, counted from 0, as ``changed_lines`` does; none of a new page."""
        changed = self.pages.get(page.id)
        if changed is None:
            return {}
        from recto.store.review_pages import NEW, changed_lines

        if NEW in changed.kinds or self.base is None:
            return {}
        at = AtRevision(self._at.space, self.base)
        before = (await self._owner.store.query(Content.get_page, at, page.id, format="markdown").wait()).value
        if before is None:
            # The page can be read without marks, and the review says what failed.
            return {}
        return await asyncio.to_thread(changed_lines, before.markdown or "", page.markdown or "")
