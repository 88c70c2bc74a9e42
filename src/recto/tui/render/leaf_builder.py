"""The builder of a page's leaves, with which each kind of block is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from recto.document.markdown.blocks import Block, BlockKind, Inline
from recto.document.markdown.page import parse_page
from recto.document.markdown.page_links import map_block_addresses, map_inline_addresses
from recto.document.text import on_one_line
from recto.tui.render.folds import Fold, FoldPart
from recto.tui.render.inline_prose import LINK, inline_prose
from recto.tui.render.leaf import BARE, Frame, Leaf, TextLeaf
from recto.tui.render.prose import Prose, ProseBuilder, prose_of
from recto.tui.render.surroundings import Included, Surroundings

Inlines = Callable[[Block], Sequence[Inline]]
"""Reads the inline text of a block."""

Draw = Callable[["LeafBuilder", Block, Frame], None]
"""Adds the leaves of one block."""

BAR = ("│ ", "line")
RULED = (1, 2)
"""The levels of headings that have a line under them."""

_DEEPEST = 40
_LONGEST = 8_000
"""Characters of a text that is laid out as a whole."""
_MOST_INCLUDED = 5
"""How deep a text may include others."""


class LeafBuilder:
    """The leaves so far; ``draw`` draws a block of any kind."""

    def __init__(
        self, draw: Draw, inlines: Inlines, surroundings: Surroundings, chosen: Mapping[str, int], *, whole: bool
    ) -> None:
        self.leaves: list[Leaf] = []
        self._draw = draw
        self.surroundings = surroundings
        self.whole = whole
        self.list_depth = 0
        self._inlines = inlines
        self._chosen = chosen
        self._depth = 0
        self._option: FoldPart | None = None
        self._included: list[str] = []

    def all(self, blocks: Iterable[Block], frame: Frame, around: Frame, *, gap: int, between: int = 1) -> None:
        """Unfold blocks that stand below each other; ``around`` is the frame of the blank rows above the first."""
        for block in _together(blocks):
            count = len(self.leaves)
            self._one(block, frame, around, gap)
            if len(self.leaves) > count:
                frame = around = frame.below
                # The line under a heading leaves enough space.
                gap = 0 if block.kind is BlockKind.HEADING and block.level in RULED else between

    def inner(self, blocks: Iterable[Block], frame: Frame) -> None:
        """Unfold what a block holds."""
        self.all(blocks, frame, frame, gap=0)

    def _one(self, block: Block, frame: Frame, around: Frame, gap: int) -> None:
        count = len(self.leaves)
        if self._depth >= _DEEPEST:
            self._flat(block, frame)
        else:
            self._depth += 1
            self._draw(self, block, frame)
            self._depth -= 1
        if len(self.leaves) > count:
            self.leaves[count].gap = gap
            self.leaves[count].gap_frame = around.below

    def _flat(self, block: Block, frame: Frame) -> None:
        # Nested deeper than anyone reads: all texts, below each other.
        for inner in block.walk():
            if inner.text:
                self.text(inner, frame)
                frame = frame.below

    # Leaves

    def add(self, *leaves: Leaf) -> None:
        """Add leaves."""
        for leaf in leaves:
            leaf.option = self._option
        self.leaves += leaves

    def inlines(self, block: Block) -> Sequence[Inline]:
        """Parse the inline text of a block."""
        return self._inlines(block)

    def reader(self) -> Callable[[Block, str], Prose]:
        """Return what reads the inline text of blocks of this text in a role, now or later."""
        inlines, surroundings = self._inlines, self.surroundings
        return lambda block, role: inline_prose(inlines(block), role, surroundings)

    def prose(self, block: Block, role: str = "") -> Prose:
        """Read the inline text of a block."""
        return self.reader()(block, role)

    def text(self, block: Block, frame: Frame, role: str = "", rule: str = "", end: int | None = None) -> None:
        """Add the inline text of a block; a very long text as several leaves."""
        read = self.reader()
        for piece in _pieces(block):
            make = partial(read, piece, role)
            self.add(TextLeaf(block, frame, piece.text, make, rule=rule, end=end))
            frame = frame.below

    def label(self, block: Block, frame: Frame, prose: Prose) -> None:
        """Add a line that names a block and belongs to its first source line."""
        self.add(TextLeaf(block, frame, prose.text, lambda: prose, end=min(block.start + 1, block.end)))

    def source(self, block: Block, frame: Frame) -> None:
        """Add a block as it stands in the source."""
        self.add(TextLeaf(block, frame, block.text, lambda: prose_of(block.text.rstrip("\n"), "faint")))

    # Folds

    def fold(self, block: Block, count: int, chosen: int, name: str = "") -> Fold:
        """Begin a fold that shows the part ``chosen``, unless the person chose another.

        ``name`` is unique among the folds of a block.
        """
        key = f"{'/'.join(self._included)}{block.kind}@{block.start}{name}"
        known = self._chosen.get(key, chosen)
        return Fold(key, count, known if known < count else chosen, self._option)

    @contextmanager
    def part(self, fold: Fold, number: int) -> Iterator[None]:
        """Add leaves to a part of the fold while the context is open."""
        before, self._option = self._option, FoldPart(fold, number)
        yield
        self._option = before

    def collect(self, blocks: Iterable[Block], frame: Frame = BARE) -> list[Leaf]:
        """Return the leaves of some blocks rather than add them, for what draws them itself."""
        before, self.leaves = self.leaves, []
        self.inner(blocks, frame)
        found, self.leaves = self.leaves, before
        if found:
            found[0].gap = 0
        return found

    def aside(self) -> LeafBuilder:
        """Return a builder for leaves that are added at this place later, on demand."""
        later = LeafBuilder(self._draw, self._inlines, self.surroundings, self._chosen, whole=self.whole)
        later._option, later._included = self._option, list(self._included)
        return later

    # Texts of others

    def include(self, path: str, content: Included, frame: Frame) -> list[Leaf]:
        """Return the leaves of a text that the page includes; none where it would include itself."""
        if path in self._included or len(self._included) >= _MOST_INCLUDED:
            return []
        page = parse_page(content.text or "")
        before = self._inlines, self.surroundings
        self._inlines, self.surroundings = page.inline, content.around or self.surroundings
        blocks: Iterable[Block] = page.blocks
        if (from_page := self.surroundings.from_page) is not None:
            self._inlines = lambda block: map_inline_addresses(page.inline(block), from_page)
            blocks = [map_block_addresses(block, from_page) for block in page.blocks]
        self._included.append(path)
        leaves = self.collect(blocks, frame)
        self._included.pop()
        self._inlines, self.surroundings = before
        return leaves

    def describe(self, text: str, frame: Frame) -> list[Leaf]:
        """Return the leaves of a text in a description, now or later; nothing in it folds."""
        page = parse_page(text)
        # Descriptions do not show descriptions, which could nest endlessly.
        alone = replace(self.surroundings, described=lambda _block: None)
        return LeafBuilder(self._draw, page.inline, alone, {}, whole=True).collect(page.blocks, frame)


def _together(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks; the pictures of a piece of HTML in a single block that holds them."""
    figures: list[Block] = []
    for block in blocks:
        if figures and not (block.kind is BlockKind.FIGURE and block.start == figures[0].start):
            yield _of_one_line(figures)
            figures = []
        if block.kind is BlockKind.FIGURE:
            figures.append(block)
        else:
            yield block
    if figures:
        yield _of_one_line(figures)


