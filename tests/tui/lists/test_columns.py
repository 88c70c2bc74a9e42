from __future__ import annotations

import pytest
from rich.cells import cell_len

from recto.tui.lists.columns import Column, lay_out, text_of

COLUMNS = (
    Column[str]("Name", lambda item: item, width=10, least=6, grows=True),
    Column[str]("Address", lambda item: f"{item}@example.org", width=20, least=12, rank=2),
    Column[str]("Role", lambda item: [("admin", "accent")], width=5),
    Column[str]("Spaces", lambda item: "12", width=6, rank=3, at_right=True),
)


def titles(width: int) -> list[str]:
    return [column.title for column in lay_out(COLUMNS, width).columns]


def test_where_there_is_room_all_columns_show_and_one_takes_what_is_left() -> None:
    layout = lay_out(COLUMNS, 60)
    assert titles(60) == ["Name", "Address", "Role", "Spaces"]
    assert list(layout.widths) == [23, 20, 5, 6]


def test_columns_shrink_before_one_falls_away() -> None:
    layout = lay_out(COLUMNS, 40)
    assert titles(40) == ["Name", "Address", "Role", "Spaces"]
    assert layout.widths[1] == 13
    assert titles(34) == ["Name", "Address", "Role"]
    assert titles(20) == ["Name", "Role"]


@pytest.mark.parametrize("width", range(1, 80))
def test_a_row_takes_the_width_it_has_and_no_more(width: int) -> None:
    layout = lay_out(COLUMNS, width)
    for line in (layout.head("Name"), "".join(text for text, _ in layout.row("Grace 日本 Hopper"))):
        assert cell_len(line) <= width
    if width >= 17:
        assert cell_len("".join(text for text, _ in layout.row("Ada"))) == width


def test_a_number_stands_at_the_right_and_the_sign_at_the_sorted_column() -> None:
    row = "".join(text for text, _ in lay_out(COLUMNS, 60).row("Ada"))
    assert row.endswith("    12")
    assert "Role ▾" not in lay_out(COLUMNS, 60).head("Name")
    assert "Name ▾" in lay_out(COLUMNS, 60).head("Name")


def test_text_from_outside_draws_nothing_but_itself() -> None:
    row = lay_out(COLUMNS, 60).row("\x1b[31mAda\u202e")
    assert "\x1b" not in "".join(text for text, _ in row)
    assert text_of(COLUMNS, "Ada") == "Ada Ada@example.org admin 12"
