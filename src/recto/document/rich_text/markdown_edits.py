"""Rich text edited as Markdown: unedited blocks stay as they were, even if Markdown cannot express them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recto.contract.rich_text import Document
from recto.document.line_edits import edits
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.rich_text.rich_pages import to_document


def with_markdown(before: Document, text: str) -> Document:
    """Return the rich text of Markdown, reusing the blocks of ``before`` with the same Markdown.

    A block that Markdown cannot express at all stays after its predecessor.
    """
    after = to_document(text).nodes
    pieces: list[str] = []
    owners: list[int] = []
    for index, node in enumerate(before.nodes):
        written = [_write_piece(each) for each in to_document(_write_piece(node)).nodes]
        pieces += written
        owners += [index] * len(written)
    kept, places = _find_kept(pieces, owners, [_write_piece(each) for each in after])
    nodes: list[Any] = []
    waiting = [index for index in range(len(before.nodes)) if index not in owners]
    for at, node in enumerate(after):
        owner = places.get(at)
        while waiting and owner in kept and waiting[0] < (owner or 0):
            nodes.append(before.nodes[waiting.pop(0)])
        if owner not in kept:
            nodes.append(node)
        elif at - 1 not in places or places[at - 1] != owner:
            assert owner is not None
            nodes.append(before.nodes[owner])
    nodes += [before.nodes[index] for index in waiting]
    return before.model_copy(update={"nodes": tuple(nodes)})


def _find_kept(pieces: Sequence[str], owners: Sequence[int], after: Sequence[str]) -> tuple[set[int], dict[int, int]]:
    """Return the blocks all of whose pieces are still there, and by place in ``after`` the block it belonged to."""
    changed: set[int] = set()
    places: dict[int, int] = {}
    at = to = 0
    for edit in [*edits(pieces, after), None]:
        end = edit.before_start if edit is not None else len(pieces)
        places.update((to + step, owners[at + step]) for step in range(end - at))
        if edit is not None:
            changed.update(owners[edit.before_start : edit.before_end])
            if edit.before_start == edit.before_end and 0 < edit.before_start < len(owners):
                # Something was inserted into the middle of a block.
                changed.update({owners[edit.before_start]} & {owners[edit.before_start - 1]})
            at, to = edit.before_end, edit.after_end
    return set(owners) - changed, places


def _write_piece(node: Any) -> str:
    return to_markdown(Document(nodes=(node,)))
