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
"""Lines of the screen that a box takes beside what it tells, with air above and below."""


class ScrolledLines(VirtualList):
    """Lines that are only read: the keys that move scroll them, and no line stands out."""

    def __init__(self, rows: Rows, *, around: int = _AROUND, id: str | None = None) -> None:
        super().__init__(rows, openable=False, findable=False, id=id)
        self._around = around

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Take what the lines need, and no more than leaves the keys below them in sight."""
        return min(super().get_content_height(container, viewport, width), max(1, viewport.height - self._around))

    def ground_of(self, index: int) -> Style:
        """Return no ground: there is no cursor to be seen."""
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
        """Put the lines."""
        rows = WrappedRows(range(len(self._lines)), self._draw, key=lambda index: index)
        yield ScrolledLines(rows)

    def _draw(self, index: int, width: int) -> Sequence[Line]:
        return lines.wrap([(lines.plain(self._lines[index]), "")], width, 2)

    def action_dialog_accept(self) -> None:
        """Close."""
        self.dismiss(None)
