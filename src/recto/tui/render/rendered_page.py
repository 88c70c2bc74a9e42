"""Pages laid out for reading: leaves, outline and the targets of links."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeGuard

from recto.document.markdown.blocks import Block, BlockKind, InlineKind, plain_text, walk_inlines
from recto.document.markdown.html_tags import comments, is_comment
from recto.document.markdown.math_text import shifted_letters
from recto.document.markdown.outline import Heading, block_anchor, outline
from recto.document.markdown.page import ParsedPage, parse_page
from recto.frozen import frozen
from recto.tui.render.block_leaves import leaves_of
from recto.tui.render.contents import OutlineEntry, contents, is_operation
from recto.tui.render.folds import Fold
from recto.tui.render.leaf import BARE, Leaf, TextLeaf
from recto.tui.render.prose import Link, prose_of
from recto.tui.render.surroundings import ALONE, Surroundings


@frozen
class RenderedPage:
    """A page ready to be set at any width."""

    page: ParsedPage
    leaves: Sequence[Leaf]
    surroundings: Surroundings = ALONE

    @cached_property
    def headings(self) -> Sequence[tuple[int, int]]:
        """The headings, the title among them, and operations: the leaf of each, and the offset in its text."""
        found: list[tuple[int, int]] = []
        named: set[int] = set()
        for index, leaf in enumerate(self.leaves):
            for inner, offset in leaf.places():
                block = inner.block
                # An operation may take several leaves, of which the first names it.
                if block.kind is BlockKind.HEADING or (is_operation(block) and id(block) not in named):
                    found.append((index, offset))
                    named.add(id(block))
        return found

    @cached_property
    def folds(self) -> Sequence[Fold]:
        """The folds of the page, each once."""
        folds = (option.fold for leaf in self.leaves for option in leaf.options())
        return list({id(fold): fold for fold in folds}.values())

    @cached_property
    def outline(self) -> tuple[Heading, ...]:
        """The page's own headings in order."""
        return outline(self.page)

    @cached_property
    def contents(self) -> tuple[OutlineEntry, ...]:
        """What the outline lists: the headings, and the operations under them."""
        return contents(self.page, self.outline, self.surroundings)

    @cached_property
    def comments(self) -> int:
        """How many comments the page has, none of which is shown."""
        found = 0
        for block in self.page.walk():
            if block.kind is BlockKind.HTML:
                found += sum(1 for _ in comments(block.text))
            elif "<!--" in block.text and block.kind is not BlockKind.CODE:
                inlines = walk_inlines(self.page.inline(block))
                found += sum(1 for each in inlines if each.kind is InlineKind.HTML and is_comment(each.text))
        return found

    @cached_property
    def _anchors(self) -> Mapping[str, int]:
        anchors = {heading.anchor: heading.line for heading in reversed(self.outline)}
        for block in self.page.walk():
            if anchor := block_anchor(block):
                anchors.setdefault(anchor, block.start)
            if "<a" in block.text:
                for inline in walk_inlines(self.page.inline(block)):
                    if inline.kind is InlineKind.ANCHOR and inline.target:
                        anchors.setdefault(inline.target, block.start)
        return anchors

    @cached_property
    def _lines(self) -> Sequence[int]:
        # A leaf of a nested block may begin above its predecessor only where HTML is strange.
        highest = 0
        lines = []
        for leaf in self.leaves:
            highest = max(highest, leaf.line)
            lines.append(highest)
        return lines

    def line_of_anchor(self, name: str) -> int | None:
        """Return the source line that ``#name`` leads to, or ``None``."""
        return self._anchors.get(name, self._anchors.get(name.lower()))

    def leaf_at(self, line: int) -> int:
        """Return the leaf in which a source line stands, or the leaf before it."""
        index = max(0, bisect_right(self._lines, line) - 1)
        # Several leaves may begin at one line, such as a hint's name and its text: the first is meant.
        while index and self._lines[index - 1] == self._lines[index] and self.leaves[index - 1].line >= 0:
            index -= 1
        return index

    def place_at(self, line: int) -> tuple[int, int]:
        """Return the leaf in which a source line stands, and the offset in its text at which that line begins."""
        index = self.leaf_at(line)
        leaf = self.leaves[index]
        if leaf.block.kind is not BlockKind.COLUMNS:
            return index, 0
        above = [offset for inner, offset in leaf.places() if inner.line <= line]
        return index, above[-1] if above else 0

    def heading_after(self, leaf: int, offset: int) -> tuple[int, int] | None:
        """Return the next heading that can be seen: its leaf, and the offset in its text."""
        return next((place for place in self.headings if place > (leaf, offset) and self._is_seen(place)), None)

    def heading_before(self, leaf: int, offset: int) -> tuple[int, int] | None:
        """Return the last heading before this place that can be seen: its leaf, and the offset in its text."""
        above = (place for place in reversed(self.headings) if place < (leaf, offset))
        return next((place for place in above if self._is_seen(place)), None)

    def _is_seen(self, place: tuple[int, int]) -> bool:
        leaf, offset = place
        return self.leaves[leaf].shows(offset)

    def link_after(self, leaf: int, offset: int) -> tuple[int, Link] | None:
        """Return the first link that begins at or after an offset of a leaf, and its leaf."""
        for index in range(leaf, len(self.leaves)):
            for link in self._links(index):
                if index > leaf or link.start >= offset:
                    return index, link
        return None

    def link_before(self, leaf: int, offset: int) -> tuple[int, Link] | None:
        """Return the last link that begins before an offset of a leaf, and its leaf."""
        # An empty page has no leaves, although the cursor is on the first.
        for index in range(min(leaf, len(self.leaves) - 1), -1, -1):
            for link in reversed(self._links(index)):
                if index < leaf or link.start < offset:
                    return index, link
        return None

    def _links(self, index: int) -> Sequence[Link]:
        leaf = self.leaves[index]
        if not leaf.may_link or leaf.is_hidden:
            return ()
        return [link for link in leaf.prose().links if leaf.shows(link.start)]

    def find(self, needle: str, *, by_words: bool = False) -> list[tuple[int, int, int]]:
        """Yield each match of a text, or of any of its words, regardless of case, superscript and subscript.

        A place is the leaf, and the offsets in the leaf's text. A word is found by its beginning, as a search finds it.
        """
        texts = needle.split() if by_words else [needle]
        if not needle or not texts:
            return []
        before = r"(?<![^\W_])" if by_words else ""
        wanted = _any_of(before + re.escape(text) if text.isascii() else re.escape(text) for text in texts)
        anywhere = _any_of(
            "".join(f"[{re.escape(letter)}{shifted_letters(letter)}]" for letter in text) for text in texts
        )
        return [
            (index, found.start(), found.end())
            for index, leaf in enumerate(self.leaves)
            for found in (wanted if leaf.text().isascii() or by_words else anywhere).finditer(leaf.text())
        ]


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    # Of two that begin alike the longer counts.
    return re.compile("|".join(sorted(patterns, key=len, reverse=True)), re.IGNORECASE)


