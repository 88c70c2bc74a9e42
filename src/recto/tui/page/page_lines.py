"""Lines of a page as strips: text at a good width in the middle, a margin for the cursor and for marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual.strip import Strip

from recto.tui.look.lines import Line, head
from recto.tui.look.text_roles import is_painted, roles
from recto.tui.page.cursor import MARGIN, PageCursor
from recto.tui.page.sheet import Stop
from recto.tui.render.brush import Brush
from recto.tui.render.leaf import Leaf, Part, Row
from recto.tui.render.line_breaks import cells

Stretch = tuple[int, int, str]
"""Offsets in a leaf's text, and the role laid over the text between them."""


class PageLines:
    """Draws single lines of a page; ``overlays`` and ``signs`` give what lies over the text of a leaf and beside it."""

    def __init__(
        self,
        cursor: PageCursor,
        overlays: Callable[[int], Sequence[Stretch]],
        signs: Callable[[int], Line],
    ) -> None:
        self._cursor = cursor
        self._overlays = overlays
        self._signs = signs
        self._brush: tuple[object, Brush] | None = None

    def draw(self, number: int) -> Strip:
        """Draw a line, counted from the first of the page."""
        cursor = self._cursor
        width = cursor.view.room.width
        brush = self._brush_now()
        blank = brush.style("")
        sheet = cursor.sheet
        place = sheet.at(number) if sheet is not None else None
        if sheet is None or place is None:
            return Strip.blank(width, blank)
        index, within = place
        leaf = sheet.leaves[index]
        row = within - leaf.gap
        drawn = self._draw_gap(brush, leaf) if row < 0 else self._draw_row(brush, index, row)
        left = cursor.left
        after = max(0, width - left - MARGIN - sheet.width)
        strip = Strip([Segment(" " * left, blank), *drawn, Segment(" " * after, blank)])
        return strip.adjust_cell_length(width, blank)

    def text(self, number: int) -> str | None:
        """Return the words of a line without the pictures beside them; ``None`` for a row of a picture alone."""
        sheet = self._cursor.sheet
        place = sheet.at(number) if sheet is not None else None
        if sheet is None or place is None:
            return self.draw(number).text
        within = place[1] - sheet.leaves[place[0]].gap
        rows = sheet.rows(place[0])
        row = rows[within] if 0 <= within < len(rows) else None
        if row is None or not any(is_painted(part.role) for part in row.parts):
            return self.draw(number).text
        words = "".join(" " * cells(part.text) if is_painted(part.role) else part.text for part in row.parts)
        before = "".join(text for text, _role in row.before)
        return f"{' ' * (self._cursor.left + MARGIN)}{before}{words}" if words.strip() else None

    def _draw_gap(self, brush: Brush, leaf: Leaf) -> list[Segment]:
        margin = Segment(" " * MARGIN, brush.style(""))
        return [margin, *brush.row(Row(leaf.gap_frame.rest, ()), self._cursor.text_width)]

    def _draw_row(self, brush: Brush, index: int, number: int) -> list[Segment]:
        cursor = self._cursor
        sheet = cursor.sheet
        assert sheet is not None
        leaf = sheet.leaves[index]
        rows = sheet.rows(index)
        row = rows[number] if number < len(rows) else Row(leaf.frame.rest, ())
        at_cursor = Stop(index, number) == cursor.stop
        # The bar in the margin says where the cursor is; a coloured band would distract from the text.
        state = "cursor-blurred" if at_cursor and cursor.view.has_focus else ""
        sideways = cursor.sideways.get(leaf.lane, 0) if leaf.wide else 0
        body = brush.row(row, sheet.width, state=state, over=self._overlays(index), sideways=sideways)
        return [*self._margin(brush, index, number, at_cursor, state), *body]

    def _margin(self, brush: Brush, index: int, row: int, at_cursor: bool, state: str) -> list[Segment]:
        bar_role = "accent" if self._cursor.view.has_focus else "faint"
        bar = Segment("▌", brush.style(bar_role, "", state)) if at_cursor else Segment(" ", brush.style(""))
        room, signs = 2, []
        for text, role in self._signs(index) if row == 0 else ():
            text = head(text, room)
            room -= cells(text)
            signs.append(Segment(text, brush.style(role, "", state)))
        return [bar, *signs, Segment(" " * (MARGIN - 3 + room), brush.style("", "", state))]

    def _brush_now(self) -> Brush:
        view = self._cursor.view
        base = view.ground
        key = (view.app.theme, base)
        if self._brush is None or self._brush[0] != key:
            self._brush = (key, Brush(roles(view.app), base))
        return self._brush[1]

    def part_at(self, x: int, y: int) -> tuple[Stop, Part | None] | None:
        """Return where the cursor goes for a place in the view, and the part of the text that is there."""
        cursor = self._cursor
        sheet = cursor.sheet
        place = sheet.at(round(cursor.view.scroll_y) + y) if sheet is not None else None
        if sheet is None or place is None:
            return None
        index, within = place
        stop = sheet.stop_near(sheet.top(index) + within, 1)
        rows = sheet.rows(index)
        number = within - sheet.leaves[index].gap
        if not 0 <= number < len(rows):
            return stop, None
        row = rows[number]
        x -= cursor.left + MARGIN + sum(cells(text) for text, _role in row.before)
        x += cursor.sideways.get(sheet.leaves[index].lane, 0)
        for part in row.parts:
            size = cells(part.text)
            if 0 <= x < size:
                return stop, part
            x -= size
        return stop, None
