"""CommonMark's own examples parse as markdown-it-py parses them: our blocks take nothing that is not theirs.

``commonmark.json`` holds the texts of the examples of CommonMark 0.31.2 by section (John MacFarlane, CC BY-SA 4.0).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from recto.document.markdown.block_tree import build
from recto.document.markdown.blocks import Block, BlockKind, Inline
from recto.document.markdown.inline import inline_html, inline_markdown
from recto.document.markdown.page import parse_page
from recto.document.markdown.parser import DEEPEST

EXAMPLES: dict[str, list[str]] = json.loads(Path(__file__).with_name("commonmark.json").read_text(encoding="utf-8"))

Reading = list[tuple[Block, tuple[Inline, ...]]]


@cache
def plain() -> MarkdownIt:
    """Return markdown-it-py as CommonMark has it, with the tables and strikethrough that pages have beside it."""
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    return parser.disable(["inline", "text_join"])


def read_plainly(text: str) -> Reading:
    env: dict[str, object] = {}
    blocks = build(plain().parse(text, env), text.split("\n"), 0)

    def inline(block: Block) -> tuple[Inline, ...]:
        return inline_html(block.text) if block.markup == "html" else inline_markdown(block.text, plain(), env)

    return [(block, inline(block)) for top in blocks for block in top.walk()]


def read_with_our_blocks(text: str) -> Reading:
    page = parse_page(text)
    return [(block, page.inline(block)) for block in page.walk()]


def is_ours(example: str) -> bool:
    """Say whether an example is written with what is ours: front matter, and tables that are read as a whole."""
    return example == "---\n---\n" or any(block.kind is BlockKind.TABLE for block, _ in read_with_our_blocks(example))


@pytest.mark.parametrize("section", EXAMPLES)
def test_examples_parse_as_they_do_without_our_blocks(section: str) -> None:
    for example in EXAMPLES[section]:
        if not is_ours(example):
            assert read_with_our_blocks(example) == read_plainly(example), example


def test_of_all_the_examples_only_four_parse_otherwise() -> None:
    examples = [example for section in EXAMPLES.values() for example in section]
    assert len(examples) == 652
    assert sum(read_with_our_blocks(example) != read_plainly(example) for example in examples) == 4
