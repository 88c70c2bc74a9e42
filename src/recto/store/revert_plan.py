"""The changes that revert a revision, computed from its pages, those before it, and those of main."""

from __future__ import annotations

import asyncio
import json
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from recto.client.errors import ClientError, NotFound, Unsupported
from recto.contract.addresses import AtRevision
from recto.contract.changes import (
    MAX_LISTED,
    Change,
    ContentChanges,
    DeletePage,
    PageEdited,
    PageText,
    RevertPage,
    UpdatePage,
)
from recto.contract.content import Content, Page, Revision, walk_with_parents
from recto.contract.unread import all_unread
from recto.document.merge.page_tree import ChangeKind, DocumentTree, TreeEntry, compare
from recto.document.merge.text_merge import merge_text
from recto.document.merge.tree_merge import ConflictKind, MergedTree, TreeConflict, merge_trees
from recto.frozen import frozen
from recto.store.conflicts import ATTRIBUTES
from recto.store.resolution import ConflictingPage
from recto.store.review_pages import other_changes
from recto.store.titled_text import body_of, whole

if TYPE_CHECKING:
    from recto.store.store import Store

_AT_ONCE = 4
_REST = "rest"
"""The attribute that stands for all that a write cannot set: cover, layout, variables and the like."""

_REST_FIELDS = frozenset({"type", "link_title", "tags", "layout", "cover", "variables", "computed", "target", "href"})

_WORDS = {
    "no_index": "listing by search engines",
    "no_robots_index": "listing by robots",
    "slug": "address",
    _REST: "cover, layout or variables",
}


@frozen
class Step:
    """The changes of a page that are written together."""

    page: str
    changes: tuple[Change, ...]
    title: str = ""
    below: int = 0
    """How many pages below it are deleted with it."""

    @property
    def deletes(self) -> bool:
        """Whether the step deletes the page."""
        return any(isinstance(change, DeletePage) for change in self.changes)


@frozen
class RevertPlan:
    """The steps that revert a revision, page by page, and what they leave."""

    steps: tuple[Step, ...]
    conflicts: tuple[ConflictingPage, ...] = ()
    """The pages whose texts were changed since in the same places: written with conflict markers, and resolved."""
    kept: tuple[str, ...] = ()
    """What is kept because it was changed since, each as a sentence."""
    lost: tuple[str, ...] = ()
    """What the platform has no operation to revert, each in a few words."""
    returning: Mapping[str, str] = field(default_factory=dict)
    """The titles of the restored pages, by id."""
    before: str = ""
    """The revision that it restores."""

    @property
    def pages(self) -> int:
        """The number of pages that will be as before."""
        return sum(1 + step.below for step in self.steps)


@frozen
class _Side:
    """A page tree: its pages by id in reading order, and the parent of each."""

    revision: str
    pages: Mapping[str, Page]
    parents: Mapping[str, str | None]

    @classmethod
    def of(cls, revision: str, tree: Sequence[Page]) -> _Side:
        places = {page.id: (page, parent) for page, parent in walk_with_parents(tree)}
        pages = {id: page for id, (page, _) in places.items()}
        return cls(revision, pages, {id: parent for id, (_, parent) in places.items()})

    def tree(self, texts: Mapping[str, Hashable]) -> DocumentTree:
        """Return it for merging; pages of which ``texts`` says nothing have the same text on all sides."""
        return DocumentTree.of(
            TreeEntry(id, self.parents[id], _attributes(page), texts.get(id)) for id, page in self.pages.items()
        )


def _attributes(page: Page) -> dict[str, object]:
    rest = page.model_dump(mode="json", include=set(_REST_FIELDS), exclude_defaults=True)
    return {**{name: getattr(page, name) or None for name in ATTRIBUTES}, _REST: json.dumps(rest, sort_keys=True)}


async def plan_revert(store: Store, space: str, revision: str, main: str) -> RevertPlan:
    """Return what takes a revision of main back, where main has come to the revision ``main`` since.

    Raises :class:`ClientError`, also where the revision is the first.
    """
    at = await store.fetch(Content.get_revision, AtRevision(space, revision))
    if not at.parents:
        raise ClientError("This revision cannot be reverted.", "It is the first of the space.", "")
    before, now = await asyncio.gather(
        store.fetch(Content.list_pages, AtRevision(space, at.parents[0])),
        store.fetch(Content.list_pages, AtRevision(space, main)),
    )
    if (unread := next(all_unread((at.pages, before, now)), None)) is not None:
        # An unknown page would count as deleted.
        raise ClientError("This revision cannot be reverted.", f"There is an {unread.words}.", "")
    sides = (_Side.of(revision, at.pages), _Side.of(main, now.pages), _Side.of(at.parents[0], before.pages))
    edited, others = await _list_changes(store, space, at, sides)
    return await _Planning(store, space, *sides, edited, others).plan()


