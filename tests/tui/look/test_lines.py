from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from recto.tui.look import lines

TEXT = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs", "So")), max_size=60)


@given(TEXT, st.integers(1, 40))
def test_a_fitted_line_never_takes_more_than_its_width(text: str, width: int) -> None:
    assert lines.width_of(lines.fit([(lines.plain(text), "")], width)) <= width


@given(TEXT, TEXT, st.integers(1, 60))
def test_two_texts_beside_each_other_never_take_more_than_the_width(left: str, right: str, width: int) -> None:
    laid = lines.beside([(lines.plain(left), "")], [(lines.plain(right), "")], width)

    assert lines.width_of(laid) <= width


@given(TEXT, st.integers(4, 40), st.integers(0, 2))
def test_wrapping_loses_nothing_but_spaces_and_keeps_to_the_width(text: str, width: int, indent: int) -> None:
    text = lines.plain(text)
    wrapped = lines.wrap([(text, "")], width, indent)

    assert all(lines.width_of(line) <= width for line in wrapped)
    joined = "".join(part for line in wrapped for part, _role in line)
    assert "".join(joined.split()) == "".join(text.split())


def test_wide_characters_count_two_cells() -> None:
    assert lines.fit([("日本語", "")], 5) == [("日本", ""), ("…", "")]
    assert lines.fit([("日本語", "")], 4) == [("日", ""), ("…", "")]


def test_words_stay_whole_where_they_fit() -> None:
    wrapped = lines.wrap([("one two ", ""), ("three", "strong"), (" four", "")], 9)

    assert ["".join(part for part, _role in line).split() for line in wrapped] == [["one", "two"], ["three"], ["four"]]


def test_a_word_longer_than_a_line_breaks_behind_a_joint() -> None:
    path = "/build-common-payment-flows/accept"
    assert ["".join(text for text, _ in line) for line in lines.wrap([(path, "")], 17)] == [
        "/build-common-",
        "payment-flows/",
        "accept",
    ]
    assert [line[0][0] for line in lines.wrap([("a-bcdefghijkl", "")], 8)] == ["a-bcdefg", "hijkl"]


def test_a_role_stays_with_its_text_when_wrapped() -> None:
    wrapped = lines.wrap([("aaaa ", "added"), ("bbbb", "removed")], 5)

    assert [[role for _text, role in line] for line in wrapped] == [["added"], ["removed"]]


def test_what_could_drive_a_terminal_or_is_measured_differently_is_taken_out() -> None:
    assert lines.plain("a\x1b[31mb\x07\u202ec\u200dd\ufe0f\u009b") == "a[31mbcd"
    assert cell_len(lines.plain("👍🏽")) == 2


def test_marks_keep_the_role_that_was_there() -> None:
    assert lines.mark([("One one", "muted")], "one") == [("One", "muted found"), (" ", "muted"), ("one", "muted found")]


def test_a_word_is_not_broken_where_its_role_changes() -> None:
    line = [("and then it is ", ""), ("gone", "marked"), (".", ""), (" So", "")]
    assert ["".join(text for text, _ in row).rstrip() for row in lines.wrap(line, 19)] == ["and then it is", "gone. So"]


def test_text_without_spaces_is_broken_where_its_role_changes() -> None:
    line = [("这是第一", ""), ("步", "marked"), ("。", "")]
    assert ["".join(text for text, _ in row) for row in lines.wrap(line, 8)] == ["这是第一", "步。"]
