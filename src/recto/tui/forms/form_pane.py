"""A form in a pane of a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from recto.document.text import count
from recto.tui.actions import get, keys_label
from recto.tui.forms.form_view import FormView
from recto.tui.look.themes import read_later
from recto.tui.screens.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Hashable

    from recto.store.store import Store
    from recto.tui.forms.form import Filling


class FormPane(Pane):
    """A form on a tab, or beside a tree; ``fill`` sets its subject.

    It posts :class:`FormView.Sent` when the form was sent.
    """

    def __init__(self, store: Store, title: str, *, id: str) -> None:
        self._form = FormView(store, title)
        super().__init__(store, title, self._form, id=id)
        self._title = title
        self._subject: Hashable = None

    def compose(self) -> ComposeResult:
        """Put the form, which may be the first that is seen."""
        read_later(self.app.stylesheet)
        yield from super().compose()

    @property
    def changed(self) -> list[str]:
        """The fields that were changed and are not sent."""
        return self._form.state.changed if self._form.state is not None else []

    def fill(self, subject: Hashable, filling: Filling[Any, Any]) -> None:
        """Show a form about a subject; typed values stay if the subject is the same."""
        self.show_body()
        if subject == self._subject:
            self._form.take(filling)
        else:
            self._subject = subject
            self._form.fill(filling)
        self._show_changed()

    def take_focus(self) -> None:
        """Focus the form."""
        self._form.begin()

    def on_form_view_changed(self, event: FormView.Changed) -> None:
        """Show how many fields are changed."""
        event.stop()
        self._show_changed()

    def _show_changed(self) -> None:
        changed = len(self.changed)
        send = keys_label(get("form.send").keys[:1])
        self.entitle(self._title, f"{count(changed, 'change')} not saved · {send} saves" if changed else "")
