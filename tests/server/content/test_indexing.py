"""The index is built behind what was committed: in small pieces, taken up again after an end, and right meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recto.server.content import index_pieces, keys, search
from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.content.index_queue import is_queued
from recto.server.content.indexing import Indexer
from recto.server.content.link_index import NOTHING, load_references
from recto.server.content.page_text import MOST_MARKS
from recto.server.platform import Owner, Platform
from recto.server.storage.database import Connection
from support.content import Desk, make_space
from support.platform import Speaker

MANY = search.AT_ONCE + 30


def pages(count: int = MANY, word: str = "walrus") -> tuple[ImportedPage, ...]:
    return tuple(
        ImportedPage(f"p{number:03}", f"Page {number}", text=f"A {word} {number}.\n\n[on](page-{number + 1})\n")
        for number in range(count)
    )


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is indexed but by the test itself."""
    monkeypatch.setattr(Indexer, "_aside", lambda _: None)


@pytest.fixture
def space(calm: None, platform: Platform) -> str:
    return make_space(platform, pages())


async def find(ada: Speaker, space: str, query: str) -> tuple[int, int]:
    """Return how many pages a search finds, and how many it says are not searched yet."""
    answer = await ada.get(f"/spaces/{space}/search", query=query, limit=1000)
    return len(answer["items"]), answer.get("unindexed", 0)


def count(platform: Platform, sql: str) -> int:
    number: int = platform.database.read_now(lambda connection: connection.value(sql))
    return number


async def test_a_page_is_read_before_the_index_is_there_and_a_search_says_so(ada: Speaker, space: str) -> None:
    assert (await ada.get(f"/spaces/{space}/content/page/p007"))["title"] == "Page 7"
    assert await find(ada, space, "walrus") == (0, MANY)
    organization = (await ada.get("/orgs"))["items"][0]["id"]
    everywhere = await ada.get(f"/orgs/{organization}/search", query="walrus")
    assert (everywhere["items"], everywhere["unindexed"]) == ([], MANY)


async def test_pieces_are_small_and_reported(
    platform: Platform, ada: Speaker, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, int, int]] = []
    platform.indexer.on_progress = lambda *step: told.append(step)
    written: list[int] = []
    add = search.add_sections

    def count_all(connection: Connection, space: str, some: Any) -> None:
        written.append(len(some))
        add(connection, space, some)

    monkeypatch.setattr(index_pieces, "add_sections", count_all)
    platform.indexer.run()
    assert (max(written), sum(written)) == (40, MANY)
    searching = [(done, total) for doing, done, total in told if doing == "Indexing pages for search"]
    assert searching == [(40, MANY), (80, MANY), (120, MANY), (MANY, MANY)]
    assert [(done, total) for doing, done, total in told if doing == "Indexing links"][-1] == (MANY, MANY)
    assert await find(ada, space, "walrus") == (MANY, 0)
    texts = platform.database.read_now(lambda connection: connection.column("SELECT hash FROM texts"))
    assert len(platform.database.read_now(lambda connection: load_references(connection, texts))) == MANY


