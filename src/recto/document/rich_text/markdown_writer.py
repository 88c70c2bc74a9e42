"""Rich text written as Markdown that means the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from recto.contract.rich_text import Document
from recto.document.markdown.blocks import plain_text
from recto.document.markdown.html_tags import ATTRIBUTE_NAME
from recto.document.markdown.inline import inline_html
from recto.document.rich_text.fragments import document_nodes
from recto.document.rich_text.html_writer import figures_html, needs_html, table_html
from recto.document.rich_text.inline_nodes import address, placeholder, reference
from recto.document.rich_text.inline_writer import text_of_nodes, write_inline_markdown
from recto.document.rich_text.rich_pages import POINTERS, TAG_NAMES, page_nodes

Node = Mapping[str, Any]

_SOURCE_ALONE = frozenset({"html", "reference"})
_HIDDEN = frozenset({"tag", "ref", "source"})
_LISTS = frozenset({"list-ordered", "list-unordered", "list-tasks"})
_LAST_NUMBER = 999_999_999  # a list in Markdown counts with nine digits
_CODE_ATTRIBUTES = ("title", "overflow", "lineNumbers", "expandable", "fullWidth")
_RULES = {"left": ":---", "center": ":---:", "right": "---:"}


def to_markdown(document: Document) -> str:
    """Write rich text as Markdown; blocks that carry their source are written from it."""
    return write_nodes(document_nodes(document), _Writer())


def write_fresh(nodes: Sequence[Node], bullet: str) -> str:
    """Write valid nodes as Markdown from their content alone, lists with this bullet."""
    return write_nodes(nodes, _Writer(bullet, fresh=True))


def is_source_alone(node: Node) -> bool:
    """Whether a block has no content but the source that it carries."""
    return node.get("type") in _SOURCE_ALONE


def write_nodes(nodes: Sequence[Node], writer: _Writer) -> str:
    """Write sound nodes, with a line end after the last."""
    text = writer.blocks(nodes)
    return f"{text}\n" if text else ""


def _number(value: object, least: int, most: int) -> int:
    """Return a number, limited to the allowed range; 1 for other values."""
    number = int(value) if isinstance(value, int) or (isinstance(value, str) and value.isdecimal()) else 1
    return max(least, min(number, most))


class _Writer:
    """Writes blocks; with ``fresh``, from their content alone, never from the source that they carry."""

    def __init__(self, bullet: str = "-", *, fresh: bool = False) -> None:
        self._bullets = (bullet, "*" if bullet == "-" else "-")
        self._fresh = fresh

    def blocks(self, nodes: Sequence[Node]) -> str:
        """Write blocks in sequence; adjacent lists have different markers."""
        parts: list[str] = []
        before: Node | None = None
        turned = False
        for node in nodes:
            turned = before is not None and node.get("type") in _LISTS and not turned and _same_list(before, node)
            text = self._list(node, turned) if node.get("type") in _LISTS else self._block(node)
            if text:
                parts.append(text)
                before = node
        return "\n\n".join(parts)

    def _block(self, node: Node) -> str:
        type, data, nodes = str(node.get("type", "")), node.get("data") or {}, node.get("nodes") or []
        if "source" in data and (type in _SOURCE_ALONE if self._fresh else has_same_meaning(node)):
            return str(data["source"])
        if type == "paragraph":
            return write_inline_markdown(nodes)
        if type.startswith("heading-"):
            level = _number(data.get("level") or type.removeprefix("heading-"), 1, 6)
            # Number signs at the end of a heading would not be part of it.
            text = re.sub(r"(?<!\\)#\Z", r"\\#", write_inline_markdown(nodes, one_line=True))
            return f"{'#' * level} {text}".rstrip()
        if type == "code":
            return _code(data, nodes)
        if type == "blockquote":
            return "\n".join(f"> {line}".rstrip() for line in self.blocks(nodes).split("\n"))
        if type == "table":
            in_html = needs_html(data, nodes) or str(data.get("source", "")).startswith("<")
            return table_html(data, nodes) if in_html else _table(nodes)
        if type == "divider":
            return "***"
        if type == "math":
            return f"$$\n{data.get('formula', text_of_nodes(nodes))}\n$$"
        if type == "footnote" and nodes and data.get("label"):
            first, *rest = self.blocks(nodes).split("\n")
            return "\n".join([f"[^{data['label']}]: {first}", *(f"    {line}" if line else "" for line in rest)])
        if type == "footnote":
            return str(data.get("source", ""))
        if type == "expandable":
            return self._expandable(data, nodes)
        if type in ("images", "drawing") and nodes:
            return figures_html(nodes)
        if type == "image":
            return figures_html([node])
        if type in TAG_NAMES or "tag" in data:
            return self._write_tag(node, str(data.get("tag") or TAG_NAMES.get(type, type)), data, nodes)
        return self._other(type, data, nodes)

    def _other(self, type: str, data: Node, nodes: Sequence[Node]) -> str:
        """Write a block of an unknown type: its content, or else a comment from which it is read again."""
        if not nodes:
            return placeholder(type, data)
        if all(child.get("object") == "block" for child in nodes):
            return self.blocks(nodes)
        return write_inline_markdown(nodes)

    def _list(self, node: Node, turned: bool) -> str:
        items = [item for item in node.get("nodes") or [] if item.get("object") == "block"]
        ordered = node["type"] == "list-ordered"
        first = _number((node.get("data") or {}).get("start", 1), 0, _LAST_NUMBER)
        lines: list[str] = []
        for number, item in enumerate(items, first):
            marker = f"{number}{')' if turned else '.'} " if ordered else f"{self._bullets[turned]} "
            lines.append(self._list_item(item, marker))
        return ("\n" if all(_is_tight(item) for item in items) else "\n\n").join(lines)

    def _list_item(self, item: Node, marker: str) -> str:
        nodes = item.get("nodes") or []
        checked = (item.get("data") or {}).get("checked")
        if all(child.get("object") == "block" for child in nodes):
            if _is_tight(item) and nodes:
                parts = [self._block(nodes[0]), self.blocks(nodes[1:])]
                body = "\n".join(part for part in parts if part)
            else:
                body = self.blocks(nodes)
        else:
            body = write_inline_markdown(nodes)
        if checked is not None:
            body = f"[{'x' if checked else ' '}] {body}"
        indent = " " * len(marker)
        lines = body.split("\n")
        return "\n".join([f"{marker}{lines[0]}".rstrip(), *(f"{indent}{line}" if line else "" for line in lines[1:])])

    def _expandable(self, data: Node, nodes: Sequence[Node]) -> str:
        summary, title = str(data.get("summary") or ""), str(data.get("title", ""))
        if "title" in data and plain_text(inline_html(summary)).split() != title.split():
            summary = escape(title, quote=False)
        opening = f"<details{' open' if data.get('open') else ''}>"
        body = self.blocks(nodes)
        return "\n\n".join(part for part in (f"{opening}\n\n<summary>{summary}</summary>", body, "</details>") if part)

    def _write_tag(self, node: Node, name: str, data: Node, nodes: Sequence[Node]) -> str:
        pointer = POINTERS.get(str(node.get("type", "")))
        if pointer and "ref" in data and (pointer not in data or reference(str(data[pointer])) != data["ref"]):
            data = {**data, pointer: address(data["ref"])}
        attributes = {key: value for key, value in data.items() if key not in _HIDDEN}
        if name == "if":
            opening = f"{{% if {data.get('expression', '')} %}}"
        elif name == "include":
            opening = f'{{% include "{data.get("path", "")}" %}}'
        else:
            opening = f"{{% {name}{_attributes(attributes)} %}}"
        if node.get("isVoid") or (name in ("include", "embed", "file") and not nodes):
            return opening
        space = "\n\n" if any("source" in (child.get("data") or {}) for child in (*nodes[:1], *nodes[-1:])) else "\n"
        return space.join(part for part in (opening, self.blocks(nodes), f"{{% end{name} %}}") if part)


def _same_list(before: Node, node: Node) -> bool:
    ordered = "list-ordered"
    return before.get("type") in _LISTS and (before["type"] == ordered) == (node["type"] == ordered)


def has_same_meaning(node: Node) -> bool:
    """Whether the source that a block carries still means the same as the block."""
    if node.get("type") in _SOURCE_ALONE:
        return True
    read = page_nodes(str(node["data"]["source"]))
    return len(read) == 1 and _without_keys(read[0]) == _without_keys(node)


def _without_keys(node: Node) -> Node:
    """Return a node without its keys and with all that it may leave out."""
    return {
        **{name: node.get(name) for name in ("object", "type", "text")},
        "data": node.get("data") or {},
        **{name: [_without_keys(child) for child in node.get(name) or []] for name in ("nodes", "leaves", "marks")},
    }


def _is_tight(item: Node) -> bool:
    types = [child.get("type") for child in item.get("nodes") or []]
    return all(type in _LISTS for type in types[1:]) and types[:1] in ([], ["paragraph"])


def _code(data: Node, nodes: Sequence[Node]) -> str:
    text = "\n".join(text_of_nodes(line.get("nodes") or []) for line in nodes)
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    info = " ".join(str(data[name]) for name in ("syntax", "info") if data.get(name))
    fenced = f"{fence}{info}\n{text}\n{fence}"
    attributes = {name: data[name] for name in _CODE_ATTRIBUTES if name in data}
    return f"{{% code{_attributes(attributes)} %}}\n{fenced}\n{{% endcode %}}" if attributes else fenced


def _table(rows: Sequence[Node]) -> str:
    cells = [row.get("nodes") or [] for row in rows]
    if not cells:
        return ""
    columns = max(len(row) for row in cells)
    lines = []
    for row in cells:
        texts = [write_inline_markdown(cell.get("nodes") or [], one_line=True, in_table=True) for cell in row]
        lines.append("| " + " | ".join(texts + [""] * (columns - len(texts))) + " |")
    aligns = [str((cell.get("data") or {}).get("align", "")) for cell in cells[0]]
    rules = [_RULES.get(align, "---") for align in aligns + [""] * (columns - len(aligns))]
    lines.insert(1, "| " + " | ".join(rules) + " |")
    return "\n".join(lines)


def _attributes(attributes: Node) -> str:
    named = ((name, value) for name, value in attributes.items() if ATTRIBUTE_NAME.fullmatch(name))
    return "".join(f" {name}={_quote(value)}" for name, value in named)


def _quote(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    text = re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("%}", "%&#125;").replace("\n", "&#10;")
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return '"' + text.replace('"', "&quot;") + '"'
