"""A changed page as it will be, and where its links lead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from recto.contract.addresses import Address
from recto.contract.content import Page
from recto.contract.unread import unread_of
from recto.store.page_text import body_of
from recto.store.review_pages import DELETED
from recto.tui.page.cursor import Position
from recto.tui.page.view import PageView
from recto.tui.screens.change_request.parts import Spoken, speak_of
from recto.tui.screens.reading.links import Destination, Nowhere, ToPage, destination
from recto.tui.screens.reading.links_out import LinksOut
from recto.tui.screens.reading.page_index import PageIndex
from recto.tui.screens.reading.surroundings import SpaceSurroundings
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.store.page_reading import PageReading
    from recto.tui.screens.change_request.facts import RequestFacts
    from recto.tui.screens.view import View


class _Place(NamedTuple):
    """A place in a changed page."""

    page: str
    position: Position | None = None
    anchor: str = ""


class PreviewPane(Container):
    """Shows the page that is looked at under changes as readers will see it."""

    @dataclass
    class Wanted(Message):
        """The person wants to see another changed page."""

        page: str

    def __init__(self, view: View, facts: RequestFacts, content: Address) -> None:
        super().__init__(id="preview")
        self._facts = facts
        self._out = LinksOut(view, content)
        self._surroundings = SpaceSurroundings(view, content, self)
        self._reading: PageReading | None = None
        self._index = PageIndex()
        self._drawn_in: PageIndex | None = None
        self._wanted: _Place | None = None
        """Where to go in the page that is asked for."""
        self._back: list[_Place] = []
        self.shown: Page | None = None
        """The page that can be seen."""

    def compose(self) -> ComposeResult:
        """Put the page; space is left to the review, which marks pages as viewed with it."""
        yield Panel("Preview", PageView(folds_with_space=False, id="page"))

    @property
    def sheet(self) -> PageView:
        """Where the page is shown."""
        return self.query_one(PageView)

    @property
    def index(self) -> PageIndex:
        """All pages of the change request."""
        tree = self._facts.tree.value
        if tree is not None and tree.pages is not self._index.roots:
            self._index = PageIndex.of(tree.pages, unread_of(tree))
        return self._index

    # What is shown

    def show(self, reading: PageReading | None) -> None:
        """Show a page, or say why it is not there."""
        self._reading = reading
        panel = self.query_one(Panel)
        if reading is None:
            if self._facts.pages is None:
                self._facts.tell_missing(panel)
            elif self._facts.pages:
                panel.show_loading("the page")
            else:
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
            self._show_page(page)

    def _show_page(self, page: Page) -> None:
        before, index = self.shown, self.index
        same = before is not None and before.id == page.id
        wanted = self._wanted if self._wanted is not None and self._wanted.page == page.id else None
        if same and page == before and index is self._drawn_in and wanted is None:
            return
        if wanted is not None or not same:
            self._wanted = None
        self.shown, self._drawn_in = page, index
        text = body_of(page)
        self.sheet.show(
            page.title,
            text,
            page=page.id,
            description=page.description,
            surroundings=self._surroundings.of(page, text),
            position=wanted.position if wanted is not None else self.sheet.position if same else None,
            anchor=wanted.anchor if wanted is not None else None,
        )

    def on_page_view_shown(self, event: PageView.Shown) -> None:
        """Mark the links of the page that lead nowhere."""
        self.sheet.tell_links(self._is_broken)

    def _is_broken(self, href: str) -> bool:
        if self.shown is None or self._facts.tree.value is None:
            return False
        found = destination(href, self.shown, self.index)
        return isinstance(found, Nowhere) and found.broken

    # Going

    def follow(self, href: str, *, of_page: bool) -> None:
        """Go where a link leads: to a changed page here, else to the page in the space, or further out.

        It is a link of the page, or of the description, which stands on no page.
        """
        here = self.shown if of_page else None
        leads = self._leads(href, here)
        if not isinstance(leads, ToPage) or not self._shows(leads.page):
            self._out.follow(leads)
        elif here is not None and leads.page == here.id:
            self.sheet.go_to_anchor(leads.anchor)
        else:
            if here is not None:
                self._back.append(_Place(here.id, self.sheet.position))
            self._go(_Place(leads.page, None, leads.anchor))

    def browse(self, href: str, *, of_page: bool) -> None:
        """Show in the browser where a link of the page, or of the description, leads."""
        self._out.browse(self._leads(href, self.shown if of_page else None), self.index)

    def _leads(self, href: str, here: Page | None) -> Destination:
        return destination(href, here or Page(id=""), self.index)

    def _shows(self, page: str) -> bool:
        return any(one.id == page and DELETED not in one.kinds for one in self._facts.pages or ())

    def back(self) -> bool:
        """Go back to the page from which a link was followed; says whether there was one."""
        while self._back:
            place = self._back.pop()
            if self._shows(place.page):
                self._go(place)
                return True
        return False

    def _go(self, place: _Place) -> None:
        self._wanted = place
        self.post_message(self.Wanted(place.page))

    def pointed(self) -> Spoken:
        """Return where a comment would go: the block under the cursor."""
        if self._reading is None or self._reading.after is None:
            return Spoken(None)
        return speak_of(self._reading, self.sheet.cursor_line + 1)
