from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recto.contract.addresses import InChangeRequest
from recto.contract.content import Page
from recto.contract.search import SearchHit, SpaceSearchHits
from recto.server.content.imported_tree import ImportedPage
from recto.store.search import RequestSearch, find_in, trail_of
from support.content import Desk, make_space
from support.other_platforms import OtherPlatform, store_of
from support.platform import FrozenClock, Speaker, make_platform
from support.sites import make_store


@pytest.mark.parametrize(
    ("space", "ancestors", "trail"),
    [
        ("Guide", ["Set-up", "Cables"], "Guide › Set-up › Cables"),
        ("", ["Set-up"], "Set-up"),
        ("Guide", [], "Guide"),
        ("", None, ""),
    ],
)
def test_what_is_found_says_where_it_lies(space: str, ancestors: list[str] | None, trail: str) -> None:
    above = None if ancestors is None else [{"title": title} for title in ancestors]
    hit = SearchHit.model_validate({"id": "p", "title": "Page", "ancestors": above})
    assert trail_of(SpaceSearchHits(id="s", title=space, pages=(hit,)), hit) == trail


@pytest.mark.parametrize(
    ("words", "sections"),
    [
        (["lever"], [("Second", "p/path#second", "Press the LEVER.")]),
        (["title"], [("Title", "p/path", "First words.")]),
        (["press", "first"], [("Title", "p/path", "First words."), ("Second", "p/path#second", "Press the LEVER.")]),
        (["press", "crank"], None),
    ],
)
def test_a_page_is_searched_by_its_sections(words: list[str], sections: list[tuple[str, str, str]] | None) -> None:
    markdown = "# Title\n\nFirst words.\n\n## Second\n\nPress the LEVER.\n"
    page = Page(id="p", title="Title", path="p/path", type="document", markdown=markdown)
    found = find_in(page, words)
    assert (found and [(one.title, one.path, one.body) for one in found.sections]) == sections


# In a change request


async def test_all_pages_that_a_change_request_changes_are_searched_and_read_once(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    space = make_space(platform, [ImportedPage(f"p{n}", f"Page {n}", f"p{n}", text="Old words.\n") for n in range(130)])
    desk = await Desk.open(Speaker(platform), space, "Many")
    for start in range(0, 120, 40):
        changes = [_edit(f"p{n}", "New lever." if n == 119 else "New.") for n in range(start, start + 40)]
        await desk.write(*changes)
    await desk.write({"operation": "delete_page", "page": "p129"})
    store, transport = make_store(platform, tmp_path)
    search = RequestSearch(store, InChangeRequest(space, (await desk.get())["id"])).search
    results = [result async for result in search("lever")]
    assert [hit.title for hit in results[-1].spaces[0].pages] == ["Page 119"]
    assert [result.unindexed for result in results[:2]] == [112, 104] and results[-1].unindexed == 0
    results = [result async for result in search("old words")]
    assert {hit.title for hit in results[-1].spaces[0].pages} == {f"Page {n}" for n in range(120, 129)}
    read = [arguments["page_id"] for arguments in transport.asked if "page_id" in arguments]
    assert len(read) == len(set(read)) == 120
    await store.aclose()
    platform.close()


async def test_a_platform_that_does_not_list_changes_is_searched_by_its_page_trees(tmp_path: Path) -> None:
    clock = FrozenClock()
    platform = make_platform(tmp_path, clock=clock)
    space = make_space(platform, [ImportedPage(f"p{n}", f"Page {n}", f"p{n}", text="Old.\n") for n in range(4)])
    clock.advance(minutes=5)
    desk = await Desk.open(Speaker(platform), space, "Some")
    await desk.write(_edit("p1", "New lever."))
    await desk.write({"operation": "delete_page", "page": "p2"})
    transport = OtherPlatform(platform, has=lambda _, path: not path.endswith("/changes"))
    store = store_of(platform, tmp_path / "hosted", transport)
    search = RequestSearch(store, InChangeRequest(space, (await desk.get())["id"])).search
    for words, titles in (("lever", ["Page 1"]), ("old", ["Page 0", "Page 3"])):
        results = [result async for result in search(words)]
        assert sorted(hit.title for hit in results[-1].spaces[0].pages) == titles
    await store.aclose()
    platform.close()


def _edit(page: str, text: str) -> dict[str, Any]:
    return {"operation": "update_page", "page": page, "document": {"markdown": text}}
