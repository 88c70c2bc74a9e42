"""A live response: the last known value, refreshed in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from recto.client.errors import (
    CUT_OFF,
    ClientError,
    NotAllowed,
    NotFound,
    ServerFailed,
    TooManyRequests,
    Unauthorized,
)
from recto.frozen import frozen
from recto.store.signal import Signal, Subscription

if TYPE_CHECKING:
    from recto.contract.unread import Unread
    from recto.store.query_keys import QueryKey
    from recto.store.tasks import Tasks

R = TypeVar("R")
T = TypeVar("T")

log = logging.getLogger(__name__)

_PASSING = (*CUT_OFF, TooManyRequests, ServerFailed)
"""Temporary failures, which say nothing about the value."""

_DENIED = (Unauthorized, NotAllowed, NotFound)
"""Refusals after which the account no longer has the value."""


@frozen
class Beginning(Generic[R]):
    """The beginning of a large value; it says nothing about the rest."""

    value: R


Publish = Callable[[R | Beginning[R]], None]
Load = Callable[[Publish[R]], Awaitable[R]]
"""Loads a value; it may publish a part before it returns the whole."""

OnScreen = Callable[[], bool]
"""Returns whether a watcher's content is on the screen now, and not on a screen that another covers."""

LoadCached = Callable[[], Awaitable["Cached[R] | None"]]
"""Returns the value that is in the cache; ``None`` where none is."""


@frozen
class Cached(Generic[R]):
    """A value from the cache, and when it was stored."""

    value: R
    stored_at: datetime


class QueryState(Enum):
    """The state of a query."""

    LOADING = "loading"
    """Nothing whole is known yet; a list may already hold its first items."""
    READY = "ready"
    REFRESHING = "refreshing"
    """A value is known and is being requested again."""
    FAILED = "failed"
    """The last attempt failed; ``error`` says why, ``value`` is what was known before, if anything."""


@frozen
class Listing(Generic[T]):
    """The items of a list so far."""

    items: tuple[T, ...] = ()
    complete: bool = False
    """Whether these are all."""
    total: int | None = None
    """How many there are in all, where the platform says."""
    unread: tuple[Unread, ...] = ()
    """What could not be read of them."""
    remark: str = ""
    """A remark on the list, such as what was not looked through; empty if there is none."""


