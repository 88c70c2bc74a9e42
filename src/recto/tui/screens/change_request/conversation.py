"""The conversation of a change request: all threads, and the comments that are not sent yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recto.contract.comments import Comment
from recto.store.pending_review import PendingComment
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.thread_rows import pending_lines, thread_lines
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look.lines import Line, Span
from recto.tui.screens.change_request.parts import PendingWanted, ThreadWanted
from recto.tui.screens.pane import Pane

if TYPE_CHECKING:
    from recto.contract.addresses import InChangeRequest
    from recto.store.pending_review import PendingReview
    from recto.store.store import Store
    from recto.tui.screens.change_request.facts import RequestFacts
    from recto.tui.screens.comment_filter import CommentFilter

_PREVIEW = 60


class ConversationPane(Pane):
    """Lists the threads, comments that are not sent first."""

    def __init__(self, store: Store, at: InChangeRequest, facts: RequestFacts, pending: PendingReview) -> None:
        self._threads = VirtualList(id="threads")
        self._threads.mark_news(store.news)
        super().__init__(store, "Conversation", self._threads, id="conversation")
        self._at = at
        self._facts = facts
        self._pending = pending
        self._filter: CommentFilter | None = None

    def show(self) -> None:
        """Draw the known state."""
        waiting = self._pending.unsent
        query, words, empty, key, makes = self._facts.comments, "", "No comments yet.", "c", "comments"
        if self._filter is not None and self._filter.query is not None:
            query, words = self._filter.query, self._filter.words
            empty, key, makes = self._filter.empty, "F", "shows others"
        self.entitle("Conversation", words)
        comments = query.value.items if query.value is not None else ()
        unread = query.value.unread if query.value is not None else ()
        if not waiting and not self.show_state(query, "the conversation", empty=empty, key=key, makes=makes):
            return
        self.show_body()
        items: list[Comment | PendingComment] = [*waiting, *comments]
        open_threads = sum(1 for one in comments if one.status == "open")
        counts = f"{open_threads} open, {len(comments) - open_threads} resolved"
        self.entitle("Conversation", f"{words}: {counts}" if words else counts)
        self._threads.show(WrappedRows(items, self._draw, key=_key, unread=unread))

    def filter(self) -> None:
        """Ask which comments to show."""
        from recto.tui.screens.comment_filter import CommentFilter

        if self._filter is None:
            self._filter = CommentFilter(self, self._at, self.show, self._find_titles)
        self._filter.ask()

    def _find_titles(self) -> dict[str, str]:
        known = self._facts.comments.value
        pages = [one.target.page for one in (known.items if known is not None else ()) if one.target.page is not None]
        return {page.id: page.title or self._facts.titles.get(page.id, "a deleted page") for page in pages}

    def reload(self) -> None:
        """Refresh the comments that are shown, where these are not all."""
        if self._filter is not None:
            self._filter.reload()

    def _draw(self, item: Comment | PendingComment, width: int) -> Sequence[Line]:
        blank: list[list[Span]] = [[]]
        if isinstance(item, PendingComment):
            place = name_place(self._facts, item.page, item.preview)
            return [*pending_lines(item, width, place, self._facts.link_titles), *blank]
        place = place_of(self._facts, item)
        return [*thread_lines(item, self.store.clock(), width, place=place, titles=self._facts.link_titles), *blank]

    @property
    def current(self) -> Comment | PendingComment | None:
        """The item under the cursor."""
        shown = self._threads.rows
        return shown.item(self._threads.cursor) if isinstance(shown, WrappedRows) else None

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Open the item under the cursor."""
        event.stop()
        item = self.current
        if isinstance(item, PendingComment):
            self.post_message(PendingWanted(item))
        elif item is not None:
            self.post_message(ThreadWanted(item))


def place_of(facts: RequestFacts, comment: Comment) -> str:
    """Describe what a comment is on."""
    target = comment.target
    if target.page is None:
        return "on its review" if target.review else "on the whole"
    preview = target.node.preview if target.node is not None and target.node.preview else ""
    title = target.page.title or facts.titles.get(target.page.id, "a deleted page")
    return f"on “{title}”" + (f": {preview[:_PREVIEW]}" if preview else "")


def name_place(facts: RequestFacts, page: str | None, preview: str = "") -> str:
    """Name a place to comment on."""
    if page is None:
        return "the whole"
    title = facts.titles.get(page, "a deleted page")
    return f"“{title}”: {preview[:_PREVIEW]}" if preview else f"“{title}”"


def _key(item: Comment | PendingComment) -> str:
    return item.draft.id if isinstance(item, PendingComment) else item.id
