from __future__ import annotations

import pytest

from recto.contract.search import SearchHit, SpaceSearchHits
from recto.store.search import trail_of


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
