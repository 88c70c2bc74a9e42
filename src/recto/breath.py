"""Letting other threads at the interpreter while one computes for long; the screen is drawn by another thread."""

from __future__ import annotations

import time

_EVERY = 0.0005
"""After how many seconds others are let at it; of their own accord they would wait for ten times as long."""

_PAUSE = 0.00005
"""For how many seconds; none at all would be over before they wake up."""


class Breath:
    """Stands by long work, which is to ``take`` it often; only now and then anything comes of that."""

    def __init__(self) -> None:
        self._taken = time.perf_counter()

    def take(self) -> None:
        """Let others at the interpreter, if that is due."""
        if time.perf_counter() - self._taken >= _EVERY:
            time.sleep(_PAUSE)
            self._taken = time.perf_counter()
