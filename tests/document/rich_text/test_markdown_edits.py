"""Rich text edited as Markdown."""

from __future__ import annotations

from typing import Any

import pytest

from recto.contract.rich_text import Block, Document, Leaf, Mark, Text
from recto.document.rich_text.markdown_edits import with_markdown
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.rich_text.rich_pages import to_document


def paragraph(text: str, key: str, *marks: str, **data: Any) -> Block:
    leaf = Leaf(text=text, marks=tuple(Mark(type=mark) for mark in marks))
    return Block(type="paragraph", key=key, data=data, nodes=(Text(leaves=(leaf,)),))


COLOURED = paragraph("Write in British English.", "k2", "color", align="center")
NOTE = Block(type="drawing", key="k3", is_void=True, data={"strokes": [1, 2]})
BEFORE = Document(nodes=(paragraph("Be brief.", "k1"), COLOURED, NOTE, paragraph("Ask when in doubt.", "k4")))


def keys(document: Document) -> list[str | None]:
    return [getattr(node, "key", None) for node in document.nodes]


def test_text_that_was_not_touched_is_the_same_rich_text() -> None:
    assert with_markdown(BEFORE, to_markdown(BEFORE)) == BEFORE


def test_blocks_beside_a_change_stay_as_they_were() -> None:
    text = to_markdown(BEFORE).replace("Be brief.", "Be brief and kind.")

    after = with_markdown(BEFORE, text)

    assert "Be brief and kind." in to_markdown(after)
    assert after.nodes[1:] == BEFORE.nodes[1:]
    assert after.nodes[0] != BEFORE.nodes[0]


def test_what_is_added_and_removed_leaves_the_others() -> None:
    text = to_markdown(BEFORE)

    longer = with_markdown(BEFORE, f"# Rules\n\n{text}\n\nSign your work.\n")
    assert [key for key in keys(longer) if key in {"k1", "k2", "k3", "k4"}] == ["k1", "k2", "k3", "k4"]
    assert len(longer.nodes) == 6

    shorter = with_markdown(BEFORE, text.replace("Be brief.\n\n", ""))
    assert keys(shorter) == ["k2", "k3", "k4"]


@pytest.mark.parametrize("text", ["", "\n\n", "# A\n\n- b\n- c\n\n1. d\n", "| a |\n|---|\n| b |\n"])
def test_rewritten_parts_mean_what_the_markdown_means(text: str) -> None:
    assert to_markdown(with_markdown(Document(), text)) == to_markdown(to_document(text))
