"""Words in, words out: whatever a page holds is shown, within the width, and nothing in it acts on the terminal."""

from __future__ import annotations

import re

import pytest
from textual.strip import Strip

from recto.tui.lists.thread_rows import render_lines, render_markdown
from recto.tui.look.text_roles import Roles
from recto.tui.render.rendered_page import read
from support.pages import COSTLY, EVERYTHING, HOSTILE
from support.slow import with_slow

WIDTHS = (40, 80, 160)
WORD = re.compile(r"\w+")
MARKUP = re.compile(
    r"\{%.*?%\}|<[^>]*>|\]\([^)]*\)|^---\n.*?^---\n|[\ufe00-\ufe0f\u200d\U0001f3fb-\U0001f3ff]",
    re.DOTALL | re.MULTILINE,
)
UNSHOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def strips(markdown: str, width: int) -> list[Strip]:
    return render_markdown(markdown, width, Roles({}))


def words(text: str) -> set[str]:
    return set(WORD.findall(text))


def test_every_word_of_every_block_is_shown() -> None:
    leaves = read("", EVERYTHING).leaves
    shown = words("\n".join(leaf.text() for leaf in leaves))
    assert words(MARKUP.sub(" ", EVERYTHING)) - shown - {"bash", "python", "x", "9", "10", "2", "mc"} == set()
    for named in ("Info", "Success", "Warning", "Danger", "npm", "pip", "setup", "included", "GET", "mc²"):
        assert named in shown
    assert {"unheard", "of", "colour", "green", "visitor", "claims", "beta", "reusable", "content", "abc"} <= shown


@pytest.mark.parametrize(
    "title",
    [
        *("Plain", "The `x` <T> opt", "Use `foo` & *bar* [link](b.md)", "List<T>", "...\\:*?", "Tom &amp; J", "Foo #"),
        *("#", "<!-- x -->", "A {#b}", "# Two", "*", "{% hint %}"),
    ],
)
def test_a_title_is_no_markdown_and_stands_once(title: str) -> None:
    reading = read(title, f"# {title}\n\nText.\n")

    assert [leaf.text() for leaf in reading.leaves] == [title, "Text."]
    assert [heading.text for heading in reading.outline] == [title]
    assert reading.link_after(0, 0) is None


def test_a_heading_that_reads_like_the_title_or_another_keeps_its_markdown() -> None:
    assert [leaf.text() for leaf in read("The config", "# The `config`\n").leaves] == ["The config"]
    assert [leaf.text() for leaf in read("The config", "# The *setup*\n").leaves] == ["The config", "The setup"]


@pytest.mark.parametrize("width", WIDTHS)
def test_rows_hold_their_leaf_s_text_in_order_and_without_loss(width: int) -> None:
    for leaf in read("", EVERYTHING).leaves:
        if any("│" in part.text for row in leaf.rows(width) for part in row.parts):
            continue  # rows of a table show several cells side by side
        shown = "".join(part.text for row in leaf.rows(width) for part in row.parts if part.start >= 0)
        assert shown.replace(" ", "") == leaf.text().replace("\n", "").replace(" ", "")


@pytest.mark.parametrize("width", WIDTHS)
def test_cells_of_a_table_are_shown_whole(width: int) -> None:
    cell = "The first letter of the Greek alphabet, used for many things in many places, see here"
    table = next(leaf for leaf in read("", EVERYTHING).leaves if "Greek" in leaf.text())
    start = table.text().index(cell)
    parts = [part for row in table.rows(width) for part in row.parts if start <= part.start < start + len(cell)]
    assert " ".join("".join(part.text for part in parts).split()).replace(" ", "") == cell.replace(" ", "")


@pytest.mark.parametrize("width", [1, 2, 7, 20, *WIDTHS])
def test_no_line_is_wider_or_narrower_than_the_view(width: int) -> None:
    assert {strip.cell_length for strip in strips(EVERYTHING, width)} == {width}


@pytest.mark.parametrize("width", [12, 40, 80])
@pytest.mark.parametrize("name", with_slow(HOSTILE, COSTLY))
def test_hostile_text_is_data(name: str, width: int) -> None:
    drawn = strips(HOSTILE[name], width)
    assert all(strip.cell_length == width for strip in drawn)
    text = "\n".join(strip.text for strip in drawn)
    assert UNSHOWABLE.search(text.replace("\n", "")) is None


def test_control_characters_are_seen_for_what_they_are() -> None:
    assert "␛[31mred␛[0m" in "\n".join(strip.text for strip in strips(HOSTILE["escapes"], 80))


def test_markup_of_terminal_libraries_means_nothing() -> None:
    (line,) = strips(HOSTILE["markup"], 120)
    assert line.text.rstrip() == "[bold]not bold[/bold] [@click=app.quit]click[/] [link=x]y[/link] [red] $primary"
    assert not any(segment.style and (segment.style.bold or segment.style.meta) for segment in line)


def test_only_addresses_that_a_browser_opens_become_terminal_links() -> None:
    text = "[a](https://e.com/b) [c](javascript:alert(1)) [d](other.md) [e](mailto:a@b.c) [f](https://e.com/ü)"
    (line,) = strips(text, 80)
    linked = {segment.text: segment.style.link for segment in line if segment.style and segment.style.link}
    assert linked == {"a": "https://e.com/b", "e": "mailto:a@b.c", "f": "https://e.com/%C3%BC"}
    (html,) = strips('<a href="https://e.com/\u202eü\u200b&quot;">g</a>', 80)
    assert [segment.style.link for segment in html if segment.style and segment.style.link] == [
        "https://e.com/%E2%80%AE%C3%BC%E2%80%8B%22"
    ]
    for hostile in strips(HOSTILE["links"], 80):
        for segment in hostile:
            link = segment.style.link if segment.style else None
            assert link is None or UNSHOWABLE.search(link) is None


def test_short_texts_are_drawn_as_lines_in_roles() -> None:
    assert render_lines("Hello **you**\n\n- x", 40) == [
        [("Hello ", ""), ("you", "strong")],
        [],
        [("• ", "muted"), ("x", "")],
    ]
