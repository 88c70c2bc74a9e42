"""The cost of a page follows the screen: only what is seen is read and laid out, once for each width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from textual.strip import Strip

from recto.document.markdown.blocks import Block, Inline
from recto.document.markdown.page import ParsedPage
from recto.tui.page.page_view import PageView
from recto.tui.page.sheet import Sheet
from recto.tui.render import table
from recto.tui.render.rendered_page import read
from recto.tui.render.table import column_widths
from support.block_pages import BLOCKS
from support.reader import reading
from support.screens import settled

KINDS = "\n\n".join(text for kind, text in BLOCKS.items() if "columns" not in kind)
PARAGRAPH = "A paragraph with **strong words** and [a link](a.md). " * 12
MEGABYTE = (f"{KINDS}\n\n" + f"{PARAGRAPH}\n\n" * 60) * 24


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Block]]:
    """The blocks whose inline text was parsed."""
    blocks: list[Block] = []
    parse = ParsedPage.inline

    def count_calls(page: ParsedPage, block: Block) -> tuple[Inline, ...]:
        blocks.append(block)
        return parse(page, block)

    monkeypatch.setattr(ParsedPage, "inline", count_calls)
    yield blocks


async def test_of_a_megabyte_only_what_is_seen_is_read_and_laid_out(parsed: list[Block]) -> None:
    assert len(MEGABYTE) > 1_000_000
    async with reading(MEGABYTE, size=(100, 40)) as (pilot, view, app):
        leaves = view.cursor.leaves
        assert len(leaves) > 4_000
        assert sum(leaf.is_laid_out for leaf in leaves) < 80
        assert len(parsed) < 200
        await pilot.press("G", "pageup", "g")
        await settled(pilot)
        assert sum(leaf.is_laid_out for leaf in leaves) < 240
        assert len(parsed) < 600
        assert [str(one) for one in app.screen.query("*")] == [str(view)], "blocks are no widgets"


def test_rows_that_were_seen_long_ago_are_given_back_and_made_again() -> None:
    leaves = read("", "a paragraph\n\n" * 4_000).leaves
    sheet = Sheet(leaves, 40)
    for index in range(len(leaves)):
        sheet.lay_out(index)
    assert sum(leaf.is_laid_out for leaf in leaves) < 2_000
    assert "".join(part.text for part in sheet.rows(0)[0].parts) == "a paragraph"


def test_rows_are_kept_for_the_width_they_were_made_for() -> None:
    (leaf,) = read("", "some words that are wrapped").leaves
    narrow = leaf.rows(12)
    assert leaf.rows(12) is narrow
    assert len(leaf.rows(40)) == 1
    assert leaf.rows(12) == narrow


def test_the_columns_of_a_table_are_measured_once_for_each_width(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []

    def counting(*given: Any) -> Any:
        measured.append(given[-1])
        return column_widths(*given)

    monkeypatch.setattr(table, "column_widths", counting)
    leaves = read("", "| a | b |\n|---|---|\n" + "| one | two |\n" * 200).leaves
    for width in (40, 80):
        for leaf in leaves:
            leaf.rows(width)
    assert measured == [37, 77]


@pytest.mark.usefixtures("each_step_painted")
async def test_a_page_is_drawn_once_for_another_width(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[int, int]] = []
    draw = PageView.draw_line

    def count_lines(view: PageView, number: int) -> Strip:
        drawn.append((number, view.size.width))
        return draw(view, number)

    monkeypatch.setattr(PageView, "draw_line", count_lines)
    async with reading(PARAGRAPH * 20, size=(100, 20)) as (pilot, view, _):
        await settled(pilot)
        drawn.clear()
        await pilot.resize_terminal(60, 20)
        await settled(pilot)
        assert view.size.width == 60
        assert sorted(drawn) == sorted(set(drawn)), "a line is drawn twice"
        assert len(drawn) == 20
