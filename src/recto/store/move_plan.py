"""The plan of moves from one arrangement to another, in as few steps as the platform's operations allow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from recto.frozen import frozen
from recto.store.arrangement import IN_COLLECTIONS, Arrangement, Item, Kind
from recto.store.moves import Move, Where

if TYPE_CHECKING:
    from recto.contract.changes import UpdatePage


@frozen
class PutInto:
    """Moves a section or group to another parent, as its last item."""

    item: Item
    before: Item | None
    """The former parent; ``None`` is the top level."""
    into: Item | None

    @property
    def sentence(self) -> str:
        """What the step does, without a full stop."""
        if self.into is None:
            return f"Take “{self.item.name}” out of “{self.before.name}”" if self.before else f"Move “{self.item.name}”"
        return f"Put “{self.item.name}” into “{self.into.name}”"

    @property
    def move(self) -> Move:
        """The step as a move."""
        return Move((self.item.id,), self.into.id if self.into else None, Where.INSIDE)


@frozen
class PutBeside:
    """Moves an item among its siblings."""

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
        """The step as a move."""
        return Move((self.item.id,), self.anchor.id, self.where)


@frozen
class PutInCollection:
    """Moves a collection or a space among its kind, to another parent, or both, by a single call."""

    item: Item
    before: Item | None
    """The former parent; ``None`` if that stays."""
    into: Item
    """The collection it is in afterwards, or the organization."""
    anchor: Item | None = None
    """The one of its kind that it stands beside; ``None`` makes it the last."""
    where: Where = Where.INSIDE

    @property
    def sentence(self) -> str:
        """What the step does, without a full stop."""
        beside = f"{self.where.value} “{self.anchor.name}”" if self.anchor is not None else ""
        if self.before is None:
            return f"Put “{self.item.name}” {beside}"
        return f"Put “{self.item.name}” into “{self.into.name}”" + (f", {beside}" if beside else "")

    @property
    def move(self) -> Move:
        """The step as a move."""
        if self.anchor is None:
            return Move((self.item.id,), self.into.id, Where.INSIDE)
        return Move((self.item.id,), self.anchor.id, self.where)


Step = PutInto | PutBeside | PutInCollection


def plan(
    before: Arrangement, after: Arrangement, moving: Collection[str] = (), *, sections_first: bool = False
) -> tuple[Step, ...]:
    """Return the fewest steps that lead from an arrangement to the other.

    First each item that changes its parent is put there, from the top down, so that no group is ever inside
    itself; then, in each place, whatever is not in the longest run that stands in order already is put beside a
    sibling. Where either of two could move, the item among ``moving`` does. Both must arrange the same items: raises
    ``ValueError`` otherwise.

    Where kinds stand apart, an item is put beside an item of its kind only. With ``sections_first`` sections are put
    beside sections only, and groups among them after that: older servers know no other way.
    """
    if not before.same_items(after):
        raise ValueError("the arrangements are not of the same items")
    if after.kinds_apart == IN_COLLECTIONS:
        return tuple(_plan_collections(before, after, moving))
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
        siblings = now[parent]
        if after.kinds_apart:
            for kind in dict.fromkeys(after.items[id].kind for id in wanted):
                steps += _plan_order(after, _of_kind(after, siblings, kind), _of_kind(after, wanted, kind), movable)
            continue
        sections = _of_kind(after, siblings, Kind.SECTION) if sections_first else []
        if sections:
            ordered = [*_plan_order(after, sections, _of_kind(after, wanted, Kind.SECTION), movable)]
            steps += ordered
            siblings = _after(siblings, ordered)
        steps += _plan_order(after, siblings, wanted, movable, frozenset(sections))
    return tuple(steps)


def _of_kind(arrangement: Arrangement, ids: Iterable[str], kind: Kind) -> list[str]:
    return [id for id in ids if arrangement.items[id].kind is kind]


def _after(siblings: Sequence[str], steps: Sequence[PutBeside]) -> list[str]:
    """Return the order of siblings after some steps."""
    order = list(siblings)
    for step in steps:
        order.remove(step.item.id)
        order.insert(order.index(step.anchor.id) + (step.where is Where.AFTER), step.item.id)
    return order


def _plan_collections(before: Arrangement, after: Arrangement, moving: Collection[str]) -> Iterator[PutInCollection]:
    """Return the steps for collections and spaces, from the top down: each is put in its place once.

    Its parent is in place already, and so is the sibling of its kind that it follows.
    """
    now: dict[tuple[str | None, Kind], list[str]] = {}
    for holder, ids in before.children.items():
        for id in ids:
            now.setdefault((holder, before.items[id].kind), []).append(id)
    for parent in (item.id for _, item in after.walk() if item.kind.holds):
        into = after.items[parent]
        for kind in IN_COLLECTIONS:
            wanted = _of_kind(after, after.under(parent), kind)
            standing = [id for id in before.under(parent) if id in after.items and after.parents[id] == parent]
            standing = _of_kind(after, standing, kind)
            order = [id for id in wanted if before.parents[id] == parent]
            kept = set(standing) if standing == order else _find_staying(after, standing, order, moving)
            for index, id in enumerate(wanted):
                if id in kept:
                    continue
                old = before.parents[id]
                now[old, kind].remove(id)
                siblings = now.setdefault((parent, kind), [])
                last = siblings[-1] if siblings else None
                item = after.items[id]
                leaves = before.items[str(old)] if old != parent else None
                following = next((other for other in wanted if other in kept), None) if index == 0 else None
                if index and not (leaves and wanted[index - 1] == last):
                    yield PutInCollection(item, leaves, into, after.items[wanted[index - 1]], Where.AFTER)
                elif following is not None:
                    yield PutInCollection(item, leaves, into, after.items[following], Where.BEFORE)
                else:
                    yield PutInCollection(item, leaves, into)
                previous = wanted[index - 1] if index else None
                siblings.insert(_index_after(siblings, previous), id)


def _index_after(siblings: list[str], previous: str | None) -> int:
    """Return the index after a sibling, most often the last; the first index without a sibling."""
    if previous is None:
        return 0
    return len(siblings) if siblings and siblings[-1] == previous else siblings.index(previous) + 1


def inverse(before: Arrangement, after: Arrangement) -> tuple[Step, ...]:
    """Return the steps that undo these."""
    return plan(after, before)


def page_moves(before: Arrangement, after: Arrangement, moving: Collection[str] = ()) -> tuple[UpdatePage, ...]:
    """Return the changes that bring pages from an arrangement to another, to be made in order in a single write.

    Each page is put in its place once, from the top down: what it goes into stands already, and what it follows too.
    """
    from recto.contract.changes import UpdatePage

    moved = {step.item.id for step in plan(before, after, moving)}
    now = {parent: list(ids) for parent, ids in before.children.items()}
    last: dict[str | None, str] = {}
    changes = []
    for _, item in after.walk():
        parent, old = after.parents[item.id], before.parents[item.id]
        if item.id in moved:
            now[old].remove(item.id)
            siblings = now.setdefault(parent, [])
            index = siblings.index(last[parent]) + 1 if parent in last else 0
            siblings.insert(index, item.id)
            place = {"at": index} if parent == old else {"at": index, "into": parent}
            changes.append(UpdatePage(page=item.id, **place))
        last[parent] = item.id
    return tuple(changes)


def _plan_order(
    after: Arrangement,
    now: Sequence[str],
    wanted: Sequence[str],
    movable: Collection[str],
    stays: Collection[str] = frozenset(),
) -> Iterator[PutBeside]:
    """Return the steps that bring siblings into order; each is put beside a sibling that is in place.

    Those in ``stays`` are in order already and do not move.
    """
    if list(now) == list(wanted):
        return
    kept = _find_staying(after, now, wanted, movable, stays)
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


def _find_staying(
    after: Arrangement,
    now: Sequence[str],
    wanted: Sequence[str],
    movable: Collection[str],
    stays: Collection[str] = frozenset(),
) -> set[str]:
    """Return the siblings that need not move: the longest run in order, and of equal ones that with the least movable.

    What cannot be moved weighs more than all the rest together, and so is always among them. The heaviest increasing
    subsequence, with the heaviest run before each place in a Fenwick tree.
    """
    position = {id: index for index, id in enumerate(wanted, 1)}
    many = len(now) + 1

    def weight(id: str) -> int:
        if after.items[id].kind.is_fixed or id in stays:
            return many * many * 2
        return many + (id not in movable)

    best: list[tuple[int, str | None]] = [(0, None)] * (len(wanted) + 1)
    before: dict[str, str | None] = {}
    for id in now:
        heaviest: tuple[int, str | None] = (0, None)
        at = position[id] - 1
        while at:
            heaviest = max(heaviest, best[at], key=itemgetter(0))
            at &= at - 1
        before[id] = heaviest[1]
        total = heaviest[0] + weight(id)
        at = position[id]
        while at < len(best):
            if total > best[at][0]:
                best[at] = (total, id)
            at += at & -at
    at_most: tuple[int, str | None] = (0, None)
    at = len(wanted)
    while at:
        at_most = max(at_most, best[at], key=itemgetter(0))
        at &= at - 1
    kept: set[str] = set()
    last = at_most[1]
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept
