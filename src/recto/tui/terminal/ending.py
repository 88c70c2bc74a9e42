"""Ending in order where the system says so: the terminal was closed, or the process is told to stop."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 5
"""How many seconds what is being sent or written may take to its end; drafts keep what does not make it."""

_NAMES = ("SIGTERM", "SIGHUP")


@contextmanager
def told_to_end(end: Callable[[int], None]) -> Iterator[None]:
    """Have ``end`` called in the event loop with the signal's number; one who is told twice ends at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def told(number: int, _frame: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        if hasattr(signal, "alarm"):
            # A terminal that is gone may hold up whoever draws on it; the system ends those who linger.
            signal.alarm(2 * PATIENCE)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise SystemExit(128 + number) from None
        loop.call_soon_threadsafe(end, number)

    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.signal(number, told) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if hasattr(signal, "alarm"):
            signal.alarm(0)
