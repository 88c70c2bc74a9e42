"""Where the blocks that comments name by their keys stand in the Markdown of a page.

Keys are in the rich text of the page, lines in its Markdown; blocks that say the same in both are the same block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recto.document.line_edits import edits
from recto.document.markdown.block_keys import block_at_line, block_source, replace_block
from recto.document.markdown.blocks import Block, BlockKind, plain_text
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.text import on_one_line
from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.rich_text import Document

_LONGEST_COMPARED = 400
_INLINE = frozenset(
    {BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.TABLE_CELL, BlockKind.FIGURE, BlockKind.EXPANDABLE}
)


@frozen
class Anchors:
    """The blocks of a page's text with their keys; ``None`` for a block that the rich text does not name."""

    page: ParsedPage
    keys: tuple[str | None, ...]

    @cached_property
    def _blocks(self) -> tuple[Block, ...]:
        return tuple(self.page.walk())

    @cached_property
    def _by_key(self) -> dict[str, Block]:
        return {key: block for key, block in zip(self.keys, self._blocks, strict=True) if key is not None}

    @cached_property
    def _indexes(self) -> tuple[str, ...]:
        return tuple(str(index) for index in range(len(self.keys)))

    def key_at(self, line: int) -> str | None:
        """Return the key of the block at a line, counted from 1."""
        meant = block_at_line(self.page, line, self._indexes)
        if meant is None:
            return None
        own = self.keys[int(meant.key)]
        if own is not None:
            return own
        around = [
            (block.end - block.start, key)
            for key, block in self._by_key.items()
            if block.start <= meant.block.start and meant.block.end <= block.end
        ]
        return min(around)[1] if around else None

    def lines_of(self, key: str) -> tuple[int, int] | None:
        """Return the first and the last line of a block, counted from 1; ``None`` where the text has no such block."""
        block = self._by_key.get(key)
        return (block.start + 1, max(block.start + 1, block.end)) if block is not None else None

    def source_of(self, key: str) -> str | None:
        """Return the source of a block, as the start of a suggestion; ``None`` if the text has no such block."""
        block = self._by_key.get(key)
        return block_source(self.page, block) if block is not None else None

    def key_of_source(self, beginning: str) -> str | None:
        """Return the key of the only block whose source begins so, for comments that lost their block."""
        wanted = _letters(beginning)
        found = [key for key in self._by_key if wanted and _letters(self.source_of(key) or "").startswith(wanted)]
        # A list, its first item and the paragraph in that begin alike: the innermost is meant.
        inner = [key for key in found if self._by_key[key].end <= min(self._by_key[other].end for other in found)]
        starts = {self._by_key[key].start for key in found}
        return inner[-1] if len(starts) == 1 else None

    def first_line_of(self, key: str) -> str:
        """Return the beginning of a block, on one line."""
        return on_one_line(self.source_of(key) or "")[:80]

    def replace_block(self, key: str, text: str) -> str:
        """Return the page's text with the source of a block replaced; ``KeyError`` where the block is missing."""
        place = self.keys.index(key) if key in self._by_key else None
        if place is None:
            raise KeyError(key)
        return replace_block(self.page.source, self._indexes[place], text, self._indexes)


def _letters(text: str) -> str:
    """Return a text without its white space, which may have been written otherwise since."""
    return "".join(text.split())


def find_anchors(text: str, document: Document | None) -> Anchors:
    """Find the blocks of a page's rich text in its Markdown."""
    page = parse_page(text)
    ours = [_comparable(_block_text(page, block)) for block in page.walk()]
    theirs = list(_keyed_blocks(_nodes_of(document))) if document is not None else []
    keys: list[str | None] = [None] * len(ours)
    reached_ours = reached_theirs = 0
    sent = [words for _, words in theirs]
    for edit in [*edits(sent, ours), None]:
        stop = edit.before_start if edit else len(theirs)
        for place in range(stop - reached_theirs):
            keys[reached_ours + place] = theirs[reached_theirs + place][0]
        if edit:
            if edit.before_end - edit.before_start == edit.after_end - edit.after_start:
                for place in range(edit.before_end - edit.before_start):
                    keys[edit.after_start + place] = theirs[edit.before_start + place][0]
            reached_theirs, reached_ours = edit.before_end, edit.after_end
    return Anchors(page, tuple(keys))


def _nodes_of(document: Document) -> Sequence[Mapping[str, Any]]:
    from recto.document.rich_text.fragments import document_nodes

    return document_nodes(document)


def _comparable(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum()).casefold()[:_LONGEST_COMPARED]


def _block_text(page: ParsedPage, block: Block) -> str:
    own = plain_text(page.inline(block)) if block.kind in _INLINE and block.text else block.text
    parts = [own]
    for child in block.children:
        parts.append(_block_text(page, child))
        if sum(map(len, parts)) > 2 * _LONGEST_COMPARED:
            break
    return "".join(parts)


def _keyed_blocks(nodes: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the blocks of rich text that have a key, each before those within it, with what they say."""
    for node in nodes:
        if node.get("object") != "block":
            continue
        if node.get("key"):
            yield node["key"], _comparable(_node_text(node))
        yield from _keyed_blocks(node["nodes"])


def _node_text(node: Mapping[str, Any]) -> str:
    data = node["data"]
    own = str(data.get("source") or data.get("formula") or "") if node.get("isVoid") else ""
    if node.get("type") == "expandable":
        own = str(data.get("title") or "")
    leaves = "".join(str(leaf.get("text") or "") for leaf in node["leaves"])
    return own + leaves + "".join(_node_text(child) for child in node["nodes"])
