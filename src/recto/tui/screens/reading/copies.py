"""The parts of a page that can be copied: all, the section or block under the cursor, a link; as Markdown or text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from recto.document.line_edits import split_lines
from recto.frozen import frozen
from recto.tui.look.lines import plain
from recto.tui.screens.reading.page_index import title_of

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.tui.page.page_view import PageView

_LONGEST = 40
"""Characters of a heading that a choice shows."""


@frozen
class Copy:
    """Something to copy: how it is offered, its text, the message when it is copied, and why it cannot be."""

    label: str
    text: str
    what: str


def copies(sheet: PageView, page: Page, address_of: Callable[[str | None], str]) -> list[Copy]:
    """Return what can be copied from where the cursor stands, nearest first."""
    return [copy for copy in _offer(sheet, page, address_of) if copy.text.strip()]


def _offer(sheet: PageView, page: Page, address_of: Callable[[str | None], str]) -> Iterator[Copy]:
    source = split_lines(page.markdown or "")
    link = sheet.current_link
    if link is not None:
        text = sheet.links.current_text or link
        yield Copy("The link, as Markdown", f"[{text}]({link})", "the link as Markdown")
        yield Copy("The link's address", link, plain(link))
    block = sheet.cursor_block
    if block is not None and block.end > block.start:
        name = "code block" if block.kind.value == "code" else "block"
        yield Copy(f"The {name}, as text", sheet.text_between(block.start, block.end), f"the {name} as text")
        written = "".join(source[block.start : block.end])
        yield Copy(f"The {name}, as Markdown", written, f"the {name} as Markdown")
    start, end, title, anchor = sheet.section()
    if title:
        named = f"The section “{_short(title)}”"
        written = "".join(source[start : len(source) if end is None else end])
        yield Copy(f"{named}, as text", sheet.text_between(start, end), "the section as text")
        yield Copy(f"{named}, as Markdown", written, "the section as Markdown")
    yield Copy("The page, as text", sheet.text_between(0, None), "the page as text")
    yield Copy("The page, as Markdown", page.markdown or f"# {title_of(page)}\n", "the page as Markdown")
    yield Copy("The address of this place", address_of(anchor), plain(address_of(anchor)))


def _short(text: str) -> str:
    text = plain(text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
