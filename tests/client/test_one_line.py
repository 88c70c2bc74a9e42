from __future__ import annotations

from recto.client.errors import one_line


def test_nothing_that_a_terminal_obeys_is_left() -> None:
    assert one_line("a\x1b[31mred\x07 b\r\nc\u202ed\u2028e\x9bf") == "a [31mred b c d e f"


def test_plain_text_stays_as_it_is() -> None:
    assert one_line("Größe: 二 [bold] 👍") == "Größe: 二 [bold] 👍"


def test_a_long_text_is_cut() -> None:
    assert one_line("word " * 100, 12) == "word word w…"
    assert len(one_line("x" * 100_000)) == 400
