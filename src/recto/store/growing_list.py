"""Lists that are loaded in portions, on demand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from recto.frozen import frozen
from recto.store.query import Listing, LoadCached, Publish, Query, QueryState

if TYPE_CHECKING:
    from recto.client.errors import ClientError
    from recto.store.query_keys import QueryKey
    from recto.store.tasks import Tasks

T = TypeVar("T")


@frozen
class Grown(Listing[T], Generic[T]):
    """The items of a list so far; ``rest`` is needed to go on."""

    rest: Any = None


LoadMore = Callable[["Grown[T] | None"], Awaitable["Grown[T]"]]
"""Returns a list with its next portion, given the list so far (``None`` before the first)."""


class GrowingList(Query[Grown[T]]):
    """A live list that loads a portion at a time; ``refresh`` starts again, ``more`` loads the next.

    ``retry`` loads what failed last.
    """

    def __init__(
        self,
        key: QueryKey,
        load_more: LoadMore[T],
        tasks: Tasks,
        clock: Callable[[], datetime],
        load_cached: LoadCached[Grown[T]] | None = None,
    ) -> None:
        self._goes_on_from: Grown[T] | None = None
        self._portions = 0
        """How many portions are known."""
        self._began_again = True
        """Whether what was asked for last is the list from its beginning."""

        async def load(_: Publish[Grown[T]]) -> Grown[T]:
            known, self._goes_on_from = self._goes_on_from, None
            self._began_again = known is None
            grown = await load_more(known)
            self._portions = 1 if known is None else self._portions + 1
            return grown

        super().__init__(key, load, tasks, clock, load_cached)

    def more(self) -> None:
        """Load the next portion, unless all is known, something is being loaded, or the known part is out of date."""
        known = self._known
        is_out_of_date = self.state is QueryState.FAILED and self._began_again
        if known is None or known.complete or is_out_of_date or self._task is not None:
            return
        self._goes_on_from = known
        self.refresh()

    def retry(self) -> None:
        """Load the portion that failed last, else the list from its beginning."""
        if self.state is QueryState.FAILED and not self._began_again:
            self.more()
        else:
            self.refresh()

    async def renew(self) -> ClientError | None:
        """Fetch what others have changed, unless the list has grown: its later portions would go from the screen."""
        if self._portions > 1:
            self.stale = True
            return None
        return await super().renew()

    def invalidate(self) -> None:
        """Mark the list as stale: it is loaded again from its beginning."""
        self._goes_on_from = None
        super().invalidate()
