"""Choosing several items of a list."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from recto.tui.actions import DIALOG, Action, bindings, register
from recto.tui.dialogs.choose import Choice, Find, FinderDialog, score_choice
from recto.tui.dialogs.fuzzy import Fuzzy
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span

register(Action("dialog.toggle", "Select or deselect", ("enter",), DIALOG, "choose"))


class ChooseSeveral(FinderDialog[Choice, tuple[str, ...]]):
    """Asks to choose several things; answers their ids, in the order in which they were chosen."""

    BINDINGS = bindings("dialog.toggle", "dialog.finish")

    def __init__(
        self, title: str, items: Iterable[Choice] = (), chosen: Iterable[str] = (), *, find: Find | None = None
    ) -> None:
        self._chosen = dict.fromkeys(chosen)
        super().__init__(title, sorted(items, key=lambda item: item.id not in self._chosen), find=find)

    def key_of(self, item: Choice) -> Hashable:
        """Return the id."""
        return item.id

    def text_of(self, item: Choice) -> str:
        """Return the label."""
        return item.label

    def score(self, query: Fuzzy, item: Choice) -> float:
        """Match the label, or what stands beside it."""
        return score_choice(query, item)

    def draw(self, item: Choice, width: int) -> Line:
        """Draw whether the item is chosen, its label and its detail."""
        sign = ("✓ ", "accent") if item.id in self._chosen else ("  ", "")
        left: list[Span] = [sign, (lines.plain(item.label), "faint" if item.reason else "")]
        return lines.beside(left, [(lines.plain(item.reason or item.detail), "muted")], width)

    def choose(self, item: Choice) -> None:
        """Toggle an item."""
        if item.reason:
            self.notify(item.reason, markup=False)
            return
        if item.id in self._chosen:
            del self._chosen[item.id]
        else:
            self._chosen[item.id] = None
        found = self.query_one(VirtualList)
        if isinstance(found.rows, ItemRows):
            found.show(found.rows)
        found.refresh()

    async def action_dialog_toggle(self) -> None:
        """Toggle the item under the cursor."""
        await self.action_dialog_accept()

    def action_dialog_finish(self) -> None:
        """Answer with the chosen items."""
        self.dismiss(tuple(self._chosen))