async def _list_changes(
    store: Store, space: str, revision: Revision, sides: tuple[_Side, _Side, _Side]
) -> tuple[set[str], list[str]]:
    """Return the pages whose text a revision changed, and what it changed besides pages."""
    at, _, before = sides
    both = at.pages.keys() & before.pages.keys()
    dated = {id for id in both if at.pages[id].updated_at != before.pages[id].updated_at}
    try:
        changes = await store.fetch(ContentChanges.list_changes, AtRevision(space, revision.id), limit=MAX_LISTED)
    except (Unsupported, NotFound):
        return dated, []
    others = other_changes(changes)
    if changes.more:
        return dated, others
    edited = {
        change.page.id
        for change in changes.changes
        if isinstance(change, PageEdited) and "document" in change.attributes
    }
    return edited & both, others


class _Planning:
    """A three-way merge, from a revision to its predecessor and to main; later changes of main win."""

    def __init__(
        self, store: Store, space: str, at: _Side, now: _Side, before: _Side, edited: set[str], others: list[str]
    ) -> None:
        self._store = store
        self._space = space
        self._at, self._now, self._before = at, now, before
        self._edited = edited
        self._others = others
        self._reading = asyncio.Semaphore(_AT_ONCE)
        self._texts: dict[str, str] = {}
        """The texts to write, by page."""
        self._conflicts: list[ConflictingPage] = []
        self._kept: list[str] = []
        self._lost: list[str] = list(others)

    async def plan(self) -> RevertPlan:
        """Merge, and return the plan."""
        now, merged = await asyncio.to_thread(self._merge_trees, await self._find_changed_since())
        await self._merge_texts(merged.tree, merged.conflicts)
        return await asyncio.to_thread(self._finish, now, merged)

    def _merge_trees(self, changed_since: set[str]) -> tuple[DocumentTree, MergedTree]:
        """Return main and the merged tree; the text of an entry says which side it is of."""
        old = dict.fromkeys(self._at.pages, "at")
        now = self._now.tree({**old, **dict.fromkeys(changed_since, "now")})
        before = self._before.tree({**old, **dict.fromkeys(self._edited, "before")})
        return now, merge_trees(self._at.tree(old), now, before)

    def _finish(self, now: DocumentTree, merged: MergedTree) -> RevertPlan:
        self._note_conflicts(merged.conflicts)
        target = self._target(now, merged.tree)
        return RevertPlan(
            tuple(self._steps(now, target)),
            tuple(self._conflicts),
            tuple(self._kept),
            tuple(dict.fromkeys(self._lost)),
            {id: self._before.pages[id].title for id in target.entries if id not in self._now.pages},
            self._before.revision,
        )

    @property
    def _restyled(self) -> set[str]:
        """The pages of which the revision changed what a write cannot set."""
        both = self._at.pages.keys() & self._before.pages.keys()
        sides = (self._at.pages, self._before.pages)
        return {id for id in both if len({str(_attributes(side[id])[_REST]) for side in sides}) == 2}

    # Texts

    async def _text(self, side: _Side, id: str) -> str:
        async with self._reading:
            at = AtRevision(self._space, side.revision)
            return body_of(await self._store.fetch(Content.get_page, at, id, format="markdown"))

    async def _find_changed_since(self) -> set[str]:
        """Return the pages of the revision whose text main has changed since."""
        concerned = self._edited | (self._at.pages.keys() - self._before.pages.keys()) | self._restyled

        async def differs(id: str) -> bool:
            texts = await asyncio.gather(self._text(self._at, id), self._text(self._now, id))
            return texts[0] != texts[1]

        unsure = []
        for id in sorted(concerned & self._now.pages.keys()):
            was, now = self._at.pages[id].updated_at, self._now.pages[id].updated_at
            if was is None or was != now:
                unsure.append(id)
        found = await asyncio.gather(*(differs(id) for id in unsure))
        return {id for id, changed in zip(unsure, found, strict=True) if changed}

    async def _merge_texts(self, tree: DocumentTree, conflicts: Iterable[TreeConflict]) -> None:
        """Find the new text of each page whose text changes."""
        disputed = {conflict.id for conflict in conflicts if conflict.kind is ConflictKind.TEXT}
        taken_back = {id for id in self._edited & self._now.pages.keys() if id in tree.entries}

        async def merge(id: str) -> None:
            if id not in disputed:
                if tree.entries[id].text == "before":
                    self._texts[id] = await self._text(self._before, id)
                return
            was, ours, theirs = await asyncio.gather(
                *(self._text(side, id) for side in (self._at, self._now, self._before))
            )
            merged = merge_text(was, ours, theirs, ours_label="now", theirs_label="before")
            if merged.text != ours:
                self._texts[id] = merged.text
            if not merged.clean:
                self._conflicts.append(ConflictingPage(id, self._now.pages[id].title, merged))

        await asyncio.gather(*(merge(id) for id in sorted(taken_back)))
        order = {id: place for place, id in enumerate(self._now.pages)}
        self._conflicts.sort(key=lambda page: order[page.id])

    # What stays

    def _note_conflicts(self, conflicts: Iterable[TreeConflict]) -> None:
        for conflict in conflicts:
            page = self._now.pages.get(conflict.id) or self._at.pages[conflict.id]
            title = f"“{page.title}”"
            match conflict.kind:
                case ConflictKind.ATTRIBUTE:
                    name = _WORDS.get(str(conflict.attribute), str(conflict.attribute))
                    self._kept.append(f"{title}: its {name} was changed since and stays.")
                case ConflictKind.MOVED:
                    self._kept.append(f"{title} was moved since and stays where it is.")
                case ConflictKind.DELETED_BY_THEIRS:
                    self._kept.append(f"{title} was worked on since and stays.")
                case ConflictKind.DELETED_BY_OURS:
                    self._kept.append(f"{title} was deleted since and stays deleted.")

    def _target(self, now: DocumentTree, merged: DocumentTree) -> DocumentTree:
        """Return the target tree: without pages that cannot be restored, with pages that cannot be deleted."""
        returns: set[str] = set()
        for id in merged.entries:
            if id in self._now.pages or id in self._at.pages:
                continue
            page = self._before.pages[id]
            if page.type == "document":
                returns.add(id)
            else:
                self._lost.append(f"the {page.type} “{page.title}” does not return")
        stays: set[str] = set()
        for id, page in self._now.pages.items():
            if id not in merged.entries and page.type != "document":
                self._lost.append(f"the {page.type} “{page.title}” stays")
                at: str | None = id
                while at is not None and at not in merged.entries:
                    stays.add(at)
                    at = self._now.parents[at]
        there = returns | stays | (merged.entries.keys() & self._now.pages.keys())

        def parent_of(id: str) -> str | None:
            at = merged.entries[id].parent
            while at is not None and at not in there:
                at = merged.entries[at].parent if at in merged.entries else None
            return at

        entries = [
            TreeEntry(id, parent_of(id), entry.attributes, entry.text)
            for id, entry in merged.entries.items()
            if id in there
        ]
        return DocumentTree.of([*entries, *(now.entries[id] for id in self._now.pages if id in stays)])

    # Steps

    def _steps(self, now: DocumentTree, target: DocumentTree) -> list[Step]:
        """Return the steps from main to the target: deletions first, then each page in order, then the rest."""
        holding: set[str] = set()
        for id in reversed(list(self._now.pages)):
            parent = self._now.parents[id]
            if parent is not None and (id in target.entries or id in holding):
                holding.add(parent)
        gone = {id for id in self._now.pages if id not in target.entries}
        first = [id for id in gone - holding if (above := self._now.parents[id]) not in gone or above in holding]
        last = [id for id in gone & holding if self._now.parents[id] not in gone]
        below = self._count_below(gone, {*first, *last})
        order = {id: place for place, id in enumerate(self._now.pages)}
        placing = Placing(now, target, set(first))
        slugs = Counter((entry.parent, entry.attributes["slug"]) for entry in target.entries.values())
        return [
            *(self._deletion(id, below[id]) for id in sorted(first, key=order.__getitem__)),
            *(step for entry in target.walk() if (step := self._step(entry, now, slugs, placing)) is not None),
            *(self._deletion(id, below[id]) for id in sorted(last, key=order.__getitem__)),
        ]

    def _count_below(self, gone: Iterable[str], deleted: Collection[str]) -> Counter[str]:
        """Count the pages that go with each deleted page above them."""
        found: Counter[str] = Counter()
        for id in gone:
            above: str | None = id
            while above is not None and above not in deleted:
                above = self._now.parents[above]
            if above is not None and above != id:
                found[above] += 1
        return found

    def _deletion(self, id: str, below: int) -> Step:
        return Step(id, (DeletePage(page=id),), self._now.pages[id].title, below)

    def _step(
        self, entry: TreeEntry, now: DocumentTree, slugs: Counter[tuple[str | None, object]], placing: Placing
    ) -> Step | None:
        id = entry.id
        place = placing.place(id)
        if id not in now.entries:
            back = RevertPage(page=id, revision=self._before.revision)
            return Step(id, (back, UpdatePage(page=id, **place)), self._before.pages[id].title)
        page = self._now.pages[id]
        wanted = {name: value for name, value in entry.attributes.items() if now.entries[id].attributes[name] != value}
        if page.type != "document":
            if place or wanted:
                self._lost.append(f"the {page.type} “{page.title}” is not changed")
            return None
        changes: list[Change] = []
        if wanted.pop(_REST, None) is not None:
            if self._is_as_before(entry):
                changes.append(RevertPage(page=id, revision=self._before.revision))
                wanted.clear()
                self._texts.pop(id, None)
            else:
                self._lost.append(f"{_WORDS[_REST]} of “{page.title}”")
        if "slug" in wanted and slugs[entry.parent, wanted["slug"]] > 1:
            self._kept.append(f"“{page.title}”: its former address is taken now.")
            del wanted["slug"]
        given: dict[str, Any] = {**{name: format_attribute(name, value) for name, value in wanted.items()}, **place}
        if id in self._texts:
            given["document"] = PageText(markdown=whole(str(entry.attributes["title"]), self._texts[id]))
        if given:
            changes.append(UpdatePage(page=id, **given))
        return Step(id, tuple(changes), page.title) if changes else None

    def _is_as_before(self, entry: TreeEntry) -> bool:
        """Whether a page is to be in all as it was before the revision."""
        if entry.attributes != _attributes(self._before.pages[entry.id]):
            return False
        return entry.text == ("before" if entry.id in self._edited else "at")


