"""Signals that end the program in order: the terminal was closed, or the process must stop."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 5
"""Seconds that requests and writes may take at the end; drafts keep the rest."""

_NAMES = ("SIGTERM", "SIGHUP")


@contextmanager
def handle_end_signals(end: Callable[[int], None]) -> Iterator[None]:
    """Call ``end`` in the event loop with the signal's number; a second signal ends the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _frame: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        if hasattr(signal, "alarm"):
            # Drawing on a closed terminal may block; the second signal ends the process.
            signal.alarm(2 * PATIENCE)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise SystemExit(128 + number) from None
        loop.call_soon_threadsafe(end, number)

    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if hasattr(signal, "alarm"):
            signal.alarm(0)
