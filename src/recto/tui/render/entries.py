"""Items with a name, a type and a description, as aligned rows: parameters, and nested properties."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from recto.document.markdown.blocks import Block
from recto.tui.render.beside import BesideLeaf, Cell
from recto.tui.render.breaking import break_lines, cells
from recto.tui.render.folds import Option
from recto.tui.render.leaf import Frame, Leaf, Part, Row, TextLeaf, guess, parts_by_line
from recto.tui.render.prose import Prose

_GAP = 2
_INDENT = 2
_WIDEST_FACTS = 30
_LEAST_DESCRIPTION = 32
"""Cells below which the description stands under the type rather than beside it."""

_LEAST_BESIDE = 28
"""Cells below which type and description stand under the name."""


class _Widths(NamedTuple):
    """The cells of the columns; 0 without room."""

    name: int
    facts: int
    description: int


class EntryShape:
    """The columns that entries share, for each room; they are measured when the first of them is laid out."""

    def __init__(self) -> None:
        self._entries: list[EntryLeaf] = []
        self._natural: _Widths | None = None

    def add(self, entry: EntryLeaf) -> None:
        """Take an entry."""
        self._entries.append(entry)

    def widths(self, room: int) -> _Widths:
        """Return the columns of entries that stand in nothing else."""
        if self._natural is None:
            self._natural = _Widths(*map(max, zip(*(entry.natural() for entry in self._entries), strict=True)))
        natural = self._natural
        name = min(natural.name, max(12, room * 2 // 5))
        rest = room - name - _GAP
        facts = min(natural.facts, max(_WIDEST_FACTS, room * 2 // 5))
        if natural.description and rest - facts - _GAP >= _LEAST_DESCRIPTION:
            return _Widths(name, facts, rest - facts - _GAP)
        return _Widths(name, rest, 0) if rest >= _LEAST_BESIDE else _Widths(0, 0, 0)


class EntryLeaf(BesideLeaf):
    """An entry, which stands within ``depth`` others. ``make`` gives its name, and its type with what else holds.

    ``description`` are the leaves of its description, about ``length`` characters, or makes them when they are first
    looked at. Such late leaves hold no folds, so they need not be made to find out.
    """

    def __init__(
        self,
        block: Block,
        frame: Frame,
        make: Callable[[], tuple[Prose, Prose]],
        description: Sequence[Leaf] | Callable[[], Sequence[Leaf]],
        shape: EntryShape,
        depth: int,
        *,
        length: int,
    ) -> None:
        def cells_of() -> Sequence[Cell]:
            heads = [
                TextLeaf(block, Frame(), "", lambda: self._head[0]),
                TextLeaf(block, Frame(), "", lambda: self._head[1]),
            ]
            return *(Cell([head]) for head in heads), Cell(description() if callable(description) else description)

        super().__init__(block, frame, cells_of, most=3, least=1)
        self._make_head = make
        self._shape, self._depth = shape, depth
        self._length = length
        self._may_fold = not callable(description)
        shape.add(self)

    @cached_property
    def _head(self) -> tuple[Prose, Prose]:
        return self._make_head()

    def natural(self) -> _Widths:
        """Return the cells that it would take in each column; for the description only whether it exists."""
        name, facts = self._head
        return _Widths(cells(name.text) + _INDENT * self._depth, cells(facts.text), int(self._length > 0))

    def estimate(self, width: int) -> int:
        """Guess from the length of the description."""
        return guess(" " * self._length, width * 2 // 3)

    def options(self) -> Iterator[Option]:
        """Yield the parts of folds that it stands in or holds."""
        yield from super().options() if self._may_fold else Leaf.options(self)

    def _fold_state(self) -> object:
        return super()._fold_state() if self._may_fold else None

    def _lay_out(self, width: int) -> list[Row]:
        first, rest, room = self._befores(width)
        widths = self._shape.widths(room + _INDENT * self._depth)
        # The names of all depths end where the types begin.
        name = widths.name - _INDENT * self._depth
        if widths.name and name >= min(4, cells(self._head[0].text)):
            body = list(self._align(widths._replace(name=name)))
        else:
            body = self._stack(room)
        self.wide = any(sum(cells(part.text) for part in parts) > room for parts in body)
        return [Row(rest if index else first, tuple(parts)) for index, parts in enumerate(body)]

    def _align(self, widths: _Widths) -> Iterator[list[Part]]:
        start = self._starts()
        columns = [_lines(self._head[0], 0, widths.name), _lines(self._head[1], start[1], widths.facts)]
        description = self._column(self._cells[2], widths.description or widths.facts, start[2])
        if widths.description:
            columns.append(description)
        else:
            columns[1] = [line for line in columns[1] if line] + description
        for line in zip_longest(*columns):
            row: list[Part] = []
            taken = begin = 0
            for parts, width in zip(line, widths, strict=False):
                if parts:
                    if begin > taken:
                        row.append(Part(" " * (begin - taken)))
                    row += parts
                    taken = max(taken, begin) + sum(cells(part.text) for part in parts)
                begin += width + _GAP
            yield row

    def _stack(self, room: int) -> list[list[Part]]:
        """Return the type behind the name if it fits there, else below it, where the description always is."""
        start = self._starts()
        indent, inner = Part(" " * _INDENT), max(2, room - _INDENT)
        name, about = self._head
        body = _lines(name, 0, room)
        if cells(name.text) + _GAP + cells(about.text) <= room:
            facts = _lines(about, start[1], room)[0]
            body[-1] += [Part(" " * _GAP), *facts] if facts else []
        else:
            body += [[indent, *line] for line in _lines(about, start[1], inner)]
        return body + [[indent, *line] for line in self._column(self._cells[2], inner, start[2])]


def _lines(prose: Prose, start: int, width: int) -> list[list[Part]]:
    lines = parts_by_line(prose, break_lines(prose.text, width))
    return [[part._replace(start=part.start + start) for part in line] for line in lines]
