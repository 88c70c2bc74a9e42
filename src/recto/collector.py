"""The garbage collector, which rests while very much is made at once."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_pausing = threading.Lock()
_paused = 0


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from running; it would walk all objects again and again while many are made."""
    global _paused
    with _pausing:
        enabled = gc.isenabled() or _paused > 0
        if enabled:
            _paused += 1
            gc.disable()
    try:
        yield
    finally:
        if enabled:
            with _pausing:
                _paused -= 1
                if _paused == 0:
                    gc.enable()
