"""Pages: Markdown parsed into blocks at once, and into inline text block by block on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from recto.document.markdown.block_tree import build
from recto.document.markdown.blocks import Block, BlockKind, Inline, InlineKind
from recto.document.markdown.front_matter import FrontMatter, split_front_matter
from recto.document.markdown.inline import inline_html, inline_markdown, part_anchor
from recto.document.markdown.inline_places import Place, inline_places
from recto.document.markdown.levelling import level_tags
from recto.document.text import normalise_line_ends, strip_bom
from recto.frozen import frozen

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LONGEST_CACHED = 500
"""The most characters of a text whose parts are cached, for a text of many marks takes much memory."""


@frozen
class ParsedPage:
    """A parsed page. Lines of blocks are those of ``source``, front matter included, counted from 0."""

    source: str
    front_matter: FrontMatter
    blocks: tuple[Block, ...]
    _env: dict[str, object] = field(repr=False, compare=False)

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines of the source, without their ends."""
        return self.source.split("\n")

    def walk(self) -> Iterator[Block]:
        """Yield all blocks, each before those within it, in reading order."""
        for block in self.blocks:
            yield from block.walk()

    def source_of(self, block: Block) -> str:
        """Return the lines a block was written in, without the last line end."""
        return "\n".join(self.lines[block.start : block.end])

    def inline(self, block: Block) -> tuple[Inline, ...]:
        """Parse the text of a heading, paragraph, cell, caption or summary."""
        if block.markup == "html":
            return inline_html(block.text)
        if block.markup == "none":
            return (Inline(InlineKind.TEXT, block.text),)
        if block.kind is BlockKind.HEADING and block.text.endswith("}"):
            text, anchor = part_anchor(block.text)
            return (*inline_markdown(text, _inline_parser(), self._env), *anchor)
        if self._env and "[" in block.text:
            return inline_markdown(block.text, _inline_parser(), self._env)
        return parse_inline(block.text)

    def places(self, block: Block) -> list[Place]:
        """Return where marks, links, code and the like stand in the Markdown of a heading, paragraph or cell."""
        return inline_places(block.text, self._env)


def parse_page(text: str) -> ParsedPage:
    """Parse a page into its tree of blocks. Whatever the text is, this succeeds and every line is in some block.

    A byte-order mark is dropped and line ends become ``\\n``; otherwise ``source`` is the text.
    """
    source = normalise_line_ends(strip_bom(text))
    front_matter, body = split_front_matter(source)
    env: dict[str, object] = {}
    tokens = _parser().parse(level_tags(body), env)
    blocks = build(tokens, source.split("\n"), front_matter.lines)
    return ParsedPage(source, front_matter, blocks, env)


def parse_inline(text: str) -> tuple[Inline, ...]:
    """Parse the text of a block without definitions of links: it uses none, or stands on no page.

    The inline text of a page is read when it is shown, edited, searched and written, mostly unchanged each time.
    """
    return _parse_short(text) if len(text) <= _LONGEST_CACHED else inline_markdown(text, _inline_parser(), {})


@lru_cache(maxsize=512)
def _parse_short(text: str) -> tuple[Inline, ...]:
    return inline_markdown(text, _inline_parser(), {})


@cache
def _parser() -> MarkdownIt:
    """Return the parser, importing markdown-it when the first page is parsed."""
    from recto.document.markdown.parser import make_parser

    return make_parser()


@cache
def _inline_parser() -> MarkdownIt:
    from recto.document.markdown.parser import for_inline

    return for_inline(_parser())