class Query(Generic[R]):
    """The response of the platform to a call, kept up to date.

    Its attributes are only read by screens; ``changed`` tells after each change of any of them. Nothing here raises
    because of the platform: a failure is a state.
    """

    def __init__(
        self,
        key: QueryKey,
        load: Load[R],
        tasks: Tasks,
        clock: Callable[[], datetime],
        load_cached: LoadCached[R] | None = None,
    ) -> None:
        self.key = key
        self.state = QueryState.LOADING
        self.error: ClientError | None = None
        self.loaded_at: datetime | None = None
        """When the value came; None while none has come whole."""
        self.beginning: R | None = None
        """What the first value begins with, as long as the rest of it is on its way."""
        self.stale = False
        """Whether something has happened since that makes the value doubtful."""
        self.cached_at: datetime | None = None
        """When the value was stored, where it comes from the cache; ``None`` for one that came from the platform."""
        self.is_news = False
        """Whether the value came by itself because others changed it, and not because it was asked for."""
        self.is_behind = False
        """Whether the platform has a newer revision than the value's, and what that changed is not known yet."""
        self.changed: Signal[Query[R]] = Signal()
        self._load = load
        self._load_cached = load_cached
        self._tasks = tasks
        self._clock = clock
        self._known: R | None = None
        self._shown: R | None = None
        self._patches: dict[object, Callable[[R], R]] = {}
        self._task: asyncio.Task[ClientError | None] | None = None
        self._watchers: dict[Subscription, OnScreen] = {}

    def __repr__(self) -> str:
        return f"<Query {self.key.operation!r}: {self.state.value}>"

    @property
    def value(self) -> R | None:
        """The known value with the changes that are under way applied; ``None`` while unknown."""
        return self._shown

    @property
    def idle(self) -> bool:
        """Whether it is not watched, loaded or changed."""
        return not (self._watchers or self._task or self._patches)

    @property
    def is_watched(self) -> bool:
        """Whether something follows the value, be it on the screen or on a screen that another covers."""
        return bool(self._watchers)

    @property
    def is_on_screen(self) -> bool:
        """Whether something that is on the screen now follows the value."""
        return any(on_screen() for on_screen in self._watchers.values())

    @property
    def is_cut_off(self) -> bool:
        """Whether the platform could not be reached for the value."""
        return self.state is QueryState.FAILED and isinstance(self.error, CUT_OFF)

    @property
    def may_recover(self) -> bool:
        """Whether it failed for a reason that passes by itself."""
        return self.state is QueryState.FAILED and isinstance(self.error, _PASSING)

    def watch(self, callback: Callable[[Query[R]], None], on_screen: OnScreen = lambda: True) -> Subscription:
        """Call ``callback`` after each change; loading is cancelled when the last watcher closes."""
        inner = self.changed.subscribe(callback)
        self._watchers[inner] = on_screen
        if self._task is None and (self.stale or self.loaded_at is None) and self.state is not QueryState.FAILED:
            self.refresh()

        def end() -> None:
            inner.close()
            del self._watchers[inner]
            if not self._watchers:
                self.give_up()

        return Subscription(end)

    def refresh(self) -> None:
        """Request the value again, while the old value stays shown; does nothing while that is under way."""
        if self._task is None:
            self._task = self._tasks.start(self._run())
            self._settle(QueryState.LOADING if self.loaded_at is None else QueryState.REFRESHING, self.error)

    async def renew(self) -> ClientError | None:
        """Fetch a value that others have changed, and return why that failed.

        Where the platform does not answer now, all stays as it is, but stale.
        """
        if self._task is None:
            self._task = self._tasks.start(self._run(is_news=True))
        task = self._task
        await asyncio.wait({task})
        return None if task.cancelled() else task.result()

    def invalidate(self) -> None:
        """Mark the value stale; it is requested again at once where it is on the screen, else when it is next shown."""
        self.stale = True
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.refresh()
        else:
            self.catch_up()

    def catch_up(self) -> None:
        """Request a stale value again where it is on the screen."""
        if self.stale and self._task is None and self.is_on_screen:
            self.refresh()

    async def wait(self) -> Query[R]:
        """Wait until nothing is being loaded, and return the query itself."""
        watching = self.watch(lambda _: None)
        try:
            while self._task is not None:
                await asyncio.wait({self._task})
        finally:
            watching.close()
        return self

    def offer(self, value: R, *, is_news: bool = False) -> None:
        """Take a value that came in another response as the present value."""
        self._take(value, is_news=is_news)
        self.beginning = None
        self._settle(self.state if self._task else QueryState.READY, None)

    def mark_behind(self, *, is_behind: bool) -> None:
        """Note whether the platform has a newer revision than the value's."""
        if is_behind != self.is_behind:
            self.is_behind = is_behind
            self.changed.emit(self)

    def patch(self, owner: object, change: Callable[[R], R]) -> None:
        """Show the value changed by ``change`` until ``owner`` keeps or drops it.

        ``change`` is applied to each newer value too, so it has to be idempotent.
        """
        self._patches[owner] = change
        self._show()

    def keep_patch(self, owner: object) -> None:
        """Apply the owner's patch to the known value for good."""
        change = self._patches.pop(owner, None)
        if change is None:
            return
        if self._known is not None:
            self._known = self._apply(change, self._known)
        if self._task is not None:
            # A response that is under way may be older than the change.
            self.invalidate()
        self._show()

    def drop_patch(self, owner: object) -> None:
        """Show the value as it was without the owner's patch."""
        if self._patches.pop(owner, None) is not None:
            self._show()

    async def _run(self, *, is_news: bool = False) -> ClientError | None:
        me = asyncio.current_task()
        try:
            await self._begin_with_cached(me)
            value = await self._load(self._publish_part)
        except ClientError as error:
            # The traceback holds this task, and its context the dialog or view for which it was begun.
            error.__traceback__ = None
            if self.cached_at is not None and self._task is me and isinstance(error, _DENIED):
                self._known = self.loaded_at = self.cached_at = None
            if is_news and self.loaded_at is not None and isinstance(error, _PASSING):
                self.stale = True
                self._end(me, self.state, self.error)
            else:
                self._end(me, QueryState.FAILED, error)
            return error
        except Exception as error:
            log.exception("Loading failed: %r", self.key.operation)
            failure = _unexpected_error(error)
            self._end(me, QueryState.FAILED, failure)
            return failure
        if self._task is me:
            self._take(value, is_news=is_news)
        self._end(me, QueryState.READY, None)
        return None

    async def _begin_with_cached(self, task: asyncio.Task[Any] | None) -> None:
        """Show the value from the cache until the platform has given its own."""
        if self._load_cached is None or self.loaded_at is not None:
            return
        cached = await self._load_cached()
        self._load_cached = None
        if cached is not None and self.loaded_at is None and self._task is task:
            self._known, self.loaded_at, self.cached_at = cached.value, cached.stored_at, cached.stored_at
            self.stale = True
            self._settle(QueryState.REFRESHING, None)

    def _take(self, value: R, *, is_news: bool) -> None:
        """Set the value as the platform has it now."""
        self._known, self.loaded_at, self.cached_at, self.is_news = value, self._clock(), None, is_news
        self.stale = self.is_behind = False

    def _publish_part(self, value: R | Beginning[R]) -> None:
        """Show a part of the value, unless a whole value is shown already."""
        if self.loaded_at is None and self._task is asyncio.current_task():
            if isinstance(value, Beginning):
                self.beginning = value.value
            else:
                self._known = value
            self._show()

    def _end(self, task: asyncio.Task[Any] | None, state: QueryState, error: ClientError | None) -> None:
        if self._task is task:
            self._task = None
            self.beginning = None
            self._settle(state, error)

    def give_up(self) -> None:
        """Stop loading; the known value stays."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.beginning = None
            self.state = QueryState.LOADING if self.loaded_at is None else QueryState.READY
            self.stale = self.loaded_at is not None

    def _settle(self, state: QueryState, error: ClientError | None) -> None:
        self.state, self.error = state, error
        self._show()

    def _show(self) -> None:
        shown = self._known
        if shown is not None:
            for change in self._patches.values():
                shown = self._apply(change, shown)
        self._shown = shown
        self.changed.emit(self)

    def _apply(self, change: Callable[[R], R], value: R) -> R:
        try:
            return change(value)
        except Exception:
            log.exception("A change could not be shown: %r", self.key.operation)
            return value


def _unexpected_error(error: Exception) -> ClientError:
    return ClientError("Could not load this.", f"Unexpected error ({type(error).__name__}).", "Details are in the log.")
