"""A changed page on the screen: its texts before and after, their differences, and the places of its blocks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.content import Content
from recto.document.merge.text_merge import find_conflicts
from recto.store.anchors import Anchors, find_anchors
from recto.store.page_diff import PageDiff
from recto.store.query import QueryState
from recto.store.review_pages import DELETED, NEW, PageCount
from recto.store.titled_text import body_of

if TYPE_CHECKING:
    from recto.client.errors import ClientError
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.content import Page
    from recto.store.query import OnScreen, Query
    from recto.store.review_pages import ReviewPage
    from recto.store.signal import Subscription
    from recto.store.store import Store

_LARGE = 64 * 1024
"""Characters from which texts are compared beside the event loop."""

_AT_ONCE = 4
"""How many pages are asked for at the same time to count their lines."""

_PORTION = 30
"""How many pages out of sight are counted before their counts are shown."""


class PageReading:
    """Follows the texts of a changed page; ``changed`` is called when there is more to see.

    With ``rich`` also its rich text, by which blocks are known to comments.
    """

    def __init__(
        self,
        store: Store,
        request: ChangeRequest,
        key: str,
        page: ReviewPage,
        changed: Callable[[], None],
        *,
        on_screen: OnScreen = lambda: True,
        rich: bool = True,
    ) -> None:
        self.page = page
        self.diff: PageDiff | None = None
        self.anchors: Anchors | None = None
        self.has_newer = False
        """Whether others have changed the page since; ``refresh`` takes that."""
        self._changed = changed
        self._read_texts: tuple[str, str] | None = None
        self._read_document: object = None
        self._subscriptions: list[Subscription] = []
        self._before: Query[Page] | None = None
        self._after: Query[Page] | None = None
        self._rich: Query[Page] | None = None
        if NEW not in page.kinds:
            self._before = store.query(
                Content.get_page, AtRevision(request.space, request.base), page.id, format="markdown"
            )
        if DELETED not in page.kinds:
            at = InChangeRequest(request.space, key)
            self._after = store.query(Content.get_page, at, page.id, format="markdown")
            if rich:
                self._rich = store.query(Content.get_page, at, page.id, format="document")
        for query in self._queries:
            self._subscriptions.append(query.watch(lambda _: self._changed(), on_screen))

    @property
    def _queries(self) -> list[Query[Any]]:
        return [query for query in (self._before, self._after, self._rich) if query is not None]

    @property
    def after(self) -> Page | None:
        """The page as the change request has it."""
        return self._after.value if self._after is not None else None

    @property
    def before(self) -> Page | None:
        """The earlier version."""
        return self._before.value if self._before is not None else None

    @property
    def error(self) -> ClientError | None:
        """Why a text could not be loaded."""
        failed = (query for query in (self._before, self._after) if query is not None)
        return next((query.error for query in failed if query.state is QueryState.FAILED), None)

    @property
    def is_behind(self) -> bool:
        """Whether there is a newer revision, and it is not known yet whether that changed the page."""
        return any(query.is_behind for query in self._queries)

    @property
    def is_loading(self) -> bool:
        """Whether a text is still on its way."""
        return any(query is not None and query.value is None for query in (self._before, self._after))

    async def compare(self) -> bool:
        """Compare the texts as far as they are known; return whether anything is new."""
        if self.is_loading:
            return False
        texts = (body_of(self.before), body_of(self.after))
        document = self._rich.value.document if self._rich is not None and self._rich.value is not None else None
        if texts == self._read_texts and document is self._read_document:
            return False
        if self._is_newer(texts, document):
            # The text does not change under the reader.
            self.has_newer = True
            return False
        self.has_newer = False
        large = len(texts[0]) + len(texts[1]) > _LARGE
        if texts != self._read_texts or self.diff is None:
            self.diff = await asyncio.to_thread(PageDiff, *texts) if large else PageDiff(*texts)
        if document is not None:
            found = (
                await asyncio.to_thread(find_anchors, texts[1], document) if large else find_anchors(texts[1], document)
            )
            self.anchors = found
        else:
            self.anchors = None
        self._read_texts, self._read_document = texts, document
        return True

    def _is_newer(self, texts: tuple[str, str], document: object) -> bool:
        """Whether others have changed what was compared: the text or the rich text arrives first."""
        if self._after is not None and self._after.is_news and self._read_texts not in (None, texts):
            return True
        return self._rich is not None and self._rich.is_news and self._read_document not in (None, document)

    async def wait(self) -> None:
        """Wait until nothing is being loaded."""
        for query in self._queries:
            await query.wait()

    def refresh(self) -> None:
        """Refresh the texts."""
        for query in self._queries:
            query.refresh()

    def close(self) -> None:
        """Stop following the texts."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()


