"""Choosing several of a list."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from textual.widgets import Input

from recto.client.errors import ClientError
from recto.tui.actions import DIALOG, Action, bindings, register
from recto.tui.dialogs.choose import Choice, Finder
from recto.tui.dialogs.fuzzy import Fuzzy
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span

_TYPING = 0.15
"""The seconds without another letter after which more is looked for."""

register(Action("dialog.toggle", "Choose it, or no longer", ("enter",), DIALOG, "choose"))


class ChooseSeveral(Finder[Choice, tuple[str, ...]]):
    """Asks to choose several things; answers their ids, in the order in which they were chosen.

    ``find`` returns what else there is for a text, where there is too much to offer all of it at once.
    """

    BINDINGS = bindings("dialog.toggle", "dialog.finish")

    def __init__(
        self,
        title: str,
        items: Iterable[Choice] = (),
        chosen: Iterable[str] = (),
        *,
        find: Callable[[str], Awaitable[Sequence[Choice]]] | None = None,
    ) -> None:
        self._chosen = dict.fromkeys(chosen)
        self._find = find
        self._known: set[str] = set()
        super().__init__(title, sorted(items, key=lambda item: item.id not in self._chosen))

    def on_mount(self) -> None:
        """Show all that is known, and look for more."""
        super().on_mount()
        self._look_for("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what matches, and look for more."""
        super().on_input_changed(event)
        self._look_for(event.value.strip())

    def _look_for(self, text: str) -> None:
        if self._find is not None:
            work = self._add_found(self._find, text)
            self.run_worker(work, "find", group="find", exclusive=True, exit_on_error=False)

    async def _add_found(self, find: Callable[[str], Awaitable[Sequence[Choice]]], text: str) -> None:
        if text:
            await asyncio.sleep(_TYPING)
        try:
            found = await find(text)
        except ClientError as error:
            self.notify(lines.plain(str(error)), severity="error", markup=False)
            return
        new = [choice for choice in found if choice.id not in self._known]
        self._known.update(choice.id for choice in new)
        self.add(new)

    def text_of(self, item: Choice) -> str:
        """Return the label."""
        return item.label

    def score(self, query: Fuzzy, item: Choice) -> float:
        """Match the label, or what stands beside it."""
        return max(query.score(item.label), query.score(item.detail) / 2)

    def draw(self, item: Choice, width: int) -> Line:
        """Draw the sign of what is chosen, the label and its detail."""
        sign = ("✓ ", "accent") if item.id in self._chosen else ("  ", "")
        left: list[Span] = [sign, (lines.plain(item.label), "faint" if item.reason else "")]
        return lines.beside(left, [(lines.plain(item.reason or item.detail), "muted")], width)

    def choose(self, item: Choice) -> None:
        """Choose an item, or no longer."""
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
        """Choose the item under the cursor, or no longer."""
        await self.action_dialog_accept()

    def action_dialog_finish(self) -> None:
        """Answer with what is chosen."""
        self.dismiss(tuple(self._chosen))
