"""The diff of a page as a list: by hunk, by thread, with folds that open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from recto.store.page_diff import Fold, ShownLine
from recto.tui.actions import Action, bindings, register
from recto.tui.lists.diff_items import DiffItem, PendingItem, ThreadItem, diff_items, draw_item, item_key
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.roles import roles

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.store.anchors import Anchors
    from recto.store.page_diff import PageDiff
    from recto.store.pending_review import PendingComment
    from recto.store.review_pages import ReviewPage

_GROUP = "Diff"

register(
    Action("diff.next_hunk", "Next change", ("right_square_bracket",), _GROUP, "changes"),
    Action("diff.previous_hunk", "Previous change", ("left_square_bracket",), _GROUP),
    Action("diff.next_thread", "Next thread", ("greater_than_sign",), _GROUP),
    Action("diff.previous_thread", "Previous thread", ("less_than_sign",), _GROUP),
    Action("diff.fold", "Show the whole page or only changes", ("z",), _GROUP),
)


class Compared(Protocol):
    """A page of which two texts have been compared; ``anchors`` place what is said about its blocks."""

    @property
    def page(self) -> ReviewPage:
        """The page, and what of it differs besides its text."""
        ...

    @property
    def diff(self) -> PageDiff | None:
        """How the texts differ, when that is known."""
        ...

    @property
    def anchors(self) -> Anchors | None:
        """Where the blocks of the later text stand."""
        ...


class DiffList(VirtualList):
    """Shows how a page changed, and what is said about it."""

    BINDINGS = bindings("diff.next_hunk", "diff.previous_hunk", "diff.next_thread", "diff.previous_thread", "diff.fold")

    @dataclass
    class ThreadsEnded(Message):
        """The person wants a thread beyond those of this page."""

        list: DiffList
        forward: bool

    def __init__(self, clock: Callable[[], datetime], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._page: str | None = None
        self._opened: set[int] = set()
        self._everything = False
        self._again: Callable[[], list[DiffItem]] = list

    # What is shown

    def show_reading(self, reading: Compared, threads: Sequence[Comment], pending: Sequence[PendingComment]) -> None:
        """Show a page that has been compared; the cursor stays where it was in the same page."""
        diff = reading.diff
        if diff is None:
            return
        fresh = self._page != reading.page.id
        if fresh:
            self._page = reading.page.id
            self._opened.clear()
            self._everything = False

        def items() -> list[DiffItem]:
            return diff_items(
                reading.page,
                diff,
                reading.anchors,
                threads,
                pending,
                opened=self._opened,
                everything=self._everything,
            )

        self._again = items
        self._show_items(first=fresh)

    def _show_items(self, *, first: bool = False) -> None:
        items = self._again()
        now = self._clock()
        rows = WrappedRows(items, lambda item, width: draw_item(item, width, now), key=item_key)
        cursor = None
        if first and items:
            changed = (item for item in items if isinstance(item, ShownLine) and item.changed)
            cursor = item_key(next(changed, items[0]))
        self.show(rows, cursor)
        self.refresh_bindings()

    @property
    def items(self) -> Sequence[DiffItem]:
        """What is shown."""
        return self._rows.items if isinstance(self._rows, WrappedRows) else ()

    @property
    def current(self) -> DiffItem | None:
        """The item under the cursor."""
        return self.items[self.cursor] if self.cursor < len(self.items) else None

    @property
    def cursor_line(self) -> int | None:
        """The place among all lines of the diff at or above the cursor, else below it; ``None`` where there is none."""
        items = self.items
        for index in [*range(min(self.cursor, len(items) - 1), -1, -1), *range(self.cursor + 1, len(items))]:
            item = items[index]
            if isinstance(item, ShownLine):
                return item.index
        return None

    def _strip(self, line: lines.Line, style: Style) -> Strip:
        own = roles(self.app)
        if style.bgcolor is not None and style.bgcolor in (
            own.style("cursor").bgcolor,
            own.style("cursor-blurred").bgcolor,
        ):
            # The ground of an added line would hide on which line the cursor stands; marked words stay marked.
            line = [(text, role.replace("added-line", "").replace("removed-line", "").strip()) for text, role in line]
        return super()._strip(line, style)

    # Moving

    def cursor_moved(self) -> None:
        """Offer what can be done with the row."""
        super().cursor_moved()
        self.refresh_bindings()

    def _places(self, wanted: Callable[[int], bool]) -> list[int]:
        return [index for index in range(len(self.items)) if wanted(index)]

    def _begins_change(self, index: int) -> bool:
        item = self.items[index]
        if not isinstance(item, ShownLine) or not item.changed:
            return False
        before = self.items[index - 1] if index else None
        return not (isinstance(before, ShownLine) and before.changed)

    def _go(self, places: Sequence[int], forward: bool) -> bool:
        ahead = [index for index in places if (index > self.cursor if forward else index < self.cursor)]
        if ahead:
            self.cursor = ahead[0] if forward else ahead[-1]
        return bool(ahead)

    def action_diff_next_hunk(self) -> None:
        """Go to the next change."""
        self._go(self._places(self._begins_change), True)

    def action_diff_previous_hunk(self) -> None:
        """Go to the change before."""
        self._go(self._places(self._begins_change), False)

    def _is_thread(self, index: int) -> bool:
        return isinstance(self.items[index], ThreadItem | PendingItem)

    def action_diff_next_thread(self) -> None:
        """Go to the next thread, also to that of another page."""
        if not self._go(self._places(self._is_thread), True):
            self.post_message(self.ThreadsEnded(self, True))

    def action_diff_previous_thread(self) -> None:
        """Go to the thread before, also to that of another page."""
        if not self._go(self._places(self._is_thread), False):
            self.post_message(self.ThreadsEnded(self, False))

    def seek_thread(self, *, first: bool) -> None:
        """Go to the first or the last thread of the page."""
        if places := self._places(self._is_thread):
            self.cursor = places[0 if first else -1]

    # Folds

    def action_list_open(self) -> None:
        """Open the fold or the thread under the cursor."""
        item = self.current
        if isinstance(item, Fold):
            self._opened.add(item.start)
            self._show_items()
            self.go_to(("line", item.start))
        elif isinstance(item, ThreadItem | PendingItem):
            super().action_list_open()

    def action_diff_fold(self) -> None:
        """Show all lines of the page, or only those that changed with a few around them."""
        place = self.cursor_line
        self._everything = not self._everything
        self._opened.clear()
        self._show_items()
        if place is not None:
            self.go_to(("line", place))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer opening only on what opens."""
        if action == "list_open":
            return isinstance(self.current, Fold | ThreadItem | PendingItem)
        return super().check_action(action, parameters)
