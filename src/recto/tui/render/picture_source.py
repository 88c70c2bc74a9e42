"""Where a picture of a page comes from, and the protocol of what draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from recto.tui.render.leaf import Part


class Source(NamedTuple):
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


class Drawn(NamedTuple):
    """What is to be seen of a picture: its rows of cells, or some words on it in a role."""

    rows: Sequence[tuple[Part, ...]] = ()
    words: str = ""
    role: str = "muted"


class Pictures(Protocol):
    """What is shown of the pictures of a page, and how."""

    def state(self, source: Source) -> object:
        """Return what it depends on what is drawn, beside the room there is."""

    def height(self, source: Source, room: int) -> int:
        """Return how many rows the picture takes where there is room for so many cells."""
        ...

    def drawn(self, source: Source, room: int) -> Drawn:
        """Draw a picture at most ``room`` cells wide."""
        ...


class Unseen:
    """Shows no pictures: their names stand alone."""

    def state(self, source: Source) -> object:
        """Return that nothing ever changes."""
        return None

    def height(self, source: Source, room: int) -> int:
        """Return that it takes no rows."""
        return 0

    def drawn(self, source: Source, room: int) -> Drawn:
        """Draw nothing."""
        return Drawn()
