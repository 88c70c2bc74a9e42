"""The places where lifted items could land, in their order down the tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Kind
from recto.store.moves import Move, Where, destination, find_lifted, why_not


@frozen
class Landing:
    """A place: the move that dropping there is, how deep it lies, and why it cannot be (``None`` where it can)."""

    move: Move
    depth: int
    reason: str | None = None
    stays: bool = False
    """Whether this is where the items come from."""
    first: bool = False
    """Whether items dropped inside stand above the existing items."""

    def sentence(self, arrangement: Arrangement) -> str:
        """Say what dropping here does, or why it cannot be."""
        if self.reason:
            return self.reason
        if self.stays:
            return "Stays where it is."
        beside = self.move.target is not None and self.move.where is not Where.INSIDE
        parent = arrangement.parents[str(self.move.target)] if beside else None
        within = f", in “{arrangement.items[parent].name}”" if parent else ", at the top level" if beside else ""
        return f"Goes {destination(arrangement, self.move)}{within}."


def landings(arrangement: Arrangement, ids: Collection[str], opened: Collection[str]) -> list[Landing]:
    """Return the places for items among the open parts of the tree.

    Where no place is possible, a single place for the whole says why.
    """
    return list(_Landings(arrangement, find_lifted(arrangement, ids), opened).within(None, 0))


def home(arrangement: Arrangement, found: list[Landing], ids: Collection[str]) -> int:
    """Return the index of the place nearest to where the first of the items comes from."""
    first = find_lifted(arrangement, ids)[0]
    siblings = arrangement.peers(arrangement.parents[first], ids)
    later = [id for id in siblings[siblings.index(first) :] if id not in ids]
    earlier = [id for id in siblings if id not in ids]
    move = Move(find_lifted(arrangement, ids), arrangement.parents[first], Where.INSIDE)
    if later:
        move = Move(move.items, later[0], Where.BEFORE)
    elif earlier:
        move = Move(move.items, earlier[-1], Where.AFTER)
    return next((index for index, one in enumerate(found) if one.move == move), 0)


class _Landings:
    def __init__(self, arrangement: Arrangement, ids: tuple[str, ...], opened: Collection[str]) -> None:
        self.arrangement = arrangement
        self.ids = ids
        self.lifted = frozenset(ids)
        self.opened = frozenset(opened)
        self.collections_only = arrangement.kinds_apart and all(
            arrangement.items[id].kind is Kind.COLLECTION for id in ids
        )
        self.home = arrangement.parents[ids[0]]
        self.following = self._find_following()

    def within(self, parent: str | None, depth: int) -> Iterator[Landing]:
        """Return the places in something that is open."""
        reason = self.reason(parent)
        children = self.arrangement.under(parent)
        peers = frozenset(self.arrangement.peers(parent, self.ids)) - self.lifted
        last = next((id for id in reversed(children) if id in peers), None)
        if reason is not None and parent is not None:
            yield Landing(Move(self.ids, parent, Where.INSIDE), depth, reason)
        inside = Landing(
            Move(self.ids, parent, Where.INSIDE), depth, stays=self.is_home(parent, ""), first=self.collections_only
        )
        if reason is None and last is None and self.collections_only:
            yield inside
        is_home = parent == self.home
        for id in children:
            if reason is None and id in peers:
                stays = is_home and id == self.following
                yield Landing(Move(self.ids, id, Where.BEFORE), depth, stays=stays)
            if self.arrangement.items[id].kind.holds:
                yield from self.inside(id, depth + 1)
            if reason is None and id == last and self.collections_only:
                yield self.after(last, parent, depth)
        if reason is None and not self.collections_only:
            yield self.after(last, parent, depth) if last is not None else inside

    def after(self, last: str, parent: str | None, depth: int) -> Landing:
        """Return the place after the last item that others can stand beside."""
        return Landing(Move(self.ids, last, Where.AFTER), depth, stays=self.is_home(parent, ""))

    def inside(self, id: str, depth: int) -> Iterator[Landing]:
        """Return the places in an item that could hold something."""
        if id in self.opened and id not in self.lifted:
            yield from self.within(id, depth)
        else:
            yield Landing(Move(self.ids, id, Where.INSIDE), depth, self.reason(id))

    def reason(self, parent: str | None) -> str | None:
        """Say why not all items can be in a parent."""
        for id in self.ids:
            reason = why_not(self.arrangement, self.arrangement.items[id], parent)
            if reason is not None:
                return reason
        return None

    def _find_following(self) -> str | None:
        """Return what follows items that are consecutive siblings, an empty text at the end; else ``None``."""
        siblings = self.arrangement.peers(self.home, self.ids)
        start = siblings.index(self.ids[0])
        end = start + len(self.ids)
        if siblings[start:end] != self.ids:
            return None
        return siblings[end] if end < len(siblings) else ""

    def is_home(self, parent: str | None, following: str) -> bool:
        """Whether consecutive siblings stay where they are before ``following``, or as the last."""
        return parent == self.home and following == self.following
