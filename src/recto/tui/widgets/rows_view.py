"""Rows on a scroll view: drawn and measured when they are seen, kept in place while others above them change."""

from __future__ import annotations

from collections.abc import Hashable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.strip import Strip

from recto.tui import lines
from recto.tui.roles import roles
from recto.tui.widgets.heights import Heights
from recto.tui.widgets.rows import Empty, Rows
from recto.tui.widgets.selecting import Selecting

_CONTEXT = 2
"""Rows kept in view beyond the cursor where there is room."""


class RowsView(Selecting, can_focus=True, inherit_bindings=False):
    """Rows, one of which the cursor stands in; what a person does with them is the list's part."""

    cursor: reactive[int] = reactive(0, repaint=False)
    """The row the cursor stands in; 0 also where there are no rows."""

    def __init__(
        self, rows: Rows | None = None, *, guided: bool = False, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._rows: Rows = rows or Empty()
        self._guided = guided
        self._heights = Heights(0, one_line=True)
        self._heights_width = -1
        self._first = 0
        self._wide = 0

    # What is shown

    @property
    def rows(self) -> Rows:
        """The rows that are shown."""
        return self._rows

    def show(self, rows: Rows, cursor: Hashable | None = None) -> None:
        """Show other rows. The cursor goes to the key ``cursor``, else stays on its key, else near where it was."""
        before = self.cursor_key
        wanted = cursor if cursor is not None else before
        offset = self._cursor_top() - self.scroll_offset.y
        had_rows = len(self._rows) > 0
        self._rows = rows
        index = self._index_of(wanted) if wanted is not None else None
        self._measure_anew()
        moved = index if index is not None else min(self.cursor, max(0, len(rows) - 1))
        changed = moved != self.cursor or not had_rows or (len(rows) > 0 and rows.key(moved) != before)
        self.set_reactive(RowsView.cursor, moved)
        if had_rows and cursor is None:
            self._hold(offset)
        self._bring_into_view()
        self._measure_visible()
        self.refresh()
        if len(rows) and changed:
            self.cursor_moved()

    def redraw(self, key: Hashable | None = None) -> None:
        """Draw a row anew, or all rows; their heights are measured again."""
        if key is not None and self._rows.one_line:
            index = self._index_of(key)
            if index is not None:
                self._refresh_row(index)
            return
        offset = self._cursor_top() - self.scroll_offset.y
        self._measure_anew()
        self._hold(offset)
        self._measure_visible()
        self.refresh()

    @property
    def wide(self) -> int:
        """The width in cells that rows are drawn at where that is more than there is to see; 0 cuts at the edge."""
        return self._wide

    @wide.setter
    def wide(self, width: int) -> None:
        self._wide = width
        self.redraw()

    @property
    def cursor_key(self) -> Hashable | None:
        """The key of the row under the cursor, or ``None`` where there are no rows."""
        return self._rows.key(self.cursor) if self.cursor < len(self._rows) else None

    def go_to(self, key: Hashable) -> bool:
        """Put the cursor on the row with this key; says whether there is one."""
        index = self._index_of(key)
        if index is not None:
            self.cursor = index
        return index is not None

    def _index_of(self, key: Hashable) -> int | None:
        if self.cursor < len(self._rows) and self._rows.key(self.cursor) == key:
            return self.cursor
        return next((index for index in range(len(self._rows)) if self._rows.key(index) == key), None)

    # Measures

    @property
    def _draw_width(self) -> int:
        # One column of air, so that text does not touch the scroll bar.
        return max(self.room.width - 1, self._wide, 1)

    def _measure_anew(self) -> None:
        self._heights_width = self._draw_width
        self._heights = Heights(len(self._rows), one_line=self._rows.one_line)
        self._first = 0
        self.virtual_size = Size(self._wide, self._heights.total)

    def _measure(self, first: int, last: int) -> int:
        """Measure rows; gives the lines by which what is seen moves, because rows above it turned out otherwise."""
        moved = 0
        for index in range(max(0, first), min(last + 1, len(self._rows))):
            if not self._heights.is_known(index):
                height = max(1, self._rows.height(index, self._heights_width))
                difference = self._heights.measured(index, height)
                moved += difference if index < self._first else 0
        return moved

    def _measure_visible(self) -> None:
        """Measure the rows that are seen, and keep in place those that were seen before."""
        if self._rows.one_line or not len(self._rows):
            return
        height = self.room.height
        place = self._heights.at(min(self.scroll_offset.y, self._heights.total - 1)) or (0, 0)
        moved = 0
        index, line = place[0], -place[1]
        while index < len(self._rows) and line < height:
            moved += self._measure(index, index)
            line += self._heights.height(index)
            index += 1
        self._keep_in_place(moved)

    def _keep_in_place(self, moved: int) -> None:
        self.virtual_size = Size(self._wide, self._heights.total)
        if moved:
            self.scroll_to(y=self.scroll_offset.y + moved, animate=False)
        self._first = (self._heights.at(self.scroll_offset.y) or (0, 0))[0]

    def _measure_above(self, index: int, lines_above: int) -> None:
        """Measure a row and those above it as far as they can be seen together with it."""
        if self._rows.one_line:
            return
        moved = self._measure(index, index)
        while index > 0 and lines_above > 0:
            index -= 1
            moved += self._measure(index, index)
            lines_above -= self._heights.height(index)
        self._keep_in_place(moved)

    def _hold(self, offset: int) -> None:
        """Scroll so that the cursor is that many lines below the top."""
        if self.cursor < len(self._rows):
            self._measure_above(self.cursor, offset)
            self._scroll(self._cursor_top() - offset)
            self._keep_in_place(0)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measure what comes into view."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._measure_visible()

    def _cursor_top(self) -> int:
        return self._heights.top(self.cursor) if self.cursor < len(self._rows) and self._heights.total else 0

    def _bring_into_view(self, context: int = _CONTEXT) -> None:
        height = self.room.height
        if not height or self.cursor >= len(self._rows):
            return
        self._measure_above(self.cursor, height)
        self._measure(self.cursor, self.cursor + _CONTEXT)
        top = self._heights.top(self.cursor)
        bottom = top + self._heights.height(self.cursor)
        context = min(context, (height - 1) // 3)
        seen = self.scroll_offset.y
        if top - context < seen or bottom - top > height:
            self._scroll(max(0, top - context))
        elif bottom + context > seen + height:
            self._scroll(bottom + context - height)

    def _scroll(self, line: int) -> None:
        # The scroll bar comes with the next layout, and until then Textual would refuse to scroll.
        self.scroll_to(y=line, animate=False, force=True)

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Let a scroll bar that appears tell where the rows are; Textual tells it only of later moves."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def on_resize(self, event: events.Resize) -> None:
        """Measure for the new width; the cursor stays where it is on the screen."""
        if self._draw_width != self._heights_width:
            offset = self._cursor_top() - self.scroll_offset.y
            self._measure_anew()
            self._hold(offset)
        self._bring_into_view(context=0)
        self._measure_visible()

    # Drawing

    @property
    def is_blank(self) -> bool:
        """Whether there are no rows."""
        return not len(self._rows)

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        number = self.scroll_offset.y + y
        return self.markable(self.drawn_line(number), number)

    def drawn_line(self, number: int) -> Strip:
        """Draw a line, counted from the first of all rows."""
        width = self.room.width
        base = self.ground
        place = self._heights.at(number)
        if place is None:
            return Strip.blank(self.size.width, base)
        index, within = place
        drawn = self._rows.draw(index, self._draw_width)
        line = drawn[within] if within < len(drawn) else ()
        strip = self._strip(self.dressed(line), base + self.state_of(index))
        x = self.scroll_offset.x
        return strip.crop_extend(x, x + width, base + self.state_of(index))

    def _strip(self, line: lines.Line, style: Style) -> Strip:
        own = roles(self.app)
        on_ground = style.bgcolor in (own.style("cursor").bgcolor, own.style("selected").bgcolor)
        segments = []
        cells = 0
        for text, role in line:
            safe = lines.plain(text)
            cells += cell_len(safe)
            # The row's state lies under the text's role: a cursor must not hide which words were changed.
            segments.append(Segment(safe, style + own.style(role, on_ground=on_ground) if role else style))
        return Strip(segments, cells)

    def dressed(self, line: lines.Line) -> lines.Line:
        """Return a line as it is to be drawn; lists that look for something mark it here."""
        return line

    def state_of(self, index: int) -> Style:
        """Return the ground of a row: the cursor's, or none."""
        if index != self.cursor:
            return Style.null()
        lit = self.has_focus or self._guided
        role = "cursor" if lit else "cursor-blurred"
        return roles(self.app).style(f"{role} reverse" if lit and self.app.no_color else role)

    def _refresh_row(self, index: int) -> None:
        if 0 <= index < len(self._rows):
            y = self._heights.top(index) - self.scroll_offset.y
            region = Region(0, y, self.size.width, self._heights.height(index))
            self.refresh(region.intersection(self.size.region))

    def on_focus(self) -> None:
        """Show the cursor as the one that keys move."""
        self._refresh_row(self.cursor)

    def on_blur(self) -> None:
        """Let the cursor recede."""
        self._refresh_row(self.cursor)

    # The cursor

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor within the rows."""
        return max(0, min(cursor, len(self._rows) - 1))

    def watch_cursor(self, before: int, after: int) -> None:
        """Repaint the two rows, bring the cursor into view and tell about it."""
        self._refresh_row(before)
        self._refresh_row(after)
        self._bring_into_view()
        if after < len(self._rows):
            self.cursor_moved()

    def cursor_moved(self) -> None:
        """Hear that the cursor stands on another row."""
