"""Drafts of forms, on disk until they are sent or discarded."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from recto.store.drafts import Draft, DraftKind
from recto.store.keeper import HeldElsewhere, NotKept

if TYPE_CHECKING:
    from recto.store.drafts import DraftPlace
    from recto.store.store import Store

_FORM, _BASE = "form", "base"

OPEN_ELSEWHERE = "This is open in another window, too: what you type here is a draft of its own."
"""The message when :meth:`FormDraft.save` begins a draft beside that of another window."""


class FormDraft:
    """The draft of a form or text at its place; if the disk fails, it is on the screen only.

    It is held until :meth:`close`, so that another window begins a draft of its own. ``base`` is what was there when
    the typing began, as a text; a draft that is found brings its own.
    """

    def __init__(self, store: Store, place: DraftPlace, form: str, base: str = "") -> None:
        self._store = store
        self._place = place
        self._form = form
        self.base = base
        self._draft: Draft | None = None
        self._turn = asyncio.Lock()

    @property
    def is_begun(self) -> bool:
        """Whether there is a draft on disk."""
        return self._draft is not None

    async def find(self) -> str | None:
        """Return the text that was typed before, if any."""
        async with self._turn:
            with suppress(NotKept, HeldElsewhere):
                for draft in await self._find():
                    await self._hold(draft)
                    self.base = draft.facts.get(_BASE, self.base)
                    return await self._store.keeper.text(draft)
            return None

    async def save(self, text: str) -> bool:
        """Save the typed values; returns whether that began a draft while another window has a draft open."""
        async with self._turn:
            if self._draft is not None:
                self._store.keeper.type(self._draft, text)
                return False
            with suppress(NotKept):
                others = await self._find(held_elsewhere=True)
                draft = await self._store.keeper.do(
                    self._store.drafts.start,
                    DraftKind.FORM,
                    self._place,
                    text,
                    name=self._form,
                    suffix=".json",
                    facts={_FORM: self._form, _BASE: self.base},
                )
                await self._hold(draft)
                return bool(others)
            return False

    async def _find(self, *, held_elsewhere: bool = False) -> list[Draft]:
        find, place = self._store.drafts.find, self._place
        found = await self._store.keeper.do(find, place, DraftKind.FORM, held_elsewhere=held_elsewhere)
        return [draft for draft in found if draft.place == place and draft.facts.get(_FORM) == self._form]

    async def _hold(self, draft: Draft) -> None:
        await self._store.keeper.hold(draft)
        self._draft = draft

    async def discard(self) -> None:
        """Discard the draft: it was sent, or is not wanted."""
        async with self._turn:
            if self._draft is not None:
                with suppress(NotKept):  # the next time it is found again
                    await self._store.keeper.discard(self._draft)
                self.close()

    def close(self) -> None:
        """Leave the draft, if any, for the next form or window."""
        if self._draft is not None:
            self._store.keeper.release(self._draft)
            self._draft = None
