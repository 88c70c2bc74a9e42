from __future__ import annotations

import json

from recto.server.content.tree import (
    ROOT,
    DraftNode,
    Node,
    Tree,
    TreeDraft,
    canonical,
    differences,
    free_slug,
    make_node,
    node_body,
    root_node,
    slug_for,
)


def page(name: str, *children: Node, text: str | None = None, **attributes: object) -> Node:
    return make_node(name, "document", {"title": name, "slug": name, **attributes}, text, "then", "then", children)


TREE = root_node((page("a", page("b", page("c"))), page("d"), page("e")))


def test_equal_trees_have_equal_hashes_and_different_ones_do_not() -> None:
    again = root_node((page("a", page("b", page("c"))), page("d"), page("e")))
    assert again.hash == TREE.hash
    assert node_body(again) == node_body(TREE) == canonical(json.loads(node_body(TREE)))
    assert root_node((page("a", page("b", page("c"))), page("e"), page("d"))).hash != TREE.hash
    assert root_node((page("a", page("b", page("c", text="t"))), page("d"), page("e"))).hash != TREE.hash


def test_pages_are_found_by_id_and_by_path() -> None:
    tree = Tree(TREE)
    assert list(tree.places) == ["a", "b", "c", "d", "e"]
    assert tree.path("c") == "a/b/c"
    assert tree.paths["a/b"] == "b"
    assert tree.places["a"].parent == ROOT
    assert tree.get("x") is None


def test_computed_pages_are_those_of_the_tree_also_where_it_was_made_from_another() -> None:
    before = Tree(TREE)
    assert before.places
    assert before.computed == ()
    draft = TreeDraft(before)
    draft["b"].type = "computed"
    draft.touch("b", "now")
    with_one = Tree(draft.freeze(), before)
    assert [node.id for node in with_one.computed] == ["b"]
    draft = TreeDraft(with_one)
    draft["e"].text = "new"
    draft.touch("e", "now")
    still = Tree(draft.freeze(), with_one)
    assert still.computed is with_one.computed
    draft["b"].text = "new"
    draft.touch("b", "now")
    assert [node.text for node in Tree(draft.freeze(), still).computed] == ["new"]


def test_a_draft_that_nothing_happened_to_is_the_very_tree() -> None:
    assert TreeDraft(Tree(TREE)).freeze() is TREE


def test_a_draft_keeps_the_nodes_that_did_not_change() -> None:
    draft = TreeDraft(Tree(TREE))
    draft["c"].attributes["title"] = "C"
    draft.touch("c", "now")
    frozen = Tree(draft.freeze())
    assert frozen.get("d") is Tree(TREE).get("d")
    assert frozen.places["c"].node.updated == "now"
    assert frozen.places["a"].node.updated == "then"


def test_pages_are_inserted_moved_and_removed() -> None:
    draft = TreeDraft(Tree(TREE))
    draft.insert(DraftNode("f", "document", {"title": "f", "slug": "f"}, None, "now", "now", "a"), 0)
    draft.move("e", ROOT, 0)
    draft.move("c", "d")
    assert draft.remove("b") == ["b"]
    assert draft.path("c") == "d/c"
    frozen = Tree(draft.freeze())
    assert [(each, place.parent) for each, place in frozen.places.items()] == [
        ("e", ROOT),
        ("a", ROOT),
        ("f", "a"),
        ("d", ROOT),
        ("c", "d"),
    ]
    assert draft.is_under("c", "d")
    assert not draft.is_under("d", "c")


def test_differences_are_those_pages_that_changed_moved_came_or_went() -> None:
    draft = TreeDraft(Tree(TREE))
    draft["e"].text = "new"
    draft.touch("e", "now")
    draft.move("c", ROOT, 0)
    draft.remove("d")
    draft.insert(DraftNode("f", "document", {"title": "f", "slug": "f"}, None, "now", "now", "b"))
    after = draft.freeze()
    found = differences(TREE, after)
    old, new = Tree(TREE), Tree(after)
    assert found.pages == {
        "e": (old.get("e"), new.get("e")),
        "c": (old.get("c"), new.get("c")),
        "d": (old.get("d"), None),
        "f": (None, new.get("f")),
    }
    assert (["a", "d", "e"], ["c", "a", "e"]) in found.orders


def test_bookkeeping_is_no_difference() -> None:
    before = root_node((page("a", git={"oid": "1"}),))
    after = root_node((page("a", git={"oid": "2"}),))
    assert differences(before, after).pages == {}


def test_slugs_are_made_of_titles_and_kept_apart() -> None:
    assert slug_for("What's new?") == "whats-new"
    assert slug_for("安裝 指南") == "安裝-指南"
    assert slug_for("…") == "page"
    assert free_slug("page", {"page", "page-1"}) == "page-2"
    assert len(free_slug("x" * 100, {"x" * 100})) <= 100
