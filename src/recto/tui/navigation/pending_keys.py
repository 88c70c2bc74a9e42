"""Keys that are pressed before the view is there: queued, and passed on in turn when it is."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import events

from recto.tui.private_names import tasks_of

if TYPE_CHECKING:
    from textual.app import App

_A_MOMENT = 1.0
"""Seconds that a key may take to act before the next one follows all the same."""


class PendingKeys:
    """Queues keys and pasted texts from ``hold`` on, until they are passed on or forgotten."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._held: deque[events.Event] = deque()
        self.holds = False
        """Whether keys are held back."""
        self._passing: events.Event | None = None

    @property
    def waiting(self) -> bool:
        """Whether something was typed that has not acted yet."""
        return bool(self._held) or self._passing is not None

    def hold(self) -> None:
        """Hold back keys from now on; keys that were passed on do not come back."""
        self._passing = None
        self.holds = True

    def takes(self, event: events.Event) -> bool:
        """Say whether an event is held back, so that nothing more is to be done with it now."""
        if not self.holds or event is self._passing or not isinstance(event, events.Key | events.Paste):
            return False
        if event.is_forwarded:
            return False
        self._held.append(event)
        return True

    def forget(self) -> None:
        """Stop queueing, and drop the queue."""
        self._held.clear()
        self.holds = False

    async def let_go(self) -> None:
        """Pass on the queued keys in order; keys pressed meanwhile wait for their turn."""
        while self._held:
            self._passing = self._held.popleft()
            if not getattr(self._passing, "is_printable", True):
                await self._wait_for_dialog()
            self._app.post_message(self._passing)
            with suppress(TimeoutError):
                async with asyncio.timeout(_A_MOMENT):
                    await self._wait_until_handled()
        self._passing = None
        self.holds = False

    async def _wait_for_dialog(self) -> None:
        # What a dialog is still looking for is what the next key is meant for, such as enter on a name.
        dialog = self._app.screen
        looking = tasks_of(worker for worker in self._app.workers if worker.node is dialog)
        if dialog.is_modal and looking:
            await asyncio.wait(looking, timeout=_A_MOMENT)

    async def _wait_until_handled(self) -> None:
        # A key goes from the app to the focus and from there outwards again, and each of these may act on it.
        await self._wait_for_node(self._app)
        focus = self._app.focused or self._app.screen
        for node in focus.ancestors_with_self:
            await self._wait_for_node(node)
        drawn = asyncio.Event()
        if self._app.screen.call_after_refresh(drawn.set):
            await drawn.wait()

    @staticmethod
    async def _wait_for_node(node: Any) -> None:
        passed = asyncio.Event()
        if node.call_later(passed.set):
            await passed.wait()
