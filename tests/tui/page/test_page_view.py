"""The page reader driven by keys: cursor, headings, links, finding, looking sideways, and coming back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from recto.tui.page import page_view
from recto.tui.page.cursor import Position
from recto.tui.page.page_view import PageView
from recto.tui.render.rendered_page import RenderedPage, read
from support.pages import COSTLY, EVERYTHING, HOSTILE, SAMPLES
from support.reader import cursor_row, reading, text_column
from support.screens import screen_text, settled
from support.slow import with_slow

LONG = "# Long\n\n" + "\n\n".join(
    f"## Part {number}\n\n" + f"Paragraph {number} " + "of words that go on and on " * (5 + number % 7)
    for number in range(200)
)


async def test_the_cursor_goes_by_line_and_over_blank_lines() -> None:
    async with reading("# Title\n\nfirst\n\n- a\n- b\n\n***\n\nlast") as (pilot, view, app):
        seen = [cursor_row(app)]
        for _ in range(5):
            await pilot.press("j")
            seen.append(cursor_row(app))
        assert seen[:4] == ["Title", "first", "• a", "• b"]
        assert set(seen[4]) == {"─"}
        assert seen[5] == "last"
        await pilot.press("j")
        assert cursor_row(app) == "last"
        await pilot.press("k", "up")
        assert cursor_row(app) == "• b"
        assert view.cursor_line == 5


async def test_a_page_that_comes_while_the_view_is_hidden_is_there_when_it_is_shown_again() -> None:
    async with reading("# Before") as (pilot, view, app):
        view.display = False
        await settled(pilot)
        view.show("", "# After\n\nwords")
        await settled(pilot)
        view.display = True
        await settled(pilot)
        view.focus()
        await pilot.press("j")
        assert cursor_row(app) == "words"


async def test_the_block_under_the_cursor_has_its_lines_in_the_source() -> None:
    source = "---\ndescription: d\n---\n\n# Title\n\nfirst\nsecond\n\n```py\nx\ny\n```\n"
    async with reading(source) as (pilot, view, app):
        await pilot.press("G")
        block = view.cursor_block
        assert block is not None
        assert (block.kind, block.start, block.end) == ("code", 9, 13)
        assert view.cursor_line == 10
        assert app.heard[-1].block is block  # type: ignore[attr-defined]
        view.go_to_line(7)
        await pilot.pause()
        assert cursor_row(app) == "first second"


async def test_paging_goes_down_and_comes_back_to_the_same_words() -> None:
    async with reading(LONG) as (pilot, view, app):
        await pilot.press("j", "j")
        begin = view.cursor_line
        await pilot.press("pagedown", "pagedown", "ctrl+d")
        assert view.cursor_line > begin + 12
        await pilot.press("ctrl+u", "pageup", "pageup")
        assert view.cursor_line == begin
        await pilot.press("G")
        assert "and on" in cursor_row(app)
        assert view.cursor_line == len(LONG.splitlines()) - 1
        assert round(view.scroll_y) == view.max_scroll_y
        assert screen_text(app)[-1] != ""
        await pilot.press("g")
        assert cursor_row(app) == "Long"


async def test_a_page_read_line_by_line_shows_every_line_once() -> None:
    async with reading(LONG, size=(60, 16)) as (pilot, view, app):
        for _ in range(40):
            before = cursor_row(app), view.cursor_line
            await pilot.press("j")
            assert (cursor_row(app), view.cursor_line) != before or "go on and on" in before[0]
        down = view.position
        for _ in range(40):
            await pilot.press("k")
        assert cursor_row(app) == "Long"
        assert down.leaf > 5


async def test_headings_and_the_outline() -> None:
    async with reading(EVERYTHING) as (pilot, view, app):
        await pilot.press("]")
        assert cursor_row(app) == "Lists"
        await pilot.press("]")
        assert cursor_row(app) == "### Third level"
        await pilot.press("[", "[")
        assert cursor_row(app) == "A page of everything"
        assert [(heading.level, heading.text, heading.anchor) for heading in view.outline][:3] == [
            (1, "A page of everything", "a-page-of-everything"),
            (2, "Lists", "lists"),
            (3, "Third level", "third-level"),
        ]
        assert EVERYTHING.splitlines()[view.outline[2].line] == "### Third level"


async def test_anchors_lead_to_headings_and_named_places() -> None:
    source = "# A\n\n## B & C\n\n" + "text\n\n" * 40 + '## B & C\n\nx\n\n## D <a href="#dee" id="dee"></a>\n'
    async with reading(source, anchor="b-c-1") as (pilot, view, app):
        assert [heading.anchor for heading in view.outline] == ["a", "b-c", "b-c-1", "dee"]
        assert cursor_row(app) == "B & C"
        assert view.cursor_line > 80
        assert view.go_to_anchor("dee")
        await pilot.pause()
        assert cursor_row(app) == "D"
        assert not view.go_to_anchor("nowhere")


async def test_links_are_gone_through_and_followed() -> None:
    source = "[one](a.md) and [two](https://e.com)\n\nplain\n\n| h |\n|---|\n| [three](c.md#d) |\n"
    async with reading(source) as (pilot, view, app):
        await pilot.press("greater_than_sign")
        assert view.current_link == "a.md"
        await pilot.press("greater_than_sign", "enter", "o")
        assert isinstance(app.heard[-2], PageView.LinkFollowed) and app.heard[-2].href == "https://e.com"
        assert isinstance(app.heard[-1], PageView.BrowseRequested) and app.heard[-1].href == "https://e.com"
        await pilot.press("greater_than_sign")
        assert (view.current_link, cursor_row(app)) == ("c.md#d", "three")
        await pilot.press("less_than_sign", "Y")
        assert isinstance(app.heard[-1], PageView.CopyLinkRequested) and app.heard[-1].href == "https://e.com"
        await pilot.press("j", "enter", "o")
        assert isinstance(app.heard[-1], PageView.BrowseRequested) and app.heard[-1].href is None


async def test_copying_takes_the_text_of_the_block_and_the_place() -> None:
    async with reading("# One\n\nSome **bold** text.\n\n```sh\na\nb\n```\n") as (pilot, _view, app):
        await pilot.press("j", "y")
        assert isinstance(app.heard[-1], PageView.CopyTextRequested) and app.heard[-1].text == "Some bold text."
        await pilot.press("j", "j", "y", "Y")
        copied = [message for message in app.heard if isinstance(message, PageView.CopyTextRequested)]
        assert copied[-1].text == "a\nb"
        assert isinstance(app.heard[-1], PageView.CopyLinkRequested)
        assert (app.heard[-1].href, app.heard[-1].anchor) == (None, "one")


async def test_finding_marks_counts_and_goes_round() -> None:
    source = "alpha\n\nbeta **al**pha\n\n```\nALPHA\n```\n\n" + "text\n\n" * 40 + "| alpha |\n|---|\n| x |\n"
    async with reading(source) as (pilot, view, app):
        await pilot.press("slash")
        assert isinstance(app.heard[-1], PageView.FindRequested)
        assert view.find("alpha") == 4
        assert view.found == (1, 4)
        seen = []
        for _ in range(4):
            await pilot.press("n")
            seen.append(cursor_row(app))
        assert seen == ["beta alpha", "ALPHA", "alpha", "alpha"]
        await pilot.press("N")
        assert view.cursor_line > 80
        styles = [
            segment.style
            for strip in app.screen._compositor.render_strips(app.size)
            for segment in strip
            if "alpha" in segment.text
        ]
        assert any(style is not None and style.underline for style in styles)
        await pilot.press("escape")
        assert view.needle == "" and view.found == (0, 0)


async def test_each_letter_is_looked_for_from_where_one_began_and_what_was_opened_on_the_way_closes() -> None:
    folded = "<details>\n<summary>More</summary>\n\nzebra\n\n</details>\n\n"
    source = f"{folded}here zoo\n\n" + "text\n\n" * 40 + "zone\n"
    async with reading(source) as (pilot, view, app):
        await pilot.press("j", "slash")
        assert cursor_row(app) == "here zoo"
        view.find("z")
        view.find("ze")
        await pilot.pause()
        assert cursor_row(app) == "│ zebra"
        view.find("zo")
        await pilot.pause()
        assert cursor_row(app) == "here zoo" and "zebra" not in "\n".join(screen_text(app))
        view.find("zon")
        view.find("zonk")
        await pilot.pause()
        assert cursor_row(app) == "here zoo"
        view.find("zone")
        view.blur()
        view.focus()
        await pilot.press("slash")
        view.find("text")
        await pilot.pause()
        assert cursor_row(app) != "here zoo", "one begins where the last search ended"


async def test_wide_code_is_looked_at_sideways_while_the_text_stays() -> None:
    source = "Prose stays.\n\n```\n" + "".join(f"{number:<9}" for number in range(30)) + "end\n```\n"
    async with reading(source, size=(60, 12)) as (pilot, _view, app):
        await pilot.press("j")
        assert cursor_row(app).startswith("0 ") and cursor_row(app).endswith("›")
        await pilot.press("full_stop", "full_stop")
        assert cursor_row(app).startswith("‹") and " 2 " in cursor_row(app)
        assert "Prose stays." in screen_text(app)[0]
        for _ in range(35):
            await pilot.press("full_stop")
        assert "end" in cursor_row(app) and not cursor_row(app).endswith("›")
        for _ in range(35):
            await pilot.press("comma")
        assert cursor_row(app).startswith("0 ")


async def test_a_match_beyond_the_edge_is_scrolled_into_view() -> None:
    source = "```\nneedle " + "x" * 200 + " needle y\n```\n"
    async with reading(source, size=(60, 12)) as (pilot, view, app):
        assert view.find("needle") == 2
        assert cursor_row(app).startswith("needle")
        await pilot.press("n")
        assert view.found == (2, 2)
        assert cursor_row(app).startswith("‹") and "needle" in cursor_row(app)


async def test_a_click_on_a_link_follows_it_and_elsewhere_moves_the_cursor() -> None:
    async with reading("first\n\nsee [there](b.md) now") as (pilot, _view, app):
        (line,) = [number for number, text in enumerate(screen_text(app)) if "there" in text]
        x = screen_text(app)[line].index("there")
        await pilot.click(PageView, offset=(x - 2, line))
        assert cursor_row(app) == "see there now"
        assert not any(isinstance(message, PageView.LinkFollowed) for message in app.heard)
        await pilot.click(PageView, offset=(x + 1, line))
        assert isinstance(app.heard[-1], PageView.LinkFollowed) and app.heard[-1].href == "b.md"


@pytest.mark.parametrize("widths", [(80, 50), (50, 120), (120, 40)])
async def test_resizing_keeps_the_words_under_the_cursor_where_they_are(widths: tuple[int, int]) -> None:
    async with reading(LONG, size=(widths[0], 30)) as (pilot, view, app):
        await pilot.press("]", "]", "]", "]", "pagedown", "j")
        before, word = view.position, cursor_row(app).split()[0]
        line = next(number for number, text in enumerate(screen_text(app)) if "▌" in text)
        await pilot.resize_terminal(widths[1], 30)
        await settled(pilot)
        assert view.position.leaf == before.leaf
        assert word in cursor_row(app)
        now = next(number for number, text in enumerate(screen_text(app)) if "▌" in text)
        assert abs(now - line) <= 2
        await pilot.resize_terminal(widths[0], 30)
        await settled(pilot)
        assert view.position.leaf == before.leaf


async def test_resizing_over_and_over_does_not_wander_off() -> None:
    source = " ".join(f"word{number}" for number in range(400))
    async with reading(source, size=(80, 24)) as (pilot, _view, app):
        await pilot.press(*["j"] * 15)
        words = cursor_row(app)
        for width in (71, 63, 57, 49, 58, 66, 75, 80):
            await pilot.resize_terminal(width, 24)
            await settled(pilot)
        assert cursor_row(app) == words


async def test_a_page_that_says_nothing_has_nothing_to_go_to() -> None:
    async with reading("") as (pilot, view, _app):
        await pilot.press("]", "[", ">", "<", "j", "G", "g", "enter", "pagedown", "y", "Y", "Z", "z", ".", "slash")
        assert view.find("x") == 0
        view.show("", "")
        await settled(pilot)
        await pilot.press("<", ">")
        assert view.current_link is None and view.position.leaf == 0


async def test_a_page_is_taken_up_where_it_was_left() -> None:
    async with reading(LONG) as (pilot, view, app):
        await pilot.press(*["]"] * 30, "j", "j")
        left, words, lines = view.position, cursor_row(app), text_column(app)
        view.show("", "# Another\n\nshort")
        await settled(pilot)
        assert cursor_row(app) == "Another"
        view.show("", LONG, position=left)
        await settled(pilot)
        assert cursor_row(app) == words
        assert text_column(app) == lines
        assert view.show_vertical_scrollbar and view.vertical_scrollbar.position == round(view.scroll_y)


async def test_the_wheel_takes_the_cursor_along() -> None:
    async with reading(LONG) as (pilot, view, app):
        view.scroll_to(y=400, animate=False)
        await pilot.pause()
        assert cursor_row(app)
        before = screen_text(app)
        view.scroll_relative(y=3, animate=False)
        await pilot.pause()
        assert screen_text(app)[8] == before[11]
        assert "▌" in screen_text(app)[0] + screen_text(app)[1]
        view.scroll_relative(y=-13, animate=False)
        await pilot.pause()
        assert screen_text(app)[15] == before[5]


async def test_marks_stand_in_the_margin_of_the_block_that_holds_their_line() -> None:
    source = "# Title\n\nfirst\nstill first\n\nsecond\n"
    async with reading(source) as (pilot, view, app):
        view.mark({3: ("●2", "accent")})
        await pilot.pause()
        assert [line for line in screen_text(app) if "●2" in line] == ["  ●2 first still first"[1:]]
        view.mark({5: ("●1", "accent")})
        await pilot.pause()
        assert [line.split() for line in screen_text(app) if "●" in line] == [["●1", "second"]]


async def test_text_is_centred_and_at_most_a_hundred_cells_wide() -> None:
    async with reading("word " * 200, size=(160, 12)) as (_pilot, _view, app):
        lines = [line.replace("▌", " ") for line in screen_text(app) if line.strip()]
        left = min(len(line) - len(line.lstrip()) for line in lines)
        right = max(len(line) for line in lines)
        assert right - left <= 100
        assert abs(left - (159 - right)) <= 2


async def test_a_large_page_is_parsed_beside_the_event_loop_and_only_the_last_one_is_shown() -> None:
    async with reading("first") as (pilot, view, app):
        view.show("", LONG * 2)
        view.show("", LONG.replace("# Long", "# Longer") * 2, anchor="part-7")
        await settled(pilot)
        assert view.outline[0].text == "Longer"
        assert cursor_row(app) == "Part 7"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Lets large pages be parsed to their end."""
    opened = threading.Event()
    read = page_view._read

    def wait(title: str, markdown: str, *rest: Any) -> RenderedPage:
        if len(markdown) > len(LONG):
            opened.wait(timeout=60)  # a test that fails must not wait for ever
        return read(title, markdown, *rest)

    monkeypatch.setattr(page_view, "_read", wait)
    yield opened
    opened.set()


