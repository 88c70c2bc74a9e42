"""Telling the person something of several lines."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from recto.tui import lines
from recto.tui.actions import bindings
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lines import Line
from recto.tui.widgets.rows import WrappedRows
from recto.tui.widgets.virtual_list import VirtualList


class Tell(Dialog[None]):
    """Shows lines of text, wrapped and scrolled; enter, esc and ``q`` close it."""

    BINDINGS = bindings("dialog.accept", "view.quit")

    def __init__(self, title: str, told: Sequence[str]) -> None:
        super().__init__(title)
        self._told = told

    def compose_body(self) -> ComposeResult:
        """Put the lines."""
        rows = WrappedRows(range(len(self._told)), self._draw, key=lambda index: index)
        yield VirtualList(rows, openable=False)

    def _draw(self, index: int, width: int) -> Sequence[Line]:
        return lines.wrap([(lines.plain(self._told[index]), "")], width, 2)

    def action_dialog_accept(self) -> None:
        """Close."""
        self.dismiss(None)

    def action_view_quit(self) -> None:
        """Close."""
        self.dismiss(None)
