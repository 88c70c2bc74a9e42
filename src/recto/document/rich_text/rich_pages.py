"""Pages as rich text, the form in which the platform's editor holds them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from recto.contract.rich_text import Document
from recto.document.line_edits import edits
from recto.document.markdown.block_keys import fresh_keys
from recto.document.markdown.blocks import Block, BlockKind
from recto.document.markdown.page import ParsedPage, parse_inline, parse_page
from recto.document.rich_text.fragments import document_nodes, normalize_nodes, with_records, with_title
from recto.document.rich_text.inline_nodes import (
    INLINE,
    finished_inline_nodes,
    inline_nodes,
    read_placeholder,
    reference,
    text_node,
)

Node = dict[str, Any]

SCHEMA_VERSION = 1
_DATA = {"schemaVersion": SCHEMA_VERSION}
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")).encode

# Kinds that keep their source as it stands: rich text has no room for the ways in which they are written.
_VERBATIM = frozenset({BlockKind.HTML, BlockKind.REFERENCE, BlockKind.FOOTNOTE})

TAG_NAMES = {
    "hint": "hint",
    "tabs": "tabs",
    "tabs-item": "tab",
    "stepper": "stepper",
    "stepper-step": "step",
    "columns": "columns",
    "column": "column",
    "updates": "updates",
    "update": "update",
    "if": "if",
    "content-ref": "content-ref",
    "embed": "embed",
    "file": "file",
    "swagger": "swagger",
    "openapi-operation": "openapi-operation",
    "openapi-schemas": "openapi-schemas",
    "openapi-webhook": "openapi-webhook",
    "prompt": "prompt",
    "reusable-content": "include",
}
"""The tag that each type of block is written as, where ``tag`` names no other."""

POINTERS = {"content-ref": "url", "embed": "url", "file": "src", "reusable-content": "path"}
"""The attribute by which each type of block points at something, which rich text has as a reference in ``ref``."""

_TYPES = {
    BlockKind.QUOTE: "blockquote",
    BlockKind.TAB: "tabs-item",
    BlockKind.STEP: "stepper-step",
    BlockKind.INCLUDE: "reusable-content",
}
_KEY = re.compile(r"[\w-]{1,64}", re.ASCII)
_CELL_END = re.compile(r"(?<!\\)\|")


def to_document(page: ParsedPage | str, keys: Sequence[str] | None = None) -> Document:
    """Return a page, without its front matter, as rich text whose blocks carry these keys (see ``block_keys``)."""
    return Document.model_validate({"object": "document", "data": _DATA, "nodes": _nodes(page, keys)})


def document_json(page: ParsedPage | str, keys: Sequence[str] | None = None) -> bytes:
    """Return what :func:`to_document` does as the JSON that it is on the wire.

    No model is made of it, and each block is written by itself as soon as it is there: a large page has hundreds of
    thousands of nodes, which take ten times the memory of what is written, and other threads wait for as long as a
    validator or an encoder runs.
    """
    nodes = ",".join(_nodes(page, keys, _write))
    return f'{{"object":"document","data":{_encode(_DATA)},"nodes":[{nodes}]}}'.encode()


class _Written(str):
    """A node as JSON."""

    __slots__ = ()


def _write(node: Node) -> _Written:
    if "fragments" not in node and not any(isinstance(each, _Written) for each in node.get("nodes", ())):
        return _Written(_encode(node))
    fields = (
        f'"{name}":{_write_all(value) if name in ("nodes", "fragments") else _encode(value)}'
        for name, value in node.items()
    )
    return _Written(f"{{{','.join(fields)}}}")


def _write_all(nodes: Sequence[Any]) -> str:
    return f"[{','.join(node if isinstance(node, _Written) else _write(node) for node in nodes)}]"


def page_nodes(page: ParsedPage | str) -> list[Mapping[str, Any]]:
    """Return the nodes of a page, with keys of its own, in the form without fragments (see ``rich_fragments``)."""
    return normalize_nodes(_nodes(page, None))


def _nodes(
    page: ParsedPage | str, keys: Sequence[str] | None, finish: Callable[[Node], Any] = lambda node: node
) -> list[Any]:
    parsed = parse_page(page) if isinstance(page, str) else page
    return _Writer(parsed, iter(keys if keys is not None else fresh_keys(parsed)), finish).nodes(parsed.blocks)


def sent_keys(document: Document, page: ParsedPage) -> list[str | None]:
    """Return the key of each block of a page in the rich text it came from, in the order of ``ParsedPage.walk``.

    ``None`` where its key is missing, repeated or malformed.
    """
    places = [str(place) for place, _ in enumerate(page.walk())]
    found: dict[str, list[int]] = {}
    for sent, place in _same_blocks(document_nodes(document), normalize_nodes(_nodes(page, places))):
        if isinstance(sent, str) and _KEY.fullmatch(sent) and str(place).isdecimal():
            found.setdefault(sent, []).append(int(place))
    keys: list[str | None] = [None] * len(places)
    for key, named in found.items():
        if len(named) == 1:
            keys[named[0]] = key
    return keys


def _same_blocks(sent: Sequence[Any], written: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the keys of blocks that are the same in both, by what they are and say, and in order."""
    old, new = (
        [node for node in nodes if isinstance(node, dict) and node.get("object") == "block"]
        for nodes in (sent, written)
    )
    reached_old = reached_new = 0
    compared = [_comparable(node) for node in old], [_comparable(node) for node in new]
    for edit in [*edits(*compared), None]:
        same = (edit.before_start if edit else len(old)) - reached_old
        for one, other in zip(old[reached_old:][:same], new[reached_new:][:same], strict=True):
            yield one.get("key"), other.get("key")
            yield from _same_blocks(one.get("nodes") or [], other.get("nodes") or [])
        if edit:
            reached_old, reached_new = edit.before_end, edit.after_end


