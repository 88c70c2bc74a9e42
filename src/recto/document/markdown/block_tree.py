"""From markdown-it's flat tokens to the tree of blocks: pairs tags, merges wrappers, fills gaps."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from recto.document.markdown.blocks import Block, BlockKind
from recto.document.markdown.html_tags import figures, read_html_tag, table, without_tags
from recto.document.markdown.tags import ITEMS, Tag, read_tag
from recto.frozen import record
from recto.pattern import pattern

if TYPE_CHECKING:
    from markdown_it.token import Token

DEEPEST = 60

_TASK = pattern(r"\[([ xX])\][ \t]+")
_END_TAG = pattern(r"\{%-?\s*end[\w-]+\s*-?%\}|</details\s*>", re.IGNORECASE)
_ALIGN = pattern(r"text-align:\s*(\w+)")
_LANGUAGE = pattern(r"\blang(?:uage)?-([\w+#.-]+)")
_FRAMED_CODE = pattern(
    r"<(?P<frame>figure|div)\b[^<>]*>\s*(?P<code><pre\b[^<>]*>.*</pre>)\s*"
    r"(?:<figcaption>(?P<caption>[^<>]*)</figcaption>\s*)?</(?P=frame)>",
    re.IGNORECASE | re.DOTALL,
)
_BLOCKS_OF_HTML = pattern(r"<(?:[uo]l|table|pre|figure|blockquote|img)\b", re.IGNORECASE)
_UNWRITTEN = pattern(r"[\s>|]*\Z")
_CELL_END = pattern(r"(?<!\\)\|")
_VOID = frozenset({BlockKind.EMBED, BlockKind.FILE, BlockKind.INCLUDE})
_PARENTS = {"tab": "tabs", "step": "stepper", "column": "columns", "update": "updates"}


@record
class _Marker:
    """The beginning or end of a block that is written as a tag."""

    tag: Tag
    start: int
    end: int
    summary: str = ""


_Node = Block | _Marker


@record
class _Open:
    """A token of markdown-it's that is not closed yet."""

    token: Token
    nodes: list[_Node] = field(default_factory=list)
    text: str = ""


def build(tokens: list[Token], lines: Sequence[str], offset: int) -> tuple[Block, ...]:
    """Build the blocks of a page of these lines, whose tokens count lines from ``offset`` on.

    The tokens are taken out of their list, because they take several times the memory of the blocks.
    """
    return _Tree(lines, offset).build(tokens)


