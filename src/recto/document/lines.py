"""Lines of a text and the shortest way from one list of lines to another."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

# ``Indel.opcodes`` takes about n*m/8 bytes; beyond this a slightly longer script in linear memory will do.
MOST_CELLS = 10**9


class Edit(NamedTuple):
    """``before[before_start:before_end]`` became ``after[after_start:after_end]``; one of the two may be empty."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int


def split_lines(text: str) -> list[str]:
    """Return the lines of a text with their ``\\n``, which the last one may lack; joined they are the text again."""
    *lines, rest = text.split("\n")
    ended = [line + "\n" for line in lines]
    return [*ended, rest] if rest else ended


def edits(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Edit]:
    """Return what must change for ``before`` to become ``after``: as few items as possible, in order, never touching.

    A run that could stand in several places (one of two equal neighbours was added) stands as late as it can.
    """
    start, before_end, after_end = _trimmed(before, after)
    if start in (before_end, after_end):
        return [Edit(start, before_end, start, after_end)] if before_end != after_end else []
    numbers: dict[Hashable, int] = {}
    old = [numbers.setdefault(item, len(numbers)) for item in before[start:before_end]]
    new = [numbers.setdefault(item, len(numbers)) for item in after[start:after_end]]
    found = [
        Edit(edit.before_start + start, edit.before_end + start, edit.after_start + start, edit.after_end + start)
        for edit in _script(old, new)
    ]
    return _settled_late(found, before, after)


def _trimmed(before: Sequence[Hashable], after: Sequence[Hashable]) -> tuple[int, int, int]:
    """Return where both lists begin to differ, and where the part after which they are equal begins in each."""
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    before_end, after_end = len(before), len(after)
    while before_end > start and after_end > start and before[before_end - 1] == after[after_end - 1]:
        before_end -= 1
        after_end -= 1
    return start, before_end, after_end


def _script(old: list[int], new: list[int]) -> list[Edit]:
    from rapidfuzz.distance import Indel, Levenshtein

    distance = Indel if len(old) * len(new) <= MOST_CELLS else Levenshtein
    script: list[Edit] = []
    for tag, before_start, before_end, after_start, after_end in distance.opcodes(old, new):
        if tag != "equal":
            _append(script, Edit(before_start, before_end, after_start, after_end))
    return script


def _append(script: list[Edit], edit: Edit) -> None:
    """Add an edit to a script, joined with the last one where nothing lies between them."""
    if script and script[-1].before_end == edit.before_start and script[-1].after_end == edit.after_start:
        last = script.pop()
        edit = Edit(last.before_start, edit.before_end, last.after_start, edit.after_end)
    script.append(edit)


def _settled_late(script: list[Edit], before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Edit]:
    """Slide each pure insertion and deletion down as far as equal lines allow, as Git does."""
    settled: list[Edit] = []
    ahead = list(reversed(script))
    while ahead:
        edit = ahead.pop()
        before_start, before_end, after_start, after_end = edit
        limit = ahead[-1].before_start if ahead else len(before)
        if before_start == before_end:
            while before_end < limit and after[after_start] == after[after_end]:
                before_start = before_end = before_end + 1
                after_start, after_end = after_start + 1, after_end + 1
        elif after_start == after_end:
            while before_end < limit and before[before_start] == before[before_end]:
                before_start, before_end = before_start + 1, before_end + 1
                after_start = after_end = after_end + 1
        edit = Edit(before_start, before_end, after_start, after_end)
        if ahead and ahead[-1].before_start == before_end and ahead[-1].after_start == after_end:
            following = ahead.pop()
            ahead.append(Edit(before_start, following.before_end, after_start, following.after_end))
        else:
            settled.append(edit)
    return settled
