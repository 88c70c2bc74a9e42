"""Rewriting of pages edited as rich text: unchanged parts keep their Markdown as it was written.

Changes are found between two texts that are written the same way, from the rich text as it was and
as it is now. The change is then made in the page's own text, place by place: its bullets, line breaks, entities and
empty lines stay. The outcome is read again, and where it does not say what it should, less of the old text is kept.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from recto.contract.rich_text import Document
from recto.document.line_edits import edits, split_lines
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.rich_text.fragments import document_nodes
from recto.document.rich_text.markdown_writer import Node, has_same_meaning, is_source_alone, to_markdown, write_fresh
from recto.document.rich_text.rich_pages import page_nodes
from recto.document.text import normalise_line_ends

_WORD = re.compile(r"[^\W_]+|\n|[^\S\n]+|.", re.DOTALL)
# A tag or the target of a link is one word, or words in it would be taken for those of the text beside it. A picture
# has its words in its tag.
_WRITTEN_WORD = re.compile(
    rf"(?<!\\)</?(?!img\b)[A-Za-z][^<>]*>|\]\([^()\n]*\)|\]\[[^\]\n]*\]|{_WORD.pattern}", re.DOTALL
)
_BULLET = re.compile(r"^[ \t>]*([-*+])[ \t]+\S", re.MULTILINE)


def rewrite(text: str, document: Document, shown: Callable[[str], str] = str) -> str:
    """Return a rich text as Markdown, keeping the page's present text where both mean the same.

    ``shown`` returns the text as rich text was made of it, line for line: headings may be given out at another level.
    """
    if not text.strip():
        return to_markdown(document)
    source = normalise_line_ends(text)
    page = parse_page(shown(source))
    nodes = document_nodes(document)
    bullet = _bullet(source)
    before, after = write_fresh(page_nodes(page), bullet), write_fresh(nodes, bullet)
    if before == after:
        return text
    changes = _changes(before, after)
    old = parse_page(before)
    pieces = _pieces(source, page, old)
    starts = _line_starts(before)
    tops = [(starts[block.start], starts[block.end]) for block in old.blocks]
    put_in = any("\n" in after[new:end] for _, _, new, end in changes)
    moved = _find_moved(after, {**_sources(nodes, bullet), **_own_sources(source, page, old)}) if put_in else []
    wanted = _visible_texts(nodes)
    written: list[str] | None = None
    lines = [(start, end - 1) for start, end in pairwise(starts)]
    refused: set[str] = set()  # most attempts repeat an earlier one
    for wider in (changes, _widen(changes, lines), _widen(changes, tops)):
        for late in (False, True):
            attempt = _transplant(source, after, wider, pieces, moved, late=late)
            if attempt in refused:
                continue
            texts = _visible_texts(page_nodes(shown(attempt)))
            if texts != wanted and written is None:  # Markdown may be unable to say all of it
                written = _visible_texts(page_nodes(to_markdown(document)))
            if texts in (wanted, written):
                return attempt if source == text else attempt.replace("\n", "\r\n")
            refused.add(attempt)
    return to_markdown(document)


def _bullet(source: str) -> str:
    found = Counter(_BULLET.findall(source)).most_common(1)
    return found[0][0] if found else "-"


def _visible_texts(nodes: Iterable[Node]) -> list[str]:
    """Return the content of each node, without its key and its source."""
    return [json.dumps(_meaning_of(node), sort_keys=True) for node in nodes]


def _meaning_of(node: Node) -> Any:
    data = {
        name: value for name, value in (node.get("data") or {}).items() if name != "source" or is_source_alone(node)
    }
    fields = {name: node.get(name) for name in ("object", "type", "text") if node.get(name) is not None}
    held = {
        name: [_meaning_of(child) for child in node[name]] for name in ("nodes", "leaves", "marks") if node.get(name)
    }
    return {**fields, **({"data": data} if data else {}), **held}


# Parts that two texts share


class _Change(NamedTuple):
    """``before[start:end]`` became ``after[new_start:new_end]``."""

    start: int
    end: int
    new_start: int
    new_end: int


class _Piece(NamedTuple):
    """A piece of the fresh text and the corresponding piece of the page's own text."""

    start: int
    end: int
    own_start: int
    own_end: int
    same: bool


