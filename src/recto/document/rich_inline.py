"""Inline rich text written as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from unicodedata import category

Node = Mapping[str, Any]

_SPECIAL = re.compile(r"[\\`*_\[\]<~$|]|&(?=#?\w+;)|:(?=[A-Za-z][\w+-]*:)|!(?=\[)|\^(?=\[)")
_LINE_START = re.compile(r"(?m)^(\s*)(?:(\d+)([.)])(?=\s|$)|([#>+=-]|\{%))")
_MARKDOWN_MARKS = {"bold": "**", "italic": "*", "strikethrough": "~~"}
_HTML_MARKS = {
    "bold": "strong",
    "italic": "em",
    "strikethrough": "del",
    "color": "mark",
    "subscript": "sub",
    "superscript": "sup",
}
_PLAIN_ADDRESS = re.compile(r"[^\s()<>\\]*\Z")


def inline_markdown(nodes: Sequence[Node], *, one_line: bool = False, in_table: bool = False) -> str:
    """Write inline text; on one line, line breaks become ``<br>``."""
    text = ""
    for node in nodes:
        if node.get("object") == "text":
            for leaf in node.get("leaves") or []:
                text = _with_leaf(text, leaf, in_table)
        else:
            text += _inline(node, one_line, in_table)
    text = text.strip(" ") if one_line else text.strip()
    text = text.strip("\n").replace("\n", "<br>" if one_line else "\\\n")
    return line_start_escaped(text)


def plain(nodes: Sequence[Node]) -> str:
    """Return the text of nodes without any marks."""
    parts: list[str] = []
    for node in nodes:
        parts += [str(leaf.get("text", "")) for leaf in node.get("leaves") or []]
        parts.append(plain(node.get("nodes") or []))
    return "".join(parts)


def address(ref: object) -> str:
    """Return the link target that a content reference is, empty for what is none."""
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
    return str(ref.get("url", ""))


def escaped(text: str) -> str:
    """Return a text, to stand in a line, so that nothing in it is read as Markdown."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def line_start_escaped(text: str) -> str:
    """Return lines of which none is read as the beginning of another block."""
    return _LINE_START.sub(_escaped_start, text)


def _escaped_start(match: re.Match[str]) -> str:
    space, number, dot, mark = match.groups()
    return f"{space}{number}\\{dot}" if number else f"{space}\\{mark}"


def _with_leaf(before: str, leaf: Node, in_table: bool) -> str:
    """Return the text with a leaf added: marks as Markdown where that is sure to be read so, else as HTML."""
    text = str(leaf.get("text", ""))
    marks = {str(mark.get("type")): mark for mark in leaf.get("marks") or []}
    core = text.strip()
    if not marks or not core:
        return before + escaped(text)
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    before += lead
    code = "code" in marks
    written = _code(core, in_table) if code else escaped(core)
    steady = _may_stand_open(before, written)
    for type, mark in marks.items():
        if steady and type in _MARKDOWN_MARKS and not _breaks(written):
            sign = _MARKDOWN_MARKS[type]
            written = f"{sign}{written}{sign}"
        elif type in _HTML_MARKS:
            element = _HTML_MARKS[type]
            written = f"<{element}{_html_attributes(mark.get('data') or {})}>{written}</{element}>"
    return before + written + trail


def _may_stand_open(before: str, written: str) -> bool:
    """Whether a run of ``*`` between the two is sure to begin emphasis."""
    if before.endswith(("*", "~", "_")):
        return False
    last = before[-1:]
    return not last or last.isspace() or _is_punctuation(last) or not _is_punctuation(written[0])


def _breaks(written: str) -> bool:
    """Whether what ends here would not end emphasis before a letter."""
    return _is_punctuation(written[-1]) and not written.endswith(("*", "~"))


def _is_punctuation(character: str) -> bool:
    return category(character)[0] in "PS"


def _code(text: str, in_table: bool) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    text = text.replace("\n", " ")
    return f"{fence}{pad}{text.replace('|', chr(92) + '|') if in_table else text}{pad}{fence}"


def _inline(node: Node, one_line: bool, in_table: bool) -> str:
    type, data = str(node.get("type", "")), node.get("data") or {}
    nodes = node.get("nodes") or []
    if type in ("link", "mention"):
        text = inline_markdown(nodes, one_line=True, in_table=in_table)
        title = "mention" if type == "mention" else str(data.get("title") or "")
        return f"[{text}]({_target(address(data.get('ref')), title)})"
    if type == "button":
        attributes = {"class": "button", "href": address(data.get("ref")), **_plain_values(data)}
        return f"<a{_html_attributes(attributes)}>{inline_markdown(nodes, one_line=True, in_table=in_table)}</a>"
    if type in ("inline-image", "image"):
        return _image(data)
    if type == "emoji":
        return f":{data['shortCode']}:" if "shortCode" in data else _emoji(str(data.get("code", "")))
    if type == "icon":
        icon = data.get("icon", "")
        attributes = {"class": f"fa-{icon}", **_plain_values(data, "icon")}
        return f"<i{_html_attributes(attributes)}>:{icon}:</i>"
    if type == "expression":
        return f'<code class="expression">{escape(str(data.get("expression", "")), quote=False)}</code>'
    if type == "inline-math":
        return f"$${data.get('formula', '')}$$"
    if type == "annotation":
        return f"[^{data['label']}]" if "label" in data else inline_markdown(nodes, one_line=one_line)
    if type == "anchor":
        return f'<a href="#{data.get("id", "")}" id="{data.get("id", "")}"></a>'
    if type == "html":
        return str(data.get("source", ""))
    return inline_markdown(nodes, one_line=one_line, in_table=in_table)


def _image(data: Node) -> str:
    target = address(data.get("ref"))
    further = _plain_values(data, "alt", "title")
    alternative, title = str(data.get("alt") or ""), str(data.get("title") or "")
    if further:
        return f"<img{_html_attributes({'src': target, 'alt': alternative, **further})}>"
    return f"![{escaped(alternative)}]({_target(target, title)})"


def _emoji(code: str) -> str:
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


def _html_attributes(attributes: Mapping[str, object]) -> str:
    return "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items())
