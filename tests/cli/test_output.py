from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest

from recto.cli.output import show
from recto.document.json_text import pretty

HOSTILE = "\x1b]0;x\x07 \x9b31m \x7f \u202egnp.exe \u2066x\u2069 \ufeff \u200b \u2028 \ud800 \U000e0041 \xad"


@pytest.mark.parametrize(
    "value", [{"b": 1, "a": [None, True, 1.5, "é 漢 😀"]}, [], {}, "x", 0, {"é\u202e": HOSTILE}, 10**40]
)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_the_text_parses_to_the_same_value(value: Any, ascii_only: bool) -> None:
    assert json.loads(pretty(value, ascii_only=ascii_only)) == value


def test_nothing_in_it_acts_on_a_terminal() -> None:
    text = pretty({"title": HOSTILE, HOSTILE: 1})
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]", text
    )
    assert "\U000e0041" not in text
    assert pretty("é 漢 😀") == '"é 漢 😀"'


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def shown(value: Any, stream: io.StringIO) -> str:
    show(value, stream)
    return stream.getvalue()


def test_it_is_coloured_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"title": HOSTILE, "pages": [1, None, True]}
    coloured = shown(value, Terminal())
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == pretty(value) + "\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown(value, Terminal()) == pretty(value) + "\n"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in shown(value, Terminal())


def test_what_another_program_reads_is_plain_and_whole_in_any_encoding() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", write_through=True)
    show({"title": "漢"}, out)
    assert out.buffer.getvalue() == b'{\n  "title": "\\u6f22"\n}\n'
