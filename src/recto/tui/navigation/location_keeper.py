"""Remembers the location on a screen whenever the person pauses: the program may end at any moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

    from recto.store.locations import Location, Locations

_REST = 1.0
"""Seconds without a key or the mouse that count as a pause; while a person scrolls nothing is written."""


class LocationKeeper:
    """Saves what ``here`` returns some moments after the last input."""

    def __init__(self, app: App[Any], here: Callable[[], Location | None], locations: Locations, address: str) -> None:
        self._app = app
        self._here = here
        self._locations = locations
        self._address = address
        self._waits = False
        self._stirred = False
        """Whether the person has done something since the waiting began."""

    def stir(self) -> None:
        """Called on every input; a timer serves many keys."""
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
        location = self._here()
        if location is not None and location != self._locations.last(self._address):
            self._locations.remember(self._address, location)
