"""The list widget: it draws visible rows only, and two rows when the cursor moves."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, cast

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from recto.frozen import frozen
from recto.tui.actions import bindings, get
from recto.tui.lists.rows import Empty, Rows, is_unread
from recto.tui.look import lines
from recto.tui.look.signs import NEWS_SIGN
from recto.tui.look.text_roles import roles
from recto.tui.widgets.heights import Heights
from recto.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from recto.store.news import News
    from recto.store.signal import Subscription

_CONTEXT = 2
"""Rows kept in view beyond the cursor where there is room."""


_SELECTED, _NOT_SELECTED = "✓ ", "  "
"""The marks before the rows while some are selected."""


class RowSelection:
    """The selected rows of a list, by key; ``changed`` is called when they change."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._keys: dict[Hashable, None] = {}
        self._range_from: Hashable | None = None
        """The key of the row at which a range was begun."""
        self.outlasts_rows = False
        """Whether items stay selected while their row is not shown."""

    @property
    def keys(self) -> tuple[Hashable, ...]:
        """The keys, in the order in which they were selected."""
        return tuple(self._keys)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._keys

    def __bool__(self) -> bool:
        return bool(self._keys)

    def keep(self, rows: Rows) -> None:
        """Drop keys that are not among these rows, and end a range that began at one of them."""
        if not self._keys and self._range_from is None:
            return
        known = {rows.key(index) for index in range(len(rows))}
        if self._range_from not in known:
            self._range_from = None
        kept = {key: None for key in self._keys if self.outlasts_rows or key in known}
        if len(kept) < len(self._keys):
            self._keys = kept
            self._changed()

    def clear(self) -> None:
        """Select nothing."""
        self._range_from = None
        if self._keys:
            self._keys = {}
            self._changed()

    def drop(self, keys: Iterable[Hashable]) -> None:
        """Deselect some rows."""
        gone = set(keys)
        self._range_from = None
        self._keys = {key: None for key in self._keys if key not in gone}
        self._changed()

    def toggle(self, key: Hashable) -> None:
        """Select or deselect a row."""
        self._range_from = None
        if key in self._keys:
            del self._keys[key]
        else:
            self._keys[key] = None
        self._changed()

    def begin_or_end_range(self, rows: Rows, cursor: int) -> None:
        """Begin to select a range at the cursor, or end it."""
        if self._range_from is not None:
            self._range_from = None
        elif cursor < len(rows):
            self._range_from = rows.key(cursor)
            self.extend_range(rows, cursor)

    def extend_range(self, rows: Rows, cursor: int) -> None:
        """Extend the selected range to the cursor, if one was begun."""
        if self._range_from is None:
            return
        start = next((index for index in range(len(rows)) if rows.key(index) == self._range_from), cursor)
        first, last = sorted((start, cursor))
        self._keys = {rows.key(index): None for index in range(first, last + 1)}
        self._changed()


