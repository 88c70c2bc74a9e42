"""The start of the app: a first frame before heavy imports, then the store, then the first view."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from textual import events
from textual.screen import Screen
from textual.timer import Timer

from recto.collector import collect_from_now_on
from recto.settings import Settings
from recto.store.locations import Location, OrganizationsLocation
from recto.tui.look.lines import plain
from recto.tui.look.progress_text import progress_line
from recto.tui.navigation import views
from recto.tui.navigation.key_queue import KeyQueue
from recto.tui.navigation.messages import Beginning, HasLists
from recto.tui.screens.opening_screen import BEGINNING, Opening
from recto.tui.terminal import crash

if TYPE_CHECKING:
    from textual.app import App

    from recto.client.errors import ClientError
    from recto.store.locations import Locations
    from recto.store.progress import Progress
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.dialogs.confirm import Confirm
    from recto.tui.screens.view import View

log = logging.getLogger(__name__)

OpenStore = Callable[[], Awaitable["Store"]]
"""Opens the store; what it needs is imported in it."""

Lead = Callable[["Store", Callable[[str], None]], Awaitable[Location | Beginning | None]]
"""Finds the first location, such as by importing a folder; may report what it is doing."""

_FIRST = 0.5
"""The seconds that a view may wait for its first content."""

_A_MOMENT = 2.0
"""The seconds after which garbage is collected even without the first responses."""

HEAD_START = 0.3
"""The seconds reserved for the first key before deferred requests are sent."""

_LONGEST = 5.0
"""The most seconds that keys wait for the first view."""


class Stage(Protocol):
    """The app, as the start uses it."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        ...

    @property
    def open_views(self) -> list[View]:
        """The open views, the top last."""
        ...

    async def show_view(self, location: Location, *, first: bool = False) -> View:
        """Show the view of a location; the first puts off what can wait until ``take_up``."""
        ...

    def after_opening(self, begun: Beginning) -> None:
        """Do the work that follows the first view."""
        ...


