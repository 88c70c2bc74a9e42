"""Three-way merge of texts by lines, and the conflicts that it leaves, with or without Git's markers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise

from recto.document.line_edits import Edit, edits, split_lines
from recto.frozen import frozen, record
from recto.pattern import pattern

OURS_MARK, BASE_MARK, MIDDLE_MARK, THEIRS_MARK = "<<<<<<<", "|||||||", "=======", ">>>>>>>"

# Conflicts with no more lines than this between them are one conflict, as for ``git merge-file``.
NEAR = 3

_LARGE = 1_000_000
"""Characters from which on what all three texts begin and end with is left out before they are split into lines."""
_STEP = 1 << 16
"""Characters that are compared at once, at first."""
_MOST_LINES = 900_000
"""Lines of three texts together that are merged: a list of them takes several times as much as the texts."""


class Side(StrEnum):
    """The side that resolves a conflict."""

    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"
    BASE = "base"


@frozen
class ConflictHunk:
    """A part of a text that both sides changed, in three versions; each line with its end."""

    base: str
    ours: str
    theirs: str

    def take(self, side: Side, *, is_block: bool = False) -> str:
        """Return the text that resolves the conflict in favour of a side; both means ours, then theirs.

        Where the sides are whole blocks (``is_block``), an empty line keeps a paragraph from running into the other.
        """
        if side is Side.BOTH:
            ours = _end_line(self.ours)
            return ours + ("\n" if is_block and _would_run_on(ours, self.theirs) else "") + self.theirs
        return {Side.OURS: self.ours, Side.THEIRS: self.theirs, Side.BASE: self.base}[side]


Region = str | ConflictHunk
"""A part of a merged text: lines that are decided, or a conflict."""


@frozen
class MergedText:
    """A text in which some parts may still be in conflict."""

    regions: tuple[Region, ...]
    ours_label: str = "ours"
    theirs_label: str = "theirs"

    @property
    def conflicts(self) -> tuple[ConflictHunk, ...]:
        """The open conflicts, in order."""
        return tuple(region for region in self.regions if isinstance(region, ConflictHunk))

    @property
    def are_blocks(self) -> tuple[bool, ...]:
        """For each open conflict, whether its sides are whole blocks, with empty lines around them."""
        return tuple(self._is_block(place) for place in self._open_places)

    @property
    def _open_places(self) -> list[int]:
        return [index for index, region in enumerate(self.regions) if isinstance(region, ConflictHunk)]

    def _is_block(self, place: int) -> bool:
        before, after = self.regions[:place][-1:], self.regions[place + 1 : place + 2]
        return all(isinstance(each, str) and not _last_line(each).strip() for each in before) and all(
            isinstance(each, str) and not _first_line(each).strip() for each in after
        )

    @property
    def clean(self) -> bool:
        """Whether everything is decided."""
        return not any(isinstance(region, ConflictHunk) for region in self.regions)

    @property
    def text(self) -> str:
        """The text, with open conflicts between Git's conflict markers."""
        return "".join(region if isinstance(region, str) else self._mark_conflict(region) for region in self.regions)

    def resolve(self, conflict: int, choice: Side | str) -> MergedText:
        """Return the text with a conflict (counted from 0 in ``conflicts``) resolved by a side or by a text."""
        place = self._open_places[conflict]
        hunk = self.regions[place]
        assert isinstance(hunk, ConflictHunk)
        text = hunk.take(choice, is_block=self._is_block(place)) if isinstance(choice, Side) else choice
        if place + 1 < len(self.regions):
            text = _end_line(text)
        return replace(self, regions=_join([*self.regions[:place], text, *self.regions[place + 1 :]]))

    def _mark_conflict(self, hunk: ConflictHunk) -> str:
        end = "\r\n" if all(side.endswith("\r\n") for side in (hunk.ours, hunk.theirs)) else "\n"
        return (f"{OURS_MARK} {self.ours_label}".rstrip() + end + _end_line(hunk.ours) + MIDDLE_MARK + end) + (
            _end_line(hunk.theirs) + f"{THEIRS_MARK} {self.theirs_label}".rstrip() + end
        )


def merge_text(
    base: str, ours: str, theirs: str, *, ours_label: str = "ours", theirs_label: str = "theirs"
) -> MergedText:
    """Merge what ``ours`` and ``theirs`` made of ``base``, by lines, as ``git merge-file`` does.

    Lines that a single side changed are taken from it, and equal changes of both once; other changes of both that
    overlap or touch are a conflict. Where very many lines lie between the first and the last change, all of them are a
    single conflict.
    """
    undisputed = _merge_undisputed(base, ours, theirs)
    regions = _merge_disputed(base, ours, theirs) if undisputed is None else [undisputed]
    return MergedText(_join(regions), ours_label, theirs_label)