async def test_the_beginning_of_a_large_page_is_read_before_all_of_it(gate: threading.Event) -> None:
    async with reading("first") as (pilot, view, app):
        view.show("", LONG * 2)
        await pilot.press("j", "j")
        assert screen_text(app)[0].split() == ["Long"]
        below = cursor_row(app)
        gate.set()
        await settled(pilot)
        assert cursor_row(app) == below != ""
        await pilot.press("G")
        assert view.cursor.stop.leaf == len(read("", LONG * 2).leaves) - 1


async def test_what_is_looked_for_is_found_in_the_beginning_of_a_large_page_too(gate: threading.Event) -> None:
    async with reading("words\n\n" * 2000) as (pilot, view, app):
        view.find("words")
        await pilot.press("G", "N", "N")
        view.show("", LONG * 2)
        await pilot.press("n")
        assert "of words that go on" in cursor_row(app)
        gate.set()


async def test_a_large_page_without_a_blank_line_begins_as_well(gate: threading.Event) -> None:
    async with reading("first") as (pilot, view, app):
        view.show("", "word " * len(LONG))
        await pilot.pause()
        assert screen_text(app)[0].split()[1:3] == ["word", "word"]
        gate.set()


async def test_who_comes_back_to_a_place_in_a_large_page_is_not_shown_its_beginning(gate: threading.Event) -> None:
    async with reading("first") as (pilot, view, app):
        view.show("", LONG * 2, position=Position(12))
        await pilot.pause()
        assert cursor_row(app) == "first"
        gate.set()
        await settled(pilot)
        assert view.position.leaf == 12


