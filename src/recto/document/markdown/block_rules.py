"""Block rules for markdown-it that CommonMark lacks: tags, expandables, pictures, whole HTML tables, math.

The rules do not nest what they find: they emit single tokens, and ``markdown`` pairs beginnings with ends. So a tag
that is never closed, or closed twice, costs nothing of the text around it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.html_block import HTML_SEQUENCES

from recto.document.markdown.html_tags import ATTRIBUTES, figures, read_attributes
from recto.document.markdown.tags import Tag, read_tag
from recto.pattern import pattern

# How many lines a tag, a summary or a picture may be spread over.
MOST_LINES = 30

_INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_DETAILS = pattern(r"<details\b(?P<attributes>[^>]*)>\s*", re.IGNORECASE)
_SUMMARY = pattern(r"<summary\b[^>]*>(?P<text>.*?)(?:</summary>|$)\s*", re.IGNORECASE | re.DOTALL)
_DETAILS_END = pattern(r"</details\s*>", re.IGNORECASE)
_PICTURE = pattern(r"<(figure|picture|div|p|img)\b", re.IGNORECASE)
_PAIRED = pattern(r"<(/?)(?:figure|picture|div|p|figcaption)\b", re.IGNORECASE)
_DIV = pattern(rf"<(?P<close>/?)div\b(?P<attributes>{ATTRIBUTES})>", re.IGNORECASE)
_CUSTOM = "data-gb-custom-block"
_OPEN_DIVS = "recto_divs"
"""Where the environment of a page holds its elements ``<div>`` that have not ended: the tag that each is, if any."""

_TABLE = pattern(r"<(/?)table\b", re.IGNORECASE)
_TABLE_ENDS = "recto_tables"
"""Where the environment of a page holds the line in which each table ends, by the line in which it begins."""


def install(parser: MarkdownIt) -> None:
    """Add the rules to a parser, before those of CommonMark."""
    ruler = parser.block.ruler
    ruler.before("table", "tag", _tag, _INTERRUPTS)
    ruler.before("table", "details", _details, _INTERRUPTS)
    ruler.before("table", "custom_div", _custom_div, _INTERRUPTS)
    ruler.before("table", "math", _math, _INTERRUPTS)
    ruler.before("html_block", "html_table", _html_table, _INTERRUPTS)
    ruler.before("html_block", "picture", _picture, _INTERRUPTS)
    ruler.before("html_block", "html_up_to_tag", _html_up_to_tag)


def _begins_with(state: StateBlock, line: int, prefix: str) -> bool:
    return state.src.startswith(prefix, state.bMarks[line] + state.tShift[line]) and not state.is_code_block(line)


def _text(state: StateBlock, line: int, after: int) -> str:
    return state.getLines(line, after, state.blkIndent, False).strip()


def _until(state: StateBlock, line: int, end: int, mark: str) -> int | None:
    """Return the line after the first that holds ``mark``, looking no further than the paragraph goes."""
    for at in range(line, min(end, line + MOST_LINES)):
        if state.isEmpty(at) or (at > line and state.sCount[at] < state.blkIndent):
            return None
        if mark in state.src[state.bMarks[at] : state.eMarks[at]].lower():
            return at + 1
    return None


def _push_paragraph(state: StateBlock, text: str, line: int, after: int) -> None:
    if not text:
        return
    opening = state.push("paragraph_open", "p", 1)
    opening.map = [line, after]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = text, [line, after], []
    state.push("paragraph_close", "p", -1)


def _push_tag(state: StateBlock, tag: Tag, line: int, after: int) -> None:
    token = state.push("tag", "", 0)
    token.map, token.meta = [line, after], {"tag": tag}


def _tag(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    if not _begins_with(state, line, "{%"):
        return False
    after = _until(state, line, end, "%}")
    if after is None:
        return False
    text = _text(state, line, after)
    tag = read_tag(text)
    if tag is None:
        return False
    if silent:
        return True
    at = 0
    while tag is not None:
        _push_tag(state, tag, line, after)
        at += len(tag.source)
        begin = text.find("{%", at)
        while begin != -1 and (tag := read_tag(text, begin)) is None:
            begin = text.find("{%", begin + 1)
        end = len(text) if begin == -1 else begin
        _push_paragraph(state, text[at:end].strip(), line, after)
        at, tag = (end, None) if begin == -1 else (end, tag)
    state.line = after
    return True


def _details(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    if not _begins_with(state, line, "<"):
        return False
    first = _text(state, line, line + 1)
    opening, summary, closing = _DETAILS.match(first), _SUMMARY.match(first), _DETAILS_END.match(first)
    if not (opening or summary or closing):
        return False
    if silent:
        return True
    after = line + 1
    if opening and after < end and _text(state, after, after + 1).lower().startswith("<summary"):
        after = _until(state, after, end, "</summary>") or after
    elif "<summary" in first.lower():
        after = _until(state, line, end, "</summary>") or after
    text, at = _text(state, line, after), 0
    if opening := _DETAILS.match(text):
        attributes = read_attributes(opening["attributes"])
        _push_tag(state, Tag("details", False, opening[0].strip(), attributes), line, after)
        at = opening.end()
    if summary := _SUMMARY.match(text, at):
        state.push("summary", "", 0).content = summary["text"].strip()
        state.tokens[-1].map = [line, after]
        at = summary.end()
    for closing in _DETAILS_END.finditer(text, at):
        _push_paragraph(state, text[at : closing.start()].strip(), line, after)
        _push_tag(state, Tag("details", True, closing[0]), line, after)
        at = closing.end()
    _push_paragraph(state, text[at:].strip(), line, after)
    state.line = after
    return True


def _custom_div(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Parse an element that stands for a tag or its end; the rest of its line is HTML."""
    if not _begins_with(state, line, "<"):
        return False
    div = _DIV.match(state.src, state.bMarks[line] + state.tShift[line], state.eMarks[line])
    if div is None:
        return False
    opened: list[Tag | None] = state.env.setdefault(_OPEN_DIVS, [])
    custom = _CUSTOM in div["attributes"]
    if not (custom or (div["close"] and any(opened[-1:]))):
        if not silent and opened:
            _count_divs(state.src[div.start() : state.eMarks[line]], opened)
        return False
    if silent:
        return True
    text = _text(state, line, line + 1)
    divs = list(_DIV.finditer(text))
    for div, following in zip(divs, [*divs[1:], None], strict=True):
        between = text[div.end() : following.start() if following is not None else len(text)].strip()
        if div["close"]:
            began = opened.pop() if opened else None
            if began is not None:
                _push_tag(state, Tag(began.name, True, div[0]), line, line + 1)
        else:
            ends_here = not between and following is not None and following["close"]
            tag = _tag_of_div(div, "</div>" if ends_here else "")
            opened.append(tag)
            if tag is not None:
                _push_tag(state, tag, line, line + 1)
        if between:
            state.push("html_text", "", 0).content = between
            state.tokens[-1].map = [line, line + 1]
    state.line = line + 1
    return True


