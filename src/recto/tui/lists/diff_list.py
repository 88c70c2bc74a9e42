"""The diff of a page as a list: by hunk, by thread, with folds that open."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from recto.document.text import count
from recto.frozen import frozen
from recto.store.page_diff import Fold, HunkHead, ShownLine
from recto.store.review_pages import DELETED, NEW
from recto.tui.actions import Action, bindings, register
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.thread_rows import NO_TITLES, SIGNS, Titles, mark_lines, pending_lines, thread_lines
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Span, fit, plain, wrap
from recto.tui.look.text_roles import roles

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.store.anchors import Anchors
    from recto.store.page_diff import DiffRow, PageDiff
    from recto.store.pending_review import PendingComment
    from recto.store.review_pages import ReviewPage

_KEPT_LINES = 6
"""Lines of a block with a thread that are shown though unchanged; of a longer one its end."""

_NAMES = {
    "noIndex": "not in search engines",
    "noRobotsIndex": "robots may not index",
    "condition": "shown on a condition",
}


@frozen
class AttributeChange:
    """A changed attribute of a page."""

    name: str
    before: Any
    after: Any


@frozen
class ThreadItem:
    """A comment beside its block; ``source`` is the block's text, for a suggestion."""

    comment: Comment
    source: str | None


@frozen
class PendingItem:
    """A comment that is not sent yet."""

    pending: PendingComment


@frozen
class DiffRemark:
    """A remark on the page."""

    text: str
    role: str = "muted"


DiffItem = HunkHead | Fold | ShownLine | AttributeChange | ThreadItem | PendingItem | DiffRemark


def item_key(item: DiffItem) -> Hashable:
    """Return the identity of an item, by which the cursor stays on it."""
    match item:
        case HunkHead():
            return ("hunk", item.number)
        case Fold():
            return ("fold", item.start)
        case ShownLine():
            return ("line", item.index)
        case AttributeChange():
            return ("attribute", item.name)
        case ThreadItem():
            return ("thread", item.comment.id)
        case PendingItem():
            return ("pending", item.pending.draft.id)
        case DiffRemark():
            return ("remark", item.text)


def thread_id(key: Hashable) -> Hashable:
    """Return the id of the comment in a row's key; ``None`` where the row is no thread."""
    return key[1] if isinstance(key, tuple) and key[0] == "thread" else None


def diff_items(
    page: ReviewPage,
    diff: PageDiff,
    anchors: Anchors | None,
    threads: Sequence[Comment] = (),
    pending: Sequence[PendingComment] = (),
    *,
    opened: Collection[int] = (),
    everything: bool = False,
) -> list[DiffItem]:
    """Return the items of a page: those about the whole page first, then its lines with their threads."""
    beside: dict[int, list[DiffItem]] = {}
    about_page: list[DiffItem] = []
    keep: list[tuple[int, int]] = []

    def put(key: str | None, item: DiffItem) -> None:
        lines = anchors.lines_of(key) if anchors is not None and key is not None else None
        if lines is None:
            about_page.append(item)
            return
        keep.append((max(lines[0], lines[1] - _KEPT_LINES + 1), lines[1]))
        beside.setdefault(lines[1], []).append(item)

    for comment in threads:
        key = comment.target.node.id if comment.target.node is not None else None
        put(key, ThreadItem(comment, anchors.source_of(key) if anchors is not None and key else None))
    for each in pending:
        put(each.block, PendingItem(each))
    items: list[DiffItem] = [AttributeChange(*attribute) for attribute in page.attributes]
    items += about_page
    rows = diff.rows(keep, opened, everything=everything)
    items += _interleave(rows, beside)
    if not diff.added and not diff.removed:
        items.insert(len(page.attributes), DiffRemark(_why_empty(page, diff)))
    return items


def _why_empty(page: ReviewPage, diff: PageDiff) -> str:
    """Return why no line of a page is changed."""
    if page.type not in ("document", "computed"):
        return f"A {page.type} has no text."
    if page.kind in (NEW, DELETED):
        return "This new page has no text yet." if page.kind == NEW else "This page had no text."
    return "Only line breaks within paragraphs are changed." if diff.only_wraps else "The text is unchanged."


def _interleave(rows: Sequence[DiffRow], beside: dict[int, list[DiffItem]]) -> list[DiffItem]:
    items: list[DiffItem] = []
    waiting = sorted(beside)
    for row in rows:
        number = row.line.new_number if isinstance(row, ShownLine) else None
        while waiting and number is not None and waiting[0] < number:
            items += beside[waiting.pop(0)]
        items.append(row)
        if waiting and number == waiting[0]:
            items += beside[waiting.pop(0)]
    for line in waiting:
        items += beside[line]
    return items