def read(
    title: str,
    markdown: str,
    description: str | None = None,
    surroundings: Surroundings = ALONE,
    chosen: Mapping[str, int] | None = None,
) -> RenderedPage:
    """Parse a page. Its title stands at the top unless the text begins with it; front matter may hold a description.

    ``chosen`` says by key which part of its folds is shown.
    """
    page = _with_plain_title(parse_page(markdown), title)
    leaves = leaves_of(page.blocks, page.inline, surroundings=surroundings, chosen=chosen)
    first = page.blocks[0] if page.blocks else None
    titled = not title or (_is_title(first) and _words(plain_text(page.inline(first))) == _words(title))
    top = leaves[:1] if titled and leaves and leaves[0].block is first else []
    rest = leaves[len(top) :]
    if not titled:
        heading = Block(BlockKind.HEADING, 0, 0, title, level=1)
        top = [TextLeaf(heading, BARE, title, lambda: prose_of(title, "strong"), rule="━")]
    description = description or str(page.front_matter.values.get("description") or "")
    if description.strip():
        about = " ".join(description.split())
        block = Block(BlockKind.PARAGRAPH, 0, 0, about)
        top.append(TextLeaf(block, BARE, about, lambda: prose_of(about, "muted")))
    if rest and len(top) > titled:
        rest[0].gap = 1
    return RenderedPage(page, [*top, *rest], surroundings)


def _with_plain_title(page: ParsedPage, title: str) -> ParsedPage:
    """Read the heading at the top as plain words where it is written like the title, which is no Markdown."""
    first = page.blocks[0] if page.blocks else None
    if not _is_title(first):
        return page
    written = (first.text, page.source_of(first).strip().removeprefix("#"))
    if _words(title) not in map(_words, written):
        return page
    return replace(page, blocks=(replace(first, text=title, markup="none"), *page.blocks[1:]))


def _is_title(block: Block | None) -> TypeGuard[Block]:
    return block is not None and block.kind is BlockKind.HEADING and block.level == 1


def _words(text: str) -> list[str]:
    return text.split()
