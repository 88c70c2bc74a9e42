from __future__ import annotations

from typing import Any

from recto.contract.operation import Operation
from recto.store.keys import QueryKey, about, calls, of_resource
from support.notes import Notes


def key(operation: Operation[Any, Any], *args: Any, **kwargs: Any) -> QueryKey:
    return QueryKey.of(operation, operation.arguments(*args, **kwargs))


def test_the_same_call_has_the_same_name_however_it_is_spelled() -> None:
    assert key(Notes.get_note, "n1") == key(Notes.get_note, note_id="n1", whole=True)
    assert hash(key(Notes.get_note, "n1", authors=["a"])) == hash(key(Notes.get_note, "n1", authors=["a"]))
    assert key(Notes.get_note, "n1") != key(Notes.get_note, "n2")
    assert key(Notes.get_note, "n1") != QueryKey.of(Notes.get_note, {"note_id": "n1"}, walks=True)


def test_queries_are_chosen_by_operation_by_argument_and_by_resource() -> None:
    first, second = key(Notes.get_note, "n1", authors=["a"]), key(Notes.list_notes, "b1")
    assert calls(Notes.get_note)(first)
    assert calls(Notes.get_note, note_id="n1", authors=["a"])(first)
    assert not calls(Notes.get_note, note_id="n2")(first)
    assert not calls(Notes.get_note)(second)
    assert about(book_id="b1")(second)
    assert not about(book_id=None)(first)
    assert of_resource(Notes)(first)
    assert of_resource(Notes, book_id="b1")(second)
    assert not of_resource(Notes, book_id="b1")(first)
    assert second.argument("book_id") == "b1"
    assert second.argument("note_id") is None