async def test_what_is_left_when_the_process_ends_is_taken_up_by_the_next(
    calm: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "workspace.recto"
    platform = Platform.open(path, owner=Owner("Ada"))
    space = make_space(platform, pages())
    piece = platform.database.read_now(lambda connection: index_pieces._prepare_search(connection, 40))
    assert piece is not None
    assert platform.database.write_now(piece.write) == 40
    platform.close()
    monkeypatch.undo()
    again = Platform.open(path)
    again.indexer.run()
    assert not again.database.read_now(is_queued)
    assert count(again, "SELECT count(*) FROM search") == MANY
    assert count(again, "SELECT count(DISTINCT page) FROM search_sections") == MANY
    ada = Speaker(again)
    assert await find(ada, space, "walrus") == (MANY, 0)
    again.close()


async def test_a_page_that_changes_meanwhile_is_found_by_its_new_words_alone(
    platform: Platform, ada: Speaker, space: str
) -> None:
    before = platform.database.read_now(lambda connection: index_pieces._prepare_search(connection, 40))
    assert before is not None
    desk = await Desk.open(ada, space)
    await desk.edit("p001", "# Page 1\n\nAn otter.\n")
    await desk.merge()
    assert await find(ada, space, "otter") == (1, MANY - 1)
    assert platform.database.write_now(before.write) == 39
    platform.indexer.run()
    assert await find(ada, space, "otter") == (1, 0)
    assert count(platform, "SELECT count(*) FROM search_sections WHERE page = 'p001'") == 1


async def test_pages_that_go_meanwhile_leave_the_queue(platform: Platform, ada: Speaker, space: str) -> None:
    before = platform.database.read_now(lambda connection: index_pieces._prepare_search(connection, 40))
    assert before is not None
    platform.database.write_now(
        lambda connection: import_tree(platform.context(connection), space, ImportedTree(pages(20)))
    )
    platform.database.write_now(before.write)
    platform.indexer.run()
    assert await find(ada, space, "walrus") == (20, 0)
    assert count(platform, "SELECT count(*) FROM search_sections") == 20


def test_a_space_that_is_removed_meanwhile_is_passed_over(platform: Platform, space: str) -> None:
    before = platform.database.read_now(lambda connection: index_pieces._prepare_search(connection, 40))
    assert before is not None
    platform.database.write_now(lambda connection: connection.execute("DELETE FROM spaces WHERE id = ?", space))
    assert platform.database.write_now(before.write) == 0
    assert not platform.database.read_now(is_queued)


async def test_a_large_change_begins_the_indexing_by_itself(platform: Platform, ada: Speaker) -> None:
    finished, loop = asyncio.Event(), asyncio.get_running_loop()

    def tell(doing: str, done: int, total: int) -> None:
        if doing == "Indexing links" and done == total:
            loop.call_soon_threadsafe(finished.set)

    platform.indexer.on_progress = tell
    space = make_space(platform, pages())
    await asyncio.wait_for(finished.wait(), 60)
    assert await find(ada, space, "walrus") == (MANY, 0)


def test_few_pages_are_found_at_once(calm: None, platform: Platform) -> None:
    make_space(platform, pages(search.AT_ONCE))
    assert not platform.database.read_now(is_queued)
    assert count(platform, "SELECT count(*) FROM search") == search.AT_ONCE


def test_a_text_that_is_taken_as_it_stands_points_nowhere(calm: None, platform: Platform) -> None:
    text = "[a](https://example.org) " * MOST_MARKS
    make_space(platform, (ImportedPage("page", "Page", "page", text=text),))
    platform.indexer.run()
    (name,) = platform.database.read_now(lambda connection: connection.column("SELECT hash FROM texts"))
    assert platform.database.read_now(lambda connection: load_references(connection, [name])) == {name: NOTHING}


def test_much_text_is_found_later(calm: None, platform: Platform) -> None:
    make_space(platform, [ImportedPage("p", "Page", text="words and words\n\n" * (search.AT_ONCE_CHARACTERS // 16))])
    assert count(platform, "SELECT count(*) FROM search") == 0
    platform.indexer.run()
    assert count(platform, "SELECT count(*) FROM search") == 1


async def test_keys_of_pages_that_an_import_changed_are_worked_out_after_it(
    calm: None, platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("one", "two")
    made = make_space(platform, [ImportedPage(name, name, name, text="First.\n\nSecond.\n") for name in names])

    def import_texts(text: str) -> None:
        tree = ImportedTree([ImportedPage(name, name, name, text=text) for name in names])
        platform.database.write_now(lambda connection: import_tree(platform.context(connection), made, tree))

    async def blocks(page: str) -> list[str]:
        answer = await ada.get(f"/spaces/{made}/content/page/{page}", format="document")
        return [node["key"] for node in answer["document"]["nodes"]]

    before = await blocks("one")
    carrying: list[str] = []
    carry = keys._carry

    def counted(*given: Any) -> Any:
        carrying.append(threading.current_thread().name.partition("_")[0])
        return carry(*given)

    monkeypatch.setattr(keys, "_carry", counted)
    import_texts("First of all.\n\nSecond.\n")
    assert not carrying
    platform.indexer.run()
    assert len(carrying) == 2
    assert "recto-writer" not in carrying
    assert count(platform, "SELECT count(*) FROM block_keys WHERE befores IS NULL") == 2
    assert not platform.database.read_now(is_queued)
    import_texts("First of all.\n\nSecond, too.\n")
    assert len(carrying) == 2
    assert await blocks("one") == before
    import_texts("First of all.\n\nThird.\n\nSecond, too.\n")
    assert [key for key in await blocks("two") if key in before] == before


def test_a_wish_while_the_thread_ends_is_not_lost(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: Iterator[int] = iter(range(2))

    def run(_: Indexer) -> None:
        if next(runs) == 0:
            platform.indexer.nudge()

    monkeypatch.setattr(Indexer, "run", run)
    platform.indexer.nudge()
    thread = platform.indexer._thread
    assert thread is not None
    thread.join()
    assert next(runs, None) is None