def _line_starts(text: str) -> list[int]:
    """Return where each line begins, and where the text ends, for lines as pages count them."""
    return [0, *accumulate(len(line) + 1 for line in text.split("\n"))]


def _changes(before: str, after: str, word: re.Pattern[str] = _WORD) -> list[_Change]:
    """Return the edits between two texts: by lines, then by words within those lines."""
    old, new = split_lines(before), split_lines(after)
    old_starts = [0, *accumulate(map(len, old))]
    new_starts = [0, *accumulate(map(len, new))]
    found: list[_Change] = []
    for edit in edits(old, new):
        old_words = word.findall("".join(old[edit.before_start : edit.before_end]))
        new_words = word.findall("".join(new[edit.after_start : edit.after_end]))
        old_places = [*accumulate(map(len, old_words), initial=old_starts[edit.before_start])]
        new_places = [*accumulate(map(len, new_words), initial=new_starts[edit.after_start])]
        for part in edits(old_words, new_words):
            places = old_places[part.before_start], old_places[part.before_end]
            found.append(_Change(*places, new_places[part.after_start], new_places[part.after_end]))
    return found


def _pieces(source: str, page: ParsedPage, fresh: ParsedPage) -> list[_Piece]:
    """Return the fresh text in pieces, none of them empty, with what stands for each in the page's own."""
    own_lines, fresh_lines = _line_starts(source), _line_starts(fresh.source)
    at, own_at = 0, own_lines[page.front_matter.lines]
    pieces: list[_Piece] = []
    for own, new in [*_cuts(page, fresh), (len(own_lines) - 1, len(fresh_lines) - 1)]:
        end, own_end = min(fresh_lines[new], len(fresh.source)), min(own_lines[own], len(source))
        if end < at or own_end < own_at:
            continue
        reached = own_reached = 0
        for change in _changes(fresh.source[at:end], source[own_at:own_end], _WRITTEN_WORD):
            equal = change.start - reached
            ranges = [
                (reached, change.start, own_reached, own_reached + equal),
                (change.start, change.end, change.new_start, change.new_end),
            ]
            pieces += [
                _Piece(at + start, at + stop, own_at + own_start, own_at + own_stop, same)
                for (start, stop, own_start, own_stop), same in zip(ranges, (True, False), strict=True)
                if stop > start
            ]
            reached, own_reached = change.end, change.new_end
        if at + reached < end:
            pieces.append(_Piece(at + reached, end, own_at + own_reached, own_end, True))
        at, own_at = end, own_end
    return pieces


def _cuts(page: ParsedPage, fresh: ParsedPage) -> Iterator[tuple[int, int]]:
    """Yield the line ranges of common blocks, in the page and in the fresh page, in order."""
    blocks, others = list(page.walk()), list(fresh.walk())
    if [block.kind for block in blocks] != [block.kind for block in others]:
        blocks, others = list(page.blocks), list(fresh.blocks)
        if [block.kind for block in blocks] != [block.kind for block in others]:
            return
    pairs = sorted(
        {
            pair
            for block, other in zip(blocks, others, strict=True)
            for pair in ((block.start, other.start), (block.end, other.end))
        }
    )
    reached = 0
    for own, new in pairs:
        if new >= reached:
            reached = new
            yield own, new


# The change, made in the page's own text


class _Moved(NamedTuple):
    """A block of the new fresh text that is written otherwise elsewhere, and how it is written there."""

    start: int
    end: int
    own: str


def _own_sources(source: str, page: ParsedPage, fresh: ParsedPage) -> dict[str, str]:
    """Return how the page's own text writes each of its blocks, by how it is written freshly."""
    if [block.kind for block in page.blocks] != [block.kind for block in fresh.blocks]:
        return {}
    lines = source.split("\n")
    return {
        fresh.source_of(other): "\n".join(lines[block.start : block.end])
        for block, other in zip(page.blocks, fresh.blocks, strict=True)
    }


def _sources(nodes: Iterable[Node], bullet: str) -> dict[str, str]:
    """Return how blocks were written that carry their source, by how they are written freshly."""
    return {
        write_fresh([node], bullet).removesuffix("\n"): str(node["data"]["source"])
        for node in nodes
        if "source" in node["data"] and has_same_meaning(node)
    }


