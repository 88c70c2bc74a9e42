"""Pictures: a picture below its caption, and the pictures of a line beside each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from recto.document.markdown.blocks import Block, BlockKind, Inline, InlineKind
from recto.document.text import on_one_line
from recto.pattern import pattern
from recto.tui.look.signs import size_text
from recto.tui.render.inline_prose import LINK
from recto.tui.render.leaf import Frame, Leaf, Part, Row, TextLeaf
from recto.tui.render.leaf_builder import LeafBuilder
from recto.tui.render.line_breaks import break_lines
from recto.tui.render.picture_source import Pictures, Source
from recto.tui.render.prose import Prose, ProseBuilder, clean, prose_of
from recto.tui.render.side_by_side import MOST, BesideLeaf, Cell
from recto.tui.render.surroundings import FileFacts, name_of

_HOLDS_PICTURES = frozenset((BlockKind.COLUMNS, BlockKind.TABLE, BlockKind.PARAGRAPH, BlockKind.FIGURE, BlockKind.HTML))


class PictureLeaf(TextLeaf):
    """The words that name a picture, and the picture below them while it is shown."""

    def __init__(
        self, block: Block, frame: Frame, words: str, make: Callable[[], Prose], source: Source, pictures: Pictures
    ) -> None:
        super().__init__(block, frame, words, make, end=min(block.start + 1, block.end))
        self.source = source
        self._pictures = pictures

    def folds(self) -> tuple[object, ...]:
        """Return the choices that its visible rows depend on, beside the width."""
        return (*super().folds(), self._pictures.state(self.source))

    def estimate(self, width: int) -> int:
        """Guess the words, and know the picture."""
        return super().estimate(width) + self._pictures.height(self.source, max(2, width - self.frame.cells))

    def _lay_out(self, width: int) -> list[Row]:
        rows = super()._lay_out(width)
        _first, rest, room = self._lead_spans(width)
        drawn = self._pictures.draw(self.source, room)
        words = clean(on_one_line(drawn.words))
        lines = [words[start:end] for start, end in break_lines(words, room)] if words else []
        rows += (Row(rest, (Part(line, drawn.role),), still=True) for line in lines)
        rows += (Row(rest, parts, still=True) for parts in drawn.rows)
        return rows


def source_of(
    block: Block, src: str, known: FileFacts | None, name: str, *, width: str = "", ground: str = "background"
) -> Source:
    """Return the source of a picture that a page names as ``src``; only addresses on the web and files are known."""
    on_web = src.lower().startswith(("https://", "http://"))
    address = known.address if known is not None else src if on_web else ""
    return Source(address, name, known is not None, width, block.start, ground)


def pictures_in(leaf: Leaf) -> Iterator[tuple[PictureLeaf, int]]:
    """Yield the pictures of a leaf, each with the offset in the leaf's text at which its words begin."""
    if isinstance(leaf, PictureLeaf):
        yield leaf, 0
    elif isinstance(leaf, BesideLeaf) and leaf.block.kind in _HOLDS_PICTURES:
        for inner, start in leaf.inner():
            yield from ((picture, start + offset) for picture, offset in pictures_in(inner))


_LEAST = 24
"""The width in cells below which pictures are stacked."""

_LONGEST = 8_000
"""Characters of a text that is looked through for whether it is nothing but pictures."""

_MAY_BE_PICTURES = pattern(r"[\s*_]*+\[?\s*+(?:!\[|<(?:img|a|p|div|center|span|picture)\b)", re.IGNORECASE)
_SETS_PICTURES = pattern(r"<!--|</?(?:p|div|center|span|picture|source|figure)\b", re.IGNORECASE)
_SILENT = frozenset((InlineKind.ANCHOR, InlineKind.BREAK, InlineKind.SOFT_BREAK))
_AROUND = frozenset((InlineKind.LINK, InlineKind.STRONG, InlineKind.EMPHASIS))


def figure(page: LeafBuilder, block: Block, frame: Frame, attributes: Mapping[str, str]) -> None:
    """Add the caption of a picture: its description, the name of its file, its measures and its size.

    The caption links to ``href``, by default to the picture.
    """
    src, alternative = attributes.get("src", ""), on_one_line(attributes.get("alt", ""))
    known = page.surroundings.file_at(src) if src else None
    # The address of a picture that is written out on the page is the whole of it.
    name = known.name if known is not None else "" if src.lower().startswith("data:") else name_of(src)
    named = [alternative, name if name != alternative else ""]
    if known is not None:
        named += [f"{known.width} x {known.height}" if known.width and known.height else ""]
        named += [size_text(known.size) if known.size else ""]
    first, *rest = [part for part in named if part] or ["picture"]
    leads = attributes.get("href", "") or src
    writing = ProseBuilder()
    writing.write(first, LINK if leads else "", leads or None)
    for part in rest:
        writing.write(f" · {part}", "muted")
    words = writing.prose()
    source = source_of(block, src, known, name or "The picture", width=attributes.get("width", ""))
    inner = frame.within(("▨ ", "muted"), ("  ", ""))
    page.add(PictureLeaf(block, inner, words.text, lambda: words, source, page.surroundings.pictures))
    if caption := attributes.get("caption", ""):
        page.label(block, frame.below.within(("  ", ""), ("  ", "")), prose_of(on_one_line(caption), "muted italic"))


def figures_beside(page: LeafBuilder, block: Block, frame: Frame, figures: Sequence[Block]) -> None:
    """Add the pictures that a block is made of beside each other, as far as there is room."""
    if page.whole or len(figures) > MOST:
        # Singly: together they would be this line again.
        for one in figures:
            page.inner((one,), frame)
            frame = frame.below
    else:
        cells = [Cell(page.collect((one,))) for one in figures]
        page.add(BesideLeaf(block, frame, cells, most=len(cells), least=_LEAST, air=0))


def may_be_pictures(source: str) -> bool:
    """Whether a text begins like a text of pictures only, which is worth parsing."""
    return len(source) <= _LONGEST and _MAY_BE_PICTURES.match(source) is not None


def pictures_alone(page: LeafBuilder, block: Block, frame: Frame, inlines: Iterable[Inline]) -> bool:
    """Add a text that is nothing but pictures; return whether it is."""
    found = [_attributes(one, href) for one, href in _walk(inlines, "")]
    if not found or None in found:
        return False
    known = [attributes for attributes in found if attributes is not None]
    if len(known) == 1:
        figure(page, block, frame, known[0])
    else:
        blank = replace(block, kind=BlockKind.FIGURE, text="", name="figure", markup="html")
        figures_beside(page, block, frame, [replace(blank, attributes=attributes) for attributes in known])
    return True


def _walk(inlines: Iterable[Inline], href: str) -> Iterator[tuple[Inline, str]]:
    """Yield all that has content, with its link."""
    for inline in inlines:
        if inline.kind in _AROUND:
            yield from _walk(inline.children, inline.target or href)
        elif inline.kind is InlineKind.HTML:
            if not _SETS_PICTURES.match(inline.text):
                yield inline, href
        elif inline.kind not in _SILENT and (inline.kind is not InlineKind.TEXT or inline.text.strip()):
            yield inline, href


def _attributes(inline: Inline, href: str) -> Mapping[str, str] | None:
    if inline.kind is not InlineKind.IMAGE:
        return None
    return {**inline.attributes, "src": inline.target, "alt": inline.text, "caption": inline.title, "href": href}
