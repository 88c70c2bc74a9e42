from __future__ import annotations

from typing import Any

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.content import Content
from recto.contract.operation import Operation
from recto.store.query_keys import QueryKey, about, calls
from support.notes import Notes


def key(operation: Operation[Any, Any], *args: Any, **kwargs: Any) -> QueryKey:
    return QueryKey.of(operation, operation.arguments(*args, **kwargs))


def test_the_same_call_has_the_same_name_however_it_is_spelled() -> None:
    assert key(Notes.get_note, "n1") == key(Notes.get_note, note_id="n1", whole=True)
    assert hash(key(Notes.get_note, "n1", authors=["a"])) == hash(key(Notes.get_note, "n1", authors=["a"]))
    assert key(Notes.get_note, "n1") != key(Notes.get_note, "n2")
    assert key(Notes.get_note, "n1") != QueryKey.of(Notes.get_note, {"note_id": "n1"}, walks=True)


def test_queries_are_chosen_by_operation_and_by_argument() -> None:
    first, second = key(Notes.get_note, "n1", authors=["a"]), key(Notes.list_notes, "b1")
    assert calls(Notes.get_note)(first)
    assert calls(Notes.get_note, note_id="n1", authors=["a"])(first)
    assert not calls(Notes.get_note, note_id="n2")(first)
    assert not calls(Notes.get_note)(second)
    assert about(book_id="b1")(second)
    assert not about(book_id=None)(first)
    assert second.argument("book_id") == "b1"
    assert second.argument("note_id") is None


def test_queries_are_chosen_by_address_and_by_the_ids_in_it() -> None:
    main, proposed = key(Content.list_pages, Main("s")), key(Content.list_pages, InChangeRequest("s", "c"))
    assert calls(Content.list_pages, at=Main("s"))(main)
    assert not calls(Content.list_pages, at=Main("s"))(proposed)
    assert calls(Content.list_pages, space_id="s")(proposed)
    assert about(space_id="s")(main)
    assert [about(change_request_id="c")(each) for each in (main, proposed)] == [False, True]
