"""The links of a page with their kinds and files in the repository, and the anchors that links can lead to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from urllib.parse import unquote

from recto.document.markdown.blocks import Block, BlockKind, Inline, InlineKind, plain_text, walk_inlines
from recto.document.markdown.html_tags import read_html_tag
from recto.document.markdown.inline import inline_html
from recto.document.markdown.outline import block_anchor, outline, slugify
from recto.document.markdown.page import ParsedPage, parse_inline, parse_page
from recto.frozen import frozen
from recto.pattern import pattern

_SCHEME = pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
# Repetitions are bounded: on a hostile text the time would grow with its square.
_ID = pattern(r"<[A-Za-z][^<>]{0,300}?\b(?:id|name)=[\"']([^\"'<>]{1,300})[\"']")
_DARK_PICTURE = pattern(r"<source\b[^<>]{0,1000}?\bsrcset=[\"']([^\"'<>\s]{1,2000})", re.IGNORECASE)
_BETWEEN = pattern(r"[\W_]+")
SPECIFICATIONS = (".json", ".yaml", ".yml")
"""The endings of specification files, which pages leave out."""

_ADDRESSES = ("href", "src", "srcset")
_IN_BLOCKS = frozenset({"href", "page", "src", "url"})
_LINKS = frozenset({InlineKind.LINK, InlineKind.MENTION, InlineKind.BUTTON, InlineKind.IMAGE})
_TEXTS = frozenset(
    {BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.TABLE_CELL, BlockKind.EXPANDABLE, BlockKind.FIGURE}
)


class LinkKind(StrEnum):
    """What a link points at."""

    PAGE = "page"
    ANCHOR = "anchor"
    URL = "url"
    FILE = "file"
    INCLUDE = "include"
    PAGE_ID = "page-id"
    FILE_ID = "file-id"
    REUSABLE_ID = "reusable-content-id"
    SPACE = "space"
    COLLECTION = "collection"
    OPENAPI = "openapi"
    BROKEN = "broken"


_BY_ID = {
    "/pages/": LinkKind.PAGE_ID,
    "/files/": LinkKind.FILE_ID,
    "/reusable-content/": LinkKind.REUSABLE_ID,
    "/spaces/": LinkKind.SPACE,
    "/collections/": LinkKind.COLLECTION,
    "/broken/pages/": LinkKind.BROKEN,
}


@frozen
class Link:
    """A link: its kind, ``target`` as written, the text a reader sees, its ``line`` counted from 0.

    ``path`` is the target without its ``anchor``, decoded; for links by id it is the id, which a page's path may stand
    for, and for links to another space all that follows ``/spaces/``. ``needed`` marks what a block cannot
    be shown without: included content, the specification of an API.
    """

    kind: LinkKind
    target: str
    text: str = ""
    line: int = 0
    path: str = ""
    anchor: str = ""
    needed: bool = False


@frozen
class References:
    """What a text points at, and the anchors in it under which its parts are pointed at."""

    links: tuple[Link, ...]
    anchors: frozenset[str]

    def has_anchor(self, anchor: str) -> bool:
        """Whether an anchor exists; only words count, since platforms spell anchors differently."""
        return anchor in self.anchors or loose_anchor(anchor) in self.anchors


def references(text: str) -> References:
    """Read a text's links and anchors, the latter also as :func:`loose_anchor` returns them; always succeeds.

    Expandables, tabs and operations of APIs have anchors, too, made of their names.
    """
    page = parse_page(text)
    anchors = {heading.anchor for heading in outline(page)}
    for block in page.walk():
        anchors.update((block.attributes.get("id", ""), block_anchor(block)))
        if block.kind is BlockKind.EXPANDABLE:
            anchors.add(slugify(plain_text(page.inline(block))))
        elif block.kind is BlockKind.TAB:
            anchors.add(slugify(block.attributes.get("title", "")))
        if "<" in block.text and block.kind is not BlockKind.CODE:
            anchors.update(match[1] for match in _ID.finditer(block.text))
    anchors.discard("")
    return References(tuple(links(page)), frozenset(anchors | {loose_anchor(anchor) for anchor in anchors}))


def loose_anchor(anchor: str) -> str:
    """Return the letters and digits of an anchor alone, or the anchor itself where it has none."""
    return _BETWEEN.sub("", anchor.lower()) or anchor


def links(page: ParsedPage) -> Iterator[Link]:
    """Yield the links of a page in order, pictures, cards, files, embeds and includes among them."""
    pictures = 0
    for block in page.walk():
        yield from _of_block(block)
        if block.kind is BlockKind.FIGURE and block.start >= pictures:
            pictures = block.end  # several pictures of one piece of HTML share its lines
            for match in _DARK_PICTURE.finditer(page.source_of(block)):
                yield read_link(match[1], block.attributes.get("alt", ""), block.start)
        if block.kind in _TEXTS and ("[" in block.text or "<" in block.text):
            yield from _of_inlines(page.inline(block), block.start)
        elif block.kind is BlockKind.HTML:
            yield from _of_inlines(inline_html(block.text), block.start)


def read_link(target: str, text: str = "", line: int = 0) -> Link:
    """Classify a link target."""
    for prefix, kind in _BY_ID.items():
        if target.startswith(prefix):
            written, _, anchor = target.removeprefix(prefix).partition("#")
            path = unquote(written.partition("?")[0]).strip("/")
            return Link(kind, target, text, line, path, unquote(anchor))
    if target.startswith("#"):
        return Link(LinkKind.ANCHOR, target, text, line, "", unquote(target[1:]))
    if _SCHEME.match(target):
        return Link(LinkKind.URL, target, text, line, target)
    written, _, anchor = target.partition("#")
    path = unquote(written.partition("?")[0])
    name = posixpath.basename(path)
    is_page = "." not in name.strip(".") or name.lower().endswith((".md", ".mdx", ".markdown"))
    return Link(LinkKind.PAGE if is_page else LinkKind.FILE, target, text, line, path, unquote(anchor))


def read_include(target: str, line: int = 0) -> Link:
    """Return the target of an include."""
    link = read_link(target, "", line)
    kind = LinkKind.INCLUDE if link.kind in (LinkKind.PAGE, LinkKind.FILE) else link.kind
    return replace(link, kind=kind, needed=True)


def resolve(link: Link, from_path: str) -> str | None:
    """Return the path in the repository that a link on the page at ``from_path`` means.

    ``None`` for text that is no path, or leads out of the repository; an include may, and its path then begins
    with ``../``. An address within the page is that page; a folder is its ``README.md``.
    """
    if link.kind is LinkKind.ANCHOR:
        return from_path
    if link.kind not in (LinkKind.PAGE, LinkKind.FILE, LinkKind.INCLUDE):
        return None
    if link.path.startswith("/"):
        joined = link.path.lstrip("/")
    else:
        joined = posixpath.join(posixpath.dirname(from_path), link.path)
    path = posixpath.normpath(joined or ".")
    if path == ".." or (path.startswith("../") and link.kind is not LinkKind.INCLUDE):
        return None
    if path == "." or link.path.endswith(("/", "/.", "/..")) or link.path in (".", ".."):
        return posixpath.normpath(posixpath.join(path, "README.md"))
    return path


def map_block_addresses(block: Block, change: Callable[[str], str]) -> Block:
    """Return a block in which ``change`` has been applied to each address that its attributes name."""
    if block.kind is BlockKind.INCLUDE:
        return block  # what it includes is looked for where the text lies
    attributes = block.attributes
    if any(name in attributes for name in _IN_BLOCKS):
        attributes = {name: change(value) if name in _IN_BLOCKS else value for name, value in attributes.items()}
    children = tuple(map_block_addresses(child, change) for child in block.children)
    return replace(block, attributes=attributes, children=children)


def map_inline_addresses(inlines: Iterable[Inline], change: Callable[[str], str]) -> tuple[Inline, ...]:
    """Return inline text in which ``change`` has been applied to each address."""
    # Emphasis may be nested deeper than the limit of recursion.
    open_ones: list[tuple[Inline | None, Iterator[Inline], list[Inline]]] = [(None, iter(inlines), [])]
    while True:
        parent, ahead, mapped = open_ones[-1]
        inline = next(ahead, None)
        if inline is None:
            open_ones.pop()
            if parent is None:
                return tuple(mapped)
            open_ones[-1][2].append(replace(parent, children=tuple(mapped)))
            continue
        if inline.kind in _LINKS and inline.target:
            inline = replace(inline, target=change(inline.target))
        if inline.children:
            open_ones.append((inline, iter(inline.children), []))
        else:
            mapped.append(inline)


def _of_block(block: Block) -> Iterator[Link]:
    attributes = block.attributes
    if block.kind is BlockKind.INCLUDE and "path" in attributes:
        yield read_include(attributes["path"], block.start)
        return
    if block.kind is BlockKind.OPENAPI and attributes.get("spec"):
        spec = attributes["spec"]
        # A block may also say in a link within it where the specification is; the name alone is then not needed.
        needed = next(links_within(block), None) is None
        yield Link(LinkKind.OPENAPI, spec, attributes.get("path", ""), block.start, spec, needed=needed)
    if block.kind in (BlockKind.PARAGRAPH, BlockKind.TABLE_CELL):
        return
    for name in ("url", "src"):
        if attributes.get(name):
            text = attributes.get("alt") or attributes.get("caption") or attributes.get("title") or ""
            yield replace(read_link(attributes[name], text, block.start), needed=block.kind is BlockKind.OPENAPI)


def links_within(block: Block) -> Iterator[str]:
    """Yield where the links lead that stand in the paragraphs of a block that describes an API."""
    for child in block.children:
        for inline in parse_inline(child.text) if "](" in child.text else ():
            if inline.kind is InlineKind.LINK and inline.target:
                yield inline.target


def _of_inlines(inlines: tuple[Inline, ...], line: int) -> Iterator[Link]:
    for inline in walk_inlines(inlines):
        if inline.kind in _LINKS and inline.target:
            yield read_link(inline.target, plain_text((inline,)), line)
        elif inline.kind is InlineKind.HTML and (tag := read_html_tag(inline.text)) is not None and not tag.closes:
            for name in _ADDRESSES:
                if tag.attributes.get(name):
                    yield read_link(tag.attributes[name], "", line)
