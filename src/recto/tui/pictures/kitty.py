"""Pictures that the terminal draws itself, by the graphics protocol of kitty with its Unicode placeholders.

A picture goes out once, as base64 of a file that was made here of its pixels. Where it is seen is text: a cell of it is
a character of private use with two marks that say which row and column of the picture the cell shows, in a colour that
is the picture's number. So it is scrolled, cut and covered as text is. See
https://sw.kovidgoyal.net/kitty/graphics-protocol/#unicode-placeholders
"""

from __future__ import annotations

import random
from binascii import b2a_base64
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from recto.tui.look.text_roles import pixel_role
from recto.tui.pictures.cells import PLACEHOLDER, Grid
from recto.tui.private_names import write_to_terminal
from recto.tui.render.leaf import Part

if TYPE_CHECKING:
    from textual.app import App

    from recto.tui.pictures.decoding import Picture

_CHUNK = 4096
"""Characters of data in one command, as the protocol wants it."""

# The marks that count rows and columns, from 0 on, in the order of kitty's rowcolumn-diacritics.txt.
_CODES = """
    305 30d 30e 310 312 33d 33e 33f 346 34a 34b 34c 350 351 352 357 35b 363 364 365 366 367 368 369 36a 36b
    36c 36d 36e 36f 483 484 485 486 487 592 593 594 595 597 598 599 59c 59d 59e 59f 5a0 5a1 5a8 5a9 5ab 5ac
    5af 5c4 610 611 612 613 614 615 616 617 657 658 659 65a 65b 65d 65e 6d6 6d7 6d8 6d9 6da 6db 6dc 6df 6e0
    6e1 6e2 6e4 6e7 6e8 6eb 6ec 730 732 733 735 736 73a 73d 73f 740 741 743 745 747 749 74a 7eb 7ec 7ed 7ee
    7ef 7f0 7f1 7f3 816 817 818 819 81b 81c 81d 81e 81f 820 821 822 823 825 826 827 829 82a 82b 82c 82d 951
    953 954 f82 f83 f86 f87 135d 135e 135f 17dd 193a 1a17
"""
_MARKS = tuple(chr(int(code, 16)) for code in _CODES.split())


class Kitty:
    """The pictures that a terminal holds; ``write`` brings it commands, of which it answers none."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._numbers: dict[tuple[object, str, int], int] = {}
        self._grids: dict[int, Grid] = {}

    def cells(
        self, user: object, address: str, place: int, picture: Picture, grid: Grid, ground: str
    ) -> list[tuple[Part, ...]]:
        """Return what stands for a picture at a place of the text; the terminal is given the picture where it lacks it.

        For each ``user``, and in each place, it may have another size, for which it goes out again; at a new size in
        its place it does not. ``ground`` is the colour that is seen where it is transparent.
        """
        grid = Grid(min(grid.columns, len(_MARKS)), min(grid.rows, len(_MARKS)))
        key = (user, address, place)
        number = self._numbers.get(key)
        if number is None:
            # Other programs number pictures of their own, in the same terminal.
            number = self._numbers[key] = random.randrange(0x10000, 0x1000000)
            self._write(_transmission(number, picture.png))
        if self._grids.get(number) != grid:
            self._grids[number] = grid
            self._write(f"\x1b_Ga=p,U=1,i={number},p=1,c={grid.columns},r={grid.rows},q=2\x1b\\")
        return placeholders(number, grid, ground)

    def leave(self, user: object) -> None:
        """Free the pictures in the terminal of an album that is no longer shown."""
        self._delete(key for key in self._numbers if key[0] is user)

    def drop(self, address: str) -> None:
        """Make the terminal free a picture."""
        self._delete(key for key in self._numbers if key[1] == address)

    def forget(self) -> None:
        """Free all pictures in the terminal; another program that had its screen may have done so."""
        self._delete(self._numbers)

    def _delete(self, keys: Iterable[tuple[object, str, int]]) -> None:
        for key in list(keys):
            number = self._numbers.pop(key)
            self._grids.pop(number, None)
            self._write(f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\")


_by_app: WeakKeyDictionary[App[Any], Kitty] = WeakKeyDictionary()


def kitty_of(app: App[Any]) -> Kitty:
    """Return the protocol object for the terminal of a running program."""
    known = _by_app.get(app)
    if known is None:
        held = ref(app)

        def write(commands: str) -> None:
            running = held()
            if running is not None:
                write_to_terminal(running, commands)

        known = _by_app[app] = Kitty(write)
    return known


def placeholders(number: int, grid: Grid, ground: str) -> list[tuple[Part, ...]]:
    """Return the cells in which the terminal draws a picture; each says which it is, so that any of them may be cut."""
    role = pixel_role(f"{number:06x}", ground.removeprefix("#"))
    return [
        (Part("".join(PLACEHOLDER + _MARKS[row] + _MARKS[column] for column in range(grid.columns)), role),)
        for row in range(grid.rows)
    ]


def _transmission(number: int, png: bytes) -> str:
    return "".join(_commands(number, b2a_base64(png, newline=False).decode("ascii")))


def _commands(number: int, data: str) -> Iterator[str]:
    for begin in range(0, len(data), _CHUNK):
        keys = f"a=t,f=100,t=d,i={number},q=2," if not begin else "q=2,"
        more = int(begin + _CHUNK < len(data))
        yield f"\x1b_G{keys}m={more};{data[begin : begin + _CHUNK]}\x1b\\"