def find_conflicts(text: str) -> MergedText:
    """Read a text with Git's conflict markers back into its regions; markers without a counterpart are text."""
    regions: list[Region] = []
    labels = ("ours", "theirs")
    lines = split_lines(text)
    index = 0
    while index < len(lines):
        read = _read_conflict(lines, index) if lines[index].startswith(OURS_MARK) else None
        if read is None:
            regions.append(lines[index])
            index += 1
            continue
        hunk, after = read
        if not any(isinstance(region, ConflictHunk) for region in regions):
            labels = (_label(lines[index]), _label(lines[after - 1]))
        regions.append(hunk)
        index = after
    return MergedText(_join(regions), *labels)


def _merge_undisputed(base: str, ours: str, theirs: str) -> str | None:
    if ours == theirs or base == theirs:
        return ours
    return theirs if base == ours else None


def _merge_disputed(base: str, ours: str, theirs: str) -> Iterator[Region]:
    if max(len(base), len(ours), len(theirs)) <= _LARGE:
        yield from _regions(_Sides(split_lines(base), split_lines(ours), split_lines(theirs)))
        return
    # Where what all three end with is left out, a change may stand before an equal line and not after it.
    start = _shared_start(base, ours, theirs)
    end = _shared_end(base[start:], ours[start:], theirs[start:])
    parts = [text[start : len(text) - end] for text in (base, ours, theirs)]
    yield base[:start]
    if sum(part.count("\n") for part in parts) <= _MOST_LINES:
        yield from _regions(_Sides(*map(split_lines, parts)))
    else:
        undisputed = _merge_undisputed(*parts)
        yield ConflictHunk(*parts) if undisputed is None else undisputed
    yield base[len(base) - end :]


def _shared_start(*texts: str) -> int:
    """Return how many characters all texts begin with, in whole lines."""
    shortest, at, step = min(map(len, texts)), 0, _STEP
    while step:
        if at < shortest and len({text[at : at + step] for text in texts}) == 1:
            at += step
        else:
            step //= 2
    return texts[0].rfind("\n", 0, min(at, shortest)) + 1


def _shared_end(*texts: str) -> int:
    """Return how many characters all texts end with, in whole lines."""
    turned = [text[::-1] for text in texts]
    shared = _shared_start(*turned)  # the end of the line before is the first that they share
    return max(0, shared - 1)


@frozen
class _Sides:
    base: list[str]
    ours: list[str]
    theirs: list[str]


@record
class _Span:
    """A changed range of the three texts: a conflict, or taken from a side."""

    disputed: bool
    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]
    from_ours: bool = True


def _regions(sides: _Sides) -> Iterator[Region]:
    our_edits = edits(sides.base, sides.ours)
    spans = _spans(our_edits, edits(sides.base, sides.theirs), sides)
    spans = [part for span in spans for part in (_refine(span, sides, our_edits) if span.disputed else [span])]
    shown = 0  # what of ours is already given out; between spans ours is what all agree on
    for span in _join_near(spans, sides):
        yield "".join(sides.ours[shown : span.ours[0]])
        if span.disputed:
            yield ConflictHunk(
                "".join(sides.base[slice(*span.base)]),
                "".join(sides.ours[slice(*span.ours)]),
                "".join(sides.theirs[slice(*span.theirs)]),
            )
        elif span.from_ours:
            yield "".join(sides.ours[slice(*span.ours)])
        else:
            yield "".join(sides.theirs[slice(*span.theirs)])
        shown = span.ours[1]
    yield "".join(sides.ours[shown:])


def _spans(ours: list[Edit], theirs: list[Edit], sides: _Sides) -> list[_Span]:
    """Group the edits of both sides: those that overlap or touch in the base share a span."""
    spans: list[_Span] = []
    our_shift = their_shift = 0  # how far a line of the base has moved in each text, past the edits so far
    i = j = 0
    while i < len(ours) or j < len(theirs):
        first_ours, first_theirs = i, j
        begin = min(edit.before_start for edit in [*ours[i : i + 1], *theirs[j : j + 1]])
        end = begin
        while True:
            if i < len(ours) and ours[i].before_start <= end:
                end = max(end, ours[i].before_end)
                i += 1
            elif j < len(theirs) and theirs[j].before_start <= end:
                end = max(end, theirs[j].before_end)
                j += 1
            else:
                break
        our_start, their_start = begin + our_shift, begin + their_shift
        our_shift = ours[i - 1].after_end - ours[i - 1].before_end if i else 0
        their_shift = theirs[j - 1].after_end - theirs[j - 1].before_end if j else 0
        span = _Span(
            disputed=i > first_ours and j > first_theirs,
            base=(begin, end),
            ours=(our_start, end + our_shift),
            theirs=(their_start, end + their_shift),
            from_ours=i > first_ours,
        )
        if sides.ours[slice(*span.ours)] == sides.theirs[slice(*span.theirs)]:
            if ours[first_ours:i] == theirs[first_theirs:j]:
                continue  # the very same change on both sides counts once
            span.disputed = False
        spans.append(span)
    return spans


