"""The built-in editor: a whole screen for the text of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content

from recto.document.text import count
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look.lines import plain
from recto.tui.widgets.remark import Remark
from recto.tui.widgets.text_pad import MarkdownPad, TextPad, UnsavedLine

if TYPE_CHECKING:
    from recto.store.keeper import TypedText


class PageEditor(Dialog[bool]):
    """Edits a text from a line on, saved while it is typed.

    ctrl+s answers ``True``, esc ``False``, discarding ``None``.
    """

    def __init__(self, title: str, typed: TypedText, *, where: str = "", line: int = 1) -> None:
        super().__init__(title)
        self._where = where
        self._typed = typed
        self._line = line

    def compose_body(self) -> ComposeResult:
        """Compose the text and a line that says where it goes."""
        yield UnsavedLine(self._typed)
        yield MarkdownPad(typed=self._typed)
        yield Remark(classes="verdict")

    def on_mount(self) -> None:
        """Put the cursor at the line, with the following lines visible."""
        pad = self.query_one(TextPad)
        pad.focus()
        pad.move_cursor((min(self._line, pad.document.line_count) - 1, 0), center=True)
        self._show_cursor()

    def on_text_area_changed(self) -> None:
        """Show where the cursor is."""
        self._show_cursor()

    def on_text_area_selection_changed(self) -> None:
        """Show where the cursor is."""
        self._show_cursor()

    def _show_cursor(self) -> None:
        area = self.query_one(TextPad)
        row, column = area.cursor_location
        says = f"line {row + 1} of {count(area.document.line_count, 'line')}, column {column + 1}"
        where = f"{plain(self._where)} · " if self._where else ""
        self.query_one(".verdict", Remark).show(Content.styled(where + says, "$muted"))

    def on_text_pad_sent(self, event: TextPad.Sent) -> None:
        """Answer that the text is to be sent."""
        event.stop()
        self.dismiss(True)

    def on_text_pad_left(self, event: TextPad.Left) -> None:
        """Answer that the text is left for later."""
        event.stop()
        self.dismiss(False)

    def on_text_pad_discarded(self, event: TextPad.Discarded) -> None:
        """Answer that the text is discarded."""
        event.stop()
        self.dismiss(None)

    async def action_dialog_close(self) -> None:
        """Leave the text, once it is saved."""
        await self.query_one(TextPad).action_text_leave()