def draw_item(item: DiffItem, width: int, now: datetime, titles: Titles = NO_TITLES) -> list[list[Span]]:
    """Draw an item at a width in cells, with ``titles`` in place of the addresses of pages."""
    match item:
        case ShownLine():
            sign, role = SIGNS[item.line.kind]
            if item.line.remark:
                return [fit([(f"{sign} ", f"{role} strong"), (item.line.text, "muted")], width)]
            return mark_lines(sign, role, item.line.text, item.line.marks, width, titles)
        case HunkHead():
            return [_rule(item.place or "the beginning", width)]
        case Fold():
            return [fit([("⋯ ", "faint"), (f"{count(item.lines, 'line')} unchanged", "faint")], width)]
        case AttributeChange():
            return _attribute(item, width)
        case ThreadItem():
            return thread_lines(item.comment, now, width, source=item.source, titles=titles)
        case PendingItem():
            return pending_lines(item.pending, width, titles=titles)
        case DiffRemark():
            return wrap([(plain(item.text), item.role)], width)


def _rule(text: str, width: int) -> list[Span]:
    label = fit([("── ", "line"), (plain(text), "changed"), (" ", "")], width)
    used = sum(len(part) for part, _ in label)
    return [*label, ("─" * max(0, width - used), "line")]


def _attribute(item: AttributeChange, width: int) -> list[list[Span]]:
    name = _NAMES.get(item.name, item.name)
    lines = [[(f"{plain(name)}", "muted")]]
    if item.before is not None and item.before != "":
        lines += mark_lines("-", "removed", _format_value(item.before), (), width)
    if item.after is not None and item.after != "":
        lines += mark_lines("+", "added", _format_value(item.after), (), width)
    if len(lines) == 1:
        lines[0].append(("  changed", "muted"))
    return lines


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


_GROUP = "Diff"

register(
    Action("diff.next_hunk", "Next change", ("right_square_bracket",), _GROUP, "changes"),
    Action("diff.previous_hunk", "Previous change", ("left_square_bracket",), _GROUP),
    Action("diff.next_thread", "Next thread", ("greater_than_sign",), _GROUP),
    Action("diff.previous_thread", "Previous thread", ("less_than_sign",), _GROUP),
    Action("diff.fold", "Show the whole page or only changes", ("z",), _GROUP),
)


class Compared(Protocol):
    """A page with a comparison of its texts; ``anchors`` locate the blocks of its threads."""

    @property
    def page(self) -> ReviewPage:
        """The page, and its other differences."""
        ...

    @property
    def diff(self) -> PageDiff | None:
        """The diff of the texts, once it is known."""
        ...

    @property
    def anchors(self) -> Anchors | None:
        """Where the blocks of the later text stand."""
        ...


class DiffList(VirtualList):
    """Shows how a page changed, and the threads on it."""

    BINDINGS = bindings("diff.next_hunk", "diff.previous_hunk", "diff.next_thread", "diff.previous_thread", "diff.fold")

    @frozen
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
        self._diff: PageDiff | None = None
        self._titles: Titles = NO_TITLES
        self._again: Callable[[], list[DiffItem]] = list

    # Content

    def show_reading(
        self,
        reading: Compared,
        threads: Sequence[Comment] = (),
        pending: Sequence[PendingComment] = (),
        titles: Titles = NO_TITLES,
    ) -> None:
        """Show a page that has been compared; the cursor stays where it was in the same page."""
        diff = reading.diff
        if diff is None:
            return
        self._titles, self._diff = titles, diff
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
        titles = self._titles
        rows = WrappedRows(items, lambda item, width: draw_item(item, width, now, titles), key=item_key)
        cursor = None
        if first and items:
            changed = (item for item in items if isinstance(item, ShownLine) and item.changed)
            cursor = item_key(next(changed, items[0]))
        self.show(rows, cursor)
        self.refresh_bindings()

    @property
    def items(self) -> Sequence[DiffItem]:
        """The items of the page."""
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

    def go_to_new_line(self, number: int) -> None:
        """Go to a line of the later text, counted from 1, or to the nearest; open a fold over it."""
        lines = self._diff.lines if self._diff is not None else ()
        place = next((at for at, line in enumerate(lines) if line.new_number and line.new_number >= number), 0)
        folds = (item for item in self.items if isinstance(item, Fold))
        if (fold := next((one for one in folds if one.start <= place < one.start + one.lines), None)) is not None:
            self._opened.add(fold.start)
            self._show_items()
        shown = [
            (abs(item.line.new_number - number), index)
            for index, item in enumerate(self.items)
            if isinstance(item, ShownLine) and item.line.new_number is not None
        ]
        if shown:
            self.cursor = min(shown)[1]

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
