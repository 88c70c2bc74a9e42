"""Which line of a long page belongs to which leaf, while heights are still being found out."""

from __future__ import annotations

from collections.abc import Sequence


class Extents:
    """Heights of leaves, in lines, with sums over them (a Fenwick tree: a correction costs the logarithm)."""

    def __init__(self, heights: Sequence[int]) -> None:
        self._heights = list(heights)
        self._total = sum(self._heights)
        size = len(self._heights)
        self._sums = [0, *self._heights]
        for index in range(1, size + 1):
            above = index + (index & -index)
            if above <= size:
                self._sums[above] += self._sums[index]
        self._half = 1 << max(0, size.bit_length() - 1)

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def total(self) -> int:
        """The number of lines of all leaves."""
        return self._total

    def height(self, index: int) -> int:
        """Give the lines of a leaf as far as they are known."""
        return self._heights[index]

    def correct(self, index: int, height: int) -> bool:
        """Set the height of a leaf; says whether it had another."""
        difference = height - self._heights[index]
        if not difference:
            return False
        self._heights[index] = height
        self._total += difference
        place = index + 1
        while place < len(self._sums):
            self._sums[place] += difference
            place += place & -place
        return True

    def top(self, index: int) -> int:
        """Give the line at which a leaf begins."""
        total = 0
        while index > 0:
            total += self._sums[index]
            index -= index & -index
        return total

    def at(self, line: int) -> tuple[int, int] | None:
        """Give the leaf that a line belongs to and which of its lines it is; ``None`` where there is none."""
        if not 0 <= line < self._total:
            return None
        index = 0
        step = self._half
        while step:
            above = index + step
            if above < len(self._sums) and self._sums[above] <= line:
                line -= self._sums[above]
                index = above
            step >>= 1
        return index, line
