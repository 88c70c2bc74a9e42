"""Disputes as a list: three texts of each, side by side where there is room, and what was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from textual.message import Message

from recto.document.merge.diff import LineKind
from recto.document.merge.text_merge import ConflictHunk, Side
from recto.store.page_diff import PageDiff
from recto.store.settlement import Choice, Dispute, Matter, Settlement
from recto.tui.actions import Action, bindings, register
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.thread_rows import SIGNS, marked_lines
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import signs
from recto.tui.look.lines import Span, fit, plain, width_of

_GROUP = "Conflicts"
_SIDE_BY_SIDE = 108
"""Cells from which three texts have room beside each other."""

_AROUND = 2
"""Lines shown before and after a disputed part of a text."""

register(
    Action("settle.ours", "Use ours (the change request)", ("left", "h"), _GROUP, "ours", writes=True),
    Action("settle.theirs", "Use theirs (main)", ("right", "l"), _GROUP, "theirs", writes=True),
    Action("settle.both", "Use both, ours first", ("b",), _GROUP, "both", writes=True),
    Action("settle.base", "Use base", ("o",), _GROUP, writes=True),
    Action("settle.next", "Next unresolved conflict", ("right_square_bracket", "n"), _GROUP, "next"),
    Action("settle.previous", "Previous unresolved conflict", ("left_square_bracket", "N"), _GROUP),
)

NAMES = {
    Side.OURS: "ours: this change request",
    Side.THEIRS: "theirs: main",
    Side.BASE: "base",
    Side.BOTH: "both",
}


@dataclass(frozen=True, slots=True)
class _Shown:
    dispute: Dispute
    number: int
    choice: Choice | None
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.dispute.id


class SettleList(VirtualList):
    """Shows what is disputed; left takes ours, right theirs."""

    BINDINGS = bindings("settle.ours", "settle.theirs", "settle.both", "settle.base", "settle.next", "settle.previous")

    @dataclass
    class Chosen(Message):
        """The person wants a dispute settled by a side."""

        list: SettleList
        dispute: Dispute
        side: Side

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(openable=False, id=id)
        self._settlement: Settlement | None = None

    def show_settlement(self, settlement: Settlement, cursor: str | None = None) -> None:
        """Show the disputes as they stand now."""
        self._settlement = settlement
        shown = list(_all_shown(settlement))
        count = len(shown)
        self.show(WrappedRows(shown, lambda one, width: _draw(one, count, width), key=lambda one: one.id), cursor)
        self.refresh_bindings()

    @property
    def current(self) -> Dispute | None:
        """The dispute under the cursor."""
        rows = self.rows
        if isinstance(rows, WrappedRows) and self.cursor < len(rows):
            shown: _Shown = rows.items[self.cursor]
            return shown.dispute
        return None

    def cursor_moved(self) -> None:
        """Offer what can be done with this one."""
        super().cursor_moved()
        self.refresh_bindings()

    def _take(self, side: Side) -> None:
        if (dispute := self.current) is not None:
            self.post_message(self.Chosen(self, dispute, side))

    def action_settle_ours(self) -> None:
        """Take ours."""
        self._take(Side.OURS)

    def action_settle_theirs(self) -> None:
        """Take theirs."""
        self._take(Side.THEIRS)

    def action_settle_both(self) -> None:
        """Take both."""
        self._take(Side.BOTH)

    def action_settle_base(self) -> None:
        """Take what was there before."""
        self._take(Side.BASE)

    def _open_ones(self) -> list[int]:
        settlement = self._settlement
        if settlement is None:
            return []
        return [index for index, one in enumerate(settlement.disputes) if one.id not in settlement.choices]

    def action_settle_next(self) -> None:
        """Go to the next dispute that is not settled, after the last to the first."""
        if places := self._open_ones():
            self.cursor = next((index for index in places if index > self.cursor), places[0])

    def action_settle_previous(self) -> None:
        """Go to the dispute before that is not settled."""
        if places := self._open_ones():
            self.cursor = next((index for index in reversed(places) if index < self.cursor), places[-1])

    def why_not(self, action: str) -> str | None:
        """Say why this one cannot be settled so."""
        sides = {"settle.both": Side.BOTH, "settle.base": Side.BASE}
        dispute = self.current
        if action in sides and dispute is not None and not dispute.allows(sides[action]):
            return "not possible for this conflict"
        if action in ("settle.next", "settle.previous") and not self._open_ones():
            return "all conflicts are resolved"
        return None


def _all_shown(settlement: Settlement) -> Sequence[_Shown]:
    found: list[_Shown] = []
    for page in settlement.pages:
        regions = page.text.regions if page.text is not None else ()
        around = [
            (_tail(regions[index - 1] if index else ""), _head(regions[index + 1] if index + 1 < len(regions) else ""))
            for index, region in enumerate(regions)
            if isinstance(region, ConflictHunk)
        ]
        for dispute in page.disputes:
            before, after = around[int(dispute.name) - 1] if dispute.matter is Matter.TEXT else ((), ())
            found.append(_Shown(dispute, len(found) + 1, settlement.choices.get(dispute.id), before, after))
    return found


def _tail(region: str | ConflictHunk) -> tuple[str, ...]:
    return tuple(region.split("\n")[:-1][-_AROUND:]) if isinstance(region, str) else ()


def _head(region: str | ConflictHunk) -> tuple[str, ...]:
    return tuple(region.removesuffix("\n").split("\n")[:_AROUND]) if isinstance(region, str) and region else ()


def _draw(shown: _Shown, count: int, width: int) -> list[list[Span]]:
    dispute, choice = shown.dispute, shown.choice
    sign = signs.MET if choice is not None else signs.CONFLICTING
    head: list[Span] = [sign.span, (f" {plain(dispute.title)}", "strong")]
    head.append((f"  {_about(dispute)}", "muted"))
    if choice is not None:
        head.append((f"  resolved: {NAMES[choice.side] if choice.side is not None else 'edited'}", "success"))
    head.append((f"  {shown.number} of {count}", "faint"))
    lines = [fit(head, width)]
    lines += [fit([("  ", ""), (plain(line), "faint")], width) for line in shown.before]
    if choice is not None:
        lines += _text_lines(dispute, _words(dispute, choice.of(dispute)), None, width)
    else:
        lines += _three(dispute, width)
    lines += [fit([("  ", ""), (plain(line), "faint")], width) for line in shown.after]
    return [*lines, []]


def _about(dispute: Dispute) -> str:
    return {
        Matter.TEXT: "its text",
        Matter.ATTRIBUTE: dispute.name.replace("_", " "),
        Matter.PLACE: "its place",
        Matter.DELETED: "deleted on one side, changed on the other",
    }[dispute.matter]


def _words(dispute: Dispute, value: Any) -> str:
    if dispute.matter is Matter.PLACE:
        return str(value[2])
    if dispute.matter is Matter.DELETED:
        return "The page stays, with its changes." if value else "The page is deleted."
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _three(dispute: Dispute, width: int) -> list[list[Span]]:
    base = _words(dispute, dispute.base)
    sides = (Side.OURS, Side.BASE, Side.THEIRS)
    keys = {Side.OURS: "← ", Side.BASE: "o ", Side.THEIRS: "→ "}

    def column(side: Side, cells: int) -> list[list[Span]]:
        title: list[Span] = [(keys[side], "accent"), (NAMES[side], "muted")]
        words = _words(dispute, dispute.version(side))
        return [fit(title, cells), *_text_lines(dispute, words, None if side is Side.BASE else base, cells)]

    if width < _SIDE_BY_SIDE:
        return [line for side in (Side.OURS, Side.THEIRS, Side.BASE) for line in column(side, width)]
    cells = (width - 6) // 3
    between: Span = (" │ ", "line")
    return [
        [*_filled(row[0], cells), between, *_filled(row[1], cells), between, *_filled(row[2], cells)]
        for row in zip_longest(*(column(side, cells) for side in sides), fillvalue=[])
    ]


def _filled(line: list[Span], cells: int) -> list[Span]:
    return [*line, (" " * max(0, cells - width_of(line)), "")]


def _text_lines(dispute: Dispute, text: str, base: str | None, width: int) -> list[list[Span]]:
    if not text:
        return [[("  ", ""), ("nothing", "faint")]]
    return [
        drawn
        for line in PageDiff(text if base is None else base, text).lines
        if line.kind is not LineKind.REMOVED and not line.remark
        for drawn in marked_lines(*SIGNS[line.kind], line.text, line.marks, width)
    ]
