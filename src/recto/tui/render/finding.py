"""What is being looked for on a page, and where it was found."""

from __future__ import annotations

from typing import NamedTuple

from recto.tui.render.reading import Reading


class Place(NamedTuple):
    """A place found: a leaf, and offsets in the leaf's text."""

    leaf: int
    start: int
    end: int


class Finding:
    """The places of a text on a page, in reading order; none for an empty text."""

    def __init__(self, needle: str, reading: Reading | None) -> None:
        self.needle = needle
        self.places = [Place(*found) for found in reading.find(needle)] if reading is not None and needle else []
        self._by_leaf: dict[int, list[Place]] = {}
        for place in self.places:
            self._by_leaf.setdefault(place.leaf, []).append(place)

    def within(self, leaf: int) -> list[Place]:
        """Return the places in one leaf."""
        return self._by_leaf.get(leaf, [])

    def after(self, leaf: int, offset: int) -> Place | None:
        """Return the first place at or after an offset of a leaf; after the last comes the first."""
        if not self.places:
            return None
        return next((place for place in self.places if (place.leaf, place.start) >= (leaf, offset)), self.places[0])

    def before(self, leaf: int, offset: int) -> Place | None:
        """Return the last place before an offset of a leaf; before the first comes the last."""
        if not self.places:
            return None
        earlier = (place for place in reversed(self.places) if (place.leaf, place.start) < (leaf, offset))
        return next(earlier, self.places[-1])
