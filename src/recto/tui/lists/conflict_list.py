"""The list of conflicts: three texts of each, side by side if there is room, and the choice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from textual.message import Message

from recto.document.merge.diff import LineKind
from recto.document.merge.text_merge import ConflictHunk, Side
from recto.frozen import frozen
from recto.store.page_diff import PageDiff
from recto.store.resolution import Choice, Conflict, Matter, Resolution
from recto.tui.actions import Action, bindings, register
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.thread_rows import NO_TITLES, SIGNS, Titles, mark_lines
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import signs
from recto.tui.look.lines import Span, fit, plain, width_of

_GROUP = "Conflicts"
_SIDE_BY_SIDE = 108
"""The cells from which three texts fit side by side."""

_AROUND = 2
"""Lines shown before and after a conflicting part of a text."""

register(
    Action("conflict.ours", "Use ours (the change request)", ("left", "h"), _GROUP, "ours", writes=True),
    Action("conflict.theirs", "Use theirs (main)", ("right", "l"), _GROUP, "theirs", writes=True),
    Action("conflict.both", "Use both, ours first", ("b",), _GROUP, "both", writes=True),
    Action("conflict.base", "Use base", ("o",), _GROUP, writes=True),
    Action("conflict.next", "Next unresolved conflict", ("right_square_bracket", "n"), _GROUP, "next"),
    Action("conflict.previous", "Previous unresolved conflict", ("left_square_bracket", "N"), _GROUP),
)

NAMES = {
    Side.OURS: "ours: this change request",
    Side.THEIRS: "theirs: main",
    Side.BASE: "base",
    Side.BOTH: "both",
}


@frozen
class _Shown:
    conflict: Conflict
    number: int
    choice: Choice | None
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.conflict.id


class ConflictList(VirtualList):
    """Shows conflicts; left takes ours, right theirs."""

    BINDINGS = bindings(
        "conflict.ours", "conflict.theirs", "conflict.both", "conflict.base", "conflict.next", "conflict.previous"
    )

    @frozen
    class Chosen(Message):
        """A side was chosen for a conflict."""

        list: ConflictList
        conflict: Conflict
        side: Side

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(openable=False, id=id)
        self._resolution: Resolution | None = None

    def show_resolution(self, resolution: Resolution, titles: Titles = NO_TITLES) -> None:
        """Show the present state of the conflicts."""
        self._resolution = resolution
        shown = list(_list_shown(resolution))
        count = len(shown)
        self.show(WrappedRows(shown, lambda one, width: _draw(one, count, width, titles), key=lambda one: one.id))
        self.refresh_bindings()

    @property
    def current(self) -> Conflict | None:
        """The conflict under the cursor."""
        rows = self.rows
        if isinstance(rows, WrappedRows) and self.cursor < len(rows):
            shown: _Shown = rows.items[self.cursor]
            return shown.conflict
        return None

    def cursor_moved(self) -> None:
        """Update the keys offered for the conflict."""
        super().cursor_moved()
        self.refresh_bindings()

    def _take(self, side: Side) -> None:
        if (conflict := self.current) is not None:
            self.post_message(self.Chosen(self, conflict, side))

    def action_conflict_ours(self) -> None:
        """Take ours."""
        self._take(Side.OURS)

    def action_conflict_theirs(self) -> None:
        """Take theirs."""
        self._take(Side.THEIRS)

    def action_conflict_both(self) -> None:
        """Take both."""
        self._take(Side.BOTH)

    def action_conflict_base(self) -> None:
        """Take the base."""
        self._take(Side.BASE)

    def _open_ones(self) -> list[int]:
        resolution = self._resolution
        if resolution is None:
            return []
        return [index for index, one in enumerate(resolution.conflicts) if one.id not in resolution.choices]

    def action_conflict_next(self) -> None:
        """Go to the next conflict that is not resolved, after the last to the first."""
        if places := self._open_ones():
            self.cursor = next((index for index in places if index > self.cursor), places[0])

    def action_conflict_previous(self) -> None:
        """Go to the previous conflict that is not resolved."""
        if places := self._open_ones():
            self.cursor = next((index for index in reversed(places) if index < self.cursor), places[-1])

    def why_not(self, action: str) -> str | None:
        """Return why an action on this conflict is not possible, or ``None``."""
        sides = {"conflict.both": Side.BOTH, "conflict.base": Side.BASE}
        conflict = self.current
        if action in sides and conflict is not None and not conflict.allows(sides[action]):
            return "not possible for this conflict"
        if action in ("conflict.next", "conflict.previous") and not self._open_ones():
            return "all conflicts are resolved"
        return super().why_not(action)


def _list_shown(resolution: Resolution) -> Sequence[_Shown]:
    found: list[_Shown] = []
    for page in resolution.pages:
        regions = page.text.regions if page.text is not None else ()
        around = [
            (_tail(regions[index - 1] if index else ""), _head(regions[index + 1] if index + 1 < len(regions) else ""))
            for index, region in enumerate(regions)
            if isinstance(region, ConflictHunk)
        ]
        for conflict in page.conflicts:
            before, after = around[int(conflict.name) - 1] if conflict.matter is Matter.TEXT else ((), ())
            found.append(_Shown(conflict, len(found) + 1, resolution.choices.get(conflict.id), before, after))
    return found


def _tail(region: str | ConflictHunk) -> tuple[str, ...]:
    return tuple(region.split("\n")[:-1][-_AROUND:]) if isinstance(region, str) else ()


def _head(region: str | ConflictHunk) -> tuple[str, ...]:
    return tuple(region.removesuffix("\n").split("\n")[:_AROUND]) if isinstance(region, str) and region else ()


def _draw(shown: _Shown, count: int, width: int, titles: Titles) -> list[list[Span]]:
    conflict, choice = shown.conflict, shown.choice
    sign = signs.MET if choice is not None else signs.CONFLICTING
    head: list[Span] = [sign.span, (f" {plain(conflict.title)}", "strong")]
    head.append((f"  {_about(conflict)}", "muted"))
    if choice is not None:
        head.append((f"  resolved: {NAMES[choice.side] if choice.side is not None else 'edited'}", "success"))
    head.append((f"  {shown.number} of {count}", "faint"))
    lines = [fit(head, width)]
    lines += [fit([("  ", ""), (plain(line), "faint")], width) for line in shown.before]
    if choice is not None:
        lines += _text_lines(_words(conflict, choice.of(conflict)), None, width, titles)
    else:
        lines += _three(conflict, width, titles)
    lines += [fit([("  ", ""), (plain(line), "faint")], width) for line in shown.after]
    return [*lines, []]


def _about(conflict: Conflict) -> str:
    return {
        Matter.TEXT: "its text",
        Matter.ATTRIBUTE: conflict.name.replace("_", " "),
        Matter.PLACE: "its place",
        Matter.DELETED: "deleted on one side, changed on the other",
    }[conflict.matter]


def _words(conflict: Conflict, value: Any) -> str:
    if conflict.matter is Matter.PLACE:
        return str(value[2])
    if conflict.matter is Matter.DELETED:
        return "The page stays, with its changes." if value else "The page is deleted."
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _three(conflict: Conflict, width: int, titles: Titles) -> list[list[Span]]:
    base = _words(conflict, conflict.base)
    sides = (Side.OURS, Side.BASE, Side.THEIRS)
    keys = {Side.OURS: "← ", Side.BASE: "o ", Side.THEIRS: "→ "}

    def column(side: Side, cells: int) -> list[list[Span]]:
        title: list[Span] = [(keys[side], "accent"), (NAMES[side], "muted")]
        words = _words(conflict, conflict.version(side))
        return [fit(title, cells), *_text_lines(words, None if side is Side.BASE else base, cells, titles)]

    if width < _SIDE_BY_SIDE:
        return [line for side in (Side.OURS, Side.THEIRS, Side.BASE) for line in column(side, width)]
    cells = (width - 6) // 3
    between: Span = (" │ ", "line")
    return [
        [*_fill(row[0], cells), between, *_fill(row[1], cells), between, *_fill(row[2], cells)]
        for row in zip_longest(*(column(side, cells) for side in sides), fillvalue=[])
    ]


def _fill(line: list[Span], cells: int) -> list[Span]:
    return [*line, (" " * max(0, cells - width_of(line)), "")]


def _text_lines(text: str, base: str | None, width: int, titles: Titles) -> list[list[Span]]:
    if not text:
        return [[("  ", ""), ("nothing", "faint")]]
    return [
        drawn
        for line in PageDiff(text if base is None else base, text).lines
        if line.kind is not LineKind.REMOVED and not line.remark
        for drawn in mark_lines(*SIGNS[line.kind], line.text, line.marks, width, titles)
    ]
