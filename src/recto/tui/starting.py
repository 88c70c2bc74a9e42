"""How the app starts: a first frame before anything heavy is imported, then the store, then the first view."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import events
from textual.screen import Screen

from recto.collector import collect_from_now_on
from recto.settings import Settings
from recto.store.locations import Location, OrganizationsLocation
from recto.tui import actions
from recto.tui.look.lines import plain
from recto.tui.navigation import views
from recto.tui.navigation.location_keeper import LocationKeeper
from recto.tui.navigation.messages import Beginning
from recto.tui.private_names import FailsInOneSentence
from recto.tui.screens.opening import BEGINNING, Opening
from recto.tui.snapshot.cover import Cover
from recto.tui.terminal import crash

if TYPE_CHECKING:
    from recto.client.errors import ClientError
    from recto.store.progress import Progress
    from recto.store.store import Store
    from recto.tui.dialogs.confirm import Confirm
    from recto.tui.screens.view import View
    from recto.tui.snapshot.files import Snapshots

log = logging.getLogger(__name__)

OpenStore = Callable[[], Awaitable["Store"]]
"""Opens the store; what it needs is imported in it."""

Lead = Callable[["Store", Callable[[str], None]], Awaitable[Location | Beginning | None]]
"""Finds out where to begin, such as by bringing a folder in; may say what it is doing."""

_FIRST = 0.25
"""How many seconds a view may wait for what it is first shown with."""

_A_MOMENT = 2.0
"""How many seconds the first answers may take before garbage is collected all the same."""


class Starting(FailsInOneSentence, inherit_bindings=False):
    """An app that opens a store and goes to a view. A snapshot of the last screen stands for it until then."""

    def __init__(
        self,
        open_store: OpenStore,
        settings: Settings | None = None,
        opening: Location | Lead | None = None,
        snapshots: Snapshots | None = None,
    ) -> None:
        super().__init__()
        self._open_store = open_store
        self._settings = settings or Settings()
        self._opening = opening
        self._cover = Cover(self, snapshots, self._settings.keys)
        self._location_keeper: LocationKeeper | None = None
        self._store: Store | None = None
        self._asking: Confirm | None = None
        """The question whether to cancel what the program was called for."""
        self.last_words = ""
        """Message printed to the shell after a failed start."""

    # Opening

    def get_default_screen(self) -> Screen[Any]:
        """Return the snapshot of the last screen where there is one, else that the program is opening."""
        return Opening(self._cover.load() if self._opening is None else None)

    def on_mount(self) -> None:
        """Prepare the first frame."""
        self.set_keymap(actions.keymap(self._settings.keys))
        self._cover.begin()

    def on_ready(self) -> None:
        """Open the store, now that the first frame is painted."""
        self._begin()

    def _begin(self) -> None:
        self.run_worker(self._open(), name="open", group="open", exclusive=True, exit_on_error=False)

    def on_opening_again(self) -> None:
        """Try again to open."""
        self._begin()

    def on_opening_cancel_wanted(self) -> None:
        """Ask whether to cancel what the program was called for; the question goes when that has ended."""
        from recto.tui.dialogs.confirm import Confirm

        def cancel(yes: bool | None) -> None:
            self._asking = None
            opening = self.screen_stack[0]
            if yes and isinstance(opening, Opening) and opening.can_cancel:
                self.workers.cancel_group(self, "open")
                self._give_up("Cancelled; nothing of it was kept.")

        if self._asking is None:
            says = "What Recto was called for is not finished. Cancelled, nothing of it is kept."
            self._asking = Confirm("Cancel", says, does="cancels it and leaves", keeps="goes on")
            self.push_screen(self._asking, cancel)

    def _stop_asking(self) -> None:
        if self._asking is not None and self._asking.is_attached:
            self._asking.dismiss(None)

    def on_opening_given_up(self, event: Opening.GivenUp) -> None:
        """Leave without having opened anything."""
        self._give_up(event.why)

    def _give_up(self, why: str, exit_code: int = 1) -> None:
        self.last_words = plain(why)
        self.exit(return_code=exit_code)

    async def _open(self) -> None:
        opening = self.screen_stack[0]
        assert isinstance(opening, Opening)
        opening.show_progress(BEGINNING)
        try:
            if self._store is None:
                self._store = await self._open_store()
                self._store.locked_out.subscribe(self._lock_out)
            found = self._opening
            if callable(found):
                # Finding out where to begin, such as by bringing a folder in, makes much that does not stay.
                collect_from_now_on()
            if self._store.workspace is not None:
                self._store.workspace.watch_indexing(self._show_indexing)
            if callable(found):
                opening.can_cancel = True
                try:
                    begun = await found(self._store, opening.show_progress)
                finally:
                    opening.can_cancel = False
                    self._stop_asking()
            else:
                begun = found
            if not isinstance(begun, Beginning):
                begun = Beginning(self._first(begun))
            await self._load_first(begun.location, self._store)
            view = await self.show_view(begun.location, covered=self._cover.stands)
            self._keep_locations(self._store)
            self.after_opening(begun)
            await self._cover.give_way(view, self._store)
            view.take_up()
        except Exception as error:
            self._fail(opening, error)
        finally:
            await self._come_to_rest()
            collect_from_now_on()
            if self._store is not None and self.open_views:
                self._store.start_polling(self._opened_at, lambda: self._settings.polling)

    def _show_indexing(self, progress: Progress) -> None:
        """Show how far the index is on the view on top; the line is cleared at its end."""
        from recto.tui.dialogs.import_report import progress_line

        finished = progress.done == progress.total
        for view in self.open_views[-1:]:
            view.show_news("" if finished else progress_line(progress))

    def _keep_locations(self, store: Store) -> None:
        """Remember from now on where one comes to rest, and what is seen there."""
        if store.locations is not None:
            self._location_keeper = LocationKeeper(self, self._here, store.locations, store.address)
            self._cover.follow(store.locations)

    def _here(self) -> Location | None:
        views = self.open_views
        return views[-1].here if views else None

    def _opened_at(self) -> Location | None:
        views = self.open_views
        return views[-1].opened_at if views else None

    def _fail(self, opening: Opening, error: Exception) -> None:
        if not hasattr(error, "next_step") and not hasattr(error, "exit_code"):
            crash.record(error)
        self._cover.give_up()
        opening.show_failed("Recto could not open your documentation.", str(error) or type(error).__name__)
        if hasattr(error, "exit_code"):
            # Trying again would not help: the sentence belongs in the shell, where the command was given. Nor is what
            # was seen before to be seen by someone who is not let in.
            self._cover.delete()
            self._give_up(str(error), error.exit_code)

    def _lock_out(self, error: ClientError) -> None:
        """Leave where the platform does not accept the token: what was stored is not for whoever has it."""
        self._cover.delete()
        self._give_up(str(error))

    async def _load_first(self, location: Location, store: Store) -> None:
        """Wait a moment for what the location is first shown with."""
        queries = views.view_class(location).first_queries(store, location)
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST):
                await asyncio.gather(*(query.settled() for query in queries))

    async def _come_to_rest(self) -> None:
        """Wait for the first answers, though not for slow ones."""
        if self._store is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_A_MOMENT):
                    await self._store.idle()

    def _first(self, location: Location | None) -> Location:
        if location is None and self._store is not None and self._store.locations is not None:
            location = self._store.locations.last(self._store.address)
        return location or OrganizationsLocation()

    @property
    def open_views(self) -> list[View]:
        """The views that are open, the one on top last."""
        from recto.tui.screens.view import View

        return [screen for screen in self.screen_stack if isinstance(screen, View)]

    @abstractmethod
    async def show_view(self, location: Location, *, covered: bool = False) -> View:
        """Show the view of a location; covered, it is not painted yet."""

    def after_opening(self, begun: Beginning) -> None:
        """Do what is to be done where the program begins."""

    # What stands for the view

    def on_resize(self) -> None:
        """Show a view that is covered: what covers it was drawn for another size."""
        self._cover.lift_resized()

    async def on_event(self, event: events.Event) -> None:
        """Hold what is typed until the view is there; leaving needs no view."""
        if isinstance(event, events.InputEvent):
            if self._location_keeper is not None:
                self._location_keeper.stir()
            if self._store is not None:
                self._store.note_activity()
        if not await self._cover.takes(event):
            await super().on_event(event)
