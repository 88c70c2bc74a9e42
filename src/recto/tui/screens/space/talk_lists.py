"""What people do in a space, on tabs of their own: change requests and comments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.contract.addresses import Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.store.locations import ChangeRequestLocation
from recto.store.query import QueryState
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.screens.space.tab_names import COMMENTS, REQUESTS
from recto.tui.screens.space.talk_rows import STATUSES, comment_rows, request_rows
from recto.tui.widgets.panel import Panel
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.store.query import Listing, Query
    from recto.tui.screens.space.base import SpaceBase

_OPEN = ("open", "draft")


class Lists:
    """The lists of one space."""

    def __init__(self, view: SpaceBase, space: str) -> None:
        self._view = view
        self._space = space
        self._requests: dict[str, Query[Listing[ChangeRequest]]] = {}
        self._comments: Query[Listing[Comment]] | None = None

    def begin(self) -> None:
        """Follow what other parts of the view need too: the change requests one can edit in, and the comments."""
        if self._comments is not None:
            return
        for status in _OPEN:
            self._follow_requests(status)
        from recto.contract.comments import Comments

        query = self._view.store.query_list(Comments.list_comments, Main(self._space), format="markdown")
        self._comments = query
        self._view.follow(query, self._show_comments)

    def look_at(self, tab: int) -> None:
        """Ask for what a tab shows, when it is first looked at."""
        if tab == REQUESTS:
            for status in STATUSES:
                self._follow_requests(status)
            self._show_requests()
        elif tab == COMMENTS:
            self.begin()
            if self._comments is not None:
                self._show_comments(self._comments)

    def refresh(self, tab: int) -> None:
        """Ask anew for what a tab shows."""
        queries: list[Query[Any] | None] = {
            REQUESTS: [*self._requests.values()],
            COMMENTS: [self._comments],
        }.get(tab, [])  # type: ignore[assignment]
        for query in queries:
            if query is not None:
                query.refresh()

    # Change requests

    def _follow_requests(self, status: str) -> None:
        if status not in self._requests:
            query = self._view.store.query_list(
                ChangeRequests.list_change_requests,
                self._space,
                status=status,  # type: ignore[arg-type]
            )
            self._requests[status] = query
            self._view.follow(query, lambda _: self._show_requests())

    @property
    def open_requests(self) -> list[ChangeRequest]:
        """The change requests that can be edited in, as far as they are known; the newest first."""
        found = [one for status in _OPEN for one in self._known(status)]
        return sorted(found, key=lambda one: one.updated_at or one.created_at or self._view.store.clock(), reverse=True)

    def _known(self, status: str) -> tuple[ChangeRequest, ...]:
        query = self._requests.get(status)
        return query.value.items if query is not None and query.value is not None else ()

    def _show_requests(self) -> None:
        self._view.query_one(TabStrip).count(REQUESTS, len(self.open_requests) or None)
        if (shown := self._view.list_on(REQUESTS)) is not None:
            self._list_requests(shown)
        self._view.requests_changed()

    def _list_requests(self, shown: VirtualList) -> None:
        panel = self._view.query_one("#requests", Panel)
        queries = list(self._requests.values())
        every = [one for status in STATUSES for one in self._known(status)]
        unread = [note for query in queries if query.value is not None for note in query.value.unread]
        failed = next((query for query in queries if query.state is QueryState.FAILED), None)
        loading = next((query for query in queries if query.value is None and query is not failed), None)
        if loading is not None:
            # Those of one status alone would put the cursor where it does not belong.
            panel.show_state(loading, "the change requests")
        elif every or unread:
            counts = [f"{len(self._known(status))} {status}" for status in STATUSES if self._known(status)]
            below = "not all are here: r tries again" if failed is not None else ""
            panel.entitle("Change requests", ", ".join(counts), below)
            panel.show_body()
            rows = request_rows(every, unread, self._view.store.clock())
            shown.show(rows)
        elif failed is not None:
            panel.show_state(failed, "the change requests")
        else:
            panel.show_empty("Proposed changes to this space would be here.", "e", "on a page makes one")

    # Comments

    @property
    def comments(self) -> tuple[Comment, ...]:
        """The comments of the space as far as they are known, the newest first."""
        return self._comments.value.items if self._comments is not None and self._comments.value is not None else ()

    @property
    def comments_query(self) -> Query[Listing[Comment]] | None:
        """The comments as they are being asked for."""
        return self._comments

    def comment(self, id: str) -> Comment | None:
        """Return a comment by its id."""
        return next((one for one in self.comments if one.id == id), None)

    def _show_comments(self, query: Query[Listing[Comment]]) -> None:
        waiting = [one for one in self.comments if one.status != "resolved"]
        self._view.query_one(TabStrip).count(COMMENTS, len(waiting) or None)
        if (shown := self._view.list_on(COMMENTS)) is not None:
            self._list_comments(shown, query, len(waiting))
        self._view.comments_changed()

    def _list_comments(self, shown: VirtualList, query: Query[Listing[Comment]], waiting: int) -> None:
        panel = self._view.query_one("#comments", Panel)
        if panel.show_state(
            query,
            "the comments",
            empty="What people say about these pages would be here.",
            key="c",
            makes="on a block of a page writes the first comment",
        ):
            panel.entitle("Comments", f"{waiting} open, {len(self.comments) - waiting} resolved")
            unread = query.value.unread if query.value is not None else ()
            rows = comment_rows(self.comments, unread, self._view.name_place, self._view.store.clock())
            shown.show(rows)

    # Going in

    def choose(self, event: VirtualList.Chosen) -> bool:
        """Go into a row of one of the lists; says whether it was one of them."""
        if event.list.id == "request-list":
            self._view.go(ChangeRequestLocation(self._space, str(event.key)))
        elif event.list.id == "comment-list":
            if (comment := self.comment(str(event.key))) is not None:
                self._view.open_thread(comment)
        else:
            return False
        return True
