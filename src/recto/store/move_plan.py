"""The way from one arrangement of a site to another, in as few steps as the platform's operations allow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recto.store.arrangement import Arrangement, Item, Kind
from recto.store.moves import Move, Where


@dataclass(frozen=True, slots=True)
class PutInto:
    """A section or group changes what it is in; there it is the last."""

    item: Item
    before: Item | None
    """The group it leaves; ``None`` is the top level."""
    into: Item | None

    @property
    def sentence(self) -> str:
        """What the step does, without a full stop."""
        if self.into is None:
            return f"Take “{self.item.name}” out of “{self.before.name}”" if self.before else f"Move “{self.item.name}”"
        return f"Put “{self.item.name}” into “{self.into.name}”"

    @property
    def move(self) -> Move:
        """The same as a move."""
        return Move((self.item.id,), self.into.id if self.into else None, Where.INSIDE)


@dataclass(frozen=True, slots=True)
class PutBeside:
    """An item changes its place among its siblings."""

    item: Item
    anchor: Item
    where: Where
    """``BEFORE`` or ``AFTER`` the anchor."""

    @property
    def sentence(self) -> str:
        """What the step does, without a full stop."""
        return f"Put “{self.item.name}” {self.where.value} “{self.anchor.name}”"

    @property
    def move(self) -> Move:
        """The same as a move."""
        return Move((self.item.id,), self.anchor.id, self.where)


Step = PutInto | PutBeside


def plan(before: Arrangement, after: Arrangement) -> tuple[Step, ...]:
    """Give the steps that lead from one arrangement to the other, as few as there can be.

    First each item that changes what it is in is put there, from the top down, so that no group is ever inside
    itself; then, in each place, whatever is not in the longest run that stands in order already is put beside a
    sibling. Both must arrange the same items: raises ``ValueError`` otherwise.
    """
    if not before.same_items(after):
        raise ValueError("the arrangements are not of the same items")
    steps: list[Step] = []
    now = {parent: list(ids) for parent, ids in before.children.items()}
    for _, item in after.walk():
        old, new = before.parents[item.id], after.parents[item.id]
        if old != new:
            steps.append(PutInto(item, before.items[old] if old else None, after.items[new] if new else None))
            now[old].remove(item.id)
            now.setdefault(new, []).append(item.id)
    for parent, wanted in after.children.items():
        steps += _ordering(after, now[parent], wanted)
    return tuple(steps)


def inverse(before: Arrangement, after: Arrangement) -> tuple[Step, ...]:
    """Give the steps that lead back."""
    return plan(after, before)


def _ordering(after: Arrangement, now: Sequence[str], wanted: Sequence[str]) -> Iterator[PutBeside]:
    """Give the steps that bring siblings into order; each is put beside one that is in its place already."""
    if list(now) == list(wanted):
        return
    position = {id: index for index, id in enumerate(wanted)}
    fixed = {id for id in now if after.items[id].kind is Kind.OTHER}
    staying = _longest_run([position[id] for id in now], {position[id] for id in fixed})
    kept = {wanted[index] for index in staying}
    first = next(index for index, id in enumerate(wanted) if id in kept)
    for index in range(first - 1, -1, -1):
        yield PutBeside(after.items[wanted[index]], after.items[wanted[index + 1]], Where.BEFORE)
    for index in range(first + 1, len(wanted)):
        if wanted[index] not in kept:
            item, anchor = after.items[wanted[index]], after.items[wanted[index - 1]]
            following = wanted[index + 1] if index + 1 < len(wanted) else None
            # The API cannot name an item of a kind that nobody knows: its other neighbour will do, if it stays.
            if anchor.kind is Kind.OTHER and following in kept:
                yield PutBeside(item, after.items[following], Where.BEFORE)
            else:
                yield PutBeside(item, anchor, Where.AFTER)


def _longest_run(numbers: Sequence[int], fixed: set[int]) -> list[int]:
    """Give the longest increasing subsequence of different numbers that holds all the fixed ones.

    The fixed ones must be in order. Patience sorting, in O(n log n); numbers that are on the wrong side of a fixed one
    cannot be in it and are left out first.
    """
    lowest = -1
    allowed = []
    for number in numbers:
        if number in fixed:
            lowest = number
        allowed.append(number > lowest or number in fixed)
    highest = len(numbers)
    for index in range(len(numbers) - 1, -1, -1):
        if numbers[index] in fixed:
            highest = numbers[index]
        elif numbers[index] > highest:
            allowed[index] = False
    tails: list[int] = []
    tail_at: list[int] = []
    previous: dict[int, int | None] = {}
    for index, number in enumerate(numbers):
        if not allowed[index]:
            continue
        length = bisect_left(tails, number)
        previous[number] = tails[length - 1] if length else None
        tails[length:] = [number] if length == len(tails) else [number, *tails[length + 1 :]]
        tail_at.append(index)
    run: list[int] = []
    number_or_none: int | None = tails[-1] if tails else None
    while number_or_none is not None:
        run.append(number_or_none)
        number_or_none = previous[number_or_none]
    return run[::-1]