class VirtualList(LineView, can_focus=True, inherit_bindings=False):
    """A list of rows with a cursor, searching and, if ``selectable``, a selection.

    ``openable`` says whether enter goes into a row, ``findable`` whether a text can be looked for. A ``guided`` list
    shows its cursor as though it had the focus, because a field beside it passes on the keys; a ``quiet`` list
    shows it only while it has.
    """

    BINDINGS = bindings(
        "list.down",
        "list.up",
        "list.top",
        "list.bottom",
        "list.half_down",
        "list.half_up",
        "list.page_down",
        "list.page_up",
        "list.open",
        "list.select",
        "list.range",
        "list.clear",
        "list.find",
        "list.find_next",
        "list.find_previous",
        "list.left",
        "list.right",
    )

    @frozen
    class Highlighted(Message):
        """The cursor stands on another row."""

        list: VirtualList
        index: int
        key: Hashable

        @property
        def control(self) -> VirtualList:
            """The list, so that handlers can select by it."""
            return self.list

    @frozen
    class Chosen(Message):
        """The person wants to go into a row (enter, a double click)."""

        list: VirtualList
        index: int
        key: Hashable

        @property
        def control(self) -> VirtualList:
            """The list, so that handlers can select by it."""
            return self.list

    @frozen
    class SelectionChanged(Message):
        """Other rows than before are selected."""

        list: VirtualList

        @property
        def control(self) -> VirtualList:
            """The list, so that handlers can select by it."""
            return self.list

    @frozen
    class FindRequested(Message):
        """The person wants to search this list."""

        list: VirtualList

        @property
        def control(self) -> VirtualList:
            """The list, so that handlers can select by it."""
            return self.list

    cursor: reactive[int] = reactive(0, repaint=False)
    """The row of the cursor; 0 also if there are no rows."""

    def __init__(
        self,
        rows: Rows | None = None,
        *,
        selectable: bool = False,
        openable: bool = True,
        findable: bool = True,
        guided: bool = False,
        quiet: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.selection = RowSelection(self._selection_changed)
        self._rows: Rows = rows or Empty()
        self._selectable = selectable
        self.openable = openable
        self._findable = findable
        self._guided = guided
        self._quiet = quiet
        self._needle = ""
        self._heights = Heights(0, one_line=True)
        self._heights_width = -1
        self._first = 0
        self._wide = 0
        self._news: News | None = None
        self._id_of: Callable[[Hashable], Hashable] = lambda key: key
        self._held_by: Callable[[Hashable], Iterable[Hashable]] = lambda key: ()
        self.can_open: Callable[[int], bool] = lambda index: True
        """Whether a row of an openable list can be gone into; the index is that of a row."""
        self.why_closed: Callable[[int], str | None] = lambda index: None
        """Why a row cannot be gone into, where there is a reason of its own."""
        self._opens = False
        """Whether that under the cursor could when the offered keys were last looked at."""
        self._following_news: Subscription | None = None
        self._goes_on = False
        """Whether more rows are to come below those that are shown."""
        self._goes_to_end = False
        """Whether the person is on the way to the end of a list that goes on."""

    # News

    def mark_news(
        self,
        news: News,
        id_of: Callable[[Hashable], Hashable] | None = None,
        held_by: Callable[[Hashable], Iterable[Hashable]] | None = None,
    ) -> None:
        """Mark news at the right edge of rows, until they have been seen.

        ``id_of`` returns the id in a row's key; without it the key is the id. ``held_by`` returns the ids of what a row
        stands for and is seen elsewhere.
        """
        self._news = news
        self._id_of = id_of or self._id_of
        self._held_by = held_by or self._held_by

    def on_mount(self) -> None:
        """Redraw the rows whose news mark changed."""
        if self._news is not None:
            self._following_news = self._news.changed.subscribe(lambda _: cast(None, self.refresh()))

    def on_unmount(self) -> None:
        """Stop following the news."""
        if self._following_news is not None:
            self._following_news.close()

    def _with_news(self, index: int, strip: Strip, style: Style) -> Strip:
        """Mark a row as news, in the last column, which its lines leave free."""
        key = self._rows.key(index)
        id = self._id_of(key)
        if not self._news or not (id in self._news or self._news.has_any(self._held_by(key))):
            return strip
        self._news.see(id)
        sign = Segment(NEWS_SIGN, style + roles(self.app).style("accent"))
        last = strip.cell_length - 1
        return Strip([*strip.crop(0, last), sign], strip.cell_length)

    # Content

    @property
    def rows(self) -> Rows:
        """The rows that are shown."""
        return self._rows

    def show(self, rows: Rows, cursor: Hashable | None = None, *, goes_on: bool = False) -> None:
        """Show other rows. The cursor goes to the key ``cursor``, else stays on its key, else near where it was.

        A list that ``goes_on`` gets more rows below these; on the way to its end the cursor goes to the last of them.
        """
        self.selection.keep(rows)
        before = self.cursor_key
        if self._goes_to_end and cursor is None and len(rows):
            cursor = rows.key(len(rows) - 1)
        self._goes_on, self._goes_to_end = goes_on, self._goes_to_end and goes_on
        wanted = cursor if cursor is not None else before
        offset = self._cursor_top() - self.scroll_offset.y
        had_rows = len(self._rows) > 0
        self._rows = rows
        index = self._index_of(wanted) if wanted is not None else None
        self._measure_again()
        moved = index if index is not None else min(self.cursor, max(0, len(rows) - 1))
        changed = moved != self.cursor or not had_rows or (len(rows) > 0 and rows.key(moved) != before)
        self.set_reactive(VirtualList.cursor, moved)
        if had_rows and cursor is None:
            self._hold(offset)
        self._bring_into_view()
        self._measure_visible()
        self.refresh()
        self._check_opens()
        if len(rows) and changed:
            self.cursor_moved()

    def redraw(self) -> None:
        """Draw all rows again; their heights are measured again."""
        offset = self._cursor_top() - self.scroll_offset.y
        self._measure_again()
        self._hold(offset)
        self._measure_visible()
        self.refresh()

    @property
    def wide(self) -> int:
        """The width in cells of rows that are wider than the view; 0 cuts rows at the edge."""
        return self._wide

    @wide.setter
    def wide(self, width: int) -> None:
        self._wide = width
        self.redraw()

    @property
    def cursor_key(self) -> Hashable | None:
        """The key of the row under the cursor, or ``None`` where there are no rows."""
        return self._rows.key(self.cursor) if self.cursor < len(self._rows) else None

    def keys_in_sight(self) -> list[Hashable]:
        """Return the keys of the rows that are seen now; none where the list is hidden."""
        top = self.scroll_offset.y
        first, last = self._heights.at(top), self._heights.at(min(top + self.room.height, self._heights.total) - 1)
        return [self._rows.key(index) for index in range(first[0], last[0] + 1)] if first and last else []

    def go_to(self, key: Hashable) -> bool:
        """Put the cursor on the row with a key; false without such a row."""
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
        # A blank column, so that text does not touch the scroll bar.
        return max(self.room.width - 1, self._wide, 1)

    def _measure_again(self) -> None:
        self._heights_width = self._draw_width
        self._heights = Heights(len(self._rows), one_line=self._rows.one_line)
        self._first = 0
        self.virtual_size = Size(self._wide, self._heights.total)

    def _measure(self, first: int, last: int) -> int:
        """Measure rows; return by how many lines visible rows move because heights above were estimated wrong."""
        moved = 0
        for index in range(max(0, first), min(last + 1, len(self._rows))):
            if not self._heights.is_known(index):
                height = max(1, self._rows.height(index, self._heights_width))
                difference = self._heights.record(index, height)
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
        # The scroll bar appears with the next layout; until then Textual would refuse to scroll.
        self.scroll_to(y=line, animate=False, force=True)

    def on_resize(self, event: events.Resize) -> None:
        """Measure for the new width; the cursor stays where it is on the screen."""
        if self._draw_width != self._heights_width:
            offset = self._cursor_top() - self.scroll_offset.y
            self._measure_again()
            self._hold(offset)
        self._bring_into_view(context=0)
        self._measure_visible()

    # Drawing

    @property
    def is_blank(self) -> bool:
        """Whether there are no rows."""
        return not len(self._rows)

    @property
    def text_start(self) -> int:
        """Cells before the text of a row: none."""
        return 0

    def draw_line(self, number: int) -> Strip:
        """Draw a line, counted from the first of all rows."""
        width = self.room.width
        base = self.ground
        place = self._heights.at(number)
        if place is None:
            return Strip.blank(self.size.width, base)
        index, within = place
        marked = self._rows.one_line and bool(self.selection)
        drawn = self._rows.draw(index, self._draw_width - (len(_NOT_SELECTED) if marked else 0))
        line = drawn[within] if within < len(drawn) else ()
        if marked:
            line = [(_SELECTED if self._rows.key(index) in self.selection else _NOT_SELECTED, "accent"), *line]
        if self._needle:
            line = lines.mark(line, self._needle)
        style = base + self.ground_of(index)
        x = self.scroll_offset.x
        strip = self._strip(line, style).crop_extend(x, x + width, style)
        return self._with_news(index, strip, style) if self._news and within == 0 else strip

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

    def ground_of(self, index: int) -> Style:
        """Return the background of a row: selected, under the cursor, both or none."""
        if self._quiet and not self.has_focus:
            return Style.null()
        return self._selected_ground(index) + self._cursor_ground(index)

    def _cursor_ground(self, index: int) -> Style:
        if index != self.cursor:
            return Style.null()
        lit = self.has_focus or self._guided
        role = "cursor" if lit else "cursor-blurred"
        return roles(self.app).style(f"{role} reverse" if lit and self.app.no_color else role)

    def _selected_ground(self, index: int) -> Style:
        if not self.selection or self._rows.key(index) not in self.selection:
            return Style.null()
        return roles(self.app).style("selected strong underline" if self.app.no_color else "selected strong")

    def _refresh_row(self, index: int) -> None:
        if 0 <= index < len(self._rows):
            y = self._heights.top(index) - self.scroll_offset.y
            region = Region(0, y, self.size.width, self._heights.height(index))
            self.refresh(region.intersection(self.size.region))

    def on_focus(self) -> None:
        """Show the cursor as active."""
        self._refresh_row(self.cursor)

    def on_blur(self) -> None:
        """Dim the cursor."""
        self._refresh_row(self.cursor)

    # The cursor

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor within the rows."""
        return max(0, min(cursor, len(self._rows) - 1))

    def watch_cursor(self, before: int, after: int) -> None:
        """Repaint the two rows, bring the cursor into view and post the change."""
        self._goes_to_end = False
        self._refresh_row(before)
        self._refresh_row(after)
        self._bring_into_view()
        self._check_opens()
        if after < len(self._rows):
            # Rows that arrive move the cursor, too, but select nothing.
            self.selection.extend_range(self._rows, self.cursor)
            self.cursor_moved()

    def cursor_moved(self) -> None:
        """Post the row."""
        self.post_message(self.Highlighted(self, self.cursor, self._rows.key(self.cursor)))

    def action_list_down(self) -> None:
        """Move to the next row."""
        self._step(1)

    def action_list_up(self) -> None:
        """Move to the row before."""
        self._step(-1)

    def action_list_top(self) -> None:
        """Move to the first row."""
        self.cursor = 0

    def action_list_bottom(self) -> None:
        """Move to the last row; if more rows are being loaded, follow the end until the cursor is moved."""
        self.cursor = len(self._rows) - 1
        if self._goes_on:
            self._goes_to_end = True
            self.cursor_moved()

    def action_list_half_down(self) -> None:
        """Move half a page down."""
        self._leap(self.scrollable_content_region.height // 2)

    def action_list_half_up(self) -> None:
        """Move half a page up."""
        self._leap(-(self.scrollable_content_region.height // 2))

    def action_list_page_down(self) -> None:
        """Move a page down."""
        self._leap(self.scrollable_content_region.height - 1)

    def action_list_page_up(self) -> None:
        """Move a page up."""
        self._leap(1 - self.scrollable_content_region.height)

    def _step(self, by: int) -> None:
        # In a row higher than the place it is seen in, a step scrolls through the row before it leaves it.
        height = self.scrollable_content_region.height
        if self.cursor < len(self._rows) and self._heights.height(self.cursor) > height > 0:
            top = self._heights.top(self.cursor)
            bottom = top + self._heights.height(self.cursor)
            seen = self.scroll_offset.y
            if (by > 0 and seen + height < bottom) or (by < 0 and seen > top):
                self.scroll_to(y=seen + by, animate=False)
                return
        self.cursor += by

    def _leap(self, by: int) -> None:
        line = self._cursor_top() + by
        place = self._heights.at(max(0, min(line, self._heights.total - 1)))
        if place is not None:
            self.scroll_to(y=self.scroll_offset.y + by, animate=False)
            # A jump within a high row would leave the cursor where it is.
            self.cursor = place[0] if place[0] != self.cursor else self.cursor + (1 if by > 0 else -1)

    def action_list_left(self) -> None:
        """Scroll left."""
        self.scroll_to(x=self.scroll_offset.x - 8, animate=False, force=True)

    def action_list_right(self) -> None:
        """Scroll right."""
        self.scroll_to(x=self.scroll_offset.x + 8, animate=False, force=True)

    def action_list_open(self) -> None:
        """Go into the row under the cursor."""
        if (key := self.cursor_key) is not None and self._can_open_here:
            self.post_message(self.Chosen(self, self.cursor, key))

    @property
    def _can_open_here(self) -> bool:
        return self.cursor < len(self._rows) and not is_unread(self.cursor_key) and self.can_open(self.cursor)

    def _check_opens(self) -> None:
        opened, self._opens = self._opens, self._can_open_here
        if opened is not self._opens:
            self.refresh_bindings()

    # Selecting rows

    @property
    def selected(self) -> tuple[Hashable, ...]:
        """The keys of the selected rows, in the order in which they were selected."""
        return self.selection.keys

    def action_list_select(self) -> None:
        """Select or deselect the row, and go to the next."""
        if (key := self.cursor_key) is not None:
            self.selection.toggle(key)
            self.cursor += 1

    def action_list_range(self) -> None:
        """Begin to select a range from here, or end it."""
        self.selection.begin_or_end_range(self._rows, self.cursor)

    def _selection_changed(self) -> None:
        self.refresh()
        self.refresh_bindings()
        self.post_message(self.SelectionChanged(self))

    # Finding

    @property
    def needle(self) -> str:
        """The text to find, or nothing."""
        return self._needle

    def find(self, text: str) -> int:
        """Search for a text, mark it and go to the next match from here; return the number of rows found."""
        self._needle = text
        self.refresh()
        self.refresh_bindings()
        found = self._find_matches()
        if found and self.cursor not in found:
            self.cursor = next((index for index in found if index >= self.cursor), found[0])
        return len(found)

    def _find_matches(self) -> list[int]:
        if not self._needle:
            return []
        wanted = self._needle.casefold()
        return [index for index in range(len(self._rows)) if wanted in self._rows.text(index).casefold()]

    def action_list_find(self) -> None:
        """Ask for the text to search for."""
        self.post_message(self.FindRequested(self))

    def action_list_find_next(self) -> None:
        """Go to the next row found, after the last to the first."""
        if found := self._find_matches():
            self.cursor = next((index for index in found if index > self.cursor), found[0])

    def action_list_find_previous(self) -> None:
        """Go to the row found before, before the first to the last."""
        if found := self._find_matches():
            self.cursor = next((index for index in reversed(found) if index < self.cursor), found[-1])

    def action_list_clear(self) -> None:
        """Clear the search, else the selection."""
        if self._goes_to_end:
            self._goes_to_end = False
        elif self._needle:
            self.find("")
        else:
            self.selection.clear()

    def why_not(self, action: str) -> str | None:
        """Return the reason why nothing can be opened."""
        if action != "list.open" or self._can_open_here:
            return None
        if is_unread(self.cursor_key):
            return "this row could not be read"
        return self.why_closed(self.cursor) or get("list.open").elsewhere

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only actions that apply here."""
        if action in ("list_select", "list_range"):
            return self._selectable
        if action == "list_open":
            return self.openable
        if action == "list_find":
            return self._findable
        if action == "list_clear":
            return bool(self._goes_to_end or self._needle or self.selection)
        if action in ("list_find_next", "list_find_previous"):
            return bool(self._needle)
        if action in ("list_left", "list_right"):
            return bool(self._wide)
        return super().check_action(action, parameters)

    # The mouse

    def row_at(self, event: events.MouseEvent) -> int | None:
        """Return the row under the mouse, or ``None``."""
        offset = event.get_content_offset(self)
        place = self._heights.at(self.scroll_offset.y + offset.y) if offset is not None else None
        return place[0] if place else None

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the click was; a double click goes in."""
        index = self.row_at(event)
        if index is None or self.has_selected_text:
            return
        self.cursor = index
        if event.chain == 2:
            self.action_list_open()
