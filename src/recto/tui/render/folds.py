"""Folds: tabs, shown singly, and expandables, open or closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

CLOSED = -1
"""The part of an expandable that is shown while it is closed: none."""


class Fold:
    """Parts of a page of which only ``chosen``, or none, is shown; ``key`` is unique on the page."""

    def __init__(self, key: str, count: int, chosen: int, within: FoldPart | None) -> None:
        self.key = key
        self.count = count
        self.chosen = chosen
        self.within = within

    @property
    def next(self) -> int:
        """The part after the shown part; an open expandable closes."""
        return (CLOSED if self.chosen == 0 else 0) if self.count == 1 else (self.chosen + 1) % self.count

    def turn(self) -> None:
        """Show the next part."""
        self.chosen = self.next


class FoldPart(NamedTuple):
    """A part of a fold."""

    fold: Fold
    number: int

    def around(self) -> Iterator[FoldPart]:
        """Yield this part and those it stands in, from the innermost out."""
        option: FoldPart | None = self
        while option is not None:
            yield option
            option = option.fold.within

    @property
    def is_shown(self) -> bool:
        """Whether the part can be seen: it is chosen, and so are all those it stands in."""
        return all(option.fold.chosen == option.number for option in self.around())

    def choose(self) -> None:
        """Show the part, and those it stands in."""
        for option in self.around():
            option.fold.chosen = option.number


class Switch(str):
    """A link that leads nowhere but shows a part of a fold. The text of a page never becomes a switch."""

    __slots__ = ("fold", "number")

    fold: Fold
    number: int

    @classmethod
    def to(cls, fold: Fold, number: int) -> Switch:
        """Return the switch for a part; each is another link, so that two beside each other stay two."""
        switch = cls(f"{fold.key}/{number}")
        switch.fold, switch.number = fold, number
        return switch

    def turn(self) -> None:
        """Show the part; an expandable opens or closes."""
        self.fold.chosen = self.fold.next if self.fold.count == 1 else self.number
