"""Inline rules for markdown-it that CommonMark lacks: math, expressions, emphasis in Chinese and Japanese."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, emphasis, strikethrough

from recto.document.markdown.inline import EXPRESSION, flanks, is_punctuation
from recto.document.text import is_cjk


def install(parser: MarkdownIt) -> None:
    """Add inline math (``$$…$$``) and expressions to a parser, and emphasis as readers of Chinese expect it."""
    parser.inline.ruler.before("escape", "math", _math)
    parser.inline.ruler.before("html_inline", "expression", _expression)
    for name, rule in (("emphasis", emphasis.tokenize), ("strikethrough", strikethrough.tokenize)):
        parser.inline.ruler.at(name, partial(_apply_flanks, rule))


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
