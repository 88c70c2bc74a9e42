"""The history of visited locations, across all screens: back and forward."""

from __future__ import annotations

from collections.abc import Callable

from recto.store.locations import Location

_MOST = 200
"""The number of locations kept to go back to."""


class History:
    """The locations before and after the current location. Each page counts once, whatever the position in it."""

    def __init__(self) -> None:
        self._here: Location | None = None
        self._back: list[Location] = []
        self._forward: list[Location] = []

    @property
    def can_go_back(self) -> bool:
        """Whether there is an earlier location."""
        return bool(self._back)

    @property
    def can_go_forward(self) -> bool:
        """Whether the person went back from a location."""
        return bool(self._forward)

    def visit(self, location: Location) -> None:
        """Make a location the current location."""
        if self._here is not None and not _is_same(self._here, location):
            self._back = [*self._back, self._here][-_MOST:]
            self._forward.clear()
        self._here = location

    def update(self, location: Location) -> None:
        """Take over the position of the current location; others are ignored."""
        if self._here is not None and _is_same(self._here, location):
            self._here = location

    def go_back(self, left: Location, is_gone: Callable[[Location], bool]) -> Location | None:
        """Return the location visited before ``left``, and make it current; ``None`` if there is none.

        Locations that no longer exist are dropped.
        """
        self.visit(left)
        return self._step(self._back, self._forward, is_gone)

    def go_forward(self, left: Location, is_gone: Callable[[Location], bool]) -> Location | None:
        """Return the location from which the person went back to ``left``; ``None`` without any."""
        self.update(left)
        return self._step(self._forward, self._back, is_gone)

    def _step(
        self, ahead: list[Location], behind: list[Location], is_gone: Callable[[Location], bool]
    ) -> Location | None:
        here = self._here
        while ahead and here is not None:
            location = ahead.pop()
            if not _is_same(location, here) and not is_gone(location):
                behind.append(here)
                self._here = location
                return location
        return None


def _is_same(one: Location, other: Location) -> bool:
    pages = {getattr(each, "page", None) for each in (one, other)} - {None}
    return one.subject == other.subject and len(pages) < 2
