"""Remembers where in a view one is when one comes to rest there: the program may end without a word."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recto.store.places import Places
    from recto.tui.starting import Starting

_REST = 1.0
"""Seconds without a key or the mouse after which one rests; while one scrolls nothing is written."""


class PlaceKeeper:
    """Looks where the view on top stands some moments after the person did something."""

    def __init__(self, app: Starting, places: Places, address: str) -> None:
        self._app = app
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
        views = self._app.open_views
        spot = views[-1].spot if views else None
        if spot is not None and spot != self._places.last(self._address):
            self._places.note(self._address, spot)
            self._app.run_worker(asyncio.to_thread(self._places.write), name="place", exit_on_error=False)
