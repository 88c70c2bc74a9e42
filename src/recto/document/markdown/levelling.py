"""Indents end tags like the tags that they end, so that both are in the same list item, or in none."""

from __future__ import annotations

import re

from recto.frozen import frozen
from recto.pattern import pattern

_TAB = 4
_FURTHEST = 100
"""The most columns that a line is moved: deeper than any list, and a bound on the output."""

_LINE = pattern(
    r"^(?P<lead>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)"
    r"(?:(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)|(?P<tags>(?:\{%|</?(?:details|div)\b)[^\n]*))",
    re.MULTILINE | re.IGNORECASE,
)
_TAG = pattern(
    r"\{%-?[ \t]*(?P<end>end)?(?P<name>[\w-]+)"
    r"|<(?P<close>/?)(?P<element>details|div)\b(?P<own>[^<>\n]{0,200}?\bdata-gb-custom-block\b)?",
    re.IGNORECASE,
)
_BELOW = pattern(r"\n(?:[ \t]*\n)*(?P<lead>[ \t]*)[^ \t\n]")


@frozen
class _Begun:
    """A tag that has not ended yet: where it stands, the line below it, and where its own line ends in the text.

    Elements of HTML that are no blocks of the platform's do not ``move`` their ends.
    """

    name: str
    column: int
    below: int
    after: int
    moves: bool


def level_tags(text: str) -> str:
    """Return a text with the same lines, in which each end tag is indented like the tag that it ends.

    What such tags hold is moved with the end where that stands further left and what they hold does as well.
    """
    moves = _moves(text) if "{%" in text or "<d" in text or "<D" in text else {}
    if not moves:
        return text
    lines = text.split("\n")
    by = 0
    for number in range(min(moves), len(lines)):
        by += moves.pop(number, 0)
        if by:
            lines[number] = _shift(lines[number], max(-_FURTHEST, min(by, _FURTHEST)))
        elif not moves:
            break
    return "\n".join(lines)


def _moves(text: str) -> dict[int, int]:
    """Return for lines, counted from 0, by how many columns they and those below them are moved from there on."""
    moves: dict[int, int] = {}
    begun: list[_Begun] = []
    counts: dict[str, int] = {}
    columns_below: dict[int, int | None] = {}
    fence = ""
    line = reached = 0
    for match in _LINE.finditer(text):
        line += text.count("\n", reached, match.start())
        reached = match.start()
        if mark := match["fence"]:
            if not fence and ("`" not in match["info"] or mark[0] == "~"):
                fence = mark
            elif fence and mark.startswith(fence) and not match["info"].strip():
                fence = ""
        if mark or fence:
            continue
        column = _column(match["lead"])
        first = True
        for tag in _TAG.finditer(match["tags"]):
            name = (tag["name"] or tag["element"]).lower()
            if not (tag["end"] or tag["close"]):
                moving = name != "div" or tag["own"] is not None
                begun.append(_Begun(name, column, line + 1, match.end(), moving))
                counts[name] = counts.get(name, 0) + 1
            elif counts.get(name):
                opening = _end_tag(begun, counts, name)
                if first and opening.moves and opening.column != column and not match["lead"].strip():
                    # All tags that begin in a line share a look at what is below it, past any number of empty lines.
                    if opening.after not in columns_below:
                        columns_below[opening.after] = _column_below(text, opening.after)
                    held = columns_below[opening.after]
                    outside = held is not None and held < opening.column
                    start = opening.below if outside and column < opening.column else line
                    if opening.below <= line:
                        _move(moves, start, line + 1, opening.column - column)
            first = False
    return moves


def _end_tag(begun: list[_Begun], counts: dict[str, int], name: str) -> _Begun:
    """Take out the last tag of a name, and those after it, which have no end."""
    while True:
        last = begun.pop()
        counts[last.name] -= 1
        if last.name == name:
            return last


def _move(moves: dict[int, int], start: int, end: int, by: int) -> None:
    moves[start] = moves.get(start, 0) + by
    moves[end] = moves.get(end, 0) - by


def _column_below(text: str, at: int) -> int | None:
    """Return the column of the next line that is not empty, after the end of a line; ``None`` where there is none."""
    found = _BELOW.match(text, at)
    return _column(found["lead"]) if found is not None else None


def _column(lead: str) -> int:
    return len(lead.expandtabs(_TAB))


def _shift(line: str, by: int) -> str:
    written = line.lstrip(" \t")
    if not written:
        return line
    return " " * max(0, _column(line[: len(line) - len(written)]) + by) + written
