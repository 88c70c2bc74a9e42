"""Asking before something happens that cannot be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.tui.actions import bindings
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look.lines import plain


class Confirm(Dialog[bool]):
    """A question answered by ``y`` or ``n``; enter does nothing, so that no loss comes from one key too many.

    ``says`` are the sentences that tell what will happen, ``does`` and ``keeps`` what either answer does.
    """

    BINDINGS = bindings("dialog.confirm", "dialog.decline")

    def __init__(
        self,
        title: str,
        *says: str,
        does: str,
        keeps: str = "leaves everything as it is",
        points: Sequence[str] = (),
    ) -> None:
        super().__init__(title)
        self._says = says
        self._points = points
        self._does = does
        self._keeps = keeps

    def compose_body(self) -> ComposeResult:
        """Put what will happen, and the keys."""
        parts: list[tuple[str, str] | str] = []
        for sentence in self._says:
            parts += [(plain(sentence), "$foreground"), "\n"]
        for point in self._points:
            parts += ["\n", ("  · ", "$faint"), (plain(point), "$foreground")]
        parts += ["\n", ("y", "bold $accent"), (f"  {plain(self._does)}\n", "$foreground")]
        parts += [("n", "bold $accent"), (f"  {plain(self._keeps)}", "$muted")]
        yield Static(Content.assemble(*parts))

    def action_dialog_confirm(self) -> None:
        """Answer yes."""
        self.dismiss(True)

    def action_dialog_decline(self) -> None:
        """Answer no."""
        self.dismiss(False)
