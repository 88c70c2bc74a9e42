from __future__ import annotations

import pytest

from recto.contract.content import Page
from recto.contract.search import SearchHit, SpaceSearchHits
from recto.store.search import find_in, trail_of


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
