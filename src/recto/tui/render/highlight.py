"""Colours for code: the roles of its parts, for as many lines as are about to be seen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from recto.tui.render.prose import Prose, Run

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

LEAD = 200
"""Lines before those asked for that are read too, so that a comment or string begun there is known for one."""

_LONGEST_LINE = 4_000
_PLAIN = frozenset(("", "text", "txt", "plain", "plaintext", "none", "output", "console-output"))
_ROLES = {
    "Token.Comment": "muted italic",
    "Token.Keyword": "accent",
    "Token.Keyword.Constant": "changed",
    "Token.Literal.String": "success",
    "Token.Literal.String.Doc": "muted italic",
    "Token.Literal.Number": "changed",
    "Token.Literal.Date": "changed",
    "Token.Name.Tag": "accent",
    "Token.Name.Attribute": "changed",
    "Token.Name.Builtin": "changed",
    "Token.Name.Function": "strong",
    "Token.Name.Class": "strong",
    "Token.Name.Decorator": "changed",
    "Token.Name.Exception": "changed",
    "Token.Operator.Word": "accent",
    "Token.Generic.Heading": "strong",
    "Token.Generic.Subheading": "strong",
    "Token.Generic.Inserted": "added",
    "Token.Generic.Deleted": "removed",
    "Token.Generic.Prompt": "muted",
    "Token.Generic.Output": "muted",
    "Token.Generic.Strong": "strong",
    "Token.Generic.Emph": "italic",
}


def highlight(lead: Sequence[str], lines: Sequence[str], language: str) -> Prose:
    """Return lines of code, cleaned already, with the roles of a language that Pygments knows, else plain.

    ``lead`` are the lines before them, ``LEAD`` at the most.
    """
    text = "\n".join(lines)
    lexer = _lexer(language.strip().lower()) if language else None
    if lexer is None or any(len(line) > _LONGEST_LINE for line in (*lead, *lines)):
        return Prose(text, (Run(len(text), "", None),) if text else ())
    return Prose(text, tuple(_runs(lexer, "".join(line + "\n" for line in lead), text)))


def _runs(lexer: Lexer, lead: str, text: str) -> list[Run]:
    runs: list[Run] = []
    skip = len(lead)
    # Some languages know a comment only by the end of its line.
    for start, kind, value in lexer.get_tokens_unprocessed(f"{lead}{text}\n"):
        end = min(start + len(value) - skip, len(text))
        if end <= (runs[-1].end if runs else 0):
            continue
        role = _role(kind)
        if runs and runs[-1].role == role:
            runs[-1] = Run(end, role, None)
        else:
            runs.append(Run(end, role, None))
    if text and (not runs or runs[-1].end < len(text)):
        runs.append(Run(len(text), "", None))
    return runs


@lru_cache(maxsize=256)
def _role(kind: _TokenType) -> str:
    name = str(kind)
    while name != "Token":
        if name in _ROLES:
            return _ROLES[name]
        name = name.rpartition(".")[0]
    return ""


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    if language in _PLAIN:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return None
