from __future__ import annotations

from recto.contract.content import Page, walk_pages, walk_with_parents


def page(id: str, *pages: Page) -> Page:
    return Page(id=id, pages=pages)


def test_pages_are_walked_in_reading_order() -> None:
    tree = (page("a", page("b", page("c")), page("d")), page("e"))
    assert [each.id for each in walk_pages(tree)] == ["a", "b", "c", "d", "e"]
    assert [(each.id, parent) for each, parent in walk_with_parents(iter(tree))] == [
        ("a", None),
        ("b", "a"),
        ("c", "b"),
        ("d", "a"),
        ("e", None),
    ]


def test_a_tree_may_be_deep() -> None:
    tree = page("0")
    for number in range(1, 5_000):
        tree = Page.model_construct(id=str(number), pages=(tree,))
    assert sum(1 for _ in walk_pages([tree])) == 5_000
