"""The last screen of the previous run, drawn over a view that is still loading."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from recto.tui.look.roles import roles
from recto.tui.snapshot.strips import fit

_SAYS = (("… ", "faint"), ("as you left it, opening", "muted"))
_MARGIN = 2
"""Columns beside the title bar's text."""


class SnapshotView(Widget):
    """Covers a screen with lines drawn before; the first says that they are not yet what they show."""

    def __init__(self, strips: Sequence[Strip]) -> None:
        super().__init__()
        self._strips = strips
        self._fitted: tuple[Size, list[Strip]] = (Size(), [])

    def render_line(self, y: int) -> Strip:
        """Draw a line."""
        if self._fitted[0] != self.size:
            self._fitted = (self.size, fit(self._strips, self.size))
        strips = self._fitted[1]
        if y >= len(strips):
            return Strip.blank(self.size.width, self.rich_style)
        return self._with_word(strips[y]) if y == 0 else strips[y]

    def _with_word(self, strip: Strip) -> Strip:
        """Say at the right, where a word about the title stands, that all this is from the last time."""
        own = roles(self.app)
        words = [Segment(text, self.rich_style + own.style(role)) for text, role in _SAYS]
        taken = sum(cell_len(one.text) for one in words) + 2 * _MARGIN
        if taken > self.size.width:
            return strip
        air = Segment(" " * _MARGIN, self.rich_style)
        return Strip.join([strip.crop(0, self.size.width - taken), Strip([air, *words, air])])
