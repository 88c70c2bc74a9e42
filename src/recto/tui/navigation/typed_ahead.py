"""Keys typed while a dialog or an editor is on its way: they belong to it, and never act on the screen below."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from textual import events
from textual.app import App
from textual.screen import Screen
from textual.worker import Worker

from recto.tui.navigation.pending_keys import PendingKeys
from recto.tui.private_names import tasks_of
from recto.tui.screens.guarded import GuardedScreen

_PATIENCE = 10.0
"""Seconds after which keys act again though nothing has opened."""

_AT_ONCE = ("escape", "ctrl+q")
"""Keys that wait for nothing."""

_LOOK = 0.5
"""Seconds after which it is looked again though nothing was announced."""

_PAUSE = 0.01
"""Seconds between two looks at whether something has opened."""


class TypedAhead:
    """Holds keys from an action on until what it opens takes them; where it opens nothing they are dropped."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._pending = PendingKeys(app)
        self._pushed = asyncio.Event()
        """Set when a screen was put on top since keys are held."""
        self._opened = False
        """Whether the expected screen is open and takes the keys in order."""
        self._waiting: Worker[None] | None = None

    @property
    def holds(self) -> bool:
        """Whether keys are held back."""
        return self._pending.holds

    def takes(self, event: events.Event) -> bool:
        """Whether an event is held back; esc gives up what was typed, and acts itself."""
        if self._pending.holds and isinstance(event, events.Key) and event.key in _AT_ONCE and not self._opened:
            self._pending.forget()
        return self._pending.takes(event)

    def forget(self) -> None:
        """Drop what was typed, and hold nothing any more."""
        self._pending.forget()

    def follow(self, below: Screen[Any], started: Sequence[Worker[Any]]) -> None:
        """Hold keys from now on, until something opens over a screen or the work that was to open it has ended."""
        if started or self._app.screen is not below:
            self._begin(below, started)

    def follow_arrival(self, below: Screen[Any]) -> None:
        """Hold keys from now on, until a view was gone to and the action to do there has opened something."""
        self._begin(below, ())

    def _begin(self, below: Screen[Any], started: Sequence[Worker[Any]]) -> None:
        # Keys held for an opening that leads on to another belong to the last.
        if self._waiting is not None:
            self._waiting.cancel()
        self._opened = False
        self._pushed.clear()
        self._pending.hold()
        # Not as a coroutine: that of work which is cancelled before it began would be left over.
        wait = partial(self._wait, below, started)
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
        if self._pending.holds and self._is_open(below) and not leads_on:
            self._opened = True
            await self._pass_on()
        self._pending.forget()

    async def _pass_on(self) -> None:
        """Pass the keys in order to the screen that has opened; drop the rest when it closes."""
        opened = self._app.screen
        passing = asyncio.create_task(self._pending.let_go())
        try:
            while not passing.done() and self._app.screen is opened:
                await asyncio.wait({passing}, timeout=_PAUSE)
        finally:
            passing.cancel()

    async def _pause(self) -> None:
        await asyncio.sleep(_PAUSE)

    async def _until_opening(self, below: Screen[Any], started: Sequence[Worker[Any]]) -> None:
        pushed = asyncio.create_task(self._pushed.wait())
        going: asyncio.Task[None] | None = None
        try:
            while self._pending.holds and self._app.screen is below:
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

    def note_pushed(self) -> None:
        """Called when a screen was put on top."""
        self._pushed.set()

    @property
    def _is_arriving(self) -> bool:
        """Whether the view on top has yet to do what it was gone to for."""
        return bool(getattr(self._app.screen, "is_arriving", False))

    def _is_opening(self, below: Screen[Any]) -> bool:
        return self._app.screen is not below and not self._is_open(below)

    def _is_open(self, below: Screen[Any]) -> bool:
        screen = self._app.screen
        return screen is not below and (not isinstance(screen, GuardedScreen) or screen.is_whole)