class _Tree:
    def __init__(self, lines: Sequence[str], offset: int) -> None:
        self._lines = lines
        self._offset = offset

    def build(self, tokens: list[Token]) -> tuple[Block, ...]:
        stack: list[tuple[_Open | None, list[_Node]]] = [(None, [])]
        tokens.reverse()
        while tokens:
            token = tokens.pop()
            if token.nesting > 0:
                opened = _Open(token)
                stack.append((opened, opened.nodes))
            elif token.nesting < 0:
                closed = stack.pop()[0]
                assert closed is not None
                around, nodes = stack[-1]
                nodes.extend(self._close(closed, around))
            elif token.type == "inline":
                innermost = stack[-1][0]
                assert innermost is not None
                innermost.text = token.content
            else:
                self._leaf(token, stack[-1][1])
        end = len(self._lines) - (not self._lines[-1])
        return tuple(self._fill_gaps(self._pair(stack[0][1]), self._offset, end))

    def _range(self, token: Token) -> tuple[int, int]:
        start, end = token.map or (0, 0)
        start, end = start + self._offset, end + self._offset
        while end - 1 > start and not self._lines[end - 1].strip():
            end -= 1
        return start, end

    def _leaf(self, token: Token, nodes: list[_Node]) -> None:
        start, end = self._range(token)
        if token.type == "tag":
            nodes.append(_Marker(token.meta["tag"], start, end))
        elif token.type == "summary":
            last = nodes[-1] if nodes else None
            if isinstance(last, _Marker) and last.tag.name == "details" and not last.tag.closes:
                last.summary, last.end = token.content, end
            else:
                nodes.append(Block(BlockKind.PARAGRAPH, start, end, token.content, markup="html"))
        elif token.type == "html_text" and not _BLOCKS_OF_HTML.search(token.content):
            nodes.append(Block(BlockKind.PARAGRAPH, start, end, token.content, markup="html"))
        elif token.type in ("html_block", "html_text"):
            nodes.extend(_html(token.content, start, end))
        elif token.type in ("fence", "code_block"):
            nodes.append(_code(token, start, end))
        elif token.type == "math":
            nodes.append(Block(BlockKind.MATH, start, end, token.content))
        elif token.type == "hr":
            nodes.append(Block(BlockKind.DIVIDER, start, end))
        else:
            nodes.append(Block(BlockKind.HTML, start, end, token.content))

    def _close(self, opened: _Open, around: _Open | None) -> Sequence[_Node]:
        """Return what a token of markdown-it's has become, now that all in it is known; ``around`` is still open."""
        token = opened.token
        start, end = self._range(token)
        name = token.type.removesuffix("_open")
        if name in ("thead", "tbody"):
            return opened.nodes
        if name == "paragraph":
            return _paragraph(opened.text, start, end)
        if name == "heading":
            return [Block(BlockKind.HEADING, start, end, opened.text, level=int(token.tag[1:]))]
        if name in ("th", "td"):
            assert around is not None
            return [_cell(token, opened.text, *self._range(around.token))]  # a cell has no lines of its own
        if name == "tr":
            cells = [cell for cell in opened.nodes if isinstance(cell, Block)]
            return [Block(BlockKind.TABLE_ROW, start, end, children=_with_rest(cells, self._lines[start]))]
        children = self._pair(opened.nodes)
        if name in _CONTAINERS:
            return [_CONTAINERS[name](token, start, end, tuple(self._contents_of(name, children, start, end)))]
        return children

    def _contents_of(self, name: str, children: list[Block], start: int, end: int) -> list[Block]:
        """Return what a list item, quote or footnote holds; its source where the parser gave up on its depth."""
        if children or name not in ("list_item", "blockquote", "footnote_reference"):
            return children
        source = "\n".join(self._lines[start:end])
        text = re.sub(r"\A[\s>]*(?:[-*+]|\d+[.)]|\[\^[^\]]*\]:)?\s*", "", source)
        return [Block(BlockKind.PARAGRAPH, start, end, text)] if text else []

    def _pair(self, nodes: list[_Node]) -> list[Block]:
        """Pair beginnings with ends; those without counterpart stay as blocks that hold nothing."""
        if not any(isinstance(node, _Marker) for node in nodes):
            return [node for node in nodes if isinstance(node, Block)]
        return _Pairing(nodes, self._fill_gaps).blocks()

    def _fill_gaps(self, blocks: list[Block], start: int, end: int) -> list[Block]:
        """Add a block for lines that the parser keeps out of sight: definitions of links."""
        filled: list[Block] = []
        reached = start
        for block in blocks:
            filled += self._gap(reached, block.start)
            filled.append(block)
            reached = max(reached, block.end)
        return filled + self._gap(reached, end)

    def _gap(self, start: int, end: int) -> list[Block]:
        while start < end and _UNWRITTEN.match(self._lines[start]):
            start += 1
        while end > start and _UNWRITTEN.match(self._lines[end - 1]):
            end -= 1
        if start >= end:
            return []
        return [Block(BlockKind.REFERENCE, start, end, "\n".join(self._lines[start:end]))]


