from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.document.merge.page_tree import MAX_LEVELS, DocumentTree, TreeEntry
from recto.document.merge.tree_merge import ConflictKind, MergedTree, TreeConflict, merge_trees


def tree(outline: str, **texts: object) -> DocumentTree:
    """Read ``a b(c d(e))`` as a tree; the text of a page is given by keyword and else 0."""
    entries: list[TreeEntry] = []
    above: list[str] = []
    for word in outline.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            above.append(entries[-1].id)
        elif word == ")":
            above.pop()
        else:
            entries.append(TreeEntry(word, above[-1] if above else None, {}, texts.get(word, 0)))
        last = entries[-1]
        if word == ")" and above:
            entries.append(entries.pop(entries.index(last)))
    return DocumentTree.of(entries)


def outline(merged: DocumentTree, parent: str | None = None) -> str:
    parts = []
    for id in merged.children.get(parent, ()):
        below = outline(merged, id)
        parts.append(f"{id}({below})" if below else id)
    return " ".join(parts)


def kinds(merged: MergedTree) -> set[tuple[ConflictKind, str]]:
    return {(conflict.kind, conflict.id) for conflict in merged.conflicts}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        pytest.param("a b", "a x b", "a b y", "a x b y", id="both insert"),
        pytest.param("a b", "a b x", "a b y", "a b x y", id="both append: ours first"),
        pytest.param("a b", "x a b", "y a b", "x y a b", id="both prepend: ours first"),
        pytest.param("a b c d", "b c d", "a b c", "b c", id="both delete"),
        pytest.param("a b c d", "d a b c", "a b c d x", "d a b c x", id="reorder and append"),
        pytest.param("a b c d", "b a c d", "a b d c", "b a d c", id="two reorders"),
        pytest.param("a b(c) d", "a(c) b d", "a b(c) d(x)", "a(c) b d(x)", id="move and insert"),
        pytest.param("a(x) b", "a(x y) b", "b a(x)", "b a(x y)", id="a moved parent takes new pages along"),
        pytest.param("a b(c d)", "a b(d)", "a(b(c d))", "a(b(d))", id="delete inside what is moved"),
        pytest.param("a b(c)", "a(c)", "a b(c) x", "a(c) x", id="a page moved out of one that is deleted"),
        pytest.param("a b c", "b c a", "b c a", "b c a", id="the same on both sides"),
        pytest.param("a", "a x(y)", "a x(y z)", "a x(y z)", id="the same page comes from both"),
    ],
)
def test_what_does_not_touch_takes_effect_from_both(base: str, ours: str, theirs: str, expected: str) -> None:
    merged = merge_trees(tree(base), tree(ours), tree(theirs))
    assert outline(merged.tree) == expected
    assert merged.clean


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected", "conflict"),
    [
        ("a b c(x)", "a(x) b c", "a b(x) c", "a(x) b c", TreeConflict(ConflictKind.MOVED, "x", None, "c", "a", "b")),
        ("a b", "a(b)", "b(a)", "a(b)", TreeConflict(ConflictKind.MOVED, "a", None, None, None, "b")),
        ("a b c d", "d a b c", "a d b c", "d a b c", TreeConflict(ConflictKind.MOVED, "d")),
        ("a b(c)", "a", "a b(c x)", "a b(x)", TreeConflict(ConflictKind.DELETED_BY_OURS, "b", None, 0, None, 0)),
        ("a b(c)", "a b(c x)", "a", "a b(x)", TreeConflict(ConflictKind.DELETED_BY_THEIRS, "b", None, 0, 0, None)),
        ("a b(c)", "a", "a(c) b", "a(c)", TreeConflict(ConflictKind.DELETED_BY_OURS, "c", None, 0, None, 0)),
    ],
)
def test_a_conflict_takes_ours_and_is_reported(
    base: str, ours: str, theirs: str, expected: str, conflict: TreeConflict
) -> None:
    merged = merge_trees(tree(base), tree(ours), tree(theirs))
    assert outline(merged.tree) == expected
    assert merged.conflicts == (conflict,)


def test_a_page_that_was_deleted_here_and_edited_there_stays_with_those_above_it() -> None:
    base = tree("a b(c(d e)) f")
    merged = merge_trees(base, tree("a f"), tree("a b(c(d e)) f", d=7))
    assert outline(merged.tree) == "a b(c(d)) f"
    assert merged.conflicts == (TreeConflict(ConflictKind.DELETED_BY_OURS, "d", None, 0, None, 7),)
    mirrored = merge_trees(base, tree("a b(c(d e)) f", d=7), tree("a f"))
    assert outline(mirrored.tree) == "a b(c(d)) f"
    assert mirrored.conflicts == (TreeConflict(ConflictKind.DELETED_BY_THEIRS, "d", None, 0, 7, None),)


