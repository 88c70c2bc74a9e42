"""What a terminal is sent that draws pictures itself, and the text that stands for them."""

from __future__ import annotations

import re
from base64 import b64decode
from itertools import chain

from PIL import Image
from rich.cells import cell_len

from recto.tui.pictures.cells import PLACEHOLDER, Grid
from recto.tui.pictures.decoding import Picture, read_picture
from recto.tui.pictures.kitty import Kitty, placeholders
from recto.tui.render.prose import clean
from support.pictures import file_of, quarters

VIEW = object()
COMMAND = re.compile(r"\x1b_G([A-Za-z0-9=,]*)(?:;([A-Za-z0-9+/=]*))?\x1b\\")


def commands(sent: list[str]) -> list[tuple[dict[str, str], str]]:
    """Return the keys and the data of each command; nothing else may have been sent."""
    text = "".join(sent)
    assert COMMAND.sub("", text) == ""
    return [(dict(key.split("=") for key in keys.split(",")), data or "") for keys, data in COMMAND.findall(text)]


def noise(width: int = 200) -> Picture:
    return read_picture(file_of(Image.effect_noise((width, width), 90).convert("RGB")), sharp=True)


def test_a_picture_is_sent_once_in_pieces_and_placed_again_at_another_size() -> None:
    sent: list[str] = []
    kitty = Kitty(sent.append)
    picture = noise()
    kitty.cells(VIEW, "https://example.org/x.png", 3, picture, Grid(10, 5), "#14171c")
    kitty.cells(VIEW, "https://example.org/x.png", 3, picture, Grid(10, 5), "#14171c")
    *data, placed = commands(sent)
    number = placed[0]["i"]
    assert len(data) > 2
    assert all(keys["q"] == "2" for keys, _ in (*data, placed))
    assert {key: data[0][0][key] for key in "aft"} == {"a": "t", "f": "100", "t": "d"}
    assert data[0][0]["i"] == number
    assert [keys["m"] for keys, _ in data] == ["1"] * (len(data) - 1) + ["0"]
    assert all(len(piece) == 4096 for _, piece in data[:-1])
    assert b64decode("".join(piece for _, piece in data)) == picture.png
    assert {key: placed[0][key] for key in "aUcr"} == {"a": "p", "U": "1", "c": "10", "r": "5"}
    sent.clear()
    kitty.cells(VIEW, "https://example.org/x.png", 3, picture, Grid(20, 10), "#14171c")
    [(again, _)] = commands(sent)
    assert (again["a"], again["i"], again["c"], again["r"]) == ("p", number, "20", "10")


def test_a_picture_may_stand_at_two_places_in_two_sizes() -> None:
    sent: list[str] = []
    kitty = Kitty(sent.append)
    picture = read_picture(file_of(quarters()), sharp=True)
    large, small = (
        kitty.cells(VIEW, "a", 3, picture, Grid(10, 5), "#14171c"),
        kitty.cells(VIEW, "a", 9, picture, Grid(4, 2), "#14171c"),
    )
    assert [keys["a"] for keys, _ in commands(sent)] == ["t", "p", "t", "p"]
    assert large[0][0].role != small[0][0].role
    sent.clear()
    kitty.drop("a")
    assert [keys["a"] for keys, _ in commands(sent)] == ["d", "d"]


def test_each_view_has_a_picture_in_its_own_size() -> None:
    sent: list[str] = []
    kitty = Kitty(sent.append)
    picture = read_picture(file_of(quarters()), sharp=True)
    large = kitty.cells(VIEW, "a", 3, picture, Grid(10, 5), "#14171c")
    kitty.cells(object(), "a", 3, picture, Grid(4, 2), "#14171c")
    sent.clear()
    assert kitty.cells(VIEW, "a", 3, picture, Grid(10, 5), "#14171c") == large
    assert sent == []


def test_the_terminal_gives_back_what_a_view_has_shown_that_is_gone() -> None:
    sent: list[str] = []
    kitty = Kitty(sent.append)
    picture = read_picture(file_of(quarters()), sharp=True)
    for address in ("a", "b"):
        kitty.cells(VIEW, address, 3, picture, Grid(2, 1), "#14171c")
    numbers = {keys["i"] for keys, _ in commands(sent) if keys.get("a") == "p"}
    other = object()
    kitty.cells(other, "a", 3, picture, Grid(2, 1), "#14171c")
    sent.clear()
    kitty.leave(VIEW)
    assert {(keys["a"], keys["d"], keys["i"]) for keys, _ in commands(sent)} == {("d", "I", one) for one in numbers}
    sent.clear()
    kitty.cells(other, "a", 3, picture, Grid(2, 1), "#14171c")
    assert sent == []
    kitty.cells(VIEW, "a", 3, picture, Grid(2, 1), "#14171c")
    assert [keys["a"] for keys, _ in commands(sent)] == ["t", "p"]


def test_a_cell_says_which_row_and_column_of_the_picture_it_shows() -> None:
    rows = placeholders(0x0A0B0C, Grid(140, 142), "#14171c")
    assert len(rows) == 142
    seen = set()
    for [part] in rows:
        assert part.role == "#0a0b0c on#14171c"
        assert cell_len(part.text) == 140
        seen |= set(chain(zip(part.text[1::3], part.text[2::3], strict=True)))
        assert set(part.text[::3]) == {PLACEHOLDER}
    assert len(seen) == 140 * 142
    assert rows[0][0].text.startswith("\U0010eeee\u0305\u0305\U0010eeee\u0305\u030d\U0010eeee\u0305\u030e")
    assert rows[1][0].text.startswith("\U0010eeee\u030d\u0305")


def test_a_page_cannot_write_a_cell_of_a_picture() -> None:
    assert PLACEHOLDER not in clean(f"a{PLACEHOLDER}\u0305\u0305b")
