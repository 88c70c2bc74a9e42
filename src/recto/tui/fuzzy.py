"""Finding by a few letters: the letters must stand in this order, best at the beginnings of words."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


class Fuzzy:
    """A few letters to find texts by."""

    def __init__(self, letters: str) -> None:
        self.letters = "".join(letters.casefold().split())
        # The expression finds the shortest stretch from each first letter on; it sieves out what does not match, fast.
        self._sieve = re.compile("(?=(" + ".*?".join(re.escape(letter) for letter in self.letters) + "))")

    def score(self, text: str) -> float:
        """Say how well a text fits, above 0, or 0 where it does not."""
        if not self.letters:
            return 1.0
        folded = text.casefold()
        best = 0.0
        for found in self._sieve.finditer(folded):
            start, stretch = found.start(), found[1]
            closeness = len(self.letters) / len(stretch)
            begins = 5 if start == 0 else 4 if not folded[start - 1].isalnum() else 0
            best = max(best, 10 * closeness + begins + 2 * self._initials(stretch))
        # Of equally good ones the shorter is what a person more likely means.
        return best + 1 / (1 + len(folded)) if best else 0.0

    def _initials(self, stretch: str) -> int:
        """Count the letters after the first that stand at the beginning of a word."""
        at, found = 0, 0
        for letter in self.letters[1:]:
            at = stretch.index(letter, at + 1)
            found += not stretch[at - 1].isalnum()
        return found

    def best(self, items: Iterable[T], text: Callable[[T], str], limit: int) -> list[T]:
        """Return the best items, best first; without letters the first ones as they come."""
        scored = ((self.score(text(item)), -order, item) for order, item in enumerate(items))
        found = heapq.nlargest(limit, (entry for entry in scored if entry[0] > 0), key=lambda entry: entry[:2])
        return [item for _score, _order, item in found]
