"""Where a picture of a page comes from, and the protocol of what draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recto.frozen import frozen
from recto.tui.render.leaf import Part


@frozen
class Source:
    """Where a picture comes from: the ``address`` of its file, empty where none is known, and how it is named."""

    address: str
    name: str
    of_space: bool = False
    """Whether it is one of the files of the space."""
    width: str = ""
    """How wide it is to be, as the page says it."""
    place: int = 0
    """The line of the page's source at which it stands: it may stand at several."""
    ground: str = "background"
    """The colour of the theme that lies behind it."""


@frozen
class Drawing:
    """A drawn picture: rows of cells, or words in a role."""

    rows: Sequence[tuple[Part, ...]] = ()
    words: str = ""
    role: str = "muted"


class Pictures(Protocol):
    """Draws the pictures of a page."""

    def state(self, source: Source) -> object:
        """Return a value that changes when the picture is drawn in another way at the same width."""

    def height(self, source: Source, room: int) -> int:
        """Return how many rows the picture takes where there is room for so many cells."""
        ...

    def draw(self, source: Source, room: int) -> Drawing:
        """Draw a picture at most ``room`` cells wide."""
        ...


class Unseen:
    """Shows no pictures: their names stand alone."""

    def state(self, source: Source) -> object:
        """Return a constant."""
        return None

    def height(self, source: Source, room: int) -> int:
        """Return 0."""
        return 0

    def draw(self, source: Source, room: int) -> Drawing:
        """Draw nothing."""
        return Drawing()
