"""Three-way merge of the contents of three revisions: the page tree, attributes, texts, files and extras."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from recto.document.merge.page_tree import DocumentTree, TreeEntry
from recto.document.merge.text_merge import find_conflicts, merge_text
from recto.document.merge.tree_merge import ConflictKind, TreeConflict, merge_trees
from recto.frozen import frozen
from recto.server.content.objects import load_text, text_hash
from recto.server.content.revisions import Content
from recto.server.content.tree import (
    BOOKKEEPING,
    ROOT,
    Differences,
    DraftNode,
    Node,
    Tree,
    TreeDraft,
    differences,
    free_slug,
    root_node,
    set_attributes,
    with_pages,
)
from recto.server.storage.database import Connection

_TYPE = "type"  # a page's type is merged as one of its attributes


@frozen
class MergeConflict:
    """A conflict of a merge.

    ``field`` is the name of an attribute, ``text``, ``parent`` (a move), ``deleted`` (one side removed what the other
    worked on) or ``file`` or ``extras`` beside the pages; the three values are JSON values, those of ``text`` hashes.
    """

    page: str
    field: str
    title: str
    base: Any = None
    ours: Any = None
    theirs: Any = None


@frozen
class Merged:
    """Merged content, its new texts and its conflicts.

    Where there is a conflict the content holds both texts between markers, and otherwise what ours says.
    ``rewritten`` names the pages whose text is neither side's, with the hashes of theirs, ours and the new text.
    """

    content: Content
    texts: Mapping[str, str]
    conflicts: tuple[MergeConflict, ...]
    rewritten: Mapping[str, tuple[str | None, str | None, str | None]]


@frozen
class Labels:
    """The labels of the conflict markers of each side."""

    ours: str
    theirs: str


def merge_contents(
    connection: Connection, base: Content, ours: Content, theirs: Content, *, now: str, labels: Labels
) -> Merged:
    """Merge what two sides made of ``base``; pages are matched by id, texts are merged by lines."""
    work = _TreeMerge(connection, base.root, ours.root, theirs.root, now, labels)
    root = work.result()
    files, disputed_files = _merge_files(base, ours, theirs)
    extras, disputed_extras = _merge_extras(base.extras, ours.extras, theirs.extras)
    conflicts = (*work.conflicts, *disputed_files, *disputed_extras)
    return Merged(Content(root, files, extras), work.texts, conflicts, work.rewritten)


class _TreeMerge:
    """A merge of page trees."""

    def __init__(self, connection: Connection, base: Node, ours: Node, theirs: Node, now: str, labels: Labels) -> None:
        self._connection = connection
        self._base, self._ours, self._theirs = Tree(base), Tree(ours), Tree(theirs)
        # The pages looked at: those of the base, and of ours and theirs.
        self._before: Mapping[str, Node] = {}
        self._sides: tuple[Mapping[str, Node], Mapping[str, Node]] = ({}, {})
        self._now = now
        self._labels = labels
        self.texts: dict[str, str] = {}
        self.conflicts: list[MergeConflict] = []
        self.rewritten: dict[str, tuple[str | None, str | None, str | None]] = {}

    def result(self) -> Node:
        """Merge and return the root; where a single side changed anything, that side's root."""
        if self._theirs.root.hash == self._base.root.hash:
            return self._ours.root
        if self._ours.root.hash == self._base.root.hash:
            return self._theirs.root
        ours, theirs = (
            differences(self._base.root, side.root, with_bookkeeping=True) for side in (self._ours, self._theirs)
        )
        if _leaves_places(ours) and _leaves_places(theirs):
            return self._merge_pages(ours, theirs)
        return self._merge_trees()

    def _merge_pages(self, ours: Differences, theirs: Differences) -> Node:
        """Merge where no page was made, removed or moved, at the cost of those in which ours says something else."""
        base = {page: old for page, (old, _) in ours.pages.items() if old}
        self._before, self._sides = base, (_at(base, ours), _at(base, theirs))
        before = _document_tree(((node, None) for node in base.values()), {})
        after = (_document_tree(((node, None) for node in side.values()), before.entries) for side in self._sides)
        merged, texts = self._merge_attributes(before, *after)
        return with_pages(self._theirs.root, {page: self._entry(each, texts) for page, each in merged.entries.items()})

    def _merge_trees(self) -> Node:
        """Merge all pages with their places."""
        trees = (self._base, self._ours, self._theirs)
        placed = [((place.node, place.parent or None) for place in tree.places.values()) for tree in trees]
        self._before, self._sides = _nodes(self._base), (_nodes(self._ours), _nodes(self._theirs))
        base = _document_tree(placed[0], {})
        merged, texts = self._merge_attributes(base, *(_document_tree(side, base.entries) for side in placed[1:]))
        return self._draft(merged, texts).freeze()

    def _merge_attributes(
        self, base: DocumentTree, ours: DocumentTree, theirs: DocumentTree
    ) -> tuple[DocumentTree, dict[str, str | None]]:
        """Return the attributes and places of the pages, and the names of the merged texts."""
        merged = merge_trees(base, ours, theirs)
        texts: dict[str, str | None] = {}
        for conflict in merged.conflicts:
            if conflict.kind is ConflictKind.TEXT:
                texts[conflict.id] = self._merge_texts(conflict)
            else:
                self._note(conflict)
        return merged.tree, texts

    def _merge_texts(self, conflict: TreeConflict) -> str | None:
        base, ours, theirs = (_text_name(value) for value in (conflict.base, conflict.ours, conflict.theirs))
        merged = merge_text(
            load_text(self._connection, base),
            load_text(self._connection, ours),
            load_text(self._connection, theirs),
            ours_label=self._labels.ours,
            theirs_label=self._labels.theirs,
        )
        if not merged.clean:
            self._record(conflict.id, "text", base, ours, theirs)
        name = text_hash(merged.text) if merged.text else None
        if name:
            self.texts[name] = merged.text
        self.rewritten[conflict.id] = (theirs, ours, name)
        return name

    def _note(self, conflict: TreeConflict) -> None:
        field = {ConflictKind.ATTRIBUTE: conflict.attribute or "", ConflictKind.MOVED: "parent"}.get(
            conflict.kind, "deleted"
        )
        values: tuple[Any, ...] = (conflict.base, conflict.ours, conflict.theirs)
        if field == "deleted":
            values = (conflict.id in self._base.places, *(conflict.id in side for side in self._sides))
        self._record(conflict.id, field, *values)

    def _record(self, page: str, field: str, base: Any, ours: Any, theirs: Any) -> None:
        node = next((side[page] for side in self._sides if page in side), None)
        self.conflicts.append(MergeConflict(page, field, node.title if node else page, base, ours, theirs))

    def _draft(self, merged: DocumentTree, texts: Mapping[str, str | None]) -> TreeDraft:
        draft = TreeDraft(Tree(root_node()))
        for entry in merged.entries.values():
            draft.insert(self._entry(entry, texts))
        for parent in draft.entries:
            self._part_slugs(draft, parent)
        return draft

    def _entry(self, merged: TreeEntry, texts: Mapping[str, str | None]) -> DraftNode:
        """Return a merged page: a side's very node, where it and its children equal that side's."""
        page, parent = merged.id, merged.parent or ROOT
        text = texts[page] if page in texts else _text_name(merged.text)
        sides = [side[page] for side in self._sides if page in side]
        written = {name: value for name, value in merged.attributes.items() if name != _TYPE}
        attributes = written | self._merge_bookkeeping(page, sides)
        kind = str(merged.attributes[_TYPE])
        alike = [
            node
            for node in sides
            if node.text == text and node.type == kind and set_attributes(node.attributes) == written
        ]
        for node in alike:
            if node.attributes == attributes:
                return DraftNode(page, kind, attributes, text, node.created, node.updated, parent, clean=node)
        updated = alike[0].updated if alike else self._now
        return DraftNode(page, kind, attributes, text, sides[0].created, updated, parent)

    def _merge_bookkeeping(self, page: str, sides: Sequence[Node]) -> dict[str, Any]:
        """Return the bookkeeping of the side that changed it, ours if both did: it never is a conflict."""
        before = self._before[page].attributes if page in self._before else {}
        merged = {}
        for name in BOOKKEEPING:
            values = (before, sides[0].attributes, sides[-1].attributes)
            value, _ = _three_way(*(each.get(name) for each in values))
            if value is not None:
                merged[name] = value
        return merged

    def _part_slugs(self, draft: TreeDraft, parent: str) -> None:
        """Make the slugs of siblings unique; pages of the main content keep theirs."""
        siblings = draft.siblings(parent)
        if len({each.attributes.get("slug") for each in siblings}) == len(siblings):
            return
        taken: set[str] = set()
        tried: dict[str, int] = {}
        known = self._theirs.places
        for entry in sorted(siblings, key=lambda each: each.id not in known):
            slug = str(entry.attributes.get("slug", ""))
            free = free_slug(slug, taken, tried)
            taken.add(free)
            if free != slug:
                entry.attributes["slug"] = free
                draft.touch(entry.id, self._now)