class Start:
    """Opens a store and the first view. Keys pressed before that act on the view in order."""

    def __init__(
        self,
        app: App[Any],
        stage: Stage,
        open_store: OpenStore,
        opening: Location | Lead | None,
        keys: KeyQueue,
        quits: Callable[[events.Key], bool],
    ) -> None:
        self._app = app
        self._stage = stage
        self._open_store = open_store
        self._opening = opening
        self._keys = keys
        self._quits = quits
        self._patience: Timer | None = None
        self.store: Store | None = None
        """The store, once it is open."""
        self._location_keeper: LocationKeeper | None = None
        self._asking: Confirm | None = None
        """The question whether to cancel what the program was called for."""
        self.last_words = ""
        """Message printed to the shell after a failed start."""

    # Opening

    def first_screen(self) -> Screen[Any]:
        """Return the screen that is shown until the view opens."""
        self._hold_keys()
        return Opening()

    def begin(self) -> None:
        """Open the store, and go to the first view."""
        self._hold_keys()
        self._patience = self._app.set_timer(_LONGEST, self._keys.let_go)
        self._app.run_worker(self._open(), name="open", group="open", exclusive=True, exit_on_error=False)

    def _hold_keys(self) -> None:
        if not callable(self._opening):  # what leads to a location may take long, and be cancelled
            self._keys.hold(self._quits)

    def ask_to_cancel(self) -> None:
        """Ask whether to cancel the work of the start; the question closes when that ends."""
        from recto.tui.dialogs.confirm import NOTHING_CHANGES, Confirm

        def cancel(yes: bool | None) -> None:
            self._asking = None
            opening = self._app.screen_stack[0]
            if yes and isinstance(opening, Opening) and opening.can_cancel:
                self._app.workers.cancel_group(self._app, "open")
                self.give_up("Cancelled; nothing of it was kept.")

        if self._asking is None:
            says = "The command is not finished. If you cancel, nothing of it is kept."
            self._asking = Confirm("Cancel", says, does="cancels it and quits", keeps="goes on", undo=NOTHING_CHANGES)
            self._app.push_screen(self._asking, cancel)

    def _stop_asking(self) -> None:
        if self._asking is not None and self._asking.is_attached:
            self._asking.dismiss(None)

    def give_up(self, why: str, exit_code: int = 1) -> None:
        """Leave without having opened anything."""
        self.last_words = plain(why)
        self._app.exit(return_code=exit_code)

    async def _open(self) -> None:
        opening = self._app.screen_stack[0]
        assert isinstance(opening, Opening)
        opening.show_progress(BEGINNING)
        try:
            if self.store is None:
                self.store = await self._open_store()
                self.store.locked_out.subscribe(self._lock_out)
            found = self._opening
            if callable(found):
                # Finding the first location, such as by importing a folder, creates much garbage.
                collect_from_now_on()
            if self.store.workspace is not None:
                self.store.workspace.watch_indexing(self._show_indexing)
                self.store.jobs.watch()
            if callable(found):
                opening.can_cancel = True
                try:
                    begun = await found(self.store, opening.show_progress)
                finally:
                    opening.can_cancel = False
                    self._stop_asking()
            else:
                begun = found
            if not isinstance(begun, Beginning):
                begun = Beginning(self._first(begun))
            await self._load_first(begun.location, self.store)
            view = await self._stage.show_view(begun.location, first=True)
            await view.until_painted()
            self._keep_locations(self.store)
            self._stage.after_opening(begun)
            if self._patience is not None:
                self._patience.stop()
            await self._keys.let_go()
            await asyncio.sleep(HEAD_START)
            view.take_up()
        except Exception as error:
            self._fail(opening, error)
        finally:
            await self._come_to_rest()
            collect_from_now_on()
            if self.store is not None and self._stage.open_views:
                self.store.start_polling(self._opened_at, self._in_focus, lambda: self._stage.settings.polling)

    def _show_indexing(self, progress: Progress) -> None:
        """Show how far the index is on the view on top; the line is cleared at its end."""
        finished = progress.done == progress.total
        for view in self._stage.open_views[-1:]:
            view.show_news("" if finished else progress_line(progress))

    def _keep_locations(self, store: Store) -> None:
        """Remember from now on the location after each pause."""
        if store.locations is not None:
            self._location_keeper = LocationKeeper(self._app, self._here, store.locations, store.address)

    def _here(self) -> Location | None:
        views = self._stage.open_views
        return views[-1].here if views else None

    def _opened_at(self) -> Location | None:
        views = self._stage.open_views
        return views[-1].opened_at if views else None

    def _in_focus(self) -> Sequence[Query[Any]]:
        views = self._stage.open_views
        if not views or not views[-1].is_whole:
            return ()
        shown: object = views[-1]
        return shown.in_focus if isinstance(shown, HasLists) else ()

    def _fail(self, opening: Opening, error: Exception) -> None:
        if not hasattr(error, "next_step") and not hasattr(error, "exit_code"):
            crash.record(error)
        self._keys.forget()
        opening.show_failed("Recto could not open your documentation.", str(error) or type(error).__name__)
        if hasattr(error, "exit_code"):
            # Trying again would not help: the message belongs in the shell, where the command was given.
            self.give_up(str(error), error.exit_code)

    def _lock_out(self, error: ClientError) -> None:
        """Leave if the platform does not accept the token."""
        self.give_up(str(error))

    async def _load_first(self, location: Location, store: Store) -> None:
        """Wait a moment for the first content of the location."""
        queries = views.view_class(location).first_queries(store, location)
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST):
                await asyncio.gather(*(query.wait() for query in queries))

    async def _come_to_rest(self) -> None:
        """Wait for the first responses, for a bounded time."""
        if self.store is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_A_MOMENT):
                    await self.store.idle()

    def _first(self, location: Location | None) -> Location:
        if location is None and self.store is not None and self.store.locations is not None:
            location = self.store.locations.last(self.store.address)
        return location or OrganizationsLocation()

    def note(self, event: events.Event) -> None:
        """Note that the person is active."""
        if isinstance(event, events.InputEvent):
            if self._location_keeper is not None:
                self._location_keeper.note_input()
            if self.store is not None:
                self.store.note_activity()


_REST = 1.0
"""Seconds without a key or the mouse that count as a pause; while a person scrolls nothing is written."""


class LocationKeeper:
    """Saves what ``here`` returns some moments after the last input."""

    def __init__(self, app: App[Any], here: Callable[[], Location | None], locations: Locations, address: str) -> None:
        self._app = app
        self._here = here
        self._locations = locations
        self._address = address
        self._waits = False
        self._stirred = False
        """Whether the person has done something since the waiting began."""

    def note_input(self) -> None:
        """Called on every input; a timer serves many keys."""
        self._stirred = True
        if not self._waits:
            self._wait()

    def _wait(self) -> None:
        self._waits, self._stirred = True, False
        self._app.set_timer(_REST, self._look)

    def _look(self) -> None:
        if self._stirred:
            self._wait()
            return
        self._waits = False
        location = self._here()
        if location is not None and location != self._locations.last(self._address):
            self._locations.remember(self._address, location)
