"""The lists on the tabs of a space: change requests, comments, files, links and revisions.

Each asks when it is first shown. It tells the screen by messages what a person chose in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from textual.message import Message

from recto.client.errors import Unsupported
from recto.contract.addresses import Address, AtRevision
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.content import Content, File
from recto.contract.spaces import Spaces
from recto.document.text import count
from recto.frozen import frozen
from recto.store.growing_list import GrowingList, Grown
from recto.store.links import MOST, LinkRest, SpaceLink, links_of_space
from recto.store.locations import ChangeRequestLocation
from recto.store.query import Listing, Query, QueryState
from recto.store.revisions import PastRevision, revisions_of_space
from recto.tui.actions import bindings
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.screens.pane import Pane
from recto.tui.screens.space.activity import Activity, page_name
from recto.tui.screens.space.inventory_rows import file_rows, link_rows, revision_rows
from recto.tui.screens.space.talk_rows import STATUSES, comment_rows, request_rows

if TYPE_CHECKING:
    from recto.contract.addresses import InChangeRequest, Main
    from recto.contract.comments import Comment
    from recto.store.store import Store
    from recto.tui.screens.comment_filter import CommentFilter
    from recto.tui.screens.request_filter import RequestFilter

_NEAR_END = 6
"""How many rows before the last known one more is asked for."""


_NO_REQUESTS, _MAKES_REQUEST = "No change requests yet.", "on a page makes one"


class RequestsPane(Pane):
    """Lists the change requests of a space."""

    def __init__(self, store: Store, space: str, activity: Activity) -> None:
        self._list = VirtualList(id="request-list")
        self._list.mark_news(store.news)
        super().__init__(store, "Change requests", self._list, id="requests")
        self._space = space
        self._activity = activity
        self._filter: RequestFilter | None = None
        self._narrowed: Mapping[str, Query[Listing[ChangeRequest]]] = {}
        """The change requests that the filter leaves, by status; empty without a filter."""

    def on_mount(self) -> None:
        """Ask for all of them."""
        self._activity.begin_all_requests()
        self.show()

    def filter(self) -> None:
        """Ask which change requests to show."""
        from recto.tui.screens.request_filter import RequestFilter

        if self._filter is None:
            self._filter = RequestFilter(self, self._find_organization, self._narrow)
        self._filter.ask()

    async def _find_organization(self) -> str | None:
        return (await self.store.fetch_or_kept(Spaces.get_space, self._space)).organization

    def _narrow(self) -> None:
        arguments = self._filter.arguments if self._filter is not None else {}
        listed = ChangeRequests.list_change_requests
        statuses: Iterable[Any] = STATUSES if arguments else ()
        self._narrowed = {
            status: self.store.query_list(listed, self._space, status=status, **arguments) for status in statuses
        }
        self.follow_instead("narrowed", lambda _: self.show(), *self._narrowed.values())
        self.show()

    def show(self) -> None:
        """Draw the known state."""
        shown = self._narrowed or self._activity.requests
        queries = list(shown.values())
        known = {status: _items(shown.get(status)) for status in STATUSES}
        words, empty, key, makes = "", _NO_REQUESTS, "e", _MAKES_REQUEST
        if self._filter is not None and self._narrowed:
            words, empty, key, makes = self._filter.words, self._filter.empty, "F", "shows others"
        every = [one for status in STATUSES for one in known[status]]
        unread = [note for query in queries if query.value is not None for note in query.value.unread]
        all_failed = [query for query in queries if query.state is QueryState.FAILED]
        failed = next((query for query in all_failed if query.value is None), next(iter(all_failed), None))
        loading = next((query for query in queries if query.value is None and query is not failed), None)
        if loading is not None:
            # Change requests of a single status would put the cursor where it does not belong.
            self.show_state(loading, "the change requests")
        elif every or unread:
            counts = [f"{len(known[status])} {status}" for status in STATUSES if known[status]]
            below = "not all are here: ‹view.refresh› tries again" if failed is not None else ""
            self.entitle("Change requests", ": ".join(filter(None, (words, ", ".join(counts)))), below)
            self.show_body()
            self._list.show(request_rows(every, unread, self.store.clock()))
        elif failed is not None:
            self.show_state(failed, "the change requests", empty=empty, key=key, makes=makes)
        else:
            self.entitle("Change requests", words)
            self.show_empty(empty, key, makes)

    def reload(self) -> None:
        """Ask again."""
        self._activity.reload_requests()
        for query in self._narrowed.values():
            query.refresh()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go to the change request."""
        event.stop()
        self.go(ChangeRequestLocation(self._space, str(event.key)))


