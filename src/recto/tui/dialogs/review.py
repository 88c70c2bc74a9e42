"""Submitting a review: a verdict, a summary, and all pending comments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.document.text import count
from recto.store.reviewing import Submission
from recto.tui.actions import bindings, name_keys
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.report import ScrolledLines
from recto.tui.lists.rows import ItemRows, WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import signs
from recto.tui.look.lines import Line, beside, fit, plain
from recto.tui.widgets.text_pad import TextPad, UnsavedLine

if TYPE_CHECKING:
    from recto.contract.reviews import Verdict
    from recto.store.keeper import TypedText

APPROVE, REQUEST_CHANGES, COMMENT = "approved", "changes-requested", "commented"

_WORDS = {
    APPROVE: ("Approve", "it may be merged"),
    REQUEST_CHANGES: ("Request changes", "it needs changes before it is merged"),
    COMMENT: ("Comment", "no verdict"),
}
_VERDICTS: dict[str, Verdict] = {APPROVE: "approved", REQUEST_CHANGES: "changes-requested"}
_AROUND = 18
"""Lines of the screen that all but the pending comments takes; on a narrow one the sentence above takes two."""


class ReviewDialog(Dialog[Submission]):
    """Shows what will be sent; enter gives the verdict under the cursor, ctrl+s from the summary, too."""

    BINDINGS = bindings("dialog.accept", "text.send")
    ACCEPTS = "Submit"

    def __init__(
        self,
        waiting: Sequence[str],
        typed: TypedText,
        *,
        no_verdict: str | None = None,
    ) -> None:
        super().__init__("Submit your review")
        self._waiting = waiting
        self._typed = typed
        self._no_verdict = no_verdict

    def compose_body(self) -> ComposeResult:
        """Compose the pending comments, the verdicts and the field."""
        counted = count(len(self._waiting), "comment")
        says = (
            f"A review cannot be undone. {counted} will be sent with it:"
            if self._waiting
            else "A review cannot be undone. No pending comments."
        )
        yield Static(Content.styled(says, "$muted"))
        waiting = WrappedRows(range(len(self._waiting)), self._draw_waiting, key=lambda at: at)
        yield ScrolledLines(waiting, around=_AROUND, id="waiting")
        verdicts = VirtualList(ItemRows(list(_WORDS), self._draw, key=lambda word: word), openable=False, id="verdicts")
        verdicts.styles.height = len(_WORDS)
        yield verdicts
        says = name_keys(self, "Comment on the whole, optional (‹view.next_panel›):")
        yield Static(Content.styled(says, "$muted"))
        yield UnsavedLine(self._typed)
        pad = TextPad(typed=self._typed, placeholder="Markdown")
        pad.styles.height = 5
        yield pad

    def on_mount(self) -> None:
        """Begin with the verdict."""
        self.query_one("#verdicts", VirtualList).focus()

    def _draw_waiting(self, index: int, width: int) -> Sequence[Line]:
        return [fit([("  · ", "faint"), (plain(self._waiting[index]), "")], width)]

    def _draw(self, verdict: str, width: int) -> Line:
        word, means = _WORDS[verdict]
        sign = signs.REVIEW[verdict]
        against = self._no_verdict if verdict != COMMENT else None
        role = "faint" if against else "strong"
        return beside([sign.span, (f" {word}", role)], [(plain(against or means), "muted")], width)

    @property
    def _verdict(self) -> str:
        return list(_WORDS)[self.query_one("#verdicts", VirtualList).cursor]

    def why_not(self, action: str) -> str | None:
        """Return the reason why the review cannot be submitted."""
        if action not in ("dialog.accept", "text.send") or not self.is_mounted:
            return super().why_not(action)
        if self._verdict == COMMENT:
            return None if self._waiting or self._typed.text.strip() else "nothing to send yet"
        return self._no_verdict

    def on_text_pad_sent(self, event: TextPad.Sent) -> None:
        """Submit, or say why not."""
        event.stop()
        against = self.why_not("text.send")
        if against is not None:
            self.notify(plain(f"Not yet: {against}."), markup=False)
        else:
            self.dismiss(Submission(_VERDICTS.get(self._verdict), event.text))

    def on_text_pad_left(self, event: TextPad.Left) -> None:
        """Close; what was typed is kept."""
        event.stop()
        self.dismiss(None)

    def on_text_pad_discarded(self, event: TextPad.Discarded) -> None:
        """Close, with nothing typed."""
        event.stop()
        self.dismiss(None)

    async def action_text_send(self) -> None:
        """Submit, once the summary is saved."""
        await self.query_one(TextPad).action_text_send()

    async def action_dialog_accept(self) -> None:
        """Submit with the verdict under the cursor."""
        await self.action_text_send()

    async def action_dialog_close(self) -> None:
        """Close, once the summary is saved."""
        await self.query_one(TextPad).action_text_leave()
