from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recto.tui.widgets.heights import Heights


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=60))
def test_rows_lie_one_after_the_other_whatever_has_been_measured(rows: list[tuple[int, bool]]) -> None:
    heights = Heights(len(rows), one_line=False, estimate=2)
    real = [height if known else 2 for height, known in rows]

    for index, (height, known) in enumerate(rows):
        if known:
            heights.record(index, height)

    lines = [(index, line) for index, height in enumerate(real) for line in range(height)]
    assert heights.total == len(lines)
    assert [heights.at(line) for line in range(len(lines))] == lines
    assert [heights.top(index) for index in range(len(real))] == [sum(real[:index]) for index in range(len(real))]
    assert heights.at(len(lines)) is None


def test_rows_of_one_line_need_no_measuring() -> None:
    heights = Heights(50_000, one_line=True)

    assert (heights.total, heights.top(40_000), heights.at(40_000)) == (50_000, 40_000, (40_000, 0))
    assert heights.is_known(7)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.booleans()), min_size=1, max_size=60))
def test_each_row_may_be_guessed_on_its_own(rows: list[tuple[int, int, bool]]) -> None:
    heights = Heights(len(rows), one_line=False, estimates=[guess for guess, _height, _known in rows])
    real = [height if known else guess for guess, height, known in rows]

    for index, (guess, height, known) in enumerate(rows):
        if known:
            assert heights.record(index, height) == height - guess

    assert heights.total == sum(real)
    assert [heights.height(index) for index in range(len(real))] == real
    assert [heights.top(index) for index in range(len(real))] == [sum(real[:index]) for index in range(len(real))]
    assert heights.at(sum(real) - 1) == (len(real) - 1, real[-1] - 1)
