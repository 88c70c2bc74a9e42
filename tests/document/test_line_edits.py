from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from recto.document import line_edits
from recto.document.line_edits import Edit, edits, line_after, split_lines

LISTS = st.lists(st.sampled_from("abcd"), max_size=30)


def apply(before: list[str], after: list[str], script: list[Edit]) -> list[str]:
    result: list[str] = []
    place = 0
    for edit in script:
        result += before[place : edit.before_start] + after[edit.after_start : edit.after_end]
        place = edit.before_end
    return result + before[place:]


@pytest.mark.parametrize("text", ["", "\n", "a", "a\n", "a\nb", "a\r\nb\x0bc\n", "\n\n"])
def test_split_lines_joins_back(text: str) -> None:
    assert "".join(split_lines(text)) == text
    assert all(line.endswith("\n") for line in split_lines(text)[:-1])


@settings(derandomize=True, max_examples=300, deadline=None)
@given(LISTS, LISTS)
def test_edits_turn_one_list_into_the_other_and_never_touch(before: list[str], after: list[str]) -> None:
    script = edits(before, after)
    assert apply(before, after, script) == after
    for first, second in pairwise(script):
        assert first.before_end < second.before_start
        assert second.before_start - first.before_end == second.after_start - first.after_end


def test_an_addition_among_equal_lines_stands_late() -> None:
    assert edits(["x", "a", "a", "y", "z"], ["x", "a", "a", "a", "y", "w"])[0] == Edit(3, 3, 3, 4)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=60), st.lists(st.integers(0, 30), max_size=60), st.integers(1, 40))
def test_lists_too_long_for_the_shortest_script_still_compare(before: list[int], after: list[int], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_edits, "MOST_CELLS", most)
        script = edits(before, after)
    result: list[int] = []
    place = 0
    for edit in script:
        result += before[place : edit.before_start] + after[edit.after_start : edit.after_end]
        place = edit.before_end
    assert result + before[place:] == after
    assert all(first.before_end < second.before_start for first, second in pairwise(script))


def test_long_lists_are_parted_where_both_hold_the_same_item_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [part for number in range(20) for part in (f"only {number}", "a", "b")]
    after = [part for number in range(20) for part in (f"only {number}", "b", "c")]
    shortest = edits(before, after)
    monkeypatch.setattr(line_edits, "MOST_CELLS", 10)
    assert edits(before, after) == shortest


@pytest.mark.parametrize(
    "hostile",
    [
        lambda size, side: ["a", "b"][:: 1 - 2 * side] * size + [side],
        lambda size, side: [*range(size), *range(size)][:: 1 - 2 * side],
        lambda size, side: [f"{side} {number}" for number in range(size)],
        lambda size, side: [str(number // 2 + number % 2 * side) for number in range(size)],
    ],
)
def test_lists_twice_as_long_take_twice_the_cells(
    hostile: Callable[[int, int], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cells(size: int) -> int:
        compared: list[int] = []
        opcodes = Indel.opcodes

        def count_all(one: list[int], other: list[int]) -> Any:
            compared.append(len(one) * len(other))
            return opcodes(one, other)

        with monkeypatch.context() as patch:
            patch.setattr(Indel, "opcodes", count_all)
            patch.setattr(line_edits, "MOST_CELLS", 2_500)
            edits(hostile(size, 0), hostile(size, 1))
        return sum(compared)

    assert 0 < cells(2_000) <= 2.3 * cells(1_000) + 2_500


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("a\nb\nc\nd\n", [0, 1, 2, 3]),
        ("new\na\nb\nc\nd\n", [1, 2, 3, 4]),
        ("a\nd\n", [0, 1, 1, 1]),
        ("a\nB\nmore\nc\nd\n", [0, 1, 3, 4]),
        ("", [0, 0, 0, 0]),
    ],
)
def test_a_line_is_found_again_in_another_text(after: str, expected: list[int]) -> None:
    assert [line_after("a\nb\nc\nd\n", after, line) for line in range(4)] == expected


def test_equal_lines_between_which_nothing_stands_cost_no_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_edits, "MOST_CELLS", 1)
    old = list(range(1_000))
    new = [*old[:500], 5_000, *old[501:]]
    assert list(line_edits._comparable(old, new)) == [(range(500, 501), range(500, 501))]
