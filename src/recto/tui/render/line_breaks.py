"""Where a text breaks into lines of a width in cells, as offsets into the text."""

from __future__ import annotations

import re
from functools import cache

from rich.cells import cell_len, get_character_cell_size

Span = tuple[int, int]
"""Offsets of a piece of text: where it begins and where it ends."""

# Characters that certainly take a single cell; a text of nothing else is measured by its length.
_NARROW = re.compile("[\x20-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u257f]*")
_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\U00020000-\U0003fffd"
)
# Characters that may not begin, or may not end, a line (JIS X 4051 and its Chinese counterparts, the common part).
_CLOSING = frozenset(
    "、。，．：；！？）］｝〉》」』】〕〗％‰ー々ゝゞぁぃぅぇぉっゃゅょァィゥェォッャュョ…—,.:;!?)]}%'\"”’"
)
_OPENING = frozenset("（［｛〈《「『【〔〖([{“‘＄￥$")
# A word longer than a line breaks behind one of these rather than anywhere.
_JOINTS = "/-_.,:;=&?"
# Large ranges take long to compile, so that is done for the first text that may hold such characters.
_WIDE_CHARACTER = cache(lambda: re.compile(f"[{_WIDE}]"))
_WORD = re.compile(r"\S+")
_WORD_BETWEEN_WIDE = cache(lambda: re.compile(rf"[^\s{_WIDE}]+"))
_PIECE = re.compile(rf"[^\s{re.escape(_JOINTS)}]*[{re.escape(_JOINTS)}]?")
_PIECE_BETWEEN_WIDE = cache(lambda: re.compile(rf"[^\s{re.escape(_JOINTS)}{_WIDE}]*[{re.escape(_JOINTS)}]?"))
_LONGEST_WORD = 24
_WIDE_WORD = 8
"""Cells of a column in which a script without spaces still reads well."""


def narrow(text: str) -> bool:
    """Whether each character takes a single cell, so that offsets are cells."""
    return text.isascii() or _NARROW.fullmatch(text) is not None


def is_wide(character: str) -> bool:
    """Whether a character is of a script that is written without spaces between words."""
    return not character.isascii() and _WIDE_CHARACTER().match(character) is not None


def cells(text: str) -> int:
    """Return the cells a text takes: never less than the sum of its characters', which is how lines are cut."""
    if narrow(text):
        return len(text)
    return max(cell_len(text), sum(map(get_character_cell_size, text)))


def break_lines(text: str, width: int) -> list[Span]:
    """Break a text at its line ends and at spaces into pieces of at most ``width`` cells (2 at the least).

    A word longer than a line is broken behind a joint such as ``/``, else where the line ends. Chinese, Japanese and
    Korean break anywhere except before closing and after opening signs. Spaces at a break belong to no piece.
    """
    width = max(2, width)
    pieces: list[Span] = []
    start = 0
    while True:
        end = text.find("\n", start)
        stop = len(text) if end < 0 else end
        if narrow(text[start:stop]):
            _break_narrow(text, start, stop, width, pieces)
        else:
            _break_wide(text, start, stop, width, pieces)
        if end < 0:
            return pieces
        start = end + 1


def _break_narrow(text: str, start: int, stop: int, width: int, pieces: list[Span]) -> None:
    while stop - start > width:
        limit = start + width
        space = text.rfind(" ", start, limit + 1)
        if space > start and (end := _end_of_word(text, start, space)) > start:
            pieces.append((start, end))
            start = _next_word(text, space, stop)
            if start == stop:
                return
        else:
            cut = _joint(text, start, limit)
            pieces.append((start, cut))
            start = cut
    pieces.append((start, stop))


def _break_wide(text: str, start: int, stop: int, width: int, pieces: list[Span]) -> None:
    sizes = [get_character_cell_size(character) for character in text[start:stop]]
    first = start
    begin = start
    taken = 0
    place = -1  # the last place on this line at which a break looks right
    index = start
    while index < stop:
        size = sizes[index - first]
        if taken + size > width and text[index] != " " and index > begin:
            cut = place if place > begin else _joint(text, begin, index)
            end = _end_of_word(text, begin, cut)
            pieces.append((begin, end if end > begin else cut))
            begin = index = _next_word(text, cut, stop)
            taken, place = 0, -1
            continue
        taken += size
        index += 1
        if index < stop and _may_break(text[index - 1], text[index]):
            place = index
    pieces.append((begin, _end_of_word(text, begin, stop) if taken > width else stop))


def _may_break(before: str, after: str) -> bool:
    if before == " ":
        return after != " "
    if not (is_wide(before) or is_wide(after)):
        return False
    return after not in _CLOSING and before not in _OPENING and after != " "


def _end_of_word(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] == " ":
        end -= 1
    return end


def _next_word(text: str, start: int, stop: int) -> int:
    while start < stop and text[start] == " ":
        start += 1
    return start


def longest_unbroken(text: str) -> tuple[int, int]:
    """Return the cells that the longest word of a text takes, and those of the longest piece between its joints.

    A word longer than the widest column is broken anyway, and counts as that width.
    """
    plain = text.isascii()
    wide = _WIDE_WORD if not plain and _WIDE_CHARACTER().search(text) else 0
    word = max(map(len, (_WORD if plain else _WORD_BETWEEN_WIDE()).findall(text)), default=0)
    piece = max(map(len, (_PIECE if plain else _PIECE_BETWEEN_WIDE()).findall(text)), default=0)
    return max(wide, min(word, _LONGEST_WORD)), max(wide, min(piece, _LONGEST_WORD))


def _joint(text: str, start: int, limit: int) -> int:
    half = start + (limit - start) // 2
    for cut in range(limit, start, -1):
        # In the first half of the line only where what follows fits on the next: a ragged line is worse than a cut.
        if text[cut - 1] in _JOINTS and (cut > half or _fits(text, cut, limit - start)):
            return cut
    return max(limit, start + 1)


def _fits(text: str, start: int, room: int) -> bool:
    """Whether the piece that begins here ends within so many characters."""
    piece = (_PIECE if text.isascii() else _PIECE_BETWEEN_WIDE()).match(text, start, start + room + 1)
    return piece is not None and len(piece[0]) <= room
