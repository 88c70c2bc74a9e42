"""The HTML that pages hold: elements with their attributes, pictures, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from html import escape, unescape

from recto.document.markdown.blocks import Block, BlockKind
from recto.frozen import frozen
from recto.pattern import pattern

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})

ATTRIBUTE_NAME = pattern(r"[\w:@.-]+")
"""What the name of an attribute may be, of HTML and of the tags of page text."""

PLACEHOLDER = pattern(r"<!-- (?:inline )?([a-z][a-z0-9-]*): (\{.*\}) -->")
"""A comment that stands for what neither Markdown nor HTML can say: its type and its data."""

ATTRIBUTES = r"[^'\"<>]*+(?:(?:\"[^\"<]*+(?:<[^\"<]*+){0,10}+\"|'[^'<]*+(?:<[^'<]*+){0,10}+')[^'\"<>]*+){0,60}+"
"""What stands in a tag behind its name, as a regular expression.

So many quoted values and beginnings of other tags in them are as much as any tag has: where nothing ends the tags of a
text, each would be looked for up to its end.
"""

_TAG = pattern(rf"<(?P<close>/?)(?P<name>[A-Za-z][\w-]*+)(?P<rest>{ATTRIBUTES})>")
_ANY_TAG = pattern(rf"</?[A-Za-z]{ATTRIBUTES}>")
_TAG_OR_COMMENT = pattern(rf"<!--.*?-->|{_ANY_TAG.pattern}", re.DOTALL)
_CODE_OR_COMMENT = pattern(r"(?<!`)(?P<ticks>`{1,9})(?!`)[^\n]{1,300}?(?<!`)(?P=ticks)(?!`)|<!--")
_ATTRIBUTE = pattern(r"([\w:@.-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_PICTURE = pattern(rf"<(?:img|/?picture|source|/?figure|/?div|/?p|br)\b{ATTRIBUTES}>", re.IGNORECASE)
_FIGURE = pattern(
    rf"<img\b(?P<image>{ATTRIBUTES})>"
    r"(?:\s*</(?:picture|a)>)*(?:\s*<figcaption>(?P<caption>(?:(?!<figcaption>).)*?)</figcaption>)?",
    re.IGNORECASE | re.DOTALL,
)


@frozen
class HtmlTag:
    """An HTML tag as written; ``closes`` for an end tag, ``void`` for a tag without content."""

    name: str
    closes: bool
    void: bool
    attributes: Mapping[str, str] = field(default_factory=dict)


def tags(source: str) -> Iterator[re.Match[str]]:
    """Find the tags and the comments of a piece of HTML."""
    reached = 0
    # Behind the last end of a comment none is looked for: each that is open would be read up to the end of all.
    for match in _TAG_OR_COMMENT.finditer(source, 0, source.rfind("-->") + len("-->")):
        yield match
        reached = match.end()
    yield from _ANY_TAG.finditer(source, reached)


def read_html_tag(source: str) -> HtmlTag | None:
    """Read the tag that a piece of HTML begins with, if it does."""
    match = _TAG.match(source)
    if match is None:
        return None
    name = match["name"].lower()
    void = name in VOID or match["rest"].rstrip().endswith("/")
    return HtmlTag(name, bool(match["close"]), void, read_attributes(match["rest"]))


def read_attributes(source: str) -> dict[str, str]:
    """Return the attributes of a tag; ``true`` for those without a value."""
    return {
        match[1].lower(): unescape(next((value for value in match.groups()[1:] if value is not None), "true"))
        for match in _ATTRIBUTE.finditer(source)
    }


def write_attributes(attributes: Mapping[str, object]) -> str:
    """Return the attributes of a tag as HTML, each after a space; invalid names are left out."""
    return "".join(
        f' {name}="{escape(str(value))}"' for name, value in attributes.items() if ATTRIBUTE_NAME.fullmatch(name)
    )


def is_comment(source: str) -> bool:
    """Whether HTML is a comment and nothing else; placeholders of blocks and inlines do not count."""
    return source.startswith("<!--") and not without_comments(source).strip()


def without_comments(source: str) -> str:
    """Return a piece of HTML without its comments, but for those that stand for a block or an inline."""
    kept, reached = [], 0
    for start, end in comments(source):
        kept.append(source[reached:start])
        reached = end
    return "".join([*kept, source[reached:]])


def without_comments_beside_code(markdown: str) -> str:
    """Return Markdown without its comments, but for those in code on a line, which are shown."""
    if "<!--" not in markdown:
        return markdown
    kept, reached, looked = [], 0, 0
    while (found := _CODE_OR_COMMENT.search(markdown, looked)) is not None:
        if found["ticks"]:
            looked = found.end()
            continue
        looked = _end_of_comment(markdown, found.start())
        if looked < 0:
            break
        if PLACEHOLDER.fullmatch(markdown, found.start(), looked) is None:
            kept.append(markdown[reached : found.start()])
            reached = looked
    return "".join([*kept, markdown[reached:]])


def comments(source: str) -> Iterator[tuple[int, int]]:
    """Yield where the comments of a piece of HTML begin and end, but for those that stand for something."""
    reached = 0
    while (start := source.find("<!--", reached)) >= 0:
        reached = _end_of_comment(source, start)
        if reached < 0:
            return
        if PLACEHOLDER.fullmatch(source, start, reached) is None:
            yield start, reached


def _end_of_comment(source: str, start: int) -> int:
    """Return where the comment that begins at a place ends; -1 where nothing ends it."""
    end = source.find("-->", start + 2)
    return -1 if end < 0 else max(end + 3, start + 4)


def without_tags(source: str) -> str:
    """Return the text of a piece of HTML, white space as it is."""
    return unescape(_TAG.sub("", source))


def figures(source: str, start: int, end: int) -> list[Block]:
    """Return a figure for each picture of a piece of HTML that holds only pictures; nothing where it holds more."""
    found = list(_FIGURE.finditer(source))
    if not found or _PICTURE.sub("", _FIGURE.sub("", source)).strip().removeprefix("<figcaption></figcaption>"):
        return []
    return [
        Block(
            BlockKind.FIGURE,
            start,
            end,
            text=(match["caption"] or "").strip(),
            name="figure",
            attributes=read_attributes(match["image"]),
            markup="html",
        )
        for match in found
    ]


def table(source: str, start: int, end: int) -> Block | None:
    """Return HTML as a table whose cells keep their HTML; ``None`` unless it is a single table."""
    reader = _TableReader(source)
    if not reader.whole:
        return None
    rows = tuple(
        Block(
            BlockKind.TABLE_ROW,
            start,
            end,
            children=tuple(
                Block(BlockKind.TABLE_CELL, start, end, text, attributes=attributes, markup="html")
                for attributes, text in row
            ),
        )
        for row in reader.rows
    )
    return Block(BlockKind.TABLE, start, end, children=rows, name="table", attributes=reader.attributes, markup="html")


def cell_places(source: str) -> list[list[tuple[int, int]]]:
    """Return where the cells of a table stand in its HTML, row by row, without white space at their ends."""
    return _TableReader(source).places


class _TableReader:
    """Reads rows of cells. A table within a cell stays in the cell as it is."""

    def __init__(self, source: str) -> None:
        self.attributes: dict[str, str] = {}
        self.rows: list[list[tuple[dict[str, str], str]]] = []
        self.places: list[list[tuple[int, int]]] = []
        self.whole = False
        self._source = source
        self._depth = 0
        self._cell: tuple[dict[str, str], int] | None = None
        for match in tags(source):
            if (tag := read_html_tag(match[0])) is None:
                continue  # a comment
            if tag.closes:
                self._end(tag.name, match)
            else:
                self._begin(tag, match)

    def _begin(self, tag: HtmlTag, match: re.Match[str]) -> None:
        if tag.name == "table":
            self._depth += 1
            if self._depth == 1:
                self.attributes = dict(tag.attributes)
        if self._depth != 1:
            return
        if tag.name in ("tr", "td", "th"):
            self._end_cell(match.start())
        if tag.name == "tr":
            self._begin_row()
        elif tag.name in ("td", "th"):
            header = {"header": "true"} if tag.name == "th" else {}
            self._cell = ({**tag.attributes, **header}, match.end())

    def _end(self, name: str, match: re.Match[str]) -> None:
        if self._depth == 1 and name in ("td", "th", "tr", "table"):
            self._end_cell(match.start())
        if name == "table" and self._depth:
            self._depth -= 1
            if self._depth == 0:
                self.whole = not self._source[match.end() :].strip()

    def _end_cell(self, end: int) -> None:
        if self._cell is None:
            return
        attributes, begin = self._cell
        self._cell = None
        if not self.rows:
            self._begin_row()
        written = self._source[begin:end]
        text = written.strip()
        begin += len(written) - len(written.lstrip())
        self.rows[-1].append((attributes, text))
        self.places[-1].append((begin, begin + len(text)))

    def _begin_row(self) -> None:
        self.rows.append([])
        self.places.append([])
