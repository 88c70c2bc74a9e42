"""Pages with their expressions evaluated: values in place of expressions, conditional blocks kept or dropped.

Text that cannot be evaluated stays as written: invalid expressions, conditions without an end.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Any, Literal

from recto.document.expressions.language import UNDEFINED, Expression, ExpressionError, parse, text_of, truth
from recto.document.markdown.blocks import Block, BlockKind
from recto.document.markdown.inline import EXPRESSION
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.markdown.tags import Tag, read_tag
from recto.document.rich_text.inline_writer import escape_line_starts, escape_markdown
from recto.frozen import frozen

LONGEST_TAG = 12_000
MOST_TEXT = 2_000_000
"""The most characters that all values of a page have together; expressions after that stay as they are written."""
_LONGEST_LEAD = 1_000
"""How far the end of a tag may be from its beginning."""

_VERBATIM = frozenset({BlockKind.CODE, BlockKind.MATH, BlockKind.REFERENCE})
_PIECE = re.compile(r"\\.|`+|<code\b|\{%", re.IGNORECASE | re.DOTALL)
_HTML_PIECE = re.compile(r"<code\b|\{%", re.IGNORECASE)
_VARIABLES = frozenset({("space", "vars"), ("page", "vars")})
_LEAD = re.compile(r"[ \t>]*\Z")
_BLANK = " \t>\n"
_OTHERWISE = frozenset({"else", "elif", "elseif"})


def evaluate_page(markdown: str, names: Mapping[str, Any], *, variables_only: bool = False) -> str:
    """Return a page's text with its expressions evaluated for what these names stand for.

    With ``variables_only``, what depends on anything but ``space.vars`` and ``page.vars`` stays as it is written.
    """
    if "{%" not in markdown and "<code" not in markdown.lower():
        return markdown
    page = parse_page(markdown)
    evaluation = _Evaluation(page.source, names, variables_only)
    for piece in _pieces(page):
        evaluation.take(piece)
    return _apply_edits(page.source, evaluation.edits())


@frozen
class _Piece:
    """An expression or a tag at ``source[start:end]``; ``html`` where HTML stands around it."""

    start: int
    end: int
    what: str | Tag
    html: bool


@frozen
class _Edit:
    """What to put in place of ``source[start:end]``; ``block`` where whole lines go, should nothing else be on them."""

    start: int
    end: int
    text: str = ""
    block: bool = False


@dataclass(slots=True)
class _Condition:
    """A condition whose end has not come yet; ``first`` is the place of its first edit."""

    start: int
    end: int
    decision: bool | None
    first: int


class _Evaluation:
    def __init__(self, source: str, names: Mapping[str, Any], variables_only: bool) -> None:
        self._source = source
        self._names = names
        self._variables_only = variables_only
        self._conditions: list[_Condition] = []
        self._edits: list[_Edit | None] = []  # with ``None`` where a condition begins whose end has not come
        self._room = MOST_TEXT

    def take(self, piece: _Piece) -> None:
        """Record the changes for the next expression or tag of the page."""
        if isinstance(piece.what, str):
            text = self._text(piece.what, piece.html) if self._room > 0 else None
            if text is not None and len(text) <= self._room:
                self._room -= len(text)
                self._edits.append(_Edit(piece.start, piece.end, text))
        elif piece.what.name == "if" and not piece.what.closes:
            decision = self._decision(piece.what.attributes.get("expression", ""))
            self._conditions.append(_Condition(piece.start, piece.end, decision, len(self._edits)))
            self._edits.append(None)
        elif piece.what.name in _OTHERWISE:
            if self._conditions:
                self._conditions[-1].decision = None  # there is no such thing in the language
        elif piece.what.name == "if" and self._conditions:
            self._close(self._conditions.pop(), piece)

    def edits(self) -> list[_Edit]:
        """Return the changes, in order; conditions without an end stay."""
        return [edit for edit in self._edits if edit is not None]

    def _close(self, condition: _Condition, end: _Piece) -> None:
        if condition.decision:
            self._edits[condition.first] = _Edit(condition.start, condition.end, block=True)
            self._edits.append(_Edit(end.start, end.end, block=True))
        elif condition.decision is False:
            self._edits[condition.first :] = [_Edit(condition.start, end.end, block=True)]

    def _expression(self, written: str) -> Expression | None:
        """Return an expression that can be read and should be evaluated."""
        try:
            expression = parse(written)
        except ExpressionError:
            return None
        if self._variables_only and not all(path[:2] in _VARIABLES for path in expression.names()):
            return None
        return expression

    def _decision(self, written: str) -> bool | None:
        expression = self._expression(written)
        return None if expression is None else truth(expression.evaluate(self._names))

    def _text(self, written: str, html: bool) -> str | None:
        expression = self._expression(written)
        if expression is None:
            return None
        value = expression.evaluate(self._names)
        text = "" if value is None or value is UNDEFINED else text_of(value)
        return escape(text, quote=False) if html else escape_line_starts(escape_markdown(" ".join(text.split("\n"))))


_Manner = Literal["verbatim", "html", "markdown"]


def _manner(block: Block) -> _Manner:
    if block.kind in _VERBATIM:
        return "verbatim"
    return "html" if block.markup == "html" else "markdown"


def _segments(page: ParsedPage) -> Iterator[tuple[int, int, _Manner]]:
    """Yield the ranges of characters that belong to a single block, and how they are written."""
    owners: list[Block | None] = [None] * len(page.lines)
    for block in page.walk():
        owners[block.start : block.end] = [block] * (block.end - block.start)
    begin = place = 0
    for number, line in enumerate(page.lines):
        place += len(line) + 1
        owner = owners[number]
        if number + 1 == len(owners) or owners[number + 1] is not owner:
            if owner is not None:
                yield begin, place - 1, _manner(owner)
            begin = place


def _pieces(page: ParsedPage) -> Iterator[_Piece]:
    for start, end, manner in _segments(page):
        if manner != "verbatim":
            yield from _pieces_between(page.source, start, end, manner == "html")


def _pieces_between(source: str, start: int, end: int, html: bool) -> Iterator[_Piece]:
    pattern = _HTML_PIECE if html else _PIECE
    spans = _CodeSpans(source, start, end)
    place = start
    while match := pattern.search(source, place, end):
        place = match.end()
        if match[0][0] == "`":
            place = spans.end(match.start(), place)
        elif match[0][0] == "<" and (found := EXPRESSION.match(source, match.start(), end)):
            yield _Piece(found.start(), found.end(), unescape(found[1]), html)
            place = found.end()
        elif match[0][0] == "{" and (tag := _tag(source, match.start(), end)):
            yield _Piece(match.start(), match.start() + len(tag.source), tag, html)
            place = match.start() + len(tag.source)


def _tag(source: str, start: int, end: int) -> Tag | None:
    within = source[start : min(end, start + LONGEST_TAG)]
    return read_tag(within) if "%}" in within else None


class _CodeSpans:
    """Finds where the code spans of a piece of text end: at the next run of as many backticks."""

    def __init__(self, source: str, start: int, end: int) -> None:
        self._bounds = (source, start, end)
        self._runs: dict[int, list[int]] | None = None

    def end(self, start: int, after: int) -> int:
        """Return where the code span that a run of backticks begins ends; ``after`` the run where it begins none."""
        if self._runs is None:
            self._runs = {}
            for run in re.compile("`+").finditer(*self._bounds):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        runs: Sequence[int] = self._runs.get(after - start, ())
        place = bisect_left(runs, after)
        return runs[place] + after - start if place < len(runs) else after


def _apply_edits(source: str, edits: Sequence[_Edit]) -> str:
    parts: list[str] = []
    reached = 0
    for edit in edits:
        start, end, text = _whole_lines(source, edit) if edit.block else (edit.start, edit.end, edit.text)
        if end <= reached:
            continue
        parts += [source[reached : max(start, reached)], text]
        reached = end
    return "".join([*parts, source[reached:]])


def _whole_lines(source: str, edit: _Edit) -> tuple[int, int, str]:
    """Return the whole lines to take out where nothing else is on them; an empty line keeps their neighbours apart."""
    nearest, farthest = max(0, edit.start - _LONGEST_LEAD), edit.end + _LONGEST_LEAD
    start = source.rfind("\n", nearest, edit.start) + 1
    line_end = source.find("\n", edit.end, farthest)
    if (not start and nearest) or (line_end < 0 and farthest < len(source)):
        return edit.start, edit.end, ""  # much else is on the line
    end = len(source) if line_end < 0 else line_end + 1
    lead = source[start : edit.start]
    if not _LEAD.match(lead) or source[edit.end : end].strip():
        return edit.start, edit.end, ""
    before = source[source.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
    if start and before.strip(_BLANK):
        return start, end, f"{lead.rstrip()}\n" if _line(source, end).strip(_BLANK) else ""
    while end < len(source) and not _line(source, end).strip(" \t\n"):
        end += len(_line(source, end))
    return start, end, ""


def _line(source: str, start: int) -> str:
    return source[start : source.find("\n", start) + 1 or len(source)]
