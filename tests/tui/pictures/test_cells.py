"""How many cells a picture takes, and which colours they have."""

from __future__ import annotations

import pytest
from PIL import Image

from recto.tui.pictures.cells import CellSize, Grid, grid_of, ground_behind, half_blocks
from recto.tui.pictures.decoding import Picture, read_picture
from recto.tui.render.leaf import Part
from support.pictures import file_of, quarters

CELL = CellSize()


def sized(width: int, height: int) -> Picture:
    return Picture(width, height, Image.new("RGBA", (1, 1)), b"")


@pytest.mark.parametrize(
    ("size", "room", "rows", "asked", "expected"),
    [
        ((640, 480), 80, 40, "", (80, 30)),
        ((640, 480), 80, 15, "", (40, 15)),
        ((640, 480), 20, 40, "", (20, 8)),
        ((640, 480), 80, 40, "50%", (40, 15)),
        ((640, 480), 80, 40, "320", (40, 15)),
        ((640, 480), 80, 40, "320px", (40, 15)),
        ((640, 480), 80, 40, "4000", (80, 30)),
        ((640, 480), 80, 40, "900%", (80, 30)),
        ((640, 480), 80, 40, "0", (80, 30)),
        ((640, 480), 80, 40, "wide", (80, 30)),
        ((200, 100), 80, 40, "", (50, 12)),
        ((32, 32), 80, 40, "", (24, 12)),
        ((5, 5), 80, 40, "", (5, 2)),
        ((5, 5), 80, 40, "100%", (5, 2)),
        ((30_000, 10), 80, 40, "", (80, 1)),
        ((10, 30_000), 80, 40, "", (1, 40)),
        ((1, 1), 2, 4, "", (1, 1)),
    ],
)
def test_a_picture_keeps_its_ratio_within_the_room_there_is(
    size: tuple[int, int], room: int, rows: int, asked: str, expected: tuple[int, int]
) -> None:
    assert grid_of(sized(*size), room, rows, asked, CELL) == expected


def test_a_sharp_picture_takes_the_cells_of_its_own_pixels() -> None:
    assert grid_of(sized(320, 200), 80, 40, "", CellSize(10, 20), sharp=True) == (32, 10)
    assert grid_of(sized(320, 200), 20, 40, "", CellSize(10, 20), sharp=True) == (20, 6)
    assert grid_of(sized(320, 200), 80, 40, "", CellSize(10, 25), sharp=True) == (32, 8)
    assert grid_of(sized(320, 200), 80, 40, "160", CellSize(10, 20), sharp=True) == (20, 6)
    assert grid_of(sized(320, 200), 80, 40, "100%", CellSize(10, 20), sharp=True) == (32, 10)


def test_a_cell_holds_the_pixel_above_and_the_one_below() -> None:
    picture = read_picture(file_of(quarters(80, 80)))
    above = (Part("▀▀", "#ff0000 on#ff0000"), Part("▀▀", "#00ff00 on#00ff00"))
    below = (Part("▀▀", "#0000ff on#0000ff"), Part("▀▀", "#ffffff on#ffffff"))
    assert half_blocks(picture, Grid(4, 2), "#101010") == [above, below]
    between = (Part("▀▀", "#ff0000 on#0000ff"), Part("▀▀", "#00ff00 on#ffffff"))
    assert half_blocks(picture, Grid(4, 1), "#101010") == [between]


def test_the_ground_is_seen_where_a_picture_is_transparent() -> None:
    image = Image.new("RGBA", (40, 40), (255, 255, 255, 0))
    image.paste((0, 0, 255, 255), (20, 0, 40, 40))
    image.paste((255, 0, 0, 128), (0, 20, 20, 40))
    picture = read_picture(file_of(image))
    drawn = half_blocks(picture, Grid(2, 1), "#102030")
    assert drawn == [(Part("▀", "#102030 on#881018"), Part("▀", "#0000ff on#0000ff"))]


@pytest.mark.parametrize(
    ("ink", "ground", "expected"),
    [
        ("black", "#14171c", "#ffffff"),
        ("#303030", "#14171c", "#ffffff"),
        ("white", "#fbfbfa", "#000000"),
        ("white", "#14171c", "#14171c"),
        ("black", "#fbfbfa", "#fbfbfa"),
        ("#e04040", "#14171c", "#14171c"),
    ],
)
def test_a_transparent_drawing_stands_on_a_ground_on_which_it_can_be_seen(ink: str, ground: str, expected: str) -> None:
    drawing = Image.new("RGBA", (40, 40))
    drawing.paste(ink, (10, 10, 20, 20))
    assert ground_behind(read_picture(file_of(drawing)), ground) == expected


def test_what_covers_its_ground_or_shows_nothing_needs_no_other() -> None:
    for image in (Image.new("RGB", (40, 40), "black"), Image.new("RGBA", (40, 40))):
        assert ground_behind(read_picture(file_of(image)), "#14171c") == "#14171c"
