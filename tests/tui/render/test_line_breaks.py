from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from recto.tui.render.line_breaks import break_lines, cells, longest_unbroken
from recto.tui.render.prose import clean

TEXTS = st.text(st.sampled_from("ab c/-。，（）字テ한é\u0301😀🇩🇪 \n…“”"), max_size=80)


def lines(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in break_lines(text, width)]


@given(TEXTS, st.integers(2, 30))
def test_lines_fit_and_nothing_but_blanks_is_left_out(text: str, width: int) -> None:
    broken = lines(text, width)
    assert all(cells(line) <= width for line in broken)
    assert "".join(broken).replace(" ", "") == text.replace("\n", "").replace(" ", "")


@given(st.text(max_size=40))
def test_cells_are_what_the_terminal_library_counts_once_a_text_is_clean(text: str) -> None:
    assert cells(clean(text)) == cell_len(clean(text))


def test_words_stay_whole_where_they_can() -> None:
    assert lines("one two three four", 9) == ["one two", "three", "four"]
    assert lines("one  two", 4) == ["one", "two"]
    assert lines("first\nsecond line", 20) == ["first", "second line"]
    assert lines("", 10) == [""]


def test_blanks_at_the_end_begin_no_line() -> None:
    assert lines("one two ", 7) == ["one two"]
    assert lines("字字 ", 4) == ["字字"]


def test_long_words_break_behind_their_joints_first() -> None:
    assert lines("https://example.com/path/of/it", 14) == ["https://", "example.com/", "path/of/it"]
    assert lines("abcdefghij", 4) == ["abcd", "efgh", "ij"]


def test_no_word_is_cut_where_its_pieces_fit() -> None:
    assert lines("a-bcdefghijk", 11) == ["a-", "bcdefghijk"]
    assert lines("a-bcdefghijklm", 11) == ["a-bcdefghij", "klm"]


def test_what_a_column_should_hold_is_the_longest_word_and_the_longest_piece_of_one() -> None:
    assert longest_unbroken("a high-availability pair") == (17, 12)
    assert longest_unbroken("Größenänderung") == (14, 14)
    assert longest_unbroken("資料庫PostgreSQL的 a/b") == (10, 10)
    assert longest_unbroken("資料庫") == (8, 8)
    assert longest_unbroken("x" * 99) == (24, 24)


def test_chinese_breaks_anywhere_but_before_closing_and_after_opening_signs() -> None:
    assert lines("字字字字字", 6) == ["字字字", "字字"]
    assert lines("字字字。字", 6) == ["字字", "字。字"]
    assert lines("字字（字）", 6) == ["字字", "（字）"]
    assert lines("字字abc字", 6) == ["字字", "abc字"]


def test_blanks_at_the_beginning_of_a_line_of_the_source_stay() -> None:
    assert lines("  indented", 20) == ["  indented"]
