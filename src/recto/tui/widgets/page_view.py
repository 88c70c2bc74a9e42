"""A page to read: set at a good width, with a line cursor, links, an outline, finding, and marks in the margin."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from recto.tui.actions import Action, bindings, register
from recto.tui.lines import Span, head
from recto.tui.render.breaking import cells
from recto.tui.render.leaf import Row
from recto.tui.render.sheet import Sheet
from recto.tui.render.strips import Brush
from recto.tui.roles import roles

if TYPE_CHECKING:
    from recto.document.blocks import Block
    from recto.tui.render.prose import Link
    from recto.tui.render.reading import Heading, Reading

WIDEST = 100
"""Cells of the longest line of text; where there is more room the text stands in the middle."""

MARGIN = 4
"""Cells before the text: the cursor's bar, a mark of two cells, and a blank."""

_LARGE = 48 * 1024
"""Characters from which a page is parsed beside the event loop."""

_CONTEXT = 2
_SIDEWAYS = 8

register(
    Action("page.next_heading", "Next heading", ("right_square_bracket",), "Page"),
    Action("page.previous_heading", "Heading before", ("left_square_bracket",), "Page"),
    Action("page.next_link", "Next link", ("greater_than_sign",), "Page", hint="links"),
    Action("page.previous_link", "Link before", ("less_than_sign",), "Page"),
)


class Position(NamedTuple):
    """A place in a page: a leaf, an offset in its text, and how many lines of the screen are above it."""

    leaf: int = 0
    offset: int = 0
    above: int = 0


