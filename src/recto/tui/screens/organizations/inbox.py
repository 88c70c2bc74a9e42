"""The inbox: the change requests of an organization, or of several, by what they wait for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from textual.message import Message

from recto.client.errors import Unsupported
from recto.contract.addresses import InChangeRequest
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.changes import MAX_LISTED, Changes, ContentChanges
from recto.contract.reviews import RequestedReviewer, Review, Reviews
from recto.contract.spaces import Space, Spaces
from recto.contract.users import Users
from recto.document.text import count
from recto.frozen import frozen
from recto.store.query import QueryState
from recto.tui.actions import bindings
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines, signs, times
from recto.tui.look.lines import Line, Span
from recto.tui.screens.pane import Pane
from recto.tui.screens.request_filter import RequestFilter

if TYPE_CHECKING:
    from recto.contract.common import User
    from recto.contract.organizations import Organization
    from recto.contract.unread import Unread
    from recto.store.query import Listing, Query
    from recto.store.store import Store

LOOKED_INTO = 30
"""The number of change requests, newest first, whose reviews and pages are requested: each takes three requests."""


_NONE_OPEN = "No change requests are open. Edit a page (‹page.edit›) to begin one."

WAITING, RETURNED, READY, OUTDATED, MINE, OTHERS, OPEN = (
    "Waiting for my review",
    "Changes requested",
    "Ready to merge",
    "Outdated",
    "Mine",
    "Others",
    "Open",
)


@frozen
class Standing:
    """The state of a review: the verdict, and the number of changed pages (``None`` where not known)."""

    verdict: str | None = None
    waits_for_me: bool = False
    pages: int | None = None


@frozen
class InboxRow:
    """A row of the inbox: a heading, or a change request under it."""

    heading: str
    request: ChangeRequest | None = None
    standing: Standing = Standing()

    @property
    def id(self) -> str:
        """The key of the row."""
        return self.request.id if self.request is not None else self.heading


class InboxPane(Pane):
    """The change requests of an organization, or of several, by what they wait for."""

    BINDINGS = bindings("list.order")

    @frozen
    class Chosen(Message):
        """The person wants to see a change request."""

        request: ChangeRequest

    def __init__(self, store: Store, id: str = "inbox") -> None:
        self._list = VirtualList(quiet=True, id=f"{id}-list")
        self._list.mark_news(store.news)
        super().__init__(store, "Change requests", self._list, id=id)
        self._listed: dict[str, _OrganizationQueries] = {}
        """The queries of each organization, by its id."""
        self._cursor = 0
        """The row of the cursor before it moved."""
        self._asked: dict[str, _RequestQueries] = {}
        self._organizations: Sequence[Organization] = ()
        self._filter = RequestFilter(self, self._find_organization, self._ask_for_requests)

    # Queries

    def show_organization(self, organization: Organization) -> None:
        """Show the change requests of an organization."""
        self.show_organizations((organization,))

    def show_organizations(self, organizations: Sequence[Organization]) -> None:
        """Show the change requests of several organizations together."""
        if list(self._listed) != [each.id for each in organizations]:
            self._organizations = organizations
            self._ask_for_requests()

    async def _find_organization(self) -> str | None:
        return self._organizations[0].id if len(self._organizations) == 1 else None

    def action_list_order(self) -> None:
        """Ask which change requests to show."""
        self._filter.ask()

    def _ask_for_requests(self) -> None:
        self.unfollow()
        arguments = self._filter.arguments
        self._listed = {each.id: _OrganizationQueries(self.store, each, arguments) for each in self._organizations}
        self._asked = {}
        self._me: Query[User] = self.store.query(Users.get_user)
        self._list.show(WrappedRows([], lambda entry, width: []))
        for listed in self._listed.values():
            for query in listed.requests:
                self.follow(query, self._take)
        self.follow(self._me, self._take)

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """The change requests of each organization."""
        return [listed.requests[0] for listed in self._listed.values()]

    def reload(self) -> None:
        """Request everything again."""
        queries = [query for listed in self._listed.values() for query in listed.requests]
        for query in (*queries, *(query for asked in self._asked.values() for query in asked.queries)):
            query.refresh()

    def _take(self, _: Query[Any]) -> None:
        for listed in self._listed.values():
            if listed.has_requests and (spaces := listed.begin_spaces()) is not None:
                self.follow(spaces, self._show)
        for request in self._requests()[:LOOKED_INTO]:
            if request.id not in self._asked:
                asked = self._asked[request.id] = _RequestQueries(self.store, request)
                for query in asked.queries:
                    self.follow(query, self._show)
        self._show(_)

    def _requests(self) -> list[ChangeRequest]:
        found = [
            request
            for listed in self._listed.values()
            for query in listed.requests
            if query.value is not None
            for request in query.value.items
        ]
        return sorted(found, key=lambda request: (request.updated_at is not None, request.updated_at), reverse=True)

    # Drawing

    def _entries(self) -> list[InboxRow]:
        """Return the rows: change requests under what they wait for, the newest first."""
        me = self._me.value.id if self._me.value is not None else None
        others = OTHERS if me is not None or self._me.error is None else OPEN  # some may be the person's own
        by_heading: dict[str, list[InboxRow]] = {
            name: [] for name in (WAITING, RETURNED, READY, OUTDATED, MINE, others)
        }
        for request in self._requests():
            asked = self._asked.get(request.id)
            standing = asked.standing(me) if asked else Standing()
            heading = _heading(request, standing, me) or others
            by_heading[heading].append(InboxRow(heading, request, standing))
        return [entry for heading, entries in by_heading.items() if entries for entry in (InboxRow(heading), *entries)]

    def _show(self, _: Query[Any]) -> None:
        entries = self._entries()
        queries = [query for listed in self._listed.values() for query in listed.requests]
        unread = tuple(note for query in queries if query.value for note in query.value.unread)
        found = sum(entry.request is not None for entry in entries)
        failed = [query for query in queries if query.state is QueryState.FAILED]
        loading = [query for query in queries if query.state is QueryState.LOADING]
        none = self._filter.empty if self._filter.words else _NONE_OPEN
        words = ": ".join(filter(None, (self._filter.words, str(found) if found else "")))
        self.entitle("Change requests", words, self._describe_missing(failed, loading))
        if entries or unread:
            self.show_body()
        elif not self.show_state(next(iter((*loading, *failed, *queries))), "the change requests", empty=none):
            return
        first = next((entry.id for entry in entries if entry.request is not None), None)
        shown = entry_rows(entries, unread, self._place, self.store.clock())
        self._list.show(shown, None if self._list.has_focus else first)

    def _describe_missing(self, failed: Sequence[Query[Any]], loading: Sequence[Query[Any]]) -> str:
        """Return the parts that are missing, for the lower border."""
        of = {key: listed.organization.title for key, listed in self._listed.items()}
        if failed:
            names = dict.fromkeys(of[query.key.argument("organization_id")] for query in failed)
            return (
                f"not loaded: {', '.join(names)}. ‹view.refresh› tries again"
                if len(of) > 1
                else "not all are here: ‹view.refresh› tries again"
            )
        errors = [error for asked in self._asked.values() if (error := asked.error) is not None]
        if errors:
            lacks = all(isinstance(error, Unsupported) for error in errors)
            return "this server has no reviews" if lacks else "not all reviews are here: ‹view.refresh› tries again"
        return "loading more" if loading and len(of) > 1 else ""

    def _place(self, space: str) -> str:
        """Return the title of a space, with that of its organization where there are several."""
        for listed in self._listed.values():
            if (title := listed.title_of(space)) is not None:
                return f"{listed.organization.title} › {title}" if len(self._listed) > 1 else title
        return "a space"

    # The cursor

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Step over a heading, in the direction in which the cursor came."""
        event.stop()
        before, self._cursor = self._cursor, event.index
        entry = self._entry_at(event.index)
        if entry is not None and entry.request is None:
            self._list.cursor = event.index - 1 if 0 < event.index < before else event.index + 1

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Report the change request under the cursor."""
        event.stop()
        entry = self._entry_at(event.index)
        if entry is not None and entry.request is not None:
            self.post_message(self.Chosen(entry.request))

    def _entry_at(self, index: int) -> InboxRow | None:
        shown = self._list.rows
        entry = shown.item(index) if isinstance(shown, WrappedRows) else None
        return entry if isinstance(entry, InboxRow) else None


class _OrganizationQueries:
    """The queries about an organization."""

    def __init__(self, store: Store, organization: Organization, arguments: Mapping[str, Any]) -> None:
        listed = ChangeRequests.list_organization_change_requests
        self.organization = organization
        self.requests: tuple[Query[Listing[ChangeRequest]], ...] = (
            store.query_list(listed, organization.id, **arguments),
            store.query_list(listed, organization.id, **{"status": "draft", **arguments}),
        )
        self._store = store
        self._spaces: Query[Listing[Space]] | None = None

    @property
    def has_requests(self) -> bool:
        return any(query.value is not None and query.value.items for query in self.requests)

    def begin_spaces(self) -> Query[Listing[Space]] | None:
        """Request the titles of the spaces, once."""
        if self._spaces is not None:
            return None
        self._spaces = self._store.query_list(Spaces.list_spaces, self.organization.id)
        return self._spaces

    def title_of(self, space: str) -> str | None:
        known = self._spaces.value.items if self._spaces is not None and self._spaces.value is not None else ()
        return next((one.title for one in known if one.id == space), None)


class _RequestQueries:
    """The queries about a change request."""

    def __init__(self, store: Store, request: ChangeRequest) -> None:
        where = (request.space, request.id)
        self._reviews: Query[Listing[Review]] = store.query_list(Reviews.list_reviews, *where)
        self._reviewers: Query[Listing[RequestedReviewer]] = store.query_list(Reviews.list_requested_reviewers, *where)
        self._changes: Query[Changes] = store.query(
            ContentChanges.list_changes, InChangeRequest(*where), limit=MAX_LISTED
        )

    @property
    def queries(self) -> tuple[Query[Any], ...]:
        return (self._reviews, self._reviewers, self._changes)

    @property
    def error(self) -> Exception | None:
        """Why the reviews are unknown."""
        return next(
            (each.error for each in (self._reviews, self._reviewers) if each.value is None and each.error), None
        )

    def standing(self, me: str | None) -> Standing:
        reviews = [
            review for review in (self._reviews.value.items if self._reviews.value else ()) if not review.outdated
        ]
        verdicts = {review.status for review in reviews}
        reviewers = self._reviewers.value.items if self._reviewers.value else ()
        return Standing(
            verdict=next((verdict for verdict in ("changes-requested", "approved") if verdict in verdicts), None),
            waits_for_me=any(asked.user is not None and asked.user.id == me for asked in reviewers),
            pages=_count_changed_pages(self._changes.value) if self._changes.value else None,
        )


def _count_changed_pages(changes: Changes) -> int:
    pages = {page.id for change in changes.changes if (page := getattr(change, "page", None)) is not None}
    return len(pages)


def _heading(request: ChangeRequest, standing: Standing, me: str | None) -> str | None:
    """Return the heading for what a change request waits for; ``None`` if it does not concern the person."""
    if standing.waits_for_me:
        return WAITING
    if standing.verdict == "changes-requested":
        return RETURNED
    if request.outdated:
        return OUTDATED
    if standing.verdict == "approved":
        return READY
    return MINE if request.created_by is not None and request.created_by.id == me else None


def entry_rows(
    entries: Sequence[InboxRow], unread: Sequence[Unread], spaces: Callable[[str], str], now: datetime
) -> WrappedRows[InboxRow]:
    """Return the rows of the inbox; ``spaces`` gives a space's title by its id."""

    def draw(entry: InboxRow, width: int) -> list[Line]:
        if entry.request is None:
            return [[(entry.heading, "strong accent")]]
        return _request_lines(entry.request, entry.standing, spaces(entry.request.space), now, width)

    return WrappedRows(entries, draw, unread=unread)


