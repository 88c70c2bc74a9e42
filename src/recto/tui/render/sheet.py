"""Leaves at one width: which line of the page is which row of which leaf."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from recto.tui.render.extents import Extents
from recto.tui.render.leaf import Leaf, Row

_KEPT = 1_500
"""Leaves whose rows are kept; more would hold a whole book of a page in memory."""


class Sheet:
    """The leaves of a page set at a width in cells. Heights are guessed until a leaf is laid out."""

    def __init__(self, leaves: Sequence[Leaf], width: int) -> None:
        self.leaves = leaves
        self.width = width
        self._extents = Extents([leaf.gap + max(1, _height(leaf, width)) for leaf in leaves])
        self._laid_out: set[int] = set()
        self._kept: deque[int] = deque()

    @property
    def total(self) -> int:
        """The number of lines, as far as it is known."""
        return self._extents.total

    def top(self, index: int) -> int:
        """Give the line at which a leaf begins, its gap included."""
        return self._extents.top(index)

    def at(self, line: int) -> tuple[int, int] | None:
        """Give the leaf that a line belongs to and which of its lines, gap included, it is."""
        return self._extents.at(line)

    def height(self, index: int) -> int:
        """Lay a leaf out and give its lines, gap included."""
        self.lay_out(index)
        return self._extents.height(index)

    def rows(self, index: int) -> list[Row]:
        """Give the rows of a leaf."""
        leaf = self.leaves[index]
        if leaf.known_rows(self.width) is None or index not in self._laid_out:
            self.lay_out(index)
        return leaf.rows(self.width)

    def lay_out(self, index: int) -> bool:
        """Lay a leaf out; says whether its height was guessed wrong."""
        if index in self._laid_out:
            return False
        leaf = self.leaves[index]
        rows = leaf.rows(self.width)
        self._laid_out.add(index)
        self._kept.append(index)
        if len(self._kept) > _KEPT:
            self.leaves[self._kept.popleft()].forget()
        return self._extents.correct(index, leaf.gap + max(1, len(rows)))

    def lay_out_lines(self, top: int, bottom: int) -> bool:
        """Lay out what is between two lines; says whether something was guessed wrong."""
        line = max(0, top)
        wrong = False
        while line < bottom and (place := self._extents.at(line)) is not None:
            wrong |= self.lay_out(place[0])
            line = self._extents.top(place[0]) + self._extents.height(place[0])
        return wrong


def _height(leaf: Leaf, width: int) -> int:
    known = leaf.known_rows(width)
    return leaf.estimate(width) if known is None else known
