"""The pictures of a page as drawn: their size and means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recto.tui.pictures.cells import CellSize, Grid, grid_of, ground_behind, half_blocks
from recto.tui.pictures.gallery import Gallery, State
from recto.tui.pictures.means import Means
from recto.tui.render.picture_source import Drawing, Source

if TYPE_CHECKING:
    from recto.tui.pictures.decoding import Picture
    from recto.tui.pictures.kitty import Kitty

_LEAST_ROWS = 4


class Album:
    """Draws pictures for the leaves of a page. Until it is opened it shows none.

    ``ground`` gives a colour of the theme by its name, ``kitty`` the protocol of terminals that draw pictures
    themselves, ``covered`` whether a dialog covers the page: its shade changes all colours, and a colour is a picture's
    number.
    """

    def __init__(
        self, ground: Callable[[str], str], kitty: Callable[[], Kitty], covered: Callable[[], bool] = lambda: False
    ) -> None:
        self.means = Means.NOTHING
        self.most_rows = _LEAST_ROWS
        self._ground = ground
        self._kitty = kitty
        self._covered = covered
        self._gallery = Gallery()
        self._cell = CellSize()
        self._round = 0

    def open(self, gallery: Gallery, means: Means, cell: CellSize) -> None:
        """Begin to show what a session knows of pictures."""
        self._gallery, self.means, self._cell = gallery, means, cell

    def fit(self, height: int) -> bool:
        """Set the height of the view in rows, of which a picture takes two thirds; return whether it changed."""
        before, self.most_rows = self.most_rows, max(_LEAST_ROWS, height * 2 // 3)
        return before != self.most_rows

    def renew(self) -> None:
        """Draw all pictures again: the terminal has lost them."""
        self._round += 1

    # What leaves ask

    def state(self, source: Source) -> object:
        """Return a value that changes when the picture is drawn in another way at the same width."""
        entry = self._gallery.find(source.address) if source.address else None
        if entry is None or entry.state is not State.SHOWN:
            return entry
        return (id(entry.picture), self.most_rows, self._ground(source.ground), self._round, self._by_terminal)

    def height(self, source: Source, room: int) -> int:
        """Return how many rows a picture takes."""
        picture = self._picture_of(source)
        return self._grid(picture, source, room).rows if picture is not None else 0

    def draw(self, source: Source, room: int) -> Drawing:
        """Draw a picture, or its state."""
        entry = self._gallery.find(source.address) if source.address else None
        if entry is None or entry.state is State.HIDDEN:
            return Drawing()
        if entry.state is State.LOADING:
            return Drawing(words="Loading…")
        if entry.picture is None:
            return Drawing(words=entry.why, role="warning")
        if self.means is Means.NOTHING:
            return Drawing()
        self._gallery.see(source.address)
        grid = self._grid(entry.picture, source, room)
        ground = ground_behind(entry.picture, self._ground(source.ground))
        if self._by_terminal:
            return Drawing(self._kitty().cells(self, source.address, source.place, entry.picture, grid, ground))
        return Drawing(half_blocks(entry.picture, grid, ground))

    @property
    def _by_terminal(self) -> bool:
        return self.means is Means.KITTY and not self._covered()

    def _picture_of(self, source: Source) -> Picture | None:
        entry = self._gallery.find(source.address) if source.address and self.means is not Means.NOTHING else None
        return entry.picture if entry is not None and entry.state is State.SHOWN else None

    def _grid(self, picture: Picture, source: Source, room: int) -> Grid:
        sharp = self.means is Means.KITTY
        return grid_of(picture, room, self.most_rows, source.width, self._cell, sharp=sharp)
