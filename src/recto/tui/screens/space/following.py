"""Where links of a space lead, and files: to a page at the same address, to another space, out, or to a dialog."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recto.contract.addresses import AtRevision
from recto.contract.content import Content, File
from recto.store.links import backlinks_of_file
from recto.tui.screens.reading.destinations import Destination, Nowhere, ToFile, destination_of
from recto.tui.screens.space.inventory_rows import measures

if TYPE_CHECKING:
    from recto.contract.addresses import Address
    from recto.store.links import SpaceLink
    from recto.tui.screens.reading.reading_pane import ReadingPane
    from recto.tui.screens.space.neighbours import Neighbours
    from recto.tui.screens.view import View

NO_USES = "Where a file was used in a past revision is not known."


class LinkFollower:
    """Follows links for a screen; ``arrived`` is called with the page of the space that was gone to."""

    def __init__(
        self, view: View, at: Address, reading: ReadingPane, links: Neighbours, arrived: Callable[[str | None], object]
    ) -> None:
        self._view = view
        self._at = at
        self._reading = reading
        self._links = links
        self._arrived = arrived

    def choose(self, href: str, *, browse: bool) -> None:
        """Go where a link of the page leads, here or in the browser; ask the platform where the pages do not tell."""
        leads, go = self._links.leads(href), self._reading.browse if browse else self.follow
        if isinstance(leads, Nowhere) and not isinstance(self._at, AtRevision):
            self._view.work(self._find_out(href, go), "link", instead_of="link")
        else:
            go(leads)

    async def _find_out(self, href: str, go: Callable[[Destination], None]) -> None:
        page = self._reading.page
        leads = await self._links.ask(href)
        # A person who has gone on meanwhile is not interrupted.
        if self._reading.page == page:
            go(leads)

    def follow(self, leads: Destination) -> None:
        """Go where a link leads."""
        past = isinstance(self._at, AtRevision)
        if isinstance(leads, Nowhere) and leads.broken and past:
            self._view.say("The space had no such page then.")
        elif isinstance(leads, ToFile) and not past:
            self._view.work(self._show_file(leads.file), "file", instead_of="file")
        else:
            self._arrived(self._reading.follow_link(leads))

    def visit_writing(self, link: SpaceLink) -> None:
        """Go to the place in which a link is written."""
        page, line = link.page, link.line
        if page is None or page not in self._reading.index:
            self._view.say("It is written in a text that pages include, not in a page.")
        else:
            self._arrived(self._reading.visit(page, line=line - 1 if line else None))

    def show_file(self, file: File) -> None:
        """Show what a file is and where it is used, and go there; a past revision has no list of uses."""
        if isinstance(self._at, AtRevision):
            self._view.say(NO_USES)
            return
        self._view.work(self._show_file(file.id, file), "file", instead_of="file")

    async def _show_file(self, id: str, file: File | None = None) -> None:
        from recto.tui.dialogs.file_uses import FileUses

        at = self._at
        if isinstance(at, AtRevision):
            return
        if file is None:
            file = await self._view.store.fetch(Content.get_file, at, id)
        uses = backlinks_of_file(self._view.store, at, id)
        used = await self._view.ask(FileUses(file.name or id, measures(file), uses))
        leads = destination_of(used, at.space, self._reading.index) if used is not None else None
        if leads is not None:
            self.follow(leads)