def _nodes(tree: Tree) -> dict[str, Node]:
    return {page: place.node for page, place in tree.places.items()}


def _at(base: Mapping[str, Node], changes: Differences) -> dict[str, Node]:
    """Return what these pages are after the changes."""
    return {page: changes.pages.get(page, (None, node))[1] or node for page, node in base.items()}


def _leaves_places(changes: Differences) -> bool:
    """Whether every page keeps its place and path."""
    return not changes.orders and all(old and new and old.slug == new.slug for old, new in changes.pages.values())


def _document_tree(placed: Iterable[tuple[Node, str | None]], known: Mapping[str, TreeEntry]) -> DocumentTree:
    """Return pages with the ids of those above them as the merge knows them.

    A page that says what it says in ``known`` is that very entry.
    """
    entries: dict[str, TreeEntry] = {}
    for node, parent in placed:
        entry = TreeEntry(node.id, parent, {**set_attributes(node.attributes), _TYPE: node.type}, node.text)
        same = known.get(node.id)
        entries[node.id] = same if same is not None and same == entry else entry
    return DocumentTree(entries)


def _text_name(text: Hashable | object) -> str | None:
    return text if isinstance(text, str) else None


def _three_way(base: object, ours: object, theirs: object) -> tuple[object, bool]:
    if ours == theirs or theirs == base:
        return ours, False
    return (theirs, False) if ours == base else (ours, True)


