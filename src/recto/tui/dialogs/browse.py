"""Asking before an address is opened in the browser, since the text of a link may be misleading."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.tui.actions import bindings, name_keys
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look.lines import plain


class Browse(Dialog[bool]):
    """Shows an address; enter opens it, ``Y`` copies it."""

    BINDINGS = bindings("dialog.accept", "item.copy_link")
    ACCEPTS = "Open"

    def __init__(self, address: str) -> None:
        super().__init__("Open in browser")
        self._address = address

    def compose_body(self) -> ComposeResult:
        """Show the whole address and the keys."""
        yield Static(
            Content.assemble(
                (plain(self._address), "bold $foreground"),
                "\n\n",
                (name_keys(self, "‹dialog.accept›"), "bold $accent"),
                ("  opens it\n", "$foreground"),
                (name_keys(self, "‹item.copy_link›"), "bold $accent"),
                ("  copies it", "$foreground"),
            )
        )

    def action_dialog_accept(self) -> None:
        """Answer yes."""
        self.dismiss(True)

    def action_item_copy_link(self) -> None:
        """Copy the address."""
        self.app.copy_to_clipboard(self._address)
        self.notify(plain(f"Copied {self._address}"), markup=False)
        self.dismiss(False)
