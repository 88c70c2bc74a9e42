"""The headings of a page, with the anchors under which links reach them."""

from __future__ import annotations

from collections import Counter

from recto.document.markdown.blocks import Block, BlockKind, Inline, InlineKind, plain_text
from recto.document.markdown.page import ParsedPage
from recto.frozen import frozen
from recto.pattern import pattern

_NOT_IN_SLUG = pattern(r"[^\w\s-]")
_BETWEEN_WORDS = pattern(r"[\s_-]+")
_BETWEEN_PARTS = pattern(r"[\W_]+")


@frozen
class Heading:
    """A heading: ``level`` 1 to 6, its plain ``text``, its ``anchor`` without ``#``, its ``line`` counted from 0."""

    level: int
    text: str
    anchor: str
    line: int


def outline(page: ParsedPage) -> tuple[Heading, ...]:
    """Return the headings of a page in order, those within tabs, steps and the like included.

    An anchor that a heading carries itself (``<a id="…"></a>``) is its anchor; else it is made of its words, with a
    number where the same words came before.
    """
    headings: list[Heading] = []
    seen: Counter[str] = Counter()
    for block in page.walk():
        if block.kind is not BlockKind.HEADING:
            continue
        inlines = page.inline(block)
        text = plain_text(inlines).strip()
        anchor = _own_anchor(inlines)
        if anchor is None:
            slug = slugify(text)
            anchor = f"{slug}-{seen[slug]}" if seen[slug] else slug
            seen[slug] += 1
        headings.append(Heading(block.level, text, anchor, block.start))
    return tuple(headings)


def slugify(text: str) -> str:
    """Return the words of a title as they stand in an address: small, joined by ``-``, letters of any script."""
    return _BETWEEN_WORDS.sub("-", _NOT_IN_SLUG.sub("", text.lower())).strip("-")


def operation_anchor(method: str, path: str) -> str:
    """Return the anchor of an operation of an API, such as ``get-pets-id``; ``path`` may be the name of a webhook."""
    return _BETWEEN_PARTS.sub("-", f"{method} {path}".lower()).strip("-")


def block_anchor(block: Block) -> str:
    """Return the anchor of a block that describes an operation; empty for every other."""
    if block.kind is not BlockKind.OPENAPI:
        return ""
    attributes = block.attributes
    path = attributes.get("path") or attributes.get("name") or attributes.get("webhook") or ""
    return operation_anchor(attributes.get("method", ""), path)


def _own_anchor(inlines: tuple[Inline, ...]) -> str | None:
    return next((inline.target for inline in inlines if inline.kind is InlineKind.ANCHOR and inline.target), None)