class Placing:
    """The places of pages while a tree becomes another, page by page in reading order.

    ``deleted`` are those of the first tree that are gone before. Siblings that stay in their order are not moved.
    """

    def __init__(self, now: DocumentTree, target: DocumentTree, deleted: Collection[str] = ()) -> None:
        self._target = target
        self._parents = {id: entry.parent for id, entry in now.entries.items()}
        self._former = {
            id: place
            for siblings in now.children.values()
            for place, id in enumerate(id for id in siblings if id not in deleted)
        }
        """The place of each page among its siblings at the beginning."""
        self._moved = {change.id for change in compare(now, target) if change.kind is ChangeKind.MOVED}
        self._left: dict[str | None, list[int]] = {}
        """The former places under a parent that pages have left, in order."""
        self._passed: dict[str | None, int] = {}
        """The former place behind the last page under a parent that stayed."""
        self._stayed: Counter[str | None] = Counter()
        self._placed: Counter[str | None] = Counter()

    def place(self, id: str) -> dict[str, Any]:
        """Return the place of the next page as ``into`` and ``at``; nothing if it is there already."""
        parent = self._target.entries[id].parent
        is_new = id not in self._parents
        if not is_new and id not in self._moved:
            self._passed[parent] = self._former[id] + 1
            self._stayed[parent] += 1
            self._placed[parent] += 1
            return {}
        if not is_new:
            insort(self._left.setdefault(self._parents[id], []), self._former[id])
        passed = self._passed.get(parent, 0)
        waiting = passed - self._stayed[parent] - bisect_left(self._left.get(parent, ()), passed)
        at = self._placed[parent] + waiting
        self._placed[parent] += 1
        return {"into": parent, "at": at} if is_new or self._parents[id] != parent else {"at": at}


def format_attribute(name: str, value: object) -> object:
    """Return the value of an attribute as it is written."""
    return bool(value) if name in ("hidden", "no_index", "no_robots_index") else value or ""
