"""A form in a dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.tui.actions import name_keys
from recto.tui.dialogs.dialog import Dialog
from recto.tui.forms.form import B
from recto.tui.forms.form_view import FormView
from recto.tui.look.lines import plain
from recto.tui.screens.interactive import Interactive

if TYPE_CHECKING:
    from collections.abc import Callable

    from recto.store.store import Store
    from recto.tui.forms.form import Filling

R = TypeVar("R")


class FormDialog(Dialog[R], Interactive):
    """Asks for the fields of a form, and answers with the response when they were sent.

    A call that fails keeps all that was typed; closing asks where something was. ``interrupt`` is called before that:
    it cancels work that precedes sending, and returns whether there was any.
    """

    def __init__(
        self,
        store: Store,
        title: str,
        filling: Filling[B, R],
        *,
        says: str = "",
        interrupt: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(title)
        self.store = store
        self._title = title
        self._filling = filling
        self._says = says
        self._interrupt = interrupt

    def compose_body(self) -> ComposeResult:
        """Compose the explanation and the form."""
        if self._says:
            yield Static(Content(plain(name_keys(self, self._says))), classes="says")
        yield FormView(self.store, self._title, self._filling, eager=True)

    def on_mount(self) -> None:
        """Begin with the first field."""
        self.query_one(FormView).begin()

    def on_form_view_sent(self, event: FormView.Sent) -> None:
        """Answer with the response."""
        event.stop()
        self.dismiss(event.value)

    async def on_form_view_left(self, event: FormView.Left) -> None:
        """Close."""
        event.stop()
        await self.action_dialog_close()

    async def action_dialog_close(self) -> None:
        """Close, after a question if anything was typed; work that precedes sending is cancelled first."""
        if self._interrupt():
            return
        if self.query_one(FormView).asks:
            self.work(self._leave(), "leave", unless_running="leave")
        else:
            self.dismiss(None)

    async def _leave(self) -> None:
        if await self.query_one(FormView).ask_to_leave(self._hold_keys):
            self.dismiss(None)

    def _hold_keys(self) -> None:
        # Keys pressed from now on are meant for the screen below: in a field they would become a draft again.
        self.hold_keys_until(lambda: not self.is_on_top)
