from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recto.tui.render.columns import LEAST, column_widths


def test_columns_are_as_wide_as_their_text_where_all_fit() -> None:
    assert column_widths([4, 10, 2], [4, 5, 2], 20) == [4, 10, 2]


def test_the_widest_column_gives_way_first() -> None:
    assert column_widths([5, 60, 4], [5, 8, 4], 40) == [5, 31, 4]
    assert column_widths([50, 60], [8, 8], 40) == [20, 20]


def test_a_column_keeps_its_longest_word_where_it_can() -> None:
    widths = column_widths([30, 200], [24, 10], 60)
    assert widths[0] >= 24
    assert sum(widths) == 60


def test_many_columns_go_to_the_side_rather_than_become_unreadable() -> None:
    assert column_widths([20] * 30, [10] * 30, 60) == [LEAST] * 30


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), max_size=8), st.integers(1, 160))
def test_columns_fill_the_room_or_are_as_narrow_as_may_be(columns: list[tuple[int, int]], room: int) -> None:
    natural = [max(pair) for pair in columns]
    words = [min(pair) for pair in columns]
    widths = column_widths(natural, words, room)
    assert all(1 <= width <= max(1, wanted) for width, wanted in zip(widths, natural, strict=True))
    if sum(widths) > max(room, len(widths)):
        assert all(width <= max(LEAST, room // len(widths)) for width in widths)
    elif sum(natural) > room:
        assert sum(widths) >= min(room, len(widths))
