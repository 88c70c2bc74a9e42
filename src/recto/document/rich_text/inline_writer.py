"""Inline rich text written as Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from recto.document.markdown.html_tags import write_attributes
from recto.document.markdown.inline import flanks
from recto.document.markdown.page import parse_inline
from recto.document.rich_text.inline_nodes import INLINE, address, inline_nodes, placeholder

Node = Mapping[str, Any]

_SPECIAL = re.compile(r"[\\`*_\[\]<~$|]|&(?=#?\w+;)|:(?=[A-Za-z][\w+-]*:)|!(?=\[)|\^(?=\[)")
# Ends of blocks count as such even after a backslash, where they end a paragraph.
_TAG_START = re.compile(r"\{(?=[%#])|\\<(?=/details)")
_ENTITIES = {"{": "&#123;", "\\<": "&lt;"}
_LINE_START = re.compile(r"(?m)^([^\S\n]*)(?:(\d+)([.)])(?=\s|$)|([#>+=-]|\{%))")
_MARKDOWN_MARKS = {"bold": "**", "italic": "*", "strikethrough": "~~"}
HTML_MARKS = {
    "bold": "strong",
    "italic": "em",
    "strikethrough": "del",
    "color": "mark",
    "subscript": "sub",
    "superscript": "sup",
}
"""The element that each mark is in HTML."""

_PLAIN_ADDRESS = re.compile(r"[^\s()<>\\]*\Z")
_PIPE = re.compile(r"(?<!\\)\|")
_BREAK_BESIDE_SPACE = re.compile(r"(?<=\s)\n|\n(?=\s)")


def write_inline_markdown(nodes: Sequence[Node], *, one_line: bool = False, in_table: bool = False) -> str:
    """Write inline text; on a single line, line breaks become ``<br>``.

    Marks are written as Markdown has them where that is read as the same, else as HTML.
    """
    items = _items(nodes)
    text = _finish(_Line(one_line, in_table, html=False).write(items), in_table)
    if any(item.get("marks") for item in items) and _meaning_of(_read(text, in_table)) != _meaning_of(nodes):
        text = _finish(_Line(one_line, in_table, html=True).write(items), in_table)
    return text


def _finish(text: str, in_table: bool) -> str:
    """Return a written text that keeps white space at its ends and begins no other block or cell."""
    before, inner, after = _part_edges(text)
    text = f"{_entities(before)}{inner}{_entities(after)}"
    first, end, rest = text.partition("\n")
    text = escape_line_starts(first) + end + rest
    return _PIPE.sub(r"\\|", text) if in_table else text


def _part_edges(text: str, marks: str | None = None) -> tuple[str, str, str]:
    """Split a text from the white space, or the ``marks``, at its ends.

    Not by a pattern: one that ends at the end of a text is tried at each space within it, in time that grows with the
    square of a run of them.
    """
    begin = len(text) - len(text.lstrip(marks))
    inner = text.strip(marks)
    return text[:begin], inner, text[begin + len(inner) :]


def _entities(spaces: str) -> str:
    return "".join(f"&#x{ord(space):X};" for space in spaces)


def _read(text: str, in_table: bool) -> list[dict[str, Any]]:
    return inline_nodes(parse_inline(text.replace("\\|", "|") if in_table else text))


def _meaning_of(nodes: Sequence[Node]) -> list[Any]:
    """Return the meaning of inline text: its runs of text with their marks, and the kinds of inlines among them."""
    found: list[Any] = []
    for node in nodes:
        if node.get("object") != "text":
            found.append((node.get("type"), _meaning_of(node.get("nodes") or [])))
            continue
        for leaf in node.get("leaves") or []:
            marks = frozenset(str(mark.get("type")) for mark in leaf.get("marks") or [])
            if found and found[-1][0] == marks:
                found[-1] = (marks, found[-1][1] + str(leaf.get("text", "")))
            elif leaf.get("text"):
                found.append((marks, str(leaf["text"])))
    return found


def _items(nodes: Sequence[Node]) -> list[Node]:
    """Return the leaves and inlines of some nodes; an inline has the ``marks`` that all text in it has."""
    items: list[Node] = []
    runs: dict[int, list[str]] = {}  # the texts of an item that is made of several leaves
    for node in nodes:
        if node.get("object") == "text":
            for leaf in _leaves(node):
                marks = _writable_marks(leaf)
                if items and "text" in items[-1] and set(map(_key, items[-1]["marks"])) == set(map(_key, marks)):
                    runs.setdefault(len(items) - 1, [str(items[-1]["text"])]).append(str(leaf["text"]))
                else:
                    items.append({**leaf, "marks": marks})
        else:
            items.append({**node, "marks": _common_marks(node)})
    for place, texts in runs.items():
        items[place] = {**items[place], "text": "".join(texts)}
    return items


def _writable_marks(leaf: Node) -> list[Node]:
    """Return the writable marks of a leaf, each type once."""
    marks = {str(mark.get("type")): mark for mark in leaf.get("marks") or []}
    return [mark for type, mark in marks.items() if type in HTML_MARKS or type == "code"]


def _common_marks(node: Node) -> list[Node]:
    leaves = _leaves(node)
    return (
        [mark for mark in _writable_marks(leaves[0]) if all(_has(leaf, mark) for leaf in leaves[1:])] if leaves else []
    )


def _leaves(node: Node) -> list[Node]:
    if node.get("object") == "text":
        return [leaf for leaf in node.get("leaves") or [] if leaf.get("text")]
    return [leaf for child in node.get("nodes") or [] for leaf in _leaves(child)]


def _key(mark: Node) -> str:
    return f"{mark.get('type')} {json.dumps(mark.get('data') or {}, sort_keys=True)}"


def _has(item: Node, mark: Node) -> bool:
    return any(_key(other) == _key(mark) for other in item.get("marks") or [])


def _without(item: Node, mark: Node) -> Node:
    """Return a leaf, inline or text without a mark, all the way down."""
    result = dict(item)
    for name in ("nodes", "leaves"):
        if item.get(name):
            result[name] = [_without(child, mark) for child in item[name]]
    if "marks" in item:
        result["marks"] = [other for other in item["marks"] or [] if _key(other) != _key(mark)]
    return result


class _Line:
    """Writes leaves and inlines in sequence; with ``html``, marks and line breaks are written as HTML."""

    def __init__(self, one_line: bool, in_table: bool, *, html: bool) -> None:
        self._one_line = one_line
        self._in_table = in_table
        self._html = html

    def write(self, items: Sequence[Node]) -> str:
        """Write items; a mark is put around the longest run of them that has it."""
        parts: list[str] = []
        last = ""  # the character before the next text
        place = 0
        while place < len(items):
            item = items[place]
            end, mark = self._longest(items, place)
            if mark is None:
                written = self._item(item)
                # An exclamation mark before a link would make a picture of it.
                if last == "!" and written.startswith("["):
                    parts[-1] = f"{parts[-1][:-1]}\\!"
            else:
                inner = self.write([_without(each, mark) for each in items[place:end]])
                written = self._mark(last, inner, mark, items[end] if end < len(items) else None)
            if written:
                parts.append(written)
                last = written[-1]
            place = end
        return "".join(parts)

    def _longest(self, items: Sequence[Node], start: int) -> tuple[int, Node | None]:
        """Return the end of the longest run of items with a common mark, and the mark; inlines without text count."""
        best: tuple[int, Node | None] = (start + 1, None)
        for mark in items[start].get("marks") or []:
            end = last = start + 1
            if mark.get("type") == "code":
                continue
            while last < len(items) and (
                _has(items[last], mark) or not (_leaves(items[last]) or "text" in items[last])
            ):
                last += 1
                end = last if _has(items[last - 1], mark) else end
            if best[1] is None or end > best[0]:
                best = (end, mark)
        return best

    def _item(self, item: Node) -> str:
        if "text" not in item:
            return self._inline(item)
        text = str(item["text"])
        marks = item.get("marks") or []
        if any(mark.get("type") == "code" for mark in marks):
            text = text.replace("\n", " ")
            data = next(mark for mark in marks if mark.get("type") == "code").get("data") or {}
            # In a table, Markdown's code has no way to write a backslash before a bar.
            return _code_html(text, data) if data or (self._in_table and "\\|" in text) else _code(text)
        return self._write_breaks(escape_markdown(text))

    def _inline(self, node: Node) -> str:
        type, data = str(node.get("type", "")), node.get("data") or {}
        if type in _VOID:
            return _VOID[type](data)
        text = _Line(True, self._in_table, html=self._html).write(_items(node.get("nodes") or []))
        if type in ("link", "mention"):
            title = "mention" if type == "mention" else str(data.get("title") or "")
            return f"[{text}]({_target(address(data.get('ref')), title)})"
        if type == "button":
            attributes = {"class": "button", "href": address(data.get("ref")), **_plain_values(data)}
            return f"<a{write_attributes(attributes)}>{text}</a>"
        if type == "annotation" and "label" in data:
            further = _plain_values(data, "label")
            return f"<a{write_attributes(further)}>{data['label']}</a>" if further else f"[^{data['label']}]"
        return text or (placeholder(type, data, INLINE) if type else "")

    def _write_breaks(self, text: str) -> str:
        """Write the line breaks of a text: as HTML at its ends and beside white space, which Markdown would drop."""
        if self._one_line or self._html:
            return text.replace("\n", "<br>")
        before, inner, after = _part_edges(text, "\n")
        text = f"{'<br>' * len(before)}{_BREAK_BESIDE_SPACE.sub('<br>', inner)}{'<br>' * len(after)}"
        return escape_line_starts(text.replace("\n", "\\\n")) if "\n" in text else text

    def _mark(self, last: str, inner: str, mark: Node, following: Node | None) -> str:
        """Return a text with its mark, to stand after a character; in Markdown where its signs are sure to be read."""
        sign = "" if self._html or mark.get("data") else _MARKDOWN_MARKS.get(str(mark.get("type")))
        if sign and inner.strip() == inner and _may_open(last, inner) and _may_close(inner, following):
            return f"{sign}{inner}{sign}"
        element = HTML_MARKS.get(str(mark.get("type")))
        if element is None:
            return inner
        return f"<{element}{write_attributes(mark.get('data') or {})}>{inner}</{element}>"


def text_of_nodes(nodes: Sequence[Node]) -> str:
    """Return the text of nodes without any marks."""
    parts: list[str] = []
    for node in nodes:
        parts += [str(leaf.get("text", "")) for leaf in node.get("leaves") or []]
        parts.append(text_of_nodes(node.get("nodes") or []))
    return "".join(parts)


def escape_markdown(text: str) -> str:
    """Return a text, to stand in a line, so that nothing in it is read as Markdown."""
    return _TAG_START.sub(lambda found: _ENTITIES[found[0]], _SPECIAL.sub(r"\\\g<0>", text))


def escape_line_starts(text: str) -> str:
    """Return lines of which none is read as the beginning of another block."""
    return _LINE_START.sub(_escape_start, text)


def _escape_start(match: re.Match[str]) -> str:
    space, number, dot, mark = match.groups()
    return f"{space}{number}\\{dot}" if number else f"{space}\\{mark}"


def _may_open(before: str, inner: str) -> bool:
    """Whether a run of ``*`` between the two is sure to begin emphasis."""
    if not inner or before.endswith(("*", "~", "_")):
        return False
    return flanks(before[-1:] or " ", inner[0])[0]


def _may_close(inner: str, following: Node | None) -> bool:
    """Whether a run of ``*`` after a text is sure to end emphasis before what follows."""
    if following is None or "text" not in following or following.get("marks"):
        return True
    return flanks(inner[-1], str(following["text"])[0])[1]


def _code_html(text: str, data: Node) -> str:
    attributes = {name: value for name, value in data.items() if name != "element"}
    element = code_element(data)
    return f"<{element}{write_attributes(attributes)}>{escape_markdown(text)}</{element}>"


def code_element(data: Node) -> str:
    """Return the element that code is in HTML, by the data of its mark."""
    return str(data["element"]) if data.get("element") in ("kbd", "tt") else "code"


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    spaced = text.startswith(" ") and text.endswith(" ") and text.strip()
    pad = " " if text.startswith("`") or text.endswith("`") or spaced else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _void_emoji(data: Node) -> str:
    return f":{data['shortCode']}:" if "shortCode" in data else emoji_of_points(str(data.get("code", "")))


def _icon(data: Node) -> str:
    icon = data.get("icon", "")
    return f"<i{write_attributes({'class': f'fa-{icon}', **_plain_values(data, 'icon')})}>:{icon}:</i>"


def _expression(data: Node) -> str:
    return f'<code class="expression">{escape(str(data.get("expression", "")), quote=False)}</code>'


def _anchor(data: Node) -> str:
    return f'<a href="#{data.get("id", "")}" id="{data.get("id", "")}"></a>'


def _image(data: Node) -> str:
    target = address(data.get("ref"))
    further = _plain_values(data, "alt", "title")
    alternative, title = str(data.get("alt") or ""), str(data.get("title") or "")
    if further:
        return f"<img{write_attributes({'src': target, 'alt': alternative, **further})}>"
    return f"![{escape_markdown(alternative)}]({_target(target, title)})"


def emoji_of_points(code: str) -> str:
    """Return the character that the code points of an emoji stand for: ``1f3e0``, ``1f468-200d-1f4bb``."""
    try:
        return "".join(chr(int(point, 16)) for point in code.split("-"))
    except (ValueError, OverflowError):
        return f":{code}:"


def _target(target: str, title: str) -> str:
    if not _PLAIN_ADDRESS.match(target):
        target = "<" + target.replace("\\", "%5C").replace("<", "%3C").replace(">", "%3E").replace("\n", "%0A") + ">"
    quoted = title.replace("\\", "\\\\").replace('"', '\\"')
    return f'{target} "{quoted}"' if title else target


def _plain_values(data: Node, *without: str) -> dict[str, str]:
    return {
        name: str(value) for name, value in data.items() if name not in ("ref", *without) and isinstance(value, str)
    }


_VOID: Mapping[str, Callable[[Node], str]] = {
    "inline-image": _image,
    "image": _image,
    "emoji": _void_emoji,
    "icon": _icon,
    "expression": _expression,
    "inline-math": lambda data: f"$${data.get('formula', '')}$$",
    "anchor": _anchor,
    "html": lambda data: str(data.get("source", "")),
}
