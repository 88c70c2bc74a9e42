"""The first screen, shown while the first view is being loaded."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from recto.tui.actions import bindings
from recto.tui.screens.guarded_screen import GuardedScreen
from recto.tui.widgets.bars import StatusBar, TitleBar
from recto.tui.widgets.line_view import blank_lines
from recto.tui.widgets.notice import Notice

BEGINNING = "Opening your documentation"


class Opening(GuardedScreen[None], inherit_bindings=False):
    """Shown until the first view is; says why opening failed."""

    BINDINGS = bindings("view.escape", "view.refresh", "view.quit")

    class Again(Message):
        """The person wants the opening to be tried again."""

    class CancelWanted(Message):
        """The person wants to cancel the work at the start, such as an import."""

    class GivenUp(Message):
        """The person leaves after a failure."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    def __init__(self) -> None:
        super().__init__()
        self._failure = ""
        self.can_cancel = False
        """Whether something long is being done that can be cancelled."""

    def compose(self) -> ComposeResult:
        """Compose the title and the progress."""
        yield TitleBar()
        yield Notice()
        yield StatusBar()

    def on_mount(self) -> None:
        """Show that the program is opening."""
        self.query_one(TitleBar).trail = ("Recto",)
        self.show_progress(BEGINNING)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Draw it without styling all once more: each part was styled when it was made."""
        event.refresh_styles = False

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw empty lines: all that is seen stands on the screen."""
        return blank_lines(self, crop)

    def show_progress(self, text: str) -> None:
        """Show the current step."""
        self._failure = ""
        self.query_one(Notice).busy(text)
        self.refresh_bindings()

    def show_failed(self, what: str, why: str) -> None:
        """Show what failed, why, and the key that tries again."""
        self._failure = f"{what} {why}"
        self.query_one(Notice).show_failure(what, why)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to try again only after a failure, and to cancel only what can be."""
        if action == "view_escape":
            return self.can_cancel
        return bool(self._failure) if action == "view_refresh" else super().check_action(action, parameters)

    def action_view_refresh(self) -> None:
        """Try again."""
        self.post_message(self.Again())

    def action_view_quit(self) -> None:
        """Leave the program; after a failure the shell hears of it too, and long work is asked about."""
        if self.can_cancel:
            self.post_message(self.CancelWanted())
        elif self._failure:
            self.post_message(self.GivenUp(self._failure))
        else:
            self.app.exit()

    def action_view_escape(self) -> None:
        """Ask to cancel the work at the start."""
        self.post_message(self.CancelWanted())
