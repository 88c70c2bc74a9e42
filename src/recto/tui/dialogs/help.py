"""The keys that work here."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from textual.app import ComposeResult

from recto.frozen import frozen
from recto.tui import actions
from recto.tui.actions import Offer
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span


@frozen
class HelpRow:
    """A heading, or an action with its keys."""

    group: str = ""
    title: str = ""
    keys: str = ""
    reason: str = ""


def help_rows(offered: Iterable[Offer]) -> list[HelpRow]:
    """Return the offers under a heading for each group; the groups in the order in which the focus offers them."""
    groups: dict[str, list[Offer]] = {}
    for offer in offered:
        if offer.keys:
            groups.setdefault(offer.action.group, []).append(offer)
    rows: list[HelpRow] = []
    for group, members in groups.items():
        rows += [HelpRow()] if rows else []
        rows.append(HelpRow(group=group))
        rows += [
            HelpRow(title=offer.action.title, keys=actions.keys_label(offer.keys), reason=offer.reason or "")
            for offer in members
        ]
    return rows


class Help(Dialog[None]):
    """Shows the keys in force, by group."""

    def __init__(self, offered: Iterable[Offer]) -> None:
        super().__init__("Keys that work here")
        self._rows = help_rows(offered)
        self._keys = max((cell_len(row.keys) for row in self._rows), default=0)

    def compose_body(self) -> ComposeResult:
        """Put the list of keys."""
        yield VirtualList(ItemRows(self._rows, self._draw, key=id), openable=False)

    def _draw(self, row: HelpRow, width: int) -> Line:
        if row.group:
            return [(row.group, "strong")]
        left: list[Span] = [(f"  {row.keys:<{self._keys}}  ", "faint" if row.reason else "accent")]
        left.append((row.title, "faint" if row.reason else ""))
        return lines.beside(left, [(lines.plain(row.reason), "muted")] if row.reason else [], width)

    def action_app_help(self) -> None:
        """Close again with the key that opened it."""
        self.dismiss(None)