def _merge_files(base: Content, ours: Content, theirs: Content) -> tuple[list[Any], list[MergeConflict]]:
    """Merge the lists of files by id, in the order of theirs with what ours put in after."""
    sides = [{str(entry["id"]): dict(entry) for entry in side.files} for side in (base, ours, theirs)]
    merged, conflicts = [], []
    for file in dict.fromkeys([*sides[2], *sides[1]]):
        entry, disputed = _three_way(*(side.get(file) for side in sides))
        if disputed:
            values = [side.get(file) for side in sides]
            name = next(str(value["name"]) for value in values if value)
            conflicts.append(MergeConflict(file, "file", name, *values))
        if entry is not None:
            merged.append(entry)
    return merged, conflicts


def _merge_extras(
    base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> tuple[dict[str, Any], list[MergeConflict]]:
    """Merge variables by name and reusable contents by id; else take the changed side, or ours."""
    conflicts: list[MergeConflict] = []
    variables = _merge_maps("variables", [side.get("variables", {}) for side in (base, ours, theirs)], conflicts)
    reusable = [{str(each["id"]): each for each in side.get("reusableContents", ())} for side in (base, ours, theirs)]
    contents = list(_merge_maps("reusableContents", reusable, conflicts).values())
    extras: dict[str, Any] = {}
    for name in dict.fromkeys((*theirs, *ours)):
        value, _ = _three_way(*(side.get(name) for side in (base, ours, theirs)))
        if value is not None:
            extras[name] = value
    for name, merged in (("variables", variables), ("reusableContents", contents)):
        if merged or name in extras:
            extras[name] = merged
    return extras, conflicts


def _merge_maps(field: str, sides: Sequence[Mapping[str, Any]], conflicts: list[MergeConflict]) -> dict[str, Any]:
    merged = {}
    for name in dict.fromkeys([*sides[2], *sides[1]]):
        value, disputed = _three_way(*(side.get(name) for side in sides))
        if disputed:
            conflicts.append(MergeConflict(name, field, name, *(side.get(name) for side in sides)))
        if value is not None:
            merged[name] = value
    return merged


def markers_left(connection: Connection, conflict: MergeConflict, text: str) -> bool:
    """Whether a text still holds conflict markers that stood in neither of the two texts that were merged."""
    hunks = set(find_conflicts(text).conflicts)
    if not hunks:
        return False
    for side in (conflict.ours, conflict.theirs):
        hunks -= set(find_conflicts(load_text(connection, side)).conflicts)
    return bool(hunks)
