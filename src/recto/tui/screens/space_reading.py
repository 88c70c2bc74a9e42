"""Reading in a space: going from page to page, where links lead, and copying what one reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.contract.content import SpaceContent
from recto.store.links import backlinks_of_file
from recto.tui import actions, navigation
from recto.tui.actions import Action, bindings
from recto.tui.navigation import GoBack, GoPrevious
from recto.tui.screens.space_base import SpaceBase
from recto.tui.screens.space_copies import copies
from recto.tui.screens.space_inventory_rows import measures
from recto.tui.screens.space_layout import PAGE
from recto.tui.screens.space_links import Destination, Nowhere, ToAddress, destination_of
from recto.tui.screens.space_tab_names import CONTENT
from recto.tui.widgets.find_line import FindLine
from recto.tui.widgets.linked_page import LinkedPage
from recto.tui.widgets.page_view import PageView
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.store.links import SpaceLink
    from recto.store.places import Spot
    from recto.store.store import Store
    from recto.tui.screens.space_inventory import Inventory
    from recto.tui.screens.space_neighbours import Neighbours
    from recto.tui.screens.space_reader import Reader
    from recto.tui.screens.space_walk import Walk

actions.register(
    Action("page.forward", "Forward again, after back", ("equals_sign",), "Page"),
    Action("page.copy", "Copy the page, a section, a block or a link", ("x",), "Page"),
)


class SpaceReading(SpaceBase):
    """The part of the view that reads; ``reader`` holds the page, ``neighbours`` where its links lead."""

    BINDINGS = bindings("page.forward", "page.copy")

    reader: Reader
    neighbours: Neighbours
    pages: Walk
    inventory: Inventory

    def __init__(self, store: Store, spot: Spot) -> None:
        super().__init__(store, spot)
        self.space = spot.arguments["space"]

    @property
    def on_content(self) -> bool:
        """Whether the pages are shown, and not one of the lists."""
        return True

    def show_content(self) -> None:
        """Show the pages."""
        self.query_one(TabStrip).active = CONTENT

    # Going

    def visit(self, page: str, anchor: str = "", line: int | None = None) -> str:
        """Go to a page, or to a place in it, for ``read``."""
        self.reader.visit(page, anchor=anchor, line=line)
        return page

    def read(self, going: Callable[[], str | None]) -> bool:
        """Go to a page by ``going``, which gives its id, and read there; says whether there was one."""
        page = going()
        if page is None:
            return False
        self.pages.reveal(page)
        self.panels.go_to(PAGE)
        self.place_changed()
        return True

    def enter(self, page: Page) -> None:
        """Go into a page of the tree: read it, go where it leads, open or close the group."""
        item = self.panels.page_tree.current
        if page.type == "link":
            self.follow_link(self.reader.leads_to(page))
        elif page.type == "group" and item is not None and item.expandable:
            self.panels.page_tree.toggle(item)
        else:
            self.read(lambda: self.visit(page.id))

    def follow_link(self, leads: Destination) -> None:
        """Go where a link leads."""
        self.read(lambda: self.reader.follow(leads))

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

    # Finding

    def on_linked_page_sought(self, event: LinkedPage.Sought) -> None:
        """Say which of the places found one has come to."""
        self._show_found()

    def on_find_line_counted(self, event: FindLine.Counted) -> None:
        """Say how often what is typed was found, and which of it one has come to."""
        if event.target is self.panels.sheet:
            event.prevent_default()
            self._show_found()

    async def on_find_line_done(self, event: FindLine.Done) -> None:
        """Go on saying what was found in the page."""
        event.prevent_default()
        await super().on_find_line_done(event)
        self._show_found()

    def _show_found(self) -> None:
        sheet = self.panels.sheet
        place, count = sheet.found
        self.show_news(f"{place:,} of {count:,} found" if count else "nothing found" if sheet.needle else "")

    # Links

    def on_page_view_link_followed(self, event: PageView.LinkFollowed) -> None:
        """Go where a link leads; where the pages do not tell, ask the platform first."""
        leads = self.neighbours.leads(event.href)
        if isinstance(leads, Nowhere):
            self.work(self._follow_asking(event.href), "link", group="link")
        else:
            self.follow_link(leads)

    async def _follow_asking(self, href: str) -> None:
        self.follow_link(await self.neighbours.ask(href))

    def on_page_view_browse_requested(self, event: PageView.BrowseRequested) -> None:
        """Show a link or the page in the browser."""
        address = event.href or self.reader.address
        if address is None:
            self.say("This page is not published, so that it has no address.")
        elif isinstance(leads := self.neighbours.leads(address), ToAddress):
            self.browse(leads.address)
        else:
            self.follow_link(leads)

    def open_address(self, found: ToAddress) -> None:
        """Go to a page by its address in the web app where that is a space here, else show it in the browser."""
        self.work(self._open_address(found), "address", group="address")

    async def _open_address(self, found: ToAddress) -> None:
        try:
            if found.path:
                page = await self.store.fetch(SpaceContent.get_page_by_path, found.space, found.path)
                self.go(navigation.at_space(found.space, page=page.id, anchor=found.anchor))
            else:
                await self.store.fetch(SpaceContent.list_pages, found.space)
                self.go(navigation.at_space(found.space))
        except ClientError:
            self.browse(found.address)

    def open_link(self, link: SpaceLink) -> None:
        """Go to the place in which a link is written."""
        page = link.page
        if page is None or page not in self.reader.index:
            self.say("It is written in a text that pages include, not in a page.")
            return
        self.show_content()
        self.read(lambda: self.visit(page, line=link.line - 1 if link.line else None))

    def open_file(self, file: str) -> None:
        """Tell what a file is and where it is used, and go there."""
        self.work(self._open_file(file), "file", group="file")

    async def _open_file(self, id: str) -> None:
        from recto.tui.dialogs.file_uses import FileUses

        file = self.inventory.file(id)
        if file is None:
            file = await self.store.fetch(SpaceContent.get_file, self.space, id)
        used = await self.ask(FileUses(file.name or id, measures(file), backlinks_of_file(self.store, self.space, id)))
        leads = destination_of(used, self.space, self.reader.index) if used is not None else None
        if leads is not None:
            self.show_content()
            self.follow_link(leads)

    # Copying

    def on_page_view_copy_text_requested(self, event: PageView.CopyTextRequested) -> None:
        """Copy a block."""
        self.copy(event.text, "the text")

    def on_page_view_copy_link_requested(self, event: PageView.CopyLinkRequested) -> None:
        """Copy a link, or where one is."""
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
        found = copies(self.panels.sheet, page, self.reader.address_of_place)
        answer = await self.ask(Choose("Copy", [Choice(str(index), one.label) for index, one in enumerate(found)]))
        if answer is not None:
            chosen = found[int(answer)]
            self.copy(chosen.text, chosen.what)
