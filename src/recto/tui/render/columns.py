"""How wide the columns of a table are where there is only so much room."""

from __future__ import annotations

from collections.abc import Sequence

LEAST = 6
"""Cells that a column keeps however little room there is, if its words need them."""

_LINES, _PROSE = 6, 24
"""Lines that a text is to take, and cells that it gets at the most, where a table is looked at sideways anyway."""


def column_widths(natural: Sequence[int], words: Sequence[int], pieces: Sequence[int], room: int) -> list[int]:
    """Give each column its cells: as wide as its text where all fit, else the widest give way first.

    ``natural`` are the cells of each column's longest text, ``words`` those of its longest word and ``pieces`` those of
    the longest part of a word that should not be broken. A column keeps its longest word as far as that is no more
    than its share, and the pieces in any case: where these do not fit, the sum is more than ``room`` and the table is
    looked at sideways.
    """
    if not natural:
        return []
    if sum(natural) <= room:
        return [max(1, width) for width in natural]
    whole = [max(LEAST, piece) for piece in pieces]
    fair = room // len(natural)
    kept = _at_most(natural, [max(piece, min(word, fair)) for piece, word in zip(whole, words, strict=True)])
    if sum(kept) <= room:
        return _level(natural, kept, room)
    kept = _at_most(natural, whole)
    if sum(kept) <= room:
        return _level(natural, kept, room)
    return _at_most(natural, [max(w, min(_PROSE, text // _LINES)) for w, text in zip(whole, natural, strict=True)])


def _at_most(natural: Sequence[int], wanted: Sequence[int]) -> list[int]:
    return [max(1, min(width, most)) for most, width in zip(natural, wanted, strict=True)]


def _level(natural: Sequence[int], least: list[int], room: int) -> list[int]:
    """Lower the highest columns to one level at which all fit, then hand out what rounding left."""
    wanted = [max(1, width) for width in natural]
    low, high = 1, max(wanted)
    while low < high:
        level = (low + high + 1) // 2
        if sum(_at_level(wanted, least, level)) <= room:
            low = level
        else:
            high = level - 1
    widths = _at_level(wanted, least, low)
    rest = room - sum(widths)
    for index, width in enumerate(widths):
        if rest and width < wanted[index]:
            widths[index] += 1
            rest -= 1
    return widths


def _at_level(wanted: list[int], least: list[int], level: int) -> list[int]:
    return [max(low, min(width, level)) for width, low in zip(wanted, least, strict=True)]
