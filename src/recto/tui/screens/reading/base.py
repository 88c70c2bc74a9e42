"""What a reader stands on in a view: the page and the panel around it, and what the view hears of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.addresses import Address
from recto.store.locations import SpaceLocation
from recto.tui.page.view import PageView
from recto.tui.screens.reading.links_out import LinksOut
from recto.tui.screens.space.layout import PAGE
from recto.tui.screens.view import View
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.store.store import Store


class ReadingBase(View[SpaceLocation]):
    """The ground of a view in which pages of a content are read; ``out`` leads away from them."""

    def __init__(self, store: Store, location: SpaceLocation, content: Address) -> None:
        super().__init__(store, location)
        self.space = content.space
        self.content = content
        self.out = LinksOut(self, content)

    @property
    def sheet(self) -> PageView:
        """The page."""
        return self.query_one("#page", PageView)

    @property
    def page_panel(self) -> Panel:
        """The panel around the page."""
        return self.query_one(f"#{PAGE}", Panel)

    # What the view hears of

    def page_shown(self, page: Page) -> None:
        """Hear that another text is in sight."""

    def page_gone(self) -> None:
        """Hear that no page is in sight any more, or none yet."""

    def place_changed(self) -> None:
        """Hear that where one is is worth remembering now: a page is being left, or changes go elsewhere."""
