"""The links of a page: what kind each is, and which file of the repository it means."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from recto.document.blocks import Block, BlockKind, Inline, InlineKind, plain_text
from recto.document.markdown import Page

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
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
    BROKEN = "broken"


_BY_ID = {"/pages/": LinkKind.PAGE_ID, "/files/": LinkKind.FILE_ID, "/broken/pages/": LinkKind.BROKEN}


@dataclass(frozen=True, slots=True)
class Link:
    """A link: its kind, ``target`` as written, the text a reader sees, its ``line`` counted from 0.

    ``path`` is the target without its ``anchor``, decoded; for links by id it is the id.
    """

    kind: LinkKind
    target: str
    text: str = ""
    line: int = 0
    path: str = ""
    anchor: str = ""


def links(page: Page) -> Iterator[Link]:
    """Yield the links of a page in order, pictures, cards, files, embeds and includes among them."""
    for block in page.walk():
        yield from _of_block(block)
        if block.kind in _TEXTS:
            for inline in _walk(page.inline(block)):
                if inline.kind in _LINKS and inline.target:
                    yield read_link(inline.target, plain_text((inline,)), block.start)


def read_link(target: str, text: str = "", line: int = 0) -> Link:
    """Tell what a link target is."""
    for prefix, kind in _BY_ID.items():
        if target.startswith(prefix):
            id, _, anchor = target.removeprefix(prefix).partition("#")
            return Link(kind, target, text, line, id.partition("/")[0], anchor)
    if target.startswith("#"):
        return Link(LinkKind.ANCHOR, target, text, line, "", unquote(target[1:]))
    if _SCHEME.match(target):
        return Link(LinkKind.URL, target, text, line, target)
    written, _, anchor = target.partition("#")
    path = unquote(written.partition("?")[0])
    name = posixpath.basename(path)
    is_page = "." not in name.strip(".") or name.lower().endswith((".md", ".mdx", ".markdown"))
    return Link(LinkKind.PAGE if is_page else LinkKind.FILE, target, text, line, path, unquote(anchor))


def resolve(link: Link, from_path: str) -> str | None:
    """Return the path in the repository that a link on the page at ``from_path`` means.

    ``None`` for what is no path, or one that leads out of the repository. An address within the page is that page;
    a folder is its ``README.md``.
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
    if path == ".." or path.startswith("../"):
        return None
    if path == "." or link.path.endswith(("/", "/.", "/..")) or link.path in (".", ".."):
        return posixpath.normpath(posixpath.join(path, "README.md"))
    return path


def _of_block(block: Block) -> Iterator[Link]:
    attributes = block.attributes
    if block.kind is BlockKind.INCLUDE and "path" in attributes:
        link = read_link(attributes["path"], "", block.start)
        yield Link(LinkKind.INCLUDE, link.target, "", block.start, link.path, link.anchor)
        return
    if block.kind in (BlockKind.PARAGRAPH, BlockKind.TABLE_CELL):
        return
    for name in ("url", "src"):
        if attributes.get(name):
            text = attributes.get("alt") or attributes.get("caption") or attributes.get("title") or ""
            yield read_link(attributes[name], text, block.start)


def _walk(inlines: tuple[Inline, ...]) -> Iterator[Inline]:
    ahead = list(reversed(inlines))
    while ahead:
        inline = ahead.pop()
        yield inline
        ahead.extend(reversed(inline.children))
