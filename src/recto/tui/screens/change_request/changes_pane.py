"""The changes of a change request: the changed pages as a tree, and the diff of the selected page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.worker import Worker

from recto.document.line_edits import line_after
from recto.store.page_reading import PageReading
from recto.store.page_text import title_lines
from recto.store.review_pages import DELETED, ReviewPage
from recto.tui.failed_work import failure_of
from recto.tui.lists.diff_list import DiffList, PendingItem, ThreadItem, thread_id
from recto.tui.lists.tree_list import TreeItem, TreeList, TreeRow
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines, signs
from recto.tui.look.lines import Span
from recto.tui.screens.change_request.parts import CommentTarget, PendingWanted, ThreadWanted, target_at_line
from recto.tui.screens.pane import CHANGED_BY_OTHERS, NEWER_REVISION
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.comments import Comment
    from recto.contract.content import Page
    from recto.store.pending_review import PendingComment, PendingReview
    from recto.store.store import Store
    from recto.tui.navigation.messages import Block
    from recto.tui.screens.change_request.facts import RequestFacts


TO_PAGES = "plus", "leads to its pages"
"""The key that creates the first item, and what it does."""


class ChangesPane(Container):
    """Shows which pages are changed and how; below 100 columns the tree or the diff, else both."""

    class Looked(Message):
        """Another page is selected, or more is known about it."""

    def __init__(self, store: Store, key: str, facts: RequestFacts, pending: PendingReview) -> None:
        super().__init__(id="changes")
        self._store = store
        self._key = key
        self._facts = facts
        self._pending = pending
        self._revision = ""
        self._shown: tuple[object, str, str] = (None, "", "")
        """The page that is read, the revision and its base."""
        self._due = False
        self._comparing = False
        self.reading: PageReading | None = None
        self._seeks: bool | None = None
        self._block: Block | None = None
        """The block to go to in the page that is looked at next."""
        self.wanted: str | None = None
        """The page to look at when it is there."""

    def compose(self) -> ComposeResult:
        """Compose the tree and the diff."""
        pages, diff = TreeList(draw=self._draw_row, id="pages"), DiffList(self._store.clock, id="diff")
        pages.mark_news(self._store.news)
        diff.mark_news(self._store.news, thread_id)
        yield Panel("Changed pages", pages, id="page-panel")
        yield Panel("Changes", diff, id="diff-panel")

    def on_unmount(self) -> None:
        """Stop following the page."""
        if self.reading is not None:
            self.reading.close()

    @property
    def page_tree(self) -> TreeList:
        """The changed pages."""
        return self.query_one("#pages", TreeList)

    @property
    def diff(self) -> DiffList:
        """The diff of the page looked at."""
        return self.query_one("#diff", DiffList)

    # Drawing

    def show(self) -> None:
        """Draw the known state."""
        panel = self.query_one("#page-panel", Panel)
        pages = self._facts.pages
        if pages is None:
            self._facts.show_missing(panel)
            return
        if not pages and not self._facts.others:
            panel.show_empty("No changed pages yet.", *TO_PAGES)
            self.query_one("#diff-panel", Panel).show_empty("Nothing to compare.")
            return
        panel.show_body()
        self._show_tree(pages)
        self._look()

    def _show_tree(self, pages: Sequence[ReviewPage]) -> None:
        items = self._items(pages)
        here = self.wanted if self.wanted and any(page.id == self.wanted for page in pages) else None
        fresh = self.page_tree.is_empty
        self.page_tree.open_items(*_ids(items))
        self.page_tree.show_items(items, here or (pages[0].id if fresh and pages else None))
        if here is not None:
            self.wanted = None
        seen = sum(1 for page in pages if self.is_viewed(page))
        beside = f"{seen} of {len(pages)} viewed" if pages else ""
        below = "; ".join(self._facts.others[:3])
        self.query_one("#page-panel", Panel).entitle("Changed pages", beside, below)

    def _items(self, pages: Sequence[ReviewPage]) -> list[TreeItem]:
        """Nest the changed pages as they stand in the page tree, under the unchanged ones above them."""
        changed = {page.id: page for page in pages}
        tree = self._facts.tree.value

        def nest(siblings: Sequence[Page]) -> list[TreeItem]:
            found = []
            for page in siblings:
                children = nest(page.pages)
                if page.id in changed or children:
                    found.append(self._item(changed.get(page.id), page.id, page.title, children))
            return found

        items = nest(tree.pages) if tree is not None else []
        there = _ids(items)
        return items + [self._item(page, page.id, page.title, []) for page in pages if page.id not in there]

    def _item(self, page: ReviewPage | None, id: str, title: str, children: list[TreeItem]) -> TreeItem:
        if page is None:
            return TreeItem(id, title or "untitled", "", "faint", (), children)
        detail: list[Span] = []
        open_threads = sum(1 for comment in self.threads_of(id) if comment.status == "open")
        waiting = len(self._pending_of(id))
        if open_threads:
            detail.append((f"{signs.COMMENT['open'].sign}{open_threads} ", signs.COMMENT["open"].role))
        if waiting:
            detail.append((f"{signs.PENDING.sign}{waiting} ", signs.PENDING.role))
        if (counted := self._facts.counts.of(page)) is not None:
            detail += [(f"+{counted[0]}", "added"), (" ", ""), (f"-{counted[1]}", "removed"), (" ", "")]
        viewed = self.is_viewed(page)
        detail.append(signs.VIEWED.span if viewed else ("·", "faint"))
        role = "muted" if viewed else ""
        return TreeItem(id, title or "untitled", signs.sign(signs.CHANGE, page.kind).sign, role, detail, children)

    def _draw_row(self, row: TreeRow, width: int) -> list[Span]:
        page = self.page(row.item.id)
        sign = signs.sign(signs.CHANGE, page.kind) if page is not None else None
        left: list[Span] = [("  " * row.depth, "")]
        left.append(sign.span if sign is not None else (" ", ""))
        left.append((f" {lines.plain(row.item.label)}", row.item.role))
        return lines.beside(left, row.item.detail, width)

    # Pages

    def page(self, id: str) -> ReviewPage | None:
        """Return a changed page by its id."""
        return self._facts.pages_by_id.get(id)

    @property
    def order(self) -> list[ReviewPage]:
        """The changed pages in the order in which the tree shows them."""
        rows = self.page_tree.tree_rows.rows
        return [page for row in rows if (page := self.page(row.item.id)) is not None]

    @property
    def current(self) -> ReviewPage | None:
        """The selected page."""
        return self.reading.page if self.reading is not None else None

    def is_viewed(self, page: ReviewPage) -> bool:
        """Whether a page has been viewed as it is now."""
        return self._store.viewed.has(self._key, page)

    @property
    def pages_in_sight(self) -> list[str]:
        """The ids of the pages in sight; none while the tree is hidden."""
        return [str(key) for key in self.page_tree.keys_in_sight()]

    def threads_of(self, page: str) -> Sequence[Comment]:
        """Return the threads on a page."""
        return self._facts.threads_by_page.get(page, ())

    def _pending_of(self, page: str) -> list[PendingComment]:
        return [each for each in (*self._pending.comments, *self._pending.left) if each.page == page]

    def mark_viewed(self) -> None:
        """Mark the page as viewed and go to the next that is not; unmark a viewed page."""
        page = self.current
        if page is None:
            return
        seen = self.is_viewed(page)
        self._store.viewed.set(self._key, page, not seen)
        if not seen:
            order = self.order
            here = next((index for index, one in enumerate(order) if one.id == page.id), 0)
            following = [one for one in (*order[here + 1 :], *order[:here]) if not self.is_viewed(one)]
            if following:
                self.go_to_page(following[0].id)
        self.show()

    def step(self, by: int) -> None:
        """Go to the next or the previous page."""
        order = self.order
        here = next((index for index, one in enumerate(order) if one is self.current or one == self.current), None)
        if order:
            index = 0 if here is None else max(0, min(here + by, len(order) - 1))
            self.go_to_page(order[index].id)

    def go_to_page(self, id: str) -> None:
        """Select a page."""
        if not self.page_tree.reveal(id):
            self.wanted = id
        self._look()

    # Looking at a page

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Select the page under the cursor."""
        if event.list is self.page_tree:
            event.stop()
            self._look()

    def _look(self) -> None:
        """Follow the texts of the page under the cursor."""
        request = self._facts.request.value
        key = self.page_tree.cursor_key
        page = self.page(str(key)) if key is not None else None
        if page is None or request is None:
            return
        known = (page, request.revision, request.base)
        if self._is_changed_by_others(page, request):
            self._compare_soon()
            return
        if self.reading is None or self._shown != known:
            if self.reading is not None:
                self.reading.close()
            self._shown = known
            self.reading = PageReading(
                self._store, request, self._key, page, self._compare_soon, on_screen=self._facts.on_screen
            )
        self._compare_soon()

    def _is_changed_by_others(self, page: ReviewPage, request: ChangeRequest) -> bool:
        """Whether others have changed the page that is read: it stays as it is until the person refreshes."""
        reading = self.reading
        if reading is None or reading.diff is None or reading.page.id != page.id or not self._facts.request.is_news:
            return False
        _, revision, base = self._shown
        reading.has_newer = reading.has_newer or base != request.base
        return reading.has_newer or revision != request.revision

    def _compare_soon(self) -> None:
        if not self._due and self.is_attached:
            self._due = True
            self.call_later(self._begin_comparing)

    def _begin_comparing(self) -> None:
        if self.is_attached and not self._comparing:
            self._comparing = True
            self.run_worker(self._compare(), name="compare", group="compare", exit_on_error=False)

    async def _compare(self) -> None:
        """Compare until nothing more arrives; a comparison is not cancelled half-way, since it is quick."""
        try:
            while self._due and self.is_attached and (reading := self.reading) is not None:
                self._due = False
                await reading.compare()
                if reading is self.reading:
                    self._show_reading(reading)
        finally:
            self._comparing = self._due = False

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show in place of the diff why comparing failed."""
        if (failure := failure_of(event)) is not None:
            self.query_one("#diff-panel", Panel).show_failed("Could not compare the texts of this page.", failure)

    def _show_reading(self, reading: PageReading) -> None:
        panel = self.query_one("#diff-panel", Panel)
        if reading.diff is None:
            self._entitle(reading)
            if reading.error is not None:
                panel.show_failed("Could not load the texts of this page.", str(reading.error))
            else:
                panel.show_loading("the texts of this page")
            self.post_message(self.Looked())
            return
        panel.show_body()
        request, pages = self._facts.request.value, self._facts.pages
        if request is not None and pages is not None and self._facts.counts.note(reading.page, request, reading.diff):
            self._show_tree(pages)
        if reading.anchors is not None:
            self._pending.anchor(reading.page.id, reading.anchors)
        page = reading.page.id
        self.diff.show_reading(reading, self.threads_of(page), self._pending_of(page), self._facts.link_titles)
        if self._seeks is not None:
            self.diff.seek_thread(first=self._seeks)
            self._seeks = None
        if self._block is not None and reading.after is not None:
            block, self._block = self._block, None
            line = line_after(block.source, reading.after.markdown or "", block.line)
            self.diff.go_to_new_line(max(1, line + 1 - title_lines(reading.after)))
        self._entitle(reading)
        self.post_message(self.Looked())

    def _entitle(self, reading: PageReading) -> None:
        page = reading.page
        sign = signs.sign(signs.CHANGE, page.kind)
        words = ", ".join(signs.sign(signs.CHANGE, kind).word for kind in page.kinds) or sign.word
        parts = [words]
        if reading.diff is not None:
            parts.append(f"+{reading.diff.added} -{reading.diff.removed}")
        if reading.has_newer:
            parts.append(CHANGED_BY_OTHERS)
        elif reading.is_behind:
            parts.append(NEWER_REVISION)
        if self.is_viewed(page):
            parts.append(signs.VIEWED.word)
        order = self.order
        place = next((f"{index} of {len(order)}" for index, one in enumerate(order, 1) if one.id == page.id), "")
        self.query_one("#diff-panel", Panel).entitle(page.title or "untitled", "  ".join(parts), place)

    def on_diff_list_threads_ended(self, event: DiffList.ThreadsEnded) -> None:
        """Go on with the threads of the next page that has any."""
        event.stop()
        order = self.order
        here = next((index for index, one in enumerate(order) if one == self.current), 0)
        beyond = order[here + 1 :] if event.forward else order[:here][::-1]
        found = next((page for page in beyond if self.threads_of(page.id) or self._pending_of(page.id)), None)
        if found is None:
            self.notify("No next thread." if event.forward else "No previous thread.")
            return
        self._seeks = event.forward
        self.go_to_page(found.id)

    def seek(self, block: Block | None) -> None:
        """Read the diff of the page that is looked at next, at a block of the page."""
        self._block = block
        self.set_class(block is not None, "-reading")

    # The cursor

    def comment_target(self) -> CommentTarget | None:
        """Return where a comment would go: the block under the cursor of the diff, else the page."""
        reading = self.reading
        if reading is None:
            return None
        if DELETED in reading.page.kinds:
            return CommentTarget(None)
        place = self.diff.cursor_line
        if self.page_tree.has_focus or reading.anchors is None or reading.diff is None or place is None:
            return CommentTarget(reading.page.id)
        return target_at_line(reading, reading.diff.new_number_at(place))

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go into the diff, or open the thread under its cursor."""
        event.stop()
        if event.list is self.page_tree:
            self.read()
            return
        item = self.diff.current
        if isinstance(item, ThreadItem):
            self.post_message(ThreadWanted(item.comment))
        elif isinstance(item, PendingItem):
            self.post_message(PendingWanted(item.pending))

    @property
    def line_here(self) -> int | None:
        """The line of the page's text under the cursor of the diff, counted from 1, or the nearest to it."""
        reading, place = self.reading, self.diff.cursor_line
        if reading is None or reading.diff is None or place is None or self.page_tree.has_focus:
            return None
        return reading.diff.new_number_at(place)

    @property
    def talk_here(self) -> Comment | PendingComment | None:
        """The comment under the cursor of the diff, if any."""
        item = self.diff.current if self.diff.has_focus else None
        return item.comment if isinstance(item, ThreadItem) else item.pending if isinstance(item, PendingItem) else None

    @property
    def pending_here(self) -> PendingComment | None:
        """The unsent comment under the cursor, if any."""
        item = self.diff.current if self.diff.has_focus else None
        return item.pending if isinstance(item, PendingItem) else None

    def read(self) -> None:
        """Put the diff before the person."""
        self.add_class("-reading")
        self.diff.focus()

    @property
    def is_zoomed(self) -> bool:
        """Whether the diff replaces the tree, for lack of room."""
        return not self.query_one("#page-panel").display

    def leave_diff(self) -> None:
        """Go from the diff to the tree."""
        self.remove_class("-reading")
        self.page_tree.focus()


def _ids(items: Sequence[TreeItem]) -> set[str]:
    found = set()
    ahead = list(items)
    while ahead:
        item = ahead.pop()
        found.add(item.id)
        ahead.extend(item.children)
    return found
