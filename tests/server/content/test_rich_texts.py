"""A page as rich text: made once for a text, and bounded whatever the text is."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import tracemalloc
from typing import Any

import pytest

from recto.document.expressions import evaluation
from recto.document.markdown.page import ParsedPage
from recto.document.rich_text import rich_pages
from recto.server.content import keys, page_text
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.objects import Remembered
from recto.server.content.page_text import MOST_MARKS, read_page
from recto.server.platform import Platform
from recto.server.storage.database import Connection
from support.content import Desk, make_space
from support.platform import Speaker
from support.slow import with_slow


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of blocks of each page that was made into rich text."""
    made: list[int] = []
    make = rich_pages.document_json

    def count_all(page: Any, of_blocks: Any = None) -> Any:
        made.append(sum(1 for _ in page.walk()))
        return make(page, of_blocks)

    monkeypatch.setattr(rich_pages, "document_json", count_all)
    return made


def space_of(platform: Platform, text: str) -> str:
    return make_space(platform, (ImportedPage("page", "Page", "page", text=text),))


async def test_it_is_made_once_for_a_text(platform: Platform, ada: Speaker, made: list[int]) -> None:
    space = space_of(platform, "Made once.\n\nFor all.\n")
    desk = await Desk.open(ada, space)
    for where in ("content", "content", f"change-requests/{desk.number}/content"):
        page = await ada.get(f"/spaces/{space}/{where}/page/page", format="document")
        assert len(page["document"]["nodes"]) == 2
    assert made == [2]
    await desk.edit("page", "# Page\n\nAnother.\n")
    await ada.get(f"{desk.path}/content/page/page", format="document")
    assert made == [2, 1]


