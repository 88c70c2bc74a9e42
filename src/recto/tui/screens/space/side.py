"""The side pane of a space: outline, comments, links or facts of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from recto.client.errors import ClientError
from recto.contract.unread import all_unread
from recto.frozen import frozen
from recto.store.authorship import last_change
from recto.tui.lists.rows import Empty, ItemRows, WrappedRows, unread_lines
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import fact_rows, lines, signs, times
from recto.tui.look.lines import Line, plain
from recto.tui.navigation.url_locations import for_browser
from recto.tui.screens.pane import Pane
from recto.tui.screens.reading.page_index import UNREAD, PageIndex, title_of
from recto.tui.screens.space.activity import Activity
from recto.tui.screens.space.neighbours import Neighbours
from recto.tui.screens.space.talk_rows import comment_rows

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.contract.content import Page, PageLayout
    from recto.store.store import Store
    from recto.tui.render.contents import OutlineEntry
    from recto.tui.screens.reading.destinations import Destination

OUTLINE, COMMENTS, FACTS, LINKS = "outline", "comments", "facts", "links"
"""What the side panel can show."""

KINDS = (OUTLINE, COMMENTS, FACTS, LINKS)

TITLES = {
    OUTLINE: "Outline",
    COMMENTS: "Comments on this page",
    FACTS: "About this page",
    LINKS: "Links of this page",
}


def outline_rows(entries: Sequence[OutlineEntry]) -> ItemRows[OutlineEntry]:
    """Return the rows of an outline, those below a heading indented."""
    top = min((entry.level for entry in entries[1:]), default=1)

    def draw(entry: OutlineEntry, width: int) -> Line:
        indent = "  " * max(0, entry.level - top)
        if not entry.method:
            return lines.fit([(f"{indent}{plain(entry.text)}", "strong" if entry.level < top else "")], width)
        from recto.tui.render.operation_parts import method_role

        words = [(f"{indent}{plain(entry.method)} ", method_role(entry.method)), (plain(entry.text), "")]
        path = (f"  {plain(entry.path)}" if entry.path else "", "muted")
        # The beginning of a path, shared by those of a page, adds nothing.
        return lines.fit([*words, path] if lines.width_of([*words, path]) <= width else words, width)

    return ItemRows(entries, draw, key=lambda entry: entry.line, text=_words)


def _words(entry: OutlineEntry) -> str:
    return " ".join(filter(None, (entry.method, entry.text, entry.path)))


def heading_at(entries: Sequence[OutlineEntry], line: int) -> int | None:
    """Return the key of the heading or operation under which a line of the source stands."""
    return next((entry.line for entry in reversed(entries) if entry.line <= line), None)


def fact_lines(
    page: Page, index: PageIndex, now: datetime, author: str = "", around: Sequence[tuple[str, str]] = ()
) -> list[Line]:
    """Return the facts about a page; ``around`` are further ones, as pairs of name and value."""
    if page.type == UNREAD:
        return [
            fact_rows.heading(title_of(page)),
            [("The response for this page could not be read.", "muted")],
        ]
    trail = index.trail(page.id)
    listed = [
        fact_rows.heading(title_of(page)),
        fact_rows.fact("path", f"/{page.path}"),
        fact_rows.fact("in", " › ".join(trail[:-1]) or "the top level"),
        fact_rows.fact("type", page.type + (f", {signs.HIDDEN.word}" if page.hidden else "")),
        fact_rows.fact("created", _moment(page.created_at, now)),
        fact_rows.fact("edited", _moment(page.updated_at, now)),
        *([fact_rows.fact("by", author)] if author else []),
    ]
    listed += [fact_rows.fact(name, value) for name, value in _attributes(page)]
    listed += [fact_rows.fact(name, value) for name, value in around]
    listed.append(fact_rows.fact("id", page.id))
    listed += unread_lines(all_unread(page.model_copy(update={"pages": ()})))
    if page.variables:
        from recto.document.expressions.values import text_of

        listed += [[], fact_rows.heading("Variables", str(len(page.variables)))]
        listed += [fact_rows.fact(name, text_of(value)) for name, value in sorted(page.variables.items())]
    return listed


def _attributes(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the further attributes that a page has, by name."""
    if page.git is not None and page.git.path:
        yield "file", page.git.path
    if page.icon:
        yield "icon", page.icon
    if page.tags:
        yield "tags", ", ".join(tag.name for tag in page.tags if tag.name)
    if page.description:
        yield "description", page.description
    if page.condition:
        yield "shown if", page.condition
    if page.no_index or page.no_robots_index:
        yield "search", "kept out of search" + ("" if page.no_index else " engines")
    if page.layout is not None:
        yield from _layout(page.layout)
    if page.cover is not None:
        yield "cover", "a picture at the top"
    if address := for_browser(page.urls.published) or for_browser(page.urls.app):
        yield "address", address


def _layout(layout: PageLayout | str) -> Iterator[tuple[str, str]]:
    """Yield its name, or the width and the parts that are not shown: all of them are by default."""
    if isinstance(layout, str):
        yield "layout", layout
        return
    parts = {
        "cover": layout.cover,
        "title": layout.title,
        "description": layout.description,
        "table of contents": layout.table_of_contents,
        "outline": layout.outline,
        "pagination": layout.pagination,
        "metadata": layout.metadata,
    }
    left_out = [name for name, shown in parts.items() if shown is False]
    width = layout.width if layout.width != "default" else None
    summary = [width or "", f"without {', '.join(left_out)}" if left_out else ""]
    if any(summary):
        yield "layout", ", ".join(part for part in summary if part)


