"""How the items of a page's diff are drawn."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recto.store.page_diff import NO_LINE_END, PageDiff
from recto.store.review_pages import ReviewPage
from recto.tui.lists.diff_list import DiffRemark, diff_items, draw_item
from recto.tui.lists.thread_rows import links_elsewhere

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_the_remark_on_a_line_end_is_drawn_in_the_margins_of_a_diff() -> None:
    rows = PageDiff("# a\n# b", "# a\n# b\n").rows()
    drawn = ["".join(text for text, _ in line) for row in rows for line in draw_item(row, 40, NOW)]

    assert [line.rstrip() for line in drawn[-3:]] == ["  # a", "  # b", f"- {NO_LINE_END}"]


def draw(before: str, after: str, titles: dict[str, str]) -> list[str]:
    rows = PageDiff(before, after).rows()
    return ["".join(text for text, _ in line) for row in rows for line in draw_item(row, 60, NOW, titles)]


def test_links_show_the_titles_of_pages_and_what_changed_of_them() -> None:
    titles = {"a1": "The beginning", "b2": "The end", "part/inner": "Inner"}
    lines = draw("See [it](/pages/a1#x).\n", "See [it](/pages/b2#x) and [that](/pages/part/inner).\n", titles)
    assert lines[1:] == ["- See [it](The beginning#x).", "+ See [it](The end#x) and [that](Inner)."]
    (_, removed, _) = PageDiff("[x](/pages/a1)\n", "[x](/pages/b2)\n").rows()
    assert [role for text, role in draw_item(removed, 60, NOW, titles)[0] if text == "The beginning"] == [
        "removed-word"
    ]


def test_a_link_to_a_page_that_is_not_there_says_so_and_other_addresses_stay() -> None:
    after = '{% content-ref url="/pages/gone" %}\n\n[b](/broken/pages/x) GET /pages/y\n'
    assert [line for line in draw("", after, {"a1": "A"}) if line.startswith("+") and line.strip("+ ")] == [
        '+ {% content-ref url="a missing page" %}',
        "+ [b](a missing page) GET /pages/y",
    ]


def test_a_link_into_another_space_shows_its_title_or_that_it_leads_there() -> None:
    after = "[a](/spaces/s1/pages/p1#x)\n\n[b](/spaces/s1)\n\n[c](/spaces/s2/pages/p2)\n\n[d](/spaces/s2)\n"
    lines = draw("", after, {"s1": "The other", "s1/p1": "Its page"})
    assert [line.strip() for line in lines if line.strip() not in ("", "+") and line.startswith("+")] == [
        "+ [a](Its page#x)",
        "+ [b](The other)",
        "+ [c](a page of another space)",
        "+ [d](another space)",
    ]
    assert links_elsewhere(after) == {"s1", "s1/p1", "s2", "s2/p2"}


@pytest.mark.parametrize(
    ("page", "before", "after", "says"),
    [
        (ReviewPage("p", "P", kinds=("new",)), "", "", "This new page has no text yet."),
        (ReviewPage("p", "P", kinds=("deleted",)), "", "", "This page had no text."),
        (ReviewPage("p", "P", "group", kinds=("new",)), "", "", "A group has no text."),
        (ReviewPage("p", "P", kinds=("renamed",)), "a\n", "a\n", "The text is unchanged."),
        (ReviewPage("p", "P", kinds=("edited",)), "a\nb\n", "a b\n", "Only line breaks within paragraphs are changed."),
    ],
)
def test_a_page_without_a_changed_line_says_why(page: ReviewPage, before: str, after: str, says: str) -> None:
    remarks = [item for item in diff_items(page, PageDiff(before, after), None) if isinstance(item, DiffRemark)]
    assert [remark.text for remark in remarks] == [says]
