"""Leaves: the pieces of a page, each laid out when it comes into view."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from recto.document.markdown.blocks import Block
from recto.frozen import frozen
from recto.tui.look.lines import Span
from recto.tui.render.folds import Fold, FoldPart
from recto.tui.render.line_breaks import break_lines, cells
from recto.tui.render.prose import EMPTY, Prose

LEAST_WIDTH = 12
"""The cells that deeply nested text keeps, if there are as many; the frame before it is cut instead."""


class Part(NamedTuple):
    """A piece of a row. ``start`` is its place in the leaf's text, -1 for what only decorates."""

    text: str
    role: str = ""
    link: str | None = None
    start: int = -1


class Row(NamedTuple):
    """A line of a leaf.

    ``before`` stays in place when the rest is scrolled sideways; the role ``ground`` lies under the rest. On a row
    that is ``still`` the cursor does not stop.
    """

    before: tuple[Span, ...]
    parts: tuple[Part, ...]
    ground: str = ""
    still: bool = False

    @property
    def cells(self) -> int:
        """The cells it takes where nothing is cut."""
        return sum(cells(text) for text, _role in self.before) + sum(cells(part.text) for part in self.parts)


@frozen
class Frame:
    """What stands before a leaf's rows: bars of quotes and hints, the bullet of an item, and blank space.

    ``first`` is for the first row, ``rest`` for those below; both take ``cells``.
    """

    first: tuple[Span, ...] = ()
    rest: tuple[Span, ...] = ()
    cells: int = 0

    def within(self, first: Span, rest: Span) -> Frame:
        """Return the frame of something that stands inside, marked by ``first`` on its first row and ``rest`` below."""
        return Frame((*self.first, first), (*self.rest, rest), self.cells + cells(rest[0]))

    @property
    def below(self) -> Frame:
        """The same frame once its first row is drawn."""
        return self if self.first is self.rest else Frame(self.rest, self.rest, self.cells)


BARE = Frame()


