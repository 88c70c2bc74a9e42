"""A random walk of keys through the program: without waiting, while answers are late and the terminal changes its size.

A walk is told by its seed. Answers are held until the walk lets them go, never by a clock.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from textual import events
from textual.app import App
from textual.geometry import Size
from textual.pilot import Pilot
from textual.worker import Worker

from recto.server.content.revisions import main_revision
from recto.server.platform import Platform
from recto.server.storage.database import Connection
from recto.store.locations import (
    ChangeRequestLocation,
    Location,
    OrganizationsLocation,
    SiteLocation,
    SpaceLocation,
    parent_of,
)
from recto.store.store import Store
from recto.tui import actions
from recto.tui.app import RectoApp
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.palette import Palette
from recto.tui.forms.leaving import LeaveForm
from recto.tui.navigation import views
from support.guide_workspace import guided_store, open_guided
from support.idle import wait_until_idle

SIZES = ((60, 20), (80, 24), (120, 40), (160, 48))
SEGMENT = 250
"""Keys after which all is let go and the dialogs are closed."""
PROGRAM = 500
"""Keys after which the program is left, to begin again at another screen."""
_TOLD = 60
_CLOSING = 20
_STEPS = 30
"""Steps by which ``q`` has to quit from wherever a walk has led."""
_HEARD = 3000
"""How often to see whether the keys that were pressed have been heard."""
_PATIENCE = 60.0
"""Seconds of the processor that the program may take to come to rest."""
_NEVER = 600.0
"""Seconds that no job takes, however slow the machine."""
_IDLE = ("_get_message", "Timer._run", "_run_module", "_waiting")
"""Where tasks wait that are of no interest."""
_OFTEN = ("enter", "escape", "down", "up", "j", "k", "l", "h", "tab", "shift+tab", "space", "f", "s", "1", "2", "3")
_LETTERS = "abcdefghijklmnopqrstuvwxyz äé的"


class Late:
    """An application that answers when it is let to; ``open`` it answers at once."""

    def __init__(self, application: ASGIApp, random: Random) -> None:
        self.open = True
        self._application = application
        self._random = random
        self._held: list[asyncio.Future[None]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, sooner or later."""
        if not self.open and self._random.random() < 0.5:
            held: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._held.append(held)
            await held
        await self._application(scope, receive, send)

    def let_go(self, most: int) -> None:
        """Let some of the held requests go, in any order."""
        for _ in range(min(most, len(self._held))):
            held = self._held.pop(self._random.randrange(len(self._held)))
            if not held.done():
                held.set_result(None)

    def let_all_go(self) -> None:
        """Hold nothing any more."""
        self.open = True
        self.let_go(len(self._held))


def openings(platform: Platform) -> list[Location]:
    """Return a location of each kind of screen, as far as there is something for it to show."""

    def read(connection: Connection) -> list[Location]:
        spaces = connection.all("SELECT id FROM spaces WHERE deleted_at IS NULL ORDER BY id LIMIT 1")
        requests = connection.all("SELECT id, space FROM change_requests ORDER BY id LIMIT 1")
        sites = connection.all("SELECT id, organization FROM sites ORDER BY id LIMIT 1")
        return [
            OrganizationsLocation(),
            *(SiteLocation(row["organization"], row["id"]) for row in sites),
            *(ChangeRequestLocation(row["space"], row["id"]) for row in requests),
            *(SpaceLocation(row["id"]) for row in spaces),
            *(SpaceLocation(row["id"], revision=main_revision(connection, row["id"]).id) for row in spaces),
        ]

    return platform.database.read_now(read)


