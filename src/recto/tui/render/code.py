"""Code in leaves of a hundred lines each, and the colours of the lines that are seen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from recto.document.markdown.blocks import Block
from recto.pattern import pattern
from recto.tui.render.leaf import Frame, Leaf, Part, Row, parts_by_line
from recto.tui.render.line_breaks import break_lines
from recto.tui.render.prose import Prose, Run, clean

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LEAD = 200
"""Lines before the requested ones that are read too, so that a comment or string begun there is recognized."""

_LONGEST_LINE = 4_000
_SHELLS = frozenset(
    ("bash", "sh", "shell", "zsh", "ksh", "fish", "console", "terminal", "cli", "shellsession", "shell-session")
)
_PROMPT = pattern(r"\s*(?:(?:[A-Za-z_~/][\w.@~:/=+-]*|\[[^\[\]\n]{1,80}\])(?:\([^()\n]{0,80}\))?[#>%$]|\$)(?:[ \t]+|$)")
"""What stands before a command in a session: ``$``, ``user@host:~#``, ``router(config)#``, ``[user@host ~]$``."""

_CONTINUED = pattern(r"\s*>[ \t]+")
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
    """Return the roles of a session: of commands at prompts and their output, where ``#`` begins no comment."""
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
    """Add a run, or extend the last run, up to an offset that may be reached already."""
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


CHUNK = 100
"""Lines of code in one leaf."""


class Code:
    """The code of a block, and how it is shown."""

    def __init__(self, block: Block, *, wrap: bool = False, numbers: bool = False) -> None:
        self.block = block
        text = block.text.removesuffix("\n")
        self.lines = text.split("\n")
        self.language = block.attributes.get("language", "").strip().lower()
        self.wrap = wrap
        self.digits = len(str(len(self.lines))) if numbers else 0
        # A fence begins with a line of its own, indented code does not.
        self.first_line = block.start + (block.end - block.start > len(self.lines))

    def clean_lines(self, first: int, last: int) -> list[str]:
        """Return some of the lines as they may be shown, tabs as blanks."""
        return [clean(line.expandtabs(4)) for line in self.lines[first:last]]


class CodeLeaf(Leaf):
    """Some lines of code, coloured when they come into view."""

    may_link = False

    def __init__(self, code: Code, frame: Frame, first: int, last: int) -> None:
        line = min(code.first_line + first, max(code.block.start, code.block.end - 1))
        super().__init__(code.block, frame, line=line, end=code.block.end)
        self.wide = not code.wrap
        self._code = code
        self._first, self._last = first, last
        self._prose: Prose | None = None

    def prose(self) -> Prose:
        """Return the lines of code."""
        if self._prose is None:
            lead = self._code.clean_lines(max(0, self._first - LEAD), self._first) if self._code.language else []
            self._prose = highlight(lead, self._code.clean_lines(self._first, self._last), self._code.language)
        return self._prose

    def text(self) -> str:
        """Return the lines without finding out their roles."""
        return self._prose.text if self._prose else "\n".join(self._code.clean_lines(self._first, self._last))

    def estimate(self, width: int) -> int:
        """Return the number of lines, which is certain unless they wrap."""
        return self._last - self._first

    def _lay_out(self, width: int) -> list[Row]:
        first, rest, room = self._lead_spans(width)
        digits = self._code.digits
        room = max(2, room - 2 - (digits + 2 if digits else 0))
        prose = self.prose()
        rows: list[Row] = []
        start = 0
        for number, line in enumerate(prose.text.split("\n"), self._first + 1):
            pieces = break_lines(line, room) if self._code.wrap else [(0, len(line))]
            spans = [(start + begin, start + end) for begin, end in pieces]
            for index, parts in enumerate(parts_by_line(prose, spans)):
                before = rest if rows else first
                label = str(number) if digits and not index else ""
                edge = (f" {label:>{digits}} ", "code faint") if digits else ("", "")
                rows.append(Row((*before, edge), (Part(" ", ""), *parts), "code"))
            start += len(line) + 1
        return rows


def code_leaves(code: Code, frame: Frame) -> Sequence[CodeLeaf]:
    """Return the leaves of a code block."""
    count = len(code.lines)
    return [
        CodeLeaf(code, frame.below if first else frame, first, min(first + CHUNK, count))
        for first in range(0, count, CHUNK)
    ]
