"""What the screens do with hostile input."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.twice.cases import case
from recto.tui.dialogs.choose import Matches
from recto.tui.dialogs.fuzzy import Fuzzy


def _match_titles(query: str, titles: list[str]) -> Callable[[], object]:
    return lambda: Matches(query, Fuzzy.score).take(titles, len(titles))


@case("match titles of repeated letters", size=4_000)
def _(letters: int) -> Callable[[], object]:
    """Prepare 500 titles of that many letters that all but match."""
    return _match_titles("tettetteb", ["tet" * (letters // 3)] * 500)


@case("match titles of sentences", size=1_500)
def _(titles: int) -> Callable[[], object]:
    """Prepare that many titles of twenty words."""
    words = ["choosing", "the", "optimal", "settings", "for", "a", "configuration", "of", "the", "reference", "guide"]
    made = [" ".join(words[(each * step) % len(words)] for step in range(20)) for each in range(titles)]
    return _match_titles("Choosing the optimal", made)


@case("match one title of 100,000 letters", size=100_000)
def _(letters: int) -> Callable[[], object]:
    """Prepare a title of that many letters with accents and a query of 500."""
    return _match_titles("ab" * 250, ["äb " * (letters // 3)])


@case("match combining characters", size=50_000)
def _(letters: int) -> Callable[[], object]:
    """Prepare a title of that many combining characters that are not in their canonical order."""
    marks = "\u0323\u0301" * (letters // 2)
    return _match_titles("az", [f"a{marks}z"] * 5)