class Leaf(ABC):
    """A piece of a page. ``gap`` blank rows, in the frame of its surroundings, come before it.

    ``block`` is its block and ``line`` the source line at which it begins. A ``wide`` leaf is scrolled sideways,
    together with those of the same ``lane``; only leaves that ``may_link`` hold links. A leaf in an ``option`` is seen
    only while that is chosen; ``fold`` is what it folds and opens itself.
    """

    wide = False
    may_link = True
    described_at = ""
    """Address from which its description can be fetched, where that is known and not fetched yet."""

    def __init__(self, block: Block, frame: Frame = BARE, *, line: int | None = None, end: int | None = None) -> None:
        self.block = block
        self.frame = frame
        self.line = block.start if line is None else line
        self.end = block.end if end is None else end
        self.gap = 0
        self.gap_frame = BARE
        self.option: FoldPart | None = None
        self.fold: Fold | None = None
        self.lane = id(block)
        self._rows: tuple[object, list[Row]] | None = None

    def prose(self) -> Prose:
        """Return the leaf's text, which is searched and of which rows show parts."""
        return EMPTY

    def text(self) -> str:
        """Return the same text where its roles do not matter."""
        return self.prose().text

    def estimate(self, width: int) -> int:
        """Estimate the number of rows at a width, gap not included."""
        return 1

    def rows(self, width: int) -> list[Row]:
        """Return the rows at a width, kept until another width is requested or something in it folds."""
        key = (width, self.folds())
        if self._rows is None or self._rows[0] != key:
            self._rows = (key, self._lay_out(width))
        return self._rows[1]

    @property
    def is_laid_out(self) -> bool:
        """Whether rows are kept."""
        return self._rows is not None

    @property
    def is_hidden(self) -> bool:
        """Whether it stands in something that is folded away."""
        return self.option is not None and not self.option.is_shown

    def places(self) -> Iterator[tuple[Leaf, int]]:
        """Yield itself, or its components, each with the offset in its text at which that begins."""
        yield self, 0

    def options(self) -> Iterator[FoldPart]:
        """Yield the parts of folds that it stands in or holds."""
        if self.option is not None:
            yield from self.option.around()

    def option_at(self, offset: int) -> FoldPart | None:
        """Return the innermost part of a fold in which an offset of the text stands."""
        return self.option

    def shows(self, offset: int) -> bool:
        """Whether an offset of the text can be seen, and is not folded away."""
        option = self.option_at(offset)
        return option is None or option.is_shown

    def folds(self) -> tuple[object, ...]:
        """Return the choices that its visible rows depend on, beside the width."""
        return (self.is_hidden,)

    def forget(self) -> None:
        """Free the memory that the rows take."""
        self._rows = None

    @abstractmethod
    def _lay_out(self, width: int) -> list[Row]:
        """Return the rows at a width."""

    def _lead_spans(self, width: int) -> tuple[tuple[Span, ...], tuple[Span, ...], int]:
        """Return what stands before the first row, before the others, and the cells left for text."""
        first, rest = self.frame.first, self.frame.rest
        taken = self.frame.cells
        least = min(LEAST_WIDTH, width * 2 // 3)
        if width - taken < least:
            taken = width - least
            first, rest = _cut(first, taken), _cut(rest, taken)
        return first, rest, max(2, width - taken)


def _cut(before: tuple[Span, ...], width: int) -> tuple[Span, ...]:
    """Keep the innermost marks, which say what the text is."""
    kept: list[Span] = []
    for text, role in reversed(before):
        if cells(text) > width:
            break
        kept.append((text, role))
        width -= cells(text)
    return ((" " * width, ""), *reversed(kept)) if width else tuple(reversed(kept))


def parts_by_line(prose: Prose, pieces: Sequence[tuple[int, int]]) -> list[list[Part]]:
    """Return the parts of each of several consecutive pieces of a text, in a single walk over its runs."""
    text, runs = prose.text, prose.runs
    lines: list[list[Part]] = []
    index = 0
    for start, end in pieces:
        line: list[Part] = []
        begin = start
        while begin < end:
            while runs[index].end <= begin:
                index += 1
            run = runs[index]
            stop = min(run.end, end)
            line.append(Part(text[begin:stop], run.role, run.link, begin))
            begin = stop
        lines.append(line)
    return lines


class TextLeaf(Leaf):
    """Wrapped words: a paragraph, a label, a heading with ``rule`` drawn under it.

    ``source`` is what its length is guessed from until ``make`` has read it.
    """

    def __init__(
        self,
        block: Block,
        frame: Frame,
        source: str,
        make: Callable[[], Prose],
        *,
        rule: str = "",
        line: int | None = None,
        end: int | None = None,
    ) -> None:
        super().__init__(block, frame, line=line, end=end)
        self._source = source
        self._make = make
        self._rule = rule
        self._prose: Prose | None = None

    def prose(self) -> Prose:
        """Return the words."""
        if self._prose is None:
            self._prose = self._make()
        return self._prose

    def estimate(self, width: int) -> int:
        """Guess from the length of the source."""
        return guess(self._source, width - self.frame.cells) + bool(self._rule)

    def _lay_out(self, width: int) -> list[Row]:
        first, rest, room = self._lead_spans(width)
        prose = self.prose()
        lines = parts_by_line(prose, break_lines(prose.text, room))
        rows = [Row(rest if index else first, tuple(line)) for index, line in enumerate(lines)]
        if self._rule:
            rows.append(Row(rest, (Part(self._rule * room, "line"),), still=True))
        return rows


class RuleLeaf(Leaf):
    """A line across the page."""

    def _lay_out(self, width: int) -> list[Row]:
        first, _rest, room = self._lead_spans(width)
        return [Row(first, (Part("─" * room, "line"),))]


class BlankLeaf(Leaf):
    """An item without text: only its mark."""

    def _lay_out(self, width: int) -> list[Row]:
        first, _rest, _room = self._lead_spans(width)
        return [Row(first, ())]


def join_roles(first: str, second: str) -> str:
    """Join two roles."""
    return f"{first} {second}" if first and second else first or second


def guess(source: str, width: int) -> int:
    """Guess how many rows a text takes at a width."""
    length = len(source) if source.isascii() else len(source.encode("utf-8", "replace")) * 2 // 3
    return 1 + length // max(LEAST_WIDTH, width)