async def test_who_asks_while_it_is_made_waits_for_the_same(
    platform: Platform, ada: Speaker, made: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    space = space_of(platform, "Asked for by three.\n")
    asked = threading.Semaphore(0)
    make = rich_pages.document_json  # the one that counts
    get = Remembered.get_or_make

    def count_calls(self: Any, *given: Any) -> Any:
        asked.release()
        return get(self, *given)

    def wait(*given: Any) -> Any:
        for _ in range(3):
            assert asked.acquire(timeout=60)
        return make(*given)

    monkeypatch.setattr(Remembered, "get_or_make", count_calls)
    monkeypatch.setattr(rich_pages, "document_json", wait)
    pages = await asyncio.gather(*(ada.get(f"/spaces/{space}/content/page/page", format="document") for _ in range(3)))
    assert pages[0] == pages[1] == pages[2]
    assert made == [1]


PIECES = ("a\n\n", "*a*", "- - - - a\n", "> > > > a\n", "|a|\n", "```\n\n", "{% hint %}\n", "<b>", "[a](b) ")


@pytest.mark.parametrize("piece", with_slow(PIECES, PIECES[2:]))
async def test_a_page_of_too_many_blocks_and_marks_is_one_block_as_it_stands(
    platform: Platform, ada: Speaker, made: list[int], piece: str
) -> None:
    text = piece * (MOST_MARKS + 1)
    space = space_of(platform, text)
    page = await ada.get(f"/spaces/{space}/content/page/page", format="document")
    assert made == [1]
    assert [node["data"]["source"].strip() for node in page["document"]["nodes"]] == [text.strip()]
    desk = await Desk.open(ada, space)
    await desk.write({"operation": "update_page", "page": "page", "document": {"document": page["document"]}})
    assert (await desk.text("page")).removeprefix("# Page\n\n").strip() == text.strip()


@pytest.mark.parametrize(
    ("text", "most"), [("- a\n" * 5000, 5), ("a\n\n" * 5000, 5), ("[a](b) " * 2500, 8)], ids=["items", "texts", "links"]
)
def test_a_large_page_is_written_in_little_memory(text: str, most: int) -> None:
    page = read_page(text)
    names = [f"{number}" for number, _ in enumerate(page.walk())]
    rich_pages.document_json(read_page("- a\n\n[b](c)\n"))
    tracemalloc.start()
    try:
        document = rich_pages.document_json(page, names)
        assert tracemalloc.get_traced_memory()[1] < most * len(document)
    finally:
        tracemalloc.stop()


class Turn:
    """A lock that says how often it is held."""

    held = 0

    def acquire(self, timeout: float) -> bool:
        assert timeout
        self.held += 1
        return True

    def release(self) -> None:
        self.held -= 1


def test_a_large_page_is_read_in_turn_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    large, small, turn = "- a\n" * 16_000, "- a\n", Turn()
    read: list[tuple[int, int]] = []

    def count(text: str) -> ParsedPage:
        read.append((len(text), turn.held))
        return read_page(text)

    monkeypatch.setattr(page_text, "_turn", turn)
    monkeypatch.setattr(keys, "read_page", count)
    connection = Connection(sqlite3.connect(":memory:"))
    connection.raw.executescript("CREATE TABLE texts (hash, body); CREATE TABLE block_keys (page, text, keys, befores)")
    connection.insert("texts", hash="large", body=large)
    connection.insert("texts", hash="small", body=small)
    document = keys.write_document(connection, "page", "large")
    assert keys.write_document(connection, "page", "large") is document
    assert read == [(len(large), 1)]
    keys.write_document(connection, "page", "small")
    assert read[1:] == [(len(small), 0)], "no one waits with a small page"
    (list_,) = json.loads(document)["nodes"]
    previews = keys.previews(connection, "page", "large")
    assert read[2:] == [(len(large), 1)]
    assert [previews.get(item["key"]) for item in (list_["nodes"][0], list_["nodes"][-1])] == ["- a", "- a"]
    assert turn.held == 0


async def test_expressions_of_a_large_page_are_evaluated_in_turn(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, held = Turn(), list[int]()
    evaluate = evaluation.evaluate_page

    def count(*given: Any, **how: Any) -> str:
        held.append(turn.held)
        return evaluate(*given, **how)

    monkeypatch.setattr(page_text, "_turn", turn)
    monkeypatch.setattr(evaluation, "evaluate_page", count)
    for text in ("a\n\n" * 7_000, "a\n"):
        space = space_of(platform, text)
        await ada.get(f"/spaces/{space}/content/page/page", format="markdown", evaluated="true")
    assert held == [1, 0]


def test_previews_are_found_by_the_whole_key() -> None:
    kept = keys.Previews([("ab", "cd ef"), ("b", ""), ("c", "\ud800 ü")])
    assert [kept.get(key) for key in ("ab", "b", "c")] == ["cd ef", "", "\ud800 ü"]
    assert not [key for key in ("a", "", "ab cd", "d", "b\nc", "\ud800") if key in kept]
    assert list(kept) == ["ab", "b", "c"]
    assert dict(kept.items()) == {"ab": "cd ef", "b": "", "c": "\ud800 ü"}
    assert list(keys.Previews([])) == []


def test_an_ordinary_page_of_a_megabyte_is_read_as_blocks() -> None:
    line = "Some words of a *paragraph* with [a link](https://example.org), about as long as most paragraphs are.\n\n"
    assert len(line) > 100
    assert len(read_page(line * 10_000).blocks) == 10_000


def test_a_memory_forgets_what_was_used_longest_ago_by_its_weight() -> None:
    memory: Remembered[str] = Remembered(10, len)
    for word in ("aaaa", "bbbb", "cc"):
        memory.put(word[0], word)
    assert memory.get("a") == "aaaa"
    memory.put("d", "dddd")
    assert [memory.get(key) for key in "abcd"] == ["aaaa", None, "cc", "dddd"]
    memory.put("e", "e" * 11)
    assert [memory.get(key) for key in "acde"] == [None] * 4


def test_what_fails_to_be_made_is_made_again() -> None:
    memory: Remembered[str] = Remembered(10)
    with pytest.raises(ZeroDivisionError):
        memory.get_or_make("a", lambda: str(1 // 0))
    assert memory.get_or_make("a", lambda: "made") == "made"
