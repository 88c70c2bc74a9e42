"""The texts of a page for a translator, and the page with translated texts and everything else unchanged."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from itertools import accumulate, zip_longest

from recto.document.markdown.blocks import Block, BlockKind, InlineKind
from recto.document.markdown.html_tags import ATTRIBUTES, cell_places, read_html_tag, tags
from recto.document.markdown.inline import part_anchor
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.markdown.tags import read_tag
from recto.document.text import strip_bom
from recto.document.translation.tagged_text import Broken, TaggedText, in_html, in_markdown, in_plain_text
from recto.frozen import frozen

_UNSENT = frozenset({BlockKind.CONTENT_REF, BlockKind.OPENAPI, BlockKind.SWAGGER, BlockKind.PROMPT})
"""Blocks in which no text is sent: they hold links to pages, descriptions of APIs, and text to be copied."""

_TITLED = frozenset(
    {
        BlockKind.TAB,
        BlockKind.STEP,
        BlockKind.HINT,
        BlockKind.EMBED,
        BlockKind.FILE,
        BlockKind.UPDATE,
        BlockKind.PROMPT,
    }
)
"""Blocks whose tag has texts in its attributes."""

_TEXTS = frozenset(
    {
        BlockKind.HEADING,
        BlockKind.PARAGRAPH,
        BlockKind.TABLE_CELL,
        BlockKind.EXPANDABLE,
        BlockKind.FIGURE,
        BlockKind.HTML,
    }
)
_NAMES = frozenset({"title", "caption", "description", "alt"})
_TITLE = re.compile(
    r"(?<![\w:@.-])(?:data-)?(?:title|caption|description)\s*=\s*(?:\"((?:\\.|[^\"\\])*+)\"|'((?:\\.|[^'\\])*+)')",
    re.DOTALL,
)
_ALTERNATIVE = re.compile(r"(?<![\w:@.-])alt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([\"'\\])")
_BLOCK_TAG = re.compile(rf"\{{%|<div\b{ATTRIBUTES}>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^>]*>", re.IGNORECASE)
_NO_WORDS = frozenset({"data-hidden", "data-card-target", "data-card-cover"})
_TAG = re.compile(r"</?\d+/?>")
_LONGEST_NAMED = 40


@frozen
class Split:
    """A page split into its texts, in reading order, and the rest."""

    texts: tuple[str, ...]
    _markdown: str
    _page: ParsedPage
    _units: tuple[_Unit, ...]

    def join(self, texts: Sequence[str]) -> str:
        """Return the Markdown of the page with these texts in place of its own, all else byte for byte as it was.

        Raise :class:`Broken` where the page would not have the same structure: the same blocks with the same marks,
        links, code and variables. Those of a text may come in another order.
        """
        if len(texts) != len(self.texts):
            raise Broken(f"The page has {len(self.texts)} texts, and {len(texts)} came back.")
        changed = [place for place, text in enumerate(texts) if text != self.texts[place]]
        if not changed:
            return self._markdown
        broken: set[int] = set()
        for as_html in (frozenset[int](), broken, frozenset(changed)):
            edits = [self._edit(place, texts[place], html=place in as_html) for place in changed]
            found = self._find_broken(parse_page(_apply(edits, self._page.source)), changed)
            if not found:
                return self._apply_to_markdown(edits)
            broken |= found
        raise Broken(f"{self._name(min(found))}: the page would have another structure.")

    def _edit(self, place: int, text: str, *, html: bool) -> _Edit:
        unit = self._units[place]
        try:
            new = unit.text.write(text, html=html)
        except Broken as error:
            raise Broken(f"{self._name(place)}: {error}.") from None
        if unit.heading and new.endswith("#") and not new.endswith("\\#"):
            new = f"{new[:-1]}\\#"  # else it would end the heading
        return unit.text.start, unit.text.end, new

    def _find_broken(self, page: ParsedPage, changed: Sequence[int]) -> set[int]:
        """Return which texts have changed the structure of the page; behind another block no more are found."""
        blocks = [self._units[place].block for place in changed]
        broken: set[int] = set()
        for number, (before, after) in enumerate(zip_longest(self._page.walk(), page.walk())):
            alike = before is not None and after is not None and _shape(before) == _shape(after)
            if not alike or (before.text != after.text and _marks(self._page, before) != _marks(page, after)):
                broken.add(changed[max(0, bisect_right(blocks, number) - 1)])
            if not alike:
                break
        return broken

    def _name(self, place: int) -> str:
        words = unescape(_TAG.sub("", self.texts[place]))
        shown = words if len(words) <= _LONGEST_NAMED else f"{words[: _LONGEST_NAMED - 1]}…"
        return f"Text {place + 1} (“{shown}”)"

    def _apply_to_markdown(self, edits: Sequence[_Edit]) -> str:
        """Make edits of the page's source in the Markdown itself, with its byte-order mark and ends of lines."""
        text = strip_bom(self._markdown)
        if text == self._page.source:
            return _apply(edits, self._markdown, len(self._markdown) - len(text))
        ends = [match.start() - before for before, match in enumerate(re.finditer("\r\n", text))]
        return _apply(
            [
                (start + bisect_left(ends, start), end + bisect_left(ends, end), new.replace("\n", "\r\n"))
                for start, end, new in edits
            ],
            self._markdown,
            len(self._markdown) - len(text),
        )


