"""Entries of a page's outline: its headings, and under them the operations of APIs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from recto.document.markdown.blocks import Block, BlockKind

if TYPE_CHECKING:
    from recto.document.markdown.outline import Heading
    from recto.document.markdown.page import ParsedPage
    from recto.tui.render.surroundings import Surroundings


class OutlineEntry(NamedTuple):
    """A line of an outline; ``line`` is where its part of the source begins.

    A heading has no ``method``; the ``text`` of an operation is its summary, or its path without a summary.
    """

    level: int
    text: str
    line: int
    method: str = ""
    path: str = ""


def is_operation(block: Block) -> bool:
    """Whether a block is an operation of an API, which keys go to as they go to headings."""
    if block.kind is BlockKind.OPENAPI:
        return block.name != "openapi-schemas"
    return block.kind is BlockKind.SWAGGER and block.name == "swagger"


def contents(page: ParsedPage, outline: Sequence[Heading], surroundings: Surroundings) -> tuple[OutlineEntry, ...]:
    """Return the headings and operations of a page in order; an operation stands a level below its heading."""
    entries: list[OutlineEntry] = []
    headings = iter(outline)
    level = 1
    for block in page.walk():
        if block.kind is BlockKind.HEADING:
            heading = next(headings)
            level = heading.level
            entries.append(OutlineEntry(level, heading.text, heading.line))
        elif is_operation(block):
            entries.append(_operation(block, level + 1, surroundings))
    return tuple(entries)


def _operation(block: Block, level: int, surroundings: Surroundings) -> OutlineEntry:
    from recto.document.openapi.api_model import Operation

    attributes = block.attributes
    known = surroundings.described(block) if block.kind is BlockKind.OPENAPI else None
    if isinstance(known, Operation):
        method, path, summary = known.method, known.path, known.summary
    else:
        method, summary = attributes.get("method", ""), attributes.get("summary", "")
        path = attributes.get("path", "") or attributes.get("name", "") or attributes.get("webhook", "")
    summary, path = " ".join(summary.split()), " ".join(path.split())
    text = summary or path or block.name
    return OutlineEntry(level, text, block.start, method.upper(), path if path != text else "")
