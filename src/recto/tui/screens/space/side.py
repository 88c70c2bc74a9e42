"""The side pane of a space: outline, comments, links or facts of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from recto.client.errors import ClientError
from recto.frozen import frozen
from recto.store.authorship import last_change
from recto.tui.lists.rows import Empty, WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import fact_rows, signs
from recto.tui.screens.pane import Pane
from recto.tui.screens.space import aside
from recto.tui.screens.space.activity import Activity
from recto.tui.screens.space.neighbours import Neighbours
from recto.tui.screens.space.talk_rows import comment_rows

if TYPE_CHECKING:
    from datetime import datetime

    from recto.contract.comments import Comment
    from recto.contract.content import Page
    from recto.store.store import Store
    from recto.tui.screens.reading.destinations import Destination
    from recto.tui.screens.reading.pane import ReadingPane


class SidePane(Pane):
    """Shows the outline, the comments, the links or the facts of the page; ``kind`` is ``None`` while it is closed."""

    @frozen
    class LineChosen(Message):
        """The person wants to go to a line of the page's source."""

        line: int

    @frozen
    class ThreadChosen(Message):
        """The person wants to see a thread."""

        comment: Comment

    @frozen
    class LinkChosen(Message):
        """The person wants to go where a link leads."""

        leads: Destination

    def __init__(
        self,
        store: Store,
        space: str,
        reading: ReadingPane,
        activity: Activity,
        links: Neighbours,
        kind: str | None,
    ) -> None:
        self._list = VirtualList(id="aside")
        self._list.mark_news(store.news)
        super().__init__(store, "", self._list, id="side")
        self._space = space
        self._reading = reading
        self._activity = activity
        self._links = links
        self.kind = kind
        self._linked: str | None = None
        """The page whose links are shown."""
        self._authors: dict[tuple[str, datetime | None], str] = {}
        """Who changed each page last, in words, by its id and when it was changed."""
        self._author_of: tuple[str, datetime | None] | None = None
        """The page of which this was asked last."""

    def show(self, *kinds: str) -> None:
        """Show what there is about the page now; where kinds are given, only if it shows one of them."""
        if kinds and self.kind not in kinds:
            return
        if self.kind != aside.LINKS:
            self._linked = None
        if self.kind is None or not self._list.is_attached:
            return
        page, index = self._reading.shown, self._reading.index
        if page is None or page.id not in index:
            self.entitle(aside.TITLES[self.kind], below="")
            if self._reading.has_failed:
                self.show_empty("The page could not be loaded.")
            elif index.roots or self._reading.page is not None:
                self.show_loading("the page")
            else:
                self.show_empty("No page.")
            self._list.show(Empty())
        elif self.kind == aside.OUTLINE:
            self._show_outline()
        elif self.kind == aside.COMMENTS:
            self._show_comments(page.id)
        elif self.kind == aside.LINKS:
            self._show_links(page)
        else:
            self._show_facts(page)

    def _show_links(self, page: Page) -> None:
        self._links.look_at(page)
        self.entitle(aside.TITLES[aside.LINKS])
        self.show_body()
        rows = self._links.rows(page)
        # The first row is a heading: the cursor begins on the first link.
        fresh, self._linked = self._linked != page.id, page.id
        self._list.show(rows, min(1, len(rows) - 1) if fresh else None)

    def _show_facts(self, page: Page) -> None:
        self._links.look_at(page)
        waiting = [one for one in self._activity.comments_on(page.id) if one.status != "resolved"]
        around = [
            ("links", self._links.summary(page)),
            ("pointed at by", self._links.pointed_at or self._links.why_back_unknown),
            ("comments", f"{len(waiting)} open" if waiting else ""),
            ("HTML comments", f"{hidden}, not shown" if (hidden := self._reading.hidden_comments) else ""),
        ]
        known = [(name, value) for name, value in around if value]
        self.entitle(aside.TITLES[aside.FACTS])
        self.show_body()
        lines = aside.fact_lines(page, self._reading.index, self.store.clock(), self._author(page), known)
        self._list.show(fact_rows.rows(lines))

    def _author(self, page: Page) -> str:
        """Who changed the page last and with what; asked for when it is first wanted."""
        key = (page.id, page.updated_at)
        if key not in self._authors and key != self._author_of:
            self._author_of = key
            self.work(self._find_author(page, key), "author", group="author")
        return self._authors.get(key, "")

    async def _find_author(self, page: Page, key: tuple[str, datetime | None]) -> None:
        try:
            request = await last_change(self.store, self._space, page)
        except ClientError:
            # Another fact is not worth a message; it is looked for again when the page is.
            return
        words = f"{signs.person(request.created_by)}, in #{request.number} {request.subject}" if request else ""
        self._authors[key] = words.strip()
        self.show()

    def _show_outline(self) -> None:
        contents = self._reading.contents
        self.entitle(aside.TITLES[aside.OUTLINE], str(len(contents) or ""))
        if not contents:
            self.show_empty("This page has no headings.")
        else:
            self.show_body()
        self._list.show(aside.outline_rows(contents), aside.heading_at(contents, self._reading.cursor_line))

    def _show_comments(self, page: str) -> None:
        found = self._activity.comments_on(page)
        waiting = [one for one in found if one.status != "resolved"]
        self.entitle(aside.TITLES[aside.COMMENTS], str(len(waiting) or ""))
        query = self._activity.comments_query
        if found or query is None:
            self.show_body()
        elif query.value is None or not query.value.complete:
            self.show_state(query, "the comments")
        else:
            self.show_empty("No comments on this page.", "c", "comments on the block under the cursor")
        self._list.show(comment_rows(found, (), lambda _: "", self.store.clock()))

    def follow_cursor(self) -> None:
        """Put the outline's cursor on the heading under which the page's cursor stands."""
        if self.kind == aside.OUTLINE and not self._list.has_focus:
            key = aside.heading_at(self._reading.contents, self._reading.cursor_line)
            if key is not None:
                self._list.go_to(key)

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Tell the screen what was chosen: a heading or operation, a thread, or a link."""
        event.stop()
        if self.kind == aside.OUTLINE and isinstance(event.key, int):
            self.post_message(self.LineChosen(event.key))
        elif self.kind == aside.COMMENTS and (comment := self._activity.comment(str(event.key))) is not None:
            self.post_message(self.ThreadChosen(comment))
        elif self.kind == aside.LINKS and isinstance(self._list.rows, WrappedRows):
            leads = self._list.rows.items[event.index].leads
            if leads is not None:
                self.post_message(self.LinkChosen(leads))