def test_longer_cycles_are_broken() -> None:
    merged = merge_trees(tree("a b c"), tree("a(b) c"), tree("b(c(a))"))
    assert merged.tree.problem is None
    assert kinds(merged) == {(ConflictKind.MOVED, "a")}
    assert outline(merged.tree) == "a(b(c))"


def chain(size: int, moved: int) -> DocumentTree:
    """Return pages of which every other one, from the ``moved``-th on, lies under the one after it."""
    parents = {str(at): str(at + 1) for at in range(moved, size - 1, 2)}
    return DocumentTree.of(TreeEntry(str(at), parents.get(str(at))) for at in range(size))


def levels(merged: DocumentTree) -> int:
    depth: dict[str | None, int] = {None: 0}
    for entry in merged.walk():
        depth[entry.id] = depth[entry.parent] + 1
    return max(depth.values())


def test_moves_that_together_put_pages_too_deep_are_undone_and_reported() -> None:
    base, ours, theirs = DocumentTree.of(TreeEntry(str(at)) for at in range(220)), chain(220, 0), chain(220, 1)
    merged = merge_trees(base, ours, theirs)
    assert levels(merged.tree) == MAX_LEVELS
    assert len(merged.tree.entries) == 220
    assert 4 <= len(merged.conflicts) <= 5
    for conflict in merged.conflicts:
        assert conflict.kind is ConflictKind.MOVED
        assert merged.tree.entries[conflict.id].parent == ours.entries[conflict.id].parent
    base = DocumentTree.of(TreeEntry(str(at)) for at in range(MAX_LEVELS))
    few = merge_trees(base, chain(MAX_LEVELS, 0), chain(MAX_LEVELS, 1))
    assert (levels(few.tree), few.conflicts) == (MAX_LEVELS, ())


def test_new_pages_that_come_too_deep_by_a_move_of_the_page_above_come_to_the_top() -> None:
    deep = [TreeEntry(f"d{at}", f"d{at - 1}" if at else None) for at in range(MAX_LEVELS - 1)]
    new = [TreeEntry(f"n{at}", f"n{at - 1}" if at else "p") for at in range(MAX_LEVELS - 1)]
    ours = DocumentTree.of([*deep, TreeEntry("p", deep[-1].id)])
    merged = merge_trees(DocumentTree.of([*deep, TreeEntry("p")]), ours, DocumentTree.of([*deep, TreeEntry("p"), *new]))
    assert levels(merged.tree) <= MAX_LEVELS
    assert set(merged.tree.entries) == {*ours.entries, *(entry.id for entry in new)}
    assert kinds(merged) == {(ConflictKind.MOVED, "n0")}


def test_twice_the_siblings_in_another_order_or_chain_take_twice_the_steps() -> None:
    def merging(size: int, kind: str) -> Callable[[], object]:
        ids = [str(at) for at in range(size)]
        shuffled = Random(1).sample(ids, size)
        if kind == "chain":
            return lambda: merge_trees(DocumentTree.of(map(TreeEntry, ids)), chain(size, 0), chain(size, 1))
        return lambda: merge_trees(*(DocumentTree.of(map(TreeEntry, order)) for order in (ids, ids[::-1], shuffled)))

    for kind in ("chain", "order"):
        once, twice = (lines(merging(size, kind)) for size in (300, 600))
        assert twice <= 2.3 * once, kind


