from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from recto.client.responses import pieces_of
from recto.contract.common import ListPage
from recto.contract.content import PageTree, Revision
from recto.contract.spaces import Space


def spaces(number: int, **more: Any) -> bytes:
    """Return an answer with so many spaces."""
    items = [
        {"object": "space", "id": f"s{at}", "createdAt": "2026-03-02T09:00:00Z", "news": {"at": at}}
        for at in range(number)
    ]
    return json.dumps({"count": number, "items": items, "next": {"page": "2"}, "unheard": 1} | more).encode()


@pytest.mark.parametrize("number", [0, 3, 50])
def test_it_gives_what_parsing_at_once_gives(number: int) -> None:
    adapter = TypeAdapter(ListPage[Space])
    pieces = pieces_of(ListPage[Space])
    assert pieces is not None
    parsed = pieces.validate(adapter, spaces(number))
    assert parsed == adapter.validate_json(spaces(number))
    assert parsed.to_json() == adapter.validate_json(spaces(number)).to_json()
    assert len(parsed.items) == number


def test_a_tree_is_parsed_from_its_top() -> None:
    pages = [{"id": f"p{at}", "pages": [{"id": f"p{at}-1", "path": "a/b"}]} for at in range(40)]
    content = json.dumps({"pages": pages}).encode()
    pieces, adapter = pieces_of(PageTree), TypeAdapter(PageTree)
    assert pieces is not None
    assert pieces.validate(adapter, content) == adapter.validate_json(content)


def read(answer: Any, content: bytes) -> list[tuple[Any, bool]]:
    pieces = pieces_of(answer)
    assert pieces is not None
    return list(pieces.read(TypeAdapter(answer), content))


def test_the_beginning_holds_the_first_items_whole_and_comes_once() -> None:
    pages = [{"id": f"p{at}", "pages": [{"id": f"p{at}-{one}"} for one in range(20)]} for at in range(1_000)]
    (begun, early), (whole, last) = read(PageTree, json.dumps({"pages": pages}).encode())
    assert (early, last) == (False, True)
    assert 50 < len(begun.pages) < 500
    assert begun.pages == whole.pages[: len(begun.pages)]
    assert len(whole.pages) == 1_000


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        (PageTree, {"pages": [{"id": f"p{at}"} for at in range(500)]}),
        (PageTree, {"pages": [{"id": "p", "pages": [{"id": f"p{at}"} for at in range(9_000)]}]}),
        (Revision, {"pages": [{"id": f"p{at}"} for at in range(9_000)], "id": "r"}),
    ],
    ids=["short", "one item", "its name comes last"],
)
def test_what_has_no_beginning_comes_whole(answer: Any, content: dict[str, Any]) -> None:
    ((whole, is_whole),) = read(answer, json.dumps(content).encode())
    assert is_whole
    assert whole.pages[0].id in ("p", "p0")


def test_a_fault_after_the_beginning_is_reported_too() -> None:
    pieces, adapter = pieces_of(PageTree), TypeAdapter(PageTree)
    assert pieces is not None
    content = json.dumps({"pages": [{"id": f"p{at}"} for at in range(9_000)] + [{"id": 7}]}).encode()
    steps = pieces.read(adapter, content)
    assert not next(steps)[1]
    with pytest.raises(ValidationError, match=r"pages\.+9000\.id"):
        next(steps)


@pytest.mark.parametrize(
    "text",
    ['{"pages":[{"id":"\\ud83d\\ude00"}], "more" : [ 1 , {} ], "news":null}', " \n{ }\r\t", '{"pages" : [ ] }'],
    ids=["escaped", "empty", "blanks"],
)
def test_what_is_written_another_way_reads_the_same(text: str) -> None:
    ((whole, _),) = read(PageTree, text.encode())
    assert whole == TypeAdapter(PageTree).validate_json(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"pages":[{"id":"\\ud83d"}]}',
        '{"pages":[{"id":"a"},]}',
        '{"pages":[{"id":"a"} {"id":"b"}]}',
        '{"pages":[],}',
        '{"pages":[]} {}',
        '{"pages":[]',
        "{7:[]}",
        '{"pages" []}',
        '{"more":' + "[" * 50_000,
        "",
    ],
    ids=lambda text: text[:30] or "nothing",
)
def test_what_is_no_json_is_refused(text: str) -> None:
    pieces, adapter = pieces_of(PageTree), TypeAdapter(PageTree)
    assert pieces is not None
    with pytest.raises(ValidationError) as whole:
        adapter.validate_json(text.encode())
    for parse in (pieces.validate, lambda *told: list(pieces.read(*told))):
        with pytest.raises(ValidationError) as in_pieces:
            parse(adapter, text.encode())
        assert in_pieces.value.errors() == whole.value.errors()


@pytest.mark.parametrize(
    "content",
    [
        spaces(50, items=[{"id": "s"}] * 30 + [{"id": 7}]),
        spaces(50, count="many"),
        spaces(50, items={"not": "a list"}),
        spaces(50)[:-40],
        b'[{"object": "space"}]',
        b"<html>",
    ],
    ids=["an item", "beside the list", "no list", "cut short", "no object", "no JSON"],
)
def test_faults_are_reported_as_by_parsing_at_once(content: bytes) -> None:
    pieces, adapter = pieces_of(ListPage[Space]), TypeAdapter(ListPage[Space])
    assert pieces is not None
    with pytest.raises(ValidationError) as whole:
        adapter.validate_json(content)
    with pytest.raises(ValidationError) as in_pieces:
        pieces.validate(adapter, content)
    assert in_pieces.value.errors() == whole.value.errors()


@pytest.mark.parametrize("answer", [Space, dict[str, int], type(None)])
def test_what_has_no_lists_has_no_pieces(answer: Any) -> None:
    assert pieces_of(answer) is None