class PageCounts:
    """The lines added and removed in each changed page of a change request, counted without opening the page."""

    def __init__(self, store: Store, key: str) -> None:
        self._store = store
        self._key = key
        self._known = store.page_counts
        self._of: dict[str, PageCount] = {}

    def of(self, page: ReviewPage) -> tuple[int, int] | None:
        """Return the lines added and removed; ``None`` where they are not counted, or the text is not changed."""
        count = self._of.get(page.id)
        return (count.added, count.removed) if count is not None else None

    @property
    def has_markers(self) -> bool:
        """Whether the text of a page, of those that are counted, holds conflict markers."""
        return any(count.has_markers for count in self._of.values())

    def identify(self, request: ChangeRequest, pages: Sequence[ReviewPage]) -> tuple[tuple[str, ...], ...]:
        """Return what differs when lines are to be counted again."""
        return tuple(self._identity(page, request) for page in pages)

    def find_uncounted(self, request: ChangeRequest, pages: Sequence[ReviewPage]) -> list[ReviewPage]:
        """Return the pages with another text whose lines are not counted yet."""
        return [page for page in pages if page.has_new_text and self._known.get(self._identity(page, request)) is None]

    async def count(
        self,
        request: ChangeRequest,
        pages: Sequence[ReviewPage],
        changed: Callable[[], None] = lambda: None,
        in_sight: Callable[[], Sequence[str]] = lambda: (),
        read: str | None = None,
    ) -> None:
        """Count the pages not counted yet, in portions, those first whose ids are ``in_sight``.

        ``changed`` is called after each portion. A page that fails is left out. The page that is ``read`` keeps its
        count: to ask for its text would move it under its reader.
        """
        wanted = [page for page in pages if page.has_new_text and page.id != read]
        known = {page.id: self._known.get(self._identity(page, request)) for page in wanted}
        known |= {id: count for id, count in self._of.items() if id == read}
        self._of = {id: count for id, count in known.items() if count is not None}
        if self._of:
            changed()
        waiting = {page.id: page for page in wanted if page.id not in self._of}
        at_once = asyncio.Semaphore(_AT_ONCE)

        async def count_page(page: ReviewPage) -> None:
            async with at_once:
                reading = PageReading(self._store, request, self._key, page, lambda: None, rich=False)
                try:
                    await reading.wait()
                    await reading.compare()
                finally:
                    reading.close()
            if reading.diff is not None and reading.error is None:
                self.note(page, request, reading.diff)

        while waiting:
            seen = [id for id in in_sight() if id in waiting]
            portion = [waiting.pop(id) for id in (seen or islice(list(waiting), _PORTION))]
            await asyncio.gather(*map(count_page, portion))
            changed()

    def note(self, page: ReviewPage, request: ChangeRequest, diff: PageDiff) -> bool:
        """Take the counts of a page that was compared; whether they are news."""
        count = PageCount(diff.added, diff.removed, not find_conflicts(diff.after).clean)
        self._known.put(self._identity(page, request), count)
        news = self._of.get(page.id) != count
        self._of[page.id] = count
        return news

    @property
    def total(self) -> tuple[int, int]:
        """The lines added and removed in all pages that are counted."""
        counts = self._of.values()
        return sum(count.added for count in counts), sum(count.removed for count in counts)

    def _identity(self, page: ReviewPage, request: ChangeRequest) -> tuple[str, ...]:
        # What the platform says of a new page does not differ when its text is changed further.
        text = request.revision if NEW in page.kinds else page.fingerprint
        return self._key, page.id, text, request.base