def lines(work: Callable[[], object]) -> int:
    """Count the lines that some work runs."""
    count = 0

    def on_event(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return on_event

    sys.settrace(on_event)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def test_texts_changed_by_both_are_a_conflict_and_by_one_are_not() -> None:
    merged = merge_trees(tree("a b c"), tree("a b c", a=1, b=1, c=5), tree("a b c", a=2, b=1))
    assert merged.conflicts == (TreeConflict(ConflictKind.TEXT, "a", None, 0, 1, 2),)
    assert [entry.text for entry in merged.tree.entries.values()] == [1, 1, 5]


def test_attributes_merge_one_by_one() -> None:
    def page(**attributes: object) -> DocumentTree:
        return DocumentTree.of([TreeEntry("a", None, attributes, 0)])

    merged = merge_trees(
        page(title="A", icon="x", hidden=True, cover="1"),
        page(title="Ours", icon="x", hidden=True, tags=["o"]),
        page(title="Theirs", icon="y", cover="1", tags=["t"]),
    )
    assert merged.tree.entries["a"].attributes == {"title": "Ours", "icon": "y", "tags": ["o"]}
    assert merged.conflicts == (
        TreeConflict(ConflictKind.ATTRIBUTE, "a", "title", "A", "Ours", "Theirs"),
        TreeConflict(ConflictKind.ATTRIBUTE, "a", "tags", None, ["o"], ["t"]),
    )


@st.composite
def trees(draw: st.DrawFn) -> tuple[DocumentTree, DocumentTree, DocumentTree]:
    base = DocumentTree.of(_grow(draw, [f"p{number}" for number in range(draw(st.integers(0, 8)))]))
    return base, _worked_over(draw, base, "o"), _worked_over(draw, base, "t")


def _grow(draw: st.DrawFn, ids: Iterable[str]) -> list[TreeEntry]:
    entries: list[TreeEntry] = []
    for id in ids:
        parent = draw(st.sampled_from([None, *(entry.id for entry in entries)]))
        entries.append(TreeEntry(id, parent, {"title": id}, 0))
    return entries


def _worked_over(draw: st.DrawFn, base: DocumentTree, side: str) -> DocumentTree:
    entries = dict(base.entries)
    for step in range(draw(st.integers(0, 6))):
        action = draw(st.sampled_from(["insert", "delete", "move", "rename", "edit"]))
        target = draw(st.sampled_from([*entries, None]))
        if action == "insert":
            entries = _put(draw, entries, TreeEntry(f"{side}{step}", target, {"title": side}, side))
        elif target is None:
            continue
        elif action == "delete":
            below = _below(entries, target)
            entries = {id: entry for id, entry in entries.items() if id not in below}
        elif action == "move":
            below = _below(entries, target)
            parent = draw(st.sampled_from([None, *(id for id in entries if id not in below)]))
            moved = entries.pop(target)
            entries = _put(draw, entries, TreeEntry(target, parent, moved.attributes, moved.text))
        else:
            old = entries[target]
            title = {"title": f"{side}{step}"} if action == "rename" else old.attributes
            entries[target] = TreeEntry(target, old.parent, title, f"{side}{step}" if action == "edit" else old.text)
    return DocumentTree(entries)


def _put(draw: st.DrawFn, entries: dict[str, TreeEntry], entry: TreeEntry) -> dict[str, TreeEntry]:
    items = list(entries.items())
    items.insert(draw(st.integers(0, len(items))), (entry.id, entry))
    return dict(items)


def _below(entries: dict[str, TreeEntry], id: str) -> set[str]:
    children = DocumentTree(entries).children
    below = {id}
    ahead = [id]
    while ahead:
        found = children.get(ahead.pop(), [])
        below.update(found)
        ahead.extend(found)
    return below


@pytest.mark.slow
@settings(derandomize=True, max_examples=500, deadline=None)
@given(trees())
def test_whatever_happens_a_tree_comes_out_and_nothing_is_lost(
    case: tuple[DocumentTree, DocumentTree, DocumentTree],
) -> None:
    base, ours, theirs = case
    assert base.problem is ours.problem is theirs.problem is None
    merged = merge_trees(base, ours, theirs)
    assert merged.tree.problem is None
    found = kinds(merged)
    for side in (ours, theirs):
        for id, entry in side.entries.items():
            old = base.entries.get(id)
            if old == entry:
                continue
            assert id in merged.tree.entries
            result = merged.tree.entries[id]
            assert result.text == entry.text or (old and old.text == entry.text) or (ConflictKind.TEXT, id) in found
            assert (
                result.parent == entry.parent
                or (old and old.parent == entry.parent)
                or ((ConflictKind.MOVED, id) in found)
            )
    untouched = {id for id in base.entries if ours.entries.get(id) == base.entries[id] == theirs.entries.get(id)}
    assert untouched <= merged.tree.entries.keys()
    assert merged.tree.entries.keys() <= ours.entries.keys() | theirs.entries.keys()


@settings(derandomize=True, max_examples=200, deadline=None)
@given(trees())
def test_a_side_that_did_nothing_changes_nothing(case: tuple[DocumentTree, DocumentTree, DocumentTree]) -> None:
    base, ours, _ = case
    for merged in (merge_trees(base, ours, base), merge_trees(base, base, ours), merge_trees(base, ours, ours)):
        assert merged.clean
        assert list(merged.tree.walk()) == list(ours.walk())