def _moment(moment: datetime | None, now: datetime) -> str:
    return times.both(moment, now) or "not known"


class ReadPage(Protocol):
    """What the side pane asks about the page that is read."""

    @property
    def page(self) -> str | None:
        """The id of the page, also before it is loaded."""

    @property
    def shown(self) -> Page | None:
        """The page as it is shown."""

    @property
    def has_failed(self) -> bool:
        """Whether it could not be loaded."""
        ...

    @property
    def index(self) -> PageIndex:
        """The pages around it."""
        ...

    @property
    def contents(self) -> Sequence[OutlineEntry]:
        """Its headings and operations."""
        ...

    @property
    def cursor_line(self) -> int:
        """The line of its source under the cursor, counted from 0."""
        ...

    @property
    def hidden_comments(self) -> int:
        """How many HTML comments it has."""
        ...


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
        reading: ReadPage,
        activity: Activity,
        links: Neighbours,
        kind: str | None,
    ) -> None:
        self._list = VirtualList(id="aside")
        self._list.mark_news(store.news)
        self._list.can_open = self._leads
        super().__init__(store, "", self._list, id="side")
        self._space = space
        self._reading = reading
        self._activity = activity
        self._links = links
        self.kind = kind
        self._linked: str | None = None
        """The page whose links are shown."""
        self._authors: dict[tuple[str, datetime | None], str] = {}
        """The last author of each page, in words, by its id and when it was changed."""
        self._author_of: tuple[str, datetime | None] | None = None
        """The page of which this was asked last."""

    @property
    def is_open(self) -> bool:
        """Whether the pane is open."""
        return self.kind is not None

    def show(self, *kinds: str) -> None:
        """Show the state of the page now; with kinds, only if the pane shows such a kind."""
        if kinds and self.kind not in kinds:
            return
        if self.kind != LINKS:
            self._linked = None
        if self.kind is None or not self._list.is_attached:
            return
        page, index = self._reading.shown, self._reading.index
        if page is None or page.id not in index:
            self.entitle(TITLES[self.kind], below="")
            if self._reading.has_failed:
                self.show_empty("The page could not be loaded.")
            elif index.roots or self._reading.page is not None:
                self.show_loading("the page")
            else:
                self.show_empty("No page.")
            self._list.show(Empty())
        elif self.kind == OUTLINE:
            self._show_outline()
        elif self.kind == COMMENTS:
            self._show_comments(page.id)
        elif self.kind == LINKS:
            self._show_links(page)
        else:
            self._show_facts(page)

    def _show_links(self, page: Page) -> None:
        self._links.look_at(page)
        self.entitle(TITLES[LINKS])
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
        self.entitle(TITLES[FACTS])
        self.show_body()
        lines = fact_lines(page, self._reading.index, self.store.clock(), self._author(page), known)
        self._list.show(fact_rows.rows(lines))

    def _author(self, page: Page) -> str:
        """The last author of the page and the change request; requested when first wanted."""
        key = (page.id, page.updated_at)
        if key not in self._authors and key != self._author_of:
            self._author_of = key
            self.work(self._find_author(page, key), "author", instead_of="author")
        return self._authors.get(key, "")

    async def _find_author(self, page: Page, key: tuple[str, datetime | None]) -> None:
        try:
            request = await last_change(self.store, self._space, page)
        except ClientError:
            # A missing fact is not worth a message; it is requested again with the page.
            return
        words = f"{signs.person(request.created_by)}, in #{request.number} {request.subject}" if request else ""
        self._authors[key] = words.strip()
        self.show()

    def _show_outline(self) -> None:
        contents = self._reading.contents
        self.entitle(TITLES[OUTLINE], str(len(contents) or ""))
        if not contents:
            self.show_empty("This page has no headings.")
        else:
            self.show_body()
        self._list.show(outline_rows(contents), heading_at(contents, self._reading.cursor_line))

    def _show_comments(self, page: str) -> None:
        found = self._activity.comments_on(page)
        waiting = [one for one in found if one.status != "resolved"]
        self.entitle(TITLES[COMMENTS], str(len(waiting) or ""))
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
        if self.kind == OUTLINE and not self._list.has_focus:
            key = heading_at(self._reading.contents, self._reading.cursor_line)
            if key is not None:
                self._list.go_to(key)

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Post what was chosen: a heading or operation, a thread, or a link."""
        event.stop()
        if self.kind == OUTLINE and isinstance(event.key, int):
            self.post_message(self.LineChosen(event.key))
        elif self.kind == COMMENTS and (comment := self._activity.comment(str(event.key))) is not None:
            self.post_message(self.ThreadChosen(comment))
        elif (leads := self._link_at(event.index)) is not None:
            self.post_message(self.LinkChosen(leads))

    def _leads(self, index: int) -> bool:
        """Whether a row leads somewhere: facts, headings of lists and remarks do not."""
        if self.kind == LINKS:
            return self._link_at(index) is not None
        return self.kind in (OUTLINE, COMMENTS)

    def _link_at(self, index: int) -> Destination | None:
        rows = self._list.rows
        return rows.items[index].leads if self.kind == LINKS and isinstance(rows, WrappedRows) else None
