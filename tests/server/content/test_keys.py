from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from recto.document.markdown.block_keys import carry_keys, fresh_keys
from recto.document.markdown.page import ParsedPage
from recto.server.content import keys
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.objects import PendingObjects
from recto.server.content.page_text import read_page
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.platform import Speaker

PARAGRAPHS = [f"Paragraph {number}." for number in range(6)]


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, (ImportedPage("page", "Page", "page", text="\n\n".join(PARAGRAPHS) + "\n"),))


async def keys_by_text(ada: Speaker, space: str) -> dict[str, str]:
    """Return the key of each paragraph of the page by what it says."""
    page = await ada.get(f"/spaces/{space}/content/page/page", format="document")
    return {
        "".join(leaf["text"] for text in block["nodes"] for leaf in text["leaves"]): block["key"]
        for block in page["document"]["nodes"]
    }


async def desks_that_edit(ada: Speaker, space: str, *places: int) -> list[Desk]:
    """Make change requests on the same content, each of which edits one paragraph."""
    desks = []
    for place in places:
        desk = await Desk.open(ada, space)
        said = [f"Edited {at}." if at == place else text for at, text in enumerate(PARAGRAPHS)]
        await desk.edit("page", "# Page\n\n" + "\n\n".join(said) + "\n")
        desks.append(desk)
    return desks


async def test_blocks_keep_their_keys_through_edits_and_merges_that_are_not_looked_at(
    ada: Speaker, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await keys_by_text(ada, space)

    def unasked(*given: Any) -> Any:
        raise AssertionError("neither an edit nor a merge carries keys")

    with monkeypatch.context() as working:
        working.setattr(keys, "_carry", unasked)
        desks = await desks_that_edit(ada, space, 0, 2, 4)
        await desks[0].merge()
        await desks[1].merge()
    await desks[2].merge()
    after = await keys_by_text(ada, space)
    expected = [f"Edited {at}." if at in (0, 2, 4) else text for at, text in enumerate(PARAGRAPHS)]
    assert list(after) == expected
    assert list(after.values()) == list(before.values())


async def test_no_reader_has_to_follow_more_than_one_edit_and_one_merge_back(
    platform: Platform, ada: Speaker, space: str
) -> None:
    def count_put_off(texts: str) -> int:
        counted = f"SELECT count(*) FROM block_keys WHERE json_array_length(befores) = {texts}"
        return int(platform.database.read_now(lambda connection: connection.value(counted)))

    for desk in await desks_that_edit(ada, space, 0, 1, 2, 3):
        await desk.merge()
    merges, edits = count_put_off("2"), count_put_off("1")
    assert (merges, edits) == (1, 4)
    desk = await Desk.open(ada, space)
    for text in ("Once.\n", "Twice.\n", "Three times.\n"):
        await desk.edit("page", text)
    assert (count_put_off("2"), count_put_off("1")) == (0, edits + 1)


def test_keys_are_not_carried_round_in_a_circle(platform: Platform) -> None:
    """Two people may make each other's text of a page at the same moment."""

    def save(connection: Any) -> list[str]:
        for after, before in (("b", "a"), ("c", "b"), ("a", "c")):
            pending = PendingObjects(connection)
            pending.put_keys("page", after, "", json.dumps([before, None]))
            pending.store(connection)
        found: list[str] = connection.column("SELECT text FROM block_keys ORDER BY text")
        return found

    assert platform.database.write_now(save) == ["b", "c"]


async def test_keys_are_looked_up_once_for_each_block(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = given = 0

    class Counted(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    space = make_space(platform, (ImportedPage("page", "Page", "page", text="a\n\n" * 500),))
    known = keys.block_keys

    def count_all(*arguments: Any) -> tuple[str, ...]:
        nonlocal given
        found = tuple(Counted(key) for key in known(*arguments))
        given += len(found)
        return found

    monkeypatch.setattr(keys, "block_keys", count_all)
    desk = await Desk.open(ada, space)
    await desk.edit("page", "b\n\n" * 505)
    await ada.get(f"{desk.path}/content/page/page", format="document")
    assert given >= 500
    assert compared < 10 * given


# Reverting


def test_however_many_blocks_are_reverted_the_texts_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    was = "".join(f"Was {number}.\n\n" for number in range(100))
    kept = [f"Is {number}.\n\n" if number % 2 else f"Was {number}.\n\n" for number in range(100) if number % 5]
    text = "".join([*kept, "New.\n"])
    earlier, page = read_page(was), read_page(text)
    was_keys = fresh_keys(earlier)
    now_keys = carry_keys(earlier, was_keys, page)
    read: list[str] = []

    def counted(markdown: str) -> ParsedPage:
        read.append(markdown)
        return read_page(markdown)

    monkeypatch.setattr(keys, "read_page", counted)
    wanted = dict.fromkeys([*was_keys, *now_keys])
    assert keys.revert_blocks(text, now_keys, was, was_keys, [*wanted]).split() == was.split()
    assert read == [text, was]


def test_the_keys_of_a_page_that_is_too_large_for_blocks_take_little_more_than_it() -> None:
    page = read_page("a\n  b  \n" * 100_000)
    edited = read_page(page.source + "c")
    tracemalloc.start()
    try:
        keys = fresh_keys(page)
        assert carry_keys(page, keys, edited) == keys
        assert tracemalloc.get_traced_memory()[1] < 4 * len(page.source)
    finally:
        tracemalloc.stop()
    (named,) = keys
    assert fresh_keys(read_page("a\nb\n" * 100_000)) == (named,), "space around lines counts for nothing"
    assert fresh_keys(edited) != keys
