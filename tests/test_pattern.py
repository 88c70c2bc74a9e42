from __future__ import annotations

import re

import pytest

from recto.pattern import pattern


def test_a_pattern_is_compiled_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_pattern = re.compile

    def compile_and_note(text: str, flags: int) -> re.Pattern[str]:
        compiled.append(text)
        return compile_pattern(text, flags)

    monkeypatch.setattr(re, "compile", compile_and_note)
    word = pattern("[a-z]+", re.IGNORECASE)
    assert not compiled
    assert [found[0] for found in word.finditer("Ada, grace")] == ["Ada", "grace"]
    assert word.sub("x", "Ada, grace") == "x, x"
    assert word.finditer is word.finditer
    assert set(compiled) == {"[a-z]+"}
