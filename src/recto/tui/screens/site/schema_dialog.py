"""Writing an adaptive schema as JSON, with faults at their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.store.audience import Fault, read_schema
from recto.tui.dialogs.dialog import Dialog
from recto.tui.forms.form_draft import OPEN_ELSEWHERE
from recto.tui.forms.leaving import KEEP, LeaveForm
from recto.tui.look.lines import plain
from recto.tui.screens.interactive import Interactive
from recto.tui.widgets.text_pad import TextPad

if TYPE_CHECKING:
    from recto.store.store import Store
    from recto.tui.forms.form_draft import FormDraft


class SchemaDialog(Dialog[str], Interactive):
    """Asks for a schema as JSON; ctrl+s answers with the text once it is valid.

    The typed text is in the draft until that is discarded.
    """

    def __init__(self, store: Store, text: str, draft: FormDraft) -> None:
        super().__init__("Adaptive schema")
        self.store = store
        self._text = text
        self._draft = draft

    def compose_body(self) -> ComposeResult:
        """Compose the text and its fault."""
        pad = TextPad(self._text)
        pad.show_line_numbers = True
        yield pad
        yield Static(classes="verdict")

    def on_mount(self) -> None:
        """Judge the text, and show what was typed before and not saved."""
        self._judge(self._text)
        self.work(self._restore(), "draft", group="draft")

    async def _restore(self) -> None:
        typed, pad = await self._draft.find(), self.query_one(TextPad)
        if typed and typed != self._text and pad.text == self._text:
            pad.load_text(typed)
            self.say("What you typed here before is back; it is not sent yet.")

    def on_text_area_changed(self, event: TextPad.Changed) -> None:
        """Judge the text, and keep it on disk."""
        event.stop()
        text = event.text_area.text
        self._judge(text)
        if self._draft.is_begun or text != self._text:
            self.work(self._save_draft(text), "draft")

    async def _save_draft(self, text: str) -> None:
        if await self._draft.save(text):
            self.say(OPEN_ELSEWHERE)

    def _judge(self, text: str) -> None:
        verdict = self.query_one(".verdict", Static)
        found = read_schema(text)
        if isinstance(found, Fault):
            verdict.update(Content.styled(plain(f"× line {found.line}: {found.sentence}"), "$error"))
        else:
            verdict.update(Content.styled("✓ valid schema", "$muted"))

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
        answer = await self.ask(LeaveForm("the adaptive schema", has_draft=True))
        if answer is None:
            return
        if answer != KEEP:
            await self._draft.discard()
        self.dismiss(None)