def _refine(span: _Span, sides: _Sides, our_edits: list[Edit]) -> list[_Span]:
    """Split a conflict at the lines that both sides agree on."""
    (our_start, our_end), (their_start, their_end) = span.ours, span.theirs
    if our_start == our_end or their_start == their_end:
        return [span]
    parts = [
        (
            our_start + edit.before_start,
            our_start + edit.before_end,
            their_start + edit.after_start,
            their_start + edit.after_end,
        )
        for edit in edits(sides.ours[our_start:our_end], sides.theirs[their_start:their_end])
    ]
    cuts = [span.base[0]]
    for (_, left, _, _), (right, _, _, _) in pairwise(parts):
        cuts.append(_base_place((left + right) // 2, our_edits, span.base))
    cuts.append(span.base[1])
    return [_Span(True, (cuts[index], cuts[index + 1]), (a, b), (c, d)) for index, (a, b, c, d) in enumerate(parts)]


def _base_place(line: int, our_edits: Sequence[Edit], within: tuple[int, int]) -> int:
    """Return where in the base a line of ours belongs; inside an edit, as far in as it is in ours."""
    before = bisect_right(our_edits, line, key=lambda edit: edit.after_start)
    place = line
    if before:
        edit = our_edits[before - 1]
        inside = line < edit.after_end
        place = (
            min(edit.before_start + line - edit.after_start, edit.before_end)
            if inside
            else (line - edit.after_end + edit.before_end)
        )
    return min(max(place, within[0]), within[1])


def _join_near(spans: list[_Span], sides: _Sides) -> list[_Span]:
    """Join conflicts between which little lies: few lines, or none with a letter or digit."""
    joined: list[_Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last and last.disputed and span.disputed:
            between = sides.ours[last.ours[1] : span.ours[0]]
            if len(between) <= NEAR or not any(character.isalnum() for line in between for character in line):
                last.base = (last.base[0], span.base[1])
                last.ours = (last.ours[0], span.ours[1])
                last.theirs = (last.theirs[0], span.theirs[1])
                continue
        joined.append(span)
    return joined


def _join(regions: Sequence[Region] | Iterator[Region]) -> tuple[Region, ...]:
    """Return the regions, with resolved neighbours merged and empty regions left out."""
    joined: list[Region] = []
    run: list[str] = []
    for region in [*regions, None]:
        if isinstance(region, str):
            run.append(region)
            continue
        if text := "".join(run):
            joined.append(text)
        run = []
        if region is not None:
            joined.append(region)
    return tuple(joined)


def _end_line(text: str) -> str:
    return text + "\n" if text and not text.endswith("\n") else text


_NOT_PROSE = pattern(r"[ \t]{2}|\t| ?(?:[-*+][ \t]|\d{1,9}[.)][ \t]|[>|#<]|```|~~~|\{%)")


def _would_run_on(above: str, below: str) -> bool:
    """Whether a paragraph would run into what stands above or below it."""
    last, first = _last_line(above), _first_line(below)
    if not last.strip() or not first.strip():
        return False
    return _NOT_PROSE.match(last) is None or _NOT_PROSE.match(first) is None


def _first_line(text: str) -> str:
    return text[: text.find("\n") + 1 or None]


def _last_line(text: str) -> str:
    return text[text.rfind("\n", 0, -1) + 1 :]


def _is_mark(line: str, mark: str) -> bool:
    bare = line.rstrip("\r\n")
    return bare == mark or bare.startswith(mark + " ")


def _label(line: str) -> str:
    return line.rstrip("\r\n")[len(OURS_MARK) :].strip()


def _read_conflict(lines: list[str], start: int) -> tuple[ConflictHunk, int] | None:
    """Read the conflict whose first marker stands in line ``start``; also return the line after it."""
    if not _is_mark(lines[start], OURS_MARK):
        return None
    expected = [BASE_MARK, MIDDLE_MARK, THEIRS_MARK]
    parts: dict[str, list[str]] = {OURS_MARK: []}
    current = parts[OURS_MARK]
    for index in range(start + 1, len(lines)):
        line = lines[index]
        if _is_mark(line, OURS_MARK):
            return None
        mark = next((mark for mark in expected if _is_mark(line, mark)), None)
        if mark is None or (mark == THEIRS_MARK and MIDDLE_MARK not in parts):
            current.append(line)
        elif mark == THEIRS_MARK:
            texts = {name: "".join(part) for name, part in parts.items()}
            hunk = ConflictHunk(texts.get(BASE_MARK, ""), texts[OURS_MARK], texts[MIDDLE_MARK])
            return hunk, index + 1
        else:
            expected = expected[expected.index(mark) + 1 :]
            current = parts[mark] = []
    return None
