"""The parser of pages: markdown-it with rules for what pages hold beyond CommonMark.

Importing this imports markdown-it: modules that every start needs import it where they call it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from html import unescape
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline, emphasis, image, link, strikethrough
from markdown_it.utils import OptionsDict
from mdit_py_plugins.footnote import footnote_plugin

from recto.document.markdown import block_rules
from recto.document.markdown.inline import EXPRESSION, flanks, is_punctuation
from recto.document.text import is_cjk

# Deeper quotes and lists than this are shown as they stand.
DEEPEST = 60
# Nested links: the parser looks ahead into each level for each bracket.
_DEEPEST_LABEL = 10
_LAST_BRACKET = -1

_BEGINNINGS = {
    "newline": "\n",
    "math": "$",
    "escape": "\\",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "link": "[",
    "image": "!",
    "footnote_ref": "[",
    "autolink": "<",
    "expression": "<",
    "html_inline": "<",
    "entity": "&",
}
"""The characters that each rule for inline text acts on."""


def make_parser() -> MarkdownIt:
    """Return a parser into blocks, which leaves their inline text as it stands."""
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    footnote_plugin(parser, inline=False, move_to_end=False)
    block_rules.install(parser)
    install_paragraph_rule(parser)
    install_inline_rules(parser)
    sort_inline_rules(parser)
    return parser.disable(["inline", "text_join"])


def for_inline(parser: MarkdownIt) -> MarkdownIt:
    """Return a parser to read inline text with, of the same rules."""
    inline = copy(parser)
    inline.options = OptionsDict(cast("Any", {**parser.options, "maxNesting": _DEEPEST_LABEL}))
    return inline


_UNDERLINES = {"=": 1, "-": 2}
_BEGINS_DELIMITERS = frozenset("|-:")


def install_paragraph_rule(parser: MarkdownIt) -> None:
    """Merge the two rules for paragraphs and underlined headings, at a third of their cost.

    markdown-it asks all other rules before it takes a line for a paragraph's, and reads each further line twice, once
    for an underline and once for an end. What begins with a letter can only be a table, if a line of dashes follows,
    or text.
    """
    parser.block.ruler.at("paragraph", _text)
    parser.block.ruler.before("tag", "prose", _prose)
    parser.disable("lheading")


def _prose(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Take text that can only be a paragraph, as most is, without asking any other rule."""
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


def install_inline_rules(parser: MarkdownIt) -> None:
    """Add inline math (``$$…$$``) and expressions to a parser, and emphasis as readers of Chinese expect it."""
    parser.inline.ruler.before("escape", "math", _math)
    parser.inline.ruler.before("html_inline", "expression", _expression)
    for name, rule in (("emphasis", emphasis.tokenize), ("strikethrough", strikethrough.tokenize)):
        parser.inline.ruler.at(name, partial(_apply_flanks, rule))
    for name, rule in (("link", link), ("image", image)):
        parser.inline.ruler.at(name, partial(_apply_if_closed, rule))


def sort_inline_rules(parser: MarkdownIt) -> None:
    """Apply each rule for inline text only at the characters that it acts on.

    markdown-it ends a text at each character that some plug-in might act on, a hyphen say, and asks all rules there.
    """
    ruler = parser.inline.ruler
    rules: dict[str, list[Callable[[StateInline, bool], bool]]] = {}
    for name, rule in zip(ruler.get_active_rules(), ruler.getRules(""), strict=True):
        for character in _BEGINNINGS[name] if name != "text" else ():
            rules.setdefault(character, []).append(rule)
    ruler.push("marks", partial(_apply_by_character, rules))
    ruler.enableOnly(["text", "marks"])
    # The rule for links ends their texts at brackets.
    parser.inline.terminator_re = re.compile(f"[{re.escape(''.join([*rules, ']']))}]")


def _apply_by_character(
    rules: Mapping[str, Sequence[Callable[[StateInline, bool], bool]]], state: StateInline, silent: bool
) -> bool:
    for rule in rules.get(state.src[state.pos], ()):  # noqa: SIM110
        if rule(state, silent):
            return True
    return False


def _apply_if_closed(rule: Callable[[StateInline, bool], bool], state: StateInline, silent: bool) -> bool:
    """Apply a rule for brackets where a bracket is closed further on: the rule itself would search from each."""
    last = state.cache.get(_LAST_BRACKET)
    if last is None:
        last = state.cache[_LAST_BRACKET] = state.src.rfind("]")
    return state.pos < last and rule(state, silent)


def _apply_flanks(rule: Callable[[StateInline, bool], bool], state: StateInline, silent: bool) -> bool:
    """Apply a rule for runs of marks, and tell which of them may open and close beside Chinese, Japanese and Korean.

    CommonMark lets no mark close between a punctuation mark and a letter; these scripts have no spaces to put there.
    The rule is that of https://github.com/tats-u/markdown-cjk-friendly/blob/main/specification.md.
    """
    start, count = state.pos, len(state.delimiters)
    if not rule(state, silent):
        return False
    before = state.src[start - 1] if start else " "
    after = state.src[state.pos] if state.pos < state.posMax else " "
    if is_cjk(before) or is_cjk(after):
        left, right = flanks(before, after)
        anywhere = state.src[start] != "_"
        for delimiter in state.delimiters[count:]:
            delimiter.open = left and (anywhere or not right or is_punctuation(before))
            delimiter.close = right and (anywhere or not left or is_punctuation(after))
    return True


def _math(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("$$", state.pos):
        return False
    end = state.src.find("$$", state.pos + 2, state.posMax)
    formula = state.src[state.pos + 2 : end].strip()
    if end < 0 or not formula or "$" in (formula[0], formula[-1]):
        return False
    if not silent:
        state.push("math", "", 0).content = formula
    state.pos = end + 2
    return True


def _expression(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "<":
        return False
    found = EXPRESSION.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("expression", "", 0).content = unescape(found[1])
    state.pos = found.end()
    return True
