"""Lines of texts, and the shortest edit script between two lists."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from types import ModuleType
from typing import NamedTuple

# ``Indel.opcodes`` takes about n*m/8 bytes and n*m/64 steps, and holds the GIL: larger lists are parted first.
MOST_CELLS = 5 * 10**7
_MOST_ROUNDS = 8
"""How often a stretch is parted at items that it holds once, before it is parted in the middle."""


class Edit(NamedTuple):
    """``before[before_start:before_end]`` became ``after[after_start:after_end]``; one of the two may be empty."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int


def split_lines(text: str) -> list[str]:
    """Return the lines of a text with their ``\\n``, which the last line may lack; joined they are the text."""
    *lines, rest = text.split("\n")
    ended = [line + "\n" for line in lines]
    return [*ended, rest] if rest else ended


def edits(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Edit]:
    """Return what must change for ``before`` to become ``after``: as few items as possible, in order, never touching.

    A run that could stand in several places (one of two equal neighbours was added) stands as late as it can. Very
    long lists may give a longer script than the shortest, in time that grows with their length.
    """
    start, before_end, after_end = _trim(before, after)
    if start in (before_end, after_end):
        return [Edit(start, before_end, start, after_end)] if before_end != after_end else []
    numbers: dict[Hashable, int] = {}
    old = [numbers.setdefault(item, len(numbers)) for item in before[start:before_end]]
    new = [numbers.setdefault(item, len(numbers)) for item in after[start:after_end]]
    found = [
        Edit(edit.before_start + start, edit.before_end + start, edit.after_start + start, edit.after_end + start)
        for edit in _script(old, new)
    ]
    return _slide_down(found, before, after)


def line_after(before: str, after: str, line: int) -> int:
    """Return the line, counted from 0, that a line of a text has become in another; in an edited part by its place."""
    shift = 0
    for edit in edits(split_lines(before), split_lines(after)) if before != after else ():
        if line < edit.before_start:
            break
        if line < edit.before_end:
            return max(edit.after_start, min(edit.after_end - 1, edit.after_start + line - edit.before_start))
        shift = edit.after_end - edit.before_end
    return line + shift


def _trim(before: Sequence[Hashable], after: Sequence[Hashable]) -> tuple[int, int, int]:
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
    opcodes = _indel().opcodes
    script: list[Edit] = []
    for before, after in _comparable(old, new):
        for part in opcodes(old[before.start : before.stop], new[after.start : after.stop]):
            if part.tag != "equal":
                olds, news = before[part.src_start : part.src_end], after[part.dest_start : part.dest_end]
                _append(script, Edit(olds.start, olds.stop, news.start, news.stop))
    return script


def similarity(one: str, other: str, least: float) -> float:
    """Return per cent of their characters that two texts share, in order; 0 where that is less than ``least``."""
    score: float = _indel().normalized_similarity(one, other, score_cutoff=least / 100) * 100
    return score


@cache
def _indel() -> ModuleType:
    """Import rapidfuzz, which a start on a page does without."""
    from rapidfuzz.distance import Indel

    return Indel


def _comparable(old: list[int], new: list[int]) -> Iterator[tuple[range, range]]:
    """Part two lists into stretches that are small enough to compare, in order; what lies between them is equal.

    They are parted at items that both hold once, in the same order (as patience diff does), else in the middle.
    """
    ahead = [(range(len(old)), range(len(new)), _MOST_ROUNDS)]
    while ahead:
        before, after, rounds = ahead.pop()
        if min(len(before), len(after)) <= 1 or len(before) * len(after) <= MOST_CELLS:
            yield before, after
            continue
        shared = _unique_matches(old, new, before, after) if rounds else []
        if not shared:
            middle, other = len(before) // 2, len(after) // 2
            ahead += [(before[middle:], after[other:], 0), (before[:middle], after[:other], 0)]
            continue
        parts = []
        for place, other in [*shared, (before.stop, after.stop)]:
            if (before.start, after.start) != (place, other):  # else nothing stands before the shared item
                parts.append((range(before.start, place), range(after.start, other), rounds - 1))
            before, after = range(place + 1, before.stop), range(other + 1, after.stop)
        ahead += reversed(parts)


def _unique_matches(old: list[int], new: list[int], before: range, after: range) -> list[tuple[int, int]]:
    """Return where items stand that both stretches hold once: the most that are in the same order in both."""
    often = Counter(old[before.start : before.stop])
    others = Counter(new[after.start : after.stop])
    places = {new[place]: place for place in after if others[new[place]] == 1 and often[new[place]] == 1}
    ends: list[int] = []  # the earliest place in the new list at which an increasing run of each length ends
    tails: list[tuple[int, int]] = []
    previous: dict[tuple[int, int], tuple[int, int] | None] = {}
    for place in before:
        other = places.get(old[place])
        if other is None:
            continue
        length = bisect_left(ends, other)
        ends[length : length + 1] = [other]
        tails[length : length + 1] = [(place, other)]
        previous[place, other] = tails[length - 1] if length else None
    run: list[tuple[int, int]] = []
    last = tails[-1] if tails else None
    while last is not None:
        run.append(last)
        last = previous[last]
    return run[::-1]


def _append(script: list[Edit], edit: Edit) -> None:
    """Add an edit to a script, merged with the last edit where they touch."""
    if script and script[-1].before_end == edit.before_start and script[-1].after_end == edit.after_start:
        last = script.pop()
        edit = Edit(last.before_start, edit.before_end, last.after_start, edit.after_end)
    script.append(edit)


def _slide_down(script: list[Edit], before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Edit]:
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
