"""Asking before leaving a form with changes."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.tui.actions import DIALOG, Action, bindings, register
from recto.tui.dialogs.confirm import NOTHING_CHANGES, answer_keys
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look.lines import plain

DISCARD: Final = "discard"
KEEP: Final = "keep"

register(Action("form.keep_draft", "Leave the form, kept as a draft", ("k",), DIALOG, "keep as a draft"))


class LeaveForm(Dialog[str]):
    """Asks whether to discard changes or keep them as a draft; answers :data:`DISCARD`, :data:`KEEP` or nothing."""

    BINDINGS = bindings("form.keep_draft", "dialog.confirm", "dialog.decline")

    def __init__(self, changes: str, *, has_draft: bool) -> None:
        super().__init__("Leave the form")
        self._changes = changes
        self._has_draft = has_draft

    def compose_body(self) -> ComposeResult:
        """Compose the changes and the keys."""
        answers = [("form.keep_draft", "keeps it as a draft, to go on later")] if self._has_draft else []
        yield Static(Content.assemble((plain(f"Not sent yet: {self._changes}."), "$foreground")))
        answers.append(("dialog.confirm", "discards it"))
        yield answer_keys(self, *answers, undo=NOTHING_CHANGES, keeps="continues with the form")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a draft only where it can be kept."""
        if action == "form_keep_draft":
            return self._has_draft
        return super().check_action(action, parameters)

    def action_form_keep_draft(self) -> None:
        """Answer to keep a draft."""
        self.dismiss(KEEP)

    def action_dialog_confirm(self) -> None:
        """Answer to discard."""
        self.dismiss(DISCARD)

    def action_dialog_decline(self) -> None:
        """Answer to stay in the form."""
        self.dismiss(None)
