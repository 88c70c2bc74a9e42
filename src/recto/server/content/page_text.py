"""A page's Markdown as stored (the text alone) and as returned (under its title as a heading)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, NamedTuple

from recto.contract.rich_text import OtherNode
from recto.document.line_edits import Edit, edits, split_lines
from recto.document.markdown.blocks import Block, BlockKind
from recto.document.markdown.front_matter import FrontMatter
from recto.document.markdown.html_tags import without_comments_beside_code
from recto.document.markdown.inline import part_anchor
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.merge.text_merge import MIDDLE_MARK, OURS_MARK, THEIRS_MARK
from recto.pattern import pattern

_EMPTY_LINES = pattern(r"\A(?:[ \t\r]*\n)*")
_FENCE = pattern(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX_TITLE = pattern(r" {0,3}#(?:[ \t]([^\n]*))?\r?\n?\Z")
_UNDERLINE = pattern(r" {0,3}=+[ \t]*\r?\n?\Z")
_NO_PARAGRAPH = pattern(r" {0,3}(?:[>#|]|[-*+][ \t]|\d+[.)][ \t]|\{%|</?[A-Za-z])|(?: {4}|\t)|[ \t\r]*\n?\Z")
_MAY_HOLD_TITLE = pattern(r"^ {0,3}(?:#(?:[ \t\r\n]|\Z)|=+[ \t]*\r?$)", re.MULTILINE)

_RICH_TEXT = frozenset({"block", "inline", "text"})


MOST_MARKS = 120_000
"""The most line ends and signs of Markdown of a text that is read as blocks."""

_MARKS = ">|<*_`[~$:!&\\+-.)#{"


def is_readable(text: str) -> bool:
    """Whether a text has few enough lines and signs to be read as blocks; else it is left unread."""
    if len(text) <= MOST_MARKS:
        return True
    line_ends = text.count("\n") + text.count("\r") - text.count("\r\n")
    return line_ends + sum(map(text.count, _MARKS)) <= MOST_MARKS


_LARGE = 20_000
"""The length, in characters, from which texts are read one after another."""

_turn = RLock()
_LONGEST_TURN_S = 30.0


@contextmanager
def turn_for(text: str) -> Iterator[None]:
    """Have large texts read one after another: the blocks, keys and nodes of one may take a hundred megabytes.

    Little time is lost, since the interpreter runs one thread at a time. No thread waits longer than
    ``_LONGEST_TURN_S``: the thread whose turn it is may itself wait for a result of this one.
    """
    taken = len(text) > _LARGE and _turn.acquire(timeout=_LONGEST_TURN_S)
    try:
        yield
    finally:
        if taken:
            _turn.release()


def read_page(text: str) -> ParsedPage:
    """Parse a text; a text that may hold too many blocks and marks becomes a single block of source."""
    if is_readable(text):
        return parse_page(text)
    block = Block(BlockKind.HTML, 0, text.count("\n") + 1, text, markup="html")
    return ParsedPage(text, FrontMatter(), (block,), {})


class Titled(NamedTuple):
    """A text split from the heading that gives its title; ``heading`` is ``None`` if it has none."""

    heading: str | None
    text: str


def part_title(markdown: str) -> Titled:
    """Split a text from its leading level-1 heading and an empty line after it; the rest is unchanged."""
    lines = _EMPTY_LINES.sub("", markdown, count=1).split("\n", 2)
    found = _ATX_TITLE.match(lines[0])
    if found:
        heading, taken = (found.group(1) or "").strip(), 1
    elif len(lines) > 1 and _underlines(lines[0], lines[1]):
        heading, taken = lines[0].strip(), 2
    else:
        return Titled(None, markdown)
    rest = "\n".join(lines[taken:])
    first, newline, after = rest.partition("\n")
    return Titled(heading, after if newline and not first.strip() else rest)


def heading_title(heading: str) -> str:
    """Return the title in a heading's text: without comments, closing number signs and anchor, on a single line."""
    heading = without_comments_beside_code(heading).rstrip()
    open_end = heading.rstrip("#")
    if open_end and not open_end[-1].isspace():
        open_end = heading
    return " ".join(part_anchor(open_end.rstrip())[0].split())


def is_well_formed(nodes: Sequence[Any]) -> bool:
    """Whether all blocks, inlines and texts are well-formed; others would lose their content."""
    return all(
        node.object not in _RICH_TEXT
        if isinstance(node, OtherNode)
        else is_well_formed((*getattr(node, "nodes", ()), *getattr(node, "fragments", ())))
        for node in nodes
    )


def export_page(title: str, text: str) -> str:
    """Return a page as ``format=markdown`` gives it: under its title, other level-1 headings at level 2."""
    return f"# {title}\n\n{lower_headings(text)}"


def lower_headings(text: str) -> str:
    """Return the text with each heading of level 1 at level 2; code and conflict markers are left alone.

    A text that is too large to be read as blocks is left as it stands, since its lines take many times its memory.
    """
    if not _MAY_HOLD_TITLE.search(text) or not is_readable(text):
        return text
    lines = split_lines(text)
    fence = ""
    disputed = False
    for index, line in enumerate(lines):
        mark = _FENCE.match(line.rstrip("\r\n"))
        disputed = line.startswith(OURS_MARK) or (disputed and not line.startswith(THEIRS_MARK))
        if fence:
            if mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark.group(1)
        elif _ATX_TITLE.match(line) and line.strip():
            lines[index] = line.replace("#", "##", 1)
        elif index and _underlines(lines[index - 1], line) and not (disputed and line.rstrip() == MIDDLE_MARK):
            lines[index] = line.replace("=", "-")
    return "".join(lines)


def raise_headings(text: str, before: str) -> str:
    """Return a text that was sent with its unchanged headings as the text before has them, which went out lowered."""
    if not (_MAY_HOLD_TITLE.search(before) and is_readable(before) and is_readable(text)):
        return text
    written, shown, sent = split_lines(before), split_lines(lower_headings(before)), split_lines(text)
    raised = list(sent)
    start = shift = 0
    for edit in (*edits(shown, sent), Edit(len(shown), len(shown), len(sent), len(sent))):
        for index in range(start, edit.before_start):
            raised[index + shift] = written[index]
        start, shift = edit.before_end, edit.after_end - edit.before_end
    changed = "".join(raised)
    # A heading may stand in code now, which is left alone.
    return changed if lower_headings(changed) == lower_headings(text) else text


def _underlines(above: str, line: str) -> bool:
    """Whether a line makes the line above it a heading of level 1."""
    return bool(_UNDERLINE.match(line)) and not _NO_PARAGRAPH.match(above) and not above.startswith(OURS_MARK)
