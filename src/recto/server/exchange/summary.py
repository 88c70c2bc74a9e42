"""The table of contents of a book: ``SUMMARY.md`` read into a tree of entries."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from recto.contract.content import specification_in
from recto.document.markdown.html_tags import without_comments_beside_code
from recto.document.merge.page_tree import MAX_LEVELS
from recto.document.yaml_text import read_yaml
from recto.server.content.page_text import heading_title
from recto.server.content.revisions import MAX_PAGES
from recto.server.exchange.folder import FolderError

MAX_ENTRIES = 20_000
"""The most entries that a summary has: links to addresses and to parts of pages are entries, too."""

_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[*+-]|\d{1,9}[.)])[ \t]+(?P<rest>.*)$")
_HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<rest>.*))?$")
_EMPTY_HEADING = re.compile(r" {0,3}#{2,6}[ \t]*$")
_RULE = re.compile(r"^ {0,3}([*_-])(?:[ \t]*\1){2,}[ \t]*$")
_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,})")
_ANCHOR_ID = re.compile(r"<a\b[^<>]*?\b(?:id|name)=\"(?P<id>[^\"]+)\"[^>]*>\s*(?:</a>)?", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\([^)]*\)")
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_LINK = re.compile(r"\[(?P<text>(?:\\.|[^\]\\])*)\]\((?:<[^>]*>|[^()]*(?:\([^()]*\)[^()]*)*)\)")
_BRACKET_OR_ESCAPED = re.compile(r"[\[\]()]|\\.", re.DOTALL)
_MARKED = re.compile(r"(?<!\\)(\*\*|__|\*|`)(?=\S)(?P<text>[^*`]+?)(?<=[^\s\\])\1")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
PLAIN = re.compile(r"[^\W_](?:[ ,:;/=@]?[^\W_])*")
"""A title that is written as it is: words with a space or sign between them that means nothing in Markdown."""
# A title is read from at most so many characters: what undoes its markup takes time that grows with their square.
_LONGEST_TITLE = 2_000
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))
_JOINERS = "\u200c\u200d"
"""Belong to the words of some scripts, and to composed emoji; at an end they join nothing."""


class EntryKind(StrEnum):
    """The kinds of entries."""

    GROUP = "group"
    """A heading with entries below it, or an entry without a link."""
    PAGE = "page"
    """A link to a file of the book."""
    LINK = "link"
    """A link to an address."""
    COMPUTED = "computed"
    """Pages that the platform makes from something else, described in YAML."""


@dataclass(slots=True)
class SummaryEntry:
    """An entry of a summary; ``line`` counts from 1, ``target`` is as written but for escapes.

    An empty ``anchor`` (``page.md#``) is that of the whole page: such an entry is a link to it where another stands for
    the page.
    """

    kind: EntryKind
    title: str
    line: int
    target: str = ""
    anchor: str | None = None
    link_title: str | None = None
    described: dict[str, Any] = field(default_factory=dict)
    children: list[SummaryEntry] = field(default_factory=list)


def read_summary(text: str, name: str = "summary") -> list[SummaryEntry]:
    """Return the entries of a ``SUMMARY.md``, those of each group and list below it.

    Raise ``FolderError``, which calls it by its ``name``, where it has more than :data:`MAX_ENTRIES` or they lie more
    than ``MAX_LEVELS`` deep.
    """
    return _Reader(text, name).entries


class _Reader:
    """Reads the lines of a summary once and builds the tree of its entries."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self.entries: list[SummaryEntry] = []
        self._group: list[SummaryEntry] = self.entries
        # The open entries, outermost first, each with the column its mark stands in.
        self._open: list[tuple[int, SummaryEntry]] = []
        self._entries = 0
        self._lines = _without_comments(text).split("\n")
        self._next = _below_title(self._lines)
        while self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            self._take(line)

    def _take(self, line: str) -> None:
        line = line.rstrip(" \t")
        heading = _HEADING.match(line)
        item = None if heading or _RULE.match(line) else _ITEM.match(line)
        if heading:
            self._open.clear()
            if len(heading["marks"]) > 1:
                self._open_group(heading["rest"] or "")
        elif item:
            self._take_item(item)
        elif _RULE.match(line):
            self._open.clear()
            self._group = self.entries

    def _count(self, entry: SummaryEntry) -> None:
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise FolderError(
                f"The {self._name} has more than {MAX_ENTRIES:,} entries, and a space can have at most {MAX_PAGES:,} "
                "pages. Shorten it, or import its parts into several spaces."
            )
        if len(self._open) > MAX_LEVELS:
            raise FolderError(
                f"Line {entry.line} of the {self._name}, “{entry.title[:50]}”, is nested more than {MAX_LEVELS} deep. "
                "Indent it less."
            )

    def _open_group(self, written: str) -> None:
        anchor = _ANCHOR_ID.search(written[:_LONGEST_TITLE])
        title = plain_title(heading_title(written))
        if not title:
            self._group = self.entries
            return
        group = SummaryEntry(EntryKind.GROUP, title, self._next, anchor=html.unescape(anchor["id"]) if anchor else None)
        self._count(group)
        self.entries.append(group)
        self._group = group.children

    def _take_item(self, item: re.Match[str]) -> None:
        column = len(item["indent"].expandtabs(4))
        fence = _FENCE.match(item["rest"])
        line = self._next
        entry = self._read_description(fence["fence"], line) if fence else _entry(item["rest"], line)
        if entry is None:
            return
        while self._open and self._open[-1][0] >= column:
            self._open.pop()
        self._count(entry)
        siblings = self._open[-1][1].children if self._open else self._group
        siblings.append(entry)
        self._open.append((column, entry))

    def _read_description(self, fence: str, line: int) -> SummaryEntry | None:
        """Read the YAML of computed pages up to the end of its fence."""
        inside: list[str] = []
        while self._next < len(self._lines):
            text = self._lines[self._next]
            self._next += 1
            if text.strip().startswith(fence):
                break
            inside.append(text)
        indent = min((len(text) - len(text.lstrip()) for text in inside if text.strip()), default=0)
        try:
            described = read_yaml("\n".join(text[indent:] for text in inside))
        except ValueError:
            return None
        if not isinstance(described, dict) or not isinstance(described.get("type"), str):
            return None
        return SummaryEntry(EntryKind.COMPUTED, title_of_computed(described), line, described=described)


def _below_title(lines: list[str]) -> int:
    """Return where the entries begin: after the heading at the top, where it is the only heading."""
    headings = [at for at, line in enumerate(lines) if _HEADING.match(line)]
    above = [] if len(headings) != 1 else lines[: headings[0]]
    return headings[0] + 1 if len(headings) == 1 and not any(line.strip() for line in above) else 0


def has_rule(lines: Iterable[str]) -> bool:
    """Whether a line among these ends a group."""
    return any(_RULE.match(line.rstrip()) or _EMPTY_HEADING.match(line) for line in lines)


def title_of_computed(described: dict[str, Any]) -> str:
    """Name computed pages after their source, where it is given."""
    title = described.get("title")
    named = title if isinstance(title, str) else specification_in(described.get("dependencies"))
    return named or str(described["type"]).rpartition(":")[2]


def _entry(written: str, line: int) -> SummaryEntry | None:
    link = _link(written.strip())
    if link is None:
        title = plain_title(written)
        found = _ANCHOR_ID.search(written[:_LONGEST_TITLE])
        anchor = html.unescape(found["id"]) if found else None
        return SummaryEntry(EntryKind.GROUP, title, line, anchor=anchor) if title else None
    text, target, link_title = link
    title = plain_title(text)
    if _ADDRESS.match(target):
        return SummaryEntry(EntryKind.LINK, title or target, line, target)
    path, mark, anchor = target.partition("#")
    return SummaryEntry(EntryKind.PAGE, title, line, path, anchor=anchor if mark else None, link_title=link_title)


def _link(written: str) -> tuple[str, str, str | None] | None:
    """Return the text, target and title of the first link in an entry."""
    start = written.find("[")
    if start < 0 or written[start - 1 : start] == "!":
        return None
    end = _closing_index(written, start, "[", "]")
    if end is None or written[end + 1 : end + 2] != "(":
        return None
    text, rest = written[start + 1 : end], written[end + 2 :].lstrip()
    if rest.startswith("<"):
        stop = re.search(r"(?<!\\)>", rest)
        if stop is None:
            return None
        target, after = rest[1 : stop.start()], rest[stop.end() :]
        _, title = _part_link_title(after[: after.rfind(")")] if ")" in after else after)
    else:
        close = _closing_index(f"({rest}", 0, "(", ")")
        inside = rest[: close - 1] if close is not None else rest
        target, title = _part_link_title(inside)
    return text, _unescape(target.strip()), plain_title(title) if title else None


def _part_link_title(inside: str) -> tuple[str, str | None]:
    """Split the target in the brackets of a link from the quoted title at its end."""
    written = inside.rstrip()
    quote = written[-1:]
    if quote and quote in "\"'":
        start = written.rfind(quote, 0, -1)
        while start > 0 and written[start - 1] == "\\":
            start = written.rfind(quote, 0, start)
        if (start > 0 and written[start - 1].isspace()) or (start == 0):
            return written[:start].rstrip(), written[start + 1 : -1]
    return inside, None


def _closing_index(text: str, start: int, opens: str, closes: str) -> int | None:
    """Return where the bracket that opens at ``start`` closes, over nested and escaped ones."""
    depth = 0
    for sign in _BRACKET_OR_ESCAPED.finditer(text, start):
        if sign[0] == opens:
            depth += 1
        elif sign[0] == closes:
            depth -= 1
            if depth == 0:
                return sign.start()
    return None


def plain_title(written: str) -> str:
    """Return a heading's or link's Markdown as the plain text a title is: no tags, comments, links or escapes."""
    if PLAIN.fullmatch(written):
        return written
    text = without_comments_beside_code(written[:_LONGEST_TITLE])
    text = _IMAGE.sub(lambda image: image["alt"], text)
    text = _LINK.sub(lambda link: link["text"], text)
    text = _TAG.sub("", text)
    text = _MARKED.sub(lambda marked: marked["text"], text)
    return " ".join(_unescape(text).translate(_INVISIBLE).split()).strip(_JOINERS)


def _unescape(text: str) -> str:
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return html.unescape(text) if "&" in text else text


def _without_comments(text: str) -> str:
    """Blank the text of HTML comments, line for line."""
    kept, done = [], 0
    while (start := text.find("<!--", done)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept += [text[done:start], "\n" * text.count("\n", start, end)]
        done = end + 3
    return "".join((*kept, text[done:]))
