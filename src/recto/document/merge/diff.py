"""Differences of two texts: hunks of lines, and the words that differ within lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property

from recto.document.line_edits import Edit, edits, similarity, split_lines
from recto.frozen import frozen

CONTEXT = 3
MOST_WORDS = 5_000  # a side; beyond it two lines count as wholly different
MOST_PAIRING_CELLS = 5 * 10**8  # characters of one side times those of the other
MOST_PAIRS = 10_000
ALIKE = 45.0  # per cent of their characters that two lines share to count as one line, edited

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"


@cache
def _word() -> re.Pattern[str]:
    """Return the pattern of a word, compiled when it is needed: Chinese takes long to compile."""
    return re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|\s+|[^\w\s]")


Marks = tuple[tuple[int, int], ...]
"""Stretches of a line, as (start, end) character offsets, in order."""


class LineKind(StrEnum):
    """What happened to a line."""

    CONTEXT = "context"
    REMOVED = "removed"
    ADDED = "added"


@frozen
class DiffLine:
    """A line of a diff.

    ``marks`` are the words of it that differ from its partner on the other side; empty where the whole line is new or
    gone. ``ended`` is false for a last line without a line end. A ``remark`` is not a line of the text but a note on
    the line before.
    """

    kind: LineKind
    old_number: int | None
    new_number: int | None
    text: str
    marks: Marks = ()
    ended: bool = True
    remark: bool = False


Row = tuple[DiffLine | None, DiffLine | None]
"""The left and the right line of a side-by-side diff."""


@dataclass(frozen=True)
class Hunk:
    """Changed lines with the unchanged ones around them. Lines count from 1.

    Lines and their marks are worked out when they are first asked for.
    """

    _old: Sequence[str]
    _new: Sequence[str]
    _edits: tuple[Edit, ...]
    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The lines side by side: context on both, an edited line beside what it became."""
        return tuple(self._walk())

    @cached_property
    def lines(self) -> tuple[DiffLine, ...]:
        """The lines of a unified diff: in each change the removed lines, then the added lines."""
        lines: list[DiffLine] = []
        added: list[DiffLine] = []
        for left, right in self.rows:
            if left and right and left.kind is LineKind.CONTEXT:
                lines += [*added, right]
                added = []
                continue
            lines += [left] if left else []
            added += [right] if right else []
        return tuple(lines + added)

    @property
    def header(self) -> str:
        """The position of the hunk, as in unified diffs: ``@@ -3,7 +3,8 @@``."""
        old, new = self.old_end - self.old_start, self.new_end - self.new_start
        return f"@@ -{self.old_start + bool(old)},{old} +{self.new_start + bool(new)},{new} @@"

    def _walk(self) -> Iterator[Row]:
        old, new = self.old_start, self.new_start
        for edit in self._edits:
            yield from self._context(old, edit.before_start, new)
            yield from _change(self._old, self._new, edit)
            old, new = edit.before_end, edit.after_end
        yield from self._context(old, self.old_end, new)

    def _context(self, old: int, old_end: int, new: int) -> Iterator[Row]:
        for offset in range(old_end - old):
            text, ended = _bare(self._old[old + offset])
            line = DiffLine(LineKind.CONTEXT, old + offset + 1, new + offset + 1, text, (), ended)
            yield line, line


@dataclass(frozen=True)
class TextDiff:
    """The difference of two texts. ``added`` and ``removed`` count lines."""

    hunks: tuple[Hunk, ...]
    added: int
    removed: int

    def __bool__(self) -> bool:
        return bool(self.hunks)


def diff_lines(before: str, after: str, context: int | None = CONTEXT) -> TextDiff:
    """Compare texts by lines, with ``context`` unchanged lines around each change; ``None``: all in a single hunk."""
    old, new = split_lines(before), split_lines(after)
    script = edits(old, new)
    around = max(len(old), len(new)) if context is None else context
    hunks = tuple(_hunk(old, new, group, around) for group in _groups(script, around))
    added = sum(edit.after_end - edit.after_start for edit in script)
    removed = sum(edit.before_end - edit.before_start for edit in script)
    return TextDiff(hunks, added, removed)


