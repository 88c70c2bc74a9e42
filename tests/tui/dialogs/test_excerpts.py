"""What is shown of the text in which words were found."""

from __future__ import annotations

import pytest

from recto.tui.dialogs.excerpts import excerpt_around, mark_words, read_aloud


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("```python save_config(sock)``` saves", "save_config(sock) saves"),
        ("> **Bold** and `code` | None | x |", "Bold and code None x"),
        ("* [ncs.alarm : Alarms. * one [note] stays", "ncs.alarm : Alarms. one [note] stays"),
        (r"pg\_dump \| \\ C:\dir", r"pg_dump | \ C:\dir"),
        ("# Title # 2 * 3 > 1, a*b #tag", "Title 2 3 1, a*b #tag"),
    ],
)
def test_marks_of_markdown_are_not_read(written: str, read: str) -> None:
    assert read_aloud(written) == read


def test_what_was_found_is_in_sight() -> None:
    text = "word " * 20 + "the needle in it"
    assert excerpt_around(text, ["needle"], 30) == "…rd word the needle in it"
    assert excerpt_around("a needle", ["needle"], 30) == "a needle"
    assert excerpt_around(text, ["missing"], 30) == text
    assert excerpt_around(text, ["needle"], 2) == "…needle in it"


def test_chinese_is_marked_though_it_is_in_pieces() -> None:
    assert mark_words([("備", "muted"), ("份", "muted"), ("的", "muted")], ["備份"]) == [
        ("備份", "muted found"),
        ("的", "muted"),
    ]


def test_each_word_is_marked() -> None:
    assert mark_words([("One two", "muted")], ["two", "one"]) == [
        ("One", "muted found"),
        (" ", "muted"),
        ("two", "muted found"),
    ]
