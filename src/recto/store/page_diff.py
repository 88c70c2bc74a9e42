"""The diff of a page's text as rows: heads of hunks, lines, and folds over unchanged lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby

from recto.document.line_edits import split_lines
from recto.document.markdown.blocks import Block, BlockKind
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.merge.diff import CONTEXT, DiffLine, LineKind, diff_lines
from recto.document.text import has_no_spaces
from recto.frozen import frozen

_NAMED = {
    BlockKind.HINT: "hint",
    BlockKind.TABS: "tabs",
    BlockKind.TAB: "tab",
    BlockKind.TABLE: "table",
    BlockKind.CODE: "code",
    BlockKind.STEPPER: "steps",
    BlockKind.STEP: "step",
    BlockKind.COLUMNS: "columns",
    BlockKind.EXPANDABLE: "expandable",
    BlockKind.QUOTE: "quote",
    BlockKind.FIGURE: "picture",
    BlockKind.EMBED: "embed",
    BlockKind.OPENAPI: "openapi",
    BlockKind.IF: "if",
    BlockKind.UPDATES: "updates",
}
NO_LINE_END = "no newline at the end"

_FEWEST_FOLDED = 3
"""A fold over fewer lines than this would take as much room as the lines."""


@frozen
class HunkHead:
    """Begins a stretch of shown lines; ``place`` says where in the page it is: its heading and the blocks around."""

    number: int
    place: str


@frozen
class Fold:
    """Unchanged lines that are not shown; ``start`` names it, ``lines`` counts them."""

    start: int
    lines: int


@frozen
class ShownLine:
    """A line; ``index`` is its place among all lines, ``changed`` whether it was added or removed."""

    index: int
    line: DiffLine

    @property
    def changed(self) -> bool:
        """Whether the line was added or removed."""
        return self.line.kind is not LineKind.CONTEXT


DiffRow = HunkHead | Fold | ShownLine


class PageDiff:
    """Two texts of a page compared by lines; a paragraph counts as a single line, with the number of its last."""

    def __init__(self, before: str, after: str) -> None:
        self.before = before
        self.after = after
        (old, old_numbers), (new, new_numbers) = _unwrap(before, self._old), _unwrap(after, self._new)
        found = diff_lines(old, new, context=None)
        self.added, self.removed = found.added, found.removed
        lines = _without_equal_ends(found.hunks[0].lines) if found.hunks else _unchanged_lines(new)
        self.lines: Sequence[DiffLine] = _renumber(lines, old_numbers, new_numbers)
        self.only_wraps = not found.hunks and before != after
        """Whether nothing but line ends within paragraphs differs."""

    @cached_property
    def _new(self) -> ParsedPage:
        return parse_page(self.after)

    @cached_property
    def _old(self) -> ParsedPage:
        return parse_page(self.before)

    @cached_property
    def _changed(self) -> list[int]:
        return [index for index, line in enumerate(self.lines) if line.kind is not LineKind.CONTEXT]

    def rows(
        self,
        keep: Collection[tuple[int, int]] = (),
        opened: Collection[int] = (),
        *,
        everything: bool = False,
        context: int = CONTEXT,
    ) -> list[DiffRow]:
        """Return the rows; ``keep`` are stretches of new lines (counted from 1) that are shown though unchanged.

        ``opened`` are the folds that are open, by their ``start``.
        """
        shown = [everything] * len(self.lines)
        for index in self._changed:
            for near in range(max(0, index - context), min(len(shown), index + context + 1)):
                shown[near] = True
        for first, last in keep:
            for index, line in enumerate(self.lines):
                if line.new_number is not None and first <= line.new_number <= last:
                    shown[index] = True
        return self._walk(shown, set(opened))

    def _walk(self, shown: list[bool], opened: set[int]) -> list[DiffRow]:
        rows: list[DiffRow] = []
        hunks = 0
        head_due = True
        index = 0
        while index < len(self.lines):
            end = index
            while end < len(shown) and shown[end] == shown[index]:
                end += 1
            if not shown[index] and index not in opened and end - index >= _FEWEST_FOLDED:
                rows.append(Fold(index, end - index))
                head_due = True
            else:
                if head_due and self._has_change(index, end):
                    hunks += 1
                    rows.append(HunkHead(hunks, self.place_of(self._first_change(index, end))))
                    head_due = False
                rows += (ShownLine(place, self.lines[place]) for place in range(index, end))
            index = end
        return rows

    def _has_change(self, start: int, end: int) -> bool:
        return self._first_change(start, end) < end

    def _first_change(self, start: int, end: int) -> int:
        return next((index for index in range(start, end) if self.lines[index].kind is not LineKind.CONTEXT), end)

    def place_of(self, index: int) -> str:
        """Describe where in the page a line stands: its heading and the blocks around it."""
        line = self.lines[index]
        page, number = (self._new, line.new_number) if line.new_number is not None else (self._old, line.old_number)
        return _place(page, number or 1)

    def new_number_at(self, index: int) -> int | None:
        """Return the number of the new line that stands at a line or nearest to it; ``None`` where there is none."""
        return self._number_at(index, lambda line: line.new_number)

    def old_number_at(self, index: int) -> int | None:
        """Return the number of the old line that stands at a line or nearest to it; ``None`` where there is none."""
        return self._number_at(index, lambda line: line.old_number)

    def _number_at(self, index: int, number_of: Callable[[DiffLine], int | None]) -> int | None:
        for step in range(len(self.lines)):
            for near in (index + step, index - step):
                line = self.lines[near] if 0 <= near < len(self.lines) else None
                number = number_of(line) if line is not None else None
                if line is not None and number is not None and (line.text.strip() or step > 1):
                    return number
        return None


def _without_equal_ends(lines: Sequence[DiffLine]) -> list[DiffLine]:
    """Show a last line that only lost or got its line end once, with a remark, rather than removed and added."""
    found: list[DiffLine] = []
    for _, run in groupby(lines, lambda line: line.kind is LineKind.CONTEXT):
        stretch = list(run)
        removed = [line for line in stretch if line.kind is LineKind.REMOVED]
        added = [line for line in stretch if line.kind is LineKind.ADDED]
        pair = _other_end(removed, added) or _other_end(added, removed[::-1])
        if pair is None:
            found += stretch
            continue
        old, new = sorted(pair, key=lambda line: line.kind is LineKind.ADDED)
        left, right = removed.index(old), added.index(new)
        lacking = old if new.ended else new
        found += removed[:left] + added[:right]
        found.append(replace(new, kind=LineKind.CONTEXT, old_number=old.old_number, marks=()))
        found.append(replace(lacking, text=NO_LINE_END, marks=(), remark=True))
        found += removed[left + 1 :] + added[right + 1 :]
    return found


def _other_end(lines: Sequence[DiffLine], others: Sequence[DiffLine]) -> tuple[DiffLine, DiffLine] | None:
    """Return the last line, which alone can lack a line end, and the same line with an end on the other side."""
    last = lines[-1] if lines else None
    if last is None or last.ended:
        return None
    return next(((last, other) for other in others if other.text == last.text and other.ended), None)


_HARD_BREAKS = ("  ", "\\", "<br>", "<br/>", "<br />")


def _unwrap(text: str, page: ParsedPage) -> tuple[str, list[int]]:
    """Return a text with the lines of each paragraph joined, and the number of the last line that each line was.

    Lines that end with a hard break stay as they are.
    """
    lines = split_lines(text)
    ends = {
        block.start: block.end
        for outermost in page.blocks
        for block in outermost.walk()
        if block.kind is BlockKind.PARAGRAPH and not block.markup
    }
    parts: list[str] = []
    numbers: list[int] = []
    goes_on_until = 0
    for number, line in enumerate(lines, 1):
        if number - 1 < goes_on_until and not parts[-1].removesuffix("\n").endswith(_HARD_BREAKS):
            before, line = parts[-1].rstrip(), line.lstrip(" \t>")
            parts[-1] = before if has_no_spaces(before[-1:]) and has_no_spaces(line[:1]) else f"{before} "
            parts.append(line)
            numbers[-1] = number
        else:
            parts.append(line)
            numbers.append(number)
        goes_on_until = max(goes_on_until, ends.get(number - 1, 0))
    return "".join(parts), numbers


def _renumber(lines: Sequence[DiffLine], old: Sequence[int], new: Sequence[int]) -> list[DiffLine]:
    """Return lines of joined texts with the numbers that they have in the page."""
    return [
        replace(
            line,
            old_number=old[line.old_number - 1] if line.old_number is not None else None,
            new_number=new[line.new_number - 1] if line.new_number is not None else None,
        )
        for line in lines
    ]


def _unchanged_lines(text: str) -> list[DiffLine]:
    return [
        DiffLine(LineKind.CONTEXT, number, number, line.removesuffix("\n"), (), line.endswith("\n"))
        for number, line in enumerate(split_lines(text), 1)
    ]


def _place(page: ParsedPage, number: int) -> str:
    heading = ""
    names: list[str] = []
    inside: Sequence[Block] = page.blocks
    while inside:
        found: Block | None = None
        for block in inside:
            if block.start > number - 1:
                break
            if block.kind is BlockKind.HEADING:
                heading = block.text
            if block.end > number - 1:
                found = block
        if found is None:
            break
        if (name := _NAMED.get(found.kind)) is not None:
            title = found.attributes.get("title", "")
            names.append(f"{name} “{title}”" if title else name)
        inside = found.children
    return " › ".join([heading, *names] if heading else names)
