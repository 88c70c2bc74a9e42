"""A view in which pages are read: going from page to page, where links lead, and copying what one reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from recto.contract.addresses import Address
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.navigation.messages import GoBack, GoPrevious
from recto.tui.page.view import PageView
from recto.tui.screens.reading.base import ReadingBase
from recto.tui.screens.reading.copies import copies
from recto.tui.screens.reading.links import Destination, ToPage
from recto.tui.screens.reading.reader import Reader
from recto.tui.widgets.find_line import FindLine

if TYPE_CHECKING:
    from recto.store.locations import SpaceLocation
    from recto.store.store import Store

actions.register(
    Action("page.forward", "Forward again, after back", ("equals_sign",), "Page"),
    Action("page.copy", "Copy the page, a section, a block or a link", ("x",), "Page"),
)

_NO_PAGE = "No page is loaded."


class ReadingScreen(ReadingBase):
    """A view of pages of a content, which ``reader`` reads.

    Subclasses put a panel with a page, and say in ``reveal`` how a page is put before the person.
    """

    BINDINGS = bindings("page.forward", "page.copy", "page.pictures")

    no_address: ClassVar[str] = ""
    """Why the pages have no addresses, in a sentence; empty where they may have some."""

    def __init__(self, store: Store, location: SpaceLocation, content: Address) -> None:
        super().__init__(store, location, content)
        self.reader = Reader(self, content)

    @property
    def on_content(self) -> bool:
        """Whether the page is shown, and nothing in its place."""
        return True

    # Going

    def reveal(self, page: str) -> None:
        """Put a page before the person that is being read."""

    def visit(self, page: str, anchor: str = "", line: int | None = None) -> str:
        """Go to a page, or to a place in it, for ``read``."""
        self.reader.visit(page, anchor=anchor, line=line)
        return page

    def read(self, going: Callable[[], str | None]) -> bool:
        """Go to a page by ``going``, which gives its id, and read there; says whether there was one."""
        page = going()
        if page is None:
            return False
        self.reveal(page)
        self.place_changed()
        return True

    def action_view_back(self) -> None:
        """Go back to the page read before, then to where one came from."""
        if not (self.on_content and self.read(self.reader.back)):
            self.post_message(GoBack())

    def action_page_forward(self) -> None:
        """Go forward to the page that one came back from."""
        self.read(self.reader.forward)

    def action_view_previous(self) -> None:
        """Go to what was seen before this: a page, else a view."""
        if not (self.on_content and self.read(self.reader.previous)):
            self.post_message(GoPrevious())

    # Links

    def leads(self, href: str) -> Destination:
        """Tell where a link on the page leads."""
        return self.reader.destination(href)

    def follow_link(self, leads: Destination) -> None:
        """Go where a link leads."""
        self.read(lambda: self.reader.follow(leads))

    def find_out(self, href: str, go: Callable[[Destination], None]) -> None:
        """Go by ``go`` where a link of the page leads, by how it is written."""
        go(self.leads(href))

    def on_page_view_link_followed(self, event: PageView.LinkFollowed) -> None:
        """Go where a link leads."""
        self.find_out(event.href, self.follow_link)

    def browse(self, leads: Destination) -> None:
        """Show in the browser where a link leads."""
        if self.no_address and isinstance(leads, ToPage):
            self.say(self.no_address)
        else:
            self.out.browse(leads, self.reader.index)

    def on_page_view_browse_requested(self, event: PageView.BrowseRequested) -> None:
        """Show a link or the page in the browser."""
        if self.reader.shown is None:
            self.say(_NO_PAGE)
        elif event.href is not None:
            self.find_out(event.href, self.browse)
        else:
            self.browse(ToPage(self.reader.shown.id))

    # Finding

    def on_page_view_match_changed(self, event: PageView.MatchChanged) -> None:
        """Say which of the places found one has come to."""
        self._show_found()

    def on_find_line_counted(self, event: FindLine.Counted) -> None:
        """Say how often what is typed was found, and which of it one has come to."""
        if event.target is self.sheet:
            event.prevent_default()
            self._show_found()

    async def on_find_line_done(self, event: FindLine.Done) -> None:
        """Go on saying what was found in the page."""
        event.prevent_default()
        await super().on_find_line_done(event)
        self._show_found()

    def on_page_view_shown(self, event: PageView.Shown) -> None:
        """Say how often what is looked for stands in the page that can be seen now."""
        if self.sheet.needle:
            self._show_found()

    def _show_found(self) -> None:
        sheet = self.sheet
        place, count = sheet.found
        self.show_news(f"{place:,} of {count:,} found" if count else "nothing found" if sheet.needle else "")

    def why_not(self, action: str) -> str | None:
        """Say why an action of a page cannot be done now."""
        if action == "page.forward" and not self.reader.can_go_forward:
            return "you have not come back from another page"
        if action == "page.copy" and self.reader.shown is None:
            return "no page is loaded"
        if action == "page.pictures":
            return self.sheet.why_not(action)
        return super().why_not(action)

    # Pictures

    def action_page_pictures(self) -> None:
        """Show all pictures of the page."""
        self.sheet.action_page_pictures()

    # Copying

    def on_page_view_copy_text_requested(self, event: PageView.CopyTextRequested) -> None:
        """Copy a block."""
        self.copy(event.text, "the text")

    def on_page_view_copy_link_requested(self, event: PageView.CopyLinkRequested) -> None:
        """Copy a link, or where one is."""
        if self.reader.shown is None:
            self.say(_NO_PAGE)
            return
        if event.href is None and self.no_address:
            self.say(self.no_address)
            return
        address = event.href or self.reader.address_of_place(event.anchor)
        self.copy(address, address)

    def copy(self, text: str, what: str) -> None:
        """Copy a text and say so."""
        self.app.copy_to_clipboard(text)
        self.say(f"Copied {what}.")

    def action_page_copy(self) -> None:
        """Ask what to copy, and how."""
        self.work(self._copy(), "copy", group="copy")

    async def _copy(self) -> None:
        from recto.tui.dialogs.choose import Choice, Choose

        page = self.reader.shown
        if page is None:
            return
        found = copies(self.sheet, page, self.reader.address_of_place, self.no_address)
        choices = [Choice(str(index), one.label, reason=one.reason) for index, one in enumerate(found)]
        answer = await self.ask(Choose("Copy", choices))
        if answer is not None:
            chosen = found[int(answer)]
            self.copy(chosen.text, chosen.what)
