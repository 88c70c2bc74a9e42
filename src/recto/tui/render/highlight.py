"""Colours for code: the roles of its parts, for as many lines as are about to be seen."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from recto.tui.render.prose import Prose, Run

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LEAD = 200
"""Lines before those asked for that are read too, so that a comment or string begun there is known for one."""

_LONGEST_LINE = 4_000
_SHELLS = frozenset(
    ("bash", "sh", "shell", "zsh", "ksh", "fish", "console", "terminal", "cli", "shellsession", "shell-session")
)
_PROMPT = re.compile(
    r"\s*(?:(?:[A-Za-z_~/][\w.@~:/=+-]*|\[[^\[\]\n]{1,80}\])(?:\([^()\n]{0,80}\))?[#>%$]|\$)(?:[ \t]+|$)"
)
"""What stands before a command in a session: ``$``, ``user@host:~#``, ``router(config)#``, ``[user@host ~]$``."""

_CONTINUED = re.compile(r"\s*>[ \t]+")
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
    if language.strip().lower() in _SHELLS and any(map(_PROMPT.match, (*lead, *lines))):
        return Prose(text, tuple(_session(lead, lines)))
    lexer = _lexer(language.strip().lower()) if language else None
    if lexer is None or any(len(line) > _LONGEST_LINE for line in (*lead, *lines)):
        return Prose(text, (Run(len(text), "", None),) if text else ())
    return Prose(text, tuple(_runs(lexer, "".join(line + "\n" for line in lead), text)))


def _session(lead: Sequence[str], lines: Sequence[str]) -> list[Run]:
    """Return the roles of what was typed at prompts and of what it answered, where a number sign begins no comment."""
    runs: list[Run] = []
    end, goes_on = -1, False
    for number, line in enumerate((*lead, *lines)):
        prompt = _PROMPT.match(line) or (_CONTINUED.match(line) if goes_on else None)
        typed = prompt is not None or goes_on
        goes_on = typed and line.rstrip().endswith("\\")
        if number >= len(lead):
            if prompt is not None:
                _extend(runs, end + 1 + prompt.end(), "muted")
            end += 1 + len(line)
            _extend(runs, end, "strong" if typed else "")
    return runs


def _extend(runs: list[Run], end: int, role: str) -> None:
    """Add a run, or make the last one longer, up to an offset that may be reached already."""
    if end <= (runs[-1].end if runs else 0):
        return
    if runs and runs[-1].role == role:
        runs.pop()
    runs.append(Run(end, role, None))


def _runs(lexer: Lexer, lead: str, text: str) -> list[Run]:
    runs: list[Run] = []
    skip = len(lead)
    # Some languages know a comment only by the end of its line.
    for start, kind, value in lexer.get_tokens_unprocessed(f"{lead}{text}\n"):
        _extend(runs, min(start + len(value) - skip, len(text)), _role(kind))
    _extend(runs, len(text), "")
    return runs


@lru_cache(maxsize=256)
def _role(kind: Hashable) -> str:
    """Return the role of a token, whose type pygments names by its path, such as ``Token.Name.Function``."""
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
