"""The positions of marks, links, code and the like in inline Markdown, which markdown-it does not report."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING

from recto.frozen import frozen

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token


class PlaceKind(StrEnum):
    """The kind of a place: the beginning or end of a mark or link, a tag of HTML, or a whole element.

    ``TEXT`` is text that is written in another way than it reads: escapes, entities, ends of lines.
    """

    BEGIN = "begin"
    END = "end"
    WHOLE = "whole"
    BREAK = "break"
    PICTURE = "picture"
    TAG = "tag"
    TEXT = "text"


@frozen
class Place:
    """An element from ``start`` to ``end`` of an inline source. Text outside of all places is plain.

    ``text`` is what a text reads as, and the source of a picture's alternative text. Links and pictures have a
    ``target`` and a ``title``.
    """

    kind: PlaceKind
    start: int
    end: int
    text: str = ""
    target: str = ""
    title: str = ""


_KINDS = {
    "html_inline": PlaceKind.TAG,
    "image": PlaceKind.PICTURE,
    "hardbreak": PlaceKind.BREAK,
    "text_special": PlaceKind.TEXT,
    "softbreak": PlaceKind.TEXT,
}


def inline_places(source: str, env: dict[str, object]) -> list[Place]:
    """Return the places of inline Markdown in order; ``env`` is that of the page."""
    parser = _parser()
    tokens: list[Token] = []
    parser.inline.parse(source, parser, env, tokens)
    return sorted(
        (_place(token, *token.map) for token in tokens if token.map and token.type != "text"),
        key=lambda place: place.start,
    )


def _place(token: Token, start: int, end: int) -> Place:
    if token.nesting and token.markup != "autolink":
        kind = PlaceKind.BEGIN if token.nesting > 0 else PlaceKind.END
        # Each of the two signs of a strong mark was a token of its own, and the inner one has become the mark.
        start -= token.type == "strong_open"
        end += token.type == "strong_close"
    else:
        kind = _KINDS.get(token.type, PlaceKind.WHOLE)
    text = "\n" if token.type == "softbreak" else token.content
    target = str(token.attrGet("href") or token.attrGet("src") or "")
    return Place(kind, start, end, text, target, str(token.attrGet("title") or ""))


@cache
def _parser() -> MarkdownIt:
    """Return a parser whose inline tokens have in ``map`` where they stand in their source."""
    from recto.document.markdown.parser import for_inline, make_parser

    parser = for_inline(make_parser())
    ruler = parser.inline.ruler
    for name, rule in zip(ruler.get_active_rules(), ruler.getRules(""), strict=True):
        ruler.at(name, partial(_locate, rule))
    return parser


def _locate(rule: Callable[[StateInline, bool], bool], state: StateInline, silent: bool) -> bool:
    """Apply a rule, and note where the tokens that it adds stand."""
    start, count = state.pos, len(state.tokens)
    if not rule(state, silent):
        return False
    if silent or len(state.tokens) == count:
        return True
    end, last = state.pos, state.tokens[-1]
    if last.type == "text":
        _locate_signs(state, count, end)
        return True
    first = state.tokens[count] if state.tokens[count].type != "text" else state.tokens[count + 1]
    if first.type == "link_open" and first.markup != "autolink":
        first.map = [start, start + 1]
        last.map = [state.md.helpers.parseLinkLabel(state, start, True), end]
    else:
        while first.type in ("softbreak", "hardbreak") and start and state.src[start - 1] == " ":
            start -= 1
        first.map = [start, end]
    return True


def _locate_signs(state: StateInline, count: int, end: int) -> None:
    """Note where the signs of a run stand, each of which may become the beginning or the end of a mark."""
    for token in reversed(state.tokens[count:]):
        if token.content.strip("*_~"):
            break
        token.map = [end - len(token.content), end]
        end -= len(token.content)
