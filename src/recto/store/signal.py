"""Signals: how the store notifies of changes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)


class Subscription:
    """The place of a callback in a signal; ``close`` ends it, also as a context manager, and more than once."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end: Callable[[], None] | None = end

    def close(self) -> None:
        """End the subscription."""
        end, self._end = self._end, None
        if end is not None:
            end()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Signal(Generic[T]):
    """Calls all subscribers, in the thread and at the moment in which it is emitted."""

    def __init__(self) -> None:
        self._callbacks: dict[Subscription, Callable[[T], None]] = {}

    def __len__(self) -> int:
        return len(self._callbacks)

    def subscribe(self, callback: Callable[[T], None]) -> Subscription:
        """Call ``callback`` at each change until the subscription is closed."""
        subscription = Subscription(lambda: self._forget(subscription))
        self._callbacks[subscription] = callback
        return subscription

    def emit(self, value: T) -> None:
        """Call all callbacks; a failing callback is logged and does not stop the others."""
        for subscription, callback in list(self._callbacks.items()):
            if subscription not in self._callbacks:
                continue
            try:
                callback(value)
            except Exception:
                log.exception("A subscriber failed")

    def _forget(self, subscription: Subscription) -> None:
        self._callbacks.pop(subscription, None)
