"""The panes that a screen is laid out from, and the tabs that hold several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from recto.frozen import frozen
from recto.tui.screens.interactive import Interactive
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.store.store import Store


CHANGED_BY_OTHERS = "changed by others: ‹view.refresh› shows it"
"""Stands beside the title of what does not change under the reader."""

DELETED_BY_OTHERS = "deleted by others"
"""Stands beside the title of a page that is not there any more, and stays for its reader."""

NEWER_REVISION = "newer revision: ‹view.refresh› loads it"
"""Stands beside the title of a page of which is not known yet whether the newer revision changed it."""


class Pane(Panel, Interactive):
    """A bordered part of a screen: it asks the store, holds what it shows, and tells its screen by messages."""

    @frozen
    class News(Message):
        """Something to say at the right of the bottom line, until it is replaced; empty clears it."""

        text: str

    def __init__(self, store: Store, title: str, *body: Widget, id: str) -> None:
        super().__init__(title, *body, id=id)
        self.store = store
        self.target = body[-1]
        """The widget that takes the keys."""

    def take_focus(self) -> None:
        """Focus the pane at once, so that the keys typed next belong there."""
        self.screen.set_focus(self.target)


class Tab(Container, Interactive):
    """Panes that are shown together, on a tab of a screen; ``target`` is the widget that takes the keys."""

    target: Widget

    def __init__(self, store: Store, *, id: str) -> None:
        super().__init__(id=id)
        self.store = store

    def take_focus(self) -> None:
        """Put the person into the tab at once, so that the keys typed next belong there."""
        self.screen.set_focus(self.target)
