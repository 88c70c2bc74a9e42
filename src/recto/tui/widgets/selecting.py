"""Marking with the mouse in what is drawn line by line: the marked stretch shows, and what is seen can be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from recto.tui.lines import head
from recto.tui.roles import roles
from recto.tui.widgets.ground import blank_lines

if TYPE_CHECKING:
    from textual.selection import Selection

_MOST_LINES = 20_000
"""How many lines are copied at a time."""


class Selecting(ScrollView):
    """Draws by lines, which are told by their number in the whole; ``drawn_line`` gives one without what is marked."""

    _pointed = False
    """Whether the mouse is over it: only then does what is drawn carry its place, which costs a little."""

    # What all lines that are drawn together have in common; to look it up means to go all the way to the app.
    _ground: Style | None = None
    _room: Size | None = None

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to draw."""
        return False

    @property
    def ground(self) -> Style:
        """The style that lines are drawn on."""
        return self._ground if self._ground is not None else self.rich_style

    @property
    def room(self) -> Size:
        """How much there is to see at a time."""
        return self._room if self._room is not None else self.scrollable_content_region.size

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw what is seen."""
        if self.is_blank:
            return blank_lines(self, crop)
        self._ground, self._room = self.rich_style, self.scrollable_content_region.size
        try:
            return super().render_lines(crop)
        finally:
            self._ground = self._room = None

    def drawn_line(self, number: int) -> Strip:
        """Return a line as it is drawn, whether it is in view or not."""
        raise LookupError(number)

    def copied_line(self, number: int) -> str | None:
        """Return what of a line can be copied; ``None`` where there is nothing to be read."""
        return self.drawn_line(number).text

    @property
    def text_begins(self) -> int:
        """The cells of a line before its text, which are not copied."""
        return 0

    @property
    def is_marked(self) -> bool:
        """Whether something in it is marked with the mouse."""
        return self.text_selection is not None

    def markable(self, strip: Strip, number: int) -> Strip:
        """Return a drawn line with what is marked in it, and so that the mouse can mark more."""
        selection = self.text_selection
        span = selection.get_span(number) if selection is not None else None
        if span is not None:
            strip = self._highlighted(strip, *span)
        return strip.apply_offsets(0, number) if self._pointed else strip

    def _highlighted(self, strip: Strip, start: int, end: int) -> Strip:
        text = strip.text
        first = max(cell_len(text[:start]), self.text_begins)
        last = cell_len(text[:end]) if end >= 0 else strip.cell_length
        if last <= first:
            return strip
        style = Style(reverse=True) if self.app.no_color else roles(self.app).style("selected")
        inside = Segment.apply_style(strip.crop(first, last), post_style=style)
        return Strip([*strip.crop(0, first), *inside, *strip.crop(last)], strip.cell_length)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the marked text as it is seen, without the blanks at the end of lines."""
        top = round(self.scroll_y)
        first = selection.start.y if selection.start is not None else top
        last = selection.end.y if selection.end is not None else top + self.scrollable_content_region.height - 1
        last = min(last, self.virtual_size.height - 1, first + _MOST_LINES)
        lines = []
        for number in range(first, last + 1):
            text = self.copied_line(number)
            if text is None:
                continue
            start, end = selection.get_span(number) or (0, 0)
            begin = max(start, len(head(text, self.text_begins)))
            lines.append(text[begin : end if end >= 0 else len(text)].rstrip())
        return "\n".join(lines), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Show what is marked."""
        self.refresh()

    def on_enter(self, event: events.Enter) -> None:
        """Let the mouse mark."""
        if not self._pointed:
            self._pointed = True
            self.refresh()

    def on_leave(self, event: events.Leave) -> None:
        """Draw without places again."""
        self._pointed = False
