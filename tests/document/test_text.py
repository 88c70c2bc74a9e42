from __future__ import annotations

import subprocess
import sys

import pytest

from recto.document.text import normalise_line_ends, on_one_line, printable, strip_bom


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("bell\x07 back\x08 return\r", "bell␇ back␈ return␍"),
        ("\x9b31m", "\ufffd31m"),
        ("\x7f", "␡"),
        ("invoice\u202egpj.exe", "invoicegpj.exe"),
        ("\u2066isolated\u2069 zero\u200bwidth\ufeff", "isolated zerowidth"),
        ("line\u2028separator", "line separator"),
        ("half \ud800 pair", "half \ufffd pair"),
        ("資料庫 👩\u200d💻", "資料庫 👩\u200d💻"),
    ],
)
def test_nothing_is_left_that_a_terminal_would_act_on(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_byte_order_mark_goes_only_from_the_start() -> None:
    assert strip_bom("\ufeff# Title \ufeff") == "# Title \ufeff"


def test_line_ends_become_newlines() -> None:
    assert normalise_line_ends("a\r\nb\rc\nd") == "a\nb\nc\nd"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one\n  two\tthree ", "one two three"),
        ("第一行，\n  这是第二行\nかな", "第一行，这是第二行かな"),
        ("words\n文字 文字\nwords", "words 文字 文字 words"),
        ("한국어\n다음 줄", "한국어 다음 줄"),
    ],
)
def test_lines_are_joined_as_they_read(text: str, line: str) -> None:
    assert on_one_line(text) == line


def test_cleaning_text_needs_no_parser() -> None:
    heavy = "{'markdown_it', 'yaml', 'rapidfuzz', 'pydantic'}"
    code = f"import sys, recto.document.text; print({heavy} & sys.modules.keys())"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "set()"