def _of_one_line(figures: Sequence[Block]) -> Block:
    first = figures[0]
    if len(figures) == 1:
        return first
    return Block(first.kind, first.start, figures[-1].end, children=tuple(figures), name=first.name)


def _pieces(block: Block) -> Iterator[Block]:
    """Yield a block, cut at line ends or blanks where it is too long to be read as a whole."""
    text = block.text
    while len(text) > _LONGEST:
        cut = max(text.rfind("\n", 0, _LONGEST), text.rfind(" ", 0, _LONGEST)) + 1 or _LONGEST
        yield replace(block, text=text[:cut])
        text = text[cut:]
    yield block if text is block.text else replace(block, text=text)


class Label:
    """The words that name a block."""

    def __init__(self, *words: str, role: str = "faint") -> None:
        self._writing = ProseBuilder()
        self._writing.write(" ".join(words), role)

    def title(self, text: str) -> Label:
        """Add a title."""
        return self._add(text, "strong")

    def target(self, href: str) -> Label:
        """Add an address that leads somewhere."""
        return self._add(href, LINK, href)

    def words(self, text: str, role: str = "muted") -> Label:
        """Add words."""
        return self._add(text, role)

    def rest(self, attributes: Mapping[str, str]) -> Label:
        """Add attributes as they are written."""
        for name, value in attributes.items():
            self._add(f"{name}={value}" if value != "true" else name, "faint")
        return self

    def _add(self, text: str, role: str, link: str | None = None) -> Label:
        if text:
            if self._writing.last:
                self._writing.write("  ")
            self._writing.write(on_one_line(text), role, link)
        return self

    def prose(self) -> Prose:
        """Return the label."""
        return self._writing.prose()
