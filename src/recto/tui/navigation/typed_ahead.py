"""Keys typed while a dialog or an editor is on its way: they belong to it, and never act on the screen below."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from textual import events
from textual.app import App
from textual.screen import Screen
from textual.worker import Worker

from recto.tui.private_names import tasks_of
from recto.tui.screens.guarded import GuardedScreen
from recto.tui.snapshot.pending_keys import PendingKeys

_PATIENCE = 10.0
"""Seconds after which keys act again though nothing has opened."""

_AT_ONCE = ("escape", "ctrl+q")
"""Keys that wait for nothing."""

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
        """Whether what was to open is there, and takes the keys one after the other."""

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
        if self._pending.holds or (not started and self._app.screen is below):
            return
        self._opened = False
        self._pushed.clear()
        self._pending.hold()
        self._app.run_worker(self._wait(below, started), "typed ahead", exit_on_error=False)

    async def _wait(self, below: Screen[Any], started: Sequence[Worker[Any]]) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._until_opening(below, started)
                while self._app.screen is not below and not self._is_open(below):
                    await self._pause()
        except TimeoutError:
            pass
        if self._pending.holds and self._is_open(below):
            self._opened = True
            await self._pass_on()
        self._pending.forget()

    async def _pass_on(self) -> None:
        """Let the keys act one after the other in what has opened; when that closes, the rest is dropped."""
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
        tasks = tasks_of(started)
        pushed = asyncio.create_task(self._pushed.wait())
        try:
            while self._pending.holds and self._app.screen is below and not all(task.done() for task in tasks):
                await asyncio.wait(
                    {pushed, *(task for task in tasks if not task.done())}, return_when="FIRST_COMPLETED"
                )
        finally:
            pushed.cancel()

    def note_pushed(self) -> None:
        """Called when a screen was put on top."""
        self._pushed.set()

    def _is_open(self, below: Screen[Any]) -> bool:
        screen = self._app.screen
        return screen is not below and (not isinstance(screen, GuardedScreen) or screen.is_whole)