class Walk:
    """A walk of so many keys from a seed, through as many programs as it quits."""

    def __init__(self, folder: Path, seed: int, keys: int) -> None:
        self._folder = folder
        self._seed = seed
        self._left = keys
        self._random = Random(seed)
        self._told: deque[str] = deque(maxlen=_TOLD)
        self._begun = 0
        self._looks_first = False
        """Whether a screen that was not seen yet is awaited: a key pressed before it is there may quit."""
        self._errors: list[str] = []
        self._failures: list[Exception] = []
        """What ended work otherwise than a person can be told."""
        self._shown: Callable[[], object] = lambda: None
        self.walked = 0
        """Keys pressed."""
        self.seen: set[str] = set()
        """The names of the views and dialogs that were seen."""

    async def go(self) -> None:
        """Walk; raises ``AssertionError`` with the seed and the last keys at the first thing that is wrong."""
        views.import_views()
        keys = {key for action in actions.all_actions() for key in action.keys}
        self._keys = [*sorted(keys), *_OFTEN * 6]
        platform = open_guided(self._folder)
        try:
            with self._listening(), self._noting_failed_work():
                while self._left > 0:
                    await self._go_through_a_program(platform)
        finally:
            platform.close()

    @contextmanager
    def _listening(self) -> Iterator[None]:
        errors = self._errors

        class Listener(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                errors.append(self.format(record))

        listener = Listener(logging.ERROR)
        logging.getLogger().addHandler(listener)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(listener)

    @contextmanager
    def _noting_failed_work(self) -> Iterator[None]:
        """Note failures of all work: that of a view which was left tells nobody, and the app forgets what has ended."""
        run = Worker._run

        async def run_and_note(worker: Worker[Any], app: App[Any]) -> None:
            await run(worker, app)
            if isinstance(worker.error, Exception) and not hasattr(worker.error, "next_step"):
                self._failures.append(worker.error)

        Worker._run = run_and_note  # type: ignore[assignment,method-assign]
        try:
            yield
        finally:
            Worker._run = run  # type: ignore[method-assign]

    async def _go_through_a_program(self, platform: Platform) -> None:
        late = Late(platform.application, self._random)

        async def open_store() -> Store:
            return guided_store(platform, self._folder, late)

        app = RectoApp(open_store, opening=self._next_opening(platform), editor=self._edit)
        app.open_url = lambda url, *, new_tab=True: None  # type: ignore[method-assign]
        wrong: tuple[str, Exception] | None = None
        # What waited for a widget's removal is given up at the end, as where the program runs by itself.
        with suppress(asyncio.CancelledError):
            async with app.run_test(size=self._random.choice(SIZES), notifications=True) as pilot:
                wrong = await self._go_through(pilot, late)
        if wrong is not None:
            raise AssertionError(wrong[0]) from wrong[1]

    def _next_opening(self, platform: Platform) -> Location:
        """Return where the next program begins: at each kind of screen in turn, those first that were not seen yet."""
        locations = openings(platform)
        self._begun += 1
        turn = self._begun % len(locations)
        in_turn = [*locations[turn:], *locations[:turn]]
        # The keys delete things as well, and with the last of a kind the turn of the others changes.
        unseen = [each for each in in_turn if views.view_class(each).__name__ not in self.seen]
        self._looks_first = bool(unseen)
        return (unseen or in_turn)[0]

    async def _go_through(self, pilot: Pilot[Any], late: Late) -> tuple[str, Exception] | None:
        app: Any = pilot.app
        self._told.append("begin")
        self._shown = lambda: (app.screen_stack, app.focused if app.screen_stack else None, app._exit)
        try:
            ends = self._left - PROGRAM
            if self._looks_first:
                await self._rest(pilot)
                self._check(app)
            while self._left > max(ends, 0) and not app._exit:
                await self._go_a_segment(pilot, late)
            late.let_all_go()
            if not app._exit:
                await self._leave_by_q(pilot)
            # The pilot would take the screens away from keys that the program has still to hear.
            await asyncio.wait([app._task])
            self._check(app)
        except Exception as error:
            # What goes wrong while the program is taken down would stand in its place.
            return self._tell(f"{type(error).__name__}: {error}"), error
        finally:
            late.let_all_go()
            app._exception = None
        return None

    async def _go_a_segment(self, pilot: Pilot[Any], late: Late) -> None:
        late.open = False
        for _ in range(SEGMENT):
            if pilot.app._exit or self._left <= 0:
                break
            await self._step(pilot, late)
            self._check(pilot.app)
        late.let_all_go()
        if not pilot.app._exit:
            await self._come_to_rest(pilot)

    def _edit(self, file: Path, line: int) -> None:
        with file.open("a", encoding="utf-8") as stream:
            stream.write(self._random.choice(["", "\nMore.\n"]))

    async def _step(self, pilot: Pilot[Any], late: Late) -> None:
        for _ in range(self._random.choice((1, 1, 1, 2, 3, 8))):
            self._press(pilot, self._next_key(pilot))
        kind = self._random.random()
        if kind < 0.03:
            size = self._random.choice(SIZES)
            self._told.append(f"{size[0]}x{size[1]}")
            driver: Any = pilot.app._driver
            driver._size = Size(*size)
            pilot.app.post_message(events.Resize(Size(*size), Size(*size)))
        elif kind < 0.35:
            # The pilot's own pauses, also those between keys, wait for ever for a widget that is removed meanwhile.
            await wait_until_idle()
        else:
            for _ in range(self._random.randrange(12)):
                await asyncio.sleep(0)
        if self._random.random() < 0.5:
            late.let_go(self._random.randrange(4))

    def _next_key(self, pilot: Pilot[Any]) -> str:
        from textual.widgets import Input, TextArea

        if isinstance(pilot.app.focused, Input | TextArea) and self._random.random() < 0.6:
            return self._random.choice(_LETTERS)
        return self._random.choice(self._keys)

    def _press(self, pilot: Pilot[Any], key: str) -> None:
        character = key if len(key) == 1 else None
        self._told.append(key)
        self.walked += 1
        self._left -= 1
        event = events.Key("space" if key == " " else key, " " if key == "space" else character)
        event.set_sender(pilot.app)
        pilot.app.post_message(event)

    async def _rest(self, pilot: Pilot[Any]) -> None:
        """Wait until nothing goes on; dialogs may still wait for the person, also below a view."""
        for _ in range(3):
            await wait_until_idle(max_sleep=_PATIENCE, may_be_held_up=False)
            await self._until_keys_acted(pilot.app)
            store = getattr(pilot.app, "_store", None)
            if store is not None:
                await store.idle()
                await self._until_jobs_end(store)
        await wait_until_idle(max_sleep=_PATIENCE, may_be_held_up=False)

    async def _until_jobs_end(self, store: Store) -> None:
        """Wait for imports and exports: when they end, they open a dialog over whatever is there."""
        ended = asyncio.Event()
        with store.jobs.changed.subscribe(lambda _: None if store.jobs.running else ended.set()):
            if store.jobs.running:
                await asyncio.wait_for(ended.wait(), _NEVER)

    async def _until_keys_acted(self, app: RectoApp | Any) -> None:
        """Wait until no key waits for the one before or for something that opens, and none is held any more."""
        for _ in range(_HEARD):
            if app._exit or not (app._keys._waiting or app._keys._is_passing_on or app.typed_ahead.holds):
                break
            await asyncio.sleep(0.01)
            await wait_until_idle()

    async def _come_to_rest(self, pilot: Pilot[Any]) -> None:
        """Hold that all dialogs can be closed, and that the program still hears keys."""
        self._told.append("rest")
        await self._rest(pilot)
        for _ in range(_CLOSING):
            if pilot.app._exit or not isinstance(pilot.app.screen, Dialog):
                break
            screen = pilot.app.screen
            # Esc at the question whether to leave a form goes back to the form.
            self._press(
                pilot, "n" if isinstance(screen, Confirm) else "y" if isinstance(screen, LeaveForm) else "escape"
            )
            await self._rest(pilot)
        if pilot.app._exit:
            return
        assert not isinstance(pilot.app.screen, Dialog), self._tell(f"{pilot.app.screen} cannot be closed")
        self._press(pilot, "ctrl+p")
        await self._rest(pilot)
        assert isinstance(pilot.app.screen, Palette), self._tell("no key is heard any more")
        self._press(pilot, "escape")
        await self._rest(pilot)
        self._check(pilot.app)

    # Leaving

    async def _leave_by_q(self, pilot: Pilot[Any]) -> None:
        """Hold that esc leaves no screen, and that ``q`` goes up step by step and quits at the end."""
        app: Any = pilot.app
        self._told.append("leave")
        await self._rest(pilot)
        subject = app.view.here.subject
        for _ in range(3):
            await self._press_and_rest(pilot, "escape")
            assert app.view.here.subject == subject, self._tell("esc left the screen")
        for _ in range(_STEPS):
            if app._exit:
                return
            await self._go_one_step_up(pilot)
        raise AssertionError(self._tell(f"q does not quit: {app.screen_stack}"))

    async def _go_one_step_up(self, pilot: Pilot[Any]) -> None:
        from textual.widgets import Input, TextArea

        app: Any = pilot.app
        screen, view, focus = app.screen, app.view, app.focused
        if (isinstance(screen, Dialog) and screen.query("LineField, TextArea")) or isinstance(focus, Input | TextArea):
            # There ``q`` is a letter.
            await self._press_and_rest(pilot, "escape")
            return
        if isinstance(screen, LeaveForm):
            await self._press_and_rest(pilot, "y")
            return
        if isinstance(screen, Confirm) and screen.query_one(".box").border_title == "Quit":
            await self._press_and_rest(pilot, "y")
            assert app._exit, self._tell("the program does not quit")
            return
        here = view.here
        above = parent_of(here)
        if isinstance(above, SpaceLocation):
            above = app._store.at_choice(above)
        await self._press_and_rest(pilot, "q")
        if isinstance(screen, Dialog):
            assert app.screen is not screen, self._tell(f"q did not close {screen}")
        elif app._exit or isinstance(app.screen, Confirm):
            assert above is None, self._tell(f"q quit at {here}")
        elif app.view is view:
            assert app.focused is not focus, self._tell(f"q did nothing at {here}")
        else:
            assert above is not None, self._tell(f"q led from {here} to {app.view.here}")
            assert app.view.here.subject == above.subject, self._tell(f"q led from {here} to {app.view.here}")

    async def _press_and_rest(self, pilot: Pilot[Any], key: str) -> None:
        self._press(pilot, key)
        await self._rest(pilot)
        self._check(pilot.app)

    def _check(self, app: RectoApp | Any) -> None:
        if app._exception is not None:
            raise app._exception
        task: Any = app._task
        assert app._exit or not task.done(), self._tell("the program ended by itself")
        if app.screen_stack:
            self.seen.add(type(app.screen).__name__)
        if self._failures:
            raise self._failures[0]
        assert not self._errors, self._tell("an error is in the log:\n" + "\n".join(self._errors))

    def _tell(self, what: str) -> str:
        keys = f"the last keys: {' '.join(self._told)}"
        return f"seed {self._seed}, key {self.walked}: {what}\n{keys}\nthe screens: {self._shown()}\n{_waits()}"


def _waits() -> str:
    """Return where in the program work waits."""
    told = []
    for task in asyncio.all_tasks():
        places = [f"{frame.f_code.co_qualname}:{frame.f_lineno}" for frame in task.get_stack()]
        waits: Any = task.get_coro()
        while (waits := getattr(waits, "cr_await", None)) is not None:
            if (frame := getattr(waits, "cr_frame", None)) is not None:
                places.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
        if not any(idle in place for place in places for idle in _IDLE):
            told.append(" > ".join(places))
    return "what waits:\n" + "\n".join(sorted(told))
