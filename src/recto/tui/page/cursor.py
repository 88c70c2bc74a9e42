"""The line cursor of a page: it stays at the same text when the width or folds change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual.geometry import Size

from recto.tui.page.sheet import Sheet, Stop
from recto.tui.render.line_breaks import cells

if TYPE_CHECKING:
    from recto.tui.render.leaf import Leaf
    from recto.tui.render.rendered_page import RenderedPage
    from recto.tui.widgets.line_view import LineView

CONTEXT = 2
"""Lines kept in view beyond the cursor where there is room."""

WIDEST = 100
"""The cells of the longest line of text; in a wider view the text is centred."""

MARGIN = 4
"""Cells before the text: the cursor's bar, a mark of two cells, and a blank."""

_SIDEWAYS = 8


class Position(NamedTuple):
    """A place in a page: a leaf, an offset in its text, and how many lines of the screen are above it."""

    leaf: int = 0
    offset: int = 0
    above: int = 0


class PageCursor:
    """A page as lines of ``view``, and the row of it that keys move from.

    Invisible parts are neither read nor laid out. ``moved`` is called with the former and the new leaf of the cursor,
    which may be the same.
    """

    def __init__(self, view: LineView, moved: Callable[[Leaf, Leaf], None]) -> None:
        self.view = view
        self.reading: RenderedPage | None = None
        self.sheet: Sheet | None = None
        """The page at the width there is; ``None`` without a page or before there is a width."""
        self.stop = Stop(0, 0)
        self.sideways: dict[int, int] = {}
        """Cells by which each lane of wide leaves is scrolled sideways."""
        self._moved = moved
        self._wanted = Position()
        self._landed: Stop | None = None
        """The row to which the wanted place led."""
        self._placing = False

    # Where it is

    @property
    def leaves(self) -> Sequence[Leaf]:
        """The leaves of the page."""
        return self.reading.leaves if self.reading is not None else ()

    @property
    def leaf(self) -> Leaf | None:
        """The leaf under the cursor."""
        leaves = self.leaves
        return leaves[self.stop.leaf] if leaves else None

    @property
    def offsets(self) -> tuple[int, int]:
        """Offsets between which the cursor's row shows the text of its leaf."""
        return self.sheet.offsets(self.stop) if self.sheet is not None else (0, 0)

    @property
    def text_width(self) -> int:
        """Cells for the text of a line; 0 before there is room."""
        room = self.view.room.width
        return min(WIDEST, max(2, room - MARGIN - 1)) if room else 0

    @property
    def left(self) -> int:
        """Cells before the margin, where there is more room than text takes."""
        return max(0, (self.view.room.width - self.text_width - 2 * MARGIN) // 2)

    @property
    def position(self) -> Position:
        """The place of the reader; setting it goes there."""
        sheet = self.sheet
        if sheet is None:
            return self._wanted
        above = sheet.line_of(self.stop) - round(self.view.scroll_y)
        return Position(self.stop.leaf, self.offsets[0], max(0, above))

    @position.setter
    def position(self, position: Position) -> None:
        self._wanted = position
        if self.sheet is not None:
            self.go_to(self.sheet.row_of(position.leaf, position.offset), above=position.above)

    # Setting the page

    def show(self, reading: RenderedPage, position: Position) -> None:
        """Show a page from a place on."""
        self.reading = reading
        self.sheet = None
        self.sideways = {}
        self.stop = Stop(0, 0)
        self._wanted = position
        self._set()

    def _set(self) -> None:
        """Lay out the leaves at the present width and go to the requested place."""
        width = self.text_width
        if not width:
            return
        leaves = self.leaves
        self.sheet = Sheet(leaves, width) if leaves else None
        if self.sheet is None:
            self.view.virtual_size = Size(0, 0)
        else:
            self.go_to(self.sheet.row_of(self._wanted.leaf, self._wanted.offset), above=self._wanted.above)
            self._landed = self.stop
        self.view.refresh()

    @property
    def has_unset_page(self) -> bool:
        """Whether a page came while the view had no size, as behind another tab."""
        return self.sheet is None and bool(self.leaves)

    def set_again(self, here: Position | None = None) -> None:
        """Lay out the page again after a change in it; the cursor stays, or goes to ``here``."""
        self._wanted = here or self.position
        self._set()

    def resize(self) -> None:
        """Lay out the page for another width; the cursor stays at the same words."""
        if self.sheet is None or self.sheet.width != self.text_width:
            here = self.position
            if self.stop == self._landed and here.leaf == self._wanted.leaf:
                # Rows begin elsewhere at each width: the words gone to are what stays.
                here = here._replace(offset=self._wanted.offset)
            self.set_again(here)
        else:
            self._bring_into_view()

    # Scrolling

    def _put(self, leaf: int, line: int, y: int) -> None:
        """Scroll a line of a leaf to a row of the screen, and lay out all that is visible then."""
        sheet = self.sheet
        if sheet is None:
            return
        height = max(1, self.view.room.height)
        wrong = True
        top = 0
        while wrong:
            wrong = sheet.lay_out(leaf)
            top = max(0, min(sheet.top(leaf) + line - y, sheet.total - height))
            wrong |= sheet.lay_out_lines(top, top + height)
        self._placing = True
        self.view.virtual_size = Size(0, sheet.total)
        if self.view.room.height:
            # Left to Textual the bar comes a layout later, and the page is painted twice.
            self.view.show_vertical_scrollbar = sheet.total > height
        # The scroll bar appears with the next layout; until then Textual would refuse to scroll.
        self.view.scroll_to(y=top, animate=False, force=True)
        self._placing = False

    def follow_scroll(self, old: int, new: int) -> None:
        """Lay out what the wheel or the scroll bar brought into view, and take the cursor along."""
        sheet = self.sheet
        if self._placing or sheet is None or old == new:
            return
        # A step is counted from what was seen, since guesses about what lies above it are about to be corrected.
        near = abs(new - old) <= 2 * max(1, self.view.room.height)
        place = sheet.at(old if near else new)
        if place is not None:
            self._put(*place, old - new if near else 0)
            self._drag()

    def _drag(self) -> None:
        sheet = self.sheet
        if sheet is None:
            return
        top, height = round(self.view.scroll_y), self.view.room.height
        line = sheet.line_of(self.stop)
        if line < top:
            self._move_to(sheet.stop_near(top, 1))
        elif line >= top + height:
            self._move_to(sheet.stop_near(top + height - 1, -1))

    def _bring_into_view(self) -> None:
        height = self.view.room.height
        if not height or self.sheet is None:
            return
        leaf, row = self.stop
        self.sheet.lay_out(leaf)
        y = self.sheet.line_of(self.stop) - round(self.view.scroll_y)
        context = min(CONTEXT, (height - 1) // 3)
        self._put(leaf, self.sheet.leaves[leaf].gap + row, max(context, min(y, height - 1 - context)))

    def bring_leaf_into_view(self) -> None:
        """Scroll until the whole leaf under the cursor is visible, keeping the cursor visible."""
        sheet, stop = self.sheet, self.stop
        if sheet is None:
            return
        top, height = round(self.view.scroll_y), self.view.room.height
        line = sheet.line_of(stop)
        below = sheet.top(stop.leaf) + sheet.height(stop.leaf) - (top + height)
        if below > 0:
            self._put(stop.leaf, line - sheet.top(stop.leaf), max(0, line - top - below))

    # Moving

    def go_to(self, stop: Stop, *, above: int | None = None) -> None:
        """Move the cursor, and scroll if it would not be visible; ``above`` is its distance from the top."""
        if self.sheet is None:
            self._wanted = Position(stop.leaf, 0, above or 0)
            return
        self.unfold(stop.leaf)
        if above is not None:
            line = self.sheet.leaves[stop.leaf].gap + stop.row
            self._put(stop.leaf, line, min(above, max(0, self.view.room.height - 1)))
        self._move_to(stop)
        self._bring_into_view()

    def go_to_offset(self, leaf: int, offset: int) -> None:
        """Go to an offset in the text of a leaf, with a few lines above it visible."""
        if self.sheet is None:
            self.go_to(Stop(leaf, 0), above=CONTEXT)
        else:
            self.unfold(leaf, offset)
            self.go_to(self.sheet.row_of(leaf, offset), above=CONTEXT)

    def _move_to(self, stop: Stop) -> None:
        before, self.stop = self.stop, stop
        if before != stop:
            self.view.refresh()
            self._moved(self.leaves[before.leaf], self.leaves[stop.leaf])

    def step(self, direction: int) -> None:
        """Move to the next line (1) or the previous line (-1)."""
        if self.sheet is None:
            return
        leaf, row = self.stop
        found = self.sheet.next_stop(leaf, row + direction, direction)
        if found is not None:
            self.go_to(found)

    def move_by(self, lines: int) -> None:
        """Move the page and the cursor by several lines."""
        sheet = self.sheet
        if sheet is None or not lines:
            return
        leaf, row = self.stop
        y = sheet.line_of(self.stop) - round(self.view.scroll_y)
        self._put(leaf, sheet.leaves[leaf].gap + row, y - lines)
        self.go_to(sheet.stop_near(sheet.line_of(self.stop) + lines, 1 if lines > 0 else -1))

    def go_to_top(self) -> None:
        """Move to the first line."""
        if self.sheet is not None:
            self.go_to(Stop(0, 0), above=0)

    def go_to_bottom(self) -> None:
        """Move to the last line."""
        if self.sheet is not None:
            last = len(self.sheet.leaves) - 1
            self._put(last, self.sheet.height(last), self.view.room.height)
            self.go_to(self.sheet.stop_near(self.sheet.total - 1, -1))

    # Folding

    def unfold(self, leaf: int, offset: int | None = None) -> None:
        """Unfold a leaf; with an offset of its text, also what hides that place in it."""
        shown = self.leaves[leaf]
        option = shown.option if offset is None else shown.option_at(offset)
        if option is not None and not option.is_shown:
            self.fold(option.choose)

    def fold(self, change: Callable[[], None]) -> None:
        """Change a fold by ``change``; the cursor stays."""
        # Read before: folding changes the rows that follow.
        here = self.position
        change()
        self.set_again(here)

    # Sideways

    def look_left(self) -> None:
        """Scroll wide code or a wide table to the left."""
        self._look_sideways(-_SIDEWAYS)

    def look_right(self) -> None:
        """Scroll wide code or a wide table to the right."""
        self._look_sideways(_SIDEWAYS)

    @property
    def is_wide_here(self) -> bool:
        """Whether something in view is wider than the screen."""
        return self._wide_lane() is not None

    def _look_sideways(self, by: int) -> None:
        found = self._wide_lane()
        if found is None:
            return
        lane, most = found
        self.sideways[lane] = max(0, min(self.sideways.get(lane, 0) + by, most))
        self.view.refresh()

    def _wide_lane(self) -> tuple[int, int] | None:
        """Return the wide lane under the cursor, else the first that is visible, and the cells it can be scrolled."""
        sheet = self.sheet
        if sheet is None:
            return None
        top = round(self.view.scroll_y)
        lines = range(top, top + self.view.room.height)
        seen = [place[0] for line in lines if (place := sheet.at(line)) is not None]
        found: dict[int, int] = {}
        for index in dict.fromkeys([self.stop.leaf, *seen]):
            leaf = sheet.leaves[index]
            rows = sheet.rows(index)
            if leaf.wide:
                over = max((row.cells - sheet.width for row in rows), default=0)
                found[leaf.lane] = max(over, found.get(leaf.lane, 0))
        return next(((lane, most + 1) for lane, most in found.items() if most > 0), None)

    def reveal(self, leaf: int, offset: int) -> None:
        """Go to an offset in the text of a leaf: unfold it, and scroll sideways where it is beyond the edge."""
        if self.sheet is None:
            return
        self.unfold(leaf, offset)
        stop = self.sheet.row_of(leaf, offset)
        self.go_to(stop)
        row = self.sheet.rows(leaf)[stop.row]
        over = row.cells - self.sheet.width
        if not self.leaves[leaf].wide or over <= 0:
            return
        room = self.sheet.width - sum(cells(text) for text, _role in row.before)
        x = 0
        for part in row.parts:
            if part.start <= offset < part.start + len(part.text):
                x += cells(part.text[: offset - part.start])
                break
            x += cells(part.text)
        lane = self.leaves[leaf].lane
        if not self.sideways.get(lane, 0) < x < self.sideways.get(lane, 0) + room * 2 // 3:
            self.sideways[lane] = max(0, min(x - room // 3, over + 1))
            self.view.refresh()