def _comparable(node: Node) -> tuple[str, str]:
    parts: list[str] = []
    ahead: list[Any] = [node]
    while ahead:
        each = ahead.pop()
        if isinstance(each, dict):
            parts.append(str(each.get("text") or ""))
            for name in ("leaves", "nodes"):
                ahead.extend(reversed(each.get(name) or []))
    return str(node.get("type")), " ".join("".join(parts).split())


class _Writer:
    """Turns blocks into nodes; takes a key for each block, in reading order, and finishes each node that is whole."""

    def __init__(self, page: ParsedPage, keys: Iterator[str], finish: Callable[[Node], Any]) -> None:
        self._page = page
        self._keys = keys
        self._finish = finish

    def nodes(self, blocks: Sequence[Block]) -> list[Any]:
        nodes: list[Any] = []
        pictures: tuple[int, int] | None = None
        for block in blocks:
            lines = (block.start, block.end) if block.kind is BlockKind.FIGURE else None
            if lines and lines == pictures:
                # Pictures of one line stay together, as their source does, which is made once for all of them.
                nodes[-1]["nodes"].append(self._image(block, next(self._keys)))
            else:
                if nodes:
                    nodes[-1] = self._finish(nodes[-1])
                nodes.append(self._node(block))
            pictures = lines
        if nodes:
            nodes[-1] = self._finish(nodes[-1])
        return nodes

    def _node(self, block: Block) -> Node:
        key = next(self._keys)
        kind = block.kind
        if kind is BlockKind.PARAGRAPH:
            return _block("paragraph", key, {}, self._finished_inline(block))
        if kind is BlockKind.HEADING:
            data = {} if block.level <= 3 else {"level": block.level}
            return _block(f"heading-{min(block.level, 3)}", key, data, self._finished_inline(block))
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
        if kind is BlockKind.HTML and block.text.startswith(f"<!-- {INLINE}"):
            return _block("paragraph", key, {}, inline_nodes(parse_inline(block.text)))
        if kind is BlockKind.HTML and (placeholder := read_placeholder(block.text)):
            return _block(placeholder[0], key, placeholder[1], void=True)
        if kind in _VERBATIM:
            children = self.nodes(block.children)
            label = {"label": block.name} if kind is BlockKind.FOOTNOTE else {}
            return _block(str(kind), key, {**label, "source": self._source(block)}, children, void=not children)
        return self._write_tagged(block, key)

    def _source(self, block: Block) -> str:
        if block.kind is BlockKind.HTML or block.kind is BlockKind.REFERENCE:
            return block.text
        lead = len(self._page.lines[block.start]) - len(self._page.lines[block.start].lstrip())
        return "\n".join(line[lead:] if not line[:lead].strip() else line for line in self._lines(block))

    def _lines(self, block: Block) -> Sequence[str]:
        return self._page.lines[block.start : block.end]

    def _finished_inline(self, block: Block) -> list[Any]:
        return finished_inline_nodes(self._page.inline(block), self._finish)

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
        return with_records(_block("table", key, data, rows))

    def _images(self, block: Block, key: str) -> Node:
        drawn = "gitbook-drawing" in block.attributes.get("class", "").split()
        data = {"source": self._source(block)}
        return _block("drawing" if drawn else "images", key, data, [self._image(block, key)])

    def _image(self, block: Block, key: str) -> Node:
        attributes = {name: value for name, value in block.attributes.items() if name != "src"}
        data = {"ref": reference(block.attributes.get("src", "")), **attributes}
        return _block("image", f"{key}-image", data, self._inline(block), void=not block.text)

    def _write_tagged(self, block: Block, key: str) -> Node:
        """Return a block that is written as a tag; void where the tag has no end."""
        data: Node = dict(block.attributes)
        type = _type(block)
        if block.kind is BlockKind.EXPANDABLE:
            return with_title(_block(type, key, data, self.nodes(block.children)), self._inline(block))
        if TAG_NAMES.get(type) != block.name:
            data["tag"] = block.name
        if (name := POINTERS.get(type)) in data and type != "embed":
            data["ref"] = reference(data[name])
        void = bool(block.text)
        if void:
            data["source"] = block.text
        return _block(type, key, data, self.nodes(block.children), void=void)


def _block(
    type: str, key: str, data: Mapping[str, Any], nodes: list[Node] | None = None, *, void: bool = False
) -> Node:
    return {"object": "block", "type": type, "key": key, "isVoid": void, "data": dict(data), "nodes": nodes or []}


def _type(block: Block) -> str:
    """Return the type of a block that is written as a tag."""
    if block.kind is BlockKind.OPENAPI:
        return block.name if block.name in TAG_NAMES else "openapi-operation"
    if block.kind is BlockKind.TAG and block.name.startswith("@"):
        return "integration"
    return _TYPES.get(block.kind, str(block.kind))


def _code(block: Block, key: str) -> Node:
    data: Node = {("syntax" if name == "language" else name): value for name, value in block.attributes.items()}
    lines = [
        _block("code-line", f"{key}-{number}", {}, [text_node(line)])
        for number, line in enumerate(block.text.split("\n"))
    ]
    return _block("code", key, data, lines)
