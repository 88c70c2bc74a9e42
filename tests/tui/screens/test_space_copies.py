"""What of a page can be copied, from wherever the cursor stands."""

from __future__ import annotations

from textual.app import App, ComposeResult

from recto.contract.content import Page
from recto.tui.page.page_view import PageView
from recto.tui.screens.reading.copies import copies
from support.screens import settled

TEXT = """\
Before any heading.

# One

See **[that](b.md)** now.

## Within

```py
x = 1
y = 2
```

# Two

Last words.
"""


class Linked(App[None]):
    """Shows one page whose links are known."""

    CSS = "PageView { height: 1fr; }"

    def compose(self) -> ComposeResult:
        yield PageView()

    def on_mount(self) -> None:
        self.query_one(PageView).show("", TEXT)
        self.query_one(PageView).focus()


def address(anchor: str | None) -> str:
    return f"/page#{anchor}" if anchor else "/page"


async def offered(line: int) -> dict[str, str]:
    """What can be copied from a line of the page."""
    app = Linked()
    async with app.run_test(size=(60, 30)) as pilot:
        await settled(pilot)
        sheet = app.query_one(PageView)
        sheet.go_to_line(line)
        await settled(pilot)
        return {copy.label: copy.text for copy in copies(sheet, Page(id="p", markdown=TEXT), address)}


WHOLE = {
    "The page, as text": "Before any heading.\nOne\nSee that now.\nWithin\nx = 1\ny = 2\nTwo\nLast words.",
    "The page, as Markdown": TEXT,
}


async def test_a_link_its_block_its_section_and_the_page_can_be_copied_the_nearest_first() -> None:
    found = await offered(4)
    assert found == {
        "The link, as Markdown": "[that](b.md)",
        "The link's address": "b.md",
        "The block, as text": "See that now.",
        "The block, as Markdown": "See **[that](b.md)** now.\n",
        "The section “One”, as text": "One\nSee that now.\nWithin\nx = 1\ny = 2",
        "The section “One”, as Markdown": TEXT[TEXT.index("# One") : TEXT.index("# Two")],
        **WHOLE,
        "The address of this place": "/page#one",
    }
    assert next(iter(found)) == "The link, as Markdown"


async def test_code_is_copied_whole_with_its_fence_or_without() -> None:
    assert await offered(9) == {
        "The code block, as text": "x = 1\ny = 2",
        "The code block, as Markdown": "```py\nx = 1\ny = 2\n```\n",
        "The section “Within”, as text": "Within\nx = 1\ny = 2",
        "The section “Within”, as Markdown": TEXT[TEXT.index("## Within") : TEXT.index("# Two")],
        **WHOLE,
        "The address of this place": "/page#within",
    }


async def test_above_the_first_heading_there_is_no_section_and_the_place_is_the_page() -> None:
    assert await offered(0) == {
        "The block, as text": "Before any heading.",
        "The block, as Markdown": "Before any heading.\n",
        **WHOLE,
        "The address of this place": "/page",
    }


async def test_the_last_section_goes_to_the_end() -> None:
    found = await offered(15)
    assert found["The section “Two”, as text"] == "Two\nLast words."
    assert found["The section “Two”, as Markdown"] == "# Two\n\nLast words.\n"
