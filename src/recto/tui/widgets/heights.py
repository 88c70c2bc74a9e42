"""The positions of rows with different heights, which are measured only when a row is visible."""

from __future__ import annotations

from collections.abc import Sequence


class Heights:
    """The heights of rows, ``estimate`` lines each until measured; finding a row costs the logarithm of their number.

    A binary indexed tree (Fenwick, 1994): ``tree[i]`` sums the heights of the ``i & -i`` rows that end with row ``i``,
    counted from 1. Rows known to be a line high need none: 50,000 of them cost as much as fifty. Where each row can
    be guessed on its own, ``estimates`` has a guess for each.
    """

    def __init__(
        self, count: int, *, one_line: bool, estimate: int = 1, estimates: Sequence[int] | None = None
    ) -> None:
        self._count = count
        self._estimate = estimate
        self._estimates = estimates
        self._known: dict[int, int] = {}
        self._tree: list[int] | None = None
        self.total = count
        """The number of lines of all rows."""
        if estimates is not None:
            self._tree = _sums(estimates)
            self.total = sum(estimates)
        elif not one_line:
            self._tree = [estimate * (index & -index) for index in range(count + 1)]
            self.total = count * estimate

    def is_known(self, index: int) -> bool:
        """Whether a row has been measured."""
        return self._tree is None or index in self._known

    def height(self, index: int) -> int:
        """Return the number of lines of a row, measured or estimated."""
        if self._tree is None:
            return 1
        known = self._known.get(index)
        if known is not None:
            return known
        return self._estimates[index] if self._estimates is not None else self._estimate

    def record(self, index: int, height: int) -> int:
        """Record the height of a row; return by how much it differs from the estimate."""
        difference = height - self.height(index)
        self._known[index] = height
        if difference and self._tree is not None:
            self.total += difference
            position = index + 1
            while position <= self._count:
                self._tree[position] += difference
                position += position & -position
        return difference

    def top(self, index: int) -> int:
        """Return the line at which a row begins."""
        if self._tree is None:
            return index
        line = 0
        while index > 0:
            line += self._tree[index]
            index -= index & -index
        return line

    def at(self, line: int) -> tuple[int, int] | None:
        """Return the row that a line belongs to and which of its lines it is; ``None`` beyond the rows."""
        if not 0 <= line < self.total:
            return None
        if self._tree is None:
            return line, 0
        position = 0
        step = 1 << self._count.bit_length()
        while step:
            beyond = position + step
            if beyond <= self._count and self._tree[beyond] <= line:
                position = beyond
                line -= self._tree[beyond]
            step >>= 1
        return position, line


def _sums(heights: Sequence[int]) -> list[int]:
    """Return the tree over heights that are not all the same."""
    tree = [0, *heights]
    for position in range(1, len(tree)):
        above = position + (position & -position)
        if above < len(tree):
            tree[above] += tree[position]
    return tree
