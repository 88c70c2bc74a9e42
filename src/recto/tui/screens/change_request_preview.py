"""A changed page as it will be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container

from recto.store.page_text import body_of
from recto.store.review_pages import DELETED
from recto.tui.screens.change_request_parts import Spoken, speak_of
from recto.tui.widgets.page_view import PageView
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.store.page_reading import PageReading


class PreviewPane(Container):
    """Shows the page that is looked at under changes as readers will see it."""

    def __init__(self) -> None:
        super().__init__(id="preview")
        self._reading: PageReading | None = None
        self._shown: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """Put the page."""
        yield Panel("Preview", PageView(id="page"))

    def show(self, reading: PageReading | None) -> None:
        """Show a page, or say why it is not there."""
        self._reading = reading
        panel = self.query_one(Panel)
        if reading is None:
            panel.show_empty("There is no changed page to preview.")
            return
        panel.entitle(reading.page.title or "untitled", "as it will be")
        page = reading.after
        if DELETED in reading.page.kinds:
            panel.show_empty("This page will be gone.", "}", "goes to the next changed page")
        elif page is None and reading.error is not None:
            panel.show_failed("Could not load the page.", str(reading.error))
        elif page is None:
            panel.show_loading("the page")
        else:
            panel.show_body()
            if self._shown != (page.id, page.title, page.markdown):
                self._shown = (page.id, page.title, page.markdown)
                self.query_one(PageView).show(page.title, body_of(page), description=page.description)

    def pointed(self) -> Spoken:
        """Return where a comment would go: the block under the cursor."""
        if self._reading is None or self._reading.after is None:
            return Spoken(None)
        return speak_of(self._reading, self.query_one(PageView).cursor_line + 1)
