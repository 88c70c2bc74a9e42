"""Puts on disk what is typed, behind the typing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from recto.client.errors import ClientError
from recto.store.signal import Signal

if TYPE_CHECKING:
    from recto.store.drafts import Draft, Drafts
    from recto.store.tasks import Tasks

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)


class NotKept(ClientError):
    """A draft could not be put on disk."""

    default_next_step = "Make room or see to the folder's permissions; what you typed is still on the screen."


class Keeper:
    """Writes drafts in a thread, one after another, of each only the newest text."""

    def __init__(self, drafts: Drafts, tasks: Tasks) -> None:
        self.failed: Signal[NotKept] = Signal()
        """Tells where what was typed is not on disk; it is tried again with the next key and before sending."""
        self._drafts = drafts
        self._tasks = tasks
        self._waiting: dict[str, tuple[Draft, str]] = {}
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    def type(self, draft: Draft, text: str) -> None:
        """Have the draft's text put on disk soon; call it at each change of the text, it costs nothing."""
        self._waiting[draft.id] = (draft, text)
        if self._task is None:
            self._task = self._tasks.start(self._write_behind())

    async def flush(self) -> None:
        """Return when all that was typed is on disk; raises :class:`NotKept`."""
        async with self._turn:
            await self._write_waiting()

    async def do(self, action: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of ``Drafts`` in a thread when all that was typed is on disk; raises :class:`NotKept`."""
        async with self._turn:
            await self._write_waiting()
            return await self._on_disk(action, *args, **kwargs)

    async def _write_behind(self) -> None:
        try:
            await self.flush()
        except NotKept as error:
            self.failed.emit(error)
        finally:
            self._task = None

    async def _write_waiting(self) -> None:
        while self._waiting:
            draft_id, (draft, text) = next(iter(self._waiting.items()))
            await self._on_disk(self._drafts.save, draft, text)
            if self._waiting.get(draft_id) == (draft, text):
                del self._waiting[draft_id]

    async def _on_disk(self, action: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await asyncio.to_thread(action, *args, **kwargs)
        except OSError as error:
            log.warning("A draft could not be kept: %s", error)
            why = f"The disk says: {error.strerror or type(error).__name__}."
            raise NotKept("What you typed could not be kept on disk.", why) from error
