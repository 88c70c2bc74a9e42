"""The key queue: keys act in order, and wait for the dialog or view they are meant for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import events

from recto.tui.private_names import is_stopped, tasks_of

if TYPE_CHECKING:
    from textual.app import App
    from textual.message_pump import MessagePump
    from textual.worker import Worker

_A_MOMENT = 1.0
"""The seconds that a key waits for results of a dialog."""

_LOOK = 0.01
"""The seconds between checks whether the target of a key still exists."""

GoesOn = Callable[[events.Event | None], bool]


class KeyQueue:
    """Keys and pasted texts that wait until the key before has acted, or while they are held for a dialog or view.

    Textual hands each key on to the focus at once. Of several that come together, from a terminal that is slow or a
    program that was busy, the second would go where the focus was before the first acted. However long that takes, the
    next key waits; where something never lets it act, pressing the key that ``quits`` again is not kept waiting.
    """

    def __init__(self, app: App[Any], quits: Callable[[events.Key], bool]) -> None:
        self._app = app
        self._quits = quits
        self._waiting: deque[events.Event] = deque()
        self.holds = False
        """Whether keys are held back."""
        self._gives_up: Callable[[events.Key], bool] = lambda _key: False
        self._acting: events.Event | None = None
        """The last event that was not held back, until it is known to have acted."""
        self._passing: list[events.Event] = []
        """Those that are being passed on."""
        self._is_passing_on = False
        self._passed_on = asyncio.Event()
        """Set when all that waited has been passed on."""
        self._goes_on: GoesOn = lambda _last: True
        self._was_held = False
        """Whether the event was held for a screen that has just opened, and may not be drawn yet."""

    def takes(self, event: events.Event) -> bool:
        """Take an event into the queue, if it has to wait; return whether it does."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if any(event is passing for passing in self._passing):
            return False
        if self.holds and isinstance(event, events.Key) and self._gives_up(event):
            self.forget()
        if self._is_quit(event) and any(map(self._is_quit, (*self._waiting, *self._passing))):
            self.forget()
            return False
        if self._acting is not None and is_stopped(self._acting):
            self._acting = None
        acts_after = self._acting is None or (self._is_text(self._acting) and self._is_text(event))
        if acts_after and not (self.holds or self._waiting or self._is_passing_on):
            self._acting = event
            return False
        self._waiting.append(event)
        if not self.holds and not self._is_passing_on:
            _work: Worker[None] = self._app.run_worker(self.let_go, "keys", exit_on_error=False)
        return True

    def note_acted(self, event: events.Event) -> None:
        """Called when all handlers of an event have run."""
        if event is self._acting:
            self._acting = None

    def hold(self, gives_up: Callable[[events.Key], bool]) -> None:
        """Hold keys until they are released, or until a key ``gives_up`` the others and acts itself."""
        self.holds = self._was_held = True
        self._gives_up = gives_up

    def forget(self) -> None:
        """Stop holding, and drop waiting keys."""
        self._waiting.clear()
        self.holds = False

    def drop_while(self, is_dropped: Callable[[events.Event], bool]) -> None:
        """Drop waiting keys, up to the first that is not to be dropped."""
        while self._waiting and is_dropped(self._waiting[0]):
            self._waiting.popleft()

    async def let_go(self, goes_on: GoesOn = lambda _last: True) -> None:
        """Pass on in order what waits, until something holds again; keys pressed meanwhile wait for their turn.

        Where it no longer ``goes_on`` after the last passed on, ``None`` before the first, those are dropped that were
        pressed before it could act.
        """
        self.holds = False
        self._goes_on = goes_on
        while self._is_passing_on:
            await self._passed_on.wait()
        self._is_passing_on = True
        self._passed_on.clear()
        try:
            if self._acting is not None:
                await self._wait_until_acted()
                self._acting = None
            blind = len(self._waiting)
            while self._waiting and not self.holds:
                if not self._goes_on(self._passing[-1] if self._passing else None):
                    for _ in range(blind):
                        self._waiting.popleft()
                    self._goes_on = lambda _last: True
                    continue
                self._passing = self._take_next()
                if self._waits_for_dialog(self._passing[0]):
                    await self._wait_for_dialog()
                for event in self._passing:
                    self._app.post_message(event)
                blind = len(self._waiting)
                await self._wait_until_acted()
        finally:
            self._passing = []
            if self._goes_on is goes_on:
                # It may hold a dialog, which is closed by now.
                self._goes_on = lambda _last: True
            self._is_passing_on = False
            self._passed_on.set()
            self._was_held = self.holds

    def _is_quit(self, event: events.Event) -> bool:
        return isinstance(event, events.Key) and self._quits(event)

    def _take_next(self) -> list[events.Event]:
        """Take the next event, and those after it as long as all are text for the focus and need not wait."""
        taken = [self._waiting.popleft()]
        while self._waiting and self._is_text(taken[-1]) and self._is_text(self._waiting[0]):
            taken.append(self._waiting.popleft())
        return taken

    def _is_text(self, event: events.Event) -> bool:
        """Whether the focus takes a key as text."""
        focus = self._app.focused
        if focus is None or not isinstance(event, events.Key):
            return False
        return focus.check_consume_key(event.key, event.character)

    @staticmethod
    def _waits_for_dialog(event: events.Event) -> bool:
        """Whether a key chooses from what a dialog finds: text looks for something else, and esc wants none of it."""
        return isinstance(event, events.Key) and not event.is_printable and event.key != "escape"

    async def _wait_for_dialog(self) -> None:
        # What a dialog is still looking for is what the next key is meant for, such as enter on a name.
        dialog = self._app.screen
        looking = tasks_of(worker for worker in self._app.workers if worker.node is dialog)
        if dialog.is_modal and looking:
            await asyncio.wait(looking, timeout=_A_MOMENT)

    async def _wait_until_acted(self) -> None:
        # A key goes from the app to the focus and outwards again, and each of these may act on it.
        await self._until_called(self._app, self._app.call_later)
        focus = self._app.focused or self._app.screen
        for node in focus.ancestors_with_self:
            await self._until_called(node, node.call_later)
        if self._was_held:
            screen = self._app.screen
            await self._until_called(screen, screen.call_after_refresh)

    @staticmethod
    async def _until_called(node: MessagePump, call: Callable[[Callable[[], None]], bool]) -> None:
        """Wait until a node calls back; a node that the key has closed never does."""
        called = asyncio.Event()
        if not call(called.set):
            return
        while node.is_running and not called.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK):
                    await called.wait()
