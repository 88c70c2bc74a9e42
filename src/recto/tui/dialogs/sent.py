"""Telling that an edit has arrived, and where."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.contract.change_requests import ChangeRequest
from recto.tui.actions import bindings
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look import signs
from recto.tui.look.lines import plain


class Sent(Dialog[bool]):
    """Says which change request holds an edit; enter answers that the person wants to go there."""

    BINDINGS = bindings("dialog.accept")

    def __init__(self, what: str, request: ChangeRequest) -> None:
        super().__init__("Sent")
        self._what = what
        self._request = request

    def compose_body(self) -> ComposeResult:
        """Show where the text is, and the keys."""
        request = self._request
        status = signs.sign(signs.CHANGE_REQUEST, request.status)
        yield Static(
            Content.assemble(
                (f"{plain(self._what)} is in change request ", "$foreground"),
                (f"#{request.number} {plain(request.subject)}", "bold $foreground"),
                (f" ({status.word}).", "$foreground"),
                "\n",
                ("Main changes when it is merged.", "$muted"),
                "\n\n",
                ("enter", "bold $accent"),
                ("  opens the change request\n", "$foreground"),
                ("esc", "bold $accent"),
                ("  closes; further edits go there too", "$muted"),
            )
        )

    def action_dialog_accept(self) -> None:
        """Answer yes."""
        self.dismiss(True)
