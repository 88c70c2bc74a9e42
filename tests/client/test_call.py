from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest

from recto.client.call import LIMIT, Call, pages
from recto.client.errors import BadResponse
from recto.client.sender import Sender
from recto.contract.common import ListPage, Next
from recto.contract.operation import Operation
from support.notes import FakeTransport, Note, Notes, WriteNote


class Book:
    """A book of numbered notes that comes in pages."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.transport = FakeTransport(self._answer)
        self.call = Call(self.transport)

    def _answer(self, operation: Operation[Any, Any], arguments: Mapping[str, Any]) -> ListPage[Note]:
        start, limit = int(arguments["page"] or 0), arguments["limit"]
        end = min(start + limit, self.size)
        return ListPage[Note](
            next=Next(page=str(end)) if end < self.size else None,
            count=self.size,
            items=tuple(Note(id=str(number)) for number in range(start, end)),
        )

    @property
    def asked(self) -> list[tuple[str | None, int]]:
        return [(arguments["page"], arguments["limit"]) for _, arguments in self.transport.sent]


async def test_a_call_sends_the_operation_and_its_arguments_by_name() -> None:
    transport = FakeTransport(lambda operation, arguments: Note(id="n1"))
    assert await Call(transport)(Notes.update_note, "n1", WriteNote(title="New")) == Note(id="n1")
    assert transport.sent == [("update_note", {"note_id": "n1", "body": WriteNote(title="New")})]


async def items(call: Call, book: str) -> AsyncIterator[Note]:
    async for page in pages(call, Notes.list_notes, book):
        for note in page.items:
            yield note


async def test_a_list_is_walked_to_its_end() -> None:
    book = Book(2 * LIMIT + 1)
    assert [note.id async for note in items(book.call, "b1")] == [str(n) for n in range(2 * LIMIT + 1)]
    assert book.asked == [(None, LIMIT), (str(LIMIT), LIMIT), (str(2 * LIMIT), LIMIT)]


async def test_an_empty_list_is_one_call() -> None:
    book = Book(0)
    assert [note async for note in items(book.call, "b1")] == []
    assert len(book.asked) == 1


async def test_pages_are_asked_for_when_they_are_wanted() -> None:
    book = Book(10)
    async for page in pages(book.call, Notes.list_notes, "b1", limit=3):
        if len(book.asked) == 2:
            assert [note.id for note in page.items] == ["3", "4", "5"]
            break
    assert book.asked == [(None, 3), ("3", 3)]


async def test_a_list_that_goes_in_circles_ends_in_an_error() -> None:
    transport = FakeTransport(lambda operation, arguments: ListPage[Note](next=Next(page="1"), items=(Note(id="n"),)))
    with pytest.raises(BadResponse, match="twice"):
        [note async for note in items(Call(transport), "b1")]
    assert len(transport.sent) == 2


@pytest.mark.parametrize("after", [{}, {"page": None}, {"page": ""}, []])
async def test_a_list_whose_last_page_names_no_further_one_is_one_call(after: object) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, json={"next": after, "count": 1, "items": [{"id": "n1"}]})

    sender = Sender("https://api.example.com", None, transport=lambda: httpx.MockTransport(answer))
    assert [note.id async for note in items(Call(sender), "b1")] == ["n1"]
    assert len(asked) == 1
    await sender.aclose()
