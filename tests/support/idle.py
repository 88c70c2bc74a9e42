"""Waiting for the interface to come to rest by looking at the event loop and the threads, not at a clock.

Textual's pilot takes a program to be at rest that used next to no processor time in 20 ms, which is two or three times
for every key: most of the time that tests of the interface took. Then it has each widget say that it has heard all,
which was two fifths of all messages. And it paints each step for a terminal that is not there, which was a third of the
rest; here a screen is drawn when a test reads it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import Future, thread
from contextlib import suppress
from itertools import count
from threading import Lock, get_native_id
from time import monotonic, process_time, thread_time
from typing import Any, ClassVar
from weakref import WeakSet

import pytest
from textual import _callback, _time, _wait, app, notifications, pilot, screen
from textual._compositor import Compositor
from textual._context import active_app
from textual.geometry import Region
from textual.message import Message
from textual.message_pump import MessagePump
from textual.strip import Strip
from textual.widget import Widget

from recto.tui import starting
from recto.tui.navigation import typed_ahead

_LOOK = _wait.SLEEP_GRANULARITY
"""How far ahead a timer counts as something that is under way, in seconds."""
_FRAME = _LOOK / 3
"""How long what changes is gathered before it is laid out, in seconds; a timer that comes late leaves one out."""
_GLANCES = 10
"""How often to see in that time whether threads have come to their end."""
_QUICK = 3
"""After how many of these to look at what the threads do."""
_THREADS = "/proc/self/task"
"""What Linux says of each thread of this process, such as whether it waits."""
_STATUS = 256
"""Bytes of that which hold its name and its state."""
_MOST = 20
"""How many times the processor time of a wait may pass on the clock."""
_NEVER = 120.0
"""Seconds that pass in no test, however slow the machine."""
_paint = screen.Screen._compositor_refresh
_UNTIMED = 50
"""Rounds of the event loop between looks at how long a wait has taken: the processor's clock is slow to read."""
_ROUNDS = 3
"""Rounds of the event loop in which nothing else goes on: some work lets others go first."""


class _Work(thread._WorkItem[Any]):
    """Something to do in a thread, which is under way until all who wait for it have been told."""

    under_way: ClassVar[WeakSet[_Work]] = WeakSet()
    changing: ClassVar[Lock] = Lock()
    future: Future[Any]

    def __init__(self, future: Future[Any], *what: Any) -> None:
        super().__init__(future, *what)
        with self.changing:
            self.under_way.add(self)

    def run(self, *context: Any) -> None:
        try:
            super().run(*context)
        finally:
            with self.changing:
                self.under_way.discard(self)


_looking: list[None] = []
"""An item for each that waits for rest and lets one round of the event loop pass."""


def _in_threads() -> bool:
    with _Work.changing:
        return any(not work.future.cancelled() for work in _Work.under_way)


def _is_ending() -> bool:
    app = active_app.get(None)
    return app is not None and app._exit


def _next_timer(loop: Any) -> float:
    return min((timer.when() for timer in loop._scheduled if not timer.cancelled()), default=float("inf"))


class _Clock:
    """The clock of the event loop, which leaps over the time in which nothing goes on."""

    def __init__(self) -> None:
        self._leapt = 0.0

    def read(self) -> float:
        """Return the seconds that have passed, and those that were leapt over."""
        return monotonic() + self._leapt

    def leap(self, seconds: float) -> None:
        """Have timers end now that would end by then."""
        self._leapt += max(0, seconds)


_clock = _Clock()


async def wait_until_idle(min_sleep: float = 0, max_sleep: float = 2, *, may_be_held_up: bool = True) -> None:
    """Wait until nothing goes on in the event loop or in threads, nor is about to; threads may be held up.

    ``max_sleep`` is in seconds of the processor: on a machine that has much else to do the same work takes longer.
    Where nothing holds threads up, one that seems to be only waits long, such as for a slow disk.
    """
    loop: Any = asyncio.get_running_loop()
    begun, used = loop.time(), process_time()
    quiet = 0
    for rounds in count(1):
        if rounds % _UNTIMED == 0 and not (
            process_time() < used + max_sleep and loop.time() < begun + _MOST * max_sleep
        ):
            break
        if _in_threads():
            quiet = 0
            if await _held_up() and may_be_held_up:
                return
            continue
        _looking.append(None)
        try:
            await asyncio.sleep(0)
        finally:
            _looking.pop()
        # What a test holds up may wait in the same way, and each of those is ready as well.
        quiet = 0 if len(loop._ready) > len(_looking) else quiet + 1
        if quiet >= _ROUNDS:
            due = _next_timer(loop)
            # The timer of a screen that goes with the program ticks on and paints no more.
            if due > loop.time() + _LOOK or _is_ending():
                break
            _clock.leap(due - loop.time())
            quiet = 0


async def _held_up() -> bool:
    """Whether what is in threads waits for something itself, by the time that the processor had for it.

    Where the system says what each thread does, one that waits for its turn or for the disk is not held up: on a
    machine that has much else to do, the processor may have no time for it in a while.
    """
    used = _time_of_others()
    for glance in range(_GLANCES):
        await asyncio.sleep(_LOOK / _GLANCES)
        # Most have come to their end soon: it takes longer to look at the threads than to wait for them.
        if not _in_threads() or (glance >= _QUICK and _other_thread_runs()):
            return False
    return _time_of_others() - used < _wait.SLEEP_IDLE


