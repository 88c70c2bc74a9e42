"""Leaves on the screen with a line cursor: the place where one is stays, whatever their width and what is folded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual import events
from textual.geometry import Size

from recto.tui.render.breaking import cells
from recto.tui.render.leaf import Leaf
from recto.tui.render.sheet import Sheet, Stop
from recto.tui.widgets.drawn_sheet import DrawnSheet

CONTEXT = 2
"""Lines kept in view beyond the cursor where there is room."""

_SIDEWAYS = 8


class Position(NamedTuple):
    """A place in a page: a leaf, an offset in its text, and how many lines of the screen are above it."""

    leaf: int = 0
    offset: int = 0
    above: int = 0


class SheetView(DrawnSheet, can_focus=True, inherit_bindings=False):
    """Shows leaves. What is not visible is neither read nor laid out."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._wanted = Position()
        self._landed: Stop | None = None
        """The row on which the wanted place came to stand."""
        self._placing = False

    # What the views above this one add

    def cursor_moved(self, before: Leaf, after: Leaf) -> None:
        """Hear that the cursor has gone from a row of one leaf to a row of another, or of the same."""

    # Where one is

    def show_leaves(self, leaves: Sequence[Leaf], position: Position) -> None:
        """Show leaves from a place on."""
        self._leaves = leaves
        self._sheet = None
        self._sideways = {}
        self._cursor = Stop(0, 0)
        self._wanted = position
        self._set()

    @property
    def position(self) -> Position:
        """Where the reader is; set it to come back there."""
        sheet = self._sheet
        if sheet is None:
            return self._wanted
        above = sheet.line_of(self._cursor) - round(self.scroll_y)
        return Position(self._cursor.leaf, sheet.offsets(self._cursor)[0], max(0, above))

    @position.setter
    def position(self, position: Position) -> None:
        self._wanted = position
        if self._sheet is not None:
            self.go_to(self._sheet.row_of(position.leaf, position.offset), above=position.above)

    # Setting

    def _set(self) -> None:
        """Set the leaves at the width there is and go to the wanted place."""
        width = self._text_width
        if not width:
            return
        self._sheet = Sheet(self._leaves, width) if self._leaves else None
        if self._sheet is None:
            self.virtual_size = Size(0, 0)
        else:
            self.go_to(self._sheet.row_of(self._wanted.leaf, self._wanted.offset), above=self._wanted.above)
            self._landed = self._cursor
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Set the page for the new width; the reader stays at the same words."""
        if self._sheet is None or self._sheet.width != self._text_width:
            here = self.position
            if self._cursor == self._landed and here.leaf == self._wanted.leaf:
                # Of rows that begin elsewhere at each width, the words one came to are what stays.
                here = here._replace(offset=self._wanted.offset)
            self._wanted = here
            self._set()
        else:
            self._bring_into_view()

    def _put(self, leaf: int, line: int, y: int) -> None:
        """Bring a line of a leaf to a row of the screen, and lay out all that can be seen then."""
        sheet = self._sheet
        if sheet is None:
            return
        height = max(1, self.room.height)
        wrong = True
        top = 0
        while wrong:
            wrong = sheet.lay_out(leaf)
            top = max(0, min(sheet.top(leaf) + line - y, sheet.total - height))
            wrong |= sheet.lay_out_lines(top, top + height)
        self._placing = True
        self.virtual_size = Size(0, sheet.total)
        # The scroll bar comes with the next layout, and until then Textual would refuse to scroll.
        self.scroll_to(y=top, animate=False, force=True)
        self._placing = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Lay out what the wheel or the scroll bar has brought into view, and take the cursor along."""
        super().watch_scroll_y(old_value, new_value)
        sheet = self._sheet
        old, new = round(old_value), round(new_value)
        if self._placing or sheet is None or old == new:
            return
        # A step is counted from what was seen, since guesses about what lies above it are about to be corrected.
        near = abs(new - old) <= 2 * max(1, self.room.height)
        place = sheet.at(old if near else new)
        if place is not None:
            self._put(*place, old - new if near else 0)
            self._drag_cursor()

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Let a scroll bar that appears tell where the page is; Textual tells it only of later moves."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def _drag_cursor(self) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        top, height = round(self.scroll_y), self.room.height
        line = sheet.line_of(self._cursor)
        if line < top:
            self._move_to(sheet.stop_near(top, 1))
        elif line >= top + height:
            self._move_to(sheet.stop_near(top + height - 1, -1))

    # The cursor

    def go_to(self, stop: Stop, *, above: int | None = None) -> None:
        """Move the cursor, and the page where the cursor would not be seen; ``above`` says how far from the top."""
        if self._sheet is None:
            self._wanted = Position(stop.leaf, 0, above or 0)
            return
        self.uncover(stop.leaf)
        if above is not None:
            line = self._sheet.leaves[stop.leaf].gap + stop.row
            self._put(stop.leaf, line, min(above, max(0, self.room.height - 1)))
        self._move_to(stop)
        self._bring_into_view()

    def _move_to(self, stop: Stop) -> None:
        before, self._cursor = self._cursor, stop
        if before != stop:
            self.refresh()
            self.cursor_moved(self._leaves[before.leaf], self._leaves[stop.leaf])

    def _bring_into_view(self) -> None:
        height = self.room.height
        if not height or self._sheet is None:
            return
        leaf, row = self._cursor
        self._sheet.lay_out(leaf)
        y = self._sheet.line_of(self._cursor) - round(self.scroll_y)
        context = min(CONTEXT, (height - 1) // 3)
        self._put(leaf, self._sheet.leaves[leaf].gap + row, max(context, min(y, height - 1 - context)))

    def _step(self, direction: int) -> None:
        if self._sheet is None:
            return
        leaf, row = self._cursor
        found = self._sheet.next_stop(leaf, row + direction, direction)
        if found is not None:
            self.go_to(found)

    def _leap(self, lines: int) -> None:
        sheet = self._sheet
        if sheet is None or not lines:
            return
        leaf, row = self._cursor
        y = sheet.line_of(self._cursor) - round(self.scroll_y)
        self._put(leaf, sheet.leaves[leaf].gap + row, y - lines)
        self.go_to(sheet.stop_near(sheet.line_of(self._cursor) + lines, 1 if lines > 0 else -1))

    def action_list_down(self) -> None:
        """Move to the next line."""
        self._step(1)

    def action_list_up(self) -> None:
        """Move to the line before."""
        self._step(-1)

    def action_list_top(self) -> None:
        """Move to the first line."""
        if self._sheet is not None:
            self.go_to(Stop(0, 0), above=0)

    def action_list_bottom(self) -> None:
        """Move to the last line."""
        if self._sheet is not None:
            last = len(self._sheet.leaves) - 1
            self._put(last, self._sheet.height(last), self.room.height)
            self.go_to(self._sheet.stop_near(self._sheet.total - 1, -1))

    def action_list_half_down(self) -> None:
        """Move half a page down."""
        self._leap(self.room.height // 2)

    def action_list_half_up(self) -> None:
        """Move half a page up."""
        self._leap(-(self.room.height // 2))

    def action_list_page_down(self) -> None:
        """Move a page down."""
        self._leap(self.room.height - 1)

    def action_list_page_up(self) -> None:
        """Move a page up."""
        self._leap(1 - self.room.height)

    # What is folded away

    def uncover(self, leaf: int, offset: int | None = None) -> None:
        """Open what a leaf is folded away in; with an offset of its text, also what hides that place within it."""
        shown = self._leaves[leaf]
        option = shown.option if offset is None else shown.option_at(offset)
        if option is not None and not option.is_shown:
            self.fold(option.choose)

    def fold(self, change: Callable[[], None]) -> None:
        """Fold or open something by ``change``."""
        # Asked before: within what folds, a row is another one afterwards.
        here = self.position
        change()
        self.folded(here)

    def folded(self, here: Position | None = None) -> None:
        """Set the page anew after something was folded or opened; what is looked at, or was, stays where it is."""
        self._wanted = here or self.position
        self._set()

    # Sideways

    def action_list_left(self) -> None:
        """Look at wide code or a wide table further to the left."""
        self._look_sideways(-_SIDEWAYS)

    def action_list_right(self) -> None:
        """Look at wide code or a wide table further to the right."""
        self._look_sideways(_SIDEWAYS)

    def _look_sideways(self, by: int) -> None:
        found = self._wide_leaf()
        if found is None:
            return
        key, most = found
        self._sideways[key] = max(0, min(self._sideways.get(key, 0) + by, most))
        self.refresh()

    def reveal(self, leaf: int, offset: int) -> None:
        """Go to a place in a leaf's text, and to the side where that place would be beyond the edge.

        What is folded away is opened.
        """
        if self._sheet is None:
            return
        self.uncover(leaf, offset)
        stop = self._sheet.row_of(leaf, offset)
        self.go_to(stop)
        row = self._sheet.rows(leaf)[stop.row]
        over = row.cells - self._sheet.width
        if not self._leaves[leaf].wide or over <= 0:
            return
        room = self._sheet.width - sum(cells(text) for text, _role in row.before)
        x = 0
        for part in row.parts:
            if part.start <= offset < part.start + len(part.text):
                x += cells(part.text[: offset - part.start])
                break
            x += cells(part.text)
        key = self._leaves[leaf].lane
        if not self._sideways.get(key, 0) < x < self._sideways.get(key, 0) + room * 2 // 3:
            self._sideways[key] = max(0, min(x - room // 3, over + 1))
            self.refresh()

    def _wide_leaf(self) -> tuple[int, int] | None:
        """Return the wide block under the cursor, else the first that is seen, and how far it goes to the side."""
        sheet = self._sheet
        if sheet is None:
            return None
        top = round(self.scroll_y)
        seen = [place[0] for line in range(top, top + self.room.height) if (place := sheet.at(line)) is not None]
        found: dict[int, int] = {}
        for index in dict.fromkeys([self._cursor.leaf, *seen]):
            leaf = sheet.leaves[index]
            rows = sheet.rows(index)
            if leaf.wide:
                over = max((row.cells - sheet.width for row in rows), default=0)
                found[leaf.lane] = max(over, found.get(leaf.lane, 0))
        return next(((key, most + 1) for key, most in found.items() if most > 0), None)
