"""A page's file taken apart without parsing its Markdown: front matter, title, and the text below them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recto.document.markdown.front_matter import split_front_matter
from recto.server.content.text import heading_title, part_title
from recto.server.exchange.summary import plain_title

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_HEADING_OR_FENCE = re.compile(r"^ {0,3}(?:#[ \t]+(?P<title>[^ \t\n][^\n]*)$|(?P<fence>`{3,}|~{3,}))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PageText:
    """The parts of a page's file.

    ``title`` is ``None`` where there is no level-1 heading. A title that opens the page is no longer in ``text``;
    one further down stays there as well. ``readable`` is false where the front matter is not valid YAML: it then
    stays in the text, so that nothing is lost.
    """

    title: str | None
    text: str
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    readable: bool = True


def take_apart(written: str) -> PageText:
    """Take a page's file apart. The text comes with ``\\n`` line ends."""
    front, body = split_front_matter(written.lstrip(_INVISIBLE))
    if front.problem is not None:
        return PageText(_later_title(written), written, readable=False)
    heading, text = part_title(body.lstrip(_INVISIBLE))
    if heading is None:
        return PageText(_later_title(body), text.lstrip("\n"), front.values)
    return PageText(plain_title(heading_title(heading)) or None, text, front.values)


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
            return plain_title(heading_title(match["title"])) or None
    return None
