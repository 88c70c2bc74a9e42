"""Asking before addresses of a site change, and offering to redirect the old ones."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.document.text import count
from recto.store.arrangement import ChangedAddress
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.dialogs.confirm import UNDO, undo_parts
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look.lines import plain

CHANGE, REDIRECT = "change", "redirect"
_MOST_LISTED = 8

actions.register(
    Action("addresses.redirect", "Change, and redirect the old addresses", ("r",), "Dialog", "redirect", writes=True)
)


class ConfirmAddresses(Dialog[str]):
    """Names the addresses that change; answers :data:`CHANGE` or :data:`REDIRECT`, or nothing.

    ``redirected`` is the number of old addresses that can be redirected. Where they change along with something else,
    ``says`` are the sentences about that, and ``points`` name what it takes along.
    """

    BINDINGS = bindings("dialog.confirm", "addresses.redirect", "dialog.decline")

    def __init__(
        self,
        changed: Sequence[ChangedAddress],
        redirected: int,
        *says: str,
        title: str = "Addresses change",
        points: Sequence[str] = (),
        does: str = "changes them",
        undo: str = UNDO,
    ) -> None:
        super().__init__(title)
        self._changed = changed
        self._redirected = redirected
        self._says = says
        self._points = points
        self._does = does
        self._undo = undo

    def compose_body(self) -> ComposeResult:
        """Put the addresses and the keys."""
        total = count(len(self._changed), "address", "addresses")
        parts: list[tuple[str, str] | str] = []
        for sentence in self._says:
            parts += [(plain(sentence), "$foreground"), "\n"]
        for point in self._points:
            parts += ["\n", ("  · ", "$faint"), (plain(point), "$foreground")]
        parts += ["\n\n" if self._points else "\n" if self._says else ""]
        parts += [(f"{total} of the site will change; links to the old ones may break.\n", "$foreground")]
        points = [f"{one.item.name}: {one.before} → {one.after}" for one in self._changed[:_MOST_LISTED]]
        if len(self._changed) > _MOST_LISTED:
            points.append(f"{len(self._changed) - _MOST_LISTED} more")
        for point in points:
            parts += ["\n", ("  · ", "$faint"), (plain(point), "$foreground")]
        parts += ["\n\n", *undo_parts(self._undo), ("y", "bold $accent"), (f"  {plain(self._does)}\n", "$foreground")]
        if self._redirected:
            redirects = count(self._redirected, "old address", "old addresses")
            does = f"  {plain(self._does)}, and redirects {redirects}\n"
            parts += [("r", "bold $accent"), (does, "$foreground")]
        parts += [("n", "bold $accent"), ("  leaves everything as it is", "$muted")]
        yield Static(Content.assemble(*parts))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer redirects only where there is an old address."""
        if action == "addresses_redirect":
            return self._redirected > 0
        return super().check_action(action, parameters)

    def action_dialog_confirm(self) -> None:
        """Answer to change them."""
        self.dismiss(CHANGE)

    def action_addresses_redirect(self) -> None:
        """Answer to change them and to redirect the old ones."""
        self.dismiss(REDIRECT)

    def action_dialog_decline(self) -> None:
        """Answer to leave them."""
        self.dismiss(None)