def _request_lines(request: ChangeRequest, standing: Standing, space: str, now: datetime, width: int) -> list[Line]:
    status = signs.sign(signs.CHANGE_REQUEST, request.status)
    subject = lines.plain(request.subject) or "Without a subject"
    first = lines.beside(
        [status.span, (f" #{request.number} ", "muted"), (subject, "strong")],
        [(times.ago(request.updated_at or request.created_at, now), "muted")],
        width,
    )
    second: list[Span] = [("  ", ""), (f"{lines.plain(space)} · {signs.person(request.created_by)}", "muted")]
    for span in _states(request, standing):
        second += [(" · ", "faint"), span]
    return [first, *lines.wrap(second, width, 2)]


def _states(request: ChangeRequest, standing: Standing) -> list[Span]:
    states: list[Span] = []
    if request.outdated:
        states.append((f"{signs.OUTDATED.sign} {signs.OUTDATED.word}", signs.OUTDATED.role))
    if standing.verdict is not None:
        verdict = signs.sign(signs.REVIEW, standing.verdict)
        states.append((f"{verdict.sign} {verdict.word}", verdict.role))
    if request.status == "draft":
        draft = signs.CHANGE_REQUEST["draft"]
        states.append((draft.word, draft.role))
    if standing.pages is not None:
        states.append((count(standing.pages, "page"), "muted"))
    if request.comments:
        states.append((count(request.comments, "open comment"), "muted"))
    return states
