"""The field in which pages are written: what stands out, and what a long text costs."""

from __future__ import annotations

from textual.app import App, ComposeResult

from recto.tui.look.themes import THEMES
from recto.tui.widgets.text_pad import MOST, MOST_OF_LINE, MarkdownPad


class Desk(App[None]):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = "dark"

    def compose(self) -> ComposeResult:
        yield MarkdownPad(self.text)


def styled_parts(pad: MarkdownPad, line: int) -> list[str]:
    text = pad.get_line(line)
    return [text.plain[span.start : span.end] for span in text.spans]


async def test_headings_links_tags_and_code_stand_out() -> None:
    app = Desk('# Title\n\nSee [this](a.md), `code` and {% hint style="info" %}.\n\n- item\n')
    async with app.run_test():
        pad = app.query_one(MarkdownPad)
        assert styled_parts(pad, 0) == ["# Title"]
        assert styled_parts(pad, 2) == ["[this](a.md)", '{% hint style="info" %}', "`code`"]
        assert styled_parts(pad, 4) == ["-"]


async def test_a_fence_that_is_typed_makes_code_of_all_that_follows() -> None:
    app = Desk("one\n# two\n")
    async with app.run_test() as pilot:
        pad = app.query_one(MarkdownPad)
        pad.move_cursor((0, 0))
        pad.focus()
        before = pad.get_line(1).spans[0].style
        await pilot.press(*["grave_accent"] * 3, "enter")
        await pilot.pause()
        assert pad.text.startswith("```\none")
        assert styled_parts(pad, 2) == ["# two"]
        assert pad.get_line(2).spans[0].style != before


async def test_a_long_text_is_left_plain() -> None:
    app = Desk("# Title\n" + "word " * (MOST // 5))
    async with app.run_test():
        assert styled_parts(app.query_one(MarkdownPad), 0) == []


async def test_a_long_line_is_left_plain() -> None:
    shown, plain = "`x`" + "y" * (MOST_OF_LINE - 3), "`x`" + "y" * (MOST_OF_LINE - 2)
    hostile = "[" * 150_000  # in time that grows with the square of this, it would be minutes
    app = Desk(f"{shown}\n{plain}\n{hostile}\n")
    async with app.run_test():
        pad = app.query_one(MarkdownPad)
        assert [styled_parts(pad, line) for line in range(3)] == [["`x`"], [], []]
