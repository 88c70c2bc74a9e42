"""Three-way merge of page trees by page id: insert, delete, move, rename, reorder, each attribute."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from enum import StrEnum
from typing import Final

from recto.document.merge.page_tree import MAX_LEVELS, DocumentTree, TreeEntry, find_moved
from recto.frozen import frozen


class ConflictKind(StrEnum):
    """The kind of a conflict between two trees."""

    TEXT = "text"
    ATTRIBUTE = "attribute"
    DELETED_BY_OURS = "deleted-by-ours"
    DELETED_BY_THEIRS = "deleted-by-theirs"
    MOVED = "moved"


@frozen
class TreeConflict:
    """A page that both sides changed in different ways. The merged tree has our version.

    - ``TEXT``: both changed the text; the values are the text keys. Merging the texts by lines may resolve it.
    - ``ATTRIBUTE``: both changed ``attribute``; the values are its values, ``None`` where it is not there.
    - ``DELETED_BY_…``: one side deleted a page that the other edited, moved or put pages under; the page is kept.
    - ``MOVED``: the values are the parents; equal parents mean two places among the same siblings. Also used
      where both moves together would put a page above itself, or deeper than pages may lie.
    """

    kind: ConflictKind
    id: str
    attribute: str | None = None
    base: object = None
    ours: object = None
    theirs: object = None


@frozen
class MergedTree:
    """A merged tree and its conflicts."""

    tree: DocumentTree
    conflicts: tuple[TreeConflict, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing is left to decide."""
        return not self.conflicts


def merge_trees(base: DocumentTree, ours: DocumentTree, theirs: DocumentTree) -> MergedTree:
    """Merge what ``ours`` and ``theirs`` made of ``base``; the result is always a tree."""
    if theirs.entries == base.entries and theirs.children == base.children:
        return MergedTree(ours, ())
    if ours.entries == base.entries and ours.children == base.children:
        return MergedTree(theirs, ())
    return _Merge(base, ours, theirs).result()


_ABSENT: Final = object()


def _three_way(base: object, ours: object, theirs: object) -> tuple[object, bool]:
    """Return the merged value, and whether the sides disagree about it."""
    if ours is theirs or ours == theirs or theirs == base:
        return ours, False
    return (theirs, False) if ours == base else (ours, True)


