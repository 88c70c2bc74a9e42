from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.document import lines
from recto.document.lines import Edit, edits, split_lines

LISTS = st.lists(st.sampled_from("abcd"), max_size=30)


def applied(before: list[str], after: list[str], script: list[Edit]) -> list[str]:
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
    assert applied(before, after, script) == after
    for first, second in pairwise(script):
        assert first.before_end < second.before_start
        assert second.before_start - first.before_end == second.after_start - first.after_end


def test_an_addition_among_equal_lines_stands_late() -> None:
    assert edits(["x", "a", "a", "y", "z"], ["x", "a", "a", "a", "y", "w"])[0] == Edit(3, 3, 3, 4)


def test_texts_too_large_for_the_shortest_script_still_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST_CELLS", 1)
    before, after = list("abcabcabc"), list("xbcabcay")
    assert applied(before, after, edits(before, after)) == after