def _time_of_others() -> float:
    """Return the processor time that all threads but this one have used; looking takes some of its own."""
    return process_time() - thread_time()


def _other_thread_runs() -> bool:
    own = str(get_native_id())
    # Unlike those of ``Path``, these are quick: every wait looks here some ten times.
    there = os.listdir(_THREADS) if os.path.isdir(_THREADS) else []  # noqa: PTH112, PTH208
    for other in there:
        if other == own:
            continue
        # A thread may have come to its end meanwhile.
        with suppress(OSError), open(f"{_THREADS}/{other}/stat", "rb", buffering=0) as status:  # noqa: PTH123
            if status.read(_STATUS).rpartition(b") ")[2][:1] in b"RD":
                return True
    return False


class _Handlers:
    """Finds the methods that handle a message, and remembers for each class where they are."""

    def __init__(self) -> None:
        self._known: dict[tuple[type, str, type], list[tuple[type, str]] | None] = {}
        self._find = MessagePump._get_dispatch_methods

    def find(self, there: MessagePump, name: str, message: Message) -> Iterator[tuple[type, Any]]:
        """Yield them with their classes; where some depend on who sent the message all are looked for each time."""
        key = (type(there), name, type(message))
        if key not in self._known:
            self._known[key] = self._list(*key)
        known = self._known[key]
        if known is None:
            yield from self._find(there, name, message)
            return
        for kind, attribute in known:
            if message._no_default_action:
                break
            yield kind, vars(kind)[attribute].__get__(there, kind)

    @staticmethod
    def _list(kind: type, name: str, message: type) -> list[tuple[type, str]] | None:
        if any(vars(each).get("_decorated_handlers", {}).keys() & {*message.__mro__} for each in kind.__mro__):
            return None
        names = (f"_{name}", name)
        found = ((each, next((own for own in names if vars(each).get(own)), "")) for each in kind.__mro__)
        return [(each, own) for each, own in found if own and not hasattr(vars(each)[own], "_textual_on")]


class _Parameters:
    """Counts the parameters of what is called, once for all functions of the same code."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, bool], int] = {}
        self._count = _callback._count_parameters

    def count(self, called: Any) -> int:
        code = getattr(called, "__code__", None)
        if code is None or hasattr(called, "__wrapped__"):
            return self._count(called)
        key = (code, hasattr(called, "__self__"))
        if key not in self._known:
            self._known[key] = self._count(called)
        return self._known[key]


def _leave_unpainted(there: screen.Screen[Any]) -> None:
    """Forget what a screen would paint; below a dialog, what it would have the dialog paint."""
    if there is there.app.screen:
        there._dirty_widgets.clear()
    else:
        _paint(there)


async def _wait_for_screen(there: pilot.Pilot[Any]) -> bool:
    """Wait until all widgets have heard what was posted to them, which they have when the program rests."""
    await wait_until_idle()
    return not there.app._exception_event.is_set()


def save_time(patch: pytest.MonkeyPatch) -> None:
    """Have waits see work in threads, such as a write that waits for a slow disk, and leap to the next timer.

    And have what handles a message found once.
    """
    patch.setattr(thread, "_WorkItem", _Work)
    patch.setattr(asyncio.BaseEventLoop, "time", lambda _loop: _clock.read())
    patch.setattr(_time, "get_time", _clock.read)
    handlers = _Handlers()
    patch.setattr(MessagePump, "_get_dispatch_methods", lambda *what: handlers.find(*what))
    patch.setattr(_callback, "_count_parameters", _Parameters().count)


def be_quick(patch: pytest.MonkeyPatch) -> None:
    """Make pilots wait in this way; paint nothing, and delay nothing for longer than the first key takes."""
    save_time(patch)
    patch.setattr(starting, "HEAD_START", 0)
    # What ends by the clock would end earlier in a test on a slower machine.
    patch.setattr(starting, "_LONGEST", _NEVER)
    patch.setattr(typed_ahead, "_PATIENCE", _NEVER)
    patch.setattr(notifications.Notification, "time_left", _NEVER)
    patch.setattr(screen, "UPDATE_PERIOD", _FRAME)
    patch.setattr(screen.Screen, "_compositor_refresh", _leave_unpainted)
    patch.setattr(app, "wait_for_idle", wait_until_idle)
    patch.setattr(pilot, "wait_for_idle", wait_until_idle)
    patch.setattr(pilot.Pilot, "_wait_for_screen", _wait_for_screen)


def _draw_all(there: Compositor, crop: Region, *_: Any) -> list[dict[int, Strip]]:
    """Have the widgets drawn that are seen, and put nothing together of what they drew."""
    for _drawn in there._get_renders(crop):
        pass
    return [{} for _ in range(there.size.height)]


def paint_for_nobody(patch: pytest.MonkeyPatch) -> None:
    """Draw each widget as ever, but make no output for a terminal; for tests that see no screen."""
    patch.setattr(Compositor, "_render_chops", _draw_all)
    patch.setattr(Widget, "get_line_filters", lambda _widget: [])


def paint_each_step(patch: pytest.MonkeyPatch) -> None:
    """Have screens painted when the program says, for tests of painting itself."""
    patch.setattr(screen.Screen, "_compositor_refresh", _paint)
