"""How the pages of a space stand in their tree, without a screen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from recto.contract.content import Page
from recto.tui.lists.lift_tree import flat_of
from recto.tui.lists.tree_rows import TreeRows, draw_tree_row
from recto.tui.screens.reading.page_index import GONE, PageIndex, PageMarks, describe_in, details, tree_of, with_deleted

DEEP = Page(id="deep", title="Deep", emoji="1f680", icon="book")
PAGES = (
    Page(id="group", title="A group", type="group", icon="book", pages=(Page(id="p", title="Page", pages=(DEEP,)),)),
    Page(id="link", title="A link", type="link", icon="book"),
    Page(id="hidden", title="Hidden", hidden=True, icon="no-such-icon"),
    Page(id="untitled", title=" "),
)


def test_each_page_shows_its_sign_what_it_is_and_how_many_are_in_it_and_siblings_align() -> None:
    flat = tree_of(PageIndex.of(PAGES))
    items = [flat.item(place) for place in range(len(flat))]
    assert [(one.label, one.sign, one.role, one.note, one.inside) for one in items] == [
        ("A group", "📖", "strong", "", 2),
        ("Page", "  ", "", "", 1),
        ("Deep", "🚀", "", "", 0),
        ("A link", "↗ ", "", "", 0),
        ("Hidden", "  ", "muted", "hidden", 0),
        ("Untitled", "  ", "", "", 0),
    ]


ALIKE = (
    Page(id="home", title="Home", pages=(Page(id="h", title="H", pages=(Page(id="h1", title="H1"),)),)),
    Page(id="group", title="Group", type="group", pages=(Page(id="g", title="G"),)),
    Page(id="star", title="Star", icon="star"),
)


@pytest.mark.parametrize("pages", [PAGES, ALIKE])
def test_each_name_stands_further_right_than_the_name_above_it(pages: Sequence[Page]) -> None:
    index = PageIndex.of(pages)
    for flat in (tree_of(index), flat_of(index.arrangement, {}, describe_in(index, lambda: index.arrangement))):
        starts = []
        for row in TreeRows(flat, range(len(flat)), lambda _: True, draw_tree_row):
            drawn = "".join(text for text, _role in draw_tree_row(row, 60))
            starts.append(cell_len(drawn[: drawn.index(row.item.label)]))
        assert all(starts[place] > starts[above] for place, above in enumerate(flat.parents) if above >= 0)
        if pages is ALIKE:
            assert starts == [5, 7, 9, 2, 4, 5]


def test_groups_and_links_do_not_count_as_pages() -> None:
    assert PageIndex.of(PAGES).count == 4


@pytest.mark.parametrize(
    ("marks", "shown"),
    [
        (PageMarks(comments={"p": 2}), "○2"),
        (PageMarks(broken={"p": 3}), "×3"),
        (PageMarks(changes={"p": "edited"}), "~"),
        (PageMarks(changes={"p": "new"}), "+"),
        (PageMarks(drafts={"p"}), "…"),
        (PageMarks(comments={"p": 1}, broken={"p": 1}, changes={"p": "edited"}, drafts={"p"}), "… ~ ×1 ○1"),
    ],
)
def test_what_is_to_know_of_a_page_stands_beside_its_name(marks: PageMarks, shown: str) -> None:
    ((page, line),) = details(marks).items()
    assert (page, "".join(text for text, _role in line)) == ("p", shown)


def test_deleted_pages_stand_where_they_were() -> None:
    def page(id: str, *under: Page) -> Page:
        return Page(id=id, type="document", title=id, pages=under)

    before = (page("a"), page("b", page("b1"), page("b2")), page("c"), page("d", page("d1")), page("e"))
    now = (page("e"), page("b", page("b2")), page("new"))
    merged = PageIndex.of(with_deleted(now, before, {"a", "b1", "c", "d", "d1"}))
    assert merged.ids == ["a", "e", "b", "b1", "b2", "c", "d", "d1", "new"]
    assert [id for id in merged.ids if merged.pages[id].type == GONE] == ["a", "b1", "c", "d", "d1"]
