"""What the parts of a space's view stand on: the panels, and what they tell each other of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recto.tui.dialogs.browse import Browse
from recto.tui.screens.space_panels import Panels
from recto.tui.screens.view import View

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.contract.content import Page
    from recto.store.links import SpaceLink
    from recto.store.places import Spot
    from recto.store.query import Query
    from recto.store.signal import Subscription
    from recto.store.store import Store
    from recto.tui.screens.space_links import Destination, ToAddress


class SpaceBase(View):
    """The ground of the view; the view itself fills what it hears of."""

    def __init__(self, store: Store, spot: Spot) -> None:
        super().__init__(store, spot)
        self._followed: dict[str, list[Subscription]] = {}

    @property
    def panels(self) -> Panels:
        """The tree, the page and the side panel."""
        return self.query_one(Panels)

    # What the view hears of

    def page_shown(self, page: Page) -> None:
        """Hear that another text is in sight."""

    def place_changed(self) -> None:
        """Hear that where one is is worth remembering now: a page is being left, or changes go elsewhere."""

    def page_came(self, query: Query[Page]) -> None:
        """Hear how things stand with the page that is followed."""

    def comments_changed(self) -> None:
        """Hear that other comments are known."""

    def requests_changed(self) -> None:
        """Hear that other change requests are known, or that changes go to another one."""

    def drafts_changed(self) -> None:
        """Hear that other drafts are on disk."""

    def neighbours_changed(self) -> None:
        """Hear that more is known of links, of the page or of the space."""

    def open_thread(self, comment: Comment) -> None:
        """Hear that a thread is to be shown."""

    def follow_link(self, leads: Destination) -> None:
        """Hear that the person wants to go where a link leads."""

    def open_link(self, link: SpaceLink) -> None:
        """Hear that the place is to be shown in which a link is written."""

    def open_file(self, file: str) -> None:
        """Hear that a file is to be shown, by its id."""

    def open_address(self, found: ToAddress) -> None:
        """Hear that a page is to be shown whose address in the web app is known."""

    # What the parts do alike

    def follow_instead(self, name: str, callback: Callable[[Query[Any]], None], *queries: Query[Any]) -> None:
        """Follow queries in place of those that were followed under the same name before."""
        before = self._followed.pop(name, [])
        for subscription in before:
            subscription.close()
        self._subscriptions = [one for one in self._subscriptions if one not in before]
        known = len(self._subscriptions)
        for query in queries:
            self.follow(query, callback)
        self._followed[name] = self._subscriptions[known:]

    def follow_page(self, query: Query[Page] | None) -> None:
        """Follow a page in place of the one before."""
        self.follow_instead("page", self.page_came, *([query] if query is not None else []))

    def browse(self, address: str) -> None:
        """Show an address, and open it in the browser if the person wants that."""

        async def ask() -> None:
            if await self.ask(Browse(address)):
                self.app.open_url(address)

        self.work(ask(), "browse")

    def name_place(self, comment: Comment) -> str:
        """Name the page that a comment is on."""
        page = comment.target.page
        return "the space" if page is None else page.title or "a page that is gone"
