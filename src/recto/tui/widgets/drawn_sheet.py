"""Leaves as they are drawn: set at a good width in the middle, with a margin for the cursor and for signs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

from recto.tui.lines import Span, head
from recto.tui.render.breaking import cells
from recto.tui.render.leaf import Leaf, Part, Row
from recto.tui.render.sheet import Sheet, Stop
from recto.tui.render.strips import Brush
from recto.tui.roles import is_painted, roles
from recto.tui.widgets.selecting import Selecting

WIDEST = 100
"""Cells of the longest line of text; where there is more room the text stands in the middle."""

MARGIN = 4
"""Cells before the text: the cursor's bar, a mark of two cells, and a blank."""


class DrawnSheet(Selecting):
    """Draws leaves line by line, as far as they are visible."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._leaves: Sequence[Leaf] = ()
        self._sheet: Sheet | None = None
        self._cursor = Stop(0, 0)
        self._sideways: dict[int, int] = {}
        """How far each lane of wide leaves is looked at sideways."""
        self._brush: tuple[object, Brush] | None = None

    # What the views above this one add

    def overlays(self, leaf: int) -> Sequence[tuple[int, int, str]]:
        """Return the roles laid over stretches of a leaf's text."""
        return ()

    def sign(self, leaf: int) -> Span | None:
        """Return the sign in the margin of a leaf, of at most two cells."""
        return None

    # Measures

    @property
    def _text_width(self) -> int:
        room = self.room.width
        return min(WIDEST, max(2, room - MARGIN - 1)) if room else 0

    @property
    def _left(self) -> int:
        return max(0, (self.room.width - self._text_width - 2 * MARGIN) // 2)

    # Drawing

    @property
    def is_blank(self) -> bool:
        """Whether there is no page."""
        return self._sheet is None

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        number = round(self.scroll_y) + y
        return self.markable(self.drawn_line(number), number)

    @property
    def text_begins(self) -> int:
        """The cells before the text of a line."""
        return self._left + MARGIN

    def drawn_line(self, number: int) -> Strip:
        """Draw a line, counted from the first of the page."""
        width = self.room.width
        brush = self._brush_now()
        blank = brush.style("")
        sheet = self._sheet
        place = sheet.at(number) if sheet is not None else None
        if sheet is None or place is None:
            return Strip.blank(width, blank)
        index, within = place
        leaf = sheet.leaves[index]
        row = within - leaf.gap
        drawn = self._draw_gap(brush, leaf) if row < 0 else self._draw_row(brush, index, row)
        after = max(0, width - self._left - MARGIN - sheet.width)
        strip = Strip([Segment(" " * self._left, blank), *drawn, Segment(" " * after, blank)])
        return strip.adjust_cell_length(width, blank)

    def copied_line(self, number: int) -> str | None:
        """Return the words of a line, without the pictures beside them; a row of a picture alone has none."""
        sheet = self._sheet
        place = sheet.at(number) if sheet is not None else None
        if sheet is None or place is None:
            return super().copied_line(number)
        within = place[1] - sheet.leaves[place[0]].gap
        rows = sheet.rows(place[0])
        row = rows[within] if 0 <= within < len(rows) else None
        if row is None or not any(is_painted(part.role) for part in row.parts):
            return super().copied_line(number)
        words = "".join(" " * cells(part.text) if is_painted(part.role) else part.text for part in row.parts)
        before = "".join(text for text, _role in row.before)
        return f"{' ' * self.text_begins}{before}{words}" if words.strip() else None

    def _draw_gap(self, brush: Brush, leaf: Leaf) -> list[Segment]:
        margin = Segment(" " * MARGIN, brush.style(""))
        return [margin, *brush.row(Row(leaf.gap_frame.rest, ()), self._text_width)]

    def _draw_row(self, brush: Brush, index: int, number: int) -> list[Segment]:
        assert self._sheet is not None
        leaf = self._leaves[index]
        rows = self._sheet.rows(index)
        row = rows[number] if number < len(rows) else Row(leaf.frame.rest, ())
        at_cursor = Stop(index, number) == self._cursor
        # The bar in the margin says where the cursor is; a band in the accent's colour would shout over the text.
        state = "cursor-blurred" if at_cursor and self.has_focus else ""
        sideways = self._sideways.get(leaf.lane, 0) if leaf.wide else 0
        body = brush.row(row, self._sheet.width, state=state, over=self.overlays(index), sideways=sideways)
        return [*self._margin(brush, index, number, at_cursor, state), *body]

    def _margin(self, brush: Brush, index: int, row: int, at_cursor: bool, state: str) -> list[Segment]:
        bar_role = "accent" if self.has_focus else "faint"
        bar = Segment("▌", brush.style(bar_role, "", state)) if at_cursor else Segment(" ", brush.style(""))
        text, role = (self.sign(index) if row == 0 else None) or ("", "")
        text = head(text, 2)
        return [
            bar,
            Segment(text, brush.style(role, "", state)),
            Segment(" " * (MARGIN - 1 - cells(text)), brush.style("", "", state)),
        ]

    def _brush_now(self) -> Brush:
        base = self.ground
        key = (self.app.theme, base)
        if self._brush is None or self._brush[0] != key:
            self._brush = (key, Brush(roles(self.app), base))
        return self._brush[1]

    def on_focus(self) -> None:
        """Show the cursor as the one that keys move."""
        self.refresh()

    def on_blur(self) -> None:
        """Let the cursor recede."""
        self.refresh()

    # What is where

    @property
    def cursor_leaf(self) -> Leaf | None:
        """The leaf the cursor stands in."""
        return self._leaves[self._cursor.leaf] if self._leaves else None

    def part_at(self, x: int, y: int) -> tuple[Stop, Part | None] | None:
        """Return where the cursor goes for a place in the view, and the part of the text that is there."""
        sheet = self._sheet
        place = sheet.at(round(self.scroll_y) + y) if sheet is not None else None
        if sheet is None or place is None:
            return None
        index, within = place
        stop = sheet.stop_near(sheet.top(index) + within, 1)
        rows = sheet.rows(index)
        number = within - sheet.leaves[index].gap
        if not 0 <= number < len(rows):
            return stop, None
        row = rows[number]
        x -= self._left + MARGIN + sum(cells(text) for text, _role in row.before)
        x += self._sideways.get(sheet.leaves[index].lane, 0)
        for part in row.parts:
            size = cells(part.text)
            if 0 <= x < size:
                return stop, part
            x -= size
        return stop, None
