"""Reading in a space: what the platform knows of links, files, and the page tree beside the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recto.contract.addresses import Main
from recto.contract.content import Content
from recto.store.links import backlinks_of_file
from recto.tui.screens.reading.links import Destination, Nowhere, ToFile, destination_of
from recto.tui.screens.space.base import SpaceBase
from recto.tui.screens.space.inventory_rows import measures
from recto.tui.screens.space.layout import PAGE
from recto.tui.screens.space.tab_names import CONTENT
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.store.links import SpaceLink
    from recto.tui.screens.space.inventory import Inventory
    from recto.tui.screens.space.neighbours import Neighbours
    from recto.tui.screens.space.page_tree import Walk


class SpaceReading(SpaceBase):
    """The part of the view that reads; ``neighbours`` know where the links of the page lead."""

    neighbours: Neighbours
    pages: Walk
    inventory: Inventory

    def show_content(self) -> None:
        """Show the pages."""
        self.query_one(TabStrip).active = CONTENT

    # Going

    def reveal(self, page: str) -> None:
        """Put the cursor of the tree on a page, and the person into the page."""
        self.pages.reveal(page)
        self.panels.go_to(PAGE)

    def enter(self, page: Page) -> None:
        """Go into a page of the tree: read it, go where it leads, open or close the group."""
        item = self.panels.page_tree.current
        if page.type == "link":
            self.follow_link(self.reader.leads_to(page))
        elif page.type == "group" and item is not None and item.expandable:
            self.panels.page_tree.toggle(item)
        else:
            self.read(lambda: self.visit(page.id))

    # Links

    def leads(self, href: str) -> Destination:
        """Tell where a link on the page leads, by all that is known of it."""
        return self.neighbours.leads(href)

    def follow_link(self, leads: Destination) -> None:
        """Go where a link leads."""
        if isinstance(leads, ToFile):
            self.open_file(leads.file)
        else:
            super().follow_link(leads)

    def find_out(self, href: str, go: Callable[[Destination], None]) -> None:
        """Go by ``go`` where a link leads; where the pages do not tell, ask the platform first."""
        leads = self.leads(href)
        if isinstance(leads, Nowhere):
            self.work(self._find_out_asking(href, go), "link", group="link")
        else:
            go(leads)

    async def _find_out_asking(self, href: str, go: Callable[[Destination], None]) -> None:
        page = self.reader.page
        leads = await self.neighbours.ask(href)
        # Who has gone on meanwhile is not called away.
        if self.reader.page == page:
            go(leads)

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
            file = await self.store.fetch(Content.get_file, Main(self.space), id)
        used = await self.ask(FileUses(file.name or id, measures(file), backlinks_of_file(self.store, self.space, id)))
        leads = destination_of(used, self.space, self.reader.index) if used is not None else None
        if leads is not None:
            self.show_content()
            self.follow_link(leads)
