"""How the app starts: a first frame before anything heavy is imported, then the store, then the first view."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rich.errors import StyleSyntaxError
from textual import events
from textual.app import App
from textual.screen import Screen

from recto.collector import collect_all, collect_from_now_on
from recto.settings import Settings
from recto.store.locations import Location, OrganizationsLocation
from recto.tui import actions
from recto.tui.look.lines import plain
from recto.tui.navigation.location_keeper import LocationKeeper
from recto.tui.navigation.messages import Beginning
from recto.tui.screens.opening import BEGINNING, Opening
from recto.tui.snapshot.pending_keys import EarlyKeys
from recto.tui.snapshot.saver import SightKeeper
from recto.tui.snapshot.strips import look_of, strips_of
from recto.tui.snapshot.widget import SightView
from recto.tui.terminal import crash

if TYPE_CHECKING:
    from textual.strip import Strip

    from recto.client.errors import ClientError
    from recto.store.progress import Progress
    from recto.store.store import Store
    from recto.tui.screens.view import View
    from recto.tui.snapshot.files import Sights

log = logging.getLogger(__name__)

OpenStore = Callable[[], Awaitable["Store"]]
"""Opens the store; what it needs is imported in it."""

Lead = Callable[["Store", Callable[[str], None]], Awaitable[Location | Beginning | None]]
"""Finds out where to begin, such as by bringing a folder in; may say what it is doing."""

_A_MOMENT = 2.0
"""How many seconds the first answers may take before garbage is collected all the same."""

_LONGEST = 5.0
"""How many seconds what was last seen stands for what is on its way; then one sees how things are."""

_CALM = 30.0
"""After how many seconds without a key or the mouse nobody minds that the program is held for a moment."""

_A_LOOK = 0.01
"""Seconds between two looks at whether a view is still at work."""


class Starting(App[None], inherit_bindings=False):
    """An app that opens a store and goes to a view. Where it was left, that sight stands until the view is there."""

    def __init__(
        self,
        open_store: OpenStore,
        settings: Settings | None = None,
        opening: Location | Lead | None = None,
        sights: Sights | None = None,
    ) -> None:
        super().__init__()
        self._open_store = open_store
        self._settings = settings or Settings()
        self._opening = opening
        self._sights = sights
        self._keeper = SightKeeper(self, sights) if sights is not None else None
        self._location_keeper: LocationKeeper | None = None
        self._seen: list[Strip] = []
        """What stands for the first view; nothing where nothing was left, or no longer."""
        self._early = EarlyKeys(self)
        self._store: Store | None = None
        self._touched = False
        """Whether the person has done something since it was last looked whether all is calm."""
        self.last_words = ""
        """What the shell is to be told after the program, where it could not open."""

    # Opening

    def get_default_screen(self) -> Screen[Any]:
        """Return what is seen first: what one saw last, else that the program is opening."""
        self._seen = self._last_seen()
        return Opening(SightView(self._seen) if self._seen else None)

    def on_mount(self) -> None:
        """Let the first frame be painted, then open the store."""
        self.set_keymap(actions.keymap(self._settings.keys))
        if self._seen:
            self._early.hold()
            self.set_timer(_LONGEST, self._uncover)
        self.call_after_refresh(self._begin)
        self.set_interval(_CALM, self.rest)

    def rest(self) -> None:
        """Tidy up while the person does nothing."""
        if not self._touched:
            collect_all()
        self._touched = False

    def _begin(self) -> None:
        self.run_worker(self._open(), name="open", group="open", exclusive=True, exit_on_error=False)

    def on_opening_again(self) -> None:
        """Try again to open."""
        self._begin()

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
            begun = await found(self._store, opening.show_progress) if callable(found) else found
            if not isinstance(begun, Beginning):
                begun = Beginning(self._first(begun))
            view = await self.show_view(begun.location, covered=bool(self._seen))
            self._keep_locations(self._store)
            self.after_opening(begun)
            await self._let_in(view)
        except Exception as error:
            self._fail(opening, error)
        finally:
            await self._come_to_rest()
            collect_from_now_on()

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
            if self._keeper is not None:
                self._keeper.follow(store.locations)

    def _here(self) -> Location | None:
        views = self.open_views
        return views[-1].here if views else None

    def _fail(self, opening: Opening, error: Exception) -> None:
        if not hasattr(error, "next_step") and not hasattr(error, "exit_code"):
            crash.record(error)
        self._uncover()
        self._early.forget()
        opening.show_failed("Recto could not open your documentation.", str(error) or type(error).__name__)
        if hasattr(error, "exit_code"):
            # Trying again would not help: the sentence belongs in the shell, where the command was given. Nor is what
            # was seen before to be seen by someone who is not let in.
            if self._sights is not None:
                self._sights.drop()
            self._give_up(str(error), error.exit_code)

    def _lock_out(self, error: ClientError) -> None:
        """Leave where the platform does not accept the token: what was stored is not for whoever has it."""
        if self._sights is not None:
            self._sights.drop()
        self._give_up(str(error))

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

    # What was last seen

    def _last_seen(self) -> list[Strip]:
        if self._sights is None or self._opening is not None:
            return []
        sight = self._sights.last()
        if sight is None or sight.look != look_of(self):
            return []
        try:
            return strips_of(sight)
        except StyleSyntaxError as error:
            log.warning("The last sight cannot be painted: %s", error)
            return []

    def _uncover(self) -> None:
        """Show how things are in place of how they were."""
        self._seen = []
        for screen in self.screen_stack:
            screen.query(SightView).remove()
        for view in self.open_views:
            view.uncover()

    async def _let_in(self, view: View) -> None:
        """Uncover the view when there is something to see in it, and have it hear what was typed meanwhile."""
        there = False
        while self._seen and not there:
            there = await self._look(view)
        self._uncover()
        await self._early.let_go()
        view.take_up()

    async def _look(self, view: View) -> bool:
        """Look in a moment whether a view has a page to read, or its answers, whatever they are, and shows them."""
        assert self._store is not None
        await asyncio.sleep(_A_LOOK)
        answered = not self._store.pending
        drawn = asyncio.Event()
        if view.call_after_refresh(drawn.set):
            await drawn.wait()
        if any(page.is_on_screen and getattr(page, "cursor_leaf", None) for page in view.query("PageView")):
            return True
        working = any(not worker.is_finished for worker in self.workers if worker.node is not self)
        return answered and not self._store.pending and not working

    def on_resize(self) -> None:
        """Paint a view that is covered: what stands for it was painted for another size."""
        if self._store is not None and any(view.covered for view in self.open_views):
            self._uncover()

    async def on_event(self, event: events.Event) -> None:
        """Keep what is typed for the view until that is there; leaving needs no view."""
        if isinstance(event, events.InputEvent):
            self._touched = True
            if self._location_keeper is not None:
                self._location_keeper.stir()
        if self._seen and isinstance(event, events.MouseEvent):
            return
        if isinstance(event, events.Key) and not event.is_forwarded and await self._acts_at_once(event):
            return
        if not self._early.takes(event):
            await super().on_event(event)

    async def _acts_at_once(self, event: events.Key) -> bool:
        # After other keys ``q`` may be a letter in what those open, and ``esc`` what closes it: they wait their turn.
        first = self._early.holds and not self._early.waiting
        if (first and self._means(event, "view.quit")) or (self._early.holds and self._means(event, "app.quit")):
            await self.run_action("app_quit")
        elif first and self._seen and self._means(event, "view.escape"):
            self._uncover()
        else:
            return False
        return True

    def _means(self, event: events.Key, name: str) -> bool:
        keys = self._settings.keys.get(name, actions.get(name).keys)
        return event.key in keys or event.character in keys
