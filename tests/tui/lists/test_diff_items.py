"""How the items of a page's diff are drawn."""

from __future__ import annotations

from datetime import UTC, datetime

from recto.store.page_diff import NO_LINE_END, PageDiff
from recto.tui.lists.diff_list import draw_item


def test_the_remark_on_a_line_end_is_drawn_in_the_margins_of_a_diff() -> None:
    rows = PageDiff("a\nb", "a\nb\n").rows()
    drawn = ["".join(text for text, _ in line) for row in rows for line in draw_item(row, 40, datetime.now(UTC))]

    assert [line.rstrip() for line in drawn[-3:]] == ["  a", "  b", f"- {NO_LINE_END}"]
