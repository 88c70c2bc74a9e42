"""Writing an adaptive schema as JSON, with what is wrong at its line."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.store.audience import Fault, read_schema
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look.lines import plain
from recto.tui.screens.interactive import Interactive
from recto.tui.widgets.text_pad import TextPad


class SchemaDialog(Dialog[str], Interactive):
    """Asks for a schema as JSON; ctrl+s answers with the text once nothing is wrong with it."""

    def __init__(self, text: str) -> None:
        super().__init__("Adaptive schema")
        self._text = text

    def compose_body(self) -> ComposeResult:
        """Put the text, and what is wrong with it."""
        pad = TextPad(self._text)
        pad.show_line_numbers = True
        yield pad
        yield Static(classes="verdict")

    def on_mount(self) -> None:
        """Judge the text."""
        self._judge(self._text)

    def on_text_area_changed(self, event: TextPad.Changed) -> None:
        """Judge the text."""
        event.stop()
        self._judge(event.text_area.text)

    def _judge(self, text: str) -> None:
        verdict = self.query_one(".verdict", Static)
        found = read_schema(text)
        if isinstance(found, Fault):
            verdict.update(Content.styled(plain(f"× line {found.line}: {found.sentence}"), "$error"))
        else:
            verdict.update(Content.styled("✓ A schema as the platform takes it", "$muted"))

    def on_text_pad_sent(self, event: TextPad.Sent) -> None:
        """Answer with the text, or go to the line that is wrong."""
        event.stop()
        found = read_schema(event.text)
        if isinstance(found, Fault):
            event.pad.move_cursor((found.line - 1, 0))
            self.notify(plain(f"Line {found.line}: {found.sentence}"), severity="error", markup=False)
        else:
            self.dismiss(event.text)

    async def on_text_pad_left(self, event: TextPad.Left) -> None:
        """Leave the text, where it was changed after asking."""
        event.stop()
        await self.action_dialog_close()

    async def action_dialog_close(self) -> None:
        """Leave the text, where it was changed after asking."""
        if self.query_one(TextPad).text == self._text:
            self.dismiss(None)
        else:
            self.work(self._leave(), "leave", group="leave")

    async def _leave(self) -> None:
        question = Confirm("Leave the schema", "It was not saved.", does="discards it", keeps="goes on with it")
        if await self.ask(question):
            self.dismiss(None)
