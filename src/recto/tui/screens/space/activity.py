"""The change requests of a space and the comments at an address, for its panes; a past revision has no comments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recto.contract.addresses import Address, AtRevision
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.tui.screens.space.talk_rows import STATUSES

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.store.query import Listing, Query
    from recto.tui.screens.interactive import Interactive

_OPEN = ("open", "draft")


class Activity:
    """Follows them for a screen; ``requests_changed`` and ``comments_changed`` are called when others are known."""

    def __init__(
        self,
        owner: Interactive,
        at: Address,
        requests_changed: Callable[[], None],
        comments_changed: Callable[[], None],
    ) -> None:
        self._owner = owner
        self._at = at
        self._requests_changed = requests_changed
        self._comments_changed = comments_changed
        self.requests: dict[str, Query[Listing[ChangeRequest]]] = {}
        """The change requests that are asked for, by status."""
        self.comments_query: Query[Listing[Comment]] | None = None
        """The comments as they are being asked for."""

    def begin(self) -> None:
        """Ask for the change requests that edits can go to, and for the comments."""
        if self.comments_query is not None:
            return
        self._follow_requests(_OPEN)
        if isinstance(self._at, AtRevision):
            return
        from recto.contract.comments import Comments

        query = self._owner.store.query_list(Comments.list_comments, self._at, format="markdown")
        self.comments_query = query
        self._owner.follow(query, lambda _: self._comments_changed())

    def reload_comments(self) -> None:
        """Ask again for the comments."""
        if self.comments_query is not None:
            self.comments_query.refresh()

    # Change requests

    def begin_all_requests(self) -> None:
        """Ask for the change requests of each status."""
        self._follow_requests(STATUSES)

    def reload_requests(self) -> None:
        """Ask again for the change requests."""
        for query in self.requests.values():
            query.refresh()

    def _follow_requests(self, statuses: tuple[str, ...]) -> None:
        for status in statuses:
            if status not in self.requests:
                query = self._owner.store.query_list(
                    ChangeRequests.list_change_requests,
                    self._at.space,
                    status=status,  # type: ignore[arg-type]
                )
                self.requests[status] = query
                self._owner.follow(query, lambda _: self._requests_changed())

    def requests_of(self, status: str) -> tuple[ChangeRequest, ...]:
        """Return the change requests of a status, as far as they are known."""
        query = self.requests.get(status)
        return query.value.items if query is not None and query.value is not None else ()

    @property
    def open_requests(self) -> list[ChangeRequest]:
        """The change requests that edits can go to, as far as they are known; the newest first."""
        now = self._owner.store.clock()
        found = [request for status in _OPEN for request in self.requests_of(status)]
        return sorted(found, key=lambda request: request.updated_at or request.created_at or now, reverse=True)

    # Comments

    @property
    def comments(self) -> tuple[Comment, ...]:
        """The comments as far as they are known, the newest first."""
        query = self.comments_query
        return query.value.items if query is not None and query.value is not None else ()

    def comments_on(self, page: str) -> list[Comment]:
        """Return the comments on a page."""
        return [one for one in self.comments if one.target.page is not None and one.target.page.id == page]

    def comment(self, id: str) -> Comment | None:
        """Return a comment by its id."""
        return next((one for one in self.comments if one.id == id), None)


def page_name(comment: Comment) -> str:
    """Name the page that a comment is on, or what it is on as a whole."""
    page = comment.target.page
    if page is None:
        return "the change request" if comment.target.change_request else "the space"
    return page.title or "a deleted page"
