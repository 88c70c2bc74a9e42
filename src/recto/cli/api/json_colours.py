"""JSON in colours; the only module of the command line that imports Pygments."""

from __future__ import annotations

from pygments import highlight
from pygments.formatters.terminal import TerminalFormatter
from pygments.lexers.data import JsonLexer


def colour(text: str, dark: bool) -> str:
    """Return JSON with the control sequences of colours for a dark or a light terminal."""
    return highlight(text, JsonLexer(), TerminalFormatter(bg="dark" if dark else "light")).rstrip("\n")