def _tag_of_div(div: re.Match[str], end: str) -> Tag | None:
    attributes = read_attributes(div["attributes"])
    if _CUSTOM not in attributes:
        return None
    named = {name.removeprefix("data-"): value for name, value in attributes.items() if name.startswith("data-")}
    name = named.pop("tag", "") or "div"
    del named[_CUSTOM.removeprefix("data-")]
    if name.startswith("end") and len(name) > 3:
        return Tag(name[3:], True, div[0])
    return Tag(name, False, div[0] + end, named)


def _count_divs(source: str, opened: list[Tag | None]) -> None:
    """Note the elements that begin and end in a line of HTML, so that each end is known for whose it is."""
    for div in _DIV.finditer(source):
        if not div["close"]:
            opened.append(None)
        elif opened and opened[-1] is None:
            opened.pop()


def _math(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    if not _begins_with(state, line, "$$"):
        return False
    first = _text(state, line, line + 1)
    after = line + 1
    if first.count("$$") == 1:
        closing = next((at for at in range(after, end) if "$$" in _text(state, at, at + 1)), None)
        last = "" if closing is None else _text(state, closing, closing + 1)
        if closing is None or not last.endswith("$$") or last.count("$$") > 1:
            return False
        after = closing + 1
    elif not (first.endswith("$$") and first.count("$$") == 2):
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content, token.map = (
            _text(state, line, after).removeprefix("$$").removesuffix("$$").strip(),
            [line, after],
        )
        state.line = after
    return True


def _push_html(state: StateBlock, line: int, after: int) -> None:
    token = state.push("html_block", "", 0)
    token.content, token.map = state.getLines(line, after, state.blkIndent, True), [line, after]
    state.line = after


def _html_table(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Take a table whole, also where blank lines stand in it, at which CommonMark would end it."""
    if not _begins_with(state, line, "<") or not _TABLE.match(_text(state, line, line + 1)):
        return False
    ends: dict[int, int] | None = state.env.get(_TABLE_ENDS)
    if ends is None:
        ends = state.env[_TABLE_ENDS] = _table_ends(state)
    last = ends.get(line, end)
    if last >= end:
        return False
    for at in range(line, last + 1):
        if state.sCount[at] < state.blkIndent and not state.isEmpty(at):
            # Nor can a table that begins in between end below this line: no other looks as far again.
            for other in range(line, at):
                if ends.get(other, line) >= at:
                    del ends[other]
            return False
    if not silent:
        _push_html(state, line, last + 1)
    return True


def _table_ends(state: StateBlock) -> dict[int, int]:
    """Return the line in which each table ends, by the line in which it begins, without those that do not end."""
    ends: dict[int, int] = {}
    opened: list[tuple[int, int]] = []
    depth = 0
    for line, tags in groupby(_TABLE.finditer(state.src), lambda tag: bisect_left(state.eMarks, tag.start())):
        opened.append((line, depth))
        depth += sum(-1 if tag[1] else 1 for tag in tags)
        while opened and opened[-1][1] >= depth:
            ends[opened.pop()[0]] = line
    return ends


def _picture(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Take a picture with its caption and frame, and not the text below it, as CommonMark would."""
    if not _begins_with(state, line, "<"):
        return False
    element = _PICTURE.match(_text(state, line, line + 1))
    if element is None or (silent and element[1].lower() == "img"):
        return False
    for after in range(line + 1, min(end, line + MOST_LINES) + 1):
        if state.isEmpty(after - 1):
            return False
        source = _text(state, line, after)
        if sum(-1 if match[1] else 1 for match in _PAIRED.finditer(source)) <= 0:
            if not figures(source, line, after):
                return False
            if not silent:
                _push_html(state, line, after)
            return True
    return False


def _html_up_to_tag(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """End HTML where a tag begins on the next lines; CommonMark would take the tag for HTML, up to an empty line."""
    if silent or not _begins_with(state, line, "<"):
        return False
    first = _text(state, line, line + 1)
    ending = next((ends for begins, ends, _ in HTML_SEQUENCES if begins.search(first)), None)
    if ending is None or not ending.search(""):
        return False
    for at in range(line + 1, end):
        if state.isEmpty(at) or state.sCount[at] < state.blkIndent:
            return False
        if any(rule(state, at, end, True) for rule in (_tag, _details, _custom_div)):
            _push_html(state, line, at)
            return True
    return False
