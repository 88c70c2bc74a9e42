"""Pages as nodes: plain data that the template ``book.typ`` typesets.

A node is a text or a map whose ``k`` names its kind; each kind is set in the template. Text stays text: nothing of a
page is ever markup or code of Typst.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import cache
from typing import Any
from unicodedata import category

from recto.document.markdown.blocks import Block, BlockKind, Inline, InlineKind, plain_text
from recto.document.markdown.emoji import emoji
from recto.document.markdown.html_tags import is_comment, without_comments
from recto.document.markdown.inline import inline_html
from recto.document.markdown.math_text import math_text
from recto.document.markdown.outline import outline
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.markdown.page_links import loose_anchor
from recto.document.openapi.api_model import Content, Field, Operation
from recto.document.pdf.words import ENGLISH, Words
from recto.document.text import on_one_line, printable
from recto.frozen import frozen

Node = str | dict[str, Any]
Nodes = list[Node]

DEEPEST = 10
"""The deepest nesting of blocks, and of marks; deeper ones are flattened."""

MOST_FIELDS = 200
"""The most fields of one value of an API that are listed."""

_LONGEST_WORD = 48
_LONGEST_COLOURED = 4_000
_ZERO_WIDTH_SPACE = "\u200b"
_LONGEST_RUN = 1_000
_CHARACTERS_ACROSS = 90
"""Characters that fit on a line, or beside each other in the columns of a table."""

_MOST_LINES_KEPT = 24
"""The most lines of a table row that stays on one page."""

_BREAKS_ITSELF = "\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\uffef\U00020000-\U0003ffff"
"""Characters of Chinese, Japanese and Korean: a line may end between them."""

_LONG_RUN = re.compile(rf"[^\s{_BREAKS_ITSELF}]{{{_LONGEST_RUN},}}")
"""A word longer than any line; scripts without blanks, such as Thai, are broken only if needed."""

_MOST_STACKED = 30
"""The most marks on a letter, as in the Stream-Safe Text Format of Unicode's UAX #15.

Typst takes time that grows with their square.
"""

_END_OF_PART = re.compile(r"(?<=[/._:?&=,;@|+\-])(?=[^/._:?&=,;@|+\-])|(?<=[a-z0-9])(?=[A-Z])")
"""Where the parts of an address or a name end."""

_UNREAD = re.compile(r"[\\{}^_]")
"""The parts of a formula's text form that a line cannot show."""

_MARKS = {
    InlineKind.STRONG: "strong",
    InlineKind.EMPHASIS: "emph",
    InlineKind.STRIKETHROUGH: "strike",
    InlineKind.HIGHLIGHT: "highlight",
    InlineKind.SUBSCRIPT: "sub",
    InlineKind.SUPERSCRIPT: "super",
}
_LINKS = frozenset({InlineKind.LINK, InlineKind.MENTION, InlineKind.BUTTON})
_SILENT = frozenset({InlineKind.ANCHOR, InlineKind.ICON})
_HINTS = frozenset({"info", "success", "warning", "danger"})
_SMALL = frozenset({"break", "anchor", "icon"})
_SETS_ONLY = re.compile(
    r"</?(?:span|div|p|center|pre|u|ins|small|big|font|section|nobr|wbr|picture|source|figure|button)\b", re.IGNORECASE
)


@frozen
class Destination:
    """Where a link leads: to an address on the web, or to an ``anchor`` of the page with this ``place`` in the book."""

    url: str = ""
    place: int | None = None
    anchor: str = ""


@frozen
class Surroundings:
    """Looks up what a page refers to; ``None`` is unknown, and the page's own words are shown."""

    leads_to: Callable[[str], Destination | None] = lambda _target: None
    title_of: Callable[[str], str | None] = lambda _target: None
    picture: Callable[[str], str | None] = lambda _target: None
    """Returns the name of a picture's file beside the template."""
    included: Callable[[str], tuple[ParsedPage, Surroundings] | None] = lambda _path: None
    value_of: Callable[[str], str | None] = lambda _expression: None
    described: Callable[[Block], Operation | tuple[Field, ...] | None] = lambda _block: None
    """Returns the operation, or the schemas, of an API that a block names."""
    words: Words = ENGLISH


