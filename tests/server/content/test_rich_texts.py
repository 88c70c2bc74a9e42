"""A page as rich text: made once for a text, and bounded whatever the text is."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from recto.document.rich_text import rich_pages
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.objects import Remembered
from recto.server.content.page_text import MOST_MARKS, read_page
from recto.server.platform import Platform
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
