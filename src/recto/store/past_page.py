"""A page as it was at a past revision, and how it differs from the page now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recto.client.errors import NotFound
from recto.contract.addresses import Address, Main
from recto.contract.content import Content
from recto.store.page_diff import PageDiff
from recto.store.page_text import body_of
from recto.store.query import QueryState
from recto.store.review_pages import ReviewPage

if TYPE_CHECKING:
    from recto.client.errors import ClientError
    from recto.contract.content import Page
    from recto.store.anchors import Anchors
    from recto.store.signal import Subscription
    from recto.store.store import Store

_LARGE = 64 * 1024
"""Characters from which texts are compared beside the event loop."""

_COMPARED = ("title", "description", "path", "emoji", "icon", "hidden", "condition")
"""What of a page is compared besides its text."""


class PastPage:
    """Follows one page at a past revision and as it is now; ``changed`` is called when there is more to see."""

    def __init__(self, store: Store, content: Address, page: Page, changed: Callable[[], None]) -> None:
        self.page = ReviewPage(page.id, page.title, page.type)
        self.diff: PageDiff | None = None
        self.anchors: Anchors | None = None
        self._changed = changed
        self._then = store.query(Content.get_page, content, page.id, format="markdown")
        self._now = store.query(Content.get_page, Main(content.space), page.id, format="markdown")
        self._compared: tuple[str, str] | None = None
        self._subscriptions: list[Subscription] = [
            query.watch(lambda _: self._changed()) for query in (self._then, self._now)
        ]

    @property
    def then(self) -> Page | None:
        """The page as it was."""
        return self._then.value

    @property
    def now(self) -> Page | None:
        """The page as it is."""
        return self._now.value

    @property
    def error(self) -> ClientError | None:
        """Why the page as it was is not there."""
        return self._then.error if self._then.value is None else None

    @property
    def is_gone(self) -> bool:
        """Whether the page is no longer in the space."""
        return self._now.state is QueryState.FAILED and isinstance(self._now.error, NotFound)

    @property
    def error_now(self) -> ClientError | None:
        """Why the page is not there as it is now; a page that could not be refreshed stays."""
        return self._now.error if self._now.value is None else None

    async def compare(self) -> None:
        """Compare both texts when both are known; what was compared before is not compared again."""
        if self.then is None or self.now is None:
            return
        texts = (body_of(self.then), body_of(self.now))
        if texts == self._compared:
            return
        large = len(texts[0]) + len(texts[1]) > _LARGE
        self.diff = await asyncio.to_thread(PageDiff, *texts) if large else PageDiff(*texts)
        self._compared = texts
        self.page = ReviewPage(
            self.page.id, self.then.title, self.then.type, attributes=_differences(self.then, self.now)
        )

    def refresh(self) -> None:
        """Refresh the page as it is now; a past one does not change."""
        self._now.refresh()
        if self._then.state is QueryState.FAILED:
            self._then.refresh()

    def close(self) -> None:
        """Follow the page no more."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()


def _differences(then: Page, now: Page) -> tuple[tuple[str, Any, Any], ...]:
    found = ((name, getattr(then, name), getattr(now, name)) for name in _COMPARED)
    return tuple((name, before, after) for name, before, after in found if (before or None) != (after or None))
