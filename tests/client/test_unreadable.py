"""An item of a list that cannot be read costs that item."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recto.client import errors
from recto.client.responses import LARGE, Responses
from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import ContentChanges
from recto.contract.comments import Comments
from recto.contract.content import Content
from recto.contract.operation import Operation
from recto.contract.spaces import Spaces
from recto.contract.structure import Structure
from recto.contract.unread import Unread, all_unread, unread_of

BROKEN = {"object": "space", "id": "s1", "title": 5}


def space(id: str, **more: Any) -> dict[str, Any]:
    return {"object": "space", "id": id, "title": f"Space {id}", **more}


async def read(operation: Operation[Any, Any], answer: Any) -> Any:
    return await Responses().parse(operation, "Could not load it.", json.dumps(answer).encode())


@pytest.mark.parametrize("large", [False, True])
async def test_a_list_comes_with_the_items_that_can_be_read(large: bool) -> None:
    filler = "x" * LARGE if large else ""
    items = [space("s0", filler=filler), BROKEN, space("s2"), "no object", {"object": "space", "title": "no id"}]
    page = await read(Spaces.list_spaces, {"items": items, "count": 5, "next": {"page": "2"}})
    assert [one.id for one in page.items] == ["s0", "s2"]
    assert (page.count, page.next.page) == (5, "2")
    first, second, third = unread_of(page)
    assert (first.list, first.index, first.object, first.id, first.field) == ("items", 1, "space", "s1", "title")
    assert first.words == "unreadable space s1 (title)"
    assert (second.index, second.object, second.id, second.field) == (3, "", "", "")
    assert (third.index, third.field) == (4, "id")
    assert b"unread" not in page.to_json()
    assert unread_of(page.model_copy(update={"count": 1})) == (first, second, third)


async def test_the_beginning_of_a_large_answer_and_the_whole_are_read_alike() -> None:
    items = [space(f"s{at}", filler="x" * 2000) for at in range(200)]
    items[150] = BROKEN
    told: list[Any] = []
    content = json.dumps({"items": items}).encode()
    page = await Responses().parse(Spaces.list_spaces, "Could not load it.", content, told.append)
    assert len(page.items) == 199
    assert [note.index for note in unread_of(page)] == [150]
    assert [one.id for one in told[0].items] == [f"s{at}" for at in range(len(told[0].items))]


async def test_the_innermost_list_loses_its_item() -> None:
    inner = [{"object": "site-space", "id": "p1"}, {"object": "site-space", "id": "p2", "path": {}}]
    section = {"object": "site-section", "id": "c1", "title": "One", "siteSpaces": inner}
    group = {"object": "site-section-group", "id": "g1", "children": [section, {"object": "site-section"}]}
    answer = await read(Structure.get_structure, {"structure": [group, {"object": "news", "id": "n1"}]})
    assert [one.id for one in answer.structure] == ["g1", "n1"]
    read_section = answer.structure[0].children[0]
    assert [one.id for one in read_section.site_spaces] == ["p1"]
    assert unread_of(answer) == ()
    (in_group,) = unread_of(answer.structure[0], "children")
    assert (in_group.object, in_group.field) == ("site-section", "id")
    (in_section,) = unread_of(read_section)
    assert (in_section.list, in_section.object, in_section.id, in_section.field) == (
        *("siteSpaces", "site-space", "p2", "path"),
    )
    assert set(all_unread(answer)) == {in_group, in_section}


async def test_trees_reactions_changes_and_rich_text_keep_what_can_be_read() -> None:
    pages = [{"id": "a", "pages": [{"id": "b", "title": []}, {"id": "c"}]}, {"title": "no id"}]
    tree = await read(Content.list_pages, {"pages": pages})
    assert [note.id for note in all_unread(tree)] == ["", "b"]
    assert [page.id for page in tree.pages[0].pages] == ["c"]

    text = {"object": "text", "leaves": [{"object": "leaf", "text": "kept"}, {"object": "leaf", "text": 3}]}
    body = {"document": {"object": "document", "nodes": [{"object": "block", "type": "paragraph", "nodes": [text]}]}}
    comment = {"object": "comment", "id": "k", "body": body, "reactions": [{"emoji": 1}, {"emoji": "x", "count": 1}]}
    comments = await read(Comments.list_comments, {"items": [comment]})
    assert {(note.list, note.field) for note in all_unread(comments)} == {("leaves", "text"), ("reactions", "emoji")}
    assert [one.emoji for one in comments.items[0].reactions] == ["x"]

    edited = {"type": "page_edited", "page": {"id": "a"}}
    changes = await read(ContentChanges.list_changes, {"changes": [edited, {"type": "page_edited"}, {"type": "new"}]})
    assert [one.type for one in changes.changes] == ["page_edited", "new"]
    assert [(note.list, note.index, note.field) for note in unread_of(changes)] == [("changes", 1, "page")]


async def test_an_item_goes_with_what_is_unreadable_in_it() -> None:
    inside = {"object": "site-section", "id": "c1", "title": 1, "siteSpaces": [{"object": "site-space"}]}
    answer = await read(Structure.get_structure, {"structure": [inside]})
    assert answer.structure == ()
    assert [(note.id, note.field) for note in all_unread(answer)] == [("c1", "title")]


@pytest.mark.parametrize(
    "answer", [{"items": 5}, {"items": [space("a")], "count": "many"}, [], {"items": [BROKEN], "next": {"page": 2}}]
)
async def test_what_is_wrong_outside_lists_is_a_broken_answer(answer: Any) -> None:
    with pytest.raises(errors.BadResponse, match="not what the API describes"):
        await read(Spaces.list_spaces, answer)


async def test_texts_of_an_unread_item_are_fit_to_be_shown() -> None:
    hostile = {"object": "\x1b[31mspace", "id": "a\x9bb\n" * 100, "title": 1, "\x1b": 2}
    (note,) = unread_of(await read(Spaces.list_spaces, {"items": [hostile]}))
    assert not {"\x1b", "\x9b", "\n"} & set(note.words)
    assert len(note.words) < 200


async def test_reading_without_the_unreadable_is_done_only_where_something_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recto.client.responses.read_without", None)
    assert len((await read(Spaces.list_spaces, {"items": [space("a")]})).items) == 1


async def test_an_answer_in_which_nothing_fits_is_given_up_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recto.client.responses._MOST_ERRORS", 10)
    with pytest.raises(errors.BadResponse):
        await read(ChangeRequests.list_change_requests, {"items": [{} for _ in range(11)]})


def test_the_message_about_an_item_without_a_name() -> None:
    assert Unread("items", 0).words == "unreadable item"
