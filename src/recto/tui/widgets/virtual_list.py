"""One list for everything that has rows: it draws what is visible and repaints two rows when the cursor steps."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.message import Message

from recto.tui import lines
from recto.tui.actions import bindings
from recto.tui.roles import roles
from recto.tui.widgets.rows import Rows
from recto.tui.widgets.rows_view import RowsView
from recto.tui.widgets.unread import is_unread


class VirtualList(RowsView):
    """A list of rows with a cursor, searching and, if ``selectable``, a selection.

    ``openable`` says whether enter goes into a row; a ``guided`` list shows its cursor as though it had the focus,
    because a field beside it passes on the keys.
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

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another row."""

        list: VirtualList
        index: int
        key: Hashable

        @property
        def control(self) -> VirtualList:
            """The list, so that handlers can select by it."""
            return self.list

    @dataclass
    class Chosen(Message):
        """The person wants to go into a row (enter, a double click)."""

        list: VirtualList
        index: int
        key: Hashable

        @property
        def control(self) -> VirtualList:
            """The list, so that handlers can select by it."""
            return self.list

    @dataclass
    class SelectionChanged(Message):
        """Other rows than before are selected."""

        list: VirtualList

        @property
        def control(self) -> VirtualList:
            """The list, so that handlers can select by it."""
            return self.list

    @dataclass
    class FindRequested(Message):
        """The person wants to type what to find in this list."""

        list: VirtualList

        @property
        def control(self) -> VirtualList:
            """The list, so that handlers can select by it."""
            return self.list

    def __init__(
        self,
        rows: Rows | None = None,
        *,
        selectable: bool = False,
        openable: bool = True,
        guided: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(rows, guided=guided, id=id, classes=classes)
        self._selectable = selectable
        self._openable = openable
        self._selected: dict[Hashable, None] = {}
        self._range_from: int | None = None
        self._needle = ""

    def show(self, rows: Rows, cursor: Hashable | None = None) -> None:
        """Show other rows. The cursor goes to the key ``cursor``, else stays on its key, else near where it was."""
        keys = {rows.key(index) for index in range(len(rows))} if self._selected else set()
        self._selected = {key: None for key in self._selected if key in keys}
        self._range_from = None
        super().show(rows, cursor)

    def dressed(self, line: lines.Line) -> lines.Line:
        """Mark what is being looked for."""
        return lines.mark(line, self._needle) if self._needle else line

    def state_of(self, index: int) -> Style:
        """Return the ground of a row: selected, under the cursor, both or none."""
        state = super().state_of(index)
        if self._selected and self._rows.key(index) in self._selected:
            role = "selected strong underline" if self.app.no_color else "selected strong"
            return roles(self.app).style(role) + state
        return state

    # The cursor

    def cursor_moved(self) -> None:
        """Take the range along, and tell."""
        if self._range_from is not None:
            self._select_range(self.cursor)
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
        """Move to the last row."""
        self.cursor = len(self._rows) - 1

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
            # A leap within one high row would leave the cursor where it is.
            self.cursor = place[0] if place[0] != self.cursor else self.cursor + (1 if by > 0 else -1)

    def action_list_left(self) -> None:
        """Scroll left."""
        self.scroll_to(x=self.scroll_offset.x - 8, animate=False, force=True)

    def action_list_right(self) -> None:
        """Scroll right."""
        self.scroll_to(x=self.scroll_offset.x + 8, animate=False, force=True)

    def action_list_open(self) -> None:
        """Go into the row under the cursor."""
        if (key := self.cursor_key) is not None and not is_unread(key):
            self.post_message(self.Chosen(self, self.cursor, key))

    # The selection

    @property
    def selected(self) -> tuple[Hashable, ...]:
        """The keys of the selected rows, in the order in which they were selected."""
        return tuple(self._selected)

    def clear_selection(self) -> None:
        """Select nothing."""
        self._range_from = None
        if self._selected:
            self._selected = {}
            self._selection_changed()

    def action_list_select(self) -> None:
        """Select the row, or no longer, and go on to the next."""
        if (key := self.cursor_key) is None:
            return
        self._range_from = None
        if key in self._selected:
            del self._selected[key]
        else:
            self._selected[key] = None
        self._selection_changed()
        self.cursor += 1

    def action_list_range(self) -> None:
        """Begin to select a range from here, or end it."""
        if self._range_from is not None:
            self._range_from = None
        elif self.cursor_key is not None:
            self._range_from = self.cursor
            self._select_range(self.cursor)

    def _select_range(self, to: int) -> None:
        start = self._range_from if self._range_from is not None else to
        first, last = sorted((start, to))
        self._selected = {self._rows.key(index): None for index in range(first, last + 1)}
        self._selection_changed()

    def _selection_changed(self) -> None:
        self.refresh()
        self.refresh_bindings()
        self.post_message(self.SelectionChanged(self))

    # Finding

    @property
    def needle(self) -> str:
        """What is being looked for, or nothing."""
        return self._needle

    def find(self, text: str) -> int:
        """Look for a text, mark it where it stands and go to the nearest place from here on; gives the rows found."""
        self._needle = text
        self.refresh()
        self.refresh_bindings()
        found = self._found()
        if found and self.cursor not in found:
            self.cursor = next((index for index in found if index >= self.cursor), found[0])
        return len(found)

    def _found(self) -> list[int]:
        if not self._needle:
            return []
        wanted = self._needle.casefold()
        return [index for index in range(len(self._rows)) if wanted in self._rows.text(index).casefold()]

    def action_list_find(self) -> None:
        """Ask for a text to find."""
        self.post_message(self.FindRequested(self))

    def action_list_find_next(self) -> None:
        """Go to the next row found, after the last to the first."""
        if found := self._found():
            self.cursor = next((index for index in found if index > self.cursor), found[0])

    def action_list_find_previous(self) -> None:
        """Go to the row found before, before the first to the last."""
        if found := self._found():
            self.cursor = next((index for index in reversed(found) if index < self.cursor), found[-1])

    def action_list_clear(self) -> None:
        """Undo the innermost: the search, else the selection."""
        if self._needle:
            self.find("")
        else:
            self.clear_selection()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what has a meaning here and now."""
        if action in ("list_select", "list_range"):
            return self._selectable
        if action == "list_open":
            return self._openable
        if action == "list_clear":
            return bool(self._needle or self._selected)
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
        if index is None or self.is_marked:
            return
        self.cursor = index
        if event.chain == 2:
            self.action_list_open()
