"""An app that shows one page and nothing else, and keeps what the view says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from recto.tui.look.themes import THEMES
from recto.tui.page.page_view import PageView
from support.screens import screen_text, settled


class Reader(App[None]):
    """Shows one page and keeps what the view says."""

    CSS = "PageView { height: 1fr; scrollbar-gutter: stable; overflow-x: hidden; scrollbar-size-vertical: 1; }"

    def __init__(self, markdown: str, *, look: str = "dark", **options: Any) -> None:
        super().__init__()
        self.markdown, self.look, self.options = markdown, look, options
        self.heard: list[Message] = []

    def compose(self) -> ComposeResult:
        yield PageView()

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self.look
        view = self.query_one(PageView)
        view.focus()
        view.show("", self.markdown, **self.options)

    def on_page_view_link_followed(self, message: PageView.LinkFollowed) -> None:
        self.heard.append(message)

    def on_page_view_block_changed(self, message: PageView.BlockChanged) -> None:
        self.heard.append(message)

    def on_page_view_browse_requested(self, message: PageView.BrowseRequested) -> None:
        self.heard.append(message)

    def on_page_view_copy_text_requested(self, message: PageView.CopyTextRequested) -> None:
        self.heard.append(message)

    def on_page_view_copy_link_requested(self, message: PageView.CopyLinkRequested) -> None:
        self.heard.append(message)

    def on_page_view_find_requested(self, message: PageView.FindRequested) -> None:
        self.heard.append(message)


@asynccontextmanager
async def reading(
    markdown: str, size: tuple[int, int] = (80, 24), **options: Any
) -> AsyncIterator[tuple[Pilot[None], PageView, Reader]]:
    app = Reader(markdown, **options)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield pilot, app.query_one(PageView), app


def cursor_row(app: Reader) -> str:
    """The text of the line that has the cursor's bar."""
    (row,) = [line for line in screen_text(app) if "▌" in line]
    return row.partition("▌")[2].strip()


def text_column(app: Reader) -> list[str]:
    """What is on the screen but for the scroll bar, which rests on guesses."""
    return [line[:78].rstrip() for line in screen_text(app)]
