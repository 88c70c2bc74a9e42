"""Choosing from a list by a few letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from recto.tui import lines
from recto.tui.actions import bindings
from recto.tui.dialogs.dialog import Dialog, Result
from recto.tui.fuzzy import Fuzzy
from recto.tui.lines import Line, Span
from recto.tui.widgets.line_field import LineField
from recto.tui.widgets.rows import ItemRows
from recto.tui.widgets.virtual_list import VirtualList

SHOWN = 200
"""Nobody reads further down than this; typing another letter is quicker."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose: found by its label, with more about it at the right; ``reason`` says why it cannot be."""

    id: str
    label: str
    detail: str = ""
    reason: str = ""


T = TypeVar("T")


class Finder(Dialog[Result], Generic[T, Result]):
    """A line to type a few letters in and the items that fit, best first; enter chooses, arrows move."""

    BINDINGS = bindings("dialog.accept", "dialog.down", "dialog.up")

    def __init__(self, title: str, items: Iterable[T] = (), *, placeholder: str = "a few letters") -> None:
        super().__init__(title)
        self._items: list[T] = list(items)
        self._placeholder = placeholder

    def compose_body(self) -> ComposeResult:
        """Put the line and the list."""
        yield LineField(placeholder=self._placeholder)
        verdict = Static(classes="verdict")
        verdict.display = False
        yield verdict
        found = VirtualList(guided=True)
        found.can_focus = False
        yield found

    def on_mount(self) -> None:
        """Show all to begin with."""
        self._find()

    def text_of(self, item: T) -> str:
        """Return the text by which an item is found."""
        raise LookupError(item)

    def draw(self, item: T, width: int) -> Line:
        """Draw an item."""
        return lines.fit([(lines.plain(self.text_of(item)), "")], width)

    def answer(self, item: T) -> Result | None:
        """Return what choosing an item answers."""
        raise LookupError(item)

    def ordered(self, found: list[T]) -> list[T]:
        """Return the items that fit in the order in which they are shown; they come best first."""
        return found

    def add(self, items: Sequence[T]) -> None:
        """Add items that have come in."""
        self._items += items
        self._find(keep=True)

    def _find(self, *, keep: bool = False) -> None:
        letters = self.query_one(LineField).value
        found = Fuzzy(letters).best(self._items, self.text_of, SHOWN) if letters.strip() else self._items[:SHOWN]
        found = self.ordered(found)
        rows = ItemRows(found, self.draw, key=id, text=self.text_of)
        shown = self.query_one(VirtualList)
        # Who has gone down the list stays where they are while more comes in.
        known = shown.rows if keep and shown.cursor > 0 else None
        chosen = known.items[shown.cursor] if isinstance(known, ItemRows) and len(known) else None
        at = next((one for one in found if one is chosen), found[0] if found else None)
        shown.show(rows, id(at) if at is not None else None)
        verdict = self.query_one(".verdict", Static)
        verdict.display = bool(letters.strip()) and not found
        verdict.update(Content.styled(lines.plain(f"Nothing here fits “{letters.strip()}”."), "$muted"))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Find what fits what is typed so far."""
        event.stop()
        self._find()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Choose what was clicked twice."""
        event.stop()
        self.action_dialog_accept()

    def action_dialog_accept(self) -> None:
        """Choose the item under the cursor."""
        found = self.query_one(VirtualList)
        rows = found.rows
        if isinstance(rows, ItemRows) and len(rows):
            self.choose(rows.items[found.cursor])

    def choose(self, item: T) -> None:
        """Answer with an item."""
        self.dismiss(self.answer(item))

    def action_dialog_down(self) -> None:
        """Go to the next item."""
        self.query_one(VirtualList).cursor += 1

    def action_dialog_up(self) -> None:
        """Go to the item before."""
        self.query_one(VirtualList).cursor -= 1


class Choose(Finder[Choice, str]):
    """Asks to choose one of some things; answers its id."""

    def text_of(self, item: Choice) -> str:
        """Return the label."""
        return item.label

    def draw(self, item: Choice, width: int) -> Line:
        """Draw the label, what is said about it, and what stands against it."""
        left: list[Span] = [(lines.plain(item.label), "faint" if item.reason else "")]
        return lines.beside(left, [(lines.plain(item.reason or item.detail), "muted")], width)

    def answer(self, item: Choice) -> str:
        """Return the id."""
        return item.id

    def choose(self, item: Choice) -> None:
        """Answer with the choice, or say why it cannot be."""
        if item.reason:
            self.notify(item.reason, markup=False)
        else:
            super().choose(item)
