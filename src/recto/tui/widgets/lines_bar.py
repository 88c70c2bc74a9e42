"""A bar of lines that are always in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from recto.tui.look.lines import Line, plain
from recto.tui.look.text_roles import roles


class LinesBar(Widget):
    """Draws lines in roles; ``draw`` gives them for a width in cells."""

    def __init__(self, draw: Callable[[int], Sequence[Line]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw

    def render_line(self, y: int) -> Strip:
        """Draw a line."""
        width = self.size.width
        drawn = self._draw(width)
        own, base = roles(self.app), self.rich_style
        segments = [Segment(plain(text), base + own.style(role)) for text, role in (drawn[y] if y < len(drawn) else ())]
        return Strip(segments, sum(cell_len(segment.text) for segment in segments)).adjust_cell_length(width, base)
