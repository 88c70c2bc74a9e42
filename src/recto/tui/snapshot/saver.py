"""Keeps what the screen shows while the program works and when it is left, for the next start to begin with."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from recto.store.locations import Locations, SiteLocation
from recto.tui.snapshot.strips import drawn, look_of, sight_of
from recto.tui.widgets.notice import Notice

if TYPE_CHECKING:
    from textual.app import App
    from textual.timer import Timer

    from recto.store.locations import Locations
    from recto.tui.screens.view import View
    from recto.tui.snapshot.files import Sights

_REST = 2.0
"""Seconds after which a place that was gone to is looked at; most are passed through more quickly."""


class SightKeeper:
    """Looks at the view on top. What lies over it, dialogs and what is told in passing, is never kept."""

    def __init__(self, app: App[Any], sights: Sights) -> None:
        self._app = app
        self._sights = sights
        self._timer: Timer | None = None

    def follow(self, locations: Locations) -> None:
        """Keep what is seen some moments after each place that is remembered."""
        locations.remembered.subscribe(lambda _: self._soon())

    def _soon(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._app.set_timer(_REST, self._look)

    async def _look(self) -> None:
        if not self._app.screen.query("Toast"):
            await self.keep()

    async def keep(self) -> None:
        """Keep what is seen now, where that is a view which shows what it is for."""
        from recto.tui.screens.view import View

        view = self._app.screen
        # A site has links to share and secrets of sign-on, which belong in no file.
        if not isinstance(view, View) or not _is_there(view) or isinstance(view.here, SiteLocation):
            return
        if view.query("Toast"):
            self._app.clear_notifications()
            gone = asyncio.Event()
            if view.call_after_refresh(gone.set):
                await gone.wait()
        strips, location, look = drawn(view), view.here, look_of(self._app)
        await asyncio.to_thread(lambda: self._sights.keep(sight_of(strips, location, look)))


def _is_there(view: View) -> bool:
    """Whether a view is painted, and does not say that something is on its way or failed."""
    notices = view.query(Notice).filter(".-loading, .-failed")
    return view.is_mounted and not view.covered and not any(notice.is_on_screen for notice in notices)
