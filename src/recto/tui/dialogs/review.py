"""Submitting a review: a verdict, some words about the whole, and all comments that wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.tui import signs
from recto.tui.actions import bindings
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lines import Line, beside, fit, plain
from recto.tui.widgets.rows import ItemRows, WrappedRows
from recto.tui.widgets.text_pad import TextPad
from recto.tui.widgets.virtual_list import VirtualList

APPROVE, REQUEST_CHANGES, COMMENT = "approved", "changes-requested", "commented"

_WORDS = {
    APPROVE: ("Approve", "it may be merged"),
    REQUEST_CHANGES: ("Request changes", "it is not to be merged like this"),
    COMMENT: ("Comment", "no verdict, only what you say"),
}
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Submission:
    """What the person decided: a verdict and words about the whole."""

    verdict: str
    text: str


class SubmitReview(Dialog[Submission]):
    """Shows what will be sent; the verdict under the cursor is given with enter, or ctrl+s from the words."""

    BINDINGS = bindings("dialog.accept", "text.send")

    def __init__(
        self,
        waiting: Sequence[str],
        text: str,
        *,
        typed: Callable[[str, str], None],
        no_verdict: str | None = None,
    ) -> None:
        super().__init__("Submit your review")
        self._waiting = waiting
        self._text = text
        self._typed = typed
        self._no_verdict = no_verdict

    def compose_body(self) -> ComposeResult:
        """Put what waits, the verdicts and the field."""
        counted = signs.count(len(self._waiting), "comment")
        said = f"{counted} will be sent with it:" if self._waiting else "No comments wait to be sent with it."
        yield Static(Content.styled(said, "$muted"))
        waiting = VirtualList(
            WrappedRows(range(len(self._waiting)), self._draw_waiting, key=lambda at: at), id="waiting"
        )
        waiting.can_focus = False
        waiting.styles.height = min(len(self._waiting), _SHOWN)
        yield waiting
        verdicts = VirtualList(ItemRows(list(_WORDS), self._draw, key=lambda word: word), openable=False, id="verdicts")
        verdicts.styles.height = len(_WORDS)
        yield verdicts
        yield Static(Content.styled("Words about the whole, if any (tab):", "$muted"))
        pad = TextPad(self._text, placeholder="Markdown")
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

    def on_text_area_changed(self, event: TextPad.Changed) -> None:
        """Keep what is typed."""
        if event.text_area.text != self._text:
            self._text = event.text_area.text
            self._typed(self._text, self._verdict)

    def why_not(self, action: str) -> str | None:
        """Say why the review cannot be submitted as it is."""
        if action not in ("dialog.accept", "text.send") or not self.is_mounted:
            return None
        if self._verdict == COMMENT:
            return None if self._waiting or self._text.strip() else "there is nothing to say yet"
        return self._no_verdict

    def on_text_pad_sent(self, event: TextPad.Sent) -> None:
        """Submit."""
        event.stop()
        self.action_text_send()

    def on_text_pad_left(self, event: TextPad.Left) -> None:
        """Close; what was typed is kept."""
        event.stop()
        self.dismiss(None)

    def action_text_send(self) -> None:
        """Submit, or say why not."""
        against = self.why_not("text.send")
        if against is not None:
            self.notify(plain(f"Not yet: {against}."), markup=False)
            return
        self.dismiss(Submission(self._verdict, self.query_one(TextPad).text))

    def action_dialog_accept(self) -> None:
        """Submit with the verdict under the cursor."""
        self.action_text_send()
