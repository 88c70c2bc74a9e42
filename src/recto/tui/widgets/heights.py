"""Where each row begins when rows have different heights, which are found out only for what is seen."""

from __future__ import annotations


class Heights:
    """The heights of rows, ``estimate`` lines each until measured; finding a row costs the logarithm of their number.

    A binary indexed tree (Fenwick, 1994): ``tree[i]`` sums the heights of the ``i & -i`` rows that end with row ``i``,
    counted from 1. Rows known to be one line high need none: 50,000 of them cost as much as fifty.
    """

    def __init__(self, count: int, *, one_line: bool, estimate: int = 1) -> None:
        self._count = count
        self._estimate = estimate
        self._known: dict[int, int] = {}
        self._tree: list[int] | None = None
        self.total = count
        """The number of lines of all rows."""
        if not one_line:
            self._tree = [estimate * (index & -index) for index in range(count + 1)]
            self.total = count * estimate

    def is_known(self, index: int) -> bool:
        """Say whether a row has been measured."""
        return self._tree is None or index in self._known

    def height(self, index: int) -> int:
        """Give the number of lines of a row, measured or estimated."""
        return 1 if self._tree is None else self._known.get(index, self._estimate)

    def measured(self, index: int, height: int) -> int:
        """Take in the height of a row; gives by how much it differs from what was thought."""
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
        """Give the line at which a row begins."""
        if self._tree is None:
            return index
        line = 0
        while index > 0:
            line += self._tree[index]
            index -= index & -index
        return line

    def at(self, line: int) -> tuple[int, int] | None:
        """Give the row that a line belongs to and which of its lines it is; ``None`` beyond the rows."""
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
