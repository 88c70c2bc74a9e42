"""A picture of a page: the line that names it, and below it the picture itself where a person asked for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from recto.document.markdown.blocks import Block, BlockKind
from recto.tui.render.beside import BesideLeaf
from recto.tui.render.breaking import break_lines
from recto.tui.render.drawn import Pictures, Source
from recto.tui.render.leaf import Frame, Leaf, Part, Row, TextLeaf
from recto.tui.render.prose import Prose, clean
from recto.tui.render.surroundings import FileFacts

_HOLDS_PICTURES = frozenset((BlockKind.COLUMNS, BlockKind.TABLE, BlockKind.PARAGRAPH, BlockKind.FIGURE, BlockKind.HTML))


class PictureLeaf(TextLeaf):
    """The words that name a picture, and the picture below them while it is shown."""

    def __init__(
        self, block: Block, frame: Frame, words: str, make: Callable[[], Prose], source: Source, pictures: Pictures
    ) -> None:
        super().__init__(block, frame, words, make, end=min(block.start + 1, block.end))
        self.source = source
        self._pictures = pictures

    def _folded(self) -> object:
        return self._pictures.state(self.source)

    def estimate(self, width: int) -> int:
        """Guess the words, and know the picture."""
        return super().estimate(width) + self._pictures.height(self.source, max(2, width - self.frame.cells))

    def _lay_out(self, width: int) -> list[Row]:
        rows = super()._lay_out(width)
        _first, rest, room = self._befores(width)
        drawn = self._pictures.drawn(self.source, room)
        words = clean(" ".join(drawn.words.split()))
        lines = [words[start:end] for start, end in break_lines(words, room)] if words else []
        rows += (Row(rest, (Part(line, drawn.role),), still=True) for line in lines)
        rows += (Row(rest, parts, still=True) for parts in drawn.rows)
        return rows


def source_of(
    block: Block, src: str, known: FileFacts | None, name: str, *, width: str = "", ground: str = "background"
) -> Source:
    """Return where a picture comes from that a page names as ``src``; only addresses on the web and files are known."""
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
