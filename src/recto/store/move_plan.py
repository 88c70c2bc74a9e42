"""The way from one arrangement of a site to another, in as few steps as the platform's operations allow."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Item, Kind
from recto.store.moves import Move, Where


@frozen
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


@frozen
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


def plan(before: Arrangement, after: Arrangement, moving: Collection[str] = ()) -> tuple[Step, ...]:
    """Return the steps that lead from one arrangement to the other, as few as there can be.

    First each item that changes what it is in is put there, from the top down, so that no group is ever inside
    itself; then, in each place, whatever is not in the longest run that stands in order already is put beside a
    sibling. Where either of two could move, it is the one among ``moving``. Both must arrange the same items: raises
    ``ValueError`` otherwise.
    """
    if not before.same_items(after):
        raise ValueError("the arrangements are not of the same items")
    steps: list[Step] = []
    now = {parent: list(ids) for parent, ids in before.children.items()}
    movable = set(moving)
    for _, item in after.walk():
        old, new = before.parents[item.id], after.parents[item.id]
        if old != new:
            steps.append(PutInto(item, before.items[old] if old else None, after.items[new] if new else None))
            now[old].remove(item.id)
            now.setdefault(new, []).append(item.id)
            movable.add(item.id)
    for parent, wanted in after.children.items():
        steps += _ordering(after, now[parent], wanted, movable)
    return tuple(steps)


def inverse(before: Arrangement, after: Arrangement) -> tuple[Step, ...]:
    """Return the steps that lead back."""
    return plan(after, before)


def _ordering(
    after: Arrangement, now: Sequence[str], wanted: Sequence[str], movable: Collection[str]
) -> Iterator[PutBeside]:
    """Return the steps that bring siblings into order; each is put beside one that is in its place already."""
    if list(now) == list(wanted):
        return
    kept = _staying(after, now, wanted, movable)
    first = next(index for index, id in enumerate(wanted) if id in kept)
    for index in range(first - 1, -1, -1):
        yield PutBeside(after.items[wanted[index]], after.items[wanted[index + 1]], Where.BEFORE)
    for index in range(first + 1, len(wanted)):
        if wanted[index] in kept:
            continue
        item, anchor = after.items[wanted[index]], after.items[wanted[index - 1]]
        following = wanted[index + 1] if index + 1 < len(wanted) else None
        # The API cannot name an item of an unknown kind: its other neighbour will do, if it stays.
        if anchor.kind is Kind.OTHER and following in kept:
            yield PutBeside(item, after.items[following], Where.BEFORE)
        else:
            yield PutBeside(item, anchor, Where.AFTER)


def _staying(after: Arrangement, now: Sequence[str], wanted: Sequence[str], movable: Collection[str]) -> set[str]:
    """Return the siblings that need not move: the longest run in order, and of equal ones that with the least movable.

    What cannot be moved weighs more than all the rest together, and so is always among them. The heaviest increasing
    subsequence, by comparing each with all before it.
    """
    position = {id: index for index, id in enumerate(wanted)}
    many = len(now) + 1

    def weight(id: str) -> int:
        if after.items[id].kind is Kind.OTHER:
            return many * many * 2
        return many + (id not in movable)

    heaviest: list[tuple[int, int]] = []
    for index, id in enumerate(now):
        earlier = ((heaviest[other][0], other) for other in range(index) if position[now[other]] < position[id])
        total, before = max(earlier, default=(0, -1))
        heaviest.append((total + weight(id), before))
    at = max(range(len(now)), key=lambda index: heaviest[index][0])
    kept = set()
    while at >= 0:
        kept.add(now[at])
        at = heaviest[at][1]
    return kept