@frozen
class Written:
    """The nodes of a page, its anchors as links of the template name them, and how often each character stands in it.

    Characters of ASCII are not counted: every font has them. ``formulas`` counts those that stand as they are written.
    """

    nodes: Nodes
    anchors: tuple[str, ...]
    characters: Counter[str] = field(default_factory=Counter)
    formulas: int = 0


def write_page(page: ParsedPage, place: int, depth: int, surroundings: Surroundings) -> Written:
    """Return the nodes of a page at a place in a book, whose own title is a heading of level ``depth``."""
    writer = _Writer(page, place, depth, surroundings)
    nodes = writer.blocks(page.blocks, 0)
    return Written(nodes, tuple(writer.anchors), writer.characters, writer.formulas)


def label_of(place: int, anchor: str = "") -> str:
    """Return the name under which the template finds a page, or a place in it."""
    return f"{place}#{loose_anchor(anchor) if anchor else ''}"


class _Writer:
    def __init__(self, page: ParsedPage, place: int, depth: int, surroundings: Surroundings) -> None:
        self.anchors: dict[str, None] = {}
        self.characters: Counter[str] = Counter()
        self.formulas = 0
        self._page = page
        self._place = place
        self._depth = depth
        self._surroundings = surroundings
        self._headings = {heading.line: heading.anchor for heading in outline(page)}
        self._including: tuple[str, ...] = ()
        self._longest_word = _LONGEST_WORD

    # Text

    def text(self, source: str, *, hyphenated: bool = True) -> str:
        """Return text to typeset: without control characters, and with breaks in words longer than a line."""
        text = clean_text(source)
        if not text.isascii():
            self.characters.update(filter(needs_glyph, text))
            text = _LONG_RUN.sub(lambda run: _cut(run[0], _LONGEST_WORD // 4), text)
        longest = self._longest_word
        return _words_from(longest).sub(lambda word: _break_word(word[0], longest, hyphenated), text)

    def inlines(self, inlines: Iterable[Inline], depth: int = 0) -> Nodes:
        """Return inline text."""
        nodes: Nodes = []
        for inline in inlines:
            added = self._inline(inline, depth)
            if not nodes and depth == 0 and added and isinstance(added[0], str):
                added[0] = added[0].lstrip(" ")  # what is left where an icon stood
            if nodes and inline.kind is InlineKind.BUTTON and not _ends_with_blank(nodes[-1]):
                nodes.append(" ")
            nodes += filter(None, added)
        return nodes

    def _inline(self, inline: Inline, depth: int) -> Nodes:
        kind = inline.kind
        if depth > DEEPEST:
            return [self.text(plain_text((inline,)))]
        if kind is InlineKind.TEXT:
            return [self.text(inline.text.replace("\n", " "))]
        if kind is InlineKind.SOFT_BREAK:
            return [" "]
        if kind is InlineKind.BREAK:
            return [{"k": "break"}]
        if kind in (InlineKind.CODE, InlineKind.MATH):
            text = inline.text if kind is InlineKind.CODE else " ".join(math_text(inline.text).split()) or inline.text
            if kind is InlineKind.MATH:
                return [{"k": "emph", "c": [self.text(text)]}]
            return [{"k": "code", "c": [self.text(text, hyphenated=False)]}]
        if kind is InlineKind.EXPRESSION:
            value = self._surroundings.value_of(inline.text)
            if value is not None:
                return [self.text(value)]
            return [{"k": "code", "c": [self.text(inline.text, hyphenated=False)]}]
        if kind is InlineKind.EMOJI:
            return [self.text(emoji(inline.text))]
        if kind is InlineKind.FOOTNOTE:
            return [{"k": "super", "c": self._link(f"#fn-{inline.text}", [self.text(inline.text)])}]
        if kind is InlineKind.IMAGE:
            return self._inline_picture(inline)
        if kind is InlineKind.HTML:
            return [] if _SETS_ONLY.match(inline.text) or is_comment(inline.text) else [self.text(inline.text)]
        if kind in _LINKS:
            return self._link(inline.target, self._link_words(inline, depth))
        if kind in _SILENT:
            return self._anchor(inline.target) if kind is InlineKind.ANCHOR else []
        within = [*([self.text(inline.text)] if inline.text else []), *self.inlines(inline.children, depth + 1)]
        return [{"k": _MARKS[kind], "c": within}] if kind in _MARKS else within

    def _link_words(self, inline: Inline, depth: int) -> Nodes:
        title = self._surroundings.title_of(inline.target) if inline.kind is InlineKind.MENTION else None
        if title:
            return [self.text(title)]
        return self.inlines(inline.children, depth + 1) or [self.text(inline.text or inline.target)]

    def _link(self, target: str, words: Nodes) -> Nodes:
        if target.startswith("#"):
            leads = Destination(place=self._place, anchor=target[1:])
        else:
            leads = self._surroundings.leads_to(target) or Destination()
        if leads.place is not None:
            return [{"k": "link", "to": label_of(leads.place, leads.anchor), "c": words}]
        if leads.url:
            return [{"k": "link", "url": printable(leads.url), "c": words}]
        return words

    def _inline_picture(self, inline: Inline) -> Nodes:
        file = self._surroundings.picture(inline.target) if inline.target else None
        alternative = self.text(on_one_line(inline.text))
        if file is not None:
            return [{"k": "icon", "src": file, "alt": alternative}]
        return self._link(inline.target, [alternative or self.text(inline.target)])

    def _anchor(self, anchor: str) -> Nodes:
        label = label_of(self._place, anchor)
        if not anchor or label in self.anchors:
            return []
        self.anchors[label] = None
        return [{"k": "anchor", "label": label}]

    # Blocks

    def blocks(self, blocks: Iterable[Block], depth: int) -> Nodes:
        """Return consecutive blocks; those that are nested too deeply are replaced by their content."""
        nodes: Nodes = []
        for block in blocks:
            if depth > DEEPEST and block.children:
                for each in block.walk():
                    if each.text:
                        nodes.append({"k": "par", "c": self._words(each)})
                continue
            write = _WRITE.get(block.kind, _Writer.holder)
            nodes += write(self, block, depth)
        return nodes

    def _words(self, block: Block) -> Nodes:
        return self.inlines(self._page.inline(block))

    def paragraph(self, block: Block, depth: int) -> Nodes:
        """Return a paragraph; pictures that stand alone in it as figures."""
        inlines = self._page.inline(block)
        shown = [
            each
            for each in inlines
            if each.kind not in (InlineKind.SOFT_BREAK, InlineKind.BREAK)
            and not (each.kind is InlineKind.TEXT and not each.text.strip())
        ]
        if shown and all(each.kind is InlineKind.IMAGE for each in shown):
            return [
                node for each in shown for node in self._figure(each.target, each.text, [self.text(each.title)], "")
            ]
        # Strong words alone are a heading to who reads them.
        leads = [each.kind for each in shown] == [InlineKind.STRONG]
        return [{"k": "par", "leads": leads, "c": self.inlines(inlines)}] if inlines else []

    def heading(self, block: Block, depth: int) -> Nodes:
        """Return a heading with its anchors."""
        inlines = [each for each in self._page.inline(block) if each.kind is not InlineKind.ANCHOR]
        label = label_of(self._place, self._headings.get(block.start, ""))
        own = label not in self.anchors and not label.endswith("#")
        if own:
            self.anchors[label] = None
        level = self._depth + block.level
        words = self.inlines(inlines)
        return [{"k": "heading", "level": level, "size": block.level, "label": label if own else "", "c": words}]

    def divider(self, block: Block, depth: int) -> Nodes:
        """Return a line across."""
        return [{"k": "divider"}]

    def code(self, block: Block, depth: int) -> Nodes:
        """Return code with its title."""
        language = block.attributes.get("language", "")
        title = " ".join(block.attributes.get("title", "").split())
        text = self.text(block.text, hyphenated=False)
        # Colours of long code take as much time and memory as the rest of a book.
        language = language.lower() if len(text) <= _LONGEST_COLOURED else ""
        return [{"k": "source", "text": text, "lang": language, "title": self.text(title)}]

    def quote(self, block: Block, depth: int) -> Nodes:
        """Return a quotation."""
        return [{"k": "quote", "c": self.blocks(block.children, depth + 1)}]

    def list(self, block: Block, depth: int) -> Nodes:
        """Return a list with its items."""
        items = [
            {"checked": item.attributes.get("checked"), "c": self.blocks(item.children, depth + 1)}
            for item in block.children
        ]
        ordered = block.attributes.get("ordered") == "true"
        return [{"k": "list", "start": block.level if ordered else None, "items": items}]

    def table(self, block: Block, depth: int) -> Nodes:
        """Return a table, or cards."""
        rows = [[cell for cell in row.children if cell.kind is BlockKind.TABLE_CELL] for row in block.children]
        heads = rows[0] if rows and any(cell.attributes.get("header") == "true" for cell in rows[0]) else []
        body = rows[1:] if heads else rows
        if block.attributes.get("data-view") == "cards":
            return self._cards(heads, body)
        shown = [
            at
            for at in range(max(map(len, rows), default=0))
            if at >= len(heads) or "data-hidden" not in heads[at].attributes
        ]
        if not shown:
            return []
        with self._in_columns(len(shown)):
            head = [self._cell(heads, at) for at in shown] if any(cell.text for cell in heads) else []
            cells = [[self._cell(row, at) for at in shown] for row in body]
        return [_table([_align(rows, at) for at in shown], head, cells)]

    @contextmanager
    def _in_columns(self, columns: int) -> Iterator[None]:
        """Break words within that do not fit in one of this number of columns."""
        before, self._longest_word = self._longest_word, max(min(_CHARACTERS_ACROSS // columns, _LONGEST_WORD), 2)
        yield
        self._longest_word = before

    def _cell(self, row: Sequence[Block], at: int) -> Nodes:
        return self._words(row[at]) if at < len(row) else []

    def _cards(self, heads: Sequence[Block], rows: Iterable[Sequence[Block]]) -> Nodes:
        """Return each card as its words, its picture left out where it is only a cover, linked to its target."""
        cards = []
        for row in rows:
            words: list[Nodes] = []
            target = ""
            for at, cell in enumerate(row):
                attributes = heads[at].attributes if at < len(heads) else {}
                if "data-card-target" in attributes:
                    target = target or next(iter(_targets(self._page.inline(cell))), cell.text.strip())
                elif "data-card-cover" not in attributes and attributes.get("data-type") != "files":
                    words.append(self._words(cell))
            words = [each for each in words if each]
            cards.append({"title": self._link(target, words[0] if words else [self.text(target)]), "c": words[1:]})
        return [{"k": "cards", "cards": cards}]

    def figure(self, block: Block, depth: int) -> Nodes:
        """Return a picture with its caption, or pictures that stand together."""
        if block.children:
            return self.blocks(block.children, depth + 1)
        attributes = block.attributes
        caption: Nodes = self._words(block) if block.text else [self.text(attributes.get("caption", ""))]
        return self._figure(attributes.get("src", ""), attributes.get("alt", ""), caption, attributes.get("width", ""))

    def _figure(self, source: str, alternative: str, caption: Nodes, width: str) -> Nodes:
        file = self._surroundings.picture(source) if source else None
        alternative = " ".join(alternative.split())
        return [
            {
                "k": "figure",
                "src": file or "",
                "alt": self.text(alternative),
                "instead": self._link(source, [self.text(alternative or source)]),
                "caption": [each for each in caption if each],
                "width": int(found[0]) if (found := re.match(r"\d{1,4}", width)) else None,
                "share": int(found[0]) if (found := re.fullmatch(r"(\d{1,3})%", width)) else None,
            }
        ]

    def footnote(self, block: Block, depth: int) -> Nodes:
        """Return a footnote, in the place where it is written."""
        name = block.name or block.attributes.get("label", "")
        anchor = self._anchor(f"fn-{name}")
        return [*anchor, {"k": "note", "name": self.text(name), "c": self.blocks(block.children, depth + 1)}]

    def math(self, block: Block, depth: int) -> Nodes:
        """Return a formula as readable text, else as written: TeX is not typeset."""
        read = math_text(block.text)
        if not read or "\\begin" in block.text or _UNREAD.search(read):
            self.formulas += 1
            return [{"k": "source", "text": self.text(block.text.strip()), "lang": "latex", "title": ""}]
        lines: Nodes = []
        for line in read.split("\n"):
            lines += [{"k": "break"}] if lines else []
            lines.append({"k": "emph", "c": [self.text(line)]})
        return [{"k": "center", "c": lines}]

    def reference(self, block: Block, depth: int) -> Nodes:
        """Return nothing: definitions of links are not read."""
        return []

    def html(self, block: Block, depth: int) -> Nodes:
        """Return the words of HTML."""
        words = self.inlines(inline_html(without_comments(block.text)))
        return [{"k": "par", "c": words}] if any(each != " " for each in words) else []

    def hint(self, block: Block, depth: int) -> Nodes:
        """Return a hint."""
        style = block.attributes.get("style", "info")
        return [
            {
                "k": "hint",
                "style": style if style in _HINTS else "info",
                "c": self.blocks(block.children, depth + 1),
            }
        ]

    def tabs(self, block: Block, depth: int) -> Nodes:
        """Return tabs one after another, each under its title; other content between them stays in place."""
        nodes: Nodes = []
        for tab in block.children:
            is_tab = tab.kind is BlockKind.TAB
            nodes += (
                self._titled_nodes(tab, tab.attributes.get("title", ""), depth) if is_tab else self.blocks([tab], depth)
            )
        return nodes

    def stepper(self, block: Block, depth: int) -> Nodes:
        """Return steps, numbered; other content between them stays in place."""
        nodes: Nodes = []
        number = 0
        for step in block.children:
            if step.kind is BlockKind.STEP:
                number += 1
                nodes.append({"k": "step", "number": number, "c": self.blocks(step.children, depth + 1)})
            else:
                nodes += self.blocks([step], depth)
        return nodes

    def columns(self, block: Block, depth: int) -> Nodes:
        """Return columns beside each other."""
        columns = [
            self.blocks(column.children if column.kind is BlockKind.COLUMN else [column], depth + 1)
            for column in block.children
        ]
        return [{"k": "columns", "columns": columns}] if columns else []

    def expandable(self, block: Block, depth: int) -> Nodes:
        """Return an expandable, open."""
        title = plain_text(self._page.inline(block))
        return self._titled_nodes(block, title, depth, self._words(block))

    def _titled_nodes(self, block: Block, title: str, depth: int, words: Nodes | None = None) -> Nodes:
        anchor = self._anchor(block.attributes.get("id", "") or title)
        title_nodes = words if words is not None else [self.text(" ".join(title.split()))]
        return [*anchor, {"k": "titled", "title": title_nodes, "c": self.blocks(block.children, depth + 1)}]

    def embed(self, block: Block, depth: int) -> Nodes:
        """Return an embed or a file as a link with its caption."""
        url = block.attributes.get("url", "") or block.attributes.get("src", "")
        name = self._surroundings.title_of(url) or url.partition("?")[0].rstrip("/").rpartition("/")[2] or url
        words = block.attributes.get("caption", "") or (url if block.kind is BlockKind.EMBED else name)
        return [
            {"k": "pointer", "c": self._link(url, [self.text(words)])},
            *self.blocks(block.children, depth + 1),
        ]

    def content_ref(self, block: Block, depth: int) -> Nodes:
        """Return a reference to a page as a link."""
        url = block.attributes.get("url", "") or block.attributes.get("page", "")
        title = self._surroundings.title_of(url)
        if title is None:
            texts = (plain_text(self._page.inline(child)) for child in block.children if child.text)
            title = next(filter(None, texts), url)
        return [{"k": "pointer", "c": self._link(url, [self.text(title)])}]

    def include(self, block: Block, depth: int) -> Nodes:
        """Return the included text, unless it includes itself."""
        path = block.attributes.get("path", "") or block.attributes.get("url", "")
        found = self._surroundings.included(path) if path not in self._including else None
        if found is None:
            return [{"k": "pointer", "c": [self.text(path)]}, *self.blocks(block.children, depth + 1)]
        before = self._page, self._surroundings, self._headings, self._including
        self._page, self._surroundings = found
        self._headings, self._including = {}, (*self._including, path)
        nodes = self.blocks(self._page.blocks, depth + 1)
        self._page, self._surroundings, self._headings, self._including = before
        return nodes

    def operation(self, block: Block, depth: int) -> Nodes:
        """Return the method and path of an API's operation, and what the block itself says about it."""
        attributes = block.attributes
        known = self._surroundings.described(block) if block.kind is BlockKind.OPENAPI else None
        if isinstance(known, Operation):
            return [*self._operation_nodes(known, depth), *self.holder(block, depth)]
        if known is not None:
            return [*self._fields(self._surroundings.words.schema, known, depth), *self.holder(block, depth)]
        method, path = (attributes.get(name, "") for name in ("method", "path"))
        words = attributes.get("summary", "") or attributes.get("schemas", "") or attributes.get("description", "")
        if not method and not path:
            # Part of an operation: a parameter or a response.
            title = " ".join(filter(None, (attributes.get("name", ""), attributes.get("status", ""), words)))
            return [{"k": "titled", "title": [self.text(title)], "c": self.holder(block, depth)}]
        head = {"k": "operation", "method": self.text(method.upper()), "path": self.text(path), "c": [self.text(words)]}
        return [head, *self.holder(block, depth)]

    def _operation_nodes(self, operation: Operation, depth: int) -> Nodes:
        """Return an operation with its parameters, the body of its request, and its responses."""
        names = self._surroundings.words
        deprecated = names.deprecated if operation.deprecated else ""
        words = " · ".join(filter(None, (operation.summary, deprecated, operation.remark)))
        method, path = self.text(operation.method.upper()), self.text(operation.path)
        nodes: Nodes = [{"k": "operation", "method": method, "path": path, "c": [self.text(words)]}]
        nodes += self._markdown(operation.description, depth)
        nodes += self._fields(names.parameter, operation.parameters, depth)
        if operation.body is not None:
            nodes += self._body(names.request_body, operation.body.description, operation.body.contents, depth)
        for response in operation.responses:
            nodes += self._body(response.status, response.description, response.contents, depth)
        return nodes

    def _body(self, title: str, says: str, contents: Iterable[Content], depth: int) -> Nodes:
        within = self._markdown(says, depth)
        for content in contents:
            words = [", ".join(content.media_types), content.schema.type if content.schema is not None else ""]
            fields: Nodes = []
            if content.schema is not None:
                kind = content.schema.choice.capitalize() or self._surroundings.words.field
                fields = self._fields(kind, content.schema.fields or content.schema.alternatives, depth)
            has_same_content = self.text(" · ".join(filter(None, words)))
            within += [{"k": "par", "leads": bool(fields), "c": [has_same_content]}, *fields]
        return [{"k": "titled", "title": [self.text(title)], "c": within}]

    def _fields(self, title: str, fields: Sequence[Field], depth: int) -> Nodes:
        """Return a table of fields; those within others under names with dots."""
        words = self._surroundings.words
        rows: list[list[Nodes]] = []
        ahead = [("", field) for field in reversed(fields)]
        while ahead and len(rows) < MOST_FIELDS:
            prefix, field = ahead.pop()
            schema, name = field.schema, prefix + field.name
            ahead += [(f"{name}.", each) for each in reversed((*schema.fields, *schema.alternatives))]
            marks = (
                field.place,
                words.required if field.required else "",
                words.deprecated if field.deprecated else "",
            )
            values = f"one of {', '.join(schema.values)}" if schema.values else ""
            facts = "; ".join(filter(None, (*marks, *schema.facts, schema.cut, values)))
            with self._in_columns(3):
                says = self._markdown(field.description or schema.description, depth)
                more: Nodes = [{"k": "par", "c": [self.text(facts)]}] if facts else []
                named: Nodes = [{"k": "code", "c": [self.text(name, hyphenated=False)]}]
                rows.append([named, [self.text(schema.type)], [*says, *more]])
        if ahead:
            rows.append([["…"], [f"{len(ahead):,} more"], []])
        head: list[Nodes] = [[self.text(each)] for each in (title, words.type, words.description)]
        return [_table(["left"] * 3, head, rows)] if rows else []

    def _markdown(self, text: str, depth: int) -> Nodes:
        """Return a text in Markdown that is not of the page."""
        before = self._page, self._headings
        self._page, self._headings = parse_page(text), {}
        nodes = self.blocks(self._page.blocks, depth + 1)
        self._page, self._headings = before
        return nodes

    def update(self, block: Block, depth: int) -> Nodes:
        """Return an update under its date."""
        date, tags = (block.attributes.get(name, "") for name in ("date", "tags"))
        words = " · ".join(filter(None, [date.strip(), *(tag.strip() for tag in tags.split(","))]))
        return [{"k": "titled", "title": [self.text(words)], "c": self.blocks(block.children, depth + 1)}]

    def condition(self, block: Block, depth: int) -> Nodes:
        """Return conditional content, with its condition."""
        title = ["Shown only if ", {"k": "code", "c": [self.text(block.attributes.get("expression", ""))]}]
        return [{"k": "titled", "title": title, "c": self.holder(block, depth)}]

    def prompt(self, block: Block, depth: int) -> Nodes:
        """Return a prompt under its description."""
        title = [self.text(block.attributes.get("description", "") or "Prompt")]
        return [{"k": "titled", "title": title, "c": self.holder(block, depth)}]

    def holder(self, block: Block, depth: int) -> Nodes:
        """Return the content of a block without a form of its own, or its source if it has none."""
        own = block.text and not block.text.startswith("{%")
        words: Nodes = [{"k": "par", "c": self._words(block)}] if own else []
        return [*words, *self.blocks(block.children, depth + 1)]


_WRITE: Mapping[BlockKind, Callable[[_Writer, Block, int], Nodes]] = {
    BlockKind.PARAGRAPH: _Writer.paragraph,
    BlockKind.HEADING: _Writer.heading,
    BlockKind.DIVIDER: _Writer.divider,
    BlockKind.CODE: _Writer.code,
    BlockKind.QUOTE: _Writer.quote,
    BlockKind.LIST: _Writer.list,
    BlockKind.TABLE: _Writer.table,
    BlockKind.FIGURE: _Writer.figure,
    BlockKind.FOOTNOTE: _Writer.footnote,
    BlockKind.MATH: _Writer.math,
    BlockKind.REFERENCE: _Writer.reference,
    BlockKind.HTML: _Writer.html,
    BlockKind.HINT: _Writer.hint,
    BlockKind.TABS: _Writer.tabs,
    BlockKind.STEPPER: _Writer.stepper,
    BlockKind.COLUMNS: _Writer.columns,
    BlockKind.EXPANDABLE: _Writer.expandable,
    BlockKind.EMBED: _Writer.embed,
    BlockKind.FILE: _Writer.embed,
    BlockKind.CONTENT_REF: _Writer.content_ref,
    BlockKind.INCLUDE: _Writer.include,
    BlockKind.OPENAPI: _Writer.operation,
    BlockKind.SWAGGER: _Writer.operation,
    BlockKind.UPDATE: _Writer.update,
    BlockKind.IF: _Writer.condition,
    BlockKind.PROMPT: _Writer.prompt,
}


def _align(rows: Iterable[Sequence[Block]], at: int) -> str:
    found = next((row[at].attributes.get("align", "") for row in rows if at < len(row)), "")
    return found if found in ("left", "center", "right") else "left"


def _targets(inlines: Iterable[Inline]) -> Iterable[str]:
    for inline in inlines:
        if inline.target:
            yield inline.target
        yield from _targets(inline.children)


def needs_glyph(character: str) -> bool:
    """Whether a font may lack a character: ASCII is in all of them, and blanks and controls are not drawn."""
    return not character.isascii() and not character.isspace() and category(character) not in ("Cf", "Zs", "Zl", "Zp")


def _ends_with_blank(node: Node) -> bool:
    return isinstance(node, str) and node.endswith(" ")


def _table(align: Sequence[str], head: Sequence[Nodes], rows: Iterable[Sequence[Nodes]]) -> Node:
    """Return a table. A row that takes few lines, however narrow its columns are, is not split between pages."""
    on_a_line = max(_CHARACTERS_ACROSS // 2 // len(align), 1)
    set_rows = [
        {"whole": all(_length(cell, on_a_line) <= _MOST_LINES_KEPT * on_a_line for cell in row), "cells": row}
        for row in rows
    ]
    return {"k": "table", "columns": len(align), "align": align, "head": head, "rows": set_rows}


def _length(nodes: Iterable[Node], on_a_line: int) -> float:
    """Return the number of characters that nodes take on lines of a given length."""
    return sum(len(node) if isinstance(node, str) else _length_of(node, on_a_line) for node in nodes)


def _length_of(node: Mapping[str, Any], on_a_line: int) -> float:
    if node["k"] in _SMALL:
        return on_a_line
    return on_a_line + _length(node["c"], on_a_line) if "c" in node else math.inf


def clean_text(text: str) -> str:
    """Return text without controls, and with no more marks on a letter than languages need."""
    shown = printable(text)
    return shown if shown.isascii() else _many_marks().sub(lambda marks: marks[0][:_MOST_STACKED], shown)


@cache
def _many_marks() -> re.Pattern[str]:
    marks = (character for at in range(sys.maxunicode) if category(character := chr(at)) in ("Mn", "Me"))
    return re.compile(f"[{''.join(marks)}]{{{_MOST_STACKED + 1},}}")


@cache
def _words_from(length: int) -> re.Pattern[str]:
    return re.compile(rf"[!-~]{{{length},}}")


def _break_word(word: str, longest: int, hyphenated: bool) -> str:
    """Return a word with places to break, after its parts where it has some; words of letters may have hyphens."""
    parts = _END_OF_PART.sub(_ZERO_WIDTH_SPACE, word).split(_ZERO_WIDTH_SPACE)
    return _ZERO_WIDTH_SPACE.join(
        part
        if len(part)
        < (_LONGEST_WORD if hyphenated and part.rstrip(".,:;!?").isalpha() else min(longest, _LONGEST_WORD // 2))
        else _cut(part, min(longest // 2, _LONGEST_WORD // 4))
        for part in parts
    )


def _cut(text: str, length: int) -> str:
    return _ZERO_WIDTH_SPACE.join(text[at : at + length] for at in range(0, len(text), length))
