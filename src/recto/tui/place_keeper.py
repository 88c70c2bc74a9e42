"""Remembers where in a view one is when one comes to rest there: the program may end without a word."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

    from recto.store.places import Places, Spot

_REST = 1.0
"""Seconds without a key or the mouse after which one rests; while one scrolls nothing is written."""


class PlaceKeeper:
    """Looks some moments after the person did something where they are, which ``here`` tells."""

    def __init__(self, app: App[Any], here: Callable[[], Spot | None], places: Places, address: str) -> None:
        self._app = app
        self._here = here
        self._places = places
        self._address = address
        self._waits = False
        self._stirred = False
        """Whether the person has done something since the waiting began."""

    def stir(self) -> None:
        """Hear that the person did something: it may be one of many keys, for which no timer each is made."""
        self._stirred = True
        if not self._waits:
            self._wait()

    def _wait(self) -> None:
        self._waits, self._stirred = True, False
        self._app.set_timer(_REST, self._look)

    def _look(self) -> None:
        if self._stirred:
            self._wait()
            return
        self._waits = False
        spot = self._here()
        if spot is not None and spot != self._places.last(self._address):
            self._places.note(self._address, spot)
            self._app.run_worker(asyncio.to_thread(self._places.write), name="place", exit_on_error=False)
