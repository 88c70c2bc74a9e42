"""A page's file taken apart without parsing its Markdown: front matter, title, and the text below them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recto.server.exchange.summary import plain_title
from recto.server.exchange.yaml_text import read_yaml

_FRONT_MATTER = re.compile(r"\A[\s\u200b\ufeff]*---[ \t]*\n(?P<yaml>.*?)(?:^|(?<=\n))---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIRST_HEADING = re.compile(r"\A[\s\u200b\ufeff]*#(?:[ \t]+(?P<title>[^\n]*?))?[ \t]*(?:[ \t]#+[ \t]*)?(?:\n|\Z)")
_FIRST_UNDERLINED = re.compile(r"\A[\s\u200b\ufeff]*(?P<title>[^\s#>*+`~<{|-][^\n]*)\n=+[ \t]*(?:\n|\Z)")
_HEADING_OR_FENCE = re.compile(
    r"^ {0,3}(?:#[ \t]+(?P<title>[^\n]+?)(?:[ \t]+#+)?[ \t]*$|(?P<fence>`{3,}|~{3,}))", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class PageText:
    """The parts of a page's file.

    ``title`` is ``None`` where there is no level-1 heading. A title that opens the page is no longer in ``text``;
    one further down stays there as well. ``readable`` is false where the front matter is not a YAML mapping: it
    then stays in the text, so that nothing is lost.
    """

    title: str | None
    text: str
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    readable: bool = True


def take_apart(written: str) -> PageText:
    """Take a page's file apart. The text comes with ``\\n`` line ends."""
    front_matter, body, readable = _split_front_matter(written)
    title, text = _split_title(body)
    return PageText(title, text, front_matter, readable)


def _split_front_matter(written: str) -> tuple[Mapping[str, Any], str, bool]:
    match = _FRONT_MATTER.match(written)
    if match is None:
        return {}, written, True
    try:
        said = read_yaml(match["yaml"])
    except ValueError:
        return {}, written, False
    if said is None:
        return {}, written[match.end() :], True
    if not isinstance(said, dict):
        # A page may open with a rule and close the passage with another one: that is text, and nothing is wrong.
        return {}, written, True
    return said, written[match.end() :], True


def _split_title(body: str) -> tuple[str | None, str]:
    match = _FIRST_HEADING.match(body) or _FIRST_UNDERLINED.match(body)
    if match is not None:
        title = plain_title(match["title"] or "")
        return title or None, body[match.end() :].lstrip("\n")
    return _later_title(body), body.lstrip("\n")


def _later_title(body: str) -> str | None:
    """Return the first level-1 heading outside fenced code."""
    fence = ""
    for match in _HEADING_OR_FENCE.finditer(body):
        if match["fence"]:
            mark = match["fence"]
            if not fence:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence):
                fence = ""
        elif not fence and match["title"]:
            return plain_title(match["title"]) or None
    return None
