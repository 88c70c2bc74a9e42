"""Rich text written as HTML, where Markdown has no form for it: tables with more than text, pictures with captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from recto.document.markdown.html_tags import write_attributes
from recto.document.rich_text.inline_nodes import address
from recto.document.rich_text.inline_writer import HTML_MARKS, code_element, emoji_of_points, text_of_nodes

Node = Mapping[str, Any]

_SAID = frozenset({"ref", "alt", "icon", "label", "id", "source"})
_IN_PIPES = frozenset({"align", "header"})


def needs_html(data: Node, rows: Sequence[Node]) -> bool:
    """Whether a table needs HTML: for its layout, or the purpose of its cells."""
    cells = [cell for row in rows for cell in row.get("nodes") or []]
    return any(name.startswith("data-") for name in data) or any(
        set(cell.get("data") or {}) - _IN_PIPES for cell in cells
    )


def table_html(data: Node, rows: Sequence[Node]) -> str:
    """Write a table; rows of nothing but headings are its head."""
    attributes = {name: value for name, value in data.items() if name != "source"}
    heads = 0
    while heads < len(rows) and all(_is_header(cell) for cell in rows[heads].get("nodes") or []):
        heads += 1
    parts = [
        f"<{name}>{''.join(map(_row, some))}</{name}>"
        for name, some in (("thead", rows[:heads]), ("tbody", rows[heads:]))
        if some
    ]
    return f"<table{write_attributes(attributes)}>{''.join(parts)}</table>"


def _is_header(cell: Node) -> bool:
    return (cell.get("data") or {}).get("header") == "true"


def _row(row: Node) -> str:
    return f"<tr>{''.join(map(_cell, row.get('nodes') or []))}</tr>"


def _cell(cell: Node) -> str:
    element = "th" if _is_header(cell) else "td"
    attributes = {name: value for name, value in (cell.get("data") or {}).items() if name != "header"}
    return f"<{element}{write_attributes(attributes)}>{write_inline_html(cell.get('nodes') or [])}</{element}>"


def figures_html(images: Sequence[Node]) -> str:
    """Write pictures that stand together, each with its caption."""
    return "".join(map(_figure, images))


def _figure(image: Node) -> str:
    data = image.get("data") or {}
    attributes = {name: value for name, value in data.items() if name != "ref" and isinstance(value, str)}
    picture = f"<img{write_attributes({'src': address(data.get('ref')), 'alt': '', **attributes})}>"
    nodes = image.get("nodes") or []
    caption = f"<p>{write_inline_html(nodes)}</p>" if text_of_nodes(nodes).strip() else ""
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def write_inline_html(nodes: Sequence[Node]) -> str:
    """Write inline text as HTML."""
    return "".join(
        "".join(map(_leaf, node.get("leaves") or [])) if node.get("object") == "text" else _inline(node)
        for node in nodes
    )


def _leaf(leaf: Node) -> str:
    text = escape(str(leaf.get("text", "")), quote=False).replace("\n", "<br>")
    for mark in reversed(leaf.get("marks") or []):
        data = dict(mark.get("data") or {})
        element = code_element(data) if mark.get("type") == "code" else HTML_MARKS.get(str(mark.get("type")))
        data.pop("element", None)
        if element:
            text = f"<{element}{write_attributes(data)}>{text}</{element}>"
    return text


def _inline(node: Node) -> str:
    type, data = str(node.get("type", "")), node.get("data") or {}
    text = write_inline_html(node.get("nodes") or [])
    others = {name: value for name, value in data.items() if name not in _SAID and isinstance(value, str)}
    target = address(data.get("ref"))
    match type:
        case "link":
            return f"<a{write_attributes({'href': target, **others})}>{text}</a>"
        case "mention":
            return f"<a{write_attributes({'data-mention': 'true', **others, 'href': target})}>{text}</a>"
        case "button":
            return f"<a{write_attributes({'class': 'button', **others, 'href': target})}>{text}</a>"
        case "inline-image" | "image":
            return f"<img{write_attributes({'src': target, 'alt': data.get('alt', ''), **others})}>"
        case "expression":
            return f'<code class="expression">{escape(str(data.get("expression", "")), quote=False)}</code>'
        case "icon":
            icon = data.get("icon", "")
            return f"<i{write_attributes({'class': f'fa-{icon}', **others})}>:{icon}:</i>"
        case "anchor":
            return f"<a{write_attributes({'href': '#' + str(data.get('id', '')), 'id': data.get('id', '')})}></a>"
        case "emoji":
            return f":{data['shortCode']}:" if "shortCode" in data else emoji_of_points(str(data.get("code", "")))
        case "annotation" if "label" in data:
            return f"<a{write_attributes({'data-footnote-ref': 'true', **others})}>{data['label']}</a>"
        case "inline-math":
            return f"$${data.get('formula', '')}$$"
        case "html":
            return str(data.get("source", ""))
        case _:
            return text
