"""The base of all dialogs: a box over the view, with a title in its border and its keys below."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from recto.tui.actions import Action, bindings, get
from recto.tui.look.lines import plain
from recto.tui.screens.guarded_screen import GuardedScreen
from recto.tui.widgets.bars import StatusBar
from recto.tui.widgets.line_field import FindLine

Result = TypeVar("Result")


class Dialog(ModalScreen[Result | None], GuardedScreen[Result | None], inherit_bindings=False):
    """A dialog; esc closes it without an answer (``None``), and so does ``q`` unless it takes text."""

    BINDINGS = bindings("view.next_panel", "view.previous_panel", "dialog.close", "view.up", "view.quit", "app.help")

    ACCEPTS: ClassVar[str] = "Accept"
    """What enter does, as the title of an action."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._box_title = title

    def compose(self) -> ComposeResult:
        """Compose the box around the contents."""
        with Vertical(classes="box") as box:
            box.border_title = Content(plain(self._box_title))
            yield from self.compose_body()
            yield StatusBar()

    @abstractmethod
    def compose_body(self) -> ComposeResult:
        """Yield the contents of the box."""

    async def action_dialog_close(self) -> None:
        """Close without an answer."""
        self.dismiss(None)

    def word(self, action: Action) -> Action:
        """Return the title of accepting: what it does."""
        return action.reword(self.ACCEPTS) if action.name == "dialog.accept" else action

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        if action in ("view.up", "view.quit") and self._has_field:
            return "‹dialog.close› closes this dialog"
        return None

    @property
    def _has_field(self) -> bool:
        # The line to find in a list is no answer to the dialog.
        return any(not isinstance(field, FindLine) for field in self.query("LineField, TextArea"))

    async def action_view_up(self) -> None:
        """Close without an answer."""
        await self.action_dialog_close()

    async def action_view_quit(self) -> None:
        """Close without an answer."""
        await self.action_dialog_close()

    async def action_app_help(self) -> None:
        """Show the keys that work in this dialog."""
        await self.app.run_action("app_help", self.app)

    def action_view_next_panel(self) -> None:
        """Go to the next field."""
        self.go_to_panel(self.focus_next, get("view.next_panel"))

    def action_view_previous_panel(self) -> None:
        """Go to the field before."""
        self.go_to_panel(self.focus_previous, get("view.previous_panel"))
