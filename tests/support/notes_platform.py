"""A made-up platform that keeps notes, for tests of the store: it can be made to wait and to fail."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from recto.client.errors import ClientError, NotFound
from recto.contract.common import ListPage, Next
from recto.contract.operation import Operation
from support.notes import FakeTransport, Note

PAGE = 2
"""How many notes a page of its lists holds."""


class NotesPlatform:
    """Notes by id, a gate that holds every call while it is closed, and the error of the next call."""

    def __init__(self, *titles: str) -> None:
        self.notes = {f"n{number}": title for number, title in enumerate(titles, 1)}
        self.gate = asyncio.Event()
        self.gate.set()
        self.called = asyncio.Event()
        self.errors: list[ClientError | Exception] = []
        self.transport = FakeTransport(self._answer)

    @property
    def calls(self) -> list[str]:
        """The names of the operations that were called."""
        return [name for name, _ in self.transport.sent]

    async def _answer(self, operation: Operation[Any, Any], arguments: Mapping[str, Any]) -> Any:
        self.called.set()
        await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        return getattr(self, f"_{operation.name}")(**arguments)

    def _list_notes(self, page: str | None, **_: Any) -> ListPage[Note]:
        start = int(page or 0)
        items = [Note(id=key, title=title) for key, title in self.notes.items()]
        more = start + PAGE < len(items)
        return ListPage[Note](
            next=Next(page=str(start + PAGE)) if more else None,
            count=len(items),
            items=tuple(items[start : start + PAGE]),
        )

    def _get_note(self, note_id: str, **_: Any) -> Note:
        if note_id not in self.notes:
            raise NotFound("Could not load the note.", "It does not exist.", status=404)
        return Note(id=note_id, title=self.notes[note_id])

    def _create_note(self, book_id: str, body: Any) -> Note:
        key = f"n{len(self.notes) + 1}"
        self.notes[key] = body.title
        return Note(id=key, title=body.title)

    def _update_note(self, note_id: str, body: Any) -> Note:
        self.notes[note_id] = body.title
        return self._get_note(note_id)

    def _delete_note(self, note_id: str) -> None:
        self.notes.pop(note_id, None)
