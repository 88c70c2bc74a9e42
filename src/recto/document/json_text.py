"""JSON as text without terminal control characters, and the lines of its members and items."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

# What a terminal acts on or draws nothing for: DEL and C1 controls, marks that turn the direction of what follows,
# invisible letters, line ends in disguise, halves of characters. Those below U+0020 JSON escapes itself.
_ACTING = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def pretty(value: Any, *, ascii_only: bool = False) -> str:
    """Return JSON over several lines, without terminal control characters; its value is unchanged."""
    return _harmless(json.dumps(value, indent=2, ensure_ascii=ascii_only))


def compact(value: Any) -> str:
    """Return JSON as a single line without terminal control characters."""
    return _harmless(json.dumps(value, ensure_ascii=False))


def _harmless(text: str) -> str:
    return _ACTING.sub(lambda found: json.dumps(found[0])[1:-1], text)


Path = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def lines_of(text: str) -> dict[Path, int]:
    """Return the line, counted from 1, of each member and item by the names and indexes that lead to it.

    The text has to be valid JSON.
    """
    found: dict[Path, int] = {(): 1}
    path: list[str | int] = []
    kinds: list[str] = []
    awaits_key = awaits_item = False
    line, last = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", last, token.start())
        last = token.start()
        sign = token[0]
        if awaits_item and sign != "]":
            found[tuple(path)] = line
            awaits_item = False
        if sign in "{[":
            kinds.append(sign)
            path.append("" if sign == "{" else 0)
            awaits_key, awaits_item = sign == "{", sign == "["
        elif sign in "}]":
            kinds.pop()
            path.pop()
            awaits_key = awaits_item = False
        elif sign == ",":
            index = path[-1]
            if isinstance(index, int):
                path[-1] = index + 1
                awaits_item = True
            else:
                awaits_key = True
        elif awaits_key:
            path[-1] = json.loads(sign)
            found[tuple(path)] = line
            awaits_key = False
    return found


def line_at(lines: dict[Path, int], steps: Sequence[str | int]) -> int:
    """Return the line of the innermost member on the way; steps that lead nowhere are passed over."""
    path: Path = ()
    for step in steps:
        if (*path, step) in lines:
            path = (*path, step)
    return lines[path]
