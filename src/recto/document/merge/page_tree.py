"""Page trees: changes between two, and the three-way merge of three, independent of their storage.

Pages are known by their id, so a page that was renamed or moved is still the same page.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from recto.document.line_edits import edits
from recto.frozen import frozen

MAX_LEVELS = 50
"""How deep pages lie under each other at most."""


@frozen
class TreeEntry:
    """A page as a node of the tree. ``text`` is anything that is equal where the texts are: a hash, mostly."""

    id: str
    parent: str | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    text: Hashable = None


@dataclass(frozen=True)
class DocumentTree:
    """Pages by id; siblings stand in the order in which they come in ``entries``.

    A parent must be an entry of the tree and no page may be above itself: ``problem`` tells.
    """

    entries: Mapping[str, TreeEntry]

    @classmethod
    def of(cls, entries: Iterable[TreeEntry]) -> DocumentTree:
        """Make a tree of entries; siblings keep the order in which they come."""
        return cls({entry.id: entry for entry in entries})

    @cached_property
    def children(self) -> Mapping[str | None, list[str]]:
        """The ids of the pages under each page that has any, in order; under ``None`` those at the top."""
        children: dict[str | None, list[str]] = {}
        for entry in self.entries.values():
            children.setdefault(entry.parent, []).append(entry.id)
        return children

    def walk(self) -> Iterator[TreeEntry]:
        """Yield the pages in reading order: each before those under it."""
        ahead = list(reversed(self.children.get(None, ())))
        while ahead:
            entry = self.entries[ahead.pop()]
            yield entry
            ahead.extend(reversed(self.children.get(entry.id, ())))

    @property
    def problem(self) -> str | None:
        """Why the entries do not form a tree, or ``None``."""
        for entry in self.entries.values():
            if entry.parent is not None and entry.parent not in self.entries:
                return f"Page {entry.id} stands under {entry.parent}, which does not exist."
        reached = sum(1 for _ in self.walk())
        return None if reached == len(self.entries) else "Some pages are below themselves."


class ChangeKind(StrEnum):
    """What happened to a page."""

    CREATED = "created"
    EDITED = "edited"
    DELETED = "deleted"
    MOVED = "moved"


@frozen
class PageChange:
    """A change of a page; a page can be both edited and moved.

    ``attributes`` holds what an edit changed, by name, as (before, after) with ``None`` for what was not there;
    ``text`` says whether an edit changed the text. ``parents`` are those before and after; equal parents of a moved
    page mean that its place among its siblings changed.
    """

    kind: ChangeKind
    id: str
    attributes: Mapping[str, tuple[object, object]] = field(default_factory=dict)
    text: bool = False
    parents: tuple[str | None, str | None] = (None, None)


def compare(before: DocumentTree, after: DocumentTree) -> list[PageChange]:
    """Return what happened to pages between two trees, in the reading order of ``after``, deleted pages last."""
    changes: list[PageChange] = []
    reordered = _find_reordered(before, after)
    changed = [entry for entry in after.entries.values() if before.entries.get(entry.id) is not entry]
    shown = {entry.id for entry in changed} | reordered
    for id in (entry.id for entry in after.walk() if entry.id in shown) if shown else ():
        new, old = after.entries[id], before.entries.get(id)
        if old is None:
            changes.append(PageChange(ChangeKind.CREATED, id, parents=(None, new.parent)))
            continue
        attributes = _changed_attributes(old.attributes, new.attributes)
        if attributes or old.text != new.text:
            changes.append(
                PageChange(ChangeKind.EDITED, id, attributes, old.text != new.text, (old.parent, new.parent))
            )
        if old.parent != new.parent or id in reordered:
            changes.append(PageChange(ChangeKind.MOVED, id, parents=(old.parent, new.parent)))
    deleted = (entry for entry in before.entries.values() if entry.id not in after.entries)
    changes += (PageChange(ChangeKind.DELETED, entry.id, parents=(entry.parent, None)) for entry in deleted)
    return changes


def _changed_attributes(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, tuple[object, object]]:
    if before is after:
        return {}
    names = dict.fromkeys([*before, *after])
    pairs = {name: (before.get(name), after.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _find_reordered(before: DocumentTree, after: DocumentTree) -> set[str]:
    """Return the pages that changed their place among the siblings they had before: as few as explain it."""
    moved: set[str] = set()
    for parent, siblings in after.children.items():
        if siblings != (old := before.children.get(parent, [])):
            moved |= find_moved(old, siblings)
    return moved


def find_moved(before: list[str], after: list[str]) -> set[str]:
    """Return which of the items in both lists must move for one order to become the other: as few as possible."""
    common = set(before) & set(after)
    old, new = [id for id in before if id in common], [id for id in after if id in common]
    return {id for edit in edits(old, new) for id in old[edit.before_start : edit.before_end]}
