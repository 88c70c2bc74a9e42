from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recto.tui.render.table import LEAST, column_widths


def test_columns_are_as_wide_as_their_text_where_all_fit() -> None:
    assert column_widths([4, 10, 2], [4, 5, 2], [4, 5, 2], 20) == [4, 10, 2]


def test_the_widest_column_gives_way_first() -> None:
    assert column_widths([5, 60, 4], [5, 8, 4], [5, 8, 4], 40) == [5, 31, 4]
    assert column_widths([50, 60], [8, 8], [8, 8], 40) == [20, 20]


def test_a_column_keeps_its_longest_word_where_it_can() -> None:
    widths = column_widths([30, 200], [24, 10], [10, 10], 60)
    assert widths[0] >= 24
    assert sum(widths) == 60


def test_many_columns_go_to_the_side_rather_than_become_unreadable() -> None:
    assert column_widths([20] * 30, [10] * 30, [4] * 30, 60) == [LEAST] * 30


def test_no_word_is_broken_where_it_has_no_joint_and_what_does_not_fit_is_looked_at_sideways() -> None:
    assert column_widths([17, 200], [17, 12], [12, 12], 28) == [14, 14]
    assert column_widths([17, 200], [17, 12], [12, 12], 24) == [12, 12]
    assert column_widths([17, 30], [17, 12], [12, 12], 20) == [12, 12]


def test_what_is_looked_at_sideways_anyway_has_room_for_prose() -> None:
    assert column_widths([17, 200, 60], [17, 12, 9], [12, 12, 9], 20) == [12, 24, 10]


@given(st.lists(st.lists(st.integers(0, 90), min_size=3, max_size=3), max_size=8), st.integers(1, 160))
def test_columns_fill_the_room_or_keep_what_is_not_to_be_broken(columns: list[list[int]], room: int) -> None:
    pieces, words, natural = ([sorted(column)[at] for column in columns] for at in range(3))
    widths = column_widths(natural, words, pieces, room)
    assert all(width >= min(piece, wanted) for width, piece, wanted in zip(widths, pieces, natural, strict=True))
    assert all(1 <= width <= max(1, wanted) for width, wanted in zip(widths, natural, strict=True))
    if sum(widths) > max(room, len(widths)):
        assert sum(max(LEAST, piece) for piece in pieces) > room
    elif sum(natural) > room:
        assert sum(widths) >= min(room, len(widths))