class CommentsPane(Pane):
    """Lists the comments on the pages of a space."""

    @frozen
    class ThreadChosen(Message):
        """The person wants to see a thread."""

        comment: Comment

    def __init__(self, store: Store, at: Main | InChangeRequest, activity: Activity) -> None:
        self._list = VirtualList(id="comment-list")
        self._list.mark_news(store.news)
        super().__init__(store, "Comments", self._list, id="comments")
        self._activity = activity
        self._at = at
        self._filter: CommentFilter | None = None

    def on_mount(self) -> None:
        """Ask for them, where that has not been done."""
        self._activity.begin()
        self.show()

    def show(self) -> None:
        """Draw the known state."""
        query = self._query
        if query is None:
            return
        words = ""
        empty, key, makes = "No comments yet.", "c", "on a block of a page writes the first comment"
        if self._filter is not None and self._filter.query is not None:
            words, empty, key, makes = self._filter.words, self._filter.empty, "F", "shows others"
        self.entitle("Comments", words)
        if self.show_state(query, "the comments", empty=empty, key=key, makes=makes) and query.value is not None:
            comments = query.value.items
            waiting = sum(one.status != "resolved" for one in comments)
            counts = f"{waiting} open, {len(comments) - waiting} resolved"
            self.entitle("Comments", f"{words}: {counts}" if words else counts)
            self._list.show(comment_rows(comments, query.value.unread, page_name, self.store.clock()))

    @property
    def _query(self) -> Query[Listing[Comment]] | None:
        narrowed = self._filter.query if self._filter is not None else None
        return narrowed or self._activity.comments_query

    def filter(self) -> None:
        """Ask which comments to show."""
        from recto.tui.screens.comment_filter import CommentFilter

        if self._filter is None:
            self._filter = CommentFilter(self, self._at, self.show, self._find_titles)
        self._filter.ask()

    def _find_titles(self) -> dict[str, str]:
        commented = self._activity.comments
        return {one.target.page.id: page_name(one) for one in commented if one.target.page is not None}

    def reload(self) -> None:
        """Ask again."""
        self._activity.reload_comments()
        if self._filter is not None:
            self._filter.reload()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Post the chosen thread."""
        event.stop()
        known = query.value.items if (query := self._query) is not None and query.value is not None else ()
        comment = next((one for one in known if one.id == event.key), None)
        if comment is not None:
            self.post_message(self.ThreadChosen(comment))


class FilesPane(Pane):
    """Lists the files of a space."""

    @frozen
    class FileChosen(Message):
        """The person wants to see where a file is used."""

        file: File

    BINDINGS = bindings("item.copy_text")

    def __init__(self, store: Store, at: Address) -> None:
        self._list = VirtualList(id="file-list")
        super().__init__(store, "Files", self._list, id="files")
        self._at = at
        self._query: Query[Listing[File]] | None = None

    def on_mount(self) -> None:
        """Ask for them."""
        self._query = self.store.query_list(Content.list_files, self._at)
        self.follow(self._query, self._show)

    def _show(self, query: Query[Listing[File]]) -> None:
        past = isinstance(self._at, AtRevision)
        empty, key = ("The space had no files then.", "") if past else ("No files yet.", "a")
        if self.show_state(query, "the files", empty=empty, key=key, makes="adds one"):
            unread = query.value.unread if query.value is not None else ()
            keys = "‹list.open› shows where one is used, ‹item.copy_text› copies it for a page"
            below = "as they were" if past else keys
            self.entitle("Files", str(len(self._files)), below=below)
            self._list.show(file_rows(self._files, unread))

    @property
    def _files(self) -> tuple[File, ...]:
        return self._query.value.items if self._query is not None and self._query.value is not None else ()

    def reload(self) -> None:
        """Ask again."""
        if self._query is not None:
            self._query.refresh()

    @property
    def _current(self) -> File | None:
        """The file under the cursor."""
        return next((one for one in self._files if one.id == self._list.cursor_key), None)

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Post the chosen file."""
        event.stop()
        if (file := self._current) is not None:
            self.post_message(self.FileChosen(file))

    def why_not(self, action: str) -> str | None:
        """Return the reason why there is nothing to copy."""
        return "no file under the cursor" if action == "item.copy_text" and self._current is None else None

    def action_item_copy_text(self) -> None:
        """Copy what a page shows the file by: a picture, or a download."""
        if (file := self._current) is not None:
            is_picture = file.content_type.startswith("image/")
            address = f"/files/{file.id}"
            self.app.copy_to_clipboard(f"![]({address})" if is_picture else f'{{% file src="{address}" %}}')
            self.say(f"Copied the Markdown that shows “{file.name}” on a page.")


