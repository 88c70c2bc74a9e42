"""The places where lifted items can be dropped, in the order of the tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

from recto.frozen import frozen
from recto.store.arrangement import Arrangement
from recto.store.moves import Move, Where, destination, find_lifted, why_not


@frozen
class Landing:
    """A place: the move that dropping there makes, its depth, and why it is not possible (``None`` if it is)."""

    move: Move
    depth: int
    reason: str | None = None
    stays: bool = False
    """Whether it is the place that the items come from."""
    first: bool = False
    """Whether items dropped inside stand above the existing items."""

    def sentence(self, arrangement: Arrangement) -> str:
        """Return what dropping here does, or why it is not possible."""
        if self.reason:
            return self.reason
        if self.stays:
            return "Stays where it is."
        beside = self.move.target is not None and self.move.where is not Where.INSIDE
        parent = arrangement.parents[str(self.move.target)] if beside else None
        within = f", in “{arrangement.items[parent].name}”" if parent else ", at the top level" if beside else ""
        return f"Goes {destination(arrangement, self.move)}{within}."


class Landings:
    """The places for items among the open parts of a tree, from top to bottom; each is made when it is walked to.

    Where no place is possible, a single place for the whole says why.
    """

    def __init__(self, arrangement: Arrangement, ids: Collection[str], opened: Collection[str]) -> None:
        self.arrangement = arrangement
        self.ids = find_lifted(arrangement, ids)
        self._lifted = frozenset(self.ids)
        self._opened = opened
        kinds = {arrangement.items[id].kind for id in self.ids}
        self._kind = next(iter(kinds)) if arrangement.kinds_apart and len(kinds) == 1 else None
        """The kind that items are ordered among; ``None`` where they are ordered among all."""
        self._stands_first = self._kind is not None and self._kind is arrangement.kinds_apart[0]
        """Whether that kind stands above the others."""
        self._home = arrangement.parents[self.ids[0]]
        self._following = self._find_following()
        self._levels: dict[str | None, _Level] = {}

    def __iter__(self) -> Iterator[Landing]:
        """Walk all places from the top."""
        return self._walk(_Slot(None, -1, -1), 1)

    def first(self) -> Landing:
        """Return the topmost place."""
        return next(iter(self))

    def last(self) -> Landing:
        """Return the lowest place."""
        rows = len(self.arrangement.under(None))
        return next(self._walk(_Slot(None, rows, len(self._entries(None, rows))), -1))

    def below(self, landing: Landing) -> Iterator[Landing]:
        """Walk the places below a place, the nearest first."""
        return self._walk(self._slot(landing.move), 1)

    def above(self, landing: Landing) -> Iterator[Landing]:
        """Walk the places above a place, the nearest first."""
        return self._walk(self._slot(landing.move), -1)

    def of(self, move: Move) -> Landing | None:
        """Return the place with this move; ``None`` where it is not among the open parts."""
        target = move.target
        if target is not None and target not in self.arrangement.items:
            return None
        if target is not None and not all(map(self._is_open, self.arrangement.above(target))):
            return None
        parent, row, part = self._slot(move)
        entries = self._entries(parent, row)
        entry = entries[part] if part < len(entries) else None
        return entry if isinstance(entry, Landing) else None

    def home(self) -> Landing:
        """Return the place nearest to where the first of the items comes from."""
        siblings = self.arrangement.under(self._home)
        at = siblings.index(self.ids[0])
        later = next(filter(self._is_peer, islice(siblings, at, None)), None)
        move = Move(self.ids, self._home, Where.INSIDE)
        if later is not None:
            move = Move(self.ids, later, Where.BEFORE)
        elif (earlier := self._level(self._home).last) is not None:
            move = Move(self.ids, earlier, Where.AFTER)
        return self.of(move) or self.first()

    def _walk(self, start: _Slot, by: int) -> Iterator[Landing]:
        """Walk the places after (``by`` 1) or before (-1) a spot."""
        parent, row, part = start
        entries = self._entries(parent, row)
        while True:
            part += by
            if 0 <= part < len(entries):
                entry = entries[part]
                if isinstance(entry, Landing):
                    yield entry
                    continue
                parent, row = entry, -1 if by > 0 else len(self.arrangement.under(entry))
            elif -1 <= row + by <= len(self.arrangement.under(parent)):
                row += by
            elif parent is None:
                return
            else:
                inside, parent = parent, self.arrangement.parents[parent]
                row = self.arrangement.under(parent).index(inside)
                entries = self._entries(parent, row)
                part = entries.index(inside)
                continue
            entries = self._entries(parent, row)
            part = -1 if by > 0 else len(entries)

    def _slot(self, move: Move) -> _Slot:
        """Return the slot of the place with a move; the slot after the last if there is none."""
        target = move.target
        if move.where is Where.INSIDE and self._is_open(target):
            parent, rows = target, [-1, len(self.arrangement.under(target))]
        else:
            parent = self.arrangement.parents[str(target)]
            siblings = self.arrangement.under(parent)
            rows = [siblings.index(str(target)), len(siblings)]
        for row in rows:
            for part, entry in enumerate(self._entries(parent, row)):
                if isinstance(entry, Landing) and entry.move == move:
                    return _Slot(parent, row, part)
        return _Slot(parent, rows[-1], len(self._entries(parent, rows[-1])))

    def _entries(self, parent: str | None, row: int) -> list[Landing | str]:
        """Return the entries at a child of something open, before its first (-1) or after its last: places, or an id.

        An id stands for all places in that child.
        """
        level = self._level(parent)
        children = self.arrangement.under(parent)
        inside = Landing(
            Move(self.ids, parent, Where.INSIDE),
            level.depth,
            stays=self._is_home(parent, ""),
            first=self._stands_first,
        )
        if row < 0:
            if level.reason is not None and parent is not None:
                return [Landing(inside.move, level.depth, level.reason)]
            return [inside] if level.reason is None and level.last is None and self._stands_first else []
        if row == len(children):
            if level.reason is not None or self._stands_first:
                return []
            return [self._after(level.last, parent, level.depth) if level.last is not None else inside]
        return self._at_child(children[row], parent, level)

    def _at_child(self, id: str, parent: str | None, level: _Level) -> list[Landing | str]:
        found: list[Landing | str] = []
        if level.reason is None and self._is_peer(id):
            stays = parent == self._home and id == self._following
            found.append(Landing(Move(self.ids, id, Where.BEFORE), level.depth, stays=stays))
        if self._is_open(id):
            found.append(id)
        elif self.arrangement.items[id].kind.holds:
            found.append(Landing(Move(self.ids, id, Where.INSIDE), level.depth + 1, self._reason(id)))
        if level.reason is None and id == level.last and self._stands_first:
            found.append(self._after(id, parent, level.depth))
        return found

    def _after(self, last: str, parent: str | None, depth: int) -> Landing:
        """Return the place after the last item that others can stand beside."""
        return Landing(Move(self.ids, last, Where.AFTER), depth, stays=self._is_home(parent, ""))

    def _level(self, parent: str | None) -> _Level:
        level = self._levels.get(parent)
        if level is None:
            depth = 0 if parent is None else 1 + sum(1 for _ in self.arrangement.above(parent))
            last = next(filter(self._is_peer, reversed(self.arrangement.under(parent))), None)
            level = self._levels[parent] = _Level(depth, self._reason(parent), last)
        return level

    def _is_open(self, id: str | None) -> bool:
        """Whether places in an item stand among the others; those in the whole always do."""
        if id is None:
            return True
        return id in self._opened and id not in self._lifted and self.arrangement.items[id].kind.holds

    def _is_peer(self, id: str) -> bool:
        """Whether the items can be put beside another."""
        return id not in self._lifted and (self._kind is None or self.arrangement.items[id].kind is self._kind)

    def _reason(self, parent: str | None) -> str | None:
        """Return why not all items can be in a parent."""
        found = (why_not(self.arrangement, self.arrangement.items[id], parent) for id in self.ids)
        return next((reason for reason in found if reason is not None), None)

    def _find_following(self) -> str | None:
        """Return what follows items that are consecutive siblings, an empty text at the end; else ``None``."""
        siblings = self.arrangement.peers(self._home, self.ids)
        start = siblings.index(self.ids[0])
        end = start + len(self.ids)
        if siblings[start:end] != self.ids:
            return None
        return siblings[end] if end < len(siblings) else ""

    def _is_home(self, parent: str | None, following: str) -> bool:
        """Whether consecutive siblings stay where they are before ``following``, or as the last."""
        return parent == self._home and following == self._following


class _Slot(NamedTuple):
    """Where a place is: in something open, at which of its children, and there at which entry."""

    parent: str | None
    row: int
    part: int


@frozen
class _Level:
    """The common properties of the places directly in an open item."""

    depth: int
    reason: str | None
    """Why nothing can be put there; ``None`` where it can."""
    last: str | None
    """The last that items can be put beside."""
