"""Finding a text on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recto.tui.page.cursor import PageCursor, Position
from recto.tui.page.page_lines import Stretch


class Match(NamedTuple):
    """A place found: a leaf, and offsets in the leaf's text."""

    leaf: int
    start: int
    end: int


class Finder:
    """The matches of a text on a page, in reading order, and the current match."""

    def __init__(self, cursor: PageCursor) -> None:
        self.needle = ""
        """The text to find, or nothing."""
        self._by_words = False
        """Whether its words are found one by one."""
        self.current: Match | None = None
        """The place gone to, while the cursor stays there."""
        self._cursor = cursor
        self._matches: Sequence[Match] = ()
        self._by_leaf: Mapping[int, Sequence[Match]] = {}
        self._begun: tuple[Position, Mapping[str, int]] | None = None
        """Where the reader was, and what was open, before typing what to find."""

    @property
    def count(self) -> tuple[int, int]:
        """The number of the current match, from 1 on (0: none), and the number of matches."""
        return self._matches.index(self.current) + 1 if self.current is not None else 0, len(self._matches)

    def look(self, needle: str, *, by_words: bool = False) -> None:
        """Search for a text, or for each of its words, without moving."""
        reading = self._cursor.reading
        self.needle, self.current, self._by_words = needle, None, by_words
        found = reading.find(needle, by_words=by_words) if reading is not None and needle else ()
        self._matches = [Match(*place) for place in found]
        by_leaf: dict[int, list[Match]] = {}
        for match in self._matches:
            by_leaf.setdefault(match.leaf, []).append(match)
        self._by_leaf = by_leaf

    def look_again(self) -> None:
        """Search for the same on another page, without moving."""
        self.look(self.needle, by_words=self._by_words)

    def find(self, needle: str, *, by_words: bool = False) -> int:
        """Search for a text, or each of its words, and go to the next match from here; return the number of matches.

        While a person types, the search starts where typing began, and returns there without a match.
        """
        self._go_where_begun()
        self.look(needle, by_words=by_words)
        if self._cursor.sheet is not None:
            self._go_to(self._after(self._cursor.stop.leaf, self._cursor.offsets[0]))
        return len(self._matches)

    # Typing

    def begin(self) -> None:
        """Remember the position: a person is about to type a search."""
        reading = self._cursor.reading
        folds = reading.folds if reading is not None else ()
        self._begun = self._cursor.position, {fold.key: fold.chosen for fold in folds}

    def end(self) -> None:
        """End typing; the cursor stays at the match."""
        self._begun = None

    def _go_where_begun(self) -> None:
        reading = self._cursor.reading
        if self._begun is None or reading is None:
            return
        position, chosen = self._begun
        other = [fold for fold in reading.folds if chosen.get(fold.key, fold.chosen) != fold.chosen]
        for fold in other:
            fold.chosen = chosen[fold.key]
        if other:
            self._cursor.set_again()
        self._cursor.position = position

    # Going

    def go_to_next(self) -> None:
        """Go to the next match, after the last to the first."""
        if self._cursor.sheet is not None:
            begin = self.current.start + 1 if self.current is not None else self._cursor.offsets[0]
            self._go_to(self._after(self._cursor.stop.leaf, begin))

    def go_to_previous(self) -> None:
        """Go to the previous match, before the first to the last."""
        if self._cursor.sheet is not None:
            begin = self.current.start if self.current is not None else self._cursor.offsets[0]
            self._go_to(self._before(self._cursor.stop.leaf, begin))

    def go_again(self, match: Match) -> None:
        """Go to the match with the same number as the current match before the page was parsed again."""
        within = self._by_leaf.get(self._cursor.stop.leaf, ())
        self.current = next((one for one in within if one.start == match.start), None)

    def _go_to(self, match: Match | None) -> None:
        if match is not None:
            self._cursor.reveal(match.leaf, match.start)
            self.current = match
            self._cursor.view.refresh()

    def _after(self, leaf: int, offset: int) -> Match | None:
        """Return the first place at or after an offset of a leaf; after the last comes the first."""
        later = (match for match in self._matches if (match.leaf, match.start) >= (leaf, offset))
        return next(later, self._matches[0] if self._matches else None)

    def _before(self, leaf: int, offset: int) -> Match | None:
        """Return the last place before an offset of a leaf; before the first comes the last."""
        earlier = (match for match in reversed(self._matches) if (match.leaf, match.start) < (leaf, offset))
        return next(earlier, self._matches[-1] if self._matches else None)

    # Looks

    def overlays(self, leaf: int) -> Sequence[Stretch]:
        """Return the matches in a leaf's text, each with its role."""
        found = self._by_leaf.get(leaf, ())
        return [(at.start, at.end, "found reverse" if at is self.current else "found") for at in found]
