"""Text that came from outside, made safe to show."""

from __future__ import annotations

import unicodedata

# Cc: control characters (escape sequences begin with one); Cf: invisible ones, those that turn the direction of the
# text among them; Cs and Co: nothing that could be shown; Zl and Zp: line ends in disguise.
_UNSHOWABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_LONGEST = 400


def one_line(text: str, longest: int = _LONGEST) -> str:
    """Return the text as one line of at most ``longest`` characters without a character that a terminal obeys."""
    visible = "".join(" " if unicodedata.category(character) in _UNSHOWABLE else character for character in text[:4096])
    line = " ".join(visible.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
