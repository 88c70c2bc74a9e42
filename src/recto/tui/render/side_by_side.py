"""Columns and cards: side by side if there is room, else below each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest

from recto.document.markdown.blocks import Block
from recto.frozen import frozen
from recto.tui.render.folds import FoldPart
from recto.tui.render.leaf import Frame, Leaf, Part, Row, join_roles
from recto.tui.render.line_breaks import cells
from recto.tui.render.prose import Prose, stack

MOST = 200
"""The most leaves that are laid out together; if there are more they are stacked, to be laid out when visible."""

_GAP = 3


@frozen
class Cell:
    """A column or card: its content, and its share of the width."""

    leaves: Sequence[Leaf]
    share: float = 1.0


class BesideLeaf(Leaf):
    """Cells beside each other, at most ``most`` in a row, each at least ``least`` cells of the terminal wide.

    ``ground`` lies under each cell, as under a card, and ``air`` blank rows between two rows of cells. A function that
    makes the cells is called when they are first needed.
    """

    def __init__(
        self,
        block: Block,
        frame: Frame,
        cells: Sequence[Cell] | Callable[[], Sequence[Cell]],
        *,
        most: int,
        least: int,
        ground: str = "",
        air: int = 1,
    ) -> None:
        super().__init__(block, frame)
        self._make = cells
        self._most = max(1, most)
        self._least = least
        self._ground = ground
        self._air = air
        self._prose: Prose | None = None

    @cached_property
    def _cells(self) -> Sequence[Cell]:
        return self._make() if callable(self._make) else self._make

    def _inner(self) -> Iterator[Leaf]:
        for cell in self._cells:
            yield from cell.leaves

    def inner(self) -> Iterator[tuple[Leaf, int]]:
        """Yield what stands in the cells, each with the offset at which its text begins."""
        start = 0
        for leaf in self._inner():
            yield leaf, start
            start += len(leaf.prose().text) + 1

    def prose(self) -> Prose:
        """Return all texts, below each other."""
        if self._prose is None:
            self._prose = stack([leaf.prose() for leaf in self._inner()])
        return self._prose

    def estimate(self, width: int) -> int:
        """Estimate from the cells, as if they were equally long."""
        abreast = self._cells_per_row(width - self.frame.cells)
        each = max(2, (width - self.frame.cells) // abreast - _GAP)
        rows = sum(leaf.gap + leaf.estimate(each) for leaf in self._inner() if not leaf.is_hidden)
        return max(1, rows // abreast)

    def forget(self) -> None:
        """Free the memory that the rows take, those within too."""
        super().forget()
        for leaf in self._inner():
            leaf.forget()

    def places(self) -> Iterator[tuple[Leaf, int]]:
        """Yield what stands in the columns; a card is taken as a whole."""
        if self._ground:
            yield self, 0
            return
        for leaf, start in self.inner():
            yield from ((inner, start + offset) for inner, offset in leaf.places())

    def option_at(self, offset: int) -> FoldPart | None:
        """Return the part of a fold in which an offset of the text stands."""
        start = 0
        for leaf in self._inner():
            end = start + len(leaf.prose().text)
            if offset <= end:
                return leaf.option_at(offset - start) or self.option
            start = end + 1
        return self.option

    def options(self) -> Iterator[FoldPart]:
        """Yield the parts of folds that it stands in or holds."""
        yield from super().options()
        for leaf in self._inner():
            yield from leaf.options()

    def folds(self) -> tuple[object, ...]:
        """Return the choices that its visible rows depend on, beside the width."""
        return (*super().folds(), *(leaf.folds() for leaf in self._inner()))

    def _cells_per_row(self, room: int) -> int:
        fitting = max(1, min(self._most, len(self._cells), (room + _GAP) // (self._least + _GAP)))
        # Four where three fit become two and two, rather than three and a single card.
        return -(-len(self._cells) // -(-len(self._cells) // fitting)) if self._cells else 1

    def _lay_out(self, width: int) -> list[Row]:
        first, rest, room = self._lead_spans(width)
        abreast = self._cells_per_row(room)
        body = self._grid(room, abreast) if abreast > 1 else None
        if body is None:
            body = self._grid(room, 1) or []
        self.wide = any(sum(cells(part.text) for part in parts) > room for parts in body)
        rows = [Row(rest, tuple(parts), still=all(part.start < 0 for part in parts)) for parts in body]
        return [rows[0]._replace(before=first), *rows[1:]] if rows else [Row(first, ())]

    def _grid(self, room: int, abreast: int) -> list[list[Part]] | None:
        """Return the rows with ``abreast`` cells in each; ``None`` where something is too wide for its place."""
        starts = self._starts()
        body: list[list[Part]] = []
        for begin in range(0, len(self._cells), abreast):
            line = self._cells[begin : begin + abreast]
            widths = self._widths(line, room, abreast)
            columns = [
                self._column(cell, width, starts[begin + index])
                for index, (cell, width) in enumerate(zip(line, widths, strict=True))
            ]
            if abreast > 1 and any(
                sum(cells(part.text) for part in row) > width
                for column, width in zip(columns, widths, strict=True)
                for row in column
            ):
                return None
            if begin:
                body += [[] for _ in range(self._air)]
            body += self._cell_rows(columns, widths)
        return body

    def _starts(self) -> list[int]:
        """Return where in the text each cell begins."""
        starts: list[int] = []
        start = 0
        for cell in self._cells:
            starts.append(start)
            start += sum(len(leaf.prose().text) + 1 for leaf in cell.leaves)
        return starts

    def _widths(self, line: Sequence[Cell], room: int, abreast: int) -> list[int]:
        free = room - _GAP * (abreast - 1)
        if abreast != len(self._cells) or self._ground:
            # The last row of a grid may hold fewer; its cards are as wide as those above.
            return [free // abreast] * len(line)
        whole = sum(cell.share for cell in line) or 1.0
        least = min(self._least, free // abreast)
        widths = [max(least, int(free * cell.share / whole)) for cell in line]
        widths[widths.index(max(widths))] += free - sum(widths)
        return widths

    def _column(self, cell: Cell, width: int, start: int) -> list[list[Part]]:
        margin = 1 if self._ground else 0
        inner = max(2, width - 2 * margin)
        column: list[list[Part]] = []
        for leaf in cell.leaves:
            if not leaf.is_hidden:
                if column:
                    gap = [Part(text, role) for text, role in leaf.gap_frame.rest]
                    column += [gap] * leaf.gap
                column += [parts_of(row, start, inner) for row in leaf.rows(inner)]
            start += len(leaf.prose().text) + 1
        return [[Part(" "), *parts] for parts in column] if margin else column

    def _cell_rows(self, columns: Sequence[list[list[Part]]], widths: Sequence[int]) -> Iterator[list[Part]]:
        for line in zip_longest(*columns):
            row: list[Part] = []
            for index, (parts, width) in enumerate(zip(line, widths, strict=True)):
                if index:
                    row.append(Part(" " * _GAP))
                row += _pad(parts or [], width, self._ground)
            yield row


def parts_of(row: Row, start: int, width: int) -> list[Part]:
    """Return a row as parts of a larger row: its frame and its ground become theirs."""
    parts = [Part(text, role) for text, role in row.before]
    parts += (
        part._replace(role=join_roles(row.ground, part.role), start=part.start + start if part.start >= 0 else -1)
        for part in row.parts
    )
    free = width - sum(cells(part.text) for part in parts)
    return [*parts, Part(" " * free, row.ground)] if row.ground and free > 0 else parts


def _pad(parts: Sequence[Part], width: int, ground: str) -> list[Part]:
    padded = [part._replace(role=join_roles(ground, part.role)) for part in parts] if ground else list(parts)
    free = width - sum(cells(part.text) for part in parts)
    return [*padded, Part(" " * free, ground)] if free > 0 else padded
