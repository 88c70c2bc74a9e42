from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.server.content import objects
from recto.server.content.objects import Remembered, load_text, load_tree, save_texts, save_tree, text_hash
from recto.server.content.tree import Node, Tree, differences, make_node, root_node
from recto.server.platform import Platform
from recto.server.storage.database import Connection


def page(name: str, *children: Node, text: str | None = None) -> Node:
    return make_node(name, "document", {"title": name, "slug": name}, text, "then", "then", children)


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered from before."""
    monkeypatch.setattr(objects, "_nodes", Remembered(1000))
    monkeypatch.setattr(objects, "_trees", Remembered(10))


def shape(nodes: Sequence[Node]) -> list[Any]:
    return [(node.hash, node.id, node.attributes, node.text, shape(node.children)) for node in nodes]


def load(platform: Platform, root: Node) -> Tree:
    return platform.database.read_now(lambda connection: load_tree(connection, root.hash))


TREE = root_node((page("a", page("b", page("c", text="t")), page("d")), page("e")))


def test_a_tree_comes_back_as_it_was_stored(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, forgetful: None
) -> None:
    platform.database.write_now(lambda connection: save_tree(connection, TREE))
    monkeypatch.setattr(objects, "_nodes", Remembered(1000))
    monkeypatch.setattr(objects, "_trees", Remembered(10))
    tree = load(platform, TREE)
    assert shape([tree.root]) == shape([TREE])
    assert load(platform, TREE) is tree


def test_trees_share_the_nodes_that_are_equal(platform: Platform, forgetful: None) -> None:
    other = root_node((page("a", page("b", page("c", text="t")), page("d")), page("f")))
    platform.database.write_now(lambda connection: [save_tree(connection, each) for each in (TREE, other, TREE)])
    stored = platform.database.read_now(
        lambda connection: connection.value("SELECT count(*) FROM nodes WHERE hash <> ?", root_node().hash)
    )
    assert stored == 6 + 2
    first, second = load(platform, TREE), load(platform, other)
    assert first.get("a") is not None
    assert shape([first.places["a"].node]) == shape([second.places["a"].node])


def test_what_a_broken_write_remembered_is_stored_by_the_next(platform: Platform, forgetful: None) -> None:
    def broken(connection: Any) -> None:
        save_tree(connection, TREE)
        raise KeyError

    with pytest.raises(KeyError):
        platform.database.write_now(broken)
    platform.database.write_now(lambda connection: save_tree(connection, TREE))
    stored = platform.database.read_now(lambda connection: connection.column("SELECT hash FROM nodes ORDER BY hash"))
    assert {node.hash for node in (TREE, *TREE.walk())} <= set(stored)


@pytest.mark.parametrize("text", ["", "a", "\ud7ff\n\r\n\x00\u2028", "字" * 10_000])
def test_a_text_comes_back_to_the_letter(platform: Platform, text: str) -> None:
    name = text_hash(text)
    platform.database.write_now(lambda connection: save_texts(connection, {name: text}))
    assert platform.database.read_now(lambda connection: load_text(connection, name)) == text


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    memory: Remembered[int] = Remembered(2)
    memory.put("a", 1)
    memory.put("b", 2)
    assert memory.get("a") == 1
    memory.put("c", 3)
    assert (memory.get("a"), memory.get("b"), memory.get("c")) == (1, None, 3)


def trees() -> st.SearchStrategy[Node]:
    """Small trees over the same few pages, each page in one place at most."""
    names = st.permutations("abcdef").flatmap(
        lambda order: st.tuples(st.just(order), st.lists(st.integers(0, 6), max_size=6), st.lists(st.booleans()))
    )

    def build(drawn: tuple[list[str], list[int], list[bool]]) -> Node:
        order, parents, texts = drawn
        under: dict[int, list[int]] = {}
        for place, parent in enumerate(parents):
            under.setdefault(min(parent, place), []).append(place)

        def nodes(parent: int) -> tuple[Node, ...]:
            return tuple(
                page(order[at], *nodes(at + 1), text="t" if at < len(texts) and texts[at] else None)
                for at in under.get(parent, [])
            )

        return root_node(nodes(0))

    return names.map(build)


@pytest.mark.slow
@given(before=trees(), after=trees())
@settings(derandomize=True, deadline=None, max_examples=300)
def test_comparing_by_what_differs_finds_what_comparing_everything_finds(before: Node, after: Node) -> None:
    old, new = Tree(before).places, Tree(after).places
    expected = {
        name
        for name in old.keys() | new.keys()
        if name not in old
        or name not in new
        or old[name].parent != new[name].parent
        or not old[name].node.has_same_content(new[name].node)
    }
    found = differences(before, after).pages
    assert expected <= found.keys()
    for name, (left, right) in found.items():
        assert left is (old[name].node if name in old else None)
        assert right is (new[name].node if name in new else None)
    assert differences(before, before).pages == {}


def test_fifty_change_requests_at_once_read_no_tree_again(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = tuple(page(f"p{at}") for at in range(1000))
    first = Tree(root_node(pages))
    assert len(first.places) == first.size == 1000
    roots = [root_node((*pages[:at], page(f"p{at}", text="t"), *pages[at + 1 :])) for at in range(100)]

    def save(connection: Connection) -> None:
        save_tree(connection, first.root)
        for root in roots:
            save_tree(connection, root, first)

    platform.database.write_now(save)

    def read_text(*_: object) -> Node:
        raise AssertionError("a tree was read again")

    monkeypatch.setattr(objects, "_load_nodes", read_text)
    for root in roots:
        assert load(platform, root).size == 1000


def test_a_tree_counts_the_pages_below_others() -> None:
    assert Tree(TREE).size == len(Tree(TREE).places) == 5