def split(markdown: str) -> Split:
    """Split a page into the texts for a translator and the rest.

    The texts are those of headings, paragraphs, list items and cells, titles, captions and alternative texts, as
    :mod:`recto.document.translation.tagged_text` describes them. The front matter is not among them.
    """
    page = parse_page(markdown)
    units = tuple(_PageReader(page).units())
    return Split(tuple(unit.text.sent for unit in units), markdown, page, units)


_Edit = tuple[int, int, str]
"""From where to where a source is replaced, and by what."""


def _apply(edits: Sequence[_Edit], source: str, offset: int = 0) -> str:
    parts: list[str] = []
    reached = 0
    for start, end, new in edits:
        parts += [source[reached : start + offset], new]
        reached = end + offset
    return "".join([*parts, source[reached:]])


# What has to stay the same


def _shape(block: Block) -> object:
    """Return the kind of a block, and the source of a block without text of its own; not the titles of its tag."""
    attributes: Mapping[str, str] = block.attributes
    named = block.kind in _TITLED or block.kind is BlockKind.FIGURE
    if named:
        attributes = {name: value for name, value in attributes.items() if name not in _NAMES}
    text = "" if named or block.kind in _TEXTS else block.text
    return block.kind, block.name, block.level, block.markup, len(block.children), attributes, text


def _marks(page: ParsedPage, block: Block) -> list[tuple[int, str, str, str, str, str, str]]:
    """Return the marks, links, code and variables in a block, in any order."""
    if block.kind not in _TEXTS:
        return []
    found: list[tuple[int, str, str, str, str, str, str]] = []
    ahead = [(0, "", inline) for inline in page.inline(block)]
    while ahead:
        depth, around, inline = ahead.pop()
        kind = inline.kind
        if kind in (InlineKind.TEXT, InlineKind.SOFT_BREAK):
            continue
        text = "" if kind is InlineKind.IMAGE else inline.text
        attributes = sorted((name, value) for name, value in inline.attributes.items() if name != "alt")
        found.append((depth, around, kind, text, inline.target, inline.title, str(attributes)))
        ahead += ((depth + 1, kind, child) for child in inline.children)
    return sorted(found)


# Finding the texts


@frozen
class _Unit:
    """A text of a page; ``block`` is the place of its block in the order of the page."""

    text: TaggedText
    block: int
    heading: bool = False


