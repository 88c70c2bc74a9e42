"""Saving a snapshot of the screen while the program runs and when it is left."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from recto.store.locations import Locations, SiteLocation
from recto.tui.snapshot.strips import look_of, snapshot_of, strips_on
from recto.tui.widgets.notice import Notice

if TYPE_CHECKING:
    from textual.app import App
    from textual.timer import Timer

    from recto.store.locations import Locations
    from recto.tui.screens.view import View
    from recto.tui.snapshot.files import Snapshots

_REST = 2.0
"""Seconds between going to a location and saving a snapshot of it; most are left before."""


class Saver:
    """Saves snapshots of the view on top, without dialogs and notifications."""

    def __init__(self, app: App[Any], snapshots: Snapshots) -> None:
        self._app = app
        self._snapshots = snapshots
        self._timer: Timer | None = None

    def follow(self, locations: Locations) -> None:
        """Save a snapshot some moments after each location that is remembered."""
        locations.remembered.subscribe(lambda _: self._soon())

    def _soon(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._app.set_timer(_REST, self._look)

    async def _look(self) -> None:
        if not self._app.screen.query("Toast"):
            await self.save()

    async def save(self) -> None:
        """Save a snapshot, where the screen is a view that has loaded what it is for."""
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
        strips, location, look = strips_on(view), view.here, look_of(self._app)
        await asyncio.to_thread(lambda: self._snapshots.save(snapshot_of(strips, location, look)))


def _is_there(view: View) -> bool:
    """Whether a view is painted and says of nothing that it is loading or has failed."""
    notices = view.query(Notice).filter(".-loading, .-failed")
    return view.is_mounted and not view.covered and not any(notice.is_on_screen for notice in notices)
