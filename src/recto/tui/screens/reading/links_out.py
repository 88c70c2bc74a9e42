"""Going where links lead out of the pages that are read: into another space, the web, or to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.contract.content import SpaceContent
from recto.tui.navigation import at_space
from recto.tui.screens.reading.links import Destination, Nowhere, ToAddress, ToFile, ToPage, ToSpace, ToWeb
from recto.tui.screens.space.inventory_rows import measures

if TYPE_CHECKING:
    from recto.store.content import Content
    from recto.tui.screens.view import View


class LinksOut:
    """Follows the links of pages of a content for a view."""

    def __init__(self, view: View, content: Content) -> None:
        self._view = view
        self._content = content

    def follow(self, found: Destination) -> None:
        """Go where a link leads; to a page of the content in the space as it is now."""
        match found:
            case ToPage(page, anchor):
                self._view.go(at_space(self._content.space, page=page, anchor=anchor))
            case ToSpace(space, page, anchor):
                self._view.go(at_space(space, page=page, anchor=anchor))
            case ToAddress():
                self._view.work(self._open_address(found), "address", group="address")
            case ToFile(file):
                self._view.work(self._tell_file(file), "file", group="file")
            case ToWeb(address):
                self.browse(address)
            case Nowhere(why):
                self._view.say(why)

    def browse(self, address: str) -> None:
        """Show an address, and open it in the browser if the person wants that."""
        from recto.tui.dialogs.browse import Browse

        async def ask() -> None:
            if await self._view.ask(Browse(address)):
                self._view.app.open_url(address)

        self._view.work(ask(), "browse")

    async def _open_address(self, found: ToAddress) -> None:
        """Go to a page by its address in the web app where that is a space here, else show it in the browser."""
        store = self._view.store
        try:
            if found.path:
                page = await store.fetch(SpaceContent.get_page_by_path, found.space, found.path)
                self._view.go(at_space(found.space, page=page.id, anchor=found.anchor))
            else:
                await store.fetch(SpaceContent.list_pages, found.space)
                self._view.go(at_space(found.space))
        except ClientError:
            self.browse(found.address)

    async def _tell_file(self, id: str) -> None:
        listing = (await self._content.files(self._view.store).settled()).value
        file = next((one for one in listing.items if one.id == id), None) if listing is not None else None
        self._view.say(f"{file.name}: {measures(file)}." if file is not None else "The file is not known here.")
