"""Suggestions: the text that a comment proposes for the block it stands on."""

from __future__ import annotations

import re

from recto.frozen import frozen

_FENCE = re.compile(
    r"^(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})[ \t]*suggestion\b[^\n]*\n(?P<text>(?:.*\n)*?)"
    r" {0,3}(?P=fence)(?:`*|~*)[ \t]*$",
    re.MULTILINE,
)


@frozen
class Suggestion:
    """What a comment proposes: the ``text`` of the block, and the ``comment`` around it."""

    text: str
    comment: str


def find_suggestion(comment: str) -> Suggestion | None:
    """Return the first suggestion in a comment (a fenced block with the language ``suggestion``), if any."""
    match = _FENCE.search(comment + "\n")
    if match is None:
        return None
    indent = match["indent"]
    text = "\n".join(line.removeprefix(indent) for line in match["text"].removesuffix("\n").split("\n"))
    around = f"{comment[: match.start()].rstrip()}\n\n{comment[match.end() :].lstrip()}".strip()
    return Suggestion(text, around)


def end_of_suggestion(comment: str) -> int | None:
    """Return the offset at the end of the text that a comment proposes; ``None`` where more follows, or nothing is."""
    match = _FENCE.search(comment + "\n")
    return None if match is None or comment[match.end() :].strip() else max(match.start("text"), match.end("text") - 1)


def write_suggestion(text: str, comment: str = "") -> str:
    """Return a comment that proposes a text; the fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    proposal = f"{fence}suggestion\n{text.rstrip(chr(10))}\n{fence}"
    return f"{comment.rstrip()}\n\n{proposal}" if comment.strip() else proposal
