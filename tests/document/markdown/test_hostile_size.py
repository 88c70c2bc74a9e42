"""Reading hostile pages, and writing them back, takes steps in proportion to their size."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline

from recto.contract.rich_text import Document
from recto.document.markdown import page
from recto.document.markdown.block_keys import fresh_keys
from recto.document.markdown.blocks import plain_text
from recto.document.markdown.levelling import level_tags
from recto.document.markdown.page import parse_inline, parse_page
from recto.document.markdown.page_links import references
from recto.document.rich_text.fragments import document_nodes
from recto.document.rich_text.rewriting import rewrite
from recto.document.rich_text.rich_pages import document_json, to_document
from support.calls import calls
from support.hostile import SIZED

SIZE = 500
MOST = 2.3
"""How many times as many steps twice the size may take."""


def prepare_reading(text: str) -> Callable[[], object]:
    def read() -> object:
        parsed = parse_page(text)
        return document_json(parsed, fresh_keys(parsed))

    return read


def prepare_writing(text: str) -> Callable[[], object]:
    new = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [{"text": "New."}]}]}
    changed = Document.model_validate({"nodes": [new, *document_nodes(to_document(text))]})
    return lambda: rewrite(text, changed)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("prepare", [prepare_reading, prepare_writing])
def test_twice_the_size_takes_about_twice_the_steps(
    monkeypatch: pytest.MonkeyPatch, prepare: Callable[[str], Callable[[], object]], name: str
) -> None:
    monkeypatch.setattr(page, "_LONGEST_CACHED", 0)
    once, twice = (calls(prepare(SIZED[name](size))) for size in (SIZE, 2 * SIZE))
    assert twice <= MOST * once


@pytest.mark.parametrize("name", [name for name in SIZED if "without an end" in name or name.startswith("name of")])
def test_an_end_is_not_looked_for_again_and_again(name: str) -> None:
    text = SIZED[name](300_000)  # in time that grows with the square of this, it would be minutes
    assert document_json(text)
    assert references(text).links == ()


def test_moving_ends_writes_no_line_longer_than_it_may() -> None:
    text = SIZED["ends further left of all"](7_000)
    assert len(level_tags(text)) <= len(text) + 100 * text.count("\n")


def test_empty_lines_below_tags_are_passed_over_once() -> None:
    tags = 15_000  # in time that grows with the square of this, it would be minutes
    begun, empty, ended = "{% a %}" * tags, "\n" * (20 * tags), "\n".join([" {% enda %}"] * tags)
    assert level_tags(begun + empty + ended) == begun + empty + ended.replace(" {", "{")


@pytest.mark.parametrize(
    ("text", "most"), [("[" * 2_000, 0), ("![" * 2_000, 0), ("[" * 2_000 + "]", 12), ("[" * 1_000 + "]" * 1_000, 12)]
)
def test_brackets_are_looked_ahead_from_a_few_levels_deep(
    monkeypatch: pytest.MonkeyPatch, text: str, most: int
) -> None:
    skipped: list[int] = []
    skip = ParserInline.skipToken

    def count_and_skip(parser: ParserInline, state: StateInline) -> None:
        skipped.append(state.pos)
        skip(parser, state)

    monkeypatch.setattr(ParserInline, "skipToken", count_and_skip)
    assert plain_text(parse_inline(text)) == text
    assert len(skipped) <= most * len(text)
