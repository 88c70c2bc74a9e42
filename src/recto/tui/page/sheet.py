"""The layout of a page at a width: the lines of the page as rows of its leaves."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from recto.tui.render.leaf import Leaf, Row
from recto.tui.render.prose import Link
from recto.tui.widgets.heights import Heights

_KEPT = 1_500
"""Leaves whose rows are kept; more would hold a whole book of a page in memory."""


class Stop(NamedTuple):
    """A row of a leaf, where the cursor can stand."""

    leaf: int
    row: int


class Sheet:
    """The leaves of a page set at a width in cells. Heights are guessed until a leaf is laid out."""

    def __init__(self, leaves: Sequence[Leaf], width: int) -> None:
        self.leaves = leaves
        self.width = width
        estimates = [0 if leaf.is_hidden else leaf.gap + max(1, leaf.estimate(width)) for leaf in leaves]
        self._heights = Heights(len(leaves), one_line=False, estimates=estimates)
        self._kept: deque[int] = deque()

    @property
    def total(self) -> int:
        """The number of lines, as far as it is known."""
        return self._heights.total

    def top(self, index: int) -> int:
        """Return the line at which a leaf begins, its gap included."""
        return self._heights.top(index)

    def at(self, line: int) -> tuple[int, int] | None:
        """Return the leaf that a line belongs to and which of its lines, gap included, it is."""
        return self._heights.at(line)

    def height(self, index: int) -> int:
        """Lay a leaf out and give its lines, gap included."""
        self.lay_out(index)
        return self._heights.height(index)

    def rows(self, index: int) -> list[Row]:
        """Return the rows of a leaf; none where it is folded away."""
        if self.leaves[index].is_hidden:
            return []
        self.lay_out(index)
        return self.leaves[index].rows(self.width)

    def lay_out(self, index: int) -> bool:
        """Lay a leaf out; return whether its height was guessed wrong."""
        if self._heights.is_known(index):
            return False
        leaf = self.leaves[index]
        if leaf.is_hidden:
            return False
        rows = leaf.rows(self.width)
        self._kept.append(index)
        if len(self._kept) > _KEPT:
            self.leaves[self._kept.popleft()].forget()
        return self._heights.record(index, leaf.gap + max(1, len(rows))) != 0

    def lay_out_lines(self, top: int, bottom: int) -> bool:
        """Lay out the leaves between two lines; returns whether a guessed height was wrong."""
        line = max(0, top)
        wrong = False
        while line < bottom and (place := self._heights.at(line)) is not None:
            wrong |= self.lay_out(place[0])
            line = self._heights.top(place[0]) + self._heights.height(place[0])
        return wrong

    # Where the cursor can stand

    def line_of(self, stop: Stop) -> int:
        """Return the line of the page that a row is, as far as heights are known."""
        return self.top(stop.leaf) + self.leaves[stop.leaf].gap + stop.row

    def offsets(self, stop: Stop) -> tuple[int, int]:
        """Return the offsets in the leaf's text between which a row shows it."""
        rows = self.rows(stop.leaf)
        parts = [part for part in rows[stop.row].parts if part.start >= 0] if stop.row < len(rows) else []
        return (
            min((part.start for part in parts), default=0),
            max((part.start + len(part.text) for part in parts), default=0),
        )

    def row_of(self, leaf: int, offset: int) -> Stop:
        """Return the row in which an offset of a leaf's text stands, the nearest row without such a leaf.

        For a leaf that is folded away it is the nearest visible row above.
        """
        leaf = max(0, min(leaf, len(self.leaves) - 1))
        while leaf and self.leaves[leaf].is_hidden:
            leaf, offset = leaf - 1, 0
        found, nearest = 0, -1
        for number, row in enumerate(self.rows(leaf)):
            for part in row.parts:
                if nearest < part.start <= offset:
                    found, nearest = number, part.start
        return Stop(leaf, found)

    def next_stop(self, leaf: int, row: int, direction: int) -> Stop | None:
        """Return the first row from here on, in a direction, where the cursor can stand; ``None`` at the end."""
        while 0 <= leaf < len(self.leaves):
            rows = self.rows(leaf)
            while 0 <= row < len(rows):
                if not rows[row].still:
                    return Stop(leaf, row)
                row += direction
            leaf += direction
            if 0 <= leaf < len(self.leaves):
                row = 0 if direction > 0 else len(self.rows(leaf)) - 1
        return None

    def stop_near(self, line: int, direction: int) -> Stop:
        """Return the row nearest to a line where the cursor can stand, looking first in ``direction``."""
        leaf, within = self.at(max(0, min(line, self.total - 1))) or (0, 0)
        row = within - self.leaves[leaf].gap
        if row < 0 and direction < 0:
            leaf -= 1
            while leaf > 0 and self.leaves[leaf].is_hidden:
                leaf -= 1
            row = len(self.rows(leaf)) - 1 if leaf >= 0 else -1
        row = max(row, 0)
        leaf = max(leaf, 0)
        return self.next_stop(leaf, row, direction) or self.next_stop(leaf, row, -direction) or Stop(leaf, row)

    def links_at(self, stop: Stop) -> list[Link]:
        """Return the links that a row shows, or shows a part of."""
        rows = self.rows(stop.leaf)
        parts = rows[stop.row].parts if stop.row < len(rows) else ()
        shown = [part.start for part in parts if part.link is not None and part.start >= 0]
        links = self.leaves[stop.leaf].prose().links if shown else []
        return [link for link in links if any(link.start <= start < link.end for start in shown)]