class _Merge:
    """A merge in progress: parents first, then deletions, then the order of siblings."""

    def __init__(self, base: DocumentTree, ours: DocumentTree, theirs: DocumentTree) -> None:
        self.base, self.ours, self.theirs = base, ours, theirs
        self.merged: dict[str, TreeEntry] = {}
        self.conflicts: list[TreeConflict] = []
        self.parents: dict[str, str | None] = {}

    def result(self) -> MergedTree:
        """Merge and return the result."""
        self._merge_entries()
        self._break_cycles()
        self._remove_deleted()
        self._raise_what_lies_too_deep()
        tree = DocumentTree({entry.id: entry for entry in self._in_order()})
        order = {id: place for place, id in enumerate(tree.entries)}
        conflicts = sorted(self.conflicts, key=lambda conflict: order[conflict.id])
        return MergedTree(tree, tuple(conflicts))

    def _merge_entries(self) -> None:
        """Merge each page by itself; a page deleted by a single side is taken from the other for now."""
        for id, ours in self.ours.entries.items():
            base, theirs = self.base.entries.get(id), self.theirs.entries.get(id)
            if theirs is None or theirs is ours or theirs in (ours, base):
                self.merged[id] = ours
            elif ours == base:
                self.merged[id] = theirs
            else:
                self.merged[id] = self._merge_entry(base, ours, theirs)
        for id, theirs in self.theirs.entries.items():
            if id not in self.merged:
                self.merged[id] = theirs
        self.parents = {id: entry.parent for id, entry in self.merged.items()}

    def _merge_entry(self, base: TreeEntry | None, ours: TreeEntry, theirs: TreeEntry) -> TreeEntry:
        id = ours.id
        attributes: dict[str, object] = {}
        old = base.attributes if base else {}
        for name in dict.fromkeys([*ours.attributes, *theirs.attributes, *old]):
            values = [side.get(name, _ABSENT) for side in (old, ours.attributes, theirs.attributes)]
            value, disputed = _three_way(*values)
            if disputed:
                shown = [None if value is _ABSENT else value for value in values]
                self.conflicts.append(TreeConflict(ConflictKind.ATTRIBUTE, id, name, *shown))
            if value is not _ABSENT:
                attributes[name] = value
        text, disputed = _three_way(base.text if base else _ABSENT, ours.text, theirs.text)
        if disputed:
            texts = (base.text if base else None, ours.text, theirs.text)
            self.conflicts.append(TreeConflict(ConflictKind.TEXT, id, None, *texts))
        parent, disputed = _three_way(base.parent if base else _ABSENT, ours.parent, theirs.parent)
        if disputed:
            self._report_move(id)
        assert isinstance(text, Hashable)
        assert parent is None or isinstance(parent, str)
        return TreeEntry(id, parent, attributes, text)

    def _report_move(self, id: str) -> None:
        entries = [tree.entries.get(id) for tree in (self.base, self.ours, self.theirs)]
        parents = [entry and entry.parent for entry in entries]
        self.conflicts.append(TreeConflict(ConflictKind.MOVED, id, None, *parents))

    def _break_cycles(self) -> None:
        """Undo moves of theirs that, with moves of ours, would put a page above itself.

        Each such cycle holds a page that stands elsewhere in ours, because ours is a tree; that page goes back there.
        """
        sound: set[str | None] = {None}
        for start in [id for id, parent in self.parents.items() if self._stands_elsewhere(id, parent)]:
            while cycle := self._cycle_above(start, sound):
                id = next(id for id in cycle if self._stands_elsewhere(id, self.parents[id]))
                self.parents[id] = self.ours.entries[id].parent
                self._report_move(id)

    def _stands_elsewhere(self, id: str, parent: str | None) -> bool:
        ours = self.ours.entries.get(id)
        return ours is not None and ours.parent != parent

    def _cycle_above(self, start: str, sound: set[str | None]) -> list[str]:
        """Return the pages of the cycle that going up from a page runs into, or nothing.

        ``sound`` are the pages from which going up is known to end; it takes in those that are found to be.
        """
        path: dict[str, None] = {}
        at: str | None = start
        while at not in sound and at not in path:
            assert at is not None
            path[at] = None
            at = self.parents[at]
        if at in sound:
            sound.update(path)
            return []
        ids = list(path)
        return ids[ids.index(at) :] if at is not None else []

    def _raise_what_lies_too_deep(self) -> None:
        """Undo changes of theirs that, with moves of ours, nest a page too deeply.

        A page of ours goes back to its place there, which is not too deep; a page made by theirs comes to the top. Each
        time that is the highest page that helps, so that few are moved back.
        """
        raised = True
        while raised:
            raised = False
            for id in self.parents:
                while (above := self._undone_above(id)) is not None:
                    entry = self.ours.entries.get(above)
                    self.parents[above] = entry.parent if entry else None
                    self._report_move(above)
                    raised = True

    def _undone_above(self, id: str) -> str | None:
        """Return the page to move for a page that lies too deep, itself or above it; ``None`` if it does not."""
        found: str | None = None
        at: str | None = id
        for _ in range(MAX_LEVELS):
            if at is None:
                return None
            parent = self.parents[at]
            if self._stands_elsewhere(at, parent) or (at not in self.ours.entries and parent):
                found = at
            at = parent
        return found if at is not None else None

    def _remove_deleted(self) -> None:
        """Drop what a side deleted, save what the other worked on and what stands above a page that stays."""
        gone = {id: kind for id in self.merged for kind in self._deletion(id)}
        needed = {id for id in gone if self._is_worked_on(id)}
        needed |= {parent for id, parent in self.parents.items() if id not in gone and parent in gone and parent}
        for id in needed:
            entries = [tree.entries.get(id) for tree in (self.base, self.ours, self.theirs)]
            texts = [entry and entry.text for entry in entries]
            self.conflicts.append(TreeConflict(gone[id], id, None, *texts))
        for id in needed:
            at: str | None = id
            while at in gone:
                del gone[at]
                at = self.parents[at]
        for id in gone:
            del self.merged[id], self.parents[id]

    def _deletion(self, id: str) -> Iterable[ConflictKind]:
        """Return the side that deleted a page, if any."""
        if id in self.base.entries:
            if id not in self.ours.entries:
                yield ConflictKind.DELETED_BY_OURS
            elif id not in self.theirs.entries:
                yield ConflictKind.DELETED_BY_THEIRS

    def _is_worked_on(self, id: str) -> bool:
        return self.merged[id] is not self.base.entries[id] and self.merged[id] != self.base.entries[id]

    def _in_order(self) -> Iterable[TreeEntry]:
        """Yield the merged pages, parents before children and siblings in merged order."""
        members: dict[str | None, list[str]] = {}
        for id, parent in self.parents.items():
            members.setdefault(parent, []).append(id)
        ahead = list(reversed(self._siblings(None, members.get(None, []))))
        while ahead:
            id = ahead.pop()
            entry, parent = self.merged[id], self.parents[id]
            yield entry if entry.parent == parent else TreeEntry(id, parent, entry.attributes, entry.text)
            if id in members:
                ahead.extend(reversed(self._siblings(id, members[id])))

    def _siblings(self, parent: str | None, members: list[str]) -> list[str]:
        """Merge the order of siblings: ours, with the pages that theirs placed where theirs has them."""
        base, ours, theirs = (tree.children.get(parent, []) for tree in (self.base, self.ours, self.theirs))
        staying = set(members)
        if theirs == base and staying == set(ours):
            return ours
        if ours == base and staying == set(theirs):
            return theirs
        our_moves, their_moves = find_moved(base, ours), find_moved(base, theirs)
        steady = set(base) - our_moves - their_moves
        our_places, their_places = _predecessors(ours, steady), _predecessors(theirs, steady)
        for id in our_moves & their_moves & staying:
            if our_places[id] != their_places[id]:
                self._report_move(id)
        known, only_theirs = set(ours), their_moves - our_moves
        placed = {id for id in theirs if id in staying and (id not in known or id in only_theirs)}
        own = known.difference(base, theirs) | (our_moves - their_moves)
        order = _place([id for id in ours if id in staying and id not in placed], theirs, placed, own)
        return [
            *order,
            *sorted(staying.difference(order)),
        ]  # pages that neither has here were too deep before


def _predecessors(ids: Iterable[str], among: set[str]) -> dict[str, str | None]:
    """Return which page of ``among`` each page comes after."""
    followed: dict[str, str | None] = {}
    before: str | None = None
    for id in ids:
        followed[id] = before
        before = id if id in among else before
    return followed


def _place(order: list[str], theirs: list[str], placed: set[str], own: set[str]) -> list[str]:
    """Return ``order`` with each of ``placed`` after the page it follows in theirs, behind what ours put there."""
    steady = set(order) - own
    following: dict[str | None, list[str]] = {}
    before: str | None = None
    for id in theirs:
        if id in placed:
            following.setdefault(before, []).append(id)
        elif id in steady:
            before = id
    result: list[str] = []
    waiting = following.get(None, [])
    for id in order:
        if id in steady:
            result += waiting
            waiting = []
        result.append(id)
        waiting = following.get(id, waiting)
    return result + waiting
