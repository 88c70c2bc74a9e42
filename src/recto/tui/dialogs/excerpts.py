"""Excerpts around words that were searched for: without marks of Markdown, with the words visible."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from recto.document.text import join_lines
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span

_MARKS = re.compile(
    r"\\([!-/:-@\[-`{-~])"  # escaped punctuation
    r"|`{3,}[\w+-]*|\*\*|`|\|(?:[ :|-]*\|)?"  # code and its language, strong text, the bars and rules of tables
    r"|(?:^|(?<=\s))(?:#{1,6}|>|\*)(?=\s)"  # headings, quotes, items
    r"|\[(?![^\[\]]*\])"  # links whose addresses are gone
)
_FEWEST_BEFORE = 12
"""The characters shown before a word, if there are as many."""


def read_aloud(excerpt: str) -> str:
    """Return an excerpt of Markdown without marks that mean nothing out of context."""
    return " ".join(_MARKS.sub(lambda mark: mark[1] or " ", join_lines(excerpt)).split())


def excerpt_around(text: str, words: Sequence[str], width: int) -> str:
    """Return a text from shortly before the first of the words, so that about ``width`` characters show it."""
    wanted = "|".join(re.escape(word) for word in words)
    found = re.search(wanted, text, re.IGNORECASE) if wanted else None
    if found is None or found.end() <= width:
        return text
    start = max(0, found.start() - max(0, min(_FEWEST_BEFORE, width - len(found[0]))))
    return f"…{text[start:].lstrip()}"


def mark_words(line: Line, words: Sequence[str]) -> list[Span]:
    """Mark each of the words in a line, also across its pieces: wrapped Chinese comes in pieces."""
    whole = [("".join(text for text, _ in spans), role) for role, spans in groupby(line, key=lambda span: span[1])]
    for word in words:
        whole = lines.mark(whole, word)
    return whole
