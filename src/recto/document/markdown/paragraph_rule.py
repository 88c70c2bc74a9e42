"""Paragraphs and underlined headings for markdown-it: its two rules merged, at a third of their cost.

markdown-it asks all other rules before it takes a line for a paragraph's, and reads each further line twice, once for
an underline and once for an end. What begins with a letter can only be a table, if a line of dashes follows, or text.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.rules_block import StateBlock

_UNDERLINES = {"=": 1, "-": 2}
_BEGINS_DELIMITERS = frozenset("|-:")


def install(parser: MarkdownIt) -> None:
    """Put the rule in the place of the two of CommonMark's."""
    parser.block.ruler.at("paragraph", _text)
    parser.block.ruler.before("tag", "prose", _prose)
    parser.disable("lheading")


def _prose(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Take what can be nothing but a paragraph, most of what people write, without asking any other rule about it."""
    return not (state.is_code_block(line) or _may_end(state, line)) and _text(state, line, end, silent)


def _text(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    parent, state.parentType = state.parentType, "paragraph"
    after, level = _until(state, line + 1, end)
    content = mdTrim(state.getLines(line, after, state.blkIndent, False))
    kind, tag, underline = ("heading", f"h{level}", 1) if level else ("paragraph", "p", 0)
    state.line = after + underline
    opening = state.push(f"{kind}_open", tag, 1)
    opening.map = [line, state.line]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = content, [line, after], []
    closing = state.push(f"{kind}_close", tag, -1)
    if level:
        opening.markup = closing.markup = "=" if level == 1 else "-"
    state.parentType = parent
    return True


def _until(state: StateBlock, at: int, end: int) -> tuple[int, int]:
    """Return the line after the last of a paragraph, and the level of the heading that it is if underlined, else 0."""
    enders = state.md.block.ruler.getRules("paragraph")
    while at < state.lineMax and not state.isEmpty(at):
        indent = state.sCount[at]
        # A line that is indented as code, or was taken into a quote by its rule, goes on with the paragraph.
        if indent - state.blkIndent <= 3:
            if indent >= state.blkIndent and at < end and (level := _underline(state, at)):
                return at, level
            if indent >= 0 and _may_end(state, at) and any(rule(state, at, state.lineMax, True) for rule in enders):
                return at, 0
        at += 1
    return at, 0


def _underline(state: StateBlock, line: int) -> int:
    start, stop = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    marker = state.src[start] if start < stop else ""
    if marker not in _UNDERLINES or state.skipSpaces(state.skipCharsStr(start, marker)) < stop:
        return 0
    return _UNDERLINES[marker]


def _may_end(state: StateBlock, line: int) -> bool:
    """Whether anything but a paragraph could begin here."""
    if not state.src[state.bMarks[line] + state.tShift[line]].isalpha():
        return True
    below = line + 1
    if below >= state.lineMax:
        return False
    start = state.bMarks[below] + state.tShift[below]
    return start < state.eMarks[below] and state.src[start] in _BEGINS_DELIMITERS
