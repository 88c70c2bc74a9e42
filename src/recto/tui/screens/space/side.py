"""The side panel of a space: one thing about the page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.store.authorship import last_change
from recto.tui.lists.rows import Empty, WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import fact_rows, signs
from recto.tui.screens.space import aside
from recto.tui.screens.space.layout import PAGE, SIDE
from recto.tui.screens.space.talk_rows import comment_rows
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from datetime import datetime

    from recto.contract.comments import Comment
    from recto.contract.content import Page
    from recto.tui.screens.reading.reader import Reader
    from recto.tui.screens.space.base import SpaceBase
    from recto.tui.screens.space.neighbours import Neighbours
    from recto.tui.screens.space.talk_lists import Lists


class Side:
    """What the side panel shows; ``kind`` is ``None`` while it is closed."""

    def __init__(
        self, view: SpaceBase, space: str, reader: Reader, lists: Lists, neighbours: Neighbours, kind: str | None
    ) -> None:
        self._view = view
        self._space = space
        self._reader = reader
        self._lists = lists
        self._neighbours = neighbours
        self.kind = kind
        self._linked: str | None = None
        """The page whose links are shown."""
        self._authors: dict[tuple[str, datetime | None], str] = {}
        """Who changed each page last, in words, by its id and when it was changed."""
        self._author_of: tuple[str, datetime | None] | None = None
        """The page of which this was asked last."""

    @property
    def _list(self) -> VirtualList:
        return self._view.panels.aside

    @property
    def _panel(self) -> Panel:
        return self._view.panels.panel(SIDE)

    def show(self) -> None:
        """Show what there is about the page now."""
        if self.kind != aside.LINKS:
            self._linked = None
        if self.kind is None or not self._list.is_attached:
            return
        page, index = self._reader.shown, self._reader.index
        if page is None or page.id not in index:
            self._panel.entitle(aside.TITLES[self.kind], below="")
            if self._reader.has_failed:
                self._panel.show_empty("The page could not be loaded.")
            elif index.roots or self._reader.page is not None:
                self._panel.show_loading("the page")
            else:
                self._panel.show_empty("There is no page.")
            self._list.show(Empty())
        elif self.kind == aside.OUTLINE:
            self._show_outline()
        elif self.kind == aside.COMMENTS:
            self._show_comments(page.id)
        elif self.kind == aside.LINKS:
            self._neighbours.look_at(page)
            self._panel.entitle(aside.TITLES[aside.LINKS])
            self._panel.show_body()
            rows = self._neighbours.rows(page)
            # The first row is a heading: the cursor begins on the first link.
            fresh, self._linked = self._linked != page.id, page.id
            self._list.show(rows, min(1, len(rows) - 1) if fresh else None)
        else:
            self._show_facts(page)

    def _show_facts(self, page: Page) -> None:
        self._neighbours.look_at(page)
        waiting = [one for one in self._comments_on(page.id) if one.status != "resolved"]
        around = [
            ("links", self._neighbours.told(page)),
            ("pointed at by", self._neighbours.pointed_at),
            ("comments", f"{len(waiting)} open" if waiting else ""),
            ("HTML comments", f"{hidden}, not shown" if (hidden := self._view.panels.sheet.comments) else ""),
        ]
        known = [(name, told) for name, told in around if told]
        self._panel.entitle(aside.TITLES[aside.FACTS])
        self._panel.show_body()
        told = aside.fact_lines(page, self._reader.index, self._view.store.clock(), self._author(page), known)
        self._list.show(fact_rows.rows(told))

    def _author(self, page: Page) -> str:
        """Say who changed the page last and with what; it is found out when it is first wanted."""
        key = (page.id, page.updated_at)
        if key not in self._authors and key != self._author_of:
            self._author_of = key
            self._view.work(self._find_author(page, key), "author", group="author")
        return self._authors.get(key, "")

    async def _find_author(self, page: Page, key: tuple[str, datetime | None]) -> None:
        try:
            request = await last_change(self._view.store, self._space, page)
        except ClientError:
            # Another fact is not worth a message; it is looked for again when the page is.
            return
        words = f"{signs.person(request.created_by)}, in #{request.number} {request.subject}" if request else ""
        self._authors[key] = words.strip()
        self.show()

    def _comments_on(self, page: str) -> list[Comment]:
        return [one for one in self._lists.comments if one.target.page is not None and one.target.page.id == page]

    def _show_outline(self) -> None:
        sheet = self._view.panels.sheet
        self._panel.entitle(aside.TITLES[aside.OUTLINE], str(len(sheet.contents) or ""))
        if not sheet.contents:
            self._panel.show_empty("This page has no headings.")
        else:
            self._panel.show_body()
        self._list.show(aside.outline_rows(sheet.contents), aside.heading_at(sheet.contents, sheet.cursor_line))

    def _show_comments(self, page: str) -> None:
        found = self._comments_on(page)
        waiting = [one for one in found if one.status != "resolved"]
        self._panel.entitle(aside.TITLES[aside.COMMENTS], str(len(waiting) or ""))
        query = self._lists.comments_query
        if found or query is None:
            self._panel.show_body()
        elif query.value is None or not query.value.complete:
            self._panel.show_state(query, "the comments")
        else:
            self._panel.show_empty("Nobody has commented on this page.", "c", "comments on the block under the cursor")
        self._list.show(comment_rows(found, (), lambda _: "", self._view.store.clock()))

    def follow_cursor(self) -> None:
        """Put the outline's cursor on the heading under which one reads."""
        if self.kind == aside.OUTLINE and not self._list.has_focus:
            sheet = self._view.panels.sheet
            key = aside.heading_at(sheet.contents, sheet.cursor_line)
            if key is not None:
                self._list.go_to(key)

    def choose(self, event: VirtualList.Chosen) -> None:
        """Go to the heading or operation, or open the thread, under the panel's cursor."""
        if self.kind == aside.OUTLINE and isinstance(event.key, int):
            self._view.panels.sheet.go_to_line(event.key)
            self._view.panels.go_to(PAGE)
        elif self.kind == aside.COMMENTS and (comment := self._lists.comment(str(event.key))) is not None:
            self._view.open_thread(comment)
        elif self.kind == aside.LINKS and isinstance(self._list.rows, WrappedRows):
            leads = self._list.rows.items[event.index].leads
            if leads is not None:
                self._view.follow_link(leads)
