"""The door to this package: what stands for the first view while that is on its way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.errors import StyleSyntaxError
from textual import events

from recto.tui import actions
from recto.tui.snapshot.pending_keys import PendingKeys
from recto.tui.snapshot.saver import Saver
from recto.tui.snapshot.strips import look_of, strips_of
from recto.tui.snapshot.widget import SnapshotView

if TYPE_CHECKING:
    from textual.app import App
    from textual.strip import Strip
    from textual.widget import Widget

    from recto.store.locations import Locations
    from recto.store.store import Store
    from recto.tui.screens.view import View
    from recto.tui.snapshot.files import Snapshots

log = logging.getLogger(__name__)

_LONGEST = 5.0
"""How many seconds the snapshot stands at most."""

_PAUSE = 0.002
"""Seconds between two looks at whether a view is complete."""


class Cover:
    """Shows the snapshot of the last screen, holds keys until the view is there, and saves the next snapshot.

    ``keys`` are a person's own, by the name of an action.
    """

    def __init__(self, app: App[Any], snapshots: Snapshots | None, keys: Mapping[str, Sequence[str]]) -> None:
        self._app = app
        self._snapshots = snapshots
        self._saver = Saver(app, snapshots) if snapshots is not None else None
        self._keys = keys
        self._strips: list[Strip] = []
        self._pending = PendingKeys(app)
        self._view: View | None = None
        """The view that the snapshot stands for, once that is there."""

    @property
    def stands(self) -> bool:
        """Whether the snapshot is shown."""
        return bool(self._strips)

    def load(self) -> SnapshotView | None:
        """Return the widget that shows the snapshot; ``None`` where there is none for this terminal and place."""
        snapshot = self._snapshots.last() if self._snapshots is not None else None
        if snapshot is None or snapshot.look != look_of(self._app):
            return None
        try:
            self._strips = strips_of(snapshot)
        except StyleSyntaxError as error:
            log.warning("The snapshot cannot be drawn: %s", error)
        return SnapshotView(self._strips) if self._strips else None

    def begin(self) -> None:
        """Hold keys from now on where the snapshot stands, which it does for a few seconds at most."""
        if self.stands:
            self._pending.hold()
            self._app.set_timer(_LONGEST, self.lift)

    def put_over(self, view: View) -> None:
        """Stand for a view that is about to open."""
        self._view = view
        view.cover()

    def lift(self) -> None:
        """Show the view in place of the snapshot."""
        self._strips = []
        for screen in self._app.screen_stack:
            screen.query(SnapshotView).remove()
        if self._view is not None:
            self._view.uncover()
            self._view = None

    def lift_resized(self) -> None:
        """Show the view where it is there: the snapshot was drawn for another size."""
        if self._view is not None:
            self.lift()

    async def give_way(self, view: View, store: Store) -> None:
        """Show the view as soon as it has something to show, and pass on the keys that were held."""
        complete = False
        while self.stands and not complete:
            complete = await self._is_complete(view, store)
        covered = view.covered
        self.lift()
        if covered:
            # Textual paints what a key changes before the rest, and the snapshot would show in between.
            await view.until_painted()
        await self._pending.let_go()

    async def _is_complete(self, view: View, store: Store) -> bool:
        """Whether a view has a page to read, or the responses to all that it asked for, and shows them."""
        await asyncio.sleep(_PAUSE)
        answered = not store.pending
        drawn = asyncio.Event()
        if view.call_after_refresh(drawn.set):
            await drawn.wait()
        if any(_is_displayed(page) and getattr(page, "cursor_leaf", None) for page in view.query("PageView")):
            return True
        working = any(not worker.is_finished for worker in self._app.workers if worker.node is not self._app)
        return answered and not store.pending and not working

    def give_up(self) -> None:
        """Forget the keys and the snapshot: the view does not come."""
        self.lift()
        self._pending.forget()

    def delete(self) -> None:
        """Delete the snapshot: it is not for whoever is not let in."""
        if self._snapshots is not None:
            self._snapshots.delete()

    async def takes(self, event: events.Event) -> bool:
        """Whether an event is held back or acted on here, so that it goes no further now."""
        if self.stands and isinstance(event, events.MouseEvent):
            return True
        if isinstance(event, events.Key) and not event.is_forwarded and await self._acts_at_once(event):
            return True
        return self._pending.takes(event)

    async def _acts_at_once(self, event: events.Key) -> bool:
        # After other keys ``esc`` may close what those open: then it waits its turn.
        first = self._pending.holds and not self._pending.waiting
        if self._pending.holds and self._means(event, "app.quit"):
            await self._app.run_action("app_quit")
        elif first and self.stands and self._means(event, "view.escape"):
            self.lift()
        else:
            return False
        return True

    def _means(self, event: events.Key, name: str) -> bool:
        keys = self._keys.get(name, actions.get(name).keys)
        return event.key in keys or event.character in keys

    # Saving

    def follow(self, locations: Locations) -> None:
        """Save a snapshot some moments after each location that is remembered."""
        if self._saver is not None:
            self._saver.follow(locations)

    async def save(self) -> None:
        """Save a snapshot of the view on top."""
        if self._saver is not None:
            await self._saver.save()


def _is_displayed(widget: Widget) -> bool:
    # Under the cover it has no place on the screen yet.
    return all(node.display for node in widget.ancestors_with_self)
