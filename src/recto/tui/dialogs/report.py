"""A report of several lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from textual.app import ComposeResult
from textual.geometry import Size

from recto.tui.actions import bindings
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lists.rows import Rows, WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line

_AROUND = 8
"""The lines of the screen that a box takes beside its text, with space above and below."""


class ScrolledLines(VirtualList):
    """Lines without a cursor: the keys that move it scroll them."""

    def __init__(self, rows: Rows, *, around: int = _AROUND, id: str | None = None) -> None:
        super().__init__(rows, openable=False, findable=False, id=id)
        self._around = around

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height of the lines, limited so that the keys below stay visible."""
        return min(super().get_content_height(container, viewport, width), max(1, viewport.height - self._around))

    def ground_of(self, index: int) -> Style:
        """Return no background: there is no visible cursor."""
        return Style.null()

    def _step(self, by: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + by, animate=False)

    def _leap(self, by: int) -> None:
        self._step(by)


class Report(Dialog[None]):
    """Shows lines of text, wrapped and scrolled; enter, esc and ``q`` close it."""

    BINDINGS = bindings("dialog.accept")
    ACCEPTS = "Close"

    def __init__(self, title: str, report: Sequence[str]) -> None:
        super().__init__(title)
        self._lines = report

    def compose_body(self) -> ComposeResult:
        """Compose the lines."""
        rows = WrappedRows(range(len(self._lines)), self._draw, key=lambda index: index)
        yield ScrolledLines(rows)

    def _draw(self, index: int, width: int) -> Sequence[Line]:
        return lines.wrap([(lines.plain(self._lines[index]), "")], width, 2)

    def action_dialog_accept(self) -> None:
        """Close."""
        self.dismiss(None)