def _find_moved(after: str, known: Mapping[str, str]) -> list[_Moved]:
    """Return the blocks of the new fresh text that are known to be written otherwise."""
    new, starts = parse_page(after), _line_starts(after)
    return [
        _Moved(starts[block.start], starts[block.end] - 1, known[text])
        for block in new.blocks
        if (text := new.source_of(block)) in known
    ]


def _put_in(after: str, change: _Change, moved: Sequence[_Moved]) -> str:
    """Return the inserted text of a change; blocks that the page had elsewhere keep their text."""
    parts: list[str] = []
    reached = change.new_start
    for at in range(bisect_left(moved, (change.new_start,)), len(moved)):
        start, end, own = moved[at]
        if end > change.new_end:
            break
        parts += [after[reached:start], own]
        reached = end
    return "".join([*parts, after[reached : change.new_end]])


def _widen(changes: Sequence[_Change], ranges: Sequence[tuple[int, int]]) -> list[_Change]:
    """Return changes each of which takes in the whole of the lines or blocks, ``ranges``, that it touches."""
    starts, ends = [start for start, _ in ranges], [end for _, end in ranges]
    found: list[_Change] = []
    for change in changes:
        first, last = bisect_right(ends, change.start), bisect_left(starts, change.end) - 1
        sooner = max(0, change.start - starts[first]) if first < len(ranges) else 0
        later = max(0, ends[last] - change.end) if last >= 0 else 0
        found.append(
            _Change(change.start - sooner, change.end + later, change.new_start - sooner, change.new_end + later)
        )
    return _merge_overlapping(found)


def _merge_overlapping(changes: Iterable[_Change]) -> list[_Change]:
    """Return changes of which none reaches into the next: what lies between two of them is the same in both texts."""
    merged: list[_Change] = []
    for change in changes:
        if merged and change.start < merged[-1].end:
            last = merged.pop()
            change = _Change(
                min(last.start, change.start),
                max(last.end, change.end),
                min(last.new_start, change.new_start),
                max(last.new_end, change.new_end),
            )
        merged.append(change)
    return merged


def _transplant(
    source: str,
    after: str,
    changes: Iterable[_Change],
    pieces: Sequence[_Piece],
    moved: Sequence[_Moved],
    *,
    late: bool,
) -> str:
    """Make changes of the fresh text in the page's own text.

    Insertions where the own text has more than the fresh text come before that, or ``late`` after it.
    """
    starts = [piece.start for piece in pieces]
    parts: list[str] = []
    reached = 0
    for change in _merge_overlapping(_whole(change, starts, pieces) for change in changes):
        start, end = _own_places(change, starts, pieces, len(source), late=late)
        start = max(reached, start)
        parts += [source[reached:start], _put_in(after, change, moved)]
        reached = max(start, end)
    return "".join([*parts, source[reached:]])


def _whole(change: _Change, starts: Sequence[int], pieces: Sequence[_Piece]) -> _Change:
    """Return a change that takes in the whole of the pieces which it touches and which are written otherwise."""
    first, last = bisect_right(starts, change.start) - 1, bisect_left(starts, change.end) - 1
    if change.start == change.end:
        last = first
    sooner = later = 0
    if first >= 0 and not pieces[first].same and change.start < pieces[first].end:
        sooner = change.start - pieces[first].start
    if last >= 0 and not pieces[last].same and (change.end > change.start or sooner):
        later = max(0, pieces[last].end - change.end)
    return _Change(change.start - sooner, change.end + later, change.new_start - sooner, change.new_end + later)


def _own_places(
    change: _Change, starts: Sequence[int], pieces: Sequence[_Piece], size: int, *, late: bool
) -> tuple[int, int]:
    """Return the range of the page's own text that a change replaces."""
    if not pieces:
        return size, size
    first, last = bisect_right(starts, change.start) - 1, bisect_left(starts, change.end) - 1
    piece = pieces[first]
    if change.start == change.end:
        if piece.start < change.start < piece.end:
            place = piece.own_start + change.start - piece.start
        elif change.start >= piece.end:
            place = size if late else piece.own_end
        else:
            place = piece.own_start if late or not first else pieces[first - 1].own_end
        return place, place
    start = piece.own_start + (change.start - piece.start if piece.same else 0)
    piece = pieces[last]
    return start, piece.own_start + change.end - piece.start if piece.same else piece.own_end
