"""The items of a page's diff: attributes, hunks, lines, folds, and the threads beside the blocks they are on."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recto.store.page_diff import Fold, HunkHead, ShownLine
from recto.tui.lists.thread_rows import SIGNS, marked_lines, pending_lines, thread_lines
from recto.tui.look.lines import Span, fit, plain, wrap
from recto.tui.look.signs import count

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


@dataclass(frozen=True, slots=True)
class AttributeChange:
    """Something of a page besides its text that is changed."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class ThreadItem:
    """A comment beside its block; ``source`` is the block's text, for a suggestion."""

    comment: Comment
    source: str | None


@dataclass(frozen=True, slots=True)
class PendingItem:
    """A comment that is not sent yet."""

    pending: PendingComment


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about the page."""

    text: str
    role: str = "muted"


DiffItem = HunkHead | Fold | ShownLine | AttributeChange | ThreadItem | PendingItem | Remark


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
        case Remark():
            return ("remark", item.text)


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
    """Return the items of a page: what is about all of it first, then the text with what is said beside it."""
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
    items += _with(rows, beside)
    if not diff.added and not diff.removed and page.kind not in ("new", "deleted"):
        items.insert(len(page.attributes), Remark("The text is unchanged."))
    return items


def _with(rows: Sequence[DiffRow], beside: dict[int, list[DiffItem]]) -> list[DiffItem]:
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


def draw_item(item: DiffItem, width: int, now: datetime) -> list[list[Span]]:
    """Draw an item at a width in cells."""
    match item:
        case ShownLine():
            sign, role = SIGNS[item.line.kind]
            if item.line.remark:
                return [fit([(f"{sign} ", f"{role} strong"), (item.line.text, "muted")], width)]
            return marked_lines(sign, role, item.line.text, item.line.marks, width)
        case HunkHead():
            return [_rule(item.place or "the beginning", width)]
        case Fold():
            return [fit([("⋯ ", "faint"), (f"{count(item.lines, 'line')} unchanged", "faint")], width)]
        case AttributeChange():
            return _attribute(item, width)
        case ThreadItem():
            return thread_lines(item.comment, now, width, source=item.source)
        case PendingItem():
            return pending_lines(item.pending, width)
        case Remark():
            return wrap([(plain(item.text), item.role)], width)


def _rule(text: str, width: int) -> list[Span]:
    label = fit([("── ", "line"), (plain(text), "changed"), (" ", "")], width)
    used = sum(len(part) for part, _ in label)
    return [*label, ("─" * max(0, width - used), "line")]


def _attribute(item: AttributeChange, width: int) -> list[list[Span]]:
    name = _NAMES.get(item.name, item.name)
    lines = [[(f"{plain(name)}", "muted")]]
    if item.before is not None and item.before != "":
        lines += marked_lines("-", "removed", _written(item.before), (), width)
    if item.after is not None and item.after != "":
        lines += marked_lines("+", "added", _written(item.after), (), width)
    if len(lines) == 1:
        lines[0].append(("  changed", "muted"))
    return lines


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        import json

        return json.dumps(value, ensure_ascii=False)
    return str(value)
