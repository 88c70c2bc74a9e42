"""Asking before staged moves are applied, and what to do if that stops half-way."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.store.arrangement import ChangedAddress
from recto.tui import actions
from recto.tui.actions import Action, bindings, name_keys
from recto.tui.dialogs.confirm import answer_keys
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lists.fact_list import FactList
from recto.tui.look.fact_rows import rows
from recto.tui.look.lines import Line, plain

GO_ON, TAKE_BACK = "go on", "take back"

actions.register(
    Action("moves.go_on", "Continue with the remaining steps", ("c",), "Dialog", "continue", writes=True),
    Action("moves.take_back", "Undo the completed steps", ("t",), "Dialog", "undo", writes=True),
)


class ConfirmMoves(Dialog[bool]):
    """Shows the steps in order, and the addresses that change where these are given; ``y`` makes them.

    ``undo`` says which key undoes them afterwards.
    """

    BINDINGS = bindings("dialog.confirm", "dialog.decline")

    def __init__(
        self, title: str, steps: Sequence[str], changed: Sequence[Line] | None = None, *, does: str, undo: str
    ) -> None:
        super().__init__(title)
        self._steps = steps
        self._changed = changed
        self._does = does
        self._undo = undo

    def compose_body(self) -> ComposeResult:
        """Compose the steps, the addresses that change, and the keys."""
        width = len(str(len(self._steps)))
        found: list[Line] = [
            [(f"{number:>{width}} ", "faint"), (plain(step), "")] for number, step in enumerate(self._steps, 1)
        ]
        if self._changed is not None:
            found += [[], *(self._changed or [[("No address changes.", "muted")]])]
        yield FactList(rows(found))
        yield answer_keys(self, ("dialog.confirm", self._does), undo=self._undo)

    def action_dialog_confirm(self) -> None:
        """Answer yes."""
        self.dismiss(True)

    def action_dialog_decline(self) -> None:
        """Answer no."""
        self.dismiss(False)


class MovesStopped(Dialog[str]):
    """Shows what was done, what was not, and why; answers whether to continue or to undo, or nothing."""

    BINDINGS = bindings("moves.go_on", "moves.take_back")

    def __init__(self, why: str, done: Sequence[str], left: Sequence[str]) -> None:
        super().__init__(f"Stopped: {len(done)} of {len(done) + len(left)} done")
        self._why = why
        self._done = done
        self._left = left

    def compose_body(self) -> ComposeResult:
        """Compose the reason, the steps and the keys."""
        yield Static(Content.assemble(("× ", "bold $error"), (plain(self._why), "$foreground"), "\n"))
        found: list[Line] = [[("✓ ", "success"), (plain(step), "muted")] for step in self._done]
        found += [[("· ", "faint"), (plain(step), "")] for step in self._left]
        yield FactList(rows(found))
        parts: list[tuple[str, str] | str] = ["\n"]
        if self._left:
            parts += [
                (name_keys(self, "‹moves.go_on›"), "bold $accent"),
                ("  continues with the remaining steps\n", "$foreground"),
            ]
        if self._done:
            parts += [
                (name_keys(self, "‹moves.take_back›"), "bold $accent"),
                ("  undoes the completed steps\n", "$foreground"),
            ]
        parts += [
            (name_keys(self, "‹dialog.close›"), "bold $accent"),
            ("  closes; the remaining steps stay staged", "$muted"),
        ]
        yield Static(Content.assemble(*parts))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only possible actions."""
        if action == "moves_go_on":
            return bool(self._left)
        if action == "moves_take_back":
            return bool(self._done)
        return super().check_action(action, parameters)

    def action_moves_go_on(self) -> None:
        """Answer to continue."""
        self.dismiss(GO_ON)

    def action_moves_take_back(self) -> None:
        """Answer to undo."""
        self.dismiss(TAKE_BACK)


def address_lines(moved: Sequence[ChangedAddress]) -> list[Line]:
    """Return the site spaces whose addresses change."""
    return [
        [("~ ", "changed"), (plain(one.item.name), ""), (f"  {one.before} → {one.after}", "muted")] for one in moved
    ]