def word_marks(before: str, after: str) -> tuple[Marks, Marks]:
    """Return the stretches of two lines that differ, by words; characters are the words of Chinese and its kin.

    Both are empty where a line has too many words to compare them.
    """
    old, new = _word().findall(before), _word().findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return (), ()
    script = edits(old, new)
    return (
        _spans(old, [(edit.before_start, edit.before_end) for edit in script]),
        _spans(new, [(edit.after_start, edit.after_end) for edit in script]),
    )


def _groups(script: list[Edit], context: int) -> list[list[Edit]]:
    """Group the edits whose context would touch."""
    groups: list[list[Edit]] = []
    for edit in script:
        if groups and edit.before_start - groups[-1][-1].before_end <= 2 * context:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _hunk(old: list[str], new: list[str], group: list[Edit], context: int) -> Hunk:
    first, last = group[0], group[-1]
    above = min(context, first.before_start)
    below = min(context, len(old) - last.before_end)
    return Hunk(
        old,
        new,
        tuple(group),
        first.before_start - above,
        last.before_end + below,
        first.after_start - above,
        last.after_end + below,
    )


def _change(old: Sequence[str], new: Sequence[str], edit: Edit) -> Iterator[Row]:
    """Yield the rows of a change: paired lines with differing words marked, then the rest."""
    removed = [_bare(line) for line in old[edit.before_start : edit.before_end]]
    added = [_bare(line) for line in new[edit.after_start : edit.after_end]]

    def removed_line(index: int, marks: Marks) -> DiffLine:
        text, ended = removed[index]
        return DiffLine(LineKind.REMOVED, edit.before_start + index + 1, None, text, marks, ended)

    def added_line(index: int, marks: Marks) -> DiffLine:
        text, ended = added[index]
        return DiffLine(LineKind.ADDED, None, edit.after_start + index + 1, text, marks, ended)

    left = right = 0
    pairs = _pairs([text for text, _ in removed], [text for text, _ in added])
    for next_left, next_right in [*pairs, (len(removed), len(added))]:
        while left < next_left or right < next_right:
            yield (
                removed_line(left, ()) if left < next_left else None,
                added_line(right, ()) if right < next_right else None,
            )
            left, right = min(left + 1, next_left), min(right + 1, next_right)
        if left < len(removed) and right < len(added):
            old_marks, new_marks = word_marks(removed[left][0], added[right][0])
            yield removed_line(left, old_marks), added_line(right, new_marks)
        left, right = left + 1, right + 1


def _pairs(removed: list[str], added: list[str]) -> list[tuple[int, int]]:
    """Return the pairs of edited lines: the alignment with the greatest total likeness."""
    cells = sum(map(len, removed)) * sum(map(len, added))
    if len(removed) * len(added) > MOST_PAIRS or cells > MOST_PAIRING_CELLS:
        return []
    alike = [[similarity(left, right, ALIKE) for right in added] for left in removed]
    best = [[0.0] * (len(added) + 1) for _ in range(len(removed) + 1)]
    for left in reversed(range(len(removed))):
        for right in reversed(range(len(added))):
            pair = alike[left][right] and alike[left][right] + best[left + 1][right + 1]
            best[left][right] = max(best[left + 1][right], best[left][right + 1], pair)
    pairs: list[tuple[int, int]] = []
    left = right = 0
    while left < len(removed) and right < len(added):
        if alike[left][right] and best[left][right] == alike[left][right] + best[left + 1][right + 1]:
            pairs.append((left, right))
            left, right = left + 1, right + 1
        elif best[left][right] == best[left + 1][right]:
            left += 1
        else:
            right += 1
    return pairs


def _spans(words: list[str], runs: list[tuple[int, int]]) -> Marks:
    """Return the positions of runs of words; runs with only space between them are merged."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    spans: list[tuple[int, int]] = []
    reached = 0
    for start, end in runs:
        if start == end:
            continue
        if spans and not "".join(words[reached:start]).strip():
            spans[-1] = (spans[-1][0], starts[end])
        else:
            spans.append((starts[start], starts[end]))
        reached = end
    return tuple(spans)


def _bare(line: str) -> tuple[str, bool]:
    """Return a line without its end, and whether it had an end."""
    return (line[:-1], True) if line.endswith("\n") else (line, False)