class _Pairing:
    """Pairs the tags among sibling nodes."""

    def __init__(self, nodes: list[_Node], filled: Callable[[list[Block], int, int], list[Block]]) -> None:
        self._nodes = nodes
        self._fill_gaps = filled
        self._ends = Counter(node.tag.name for node in nodes if isinstance(node, _Marker) and node.tag.closes)
        self._frames: list[tuple[_Marker | None, list[Block]]] = [(None, [])]

    def blocks(self) -> list[Block]:
        end = 0
        for node in self._nodes:
            end = node.end
            if isinstance(node, Block):
                self._frames[-1][1].append(node)
            elif node.tag.closes:
                self._close(node)
            else:
                self._begin(node)
        while len(self._frames) > 1:
            self._give_up(end)
        return self._gather(self._frames[0][1])

    def _top(self) -> str:
        marker = self._frames[-1][0]
        return marker.tag.name if marker else ""

    def _begin(self, marker: _Marker) -> None:
        name = marker.tag.name
        if name in ITEMS and self._top() == name:
            self._finish(marker.start)
        within = name in ITEMS and self._top() == _PARENTS[name]
        if (self._ends[name] or within) and len(self._frames) <= DEEPEST:
            self._frames.append((marker, []))
        else:
            self._frames[-1][1].append(_void(marker))

    def _close(self, marker: _Marker) -> None:
        name = marker.tag.name
        self._ends[name] -= 1
        places = [place for place, (opened, _) in enumerate(self._frames) if opened and opened.tag.name == name]
        if not places:
            self._frames[-1][1].append(_void(marker))
            return
        while len(self._frames) - 1 > places[-1]:
            self._give_up(marker.start)
        self._finish(marker.end, marker.start)

    def _give_up(self, end: int) -> None:
        """End what has no end of its own: items end here, anything else holds nothing."""
        marker, children = self._frames[-1]
        assert marker is not None
        if marker.tag.name in ITEMS:
            self._finish(end)
            return
        self._frames.pop()
        self._frames[-1][1].extend([_void(marker), *children])

    def _finish(self, end: int, inner_end: int | None = None) -> None:
        marker, children = self._frames.pop()
        assert marker is not None
        inside = self._fill_gaps(self._gather(children), marker.end, end if inner_end is None else inner_end)
        block = _make_tagged(marker, max(end, marker.end), inside)
        # A block that never has content is the same with and without an end tag.
        void = not inside and block.kind in _VOID
        self._frames[-1][1].append(replace(block, text=marker.tag.source) if void else block)

    def _gather(self, blocks: list[Block]) -> list[Block]:
        """Put tabs, steps and the like into what should hold them where that ended before them.

        Some converters write ``<div data-tag="tabs"></div>`` above the tabs; an end below them is its end then.
        """
        if not any(block.name in _PARENTS for block in blocks):
            return blocks
        gathered: list[Block] = []
        ahead = deque(blocks)
        while ahead:
            block = ahead.popleft()
            items: list[Block] = []
            while ahead and not block.children and _is_item_of(ahead[0], block):
                items.append(ahead.popleft())
            if items:
                end = items[-1].end
                inside = self._fill_gaps(items, block.end, end)
                if ahead and ahead[0].kind is BlockKind.HTML and ahead[0].text.strip() == "</div>":
                    end = ahead.popleft().end
                block = replace(block, end=end, text="", children=tuple(inside))
            gathered.append(block)
        return gathered


def _is_item_of(block: Block, holder: Block) -> bool:
    # A block without an end tag has a text, and holds nothing.
    return _PARENTS.get(block.name) == holder.name and not block.text


def _void(marker: _Marker) -> Block:
    block = _make_tagged(marker, marker.end, [])
    if marker.tag.closes:
        name = marker.tag.name if marker.tag.name == "details" else f"end{marker.tag.name}"
        return replace(block, kind=BlockKind.TAG, name=name, text=marker.tag.source)
    return block if marker.tag.name == "details" else replace(block, text=marker.tag.source)


def _make_tagged(marker: _Marker, end: int, children: list[Block]) -> Block:
    tag = marker.tag
    if tag.name == "details":
        text, attributes = marker.summary, tag.attributes
        return Block(
            BlockKind.EXPANDABLE,
            marker.start,
            end,
            text,
            tuple(children),
            "details",
            attributes=attributes,
            markup="html",
        )
    if tag.name == "code" and len(children) == 1 and children[0].kind is BlockKind.CODE:
        (code,) = children
        attributes = {**code.attributes, **tag.attributes}
        return replace(code, start=marker.start, end=end, name="code", attributes=attributes)
    return Block(tag.kind, marker.start, end, "", tuple(children), tag.name, attributes=tag.attributes)


def _paragraph(text: str, start: int, end: int) -> list[_Node]:
    """Return a paragraph, and the end tags that follow on its last line as such."""
    ends: list[_Node] = []
    reached = len(text)
    for match in reversed(list(_END_TAG.finditer(text)) if text.endswith(("%}", ">")) else []):
        if text[match.end() : reached].strip():
            break
        ends.append(_Marker(read_tag(match[0]) or Tag("details", True, match[0]), end - 1, end))
        reached = match.start()
    ends.reverse()
    text = text[:reached].rstrip() if ends else text
    return [Block(BlockKind.PARAGRAPH, start, end, text), *ends] if text else ends


