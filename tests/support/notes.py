# mypy: disable-error-code="empty-body"
"""A small declared resource, for tests of what carries and remembers any operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import Enum
from typing import Any, TypeVar

from pydantic import TypeAdapter

from recto.contract.common import Limit, ListPage
from recto.contract.model import Body, Model
from recto.contract.operation import Operation, Resource, delete, get, patch, post

R = TypeVar("R")


class Note(Model):
    object: str = "note"
    id: str
    title: str = ""


class WriteNote(Body):
    title: str | None = None
    colour: str | None = None


class Colour(Enum):
    RED = "red"


class Notes(Resource):
    @get("/books/{book_id}/notes")
    async def list_notes(self, book_id: str, page: str | None = None, limit: Limit = None) -> ListPage[Note]:
        """The notes of a book."""
        ...

    @get("/notes/{note_id}")
    async def get_note(
        self,
        note_id: str,
        share_key: str | None = None,
        whole: bool = True,
        authors: list[str] | None = None,
        colour: Colour | None = None,
        since: datetime | None = None,
    ) -> Note:
        """One note; ``share_key`` opens a shared one."""
        ...

    @get("/notes/at/{note_path:path}")
    async def get_note_at(self, note_path: str) -> Note:
        """The note at a path."""
        ...

    @post("/books/{book_id}/notes", status=201)
    async def create_note(self, book_id: str, body: WriteNote) -> Note:
        """Make a note."""
        ...

    @patch("/notes/{note_id}")
    async def update_note(self, note_id: str, body: WriteNote) -> Note:
        """Change a note."""
        ...

    @delete("/notes/{note_id}")
    async def delete_note(self, note_id: str) -> None:
        """Remove a note."""
        ...


class FakeTransport:
    """A transport that answers from a function, notes what it was asked, and can be made to fail or to wait."""

    def __init__(self, answer: Callable[[Operation[Any, Any], Mapping[str, Any]], Any]) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.answer = answer

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        route = operation.route(arguments)
        self.sent.append((route.name, route.flat(arguments)))
        value = self.answer(operation, arguments)
        if hasattr(value, "__await__"):
            value = await value
        checked: R = TypeAdapter(operation.response).validate_python(value)
        return checked