class _PageReader:
    """Finds where the texts of a page stand in its source.

    Blocks know their lines alone, so that each text is looked for in them, behind the text and the tag before it. What
    is not found as it is written is not sent.
    """

    def __init__(self, page: ParsedPage) -> None:
        self._page = page
        self._source = page.source
        self._starts = [0, *accumulate(len(line) + 1 for line in page.lines)]
        self._reached = 0
        self._pictures = 0

    def units(self) -> Iterator[_Unit]:
        """Yield the texts of the page."""
        behind = 0
        for number, block in enumerate(self._page.walk()):
            if number < behind:
                continue
            self._reached = max(self._reached, self._starts[block.start])
            if block.kind is BlockKind.TABLE and block.markup == "html":
                behind = number + sum(1 for _ in block.walk())
                for cell, text in self._html_table(block):
                    yield _Unit(text, number + cell)
                continue
            if block.kind in _UNSENT:
                behind = number + sum(1 for _ in block.walk())
            for text in self._texts(block):
                yield _Unit(text, number, block.kind is BlockKind.HEADING)

    def _texts(self, block: Block) -> Iterator[TaggedText]:
        if block.kind is BlockKind.FIGURE:
            yield from self._figures(block)
        elif block.kind is BlockKind.EXPANDABLE:
            yield from self._summary(block)
        elif block.kind in _TEXTS:
            text = part_anchor(block.text)[0] if block.kind is BlockKind.HEADING else block.text
            origin = self._origin(block, text) if text else None
            if origin is None:
                return
            self._reached = origin(len(text))
            if block.kind is BlockKind.HTML and (self._is_quoted(origin(0), origin(len(text))) or not _is_plain(block)):
                return
            if block.markup == "html":
                yield from in_html(self._source, origin(0), origin(len(text)))
            else:
                places = self._page.places(replace(block, text=text))
                yield from in_markdown(text, places, origin, self._source)
        elif block.name not in ("", "details"):
            yield from self._titles(block)

    def _titles(self, block: Block) -> Iterator[TaggedText]:
        """Yield the texts in the attributes of a block's tag; what follows on its line is behind the tag."""
        begin = _BLOCK_TAG.search(self._source, self._reached, self._starts[block.start + 1])
        if begin is None:
            return
        tag = read_tag(self._source, begin.start())
        if begin[0] == "{%" and (tag is None or tag.name != block.name):
            return
        self._reached = begin.start() + len(tag.source) if tag else begin.end()
        if block.kind in _TITLED:
            for match in _TITLE.finditer(self._source, begin.start(), self._reached):
                start, end = match.span(1 if match[1] is not None else 2)
                yield from in_plain_text(start, end, unescape(_ESCAPED.sub(r"\1", self._source[start:end])))

    def _summary(self, block: Block) -> Iterator[TaggedText]:
        after = self._starts[block.end]
        begin = _SUMMARY.search(self._source, self._reached, after) if block.text else None
        end = self._source.find("</summary>", begin.end(), after) if begin else -1
        if begin and end >= 0 and not self._is_quoted(begin.end(), end):
            self._reached = end
            yield from in_html(self._source, begin.end(), end)

    def _figures(self, block: Block) -> Iterator[TaggedText]:
        """Yield the alternative texts and captions of pictures; those of one piece of HTML share its lines."""
        start, end = self._starts[block.start], self._starts[block.end]
        if start < self._pictures or self._is_quoted(start, end - 1):
            return
        self._pictures = end
        caption: int | None = None
        for match in tags(self._source[start:end]):
            tag = read_html_tag(match[0])
            if tag is None:
                continue
            if tag.name == "img" and (found := _ALTERNATIVE.search(match[0])) is not None:
                begin, stop = (start + match.start() + place for place in found.span(1 if found[1] is not None else 2))
                yield from in_plain_text(begin, stop, unescape(self._source[begin:stop]))
            elif tag.name == "figcaption":
                if tag.closes and caption is not None:
                    yield from in_html(self._source, caption, start + match.start())
                caption = None if tag.closes else start + match.end()

    def _html_table(self, table: Block) -> Iterator[tuple[int, TaggedText]]:
        """Yield the texts of a table's cells, each with how many blocks further than the table its cell is."""
        start, end = self._starts[table.start], self._starts[table.end]
        if self._is_quoted(start, end - 1):
            return
        silent = {
            column
            for column, cell in enumerate(table.children[0].children if table.children else ())
            if cell.attributes.keys() & _NO_WORDS or cell.attributes.get("data-type", "text") not in ("", "text")
        }
        number = 0
        for row in cell_places(self._source[start:end]):
            number += 1
            for column, (begin, after) in enumerate(row):
                number += 1
                if column not in silent:
                    yield from ((number, text) for text in in_html(self._source, start + begin, start + after))

    def _is_quoted(self, start: int, end: int) -> bool:
        """Whether a piece of HTML goes on over several lines of a quote, whose signs stand in it."""
        return re.search(r"\n[ \t]*>", self._source[start:end]) is not None

    def _origin(self, block: Block, text: str) -> Callable[[int], int] | None:
        """Return the place in the page's source of each place of a block's text; ``None`` where it is not found."""
        bars: list[int] = []
        if block.kind is BlockKind.TABLE_CELL and "|" in text:
            bars = [match.start() for match in re.finditer(r"\|", text)]
        lines = text.replace("|", "\\|").split("\n") if bars else text.split("\n")
        places: list[int] = []
        sources: list[int] = []
        place, number = 0, block.start
        for line in lines:
            words = line.strip(" \t")
            found = -1
            while found < 0 and number < block.end:
                found = self._find(words, number)
                number += 1
                if places:
                    break
            if found < 0:
                return None
            places.append(place + len(line) - len(line.lstrip(" \t")))
            sources.append(found)
            place += len(line) + 1
        ends = [source + len(line.strip(" \t")) for source, line in zip(sources, lines, strict=True)]

        def origin(place: int) -> int:
            place += bisect_left(bars, place)
            at = max(0, bisect_right(places, place) - 1)
            return min(max(sources[at], sources[at] + place - places[at]), ends[at])

        return origin

    def _find(self, words: str, number: int) -> int:
        """Return the place of words in a line: at its end, else first after the words read before; -1 if nowhere."""
        line = self._page.lines[number]
        start = self._starts[number]
        at_end = start + len(line.rstrip(" \t")) - len(words)
        if at_end >= max(start, self._reached) and self._source.startswith(words, at_end):
            return at_end
        return self._source.find(words, max(start, self._reached), start + len(line))


def _is_plain(block: Block) -> bool:
    """Whether HTML holds elements and text alone: no declarations, programs, open comments or tags of the platform."""
    if not block.name or "{%" in block.text:
        return False
    reached = 0
    for match in tags(block.text):
        if "<" in block.text[reached : match.start()]:
            return False
        reached = match.end()
    return "<" not in block.text[reached:]
