"""Hostile pages: blocks of every kind that hold, wherever there is room, what attacks a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random

from support.block_pages import BLOCKS

ATTACKS = (
    "\x1b[2J",
    "\x1b[66;66H",
    "\x1b]0;pwned\x07",
    "\x1b]52;c;cHduZWQ=\x07",
    "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x1bP1;1|17/ab\x1b\\",
    "\x1b_Gf=100;AAAA\x1b\\",
    "\x1bc",
    "\x9b31m",
    "\x90q\x9c",
    "\x00\x07\x08\x0b\x0c\x0e\x0f\x7f",
    "\r\n\r",
    "\u202eright to left\u202c",
    "\u2066isolated",
    "\u200b\u200e\u200f\ufeff\u00ad\u061c",
    "\u2028\u2029",
    "\ufff9a\ufffab\ufffb",
    "\U000e0041\U000e007f",
    "\ud800",
    "[bold]no[/bold]",
    "[@click=app.quit]x[/]",
    "[link=file:///etc/passwd]x[/link]",
    "${x}`$(reboot)`",
    "&#27;[31m",
    "&#x1b;]0;x&#7;",
    "%1b%5b2J",
    "\\x1b[2J",
    "{% hint %}",
    "{% endtabs %}",
    "</details>",
    "<table><tr><td>",
    "```",
    "$$",
    '" onclick="x',
    "](javascript:alert(1))",
    "<a href='\x1b]8;;x'>",
    ":1f468-200d-1f469:",
    "e" + "\u0301" * 40,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3ff",
    "字" * 30,
    "x" * 300,
)
_ROOM = re.compile(r"[A-Za-z0-9](?=[\s\"'<.|])")


def hostile_pages(count: int, seed: int) -> Iterator[str]:
    """Yield pages; the same for the same seed."""
    random = Random(seed)
    pages = list(BLOCKS.values())
    for _ in range(count):
        page = random.choice(pages)
        places = [match.end() for match in _ROOM.finditer(page)]
        for place in sorted(random.sample(places, min(len(places), random.randint(1, 4))), reverse=True):
            page = page[:place] + random.choice(ATTACKS) + page[place:]
        yield page


def filled(piece: str, end: str = "") -> Callable[[int], str]:
    """Return what repeats a whole piece: cut anywhere else, the same piece may say something else at another size."""
    return lambda size: piece * (size // len(piece)) + end


_HINT = '<div data-gb-custom-block data-tag="hint">'
_TABS = '<div data-gb-custom-block data-tag="tabs"></div>\n\n'
_TAB = '<div data-gb-custom-block data-tag="tab">\n\na\n\n</div>\n\n'

SIZED: Mapping[str, Callable[[int], str]] = {
    "anchors": filled("## a {#b}\n"),
    "braces of a heading": lambda size: "## " + "{#" * (size // 2) + "}",
    "marks beside Chinese": filled("**中，**"),
    "marks beside Chinese that do not end": filled("**中，**", "**中，"),
    "lines of Chinese": filled("中文，\n"),
    "lines of marks": filled("中**\n"),
    "comments": filled("<!-- a -->\n\n"),
    "comments in a line": filled("a<!-- b -->"),
    "open comments": filled("a <!-- b\n"),
    "what looks like a placeholder": filled("<!-- a: {"),
    "custom blocks": filled(f"{_HINT}\n\na\n\n</div>\n\n"),
    "open custom blocks": filled(f"{_HINT}\n\n"),
    "tabs behind what should hold them": lambda size: _TABS + _TAB * (size // len(_TAB)),
    "what should hold tabs before each": filled(_TABS + _TAB),
    "custom blocks in a line": filled(f"{_HINT}</div>"),
    "open custom blocks in a line": filled(_HINT),
    "ends of one custom block": lambda size: f"{_HINT}\n\n" + "</div>" * (size // 6),
    "tags in a line": filled("{% hint %}"),
    "pairs of tags in a line": filled("{% hint %}{% endhint %}"),
    "text between tags": filled("{% hint %} a "),
    "half a tag": filled("{% a\n"),
    "ends after a text": lambda size: "a " + "{% endhint %}" * (size // 13),
    "ends of expandables after a text": lambda size: "a " + "</details>" * (size // 10),
    "expandables in a line": filled("<details></details>"),
    "ends further left": filled("- {% hint %}\na\n{% endhint %}\n"),
    "ends further left of all": lambda size: (
        "".join(" " * (line % 90) + "{% hint %}\n" for line in range(size // 70)) + "{% endhint %}\n" * (size // 70)
    ),
    "tags that cross": filled("{% hint %}\n{% endtabs %}\n{% tabs %}\n{% endhint %}\n"),
    "short paragraphs": filled("a\n\n"),
    "rows of a table": lambda size: "|a|b|\n|-|-|\n" + "|a|b|\n" * (size // 6),
    "pictures in one piece of HTML": filled("<figure><img src='x'>\n"),
    "pictures in a line": filled("<figure><img src='x'></figure>"),
    "footnotes within footnotes": filled("[^a]: " * 40 + "b\n"),
    "items within items": filled("- " * 40 + "a\n"),
    "lists side by side": filled("- a\n+ b\n"),
    "pictures without an end": lambda size: "<div>\n" + "<img " * (size // 5),
    "quotes without an end": lambda size: "<div>\n" + "<img '" * (size // 6),
    "captions without an end": lambda size: "<div>\n" + "<img><figcaption>" * (size // 17),
    "comments without an end": lambda size: "<div>\n" + "<!--" * (size // 4),
    "open tables": filled("<table>\n\n"),
    "tables that end below their item": lambda size: (
        "- a\n\n" + "  <table>\n\n" * (size // 10) + "b\n\n" + "</table>" * (size // 10)
    ),
    "cells without an end": lambda size: "<table>" + "<td '" * (size // 5),
    "name of an attribute": lambda size: "{% hint " + "a" * size + " %}\na\n{% endhint %}\n",
    "cells of a row": lambda size: "<table><tr>" + "<td>a</td>" * (size // 10) + "</tr></table>",
}
"""Texts of a size, in characters, on which careless reading takes time that grows with its square."""
