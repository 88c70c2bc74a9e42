"""Inline text as the nodes of rich text: runs of text with marks, and inlines such as links."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final

from recto.document.markdown.blocks import Inline, InlineKind
from recto.document.markdown.html_tags import PLACEHOLDER
from recto.document.markdown.page_links import LinkKind, read_link

Node = dict[str, Any]

_MARKS = {
    InlineKind.STRONG: "bold",
    InlineKind.EMPHASIS: "italic",
    InlineKind.STRIKETHROUGH: "strikethrough",
    InlineKind.HIGHLIGHT: "color",
    InlineKind.SUBSCRIPT: "subscript",
    InlineKind.SUPERSCRIPT: "superscript",
}
_ORDER = [*_MARKS.values(), "code"]
_TYPE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
# Types that are written in a form of their own, so that no comment stands for them.
_WRITTEN = re.compile(
    r"paragraph|heading-.*|list-.*|code|code-line|blockquote|table|table-.*|divider|math|expandable|images?|html|tag|"
    r"reference|footnote|hint|tabs|tabs-item|stepper|stepper-step|columns?|updates?|if|content-ref|embed|file|swagger|"
    r"openapi-.*|prompt|reusable-content|link|mention|button|inline-.*|emoji|icon|expression|anchor|annotation"
)
_LINKS = {InlineKind.LINK: "link", InlineKind.MENTION: "mention", InlineKind.BUTTON: "button"}


def reference(target: str) -> Node:
    """Return a link target as a content reference; as an address where it says more than a reference can."""
    link = read_link(target)
    if link.kind is LinkKind.PAGE_ID:
        page = {"kind": "page", "page": link.path}
        found: Node = {**page, "kind": "anchor", "anchor": link.anchor} if link.anchor else page
    elif link.kind is LinkKind.FILE_ID:
        found = {"kind": "file", "file": link.path}
    elif link.kind is LinkKind.REUSABLE_ID:
        found = {"kind": "reusable-content", "reusableContent": link.path}
    else:
        found = {"kind": "url", "url": target}
    return found if address(found) == target else {"kind": "url", "url": target}


def address(ref: object) -> str:
    """Return a content reference as a link target, empty for invalid references."""
    if not isinstance(ref, Mapping):
        return ""
    kind = ref.get("kind")
    if kind == "page":
        return f"/pages/{ref.get('page', '')}"
    if kind == "anchor":
        page = f"/pages/{ref['page']}" if ref.get("page") else ""
        return f"{page}#{ref.get('anchor', '')}"
    if kind == "file":
        return f"/files/{ref.get('file', '')}"
    if kind == "reusable-content":
        return f"/reusable-content/{ref.get('reusableContent', '')}"
    return str(ref.get("url", ""))


MOST_NESTED: Final = 100
"""The deepest nesting in the data of a comment."""

INLINE: Final = "inline "
"""What the comment that stands for an inline begins with."""


def placeholder(type: str, data: Mapping[str, Any], where: str = "") -> str:
    """Return the comment that stands for a block, or for an :data:`INLINE`, that neither Markdown nor HTML can say."""
    written = json.dumps(data, ensure_ascii=False).replace("--", "-\\u002d")
    return f"<!-- {where}{type if _TYPE.fullmatch(type) else 'unknown'}: {written} -->"


def read_placeholder(source: str) -> tuple[str, Node] | None:
    """Return the type and the data of what a comment stands for; ``None`` for anything else."""
    found = PLACEHOLDER.fullmatch(source)
    if found is None or _WRITTEN.fullmatch(found[1]):
        return None
    try:
        data = json.loads(found[2], parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return (found[1], data) if _depth(data) <= MOST_NESTED else None


def _finite(number: str) -> float | None:
    value = float(number)
    return value if isfinite(value) else None


def _depth(data: object) -> int:
    """Return the nesting depth; counting stops just above the limit."""
    depth, level = 0, [data]
    while level and depth <= MOST_NESTED:
        held = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        depth += bool(held)
        level = [value for values in held for value in values]
    return depth


def text_node(text: str, marks: tuple[Node, ...] = ()) -> Node:
    """Return a run of text as a node, its marks in the same order whichever is around which.

    NUL, which no Markdown holds, becomes what stands for it there.
    """
    shown = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    ordered = sorted(marks, key=lambda mark: _ORDER.index(mark["type"]))
    return {"object": "text", "leaves": [{"object": "leaf", "text": shown, "marks": ordered}]}


def inline_nodes(inlines: tuple[Inline, ...], marks: tuple[Node, ...] = ()) -> list[Node]:
    """Return inline text as nodes: text in leaves with marks, anything else as an inline."""
    return finished_inline_nodes(inlines, lambda node: node, marks)


def finished_inline_nodes(
    inlines: tuple[Inline, ...], finish: Callable[[Node], Any], marks: tuple[Node, ...] = ()
) -> list[Any]:
    """Return inline text as nodes, each inline finished as soon as it is there."""
    nodes: list[Any] = []
    text: Node | None = None
    for inline in inlines:
        for node in _inline_nodes(inline, marks):
            if node["object"] != "text":
                text = None
                nodes.append(finish(node))
            elif text is None:
                text = node
                nodes.append(node)
            else:
                _add_leaves(text["leaves"], node["leaves"])
    return nodes


def _add_leaves(leaves: list[Node], more: list[Node]) -> None:
    for leaf in more:
        if leaves and leaves[-1]["marks"] == leaf["marks"]:
            leaves[-1]["text"] += leaf["text"]
        else:
            leaves.append(leaf)


def _inline_nodes(inline: Inline, marks: tuple[Node, ...]) -> list[Node]:
    kind = inline.kind
    if kind is InlineKind.TEXT:
        return [text_node(inline.text, marks)]
    if kind is InlineKind.SOFT_BREAK:
        return [text_node(" ", marks)]
    if kind is InlineKind.BREAK:
        return [text_node("\n", marks)]
    if kind is InlineKind.CODE:
        return [text_node(inline.text, (*marks, _mark("code", inline)))]
    if kind in _MARKS:
        mark = _mark(_MARKS[kind], inline)
        known = any(mark["type"] == other["type"] for other in marks)
        return inline_nodes(inline.children, marks if known else (*marks, mark))
    if kind in _LINKS:
        data: Node = {"ref": reference(inline.target), **_without_href(inline.attributes)}
        if inline.title and kind is InlineKind.LINK:
            data["title"] = inline.title
        return [_inline(_LINKS[kind], data, inline_nodes(inline.children, marks))]
    return [_inline(*_void_inline(inline))]


def _mark(type: str, inline: Inline) -> Node:
    data = {"data": dict(inline.attributes)} if inline.attributes else {}
    return {"object": "mark", "type": type, **data}


def _void_inline(inline: Inline) -> tuple[str, Node]:
    kind = inline.kind
    if kind is InlineKind.IMAGE:
        attributes = {name: value for name, value in inline.attributes.items() if name != "src"}
        title = {"title": inline.title} if inline.title else {}
        return "inline-image", {"ref": reference(inline.target), **attributes, "alt": inline.text, **title}
    if kind is InlineKind.ANCHOR:
        return "anchor", {"id": inline.target}
    if kind is InlineKind.EMOJI:
        return "emoji", {"shortCode": inline.text}
    if kind is InlineKind.ICON:
        return "icon", {"icon": inline.text, **inline.attributes}
    if kind is InlineKind.EXPRESSION:
        return "expression", {"expression": inline.text}
    if kind is InlineKind.MATH:
        return "inline-math", {"formula": inline.text}
    if kind is InlineKind.FOOTNOTE:
        return "annotation", {"label": inline.text, **inline.attributes}
    return read_placeholder(inline.text) or ("html", {"source": inline.text})


def _without_href(attributes: Mapping[str, str]) -> Node:
    return {name: value for name, value in attributes.items() if name != "href"}


def _inline(type: str, data: Node, nodes: list[Node] | None = None) -> Node:
    return {"object": "inline", "type": type, "isVoid": nodes is None, "data": data, "nodes": nodes or []}
