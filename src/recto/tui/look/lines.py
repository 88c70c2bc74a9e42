"""Lines of text in roles, measured in terminal cells: cut, wrapped, and laid beside each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, get_character_cell_size

from recto.pattern import pattern

Span = tuple[str, str]
"""A piece of text and its role, ``""`` for plain text."""

Line = Sequence[Span]
"""One line on the screen."""

ELLIPSIS = "…"

# Control characters could drive the terminal; direction marks, joiners, variation selectors and skin tones are counted
# differently by terminals, and a row that is a cell longer than believed breaks the whole screen. The last one stands
# for a part of a picture in some terminals.
_UNSAFE = pattern(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff\U0010eeee]"
)


def plain(text: str) -> str:
    """Return the text without characters that act on a terminal, or whose width differs between terminals."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub("", text.replace("\t", "    ").replace("\r\n", " ").replace("\n", " "))


def width_of(line: Line) -> int:
    """Return the cells that a line takes."""
    return sum(cell_len(text) for text, _role in line)


def fit(line: Line, width: int) -> list[Span]:
    """Cut a line to a width in cells, with an ellipsis where something is cut."""
    if width <= 0:
        return []
    if width_of(line) <= width:
        return list(line)
    fitted: list[Span] = []
    left = width - 1
    role = ""
    for text, role in line:
        taken = head(text, left)
        if taken:
            fitted.append((taken, role))
        left -= cell_len(taken)
        if len(taken) < len(text):
            break
    return [*fitted, (ELLIPSIS, role)]


def room_beside(left: Line, right: Line, width: int) -> int:
    """Return the cells that ``left`` has in a line with ``right`` at its edge; all where that has to go."""
    room = width - width_of(right) - 1
    return width if not right or room < min(width_of(left), max(8, width // 3)) else room


def beside(left: Line, right: Line, width: int) -> list[Span]:
    """Lay ``right`` at the right edge and ``left`` before it, cut to fit; without room for both, ``right`` goes."""
    room = room_beside(left, right, width)
    first = fit(left, room)
    if room == width:
        return first
    return [*first, (" " * (width - width_of(first) - width_of(right)), ""), *right]


def head(text: str, width: int) -> str:
    """Return the longest beginning of a text that takes at most ``width`` cells."""
    if text.isascii():
        return text[: max(0, width)]
    taken = 0
    for index, character in enumerate(text):
        taken += get_character_cell_size(character)
        if taken > width:
            return text[:index]
    return text


def wrap(line: Line, width: int, indent: int = 0) -> list[list[Span]]:
    """Break a line at spaces into lines of at most ``width`` cells; later ones are indented.

    A word longer than a line is broken behind a joint such as ``/``, else where the line ends, and text without spaces
    (Chinese, Japanese) anywhere.
    """
    width = max(width, indent + 2, 2)
    if width_of(line) <= width:
        return [list(line)]
    lines: list[list[Span]] = [[]]
    room = width
    for parts in _whole_words(line):
        whole = "".join(part for part, _ in parts)
        if cell_len(whole) > room and cell_len(whole.rstrip()) > room and lines[-1] and room < width - indent:
            lines.append([(" " * indent, "")] if indent else [])
            room = width - indent
            if not whole.strip():
                continue
        for word, role in parts:
            while cell_len(word.rstrip()) > room:
                if part := _up_to_joint(head(word, room)):
                    lines[-1].append((part, role))
                word = word[len(part) :]
                lines.append([(" " * indent, "")] if indent else [])
                room = width - indent
            word = head(word, room)
            if word:
                lines[-1].append((word, role))
            room -= min(room, cell_len(word))
    return lines


def _whole_words(line: Line) -> Iterator[list[Span]]:
    """Yield the words of a line, each in its spans: a role may end within a word."""
    parts: list[Span] = []
    for word, role in _words(line):
        if parts and not _holds_on(parts[-1][0][-1:], word[:1]):
            yield parts
            parts = []
        parts.append((word, role))
    if parts:
        yield parts


def _holds_on(end: str, start: str) -> bool:
    """Whether a line is not broken between two characters."""
    if end.isspace() or start.isspace():
        return False
    return (end + start).isascii() or _EASTERN.search(end + start) is None


_JOINT = pattern(r".*[/_.:=&?-]")


def _up_to_joint(part: str) -> str:
    """Return the part before the last joint of a piece of a word, unless that is less than half of it."""
    joint = _JOINT.match(part)
    return joint[0] if joint is not None and 2 * len(joint[0]) >= len(part) else part


_EAST = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_WORD = pattern(r"\S*\s*")
_EASTERN = pattern(f"[{_EAST}]")
_WORD_OF_ANY_SCRIPT = pattern(rf"[{_EAST}]|[^\s{_EAST}]*\s*")


def _words(line: Line) -> Iterable[Span]:
    for text, role in line:
        for found in (_WORD if text.isascii() else _WORD_OF_ANY_SCRIPT).finditer(text):
            if found[0]:
                yield found[0], role


def mark(line: Line, needle: str) -> list[Span]:
    """Mark each place where ``needle`` stands in the line as found, whatever its case; only within a single piece."""
    if not needle:
        return list(line)
    marked: list[Span] = []
    wanted = re.compile(re.escape(needle), re.IGNORECASE)
    for text, own in line:
        start = 0
        for found in wanted.finditer(text):
            marked += [(text[start : found.start()], own), (found[0], f"{own} found".strip())]
            start = found.end()
        marked.append((text[start:], own))
    return [span for span in marked if span[0]]
