"""Asking before a merge, an update from main or a revert: the rules, and the effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.tui.actions import bindings
from recto.tui.dialogs.confirm import answer_keys
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lists.fact_list import FactList
from recto.tui.look.fact_rows import rows
from recto.tui.look.lines import Line, plain


class ConfirmMerge(Dialog[bool | str]):
    """Shows facts and what ``y`` does; with an ``obstacle``, ``y`` does nothing and ``says`` is shown instead.

    A key of ``remedy``, which the facts name, answers the name of its action.
    """

    BINDINGS = bindings("dialog.confirm", "dialog.decline")

    def __init__(
        self,
        title: str,
        facts: Sequence[Line],
        *,
        does: str,
        undo: str,
        obstacle: str | None = None,
        says: str = "",
        remedy: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(title)
        self._facts = facts
        self._does = does
        self._undo = undo
        self._obstacle = obstacle
        self._says = says
        self._mends = remedy or {}

    def on_key(self, event: events.Key) -> None:
        """Answer with the action whose key was pressed, which fulfils a check."""
        if (action := self._mends.get(event.key)) is not None:
            event.stop()
            self.dismiss(action)

    def compose_body(self) -> ComposeResult:
        """Compose the lines and the keys."""
        listed = FactList(rows(self._facts))
        listed.styles.height = "auto"
        listed.styles.max_height = 14
        yield listed
        if self._obstacle is not None:
            yield Static(Content.assemble("\n", ("× ", "bold $warning"), (plain(self._says), "$foreground")))
            return
        yield answer_keys(self, ("dialog.confirm", self._does), undo=self._undo)

    def why_not(self, action: str) -> str | None:
        """Return the obstacle."""
        return self._obstacle if action == "dialog.confirm" else super().why_not(action)

    def action_dialog_confirm(self) -> None:
        """Answer yes."""
        self.dismiss(True)

    def action_dialog_decline(self) -> None:
        """Answer no."""
        self.dismiss(False)
