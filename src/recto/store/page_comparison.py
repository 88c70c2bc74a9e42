"""Comparison of a page at two addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recto.client.errors import NotFound
from recto.contract.content import Content
from recto.store.page_diff import PageDiff
from recto.store.query import QueryState
from recto.store.titled_text import body_of

if TYPE_CHECKING:
    from recto.client.errors import ClientError
    from recto.contract.addresses import Address
    from recto.contract.content import Page
    from recto.store.anchors import Anchors
    from recto.store.query import OnScreen, Query
    from recto.store.review_pages import ReviewPage
    from recto.store.signal import Subscription
    from recto.store.store import Store

_LARGE = 64 * 1024
"""Characters from which texts are compared beside the event loop."""

_COMPARED = ("title", "description", "path", "emoji", "icon", "hidden", "condition")
"""The attributes that are compared if it is not known what was changed."""


class PageComparison:
    """Follows a page at two addresses; ``changed`` is called when there is more to see.

    ``None`` is an address without the page.
    """

    def __init__(
        self,
        store: Store,
        page: ReviewPage,
        before: Address | None,
        after: Address | None,
        changed: Callable[[], None],
        on_screen: OnScreen,
    ) -> None:
        self.page = page
        self.diff: PageDiff | None = None
        self.anchors: Anchors | None = None
        self._changed = changed
        self._before, self._after = (
            store.query(Content.get_page, at, page.id, format="markdown") if at is not None else None
            for at in (before, after)
        )
        self._compared: tuple[str, str] | None = None
        self._subscriptions: list[Subscription] = [
            query.watch(lambda _: self._changed(), on_screen) for query in self._queries
        ]

    @property
    def _queries(self) -> list[Query[Page]]:
        return [query for query in (self._before, self._after) if query is not None]

    @property
    def before(self) -> Page | None:
        """The earlier version."""
        return self._before.value if self._before is not None else None

    @property
    def after(self) -> Page | None:
        """The later version."""
        return self._after.value if self._after is not None else None

    @property
    def error(self) -> ClientError | None:
        """Why the page as it was is not there."""
        return self._before.error if self._before is not None and self._before.value is None else None

    @property
    def is_gone(self) -> bool:
        """Whether the page is not there any more at the later address."""
        query = self._after
        return query is not None and query.state is QueryState.FAILED and isinstance(query.error, NotFound)

    @property
    def error_after(self) -> ClientError | None:
        """Why the page is not there as it is; a page that could not be refreshed stays."""
        return self._after.error if self._after is not None and self._after.value is None else None

    async def compare(self) -> None:
        """Compare both texts when both are known; what was compared before is not compared again."""
        if any(query.value is None for query in self._queries):
            return
        texts = (body_of(self.before), body_of(self.after))
        if texts == self._compared:
            return
        large = len(texts[0]) + len(texts[1]) > _LARGE
        self.diff = await asyncio.to_thread(PageDiff, *texts) if large else PageDiff(*texts)
        self._compared = texts
        if not self.page.kinds and self.before is not None and self.after is not None:
            self.page = replace(self.page, attributes=_differences(self.before, self.after))

    def refresh(self) -> None:
        """Refresh the current page; a past page does not change."""
        if self._after is not None:
            self._after.refresh()
        if self._before is not None and self._before.state is QueryState.FAILED:
            self._before.refresh()

    def close(self) -> None:
        """Stop following the page."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()


def _differences(before: Page, after: Page) -> tuple[tuple[str, Any, Any], ...]:
    found = ((name, getattr(before, name), getattr(after, name)) for name in _COMPARED)
    return tuple((name, was, now) for name, was, now in found if (was or None) != (now or None))
