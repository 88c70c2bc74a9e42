"""What the parts of a space's view stand on: the panels, and what they tell each other of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.addresses import Main
from recto.tui.screens.reading.screen import ReadingScreen
from recto.tui.screens.space.panels import Panels

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.store.links import SpaceLink
    from recto.store.locations import SpaceLocation
    from recto.store.store import Store
    from recto.tui.lists.virtual_list import VirtualList


class SpaceBase(ReadingScreen):
    """The ground of the view; the view itself fills what it hears of."""

    def __init__(self, store: Store, location: SpaceLocation) -> None:
        super().__init__(store, location, Main(location.space))
        self._lists: dict[int, VirtualList] = {}

    @property
    def panels(self) -> Panels:
        """The tree, the page and the side panel."""
        return self.query_one(Panels)

    def list_on(self, tab: int) -> VirtualList | None:
        """Return the list on a tab; ``None`` while nobody has looked there."""
        return self._lists.get(tab)

    # What the view hears of

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

    def open_link(self, link: SpaceLink) -> None:
        """Hear that the place is to be shown in which a link is written."""

    def open_file(self, file: str) -> None:
        """Hear that a file is to be shown, by its id."""

    def name_place(self, comment: Comment) -> str:
        """Name the page that a comment is on."""
        page = comment.target.page
        return "the space" if page is None else page.title or "a page that is gone"
