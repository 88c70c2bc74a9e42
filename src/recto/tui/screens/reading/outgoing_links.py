"""Going where links lead out of the pages that are read: into another space, the web, or to a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.contract.addresses import Address, AtRevision, InChangeRequest, Main
from recto.contract.content import Content
from recto.contract.spaces import Spaces
from recto.store.locations import SpaceLocation
from recto.tui.navigation.url_locations import for_browser
from recto.tui.screens.reading.destinations import Destination, Nowhere, ToAddress, ToFile, ToPage, ToSpace, ToWeb
from recto.tui.screens.reading.page_index import PageIndex, title_of
from recto.tui.screens.space.inventory_rows import measures

if TYPE_CHECKING:
    from recto.contract.common import Urls
    from recto.contract.content import File
    from recto.tui.screens.interactive import Interactive

_NO_FILE = "The file is not known here."


class OutgoingLinks:
    """Follows the links of pages of a content; ``owner`` asks, tells and goes."""

    def __init__(self, owner: Interactive, address: Address) -> None:
        self._owner = owner
        self._address = address

    def follow(self, found: Destination) -> None:
        """Go where a link leads; from a past revision to the page as it is now."""
        match found:
            case ToPage(page, anchor):
                self._go(SpaceLocation(self._address.space, page=page, anchor=anchor))
            case ToSpace(space, page, anchor):
                self._go(SpaceLocation(space, page=page, anchor=anchor))
            case ToAddress():
                self._owner.work(self._open_address(found), "address", instead_of="address")
            case ToFile(file):
                self._owner.work(self._tell_file(file), "file", instead_of="file")
            case ToWeb(address):
                self._offer(address)
            case Nowhere(why):
                self._owner.say(why)

    def _go(self, location: SpaceLocation) -> None:
        """Go to a place in the same change request, or in another space where that is seen now."""
        if location.space != self._address.space:
            location = self._owner.store.at_choice(location)
        elif isinstance(self._address, InChangeRequest):
            location = replace(location, change_request=self._address.change_request)
        self._owner.go(location)

    def browse(self, found: Destination, index: PageIndex) -> None:
        """Show in the browser where a link leads, also what could be gone to here; ``index`` knows the pages here."""
        match found:
            case ToPage(page, anchor) if page in index and isinstance(self._address, AtRevision):
                self._browse_past(index.pages[page].urls, anchor)
            case ToPage(page, anchor) if page in index:
                self._browse_thing(title_of(index.pages[page]), index.pages[page].urls, anchor)
            case ToPage():
                self._owner.say("The page is no longer in this space.")
            case ToSpace():
                self._owner.work(self._browse_space(found), "address", instead_of="address")
            case ToFile(file):
                self._owner.work(self._browse_file(file), "file", instead_of="file")
            case ToAddress(address=address) | ToWeb(address):
                self._offer(address)
            case Nowhere(why):
                self._owner.say(why)

    def _browse_thing(self, title: str, urls: Urls, anchor: str = "") -> None:
        address = for_browser(urls.published) or for_browser(urls.app)
        if address is None:
            self._owner.say(f"“{title}” is not published, so the link has no address.")
        else:
            self._offer(f"{address}#{anchor}" if anchor else address)

    def _browse_past(self, urls: Urls, anchor: str) -> None:
        """Show a page of a past revision in the web app, since the published page is the current one."""
        if (address := for_browser(urls.app)) is None:
            self._owner.say("The past revision has no address that a browser can open.")
        else:
            self._offer(f"{address}#{anchor}" if anchor else address)

    async def _browse_space(self, found: ToSpace) -> None:
        """Show another space, or a page of it, in the browser."""
        store = self._owner.store
        if found.page is not None:
            page = await store.fetch(Content.get_page, Main(found.space), found.page)
            self._browse_thing(title_of(page), page.urls, found.anchor)
        else:
            space = await store.fetch(Spaces.get_space, found.space)
            self._browse_thing(space.title, space.urls)

    async def _browse_file(self, id: str) -> None:
        file = await self._file(id)
        if file is None:
            self._owner.say(_NO_FILE)
        elif (address := for_browser(file.download_url)) is None:
            self._owner.say(f"{file.name} is not published, so the link has no address.")
        else:
            self._offer(address)

    def _offer(self, address: str) -> None:
        """Show an address, and open it in the browser if the person wants that."""
        from recto.tui.dialogs.browse import Browse

        async def ask() -> None:
            if await self._owner.ask(Browse(address)):
                self._owner.app.open_url(address)

        self._owner.work(ask(), "browse")

    async def _open_address(self, found: ToAddress) -> None:
        """Go to a page by its address in the web app where that is a space here, else show it in the browser."""
        store = self._owner.store
        try:
            if found.path:
                page = await store.fetch(Content.get_page_by_path, Main(found.space), found.path)
                self._go(SpaceLocation(found.space, page=page.id, anchor=found.anchor))
            else:
                await store.fetch(Content.list_pages, Main(found.space))
                self._go(SpaceLocation(found.space))
        except ClientError:
            self._offer(found.address)

    async def _tell_file(self, id: str) -> None:
        file = await self._file(id)
        self._owner.say(f"{file.name}: {measures(file)}." if file is not None else _NO_FILE)

    async def _file(self, id: str) -> File | None:
        listing = (await self._owner.store.query_list(Content.list_files, self._address).wait()).value
        return next((one for one in listing.items if one.id == id), None) if listing is not None else None
