"""Pages as rich text, the form in which the platform's editor holds them; and back to Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recto.document.block_keys import fresh_keys
from recto.document.blocks import Block, BlockKind, plain_text
from recto.document.markdown import Page, parse_page
from recto.document.rich_inline_nodes import inline_nodes, reference, text_node
from recto.document.rich_markdown import TAG_NAMES, to_markdown

if TYPE_CHECKING:
    from recto.contract.rich_text import Document

__all__ = ["to_document", "to_markdown"]

Node = dict[str, Any]

SCHEMA_VERSION = 1

# Kinds that keep their source as it stands: what is written in ways that rich text has no room for.
_VERBATIM = frozenset({BlockKind.HTML, BlockKind.REFERENCE, BlockKind.FOOTNOTE})

_TYPES = {
    BlockKind.QUOTE: "blockquote",
    BlockKind.TAB: "tabs-item",
    BlockKind.STEP: "stepper-step",
    BlockKind.INCLUDE: "reusable-content",
    BlockKind.PROMPT: "integration",
}
_CELL_END = re.compile(r"(?<!\\)\|")


def to_document(page: Page | str, keys: Sequence[str] | None = None) -> Document:
    """Return a page, without its front matter, as rich text whose blocks carry these keys (see ``block_keys``)."""
    from recto.contract.rich_text import Document

    parsed = parse_page(page) if isinstance(page, str) else page
    writer = _Writer(parsed, iter(keys if keys is not None else fresh_keys(parsed)))
    data = {"schemaVersion": SCHEMA_VERSION}
    return Document.model_validate({"object": "document", "data": data, "nodes": writer.nodes(parsed.blocks)})


class _Writer:
    """Turns blocks into nodes; takes one key for each block, in reading order."""

    def __init__(self, page: Page, keys: Iterator[str]) -> None:
        self._page = page
        self._keys = keys

    def nodes(self, blocks: Sequence[Block]) -> list[Node]:
        nodes: list[Node] = []
        pictures: tuple[int, int] | None = None
        for block in blocks:
            node = self._node(block)
            lines = (block.start, block.end) if block.kind is BlockKind.FIGURE else None
            if lines and lines == pictures:
                nodes[-1]["nodes"] += node["nodes"]  # pictures of one line stay together, as their source does
            else:
                nodes.append(node)
            pictures = lines
        return nodes

    def _node(self, block: Block) -> Node:
        key = next(self._keys)
        kind = block.kind
        if kind is BlockKind.PARAGRAPH:
            return _block("paragraph", key, {}, self._inline(block))
        if kind is BlockKind.HEADING:
            data = {} if block.level <= 3 else {"level": block.level}
            return _block(f"heading-{min(block.level, 3)}", key, data, self._inline(block))
        if kind is BlockKind.LIST:
            return self._list(block, key)
        if kind is BlockKind.LIST_ITEM:
            checked = block.attributes.get("checked")
            data = {} if checked is None else {"checked": checked == "true"}
            return _block("list-item", key, data, self.nodes(block.children))
        if kind is BlockKind.CODE:
            return _code(block, key)
        if kind is BlockKind.TABLE:
            return self._table(block, key)
        if kind is BlockKind.FIGURE:
            return self._images(block, key)
        if kind is BlockKind.DIVIDER:
            return _block("divider", key, {}, void=True)
        if kind is BlockKind.MATH:
            return _block("math", key, {"formula": block.text}, void=True)
        if kind in _VERBATIM:
            children = self.nodes(block.children)
            return _block(str(kind), key, {"source": self._source(block)}, children, void=not children)
        return self._tagged(block, key)

    def _source(self, block: Block) -> str:
        if block.kind is BlockKind.HTML or block.kind is BlockKind.REFERENCE:
            return block.text
        lead = len(self._page.lines[block.start]) - len(self._page.lines[block.start].lstrip())
        return "\n".join(line[lead:] if not line[:lead].strip() else line for line in self._lines(block))

    def _lines(self, block: Block) -> Sequence[str]:
        return self._page.lines[block.start : block.end]

    def _inline(self, block: Block) -> list[Node]:
        return inline_nodes(self._page.inline(block))

    def _list(self, block: Block, key: str) -> Node:
        if block.attributes["ordered"] == "true":
            return _block("list-ordered", key, {"start": block.level}, self.nodes(block.children))
        tasks = any("checked" in item.attributes for item in block.children)
        return _block("list-tasks" if tasks else "list-unordered", key, {}, self.nodes(block.children))

    def _table(self, block: Block, key: str) -> Node:
        data: Node = {name: value for name, value in block.attributes.items() if name.startswith("data-")}
        columns = len(block.children[0].children) if block.children else 0
        if block.markup == "html" or any(
            len(_CELL_END.split(line.strip().strip("|"))) > columns for line in self._lines(block)
        ):
            data["source"] = self._source(block)
        rows = []
        for row in block.children:
            row_key = next(self._keys)
            cells = [
                _block("table-cell", next(self._keys), cell.attributes, self._inline(cell)) for cell in row.children
            ]
            rows.append(_block("table-row", row_key, {}, cells))
        return _block("table", key, data, rows)

    def _images(self, block: Block, key: str) -> Node:
        attributes = {name: value for name, value in block.attributes.items() if name != "src"}
        data = {"ref": reference(block.attributes.get("src", "")), **attributes}
        image = _block("image", f"{key}-image", data, self._inline(block), void=not block.text)
        return _block("images", key, {"source": self._source(block)}, [image])

    def _tagged(self, block: Block, key: str) -> Node:
        """Return a block that is written as a tag; void where the tag has no end."""
        data: Node = dict(block.attributes)
        if block.kind is BlockKind.EXPANDABLE:
            data |= {"title": plain_text(self._page.inline(block)), "summary": block.text}
        type = block.name if block.kind is BlockKind.OPENAPI else _TYPES.get(block.kind, str(block.kind))
        if TAG_NAMES.get(type) != block.name and block.kind is not BlockKind.EXPANDABLE:
            data["tag"] = block.name
        for name in ("url", "src"):
            if name in data and block.kind in (BlockKind.CONTENT_REF, BlockKind.FILE):
                data["ref"] = reference(data[name])
        void = bool(block.text) and block.kind is not BlockKind.EXPANDABLE
        if void:
            data["source"] = block.text
        return _block(type, key, data, self.nodes(block.children), void=void)


def _block(
    type: str, key: str, data: Mapping[str, Any], nodes: list[Node] | None = None, *, void: bool = False
) -> Node:
    return {"object": "block", "type": type, "key": key, "isVoid": void, "data": dict(data), "nodes": nodes or []}


def _code(block: Block, key: str) -> Node:
    data: Node = {("syntax" if name == "language" else name): value for name, value in block.attributes.items()}
    lines = [
        _block("code-line", f"{key}-{number}", {}, [text_node(line)])
        for number, line in enumerate(block.text.split("\n"))
    ]
    return _block("code", key, data, lines)
