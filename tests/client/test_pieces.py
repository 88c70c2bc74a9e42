from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from recto.client.pieces import pieces_of
from recto.contract.common import ListPage
from recto.contract.content import PageTree
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
    assert parsed.wire() == adapter.validate_json(spaces(number)).wire()
    assert len(parsed.items) == number


def test_a_tree_is_parsed_from_its_top() -> None:
    pages = [{"id": f"p{at}", "pages": [{"id": f"p{at}-1", "path": "a/b"}]} for at in range(40)]
    content = json.dumps({"pages": pages}).encode()
    pieces, adapter = pieces_of(PageTree), TypeAdapter(PageTree)
    assert pieces is not None
    assert pieces.validate(adapter, content) == adapter.validate_json(content)


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
def test_what_is_wrong_is_said_as_parsing_at_once_says_it(content: bytes) -> None:
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
