"""Fuzzy matching: the letters of a query stand in a text in their order; whole words and runs of letters rank best."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

SCATTERED = 17.0
"""Score below which the letters are scattered; from it on they form a run, or begin words."""

_CLOSENESS = 10.0
_AT_START, _AT_WORD = 5.0, 4.0
_RUN = 12.0
_WORDS = 20.0
_WHOLE_WORD = 3.0

_MOST_STRETCHES = 64
"""Stretches of a text that are scored; the best of them is hardly ever a later one."""

_MOST_FOLDED = 10_000
_ACCENTS = re.compile("[\u0300-\u036f]+")
_INITIALS = re.compile(r"(?<![^\W_])[^\W_]")


class Fuzzy:
    """A query of a few letters; upper case, spaces and accents do not matter."""

    def __init__(self, query: str) -> None:
        self.words = fold(query).split()
        self.letters = "".join(self.words)
        self._alphanumeric = _count_alphanumeric(self.letters)

    def score(self, text: str) -> float:
        """Return how well a text matches, above 0, or 0 where it does not; linear in the text."""
        if not self.letters:
            return 1.0
        folded = fold(text)
        found = islice(stretches(self.letters, folded), _MOST_STRETCHES)
        best = max((self._rate(folded, places) for places in found), default=0.0)
        if not best:
            return 0.0
        if best < _WORDS + _AT_WORD:
            best = max(best, self._rate_initials("".join(_INITIALS.findall(folded))))
        # Of two equal matches the shorter text is likelier.
        return best + 1 / (1 + len(folded))

    def _rate(self, text: str, places: Sequence[int]) -> float:
        """Rate a stretch by the places of its letters: runs and words above scattered letters."""
        first, end = places[0], places[-1] + 1
        skipped = _count_alphanumeric(text[first:end]) - self._alphanumeric
        begins = first == 0 or not text[first - 1].isalnum()
        rate = _CLOSENESS * len(places) / (len(places) + skipped)
        if begins:
            rate += _AT_START if first == 0 else _AT_WORD
            if all(later == earlier + 1 or not text[later - 1].isalnum() for earlier, later in pairwise(places)):
                rate += _WORDS
                if not skipped and not text[end : end + 1].isalnum():
                    rate += _WHOLE_WORD
        elif not skipped:
            rate += _RUN
        return rate

    def _rate_initials(self, initials: str) -> float:
        """Rate the initials of a text: words are often called by theirs."""
        if self.letters not in initials:
            return 0.0
        at_start = initials.startswith(self.letters)
        return _WORDS + (_AT_START if at_start else _AT_WORD) + _CLOSENESS * len(self.letters) / len(initials) / 2


def stretches(letters: str, text: str) -> Iterator[list[int]]:
    """Yield the places of the letters in short stretches of the text that hold them in order and do not overlap.

    From where the letters have all been found, the search goes back for the shortest stretch that ends there; so no
    character is looked at more than twice, however often letters repeat.
    """
    end = 0
    while True:
        start, at = end, end - 1
        for letter in letters:
            at = text.find(letter, at + 1)
            if at < 0:
                return
        end = at + 1
        places = [at]
        for letter in reversed(letters[:-1]):
            at = text.rfind(letter, start, at)
            places.append(at)
        places.reverse()
        yield places


def fold(text: str) -> str:
    """Return the text as it is compared: without case, accents and differences of width."""
    if text.isascii():
        return text.lower()
    return _ACCENTS.sub("", text.translate(_FOLDED))


class _Folded(dict[int, str]):
    """Folds each character by itself: normalizing a whole text is quadratic in a run of combining characters."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_FOLDED:
            self.clear()
        folded = self[code] = unicodedata.normalize("NFKD", chr(code)).casefold()
        return folded


_FOLDED = _Folded()


def _count_alphanumeric(text: str) -> int:
    return sum(map(str.isalnum, text))
