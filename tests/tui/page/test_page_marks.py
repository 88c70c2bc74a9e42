"""What is marked on a page: places found, the chosen link, links that lead nowhere, and what the mouse marks."""

from __future__ import annotations

import pytest
from rich.style import Style
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from recto.tui.look.text_roles import roles
from recto.tui.look.themes import THEMES
from recto.tui.page.page_view import PageView
from support.block_pages import BLOCKS
from support.reader import cursor_row, reading
from support.screens import screen_text, settled


def styles_of(app: App[None], words: str) -> list[Style]:
    """The styles in which words stand on the screen, each piece that holds them whole."""
    strips = app.screen._compositor.render_strips(app.size)
    return [segment.style or Style() for strip in strips for segment in strip if words in segment.text]


async def test_the_place_found_that_one_has_come_to_differs_from_the_others() -> None:
    async with reading("here\n\nand here\n\nthere\n") as (pilot, view, app):
        assert view.find("here") == 3
        await pilot.press("n")
        await settled(pilot)
        found = styles_of(app, "here")
        assert [bool(style.underline) for style in found] == [True] * 3
        assert [bool(style.reverse) for style in found] == [False, True, False]


async def test_a_text_is_looked_for_as_it_is_written() -> None:
    async with reading("a.c and abc and a(c\n") as (_pilot, view, _app):
        assert (view.find("a.c"), view.find("a(c"), view.find("A.C")) == (1, 1, 1)


async def test_the_chosen_link_differs_from_the_others() -> None:
    async with reading("[one](a.md) and [two](b.md)\n") as (pilot, _view, app):
        await pilot.press("greater_than_sign")
        await settled(pilot)
        assert [bool(style.reverse) for word in ("one", "two") for style in styles_of(app, word)] == [True, False]


@pytest.mark.parametrize(
    ("block", "href"),
    [
        ("figure", "a/chart.png"),
        ("file", "a/report.pdf"),
        ("embed", "https://example.com/video"),
        ("content-ref", "foo.md"),
        ("include", "/reusable-content/abc"),
        ("another cards", "foo.md"),
    ],
)
async def test_blocks_that_name_something_lead_there(block: str, href: str) -> None:
    async with reading(BLOCKS[block]) as (pilot, _view, app):
        await pilot.press("greater_than_sign", "enter")
        assert [one.href for one in app.heard if isinstance(one, PageView.LinkFollowed)] == [href]


async def test_a_place_is_found_by_its_name_whatever_its_case_and_wherever_it_stands() -> None:
    page = "# The Title\n\n" + "words\n\n" * 30 + 'some <a id="named"></a>place\n\nlast\n'
    async with reading(page) as (pilot, view, app):
        for anchor, row in (("named", "some place"), ("The-Title", "The Title")):
            assert view.go_to_anchor(anchor)
            await pilot.pause()
            assert cursor_row(app) == row


class Linked(App[None]):
    """Shows a page of which it is known which links lead nowhere."""

    CSS = "PageView { height: 1fr; }"

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.markdown = markdown

    def compose(self) -> ComposeResult:
        yield PageView()

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = "dark"
        page = self.query_one(PageView)
        page.show("", self.markdown)
        page.mark_broken_links(lambda href: href == "gone.md")


async def test_a_broken_link_stands_in_the_colour_of_errors_behind_a_sign_in_the_margin() -> None:
    app = Linked("[good](a.md)\n\n[bad](gone.md) and [fine](b.md)\n")
    async with app.run_test(size=(60, 8)) as pilot:
        await settled(pilot)
        error = roles(app).style("error").color
        assert [style.color == error for word in ("good", "bad", "fine") for style in styles_of(app, word)] == [
            False,
            True,
            False,
        ]
        assert ["×" in line for line in screen_text(app)[:3]] == [False, False, True]


async def mark(pilot: Pilot[None], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Mark with the mouse from one place on the screen to another, and give what would be copied."""
    await pilot.hover(offset=start)
    await settled(pilot)
    await pilot.mouse_down(offset=start)
    await pilot.hover(offset=end)
    await pilot.mouse_up(offset=end)
    await settled(pilot)
    return pilot.app.screen.get_selected_text() or ""


def column(line: str, words: str) -> int:
    """The cell at which words begin."""
    return sum(2 if ord(letter) > 0x2E80 else 1 for letter in line[: line.index(words)])


async def test_wide_characters_are_marked_and_copied_where_the_mouse_was() -> None:
    async with reading("中文字符 and more\n\n日本語 after\n") as (pilot, _view, app):
        lines = screen_text(app)
        copied = await mark(pilot, (column(lines[0], "字"), 0), (column(lines[2], "本"), 2))
        assert copied.split() == ["字符", "and", "more", "日本"]
        ground = roles(app).style("selected").bgcolor
        shown = {
            segment.text.strip(): segment.style is not None and segment.style.bgcolor == ground
            for strip in app.screen._compositor.render_strips(app.size)
            for segment in strip
        }
        assert (shown["中文"], shown["字符 and more"], shown["日本"], shown["語 after"]) == (False, True, True, False)


async def test_marking_over_something_folded_away_copies_what_is_seen() -> None:
    async with reading("above\n\n" + BLOCKS["expandable"] + "\nbelow\n") as (pilot, _view, app):
        lines = screen_text(app)
        first, last = (next(y for y, line in enumerate(lines) if word in line) for word in ("above", "below"))
        x = column(lines[last], "below")
        copied = await mark(pilot, (x, first), (x + 5, last))
        assert copied == "above\n\n▸ More here\n\n▾ Open\n│ Inside the open one.\n\nbelow"


async def test_marking_that_ends_on_a_link_does_not_lead_away() -> None:
    async with reading("some words and [a link](a.md)\n") as (pilot, _view, app):
        line = screen_text(app)[0]
        start, end = (line.index("words"), 0), (line.index("link") + 2, 0)
        assert await mark(pilot, start, end) == "words and a lin"
        # A terminal tells of a click where the button goes up, too, which the pilot leaves out.
        await pilot._post_mouse_events([events.Click], button=1, offset=end)
        await settled(pilot)
        assert not any(isinstance(one, PageView.LinkFollowed) for one in app.heard)


async def test_what_is_marked_is_seen_without_colour_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with reading("some words to mark\n") as (pilot, _view, app):
        x = screen_text(app)[0].index("words")
        await mark(pilot, (x, 0), (x + 4, 0))
        assert [bool(style.reverse) for style in styles_of(app, "words")] == [True]
