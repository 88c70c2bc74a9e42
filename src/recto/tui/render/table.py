"""Tables: column widths for the room there is, and a leaf for each row, laid out when it is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from recto.document.markdown.blocks import Block
from recto.pattern import pattern
from recto.tui.render.leaf import Frame, Leaf, Part, Row, parts_by_line
from recto.tui.render.line_breaks import break_lines, cells, longest_unbroken
from recto.tui.render.prose import Prose, stack

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
    """Shrink the widest columns until all fit, then distribute the remainder."""
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


CellReader = Callable[[Block, str], Prose]
"""Reads the inline text of a block in a role."""

_SEPARATOR = " │ "
_CROSSING = "─┼─"
_READ_CLOSELY = 1_000
"""The cells whose text determines the widths; of later ones only the length of the source counts."""

_SOURCE_ONLY = pattern(r"\]\([^()]*\)|<[^<>]*>|[*`\\]")


class TableShape:
    """The widths of a table's columns, cached by the room for them."""

    def __init__(self, rows: Sequence[Block], read: CellReader) -> None:
        self.rows = rows
        self.count = max((len(row.children) for row in self.rows), default=0)
        self._read = read
        self._proses: dict[int, Prose] = {}
        self._wants: tuple[list[int], list[int], list[int]] | None = None
        self._widths: dict[int, list[int]] = {}

    def cell(self, block: Block) -> Prose:
        """Read a cell; those of the header are strong."""
        known = self._proses.get(id(block))
        if known is None:
            known = self._read(block, "strong" if block.attributes.get("header") == "true" else "")
            self._proses[id(block)] = known
        return known

    def widths(self, room: int) -> list[int]:
        """Return the cells of each column."""
        known = self._widths.get(room)
        if known is None:
            known = column_widths(*self._wanted_widths(), room - len(_SEPARATOR) * (self.count - 1))
            self._widths[room] = known
        return known

    def wraps(self, room: int) -> bool:
        """Whether some cell may take several lines, so that rows need a line between them."""
        natural, *_ = self._wanted_widths()
        return any(width < wanted for width, wanted in zip(self.widths(room), natural, strict=True))

    def _wanted_widths(self) -> tuple[list[int], list[int], list[int]]:
        """Return the cells of each column's longest text, longest word, and longest piece of a word."""
        if self._wants is None:
            natural, words, pieces = [1] * self.count, [1] * self.count, [1] * self.count
            closely = max(2, _READ_CLOSELY // max(1, self.count))
            for number, row in enumerate(self.rows):
                for column, cell in enumerate(row.children):
                    text = self.cell(cell).text if number < closely else _SOURCE_ONLY.sub("", cell.text)
                    natural[column] = max(natural[column], *map(cells, text.split("\n")))
                    if len(text) > pieces[column]:
                        unbroken = longest_unbroken(text)
                        words[column] = max(words[column], unbroken[0])
                        pieces[column] = max(pieces[column], unbroken[1])
            self._wants = natural, words, pieces
        return self._wants


class TableRowLeaf(Leaf):
    """A row of a table, with the line below it that the header and wrapped rows have."""

    wide = True

    def __init__(self, shape: TableShape, row: Block, table: Block, frame: Frame, *, header: bool, last: bool) -> None:
        super().__init__(table, frame, line=row.start, end=row.end)
        self._shape = shape
        self._row = row
        self._header, self._last = header, last
        self._cells: list[Prose] | None = None
        self._prose: Prose | None = None

    def prose(self) -> Prose:
        """Return the cells, below each other."""
        if self._prose is None:
            self._prose = stack(self._read_cells())
        return self._prose

    def _read_cells(self) -> list[Prose]:
        if self._cells is None:
            self._cells = [self._shape.cell(cell) for cell in self._row.children]
        return self._cells

    def estimate(self, width: int) -> int:
        """Guess from the length of the longest cell's source, as if the columns were equally wide."""
        each = max(1, (width - self.frame.cells) // max(1, self._shape.count))
        longest = max((len(cell.text) for cell in self._row.children), default=0)
        return 1 + longest // (2 * each) + (self._header or longest > each)

    def _has_rule(self, room: int) -> bool:
        return self._header or (not self._last and self._shape.wraps(room))

    def _lay_out(self, width: int) -> list[Row]:
        first, rest, room = self._lead_spans(width)
        widths = self._shape.widths(room)
        columns: list[list[list[Part]]] = []
        start = 0
        for prose, cell_width in zip(self._read_cells(), widths, strict=False):
            lines = parts_by_line(prose, break_lines(prose.text, cell_width))
            columns.append([[part._replace(start=part.start + start) for part in line] for line in lines])
            start += len(prose.text) + 1
        aligns = [cell.attributes.get("align", "") for cell in self._row.children]
        rows: list[Row] = []
        for index, line in enumerate(zip_longest(*columns, fillvalue=())):
            rows.append(Row(rest if index else first, _join(line, widths, aligns)))
        rows = rows or [Row(first, ())]
        if self._has_rule(room):
            rows.append(
                Row(rest, (Part(_CROSSING.join("─" * cell_width for cell_width in widths), "line"),), still=True)
            )
        return rows


def table_leaves(table: Block, frame: Frame, read: CellReader) -> Sequence[Leaf]:
    """Return the leaves of a table, a leaf for each row."""
    rows = table.children
    if rows and _is_silent(rows[0], table):
        rows = rows[1:]
    shape = TableShape(rows, read)
    leaves = []
    for index, row in enumerate(rows):
        header = index == 0 and _is_header(row)
        last = index == len(rows) - 1
        own = frame.below if index else frame
        leaves.append(TableRowLeaf(shape, row, table, own, header=header and not last, last=last))
    return leaves


def _is_header(row: Block) -> bool:
    return any(cell.attributes.get("header") == "true" for cell in row.children)


def _is_silent(row: Block, table: Block) -> bool:
    """Whether a row is a header that is hidden or empty: Markdown has no table without a header."""
    hidden = table.attributes.get("data-header-hidden") is not None
    return _is_header(row) and (hidden or not any(cell.text.strip() for cell in row.children))


def _join(lines: Sequence[Sequence[Part]], widths: Sequence[int], aligns: Sequence[str]) -> tuple[Part, ...]:
    joined: list[Part] = []
    for column, width in enumerate(widths):
        line = lines[column] if column < len(lines) else ()
        align = aligns[column] if column < len(aligns) else ""
        free = max(0, width - sum(cells(part.text) for part in line))
        left = {"right": free, "center": free // 2}.get(align, 0)
        if column:
            joined.append(Part(_SEPARATOR, "line"))
        if left:
            joined.append(Part(" " * left))
        joined += line
        if free - left:
            joined.append(Part(" " * (free - left)))
    return tuple(joined)
