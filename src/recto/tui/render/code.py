"""Code: leaves of a hundred lines each, so that a fence of a megabyte costs what is seen of it."""

from __future__ import annotations

from collections.abc import Sequence

from recto.document.markdown.blocks import Block
from recto.tui.render.breaking import break_lines
from recto.tui.render.highlight import LEAD, highlight
from recto.tui.render.leaf import Frame, Leaf, Part, Row, parts_by_line
from recto.tui.render.prose import Prose, clean

CHUNK = 100
"""Lines of code in one leaf."""


class Code:
    """The code of a block, and how it is shown."""

    def __init__(self, block: Block, *, wrap: bool = False, numbers: bool = False) -> None:
        self.block = block
        text = block.text.removesuffix("\n")
        self.lines = text.split("\n")
        self.language = block.attributes.get("language", "").strip().lower()
        self.wrap = wrap
        self.digits = len(str(len(self.lines))) if numbers else 0
        # A fence begins with a line of its own, indented code does not.
        self.first_line = block.start + (block.end - block.start > len(self.lines))

    def cleaned(self, first: int, last: int) -> list[str]:
        """Return some of the lines as they may be shown, tabs as blanks."""
        return [clean(line.expandtabs(4)) for line in self.lines[first:last]]


class CodeLeaf(Leaf):
    """Some lines of code, coloured when they come into view."""

    may_link = False

    def __init__(self, code: Code, frame: Frame, first: int, last: int) -> None:
        line = min(code.first_line + first, max(code.block.start, code.block.end - 1))
        super().__init__(code.block, frame, line=line, end=code.block.end)
        self.wide = not code.wrap
        self._code = code
        self._first, self._last = first, last
        self._prose: Prose | None = None

    def prose(self) -> Prose:
        """Return the lines of code."""
        if self._prose is None:
            lead = self._code.cleaned(max(0, self._first - LEAD), self._first) if self._code.language else []
            self._prose = highlight(lead, self._code.cleaned(self._first, self._last), self._code.language)
        return self._prose

    def text(self) -> str:
        """Return the lines without finding out their roles."""
        return self._prose.text if self._prose else "\n".join(self._code.cleaned(self._first, self._last))

    def estimate(self, width: int) -> int:
        """Return the number of lines, which is certain unless they wrap."""
        return self._last - self._first

    def _lay_out(self, width: int) -> list[Row]:
        first, rest, room = self._befores(width)
        digits = self._code.digits
        room = max(2, room - 2 - (digits + 2 if digits else 0))
        prose = self.prose()
        rows: list[Row] = []
        start = 0
        for number, line in enumerate(prose.text.split("\n"), self._first + 1):
            pieces = break_lines(line, room) if self._code.wrap else [(0, len(line))]
            spans = [(start + begin, start + end) for begin, end in pieces]
            for index, parts in enumerate(parts_by_line(prose, spans)):
                before = rest if rows else first
                label = str(number) if digits and not index else ""
                edge = (f" {label:>{digits}} ", "code faint") if digits else ("", "")
                rows.append(Row((*before, edge), (Part(" ", ""), *parts), "code"))
            start += len(line) + 1
        return rows


def code_leaves(code: Code, frame: Frame) -> Sequence[CodeLeaf]:
    """Return the leaves of a code block."""
    count = len(code.lines)
    return [
        CodeLeaf(code, frame.below if first else frame, first, min(first + CHUNK, count))
        for first in range(0, count, CHUNK)
    ]
