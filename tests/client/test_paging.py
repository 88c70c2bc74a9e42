from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from recto.client.errors import BadAnswer
from recto.client.paging import LIMIT, count, pages, walk
from recto.contract.common import ListPage, Next
from recto.contract.operation import Operation
from support.notes import FakeTransport, Note, Notes


class Book:
    """A book of numbered notes that comes in pages."""

    def __init__(self, size: int, *, counts: bool = True) -> None:
        self.size = size
        self.counts = counts
        self.transport = FakeTransport(self._answer)
        self.notes = Notes(self.transport)

    def _answer(self, operation: Operation[Any, Any], arguments: Mapping[str, Any]) -> ListPage[Note]:
        start, limit = int(arguments["page"] or 0), arguments["limit"]
        end = min(start + limit, self.size)
        return ListPage[Note](
            next=Next(page=str(end)) if end < self.size else None,
            count=self.size if self.counts else None,
            items=tuple(Note(id=str(number)) for number in range(start, end)),
        )

    @property
    def asked(self) -> list[tuple[str | None, int]]:
        return [(arguments["page"], arguments["limit"]) for _, arguments in self.transport.sent]


async def test_a_list_is_walked_to_its_end() -> None:
    book = Book(2 * LIMIT + 1)
    assert [note.id async for note in walk(book.notes.list_notes, "b1")] == [str(n) for n in range(2 * LIMIT + 1)]
    assert book.asked == [(None, LIMIT), (str(LIMIT), LIMIT), (str(2 * LIMIT), LIMIT)]


async def test_an_empty_list_is_one_call() -> None:
    book = Book(0)
    assert [note async for note in walk(book.notes.list_notes, "b1")] == []
    assert len(book.asked) == 1


async def test_pages_are_asked_for_when_they_are_wanted() -> None:
    book = Book(10)
    async for page in pages(book.notes.list_notes, "b1", limit=3):
        if len(book.asked) == 2:
            assert [note.id for note in page.items] == ["3", "4", "5"]
            break
    assert book.asked == [(None, 3), ("3", 3)]


async def test_a_list_that_goes_in_circles_ends_in_an_error() -> None:
    transport = FakeTransport(lambda operation, arguments: ListPage[Note](next=Next(page="1"), items=(Note(id="n"),)))
    with pytest.raises(BadAnswer, match="twice"):
        [note async for note in walk(Notes(transport).list_notes, "b1")]
    assert len(transport.sent) == 2


@pytest.mark.parametrize(("counts", "calls"), [(True, 1), (False, 3)])
async def test_a_count_asks_for_as_little_as_it_can(counts: bool, calls: int) -> None:
    book = Book(LIMIT + 5, counts=counts)
    assert await count(book.notes.list_notes, "b1") == LIMIT + 5
    assert len(book.asked) == calls


async def test_a_short_list_without_a_count_is_counted_with_one_call() -> None:
    book = Book(1, counts=False)
    assert await count(book.notes.list_notes, "b1") == 1
    assert len(book.asked) == 1
