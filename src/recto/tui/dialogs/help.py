"""The keys that work here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Input, TextArea

from recto.frozen import frozen
from recto.tui import actions
from recto.tui.actions import Offer
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span
from recto.tui.navigation.messages import HasTabs


@frozen
class HelpRow:
    """A heading, or an action with its keys."""

    group: str = ""
    title: str = ""
    keys: str = ""
    reason: str = ""


def help_rows(offered: Iterable[Offer]) -> list[HelpRow]:
    """Return the offers under a heading for each group: those of this place first, those of all places after them.

    A group in which nothing can be done now comes after the others.
    """
    groups: dict[str, list[Offer]] = {}
    for offer in offered:
        if offer.keys:
            groups.setdefault(offer.action.group, []).append(offer)
    rows: list[HelpRow] = []
    general = (actions.CHANGING, actions.MOVING, actions.GOING)

    def rank(group: str) -> tuple[int, bool]:
        return general.index(group) if group in general else -1, all(offer.reason for offer in groups[group])

    for group in sorted(groups, key=rank):
        members = groups[group]
        rows += [HelpRow()] if rows else []
        rows.append(HelpRow(group=group))
        rows += [
            HelpRow(title=title_of(offer), keys=actions.keys_label(offer.keys), reason=offer.reason or "")
            for offer in members
        ]
    return rows


_WRITING: Final = {
    "undo": "Undo what was typed",
    "redo": "Redo what was undone",
    "cut": "Cut the selected text",
    "copy": "Copy the selected text",
    "paste": "Paste what was cut or copied here",
    "cursor_left(True)": "Select, as shift with each key that moves",
    "select_line": "Select the line",
    "select_all": "Select all",
    **dict.fromkeys(("cursor_word_left", "cursor_left_word"), "A word left"),
    **dict.fromkeys(("cursor_word_right", "cursor_right_word"), "A word right"),
    **dict.fromkeys(("cursor_line_start", "home"), "Go to the start of the line"),
    **dict.fromkeys(("cursor_line_end", "end"), "Go to the end of the line"),
    **dict.fromkeys(("delete_word_left", "delete_left_word"), "Delete the word before"),
    **dict.fromkeys(("delete_to_start_of_line", "delete_left_all"), "Delete to the start of the line"),
    **dict.fromkeys(("delete_to_end_of_line_or_delete_line", "delete_right_all"), "Delete to the end of the line"),
    "delete_line": "Delete the line",
}
"""What the keys of a text field do, by Textual's names for it; they are not in the settings."""


def writing_rows(screen: Screen[Any]) -> list[HelpRow]:
    """Return the keys of the text field that has the focus, under a heading."""
    if not isinstance(screen.focused, Input | TextArea):
        return []
    keys: dict[str, list[str]] = {}
    for key, active in screen.active_bindings.items():
        if active.node is screen.focused and not key.startswith("super+"):
            keys.setdefault(active.binding.action, []).append(key)
    offered = [
        HelpRow(title=_WRITING[does], keys=actions.keys_label(keys[does][:2])) for does in _WRITING if does in keys
    ]
    return [HelpRow(), HelpRow(group="Writing"), *offered]


def title_of(offer: Offer) -> str:
    """Return the title of an action; that of a tab is its name."""
    name = offer.action.name
    if name.startswith("view.tab_") and isinstance(offer.node, HasTabs):
        return offer.node.tab_names[int(name[-1]) - 1]
    return offer.action.title


def place_of(screen: Screen[Any]) -> str:
    """Return the name of the tab that is shown, where there are tabs."""
    return screen.tab_name if isinstance(screen, HasTabs) else ""


class Help(Dialog[None]):
    """Shows the keys in force, by group."""

    def __init__(self, offered: Iterable[Offer], writing: Iterable[HelpRow] = (), place: str = "") -> None:
        super().__init__(f"Keys that work here: {place}" if place else "Keys that work here")
        self._rows = [*help_rows(offered), *writing]
        self._keys = max((cell_len(row.keys) for row in self._rows), default=0)

    def compose_body(self) -> ComposeResult:
        """Compose the list of keys."""
        yield VirtualList(WrappedRows(self._rows, self._draw, key=id), openable=False)

    def _draw(self, row: HelpRow, width: int) -> Sequence[Line]:
        if row.group:
            return [[(row.group, "strong")]]
        left: list[Span] = [(f"  {row.keys:<{self._keys}}  ", "faint" if row.reason else "accent")]
        left.append((row.title, "faint" if row.reason else ""))
        reason: list[Span] = [(lines.plain(row.reason), "muted")] if row.reason else []
        if lines.width_of(left) + 1 + lines.width_of(reason) <= width:
            return [lines.beside(left, reason, width)]
        below = self._keys + 4
        wrapped = lines.wrap([(" " * below, ""), *reason], width, below) if reason else []
        return [*lines.wrap(left, width, below), *wrapped]

    async def action_app_help(self) -> None:
        """Close the help with the key that opened it."""
        self.dismiss(None)
