"""Background requests: each is sent once, counted, and fails if the platform asks to wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_on_request: ContextVar[Callable[[], None] | None] = ContextVar("on_request", default=None)


@contextmanager
def in_background(on_request: Callable[[], None]) -> Iterator[None]:
    """Send all requests of the block, tasks that begin in it included, in the background; report each."""
    token = _on_request.set(on_request)
    try:
        yield
    finally:
        _on_request.reset(token)


def is_background() -> bool:
    """Whether requests made here are sent in the background."""
    return _on_request.get() is not None


def report_request() -> None:
    """Report a request that is sent in the background."""
    if (on_request := _on_request.get()) is not None:
        on_request()