class PageView(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows one page. It draws what is visible; the rest of the page is neither read nor laid out."""

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
        "list.clear",
        "list.find",
        "list.find_next",
        "list.find_previous",
        "list.left",
        "list.right",
        "page.next_heading",
        "page.previous_heading",
        "page.next_link",
        "page.previous_link",
        "item.open_in_browser",
        "item.copy_text",
        "item.copy_link",
    )

    class PageMessage(Message):
        """What all messages of a page have: the view, so that handlers can select by it."""

        def __init__(self, view: PageView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> PageView:
            """The view."""
            return self.view

    class Shown(PageMessage):
        """A page has been parsed and can be seen."""

    class FindRequested(PageMessage):
        """The person wants to type what to find in this page."""

    class BlockChanged(PageMessage):
        """The cursor stands in another block."""

        def __init__(self, view: PageView, block: Block) -> None:
            super().__init__(view)
            self.block = block

    class LinkFollowed(PageMessage):
        """The person wants to go where a link leads; ``href`` is as written on the page."""

        def __init__(self, view: PageView, href: str) -> None:
            super().__init__(view)
            self.href = href

    class BrowseRequested(PageMessage):
        """The person wants to see a link, or the page itself (``href`` is ``None``), in the browser."""

        def __init__(self, view: PageView, href: str | None) -> None:
            super().__init__(view)
            self.href = href

    class CopyTextRequested(PageMessage):
        """The person wants the text of the block under the cursor."""

        def __init__(self, view: PageView, text: str) -> None:
            super().__init__(view)
            self.text = text

    class CopyLinkRequested(PageMessage):
        """The person wants an address: the link's under the cursor, else that of the page at the heading ``slug``."""

        def __init__(self, view: PageView, href: str | None, slug: str | None) -> None:
            super().__init__(view)
            self.href = href
            self.slug = slug

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._reading: Reading | None = None
        self._sheet: Sheet | None = None
        self._brush: tuple[object, Brush] | None = None
        self._cursor = (0, 0)
        self._link: Link | None = None
        self._needle = ""
        self._found: list[tuple[int, int, int]] = []
        self._found_in: dict[int, list[tuple[int, int]]] = {}
        self._marks: Mapping[int, Span] = {}
        self._marked: dict[int, Span] = {}
        self._sideways: dict[int, int] = {}
        self._wanted = Position()
        self._wanted_anchor: str | None = None
        self._placing = False
        self._request = 0

    # What is shown

    def show(
        self,
        title: str,
        markdown: str,
        *,
        description: str | None = None,
        marks: Mapping[int, Span] | None = None,
        position: Position | None = None,
        anchor: str | None = None,
    ) -> None:
        """Show a page, from ``position`` or the heading ``anchor`` on, else from its top.

        ``marks`` are signs of at most two cells and their roles by source line; they stand in the margin of the block
        to which the line belongs. A large page is parsed beside the event loop: ``Shown`` tells when it can be seen.
        """
        self._request += 1
        self._marks = marks or {}
        self._wanted, self._wanted_anchor = position or Position(), anchor
        if len(markdown) < _LARGE:
            self._take(_read(title, markdown, description))
        else:
            work = self._read_large(self._request, title, markdown, description)
            self.run_worker(work, group="page", exclusive=True)

    async def _read_large(self, request: int, title: str, markdown: str, description: str | None) -> None:
        reading = await asyncio.to_thread(_read, title, markdown, description)
        if request == self._request:
            self._take(reading)

    def _take(self, reading: Reading) -> None:
        self._reading = reading
        self._sheet = None
        self._link = None
        self._sideways = {}
        self._cursor = (0, 0)
        self._find_again()
        self._place_marks()
        self._set()
        self.post_message(self.Shown(self))
        if (block := self.cursor_block) is not None:
            self.post_message(self.BlockChanged(self, block))

    def clear(self) -> None:
        """Show nothing."""
        self.show("", "")

    def mark(self, marks: Mapping[int, Span]) -> None:
        """Put other signs into the margin; the text stays where it is."""
        self._marks = marks
        self._place_marks()
        self.refresh()

    def _place_marks(self) -> None:
        self._marked = {}
        if self._reading is not None and self._reading.leaves:
            for line, span in sorted(self._marks.items()):
                self._marked.setdefault(self._reading.leaf_at(line), span)

    @property
    def outline(self) -> tuple[Heading, ...]:
        """The page's headings."""
        return self._reading.outline if self._reading is not None else ()

    # Where one is

    @property
    def position(self) -> Position:
        """Where the reader is; set it to come back there."""
        if self._sheet is None:
            return self._wanted
        leaf, _row = self._cursor
        return Position(leaf, self._cursor_offset(), max(0, self._cursor_line() - round(self.scroll_y)))

    @position.setter
    def position(self, position: Position) -> None:
        self._wanted = position
        if self._sheet is not None and self._sheet.leaves:
            self._go(*self._place_of(position.leaf, position.offset), above=position.above)

    @property
    def cursor_block(self) -> Block | None:
        """The block the cursor stands in; its ``start`` and ``end`` are lines of the source."""
        if self._reading is None or not self._reading.leaves:
            return None
        return self._reading.leaves[self._cursor[0]].block

    @property
    def cursor_line(self) -> int:
        """The source line, from 0, at which the piece of text under the cursor begins."""
        if self._reading is None or not self._reading.leaves:
            return 0
        return self._reading.leaves[self._cursor[0]].line

    @property
    def current_link(self) -> str | None:
        """Where the chosen link leads, else the first link on the cursor's line."""
        link = self._link or next(iter(self._links_here()), None)
        return link.href if link is not None else None

    def go_to_line(self, line: int) -> None:
        """Go to the block in which a source line stands, counted from 0."""
        if self._reading is not None and self._reading.leaves:
            self._go(self._reading.leaf_at(line), 0, above=_CONTEXT)

    def go_to_anchor(self, slug: str) -> bool:
        """Go to the heading or anchor that ``#slug`` names; says whether there is one."""
        line = self._reading.line_of_anchor(slug) if self._reading is not None else None
        if line is None:
            return False
        self.go_to_line(line)
        return True

    # Setting

    def _set(self) -> None:
        """Set the page at the width there is and go to the wanted place."""
        width = self._text_width
        if self._reading is None or width <= 0:
            return
        self._sheet = Sheet(self._reading.leaves, width)
        if not self._reading.leaves:
            self.virtual_size = Size(0, 0)
            self.refresh()
            return
        anchor, self._wanted_anchor = self._wanted_anchor, None
        if anchor is None or not self.go_to_anchor(anchor):
            wanted = self._wanted
            self._go(*self._place_of(wanted.leaf, wanted.offset), above=wanted.above)
        self.refresh()

    @property
    def _room(self) -> Size:
        return self.scrollable_content_region.size

    @property
    def _text_width(self) -> int:
        room = self._room.width
        return min(WIDEST, max(2, room - MARGIN - 1)) if room else 0

    @property
    def _left(self) -> int:
        return max(0, (self._room.width - self._text_width - 2 * MARGIN) // 2)

    def on_resize(self, event: events.Resize) -> None:
        """Set the page for the new width; the reader stays at the same words."""
        if self._sheet is None or self._sheet.width != self._text_width:
            if self._sheet is not None:
                self._wanted = self.position
            self._set()
        elif self._sheet.leaves:
            self._bring_into_view()

    def _put(self, leaf: int, line: int, y: int) -> None:
        """Bring a line of a leaf to a row of the screen, and lay out all that can be seen then."""
        sheet = self._sheet
        if sheet is None:
            return
        height = max(1, self._room.height)
        wrong = True
        top = 0
        while wrong:
            wrong = sheet.lay_out(leaf)
            top = max(0, min(sheet.top(leaf) + line - y, sheet.total - height))
            wrong |= sheet.lay_out_lines(top, top + height)
        self._placing = True
        self.virtual_size = Size(0, sheet.total)
        self.scroll_to(y=top, animate=False)
        self._placing = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Lay out what the wheel or the scroll bar has brought into view, and take the cursor along."""
        super().watch_scroll_y(old_value, new_value)
        sheet = self._sheet
        old, new = round(old_value), round(new_value)
        if self._placing or sheet is None or old == new:
            return
        # A step is counted from what was seen, since guesses about what lies above it are about to be corrected.
        near = abs(new - old) <= 2 * max(1, self._room.height)
        place = sheet.at(old if near else new)
        if place is not None:
            self._put(*place, old - new if near else 0)
            self._drag_cursor()

    def _drag_cursor(self) -> None:
        sheet = self._sheet
        if sheet is None or not sheet.leaves:
            return
        top = round(self.scroll_y)
        line = self._cursor_line()
        if not top <= line < top + self._room.height:
            edge = top if line < top else top + self._room.height - 1
            self._move_to(*self._stop(min(edge, sheet.total - 1), 1 if line < top else -1))

    # The cursor

    def _cursor_line(self) -> int:
        leaf, row = self._cursor
        return self._sheet.top(leaf) + self._sheet.leaves[leaf].gap + row if self._sheet and self._sheet.leaves else 0

    def _cursor_offset(self) -> int:
        leaf, row = self._cursor
        rows = self._sheet.rows(leaf) if self._sheet and self._sheet.leaves else []
        parts = rows[row].parts if row < len(rows) else ()
        return next((part.start for part in parts if part.start >= 0), 0)

    def _place_of(self, leaf: int, offset: int) -> tuple[int, int]:
        """Give the leaf and the row in which an offset of its text stands."""
        assert self._sheet is not None
        leaf = max(0, min(leaf, len(self._sheet.leaves) - 1))
        found = 0
        nearest = -1
        for number, row in enumerate(self._sheet.rows(leaf)):
            for part in row.parts:
                if nearest < part.start <= offset:
                    found, nearest = number, part.start
        return leaf, found

    def _go(self, leaf: int, row: int, *, above: int | None = None) -> None:
        """Move the cursor, and the page where the cursor would not be seen; ``above`` says how far from the top."""
        if self._sheet is None:
            self._wanted = Position(leaf, 0, above or 0)
            return
        line = self._sheet.leaves[leaf].gap + row
        if above is not None:
            self._put(leaf, line, min(above, max(0, self._room.height - 1)))
        self._move_to(leaf, row)
        self._bring_into_view()

    def _move_to(self, leaf: int, row: int) -> None:
        before, self._cursor = self._cursor, (leaf, row)
        if before == self._cursor:
            return
        self._link = None
        self.refresh()
        sheet = self._sheet
        if sheet is not None and sheet.leaves[before[0]].block is not sheet.leaves[leaf].block:
            self.post_message(self.BlockChanged(self, sheet.leaves[leaf].block))

    def _bring_into_view(self) -> None:
        height = self._room.height
        if not height or self._sheet is None or not self._sheet.leaves:
            return
        leaf, row = self._cursor
        self._sheet.lay_out(leaf)
        line = self._sheet.leaves[leaf].gap + row
        y = self._cursor_line() - round(self.scroll_y)
        context = min(_CONTEXT, (height - 1) // 3)
        self._put(leaf, line, max(context, min(y, height - 1 - context)))

    def _stop(self, line: int, direction: int) -> tuple[int, int]:
        """Give the row nearest to a line on which the cursor can stand, looking first in one direction."""
        sheet = self._sheet
        assert sheet is not None
        place = sheet.at(max(0, min(line, sheet.total - 1)))
        leaf, within = place or (0, 0)
        row = within - sheet.leaves[leaf].gap
        for way in (direction, -direction):
            found = self._walk(leaf, row, way, start=True)
            if found is not None:
                return found
        return leaf, max(0, row)

    def _walk(self, leaf: int, row: int, direction: int, *, start: bool = False) -> tuple[int, int] | None:
        """Give the next row in a direction on which the cursor can stand, or this one if ``start`` allows."""
        sheet = self._sheet
        assert sheet is not None
        if not start:
            row += direction
        while 0 <= leaf < len(sheet.leaves):
            rows = sheet.rows(leaf)
            while 0 <= row < len(rows):
                if not rows[row].still:
                    return leaf, row
                row += direction
            leaf += direction
            if 0 <= leaf < len(sheet.leaves):
                row = 0 if direction > 0 else len(sheet.rows(leaf)) - 1
        return None

    def _step(self, direction: int) -> None:
        if self._sheet is None or not self._sheet.leaves:
            return
        found = self._walk(*self._cursor, direction)
        if found is not None:
            self._go(*found)
        else:
            # What lies beyond the last stop, such as the line under a heading, is to be seen too.
            self.scroll_to(y=self.scroll_y + direction, animate=False)

    def _leap(self, lines: int) -> None:
        sheet = self._sheet
        if sheet is None or not sheet.leaves or not lines:
            return
        y = self._cursor_line() - round(self.scroll_y)
        leaf, row = self._cursor
        self._put(leaf, sheet.leaves[leaf].gap + row, y - lines)
        leaf, row = self._stop(self._cursor_line() + lines, 1 if lines > 0 else -1)
        self._go(leaf, row)

    def action_list_down(self) -> None:
        """Move to the next line."""
        self._step(1)

    def action_list_up(self) -> None:
        """Move to the line before."""
        self._step(-1)

    def action_list_top(self) -> None:
        """Move to the first line."""
        if self._sheet is not None and self._sheet.leaves:
            self._go(0, 0, above=0)

    def action_list_bottom(self) -> None:
        """Move to the last line."""
        if self._sheet is not None and self._sheet.leaves:
            last = len(self._sheet.leaves) - 1
            self._put(last, self._sheet.height(last), self._room.height)
            self._go(*self._stop(self._sheet.total - 1, -1))

    def action_list_half_down(self) -> None:
        """Move half a page down."""
        self._leap(self._room.height // 2)

    def action_list_half_up(self) -> None:
        """Move half a page up."""
        self._leap(-(self._room.height // 2))

    def action_list_page_down(self) -> None:
        """Move a page down."""
        self._leap(self._room.height - 1)

    def action_list_page_up(self) -> None:
        """Move a page up."""
        self._leap(1 - self._room.height)

    def action_page_next_heading(self) -> None:
        """Go to the next heading."""
        headings = self._reading.headings if self._reading is not None else ()
        found = next((leaf for leaf in headings if leaf > self._cursor[0]), None)
        if found is not None:
            self._go(found, 0, above=_CONTEXT)

    def action_page_previous_heading(self) -> None:
        """Go to the heading of this part of the page, from there to the one before."""
        headings = self._reading.headings if self._reading is not None else ()
        found = next((leaf for leaf in reversed(headings) if (leaf, 0) < self._cursor), None)
        if found is not None:
            self._go(found, 0, above=_CONTEXT)

    # Links

    def _links_here(self) -> list[Link]:
        """Give the links that begin, or go on, in the cursor's line."""
        if self._sheet is None or not self._sheet.leaves:
            return []
        leaf, row = self._cursor
        rows = self._sheet.rows(leaf)
        parts = rows[row].parts if row < len(rows) else ()
        shown = [part for part in parts if part.link is not None and part.start >= 0]
        return [
            link
            for link in (self._sheet.leaves[leaf].prose().links if shown else ())
            if any(link.start <= part.start < link.end for part in shown)
        ]

    def action_page_next_link(self) -> None:
        """Go to the next link."""
        if self._reading is None:
            return
        leaf = self._cursor[0]
        after = self._link.start if self._link is not None else self._cursor_offset() - 1
        for index in range(leaf, len(self._reading.leaves)):
            for link in self._reading.leaves[index].prose().links:
                if index > leaf or link.start > after:
                    self._choose(index, link)
                    return

    def action_page_previous_link(self) -> None:
        """Go to the link before."""
        if self._reading is None or not self._reading.leaves:
            return
        leaf = self._cursor[0]
        before = self._link.start if self._link is not None else self._cursor_offset()
        for index in range(leaf, -1, -1):
            for link in reversed(self._reading.leaves[index].prose().links):
                if index < leaf or link.start < before:
                    self._choose(index, link)
                    return

    def _choose(self, leaf: int, link: Link) -> None:
        self._go(*self._place_of(leaf, link.start))
        self._link = link
        self.refresh()

    def action_list_open(self) -> None:
        """Follow the link under the cursor."""
        if (href := self.current_link) is not None:
            self.post_message(self.LinkFollowed(self, href))

    def action_item_open_in_browser(self) -> None:
        """Open the link under the cursor, else the page, in the browser."""
        self.post_message(self.BrowseRequested(self, self.current_link))

    def action_item_copy_text(self) -> None:
        """Copy the text of the block under the cursor: of code all its lines, of a table the row."""
        if self._reading is not None and (block := self.cursor_block) is not None:
            text = block.text if block.kind.value == "code" else self._reading.leaves[self._cursor[0]].text()
            self.post_message(self.CopyTextRequested(self, text))

    def action_item_copy_link(self) -> None:
        """Copy the address of the link under the cursor, else of this place in the page."""
        line = self.cursor_line
        slug = next((heading.slug for heading in reversed(self.outline) if heading.line <= line), None)
        self.post_message(self.CopyLinkRequested(self, self.current_link, slug))

    # Finding

    @property
    def needle(self) -> str:
        """What is being looked for, or nothing."""
        return self._needle

    @property
    def found(self) -> tuple[int, int]:
        """Which of the places found the cursor is at or past, from 1 on, and how many there are."""
        here = (self._cursor[0], self._cursor_offset_end())
        return sum(1 for leaf, start, _end in self._found if (leaf, start) < here), len(self._found)

    def _cursor_offset_end(self) -> int:
        leaf, row = self._cursor
        rows = self._sheet.rows(leaf) if self._sheet and self._sheet.leaves else []
        parts = rows[row].parts if row < len(rows) else ()
        return max((part.start + len(part.text) for part in parts if part.start >= 0), default=0)

    def find(self, text: str) -> int:
        """Look for a text, mark it where it stands and go to the nearest place from here on; gives how many there are."""
        self._needle = text
        self._find_again()
        self.refresh()
        self.refresh_bindings()
        if self._found:
            self._go_to_found(self._next_found((self._cursor[0], self._cursor_offset())))
        return len(self._found)

    def _find_again(self) -> None:
        self._found = self._reading.find(self._needle) if self._reading is not None else []
        self._found_in = {}
        for leaf, start, end in self._found:
            self._found_in.setdefault(leaf, []).append((start, end))

    def _next_found(self, here: tuple[int, int]) -> tuple[int, int, int]:
        return next((place for place in self._found if place[:2] >= here), self._found[0])

    def _go_to_found(self, place: tuple[int, int, int]) -> None:
        self._go(*self._place_of(place[0], place[1]))

    def action_list_find(self) -> None:
        """Ask for a text to find."""
        self.post_message(self.FindRequested(self))

    def action_list_find_next(self) -> None:
        """Go to the next line with a place found, after the last to the first."""
        if self._found:
            self._go_to_found(self._next_found((self._cursor[0], self._cursor_offset_end())))

    def action_list_find_previous(self) -> None:
        """Go to the line with the place found before, before the first to the last."""
        if self._found:
            here = (self._cursor[0], self._cursor_offset())
            self._go_to_found(next((place for place in reversed(self._found) if place[:2] < here), self._found[-1]))

    def action_list_clear(self) -> None:
        """Forget what is being looked for."""
        self.find("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer going through what was found only while something is looked for."""
        if action in ("list_clear", "list_find_next", "list_find_previous"):
            return bool(self._needle)
        return super().check_action(action, parameters)

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

    def _wide_leaf(self) -> tuple[int, int] | None:
        """Give the wide block under the cursor, else the first that is seen, and how far it goes to the side."""
        sheet = self._sheet
        if sheet is None or not sheet.leaves:
            return None
        top = round(self.scroll_y)
        seen = [place[0] for line in range(top, top + self._room.height) if (place := sheet.at(line)) is not None]
        found: dict[int, int] = {}
        for index in dict.fromkeys([self._cursor[0], *seen]):
            leaf = sheet.leaves[index]
            if leaf.wide:
                over = max((row.cells - sheet.width for row in sheet.rows(index)), default=0)
                found[id(leaf.block)] = max(over, found.get(id(leaf.block), 0))
        return next(((key, most + 1) for key, most in found.items() if most > 0), None)

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        width = self._room.width
        brush = self._brush_now()
        sheet = self._sheet
        place = sheet.at(round(self.scroll_y) + y) if sheet is not None else None
        if sheet is None or place is None:
            return Strip([Segment(" " * width, brush.style(""))], width)
        index, within = place
        leaf = sheet.leaves[index]
        row_number = within - leaf.gap
        left = self._left
        edge = Segment(" " * left, brush.style(""))
        rest = width - left - MARGIN - sheet.width
        after = Segment(" " * max(0, rest), brush.style(""))
        if row_number < 0:
            gap = Row(leaf.gap_frame.rest, ())
            body = brush.row(gap, sheet.width)
            return Strip([edge, Segment(" " * MARGIN, brush.style("")), *body, after]).adjust_cell_length(width)
        rows = sheet.rows(index)
        row = rows[row_number] if row_number < len(rows) else Row(leaf.frame.rest, ())
        at_cursor = (index, row_number) == self._cursor
        state = "cursor" if at_cursor and self.has_focus else ""
        body = brush.row(
            row,
            sheet.width,
            state=state,
            over=self._over(index, at_cursor),
            sideways=self._sideways.get(id(leaf.block), 0) if leaf.wide else 0,
        )
        margin = self._margin(brush, index, row_number, at_cursor, state)
        return Strip([edge, *margin, *body, after]).adjust_cell_length(width)

    def _margin(self, brush: Brush, index: int, row: int, at_cursor: bool, state: str) -> list[Segment]:
        bar_role = "accent" if self.has_focus else "faint"
        bar = Segment("▌", brush.style(bar_role, "", state)) if at_cursor else Segment(" ", brush.style(""))
        text, role = self._marked.get(index, ("", "")) if row == 0 else ("", "")
        text = head(text, 2)
        return [
            bar,
            Segment(text, brush.style(role, "", state)),
            Segment(" " * (MARGIN - 1 - cells(text)), brush.style("", "", state)),
        ]

    def _over(self, index: int, at_cursor: bool) -> list[tuple[int, int, str]]:
        over = [(start, end, "found") for start, end in self._found_in.get(index, ())]
        if self._link is not None and index == self._cursor[0]:
            over = [(self._link.start, self._link.end, "reverse"), *over]
        return over

    def _brush_now(self) -> Brush:
        base = self.rich_style
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

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the click was; a click on a link follows it."""
        sheet = self._sheet
        offset = event.get_content_offset(self)
        place = sheet.at(round(self.scroll_y) + offset.y) if sheet is not None and offset is not None else None
        if sheet is None or offset is None or place is None:
            return
        index, within = place
        row = within - sheet.leaves[index].gap
        self._go(*self._stop(sheet.top(index) + within, 1))
        rows = sheet.rows(index)
        if 0 <= row < len(rows):
            x = offset.x - self._left - MARGIN - sum(cells(text) for text, _role in rows[row].before)
            x += self._sideways.get(id(sheet.leaves[index].block), 0)
            for part in rows[row].parts:
                size = cells(part.text)
                if 0 <= x < size and part.link is not None:
                    self.post_message(self.LinkFollowed(self, part.link))
                x -= size


def _read(title: str, markdown: str, description: str | None) -> Reading:
    from recto.tui.render.reading import read

    return read(title, markdown, description)