def _cell(token: Token, text: str, start: int, end: int) -> Block:
    attributes = {"header": "true"} if token.tag == "th" else {}
    if align := _ALIGN.search(str(token.attrGet("style") or "")):
        attributes["align"] = align[1]
    return Block(BlockKind.TABLE_CELL, start, end, text, attributes=attributes)


def _with_rest(cells: list[Block], line: str) -> tuple[Block, ...]:
    """Return the cells of a row, with surplus text in the last; the specification would drop it."""
    written = _CELL_END.split(line.lstrip("> \t").removeprefix("|").rstrip().removesuffix("|"))
    rest = [text.strip() for text in written[len(cells) :]]
    if cells and any(rest):
        cells[-1] = replace(cells[-1], text=" | ".join([cells[-1].text, *rest]))
    return tuple(cells)


def _code(token: Token, start: int, end: int) -> Block:
    language, _, rest = token.info.strip().partition(" ")
    attributes = {"language": language} if language else {}
    if rest.strip():
        attributes["info"] = rest.strip()
    return Block(
        BlockKind.CODE, start, end, token.content.removesuffix("\n"), attributes=attributes, markup=token.markup
    )


def _html(source: str, start: int, end: int) -> list[Block]:
    stripped = source.strip()
    if pictures := figures(stripped, start, end):
        return pictures
    if framed := _FRAMED_CODE.fullmatch(stripped):
        stripped, title = framed["code"], " ".join(without_tags(framed["caption"] or "").split())
    else:
        title = ""
    tag = read_html_tag(stripped)
    name = tag.name if tag else ""
    if tag and name == "table" and (found := table(stripped, start, end)):
        return [found]
    if tag and name == "pre" and stripped.lower().endswith("</pre>"):
        attributes = {key.removeprefix("data-"): value for key, value in tag.attributes.items() if key != "class"}
        if language := _LANGUAGE.search(stripped.partition("\n")[0]):
            attributes["language"] = language[1]
        if title:
            attributes.setdefault("title", title)
        return [
            Block(BlockKind.CODE, start, end, without_tags(stripped), name="pre", attributes=attributes, markup="html")
        ]
    return [Block(BlockKind.HTML, start, end, source.rstrip("\n"), name=name, markup="html")]


def _list(token: Token, start: int, end: int, children: tuple[Block, ...]) -> Block:
    ordered = token.type == "ordered_list_open"
    first = token.attrGet("start")
    level = (1 if first is None else int(first)) if ordered else 0
    return Block(
        BlockKind.LIST, start, end, "", children, level=level, attributes={"ordered": "true" if ordered else "false"}
    )


def _list_item(token: Token, start: int, end: int, children: tuple[Block, ...]) -> Block:
    attributes: dict[str, str] = {}
    first = children[0] if children else None
    if first and first.kind is BlockKind.PARAGRAPH and (task := _TASK.match(first.text)):
        attributes["checked"] = "false" if task[1] == " " else "true"
        children = (replace(first, text=first.text[task.end() :]), *children[1:])
    return Block(BlockKind.LIST_ITEM, start, end, "", children, attributes=attributes)


def _quote(token: Token, start: int, end: int, children: tuple[Block, ...]) -> Block:
    return Block(BlockKind.QUOTE, start, end, "", children)


def _table(token: Token, start: int, end: int, children: tuple[Block, ...]) -> Block:
    return Block(BlockKind.TABLE, start, end, "", children)


def _footnote(token: Token, start: int, end: int, children: tuple[Block, ...]) -> Block:
    return Block(BlockKind.FOOTNOTE, start, end, "", children, name=str(token.meta["label"]))


_CONTAINERS: dict[str, Callable[[Token, int, int, tuple[Block, ...]], Block]] = {
    "bullet_list": _list,
    "ordered_list": _list,
    "list_item": _list_item,
    "blockquote": _quote,
    "table": _table,
    "footnote_reference": _footnote,
}
