"""Saving typed texts to disk, in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from recto.client.errors import ClientError
from recto.store.drafts import Draft, Drafts, text_hash
from recto.store.signal import Signal, Subscription

if TYPE_CHECKING:
    from recto.store.tasks import Tasks

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)


RETRY_AFTER = 5.0
"""Seconds after which a text that could not be saved is tried again."""


class NotKept(ClientError):
    """A draft could not be saved to disk."""

    default_next_step = "Make room, or check the permissions of the folder."


class HeldElsewhere(ClientError):
    """Another program works on a draft."""

    default_next_step = "Close it there, or try again."


class Keeper:
    """Writes drafts in a thread, in turn, of each only the newest text.

    A text that cannot be written stays in memory, is what :meth:`text` returns, and is tried again.
    """

    def __init__(self, drafts: Drafts, tasks: Tasks) -> None:
        self.changed: Signal[str] = Signal()
        """Emits the id of a draft whose text could not be saved, or now is."""
        self._drafts = drafts
        self._tasks = tasks
        self._waiting: dict[str, tuple[Draft, str]] = {}
        self._errors: dict[str, NotKept] = {}
        self._unreleased: list[Draft] = []
        """The drafts to release once their text is on disk, as often as they are to be."""
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._retry: asyncio.TimerHandle | None = None

    # Typing

    def type(self, draft: Draft, text: str) -> None:
        """Save the draft's text soon; cheap enough to be called at each change."""
        self._waiting[draft.id] = (draft, text)
        self._write_soon()

    @asynccontextmanager
    async def open_text(self, draft: Draft) -> AsyncIterator[TypedText]:
        """Hold a draft and return its text, to be continued.

        Raises :class:`HeldElsewhere`, and :class:`NotKept` where it cannot be read.
        """
        async with self.holding(draft):
            yield TypedText(self, draft, await self.text(draft))

    async def text(self, draft: Draft) -> str:
        """Return the newest text of a draft, whether it is on disk or not."""
        waiting = self._waiting.get(draft.id)
        return waiting[1] if waiting is not None else await self._on_disk(self._drafts.text, draft)

    async def is_edited(self, draft: Draft) -> bool:
        """Whether the newest text differs from the original; false for a removed draft."""
        waiting = self._waiting.get(draft.id)
        if waiting is not None:
            return draft.base_hash is None or text_hash(waiting[1]) != draft.base_hash
        return await asyncio.to_thread(self._drafts.is_edited, draft)

    def error_of(self, draft: Draft) -> NotKept | None:
        """Return why the newest text of a draft is not on disk; ``None`` where it is, or is about to be."""
        return self._errors.get(draft.id)

    @property
    def unsaved(self) -> list[Draft]:
        """The drafts whose newest text could not be saved."""
        return [draft for draft, _text in self._waiting.values() if draft.id in self._errors]

    # Holding

    async def hold(self, draft: Draft) -> None:
        """Hide a draft from other programs until it is released; raises :class:`HeldElsewhere`."""
        try:
            await asyncio.to_thread(self._drafts.hold, draft)
        except BlockingIOError as error:
            raise HeldElsewhere("The draft cannot be opened.", "Another window has it open.") from error

    def release(self, draft: Draft) -> None:
        """Make a draft visible to other programs again, once its text is on disk."""
        self._tasks.start(self._release(draft))

    async def _release(self, draft: Draft) -> None:
        try:
            await self.do(self._drafts.release, draft)
        except NotKept:  # its newest text is in this program alone
            self._unreleased.append(draft)

    async def _release_again(self, draft: Draft) -> None:
        """Release a draft as often as that could not be done before."""
        for each in [each for each in self._unreleased if each.id == draft.id]:
            self._unreleased.remove(each)
            await self._on_disk(self._drafts.release, each)

    @asynccontextmanager
    async def holding(self, draft: Draft) -> AsyncIterator[None]:
        """Hold a draft meanwhile; raises :class:`HeldElsewhere`."""
        await self.hold(draft)
        try:
            yield
        finally:
            self.release(draft)

    # On disk

    async def flush(self, draft: Draft | None = None) -> None:
        """Wait until the typed text, of this draft or of all, is on disk; raises :class:`NotKept`."""
        async with self._turn:
            await self._write_waiting()
            for id, error in self._errors.items():
                if draft is None or draft.id == id:
                    raise error

    async def save(self, draft: Draft, text: str) -> Draft:
        """Save a text and return its draft; raises :class:`NotKept`, and then the text stays in memory."""
        self._waiting[draft.id] = (draft, text)
        await self.flush(draft)
        return await self.do(self._drafts.get, draft.id) or draft

    async def discard(self, draft: Draft) -> None:
        """Remove a draft, and what was typed in it since; raises :class:`NotKept`."""
        async with self._turn:
            self._waiting.pop(draft.id, None)
            self._errors.pop(draft.id, None)
            await self._on_disk(self._drafts.discard, draft)
            await self._release_again(draft)

    async def do(self, action: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of ``Drafts`` in a thread when all that was typed is on disk, as far as it can be.

        Raises :class:`NotKept` where it fails, or where the newest text of the draft it is about is not on disk.
        """
        async with self._turn:
            await self._write_waiting()
            for draft in args:
                if isinstance(draft, Draft) and draft.id in self._errors:
                    raise self._errors[draft.id]
            return await self._on_disk(action, *args, **kwargs)

    def close(self) -> None:
        """Stop retrying."""
        if self._retry is not None:
            self._retry.cancel()

    def _write_soon(self) -> None:
        if self._task is None:
            self._task = self._tasks.start(self._write_behind())

    async def _write_behind(self) -> None:
        try:
            async with self._turn:
                await self._write_waiting()
        finally:
            self._task = None

    async def _write_waiting(self) -> None:
        tried: set[str] = set()
        while left := [waiting for id, waiting in self._waiting.items() if id not in tried]:
            draft, text = left[0]
            try:
                await self._on_disk(self._drafts.save, draft, text)
            except NotKept as error:
                tried.add(draft.id)
                self._errors[draft.id] = error
                self.changed.emit(draft.id)
            else:
                if self._waiting.get(draft.id) == (draft, text):
                    del self._waiting[draft.id]
                    await self._release_again(draft)
                if self._errors.pop(draft.id, None) is not None:
                    self.changed.emit(draft.id)
        self.close()
        if self._waiting:
            self._retry = asyncio.get_running_loop().call_later(RETRY_AFTER, self._write_soon)

    async def _on_disk(self, action: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await asyncio.to_thread(action, *args, **kwargs)
        except OSError as error:
            log.warning("A draft could not be saved: %s", error)
            why = f"The system reports: {error.strerror or type(error).__name__}."
            raise NotKept("The draft could not be saved to disk.", why) from error


class TypedText:
    """The text of a draft while a person types it."""

    def __init__(self, keeper: Keeper, draft: Draft, text: str) -> None:
        self.draft = draft
        self.text = text
        self.discarded = False
        self._keeper = keeper

    def type(self, text: str) -> None:
        """Take the text as it is now, and save it soon."""
        if text != self.text and not self.discarded:
            self.text = text
            self._keeper.type(self.draft, text)

    async def save(self) -> None:
        """Wait until the text is on disk; raises :class:`NotKept`."""
        await self._keeper.flush(self.draft)

    async def discard(self) -> None:
        """Discard the draft; raises :class:`NotKept`."""
        self.discarded = True
        await self._keeper.discard(self.draft)

    @property
    def error(self) -> NotKept | None:
        """Why the text is not on disk; ``None`` where it is, or is about to be."""
        return self._keeper.error_of(self.draft)

    def watch(self, callback: Callable[[], None]) -> Subscription:
        """Call ``callback`` when the text could not be saved, and when it is."""
        return self._keeper.changed.subscribe(lambda id: callback() if id == self.draft.id else None)