@pytest.mark.parametrize("name", with_slow(HOSTILE, COSTLY))
async def test_hostile_pages_can_be_read_to_their_end(name: str) -> None:
    async with reading(HOSTILE[name], size=(60, 20)) as (pilot, view, app):
        await pilot.press("G", "g", "pagedown", "greater_than_sign", "]")
        view.find("x")
        await pilot.press("n")
        assert not any("\x1b" in line or "\u202e" in line for line in screen_text(app))


async def test_huge_blocks_are_laid_out_only_where_they_are_seen() -> None:
    fence = "```python\n" + "value = 'text'  # comment\n" * 40_000 + "```\n\n"
    table = "| a | b |\n|---|---|\n" + "| one | two |\n" * 5_000
    async with reading(fence + table) as (pilot, view, app):
        await pilot.press("G")
        assert cursor_row(app).split() == ["one", "│", "two"]
        assert sum(leaf.is_laid_out for leaf in view.cursor.leaves) < 100


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample documentation is not beside the repository")
async def test_a_large_sample_is_read_from_end_to_end() -> None:
    markdown = (SAMPLES / "nso/resources/man/confd_lib_dp.3.md").read_text(encoding="utf-8")
    async with reading(markdown, size=(100, 40)) as (pilot, view, app):
        await pilot.press("G")
        assert round(view.scroll_y) == view.max_scroll_y
        await pilot.press(*["pageup"] * 20, *["pagedown"] * 20)
        assert screen_text(app)[-1]
        assert view.find("confd_register_trans_cb") >= 3
