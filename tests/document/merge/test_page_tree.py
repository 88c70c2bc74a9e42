from __future__ import annotations

from recto.document.merge.page_tree import ChangeKind, DocumentTree, TreeEntry, compare


def tree(*entries: TreeEntry) -> DocumentTree:
    return DocumentTree.of(entries)


BEFORE = tree(
    TreeEntry("a", text=1), TreeEntry("b", text=1), TreeEntry("c", "b", {"title": "C"}, 1), TreeEntry("d", text=1)
)


def test_equal_trees_have_no_changes() -> None:
    assert compare(BEFORE, tree(*BEFORE.entries.values())) == []


def test_each_kind_of_change_is_found() -> None:
    after = tree(
        TreeEntry("a", text=2),
        TreeEntry("c", None, {"title": "See", "icon": "star"}, 1),
        TreeEntry("new"),
        TreeEntry("d", text=1),
    )
    changes = {(change.kind, change.id): change for change in compare(BEFORE, after)}
    assert changes.keys() == {
        (ChangeKind.EDITED, "a"),
        (ChangeKind.EDITED, "c"),
        (ChangeKind.MOVED, "c"),
        (ChangeKind.CREATED, "new"),
        (ChangeKind.DELETED, "b"),
    }
    assert changes[ChangeKind.EDITED, "a"].text
    assert changes[ChangeKind.EDITED, "c"].attributes == {"title": ("C", "See"), "icon": (None, "star")}
    assert not changes[ChangeKind.EDITED, "c"].text
    assert changes[ChangeKind.MOVED, "c"].parents == ("b", None)


def test_a_reorder_names_as_few_pages_as_explain_it() -> None:
    after = tree(*(BEFORE.entries[id] for id in ("d", "a", "b", "c")))
    (change,) = compare(BEFORE, after)
    assert (change.kind, change.id, change.parents) == (ChangeKind.MOVED, "d", (None, None))


def test_a_tree_says_what_is_wrong_with_it() -> None:
    assert BEFORE.problem is None
    assert tree(TreeEntry("a", "gone")).problem == "Page a stands under gone, which does not exist."
    assert tree(TreeEntry("a", "b"), TreeEntry("b", "a")).problem == "Some pages are below themselves."
    assert [entry.id for entry in BEFORE.walk()] == ["a", "b", "c", "d"]
