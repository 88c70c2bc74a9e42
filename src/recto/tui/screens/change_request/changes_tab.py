"""The changes of a change request: the changed pages as a tree, and the diff of the selected page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.message import Message
from textual.worker import Worker

from recto.document.line_edits import line_after
from recto.store.page_reading import PageReading
from recto.store.pending_review import PendingComment
from recto.store.review_pages import DELETED, ReviewPage
from recto.store.titled_text import title_lines
from recto.tui.failed_work import failure_of
from recto.tui.lists.diff_list import DiffList, PendingItem, ThreadItem, thread_id
from recto.tui.lists.tree_list import TreeItem, TreeList, TreeRow
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines, signs
from recto.tui.look.lines import Span
from recto.tui.screens.change_request.parts import (
    CommentTarget,
    PendingWanted,
    ThreadWanted,
    show_missing_changes,
    target_at_line,
)
from recto.tui.screens.pane import CHANGED_BY_OTHERS, NEWER_REVISION, Pane, Tab

if TYPE_CHECKING:
    from recto.contract.addresses import InChangeRequest
    from recto.contract.change_requests import ChangeRequest
    from recto.contract.comments import Comment
    from recto.contract.content import Page
    from recto.store.pending_review import PendingReview
    from recto.store.store import Store
    from recto.tui.navigation.messages import Block
    from recto.tui.screens.change_request.facts import RequestFacts


TO_PAGES = "plus", "leads to its pages"
"""The key that begins what is not here yet, and what it does."""


class ChangedPagesPane(Pane):
    """Shows which pages are changed and how, as they stand in the page tree."""

    class Passed(Message):
        """Another page is under the cursor."""

    class Entered(Message):
        """The person goes into the page under the cursor."""

    def __init__(self, store: Store, at: InChangeRequest, facts: RequestFacts, pending: PendingReview) -> None:
        self._tree = TreeList(draw=self._draw_row, id="pages")
        self._tree.mark_news(store.news)
        super().__init__(store, "Changed pages", self._tree, id="page-panel")
        self._key = at.change_request
        self._facts = facts
        self._pending = pending
        self._wanted: str | None = None
        """The page to go to when it is there."""

    # Drawing

    def show(self) -> None:
        """Draw the known state."""
        pages = self._facts.pages
        if pages is None:
            show_missing_changes(self, self._facts)
        elif not pages and not self._facts.others:
            self.show_empty("No changed pages yet.", *TO_PAGES)
        else:
            self.show_body()
            self._show_pages(pages)

    def _show_pages(self, pages: Sequence[ReviewPage]) -> None:
        items = self._items(pages)
        here = self._wanted if self._wanted and any(page.id == self._wanted for page in pages) else None
        fresh = self._tree.is_empty
        self._tree.open_items(*_ids(items))
        self._tree.show_items(items, here or (pages[0].id if fresh and pages else None))
        if here is not None:
            self._wanted = None
        seen = sum(1 for page in pages if self.is_viewed(page))
        beside = f"{seen} of {len(pages)} viewed" if pages else ""
        below = "; ".join(self._facts.others[:3])
        self.entitle("Changed pages", beside, below)

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
        open_threads = sum(1 for comment in self._facts.threads_of(id) if comment.status == "open")
        waiting = len(self._pending.on_page(id))
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
        page = self._facts.pages_by_id.get(row.item.id)
        sign = signs.sign(signs.CHANGE, page.kind) if page is not None else None
        left: list[Span] = [("  " * row.depth, "")]
        left.append(sign.span if sign is not None else (" ", ""))
        left.append((f" {lines.plain(row.item.label)}", row.item.role))
        return lines.beside(left, row.item.detail, width)

    # Pages

    @property
    def current(self) -> ReviewPage | None:
        """The page under the cursor."""
        key = self._tree.cursor_key
        return self._facts.pages_by_id.get(str(key)) if key is not None else None

    @property
    def order(self) -> list[ReviewPage]:
        """The changed pages in the order in which they are shown."""
        pages = self._facts.pages_by_id
        return [page for row in self._tree.tree_rows.rows if (page := pages.get(row.item.id)) is not None]

    def is_viewed(self, page: ReviewPage) -> bool:
        """Whether a page has been viewed as it is now."""
        return self.store.viewed.has(self._key, page)

    @property
    def in_sight(self) -> list[str]:
        """The ids of the pages in sight; none while the tree is hidden."""
        return [str(key) for key in self._tree.keys_in_sight()]

    def go_to(self, id: str) -> None:
        """Put the cursor on a page, when it is there."""
        if not self._tree.reveal(id):
            self._wanted = id

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Post that there is another page under the cursor."""
        event.stop()
        self.post_message(self.Passed())

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Post that the person goes into a page."""
        event.stop()
        self.post_message(self.Entered())


class DiffPane(Pane):
    """Shows how a changed page differs, with the threads on it."""

    class Looked(Message):
        """Another page is looked at, or more is known about it."""

    class Counted(Message):
        """The changed lines of the page are known now."""

    def __init__(self, store: Store, at: InChangeRequest, facts: RequestFacts, pending: PendingReview) -> None:
        self._diff = DiffList(store.clock, id="diff")
        self._diff.mark_news(store.news, thread_id)
        super().__init__(store, "Changes", self._diff, id="diff-panel")
        self._key = at.change_request
        self._facts = facts
        self._pending = pending
        self._shown: tuple[object, str, str] = (None, "", "")
        """The page that is read, the revision and its base."""
        self._place = ""
        """Where the page stands among the changed pages."""
        self._due = False
        self._comparing = False
        self.reading: PageReading | None = None
        self._seeks: bool | None = None
        self._block: Block | None = None

    def on_unmount(self) -> None:
        """Follow the page no more."""
        if self.reading is not None:
            self.reading.close()

    # Looking at a page

    def look_at(self, page: ReviewPage, request: ChangeRequest, place: str) -> None:
        """Follow the texts of a page, and show its position among the changed pages."""
        self._place = place
        known = (page, request.revision, request.base)
        if not self._is_changed_by_others(page, request) and (self.reading is None or self._shown != known):
            if self.reading is not None:
                self.reading.close()
            self._shown = known
            self.reading = PageReading(
                self.store, request, self._key, page, self._compare_soon, on_screen=self._facts.on_screen
            )
        self._compare_soon()

    def look_at_nothing(self) -> None:
        """Show that no page is changed."""
        self.show_empty("Nothing to compare.")

    def _is_changed_by_others(self, page: ReviewPage, request: ChangeRequest) -> bool:
        """Whether others have changed the page that is read: it stays as it is until the person asks for theirs."""
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
            self.work(self._compare(), "compare")

    async def _compare(self) -> None:
        """Compare until nothing more has come; comparing is not given up half-way, for it is quick and then known."""
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
            self.show_failed("Could not compare the texts of this page.", failure)

    def _show_reading(self, reading: PageReading) -> None:
        if reading.diff is None:
            self._entitle(reading)
            if reading.error is not None:
                self.show_failed("Could not load the texts of this page.", str(reading.error))
            else:
                self.show_loading("the texts of this page")
            self.post_message(self.Looked())
            return
        self.show_body()
        request, pages = self._facts.request.value, self._facts.pages
        if request is not None and pages is not None and self._facts.counts.note(reading.page, request, reading.diff):
            self.post_message(self.Counted())
        if reading.anchors is not None:
            self._pending.anchor(reading.page.id, reading.anchors)
        page = reading.page.id
        self._diff.show_reading(
            reading, self._facts.threads_of(page), self._pending.on_page(page), self._facts.link_titles
        )
        if self._seeks is not None:
            self._diff.seek_thread(first=self._seeks)
            self._seeks = None
        if self._block is not None and reading.after is not None:
            block, self._block = self._block, None
            line = line_after(block.source, reading.after.markdown or "", block.line)
            self._diff.go_to_new_line(max(1, line + 1 - title_lines(reading.after)))
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
        if self.store.viewed.has(self._key, page):
            parts.append(signs.VIEWED.word)
        self.entitle(page.title or "untitled", "  ".join(parts), self._place)

    def seek_thread(self, *, first: bool) -> None:
        """Go to the first thread, or to the last, of the page that is looked at next."""
        self._seeks = first

    def seek_block(self, block: Block | None) -> None:
        """Go to a block of the page that is looked at next."""
        self._block = block

    # The cursor

    @property
    def target_here(self) -> CommentTarget | None:
        """Where a comment on the line under the cursor would go; ``None`` without a line."""
        line = self.line_here
        return target_at_line(self.reading, line) if self.reading is not None and line is not None else None

    @property
    def line_here(self) -> int | None:
        """The line of the page's text under the cursor, counted from 1, or the nearest to it."""
        reading, place = self.reading, self._diff.cursor_line
        return reading.diff.new_number_at(place) if reading and reading.diff and place is not None else None

    @property
    def talk_here(self) -> Comment | PendingComment | None:
        """The comment under the cursor, if any."""
        item = self._diff.current if self._diff.has_focus else None
        return item.comment if isinstance(item, ThreadItem) else item.pending if isinstance(item, PendingItem) else None

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Open the thread under the cursor."""
        event.stop()
        item = self._diff.current
        if isinstance(item, ThreadItem):
            self.post_message(ThreadWanted(item.comment))
        elif isinstance(item, PendingItem):
            self.post_message(PendingWanted(item.pending))


class ChangesTab(Tab):
    """The changed pages, and the diff of the page under the cursor; below 100 columns one of them, else both."""

    def __init__(self, store: Store, at: InChangeRequest, facts: RequestFacts, pending: PendingReview) -> None:
        super().__init__(store, id="changes")
        self._at = at
        self._facts = facts
        self._pending = pending
        self.pages = ChangedPagesPane(store, at, facts, pending)
        self.diff = DiffPane(store, at, facts, pending)
        self.target = self.diff.target

    def compose(self) -> ComposeResult:
        """Put both."""
        yield self.pages
        yield self.diff

    def show(self) -> None:
        """Draw the known state."""
        self.pages.show()
        if self._facts.pages or self._facts.others:
            self._look()
        elif self._facts.pages is not None:
            self.diff.look_at_nothing()

    # Pages

    @property
    def reading(self) -> PageReading | None:
        """The page looked at, with its texts."""
        return self.diff.reading

    @property
    def current(self) -> ReviewPage | None:
        """The page looked at."""
        return self.reading.page if self.reading is not None else None

    @property
    def pages_in_sight(self) -> list[str]:
        """The ids of the pages in sight."""
        return self.pages.in_sight

    def _look(self) -> None:
        """Look at the page under the cursor."""
        request, page = self._facts.request.value, self.pages.current
        if request is None or page is None:
            return
        order = self.pages.order
        place = next((f"{index} of {len(order)}" for index, one in enumerate(order, 1) if one.id == page.id), "")
        self.diff.look_at(page, request, place)

    def on_changed_pages_pane_passed(self, event: ChangedPagesPane.Passed) -> None:
        """Look at the page under the cursor."""
        event.stop()
        self._look()

    def on_changed_pages_pane_entered(self, event: ChangedPagesPane.Entered) -> None:
        """Go into the diff."""
        event.stop()
        self.take_focus()

    def on_diff_pane_counted(self, event: DiffPane.Counted) -> None:
        """Show the changed lines beside the page."""
        event.stop()
        self.pages.show()

    def mark_viewed(self) -> None:
        """Mark the page as viewed and go to the next that is not; unmark a viewed page."""
        page = self.current
        if page is None:
            return
        seen = self.pages.is_viewed(page)
        self.store.viewed.set(self._at.change_request, page, not seen)
        if not seen:
            order = self.pages.order
            here = next((index for index, one in enumerate(order) if one.id == page.id), 0)
            following = [one for one in (*order[here + 1 :], *order[:here]) if not self.pages.is_viewed(one)]
            if following:
                self.go_to_page(following[0].id)
        self.show()

    def step(self, by: int) -> None:
        """Go to the next or the previous page."""
        order = self.pages.order
        here = next((index for index, one in enumerate(order) if one is self.current or one == self.current), None)
        if order:
            index = 0 if here is None else max(0, min(here + by, len(order) - 1))
            self.go_to_page(order[index].id)

    def go_to_page(self, id: str) -> None:
        """Look at a page."""
        self.pages.go_to(id)
        self._look()

    def on_diff_list_threads_ended(self, event: DiffList.ThreadsEnded) -> None:
        """Go on with the threads of the next page that has any."""
        event.stop()
        order = self.pages.order
        here = next((index for index, one in enumerate(order) if one == self.current), 0)
        beyond = order[here + 1 :] if event.forward else order[:here][::-1]
        talked = (page for page in beyond if self._facts.threads_of(page.id) or self._pending.on_page(page.id))
        if (found := next(talked, None)) is None:
            self.notify("No next thread." if event.forward else "No previous thread.")
            return
        self.diff.seek_thread(first=event.forward)
        self.go_to_page(found.id)

    def seek(self, block: Block | None) -> None:
        """Read the diff of the page that will be shown next, at a block of the page where one is given."""
        self.diff.seek_block(block)
        self.set_class(block is not None, "-reading")

    # The cursor

    @property
    def line_here(self) -> int | None:
        """The line of the page's text under the cursor of the diff, counted from 1, or the nearest to it."""
        return self.diff.line_here if not self.pages.has_focus_within else None

    def comment_target(self) -> CommentTarget | None:
        """Return where a comment would go: the block under the cursor of the diff, else the page."""
        page = self.current
        if page is None:
            return None
        if DELETED in page.kinds:
            return CommentTarget(None)
        here = self.diff.target_here if not self.pages.has_focus_within else None
        return here or CommentTarget(page.id)

    @property
    def talk_here(self) -> Comment | PendingComment | None:
        """The comment under the cursor of the diff, if any."""
        return self.diff.talk_here

    @property
    def pending_here(self) -> PendingComment | None:
        """The unsent comment under the cursor, if any."""
        item = self.talk_here
        return item if isinstance(item, PendingComment) else None

    def take_focus(self) -> None:
        """Put the diff before the person."""
        self.add_class("-reading")
        self.diff.take_focus()

    @property
    def is_zoomed(self) -> bool:
        """Whether the diff stands in place of the tree, for want of room."""
        return not self.pages.display

    def leave_diff(self) -> None:
        """Go from the diff to the tree."""
        self.remove_class("-reading")
        self.pages.take_focus()


def _ids(items: Sequence[TreeItem]) -> set[str]:
    found = set()
    ahead = list(items)
    while ahead:
        item = ahead.pop()
        found.add(item.id)
        ahead.extend(item.children)
    return found