class LinksPane(Pane):
    """Lists the links in the pages of a space; more come as the cursor goes down."""

    @frozen
    class LinkChosen(Message):
        """The person wants to see where a link is written."""

        link: SpaceLink

    def __init__(self, store: Store, at: Main | InChangeRequest) -> None:
        self._list = VirtualList(id="link-list")
        super().__init__(store, "Links", self._list, id="links")
        self._at = at
        self._links: GrowingList[SpaceLink] | None = None

    def on_mount(self) -> None:
        """Ask for the first of them."""
        self._links = links_of_space(self.store, self._at)
        self.follow(self._links, self._show)

    def _show(self, query: Query[Grown[SpaceLink]]) -> None:
        if query.value is None and isinstance(query.error, Unsupported):
            self.show_empty(
                "This server does not list the links of a space. Those of a page are read from its text.",
                "b",
                "on a page shows them",
            )
        elif self.show_state(query, "the links", empty="No links yet."):
            known = query.value.items if query.value is not None else ()
            unread = query.value.unread if query.value is not None else ()
            self.entitle("Links", _count(query.value), below=_describe_progress(query, "of the places"))
            self._list.show(link_rows(known, unread), goes_on=_goes_on(query))

    def reload(self) -> None:
        """Ask again."""
        if self._links is not None:
            self._links.retry()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Ask for more where the end is near."""
        event.stop()
        if self._links is not None and _is_near_end(event):
            self._links.more()

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Post the chosen link."""
        event.stop()
        known = self._links.value.items if self._links is not None and self._links.value is not None else ()
        link = next((one for one in known if one.number == event.key), None)
        if link is not None:
            self.post_message(self.LinkChosen(link))


class RevisionsPane(Pane):
    """Lists the revisions of a space, newest first; more come as the cursor goes down."""

    @frozen
    class RevisionChosen(Message):
        """The person wants to see a past revision."""

        revision: str

    def __init__(self, store: Store, space: str) -> None:
        self._list = VirtualList(id="revision-list")
        super().__init__(store, "Revisions", self._list, id="revisions")
        self._space = space
        self._revisions: GrowingList[PastRevision] | None = None

    def on_mount(self) -> None:
        """Ask for the first of them."""
        self._revisions = revisions_of_space(self.store, self._space)
        self.follow(self._revisions, self._show)

    def _show(self, query: Query[Grown[PastRevision]]) -> None:
        if self.show_state(query, "the revisions", empty="No revisions yet."):
            known = query.value.items if query.value is not None else ()
            below = _describe_progress(query, "so far")
            if self.store.lacks(Content.get_revision, AtRevision):
                below = "earlier revisions are not available"
            self.entitle("Revisions", f"{len(known):,}", below=below)
            self._list.show(revision_rows(known, self.store.clock()), goes_on=_goes_on(query))

    def reload(self) -> None:
        """Ask again."""
        if self._revisions is not None:
            self._revisions.retry()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Ask for more where the end is near."""
        event.stop()
        if self._revisions is not None and _is_near_end(event):
            self._revisions.more()

    @property
    def current(self) -> PastRevision | None:
        """The revision under the cursor."""
        known = self._revisions.value.items if self._revisions is not None and self._revisions.value else ()
        return next((one for one in known if one.id == self._list.cursor_key), None)

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Post the chosen revision."""
        event.stop()
        self.post_message(self.RevisionChosen(str(event.key)))


def _items(query: Query[Listing[ChangeRequest]] | None) -> tuple[ChangeRequest, ...]:
    return query.value.items if query is not None and query.value is not None else ()


def _goes_on(query: Query[Grown[Any]]) -> bool:
    return query.value is not None and not query.value.complete and query.state is not QueryState.FAILED


def _is_near_end(event: VirtualList.Highlighted) -> bool:
    return event.index >= len(event.list.rows) - _NEAR_END


def _count(value: Grown[SpaceLink] | None) -> str:
    stats = value.rest.stats if value is not None and isinstance(value.rest, LinkRest) else None
    if stats is None:
        return ""
    targets, broken = count(stats.total, "target"), stats.broken.total
    if value is None or not broken:
        return targets
    # The broken ones are loaded first, all of them unless there are very many.
    places = sum(link.status == "broken" for link in value.items) if broken <= MOST else 0
    return f"{targets}, {broken:,} broken" + (f" in {count(places, 'place')}" if places > broken else "")


def _describe_progress(query: Query[Grown[Any]], what: str) -> str:
    value = query.value
    if query.state is QueryState.FAILED:
        return "not refreshed"
    if value is None or value.complete:
        return ""
    loading = "loading more" if query.state is QueryState.REFRESHING else "more come as you go down"
    return f"{len(value.items):,} {what}: {loading}"
