"""How wide the columns of a table are where there is only so much room."""

from __future__ import annotations

from collections.abc import Sequence

LEAST = 6
"""Cells that a column keeps however little room there is, if its words need them."""


def column_widths(natural: Sequence[int], words: Sequence[int], room: int) -> list[int]:
    """Give each column its cells: as wide as its text where all fit, else the widest give way first.

    ``natural`` are the cells of each column's longest text, ``words`` those of its longest word. A column keeps its
    longest word as far as that leaves something for the others; where not even ``LEAST`` cells are left for each, the
    sum is more than ``room`` and the table is looked at sideways.
    """
    if not natural:
        return []
    if sum(natural) <= room:
        return [max(1, width) for width in natural]
    fair = max(LEAST, room // len(natural))
    least = [max(1, min(width, max(LEAST, min(word, fair)))) for width, word in zip(natural, words, strict=True)]
    if sum(least) >= room:
        return least
    wanted = [max(1, width) for width in natural]
    return _level(wanted, least, room)


def _level(wanted: list[int], least: list[int], room: int) -> list[int]:
    """Lower the highest columns to one level at which all fit, then hand out what rounding left."""
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
