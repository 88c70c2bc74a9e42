"""Pictures in cells of the terminal: how many a picture takes, and half blocks with two pixels in each."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from recto.pattern import pattern
from recto.tui.look.text_roles import pixel_role
from recto.tui.render.leaf import Part

if TYPE_CHECKING:
    from recto.tui.pictures.decoding import Picture

HALF = "▀"
"""The upper pixel of a cell, in the colour of the text; the lower is in the colour behind it."""

PLACEHOLDER = "\U0010eeee"
"""Where a terminal that draws pictures itself draws a part of one."""


_PIXELS_IN_CELL = 8
"""The pixels of a cell when a page asks for a width: a hundred cells are then as wide as a page on the web."""

_NARROW = 24
"""The cells of a small picture, as far as it has as many pixels: fewer would show nothing."""

_LEAST_CONTRAST, _MIDDLE = 64, 128
"""Steps of 256 from black to white by which a picture differs from its ground at the least, and half of them."""

_WIDTH = pattern(r"\s*(\d{1,5})(?:\.\d+)?\s*(%|px)?\s*", re.IGNORECASE)


class CellSize(NamedTuple):
    """How many pixels of the screen a cell of the terminal has."""

    width: int = 8
    height: int = 16


class Grid(NamedTuple):
    """How many cells a picture takes."""

    columns: int
    rows: int


def grid_of(picture: Picture, room: int, most_rows: int, asked: str, cell: CellSize, *, sharp: bool = False) -> Grid:
    """Return the cells for a picture where there is ``room`` for so many in a row.

    ``asked`` is the width as the page asks for it, such as ``300`` or ``50%``. A ``sharp`` picture is drawn
    with the pixels of the screen; others need more cells to be recognizable.
    """
    most = -(-picture.width // cell.width) if sharp else picture.width
    usual = most if sharp else max(_NARROW, picture.width // 4)
    columns = float(min(room, _requested_width(asked, room) or usual, most))
    ratio = picture.height / picture.width * cell.width / cell.height
    if columns * ratio > most_rows:
        columns = most_rows / ratio
    return Grid(max(1, min(room, round(columns))), max(1, min(most_rows, round(columns * ratio))))


def _requested_width(asked: str, room: int) -> int:
    found = _WIDTH.fullmatch(asked)
    if found is None:
        return 0
    number = int(found[1])
    return max(1, room * min(number, 100) // 100) if found[2] == "%" else -(-number // _PIXELS_IN_CELL)


def half_blocks(picture: Picture, grid: Grid, ground: str) -> list[tuple[Part, ...]]:
    """Draw a picture: the upper pixel of a cell is the colour of its sign, the lower the colour behind it.

    ``ground`` is the colour, such as ``#14171c``, that is seen where the picture is transparent.
    """
    from PIL import Image

    size = (grid.columns, grid.rows * 2)
    # Resized with its transparency, so that no colour bleeds in from pixels that cannot be seen.
    small = picture.small.resize(size, Image.Resampling.BOX if _shrinks(picture, size) else Image.Resampling.BICUBIC)
    opaque = Image.new("RGBA", size, ground)
    opaque.alpha_composite(small)
    pixels = opaque.convert("RGB").tobytes()
    line = grid.columns * 3
    return [
        _row(pixels[top * line : (top + 1) * line], pixels[(top + 1) * line : (top + 2) * line])
        for top in range(0, grid.rows * 2, 2)
    ]


def ground_behind(picture: Picture, ground: str) -> str:
    """Return the ground to draw a picture on: ``ground``, or white or black where a transparent picture would vanish.

    Most are drawings in black for white pages, invisible on a dark ground.
    """
    from PIL import ImageColor, ImageStat

    seen = picture.small.getchannel("A")
    least, most = seen.getextrema()
    if least == 255 or most == 0:
        return ground
    lightness = ImageStat.Stat(picture.small.convert("L"), mask=seen).mean[0]
    below = ImageColor.getcolor(ground, "L")
    assert isinstance(below, int)
    if abs(lightness - below) >= _LEAST_CONTRAST:
        return ground
    return "#ffffff" if below < _MIDDLE else "#000000"


def _shrinks(picture: Picture, size: tuple[int, int]) -> bool:
    return picture.small.width >= size[0] and picture.small.height >= size[1]


def _row(upper: bytes, lower: bytes) -> tuple[Part, ...]:
    cells = [(upper[at : at + 3], lower[at : at + 3]) for at in range(0, len(upper), 3)]
    return tuple(
        Part(HALF * len(list(same)), pixel_role(above.hex(), below.hex())) for (above, below), same in groupby(cells)
    )
