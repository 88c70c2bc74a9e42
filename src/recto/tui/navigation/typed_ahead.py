"""Keys typed while a dialog, an editor or a field opens, or is refused: they never act on the view below."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from textual import events
from textual.app import App
from textual.screen import Screen
from textual.worker import Worker

from recto.tui.navigation.key_queue import KeyQueue
from recto.tui.private_names import tasks_of
from recto.tui.screens.guarded_screen import GuardedScreen

_PATIENCE = 10.0
"""The seconds after which keys act again although nothing has opened."""

_LOOK = 0.5
"""The seconds between checks although nothing was announced."""

_PAUSE = 0.01
"""Seconds between two looks at whether something has opened."""

_CLOSING = frozenset({"escape", "backspace", "q"})
"""The keys that close a dialog without an answer."""


class TypedAhead:
    """Holds keys from an action until the dialog that it opens takes them; if it opens nothing they are dropped."""

    def __init__(self, app: App[Any], keys: KeyQueue, quits: Callable[[events.Key], bool]) -> None:
        self._app = app
        self._keys = keys
        self._quits = quits
        self._pushed = asyncio.Event()
        """Set when a screen was put on top since keys are held."""
        self._waiting: Worker[None] | None = None

    @property
    def holds(self) -> bool:
        """Whether keys are held back."""
        return self._keys.holds

    def forget(self) -> None:
        """Drop held keys, and stop holding."""
        self._keys.forget()

    def follow(self, below: Screen[Any], started: Sequence[Worker[Any]]) -> None:
        """Hold keys from now on, until something opens over a screen or the work that was to open it has ended."""
        if started or self._app.screen is not below:
            self._begin(partial(self._wait, below, started))

    def follow_arrival(self, below: Screen[Any]) -> None:
        """Hold keys from now on, until a view was gone to and the action to do there has opened something."""
        self._begin(partial(self._wait, below, ()))

    def follow_focus(self, has_moved: Callable[[], bool]) -> None:
        """Hold keys from now on, until the focus has moved to or from a line on the screen itself."""
        self._begin(partial(self._wait_for_focus, has_moved))

    def follow_awaited(self, screen: Screen[Any], over: asyncio.Event) -> None:
        """Hold keys until an action that waits for data is over; a key gives it up when its reason has been seen."""
        seen = asyncio.Event()
        screen.call_after_refresh(seen.set)
        self._begin(partial(self._wait_for_action, over), lambda _key: seen.is_set())

    def follow_refusal(self, screen: Screen[Any]) -> None:
        """Drop text typed for a dialog that does not open, until the screen shows the reason; other keys act."""
        self._begin(partial(self._wait_for_reason, screen), self._quits)

    def _begin(
        self, wait: Callable[[], Coroutine[None, None, None]], gives_up: Callable[[events.Key], bool] | None = None
    ) -> None:
        # Keys held for an opening that leads on to another belong to the last.
        if self._waiting is not None:
            self._waiting.cancel()
        self._pushed.clear()
        self._keys.hold(gives_up or self._gives_up)
        # Not as a coroutine: that of work which is cancelled before it began would be left over.
        self._waiting = self._app.run_worker(wait, "typed ahead", exit_on_error=False)

    async def _wait(self, below: Screen[Any], started: Sequence[Worker[Any]]) -> None:
        leads_on = False
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._until_opening(below, started)
                while self._is_opening(below) or self._is_arriving:
                    leads_on = leads_on or self._is_arriving
                    await self._pause()
        except TimeoutError:
            pass
        if self._keys.holds and self._is_open(below) and not leads_on:
            await self._pass_on()
        if self._keys.holds:  # else they are passed on, and act in their turn
            self._keys.forget()

    async def _wait_for_action(self, over: asyncio.Event) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await over.wait()
        if over.is_set():
            await self._pass_on()
        self._keys.forget()

    async def _wait_for_focus(self, has_moved: Callable[[], bool]) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while self._keys.holds and not has_moved():
                    await self._pause()
        if has_moved():
            await self._pass_on()
        self._keys.forget()

    async def _wait_for_reason(self, screen: Screen[Any]) -> None:
        shown = asyncio.Event()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                # A screen that closes meanwhile may take the call with it.
                while not shown.is_set() and screen.call_after_refresh(shown.set):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(shown.wait(), _LOOK)
        if self._keys.holds:
            self._keys.drop_while(_is_typing)
            await self._keys.let_go()

    async def _pass_on(self) -> None:
        """Pass the keys in order to the screen that has opened; drop the rest when an answer closes it."""
        opened = self._app.screen
        left = False

        def goes_on(last: events.Event | None) -> bool:
            nonlocal left
            closed = self._app.screen is not opened
            left = left or (closed and isinstance(last, events.Key) and last.key in _CLOSING)
            return left or not closed

        await self._keys.let_go(goes_on)

    async def _pause(self) -> None:
        await asyncio.sleep(_PAUSE)

    async def _until_opening(self, below: Screen[Any], started: Sequence[Worker[Any]]) -> None:
        pushed = asyncio.create_task(self._pushed.wait())
        going: asyncio.Task[None] | None = None
        try:
            while self._keys.holds and self._app.screen is below:
                waited = {task for task in tasks_of(started) if not task.done()}
                if not waited:
                    # The work may have asked the app for another view as the last thing it did.
                    going = going or asyncio.create_task(self._until_handled(below))
                    waited = {going}
                if going is not None and going.done():
                    break
                await asyncio.wait({pushed, *waited}, timeout=_LOOK, return_when="FIRST_COMPLETED")
        finally:
            pushed.cancel()
            if going is not None:
                going.cancel()

    async def _until_handled(self, screen: Screen[Any]) -> None:
        """Wait until messages posted to a screen, and by it to the app, are handled."""
        for node in (screen, self._app):
            handled = asyncio.Event()
            if node.call_later(handled.set):
                await handled.wait()

    def _gives_up(self, event: events.Key) -> bool:
        # A dialog that is there, but not whole, takes esc as soon as it is.
        return self._quits(event) or (event.key == "escape" and not self._is_opening())

    def note_pushed(self, screen: Screen[Any], below: Screen[Any]) -> None:
        """Called when a screen was pushed; keys are held until a dialog is composed."""
        self._pushed.set()
        if screen.is_modal:
            self.follow(below, ())

    @property
    def _is_arriving(self) -> bool:
        """Whether the view on top still has an action to do on arrival."""
        return bool(getattr(self._app.screen, "is_arriving", False))

    def _is_opening(self, below: Screen[Any] | None = None) -> bool:
        return self._app.screen is not below and not self._is_open(below)

    def _is_open(self, below: Screen[Any] | None) -> bool:
        screen = self._app.screen
        return screen is not below and (not isinstance(screen, GuardedScreen) or screen.is_whole)


def _is_typing(event: events.Event) -> bool:
    """Whether a key writes or sends a text."""
    return not isinstance(event, events.Key) or event.is_printable or event.key in ("enter", "backspace")
