"""The inbox: the change requests of all spaces of an organization, by what they wait for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.changes import Changes, ContentChanges
from recto.contract.reviews import RequestedReviewer, Review, Reviews
from recto.contract.users import Users
from recto.tui.lists.rows import WrappedRows
from recto.tui.look import lines, signs, times
from recto.tui.look.lines import Line, Span

if TYPE_CHECKING:
    from recto.contract.common import User
    from recto.contract.unread import Unread
    from recto.store.query import Listing, Query
    from recto.store.signal import Subscription
    from recto.store.store import Store

LOOKED_INTO = 30
"""How many change requests, the newest, are asked about their reviews and pages; more would ask too much at once."""

_MOST_CHANGES = 100

WAITING, RETURNED, READY, OUTDATED, MINE, OTHERS = (
    "Waiting for my review",
    "Changes requested",
    "Ready to merge",
    "Outdated",
    "Mine",
    "Others",
)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a change request stands with its reviewers, and how many pages it changes (``None``: not known)."""

    verdict: str | None = None
    waits_for_me: bool = False
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the inbox: a heading, or a change request under it."""

    heading: str
    request: ChangeRequest | None = None
    standing: Standing = Standing()

    @property
    def id(self) -> str:
        """What tells it from the other rows."""
        return self.request.id if self.request is not None else self.heading


class Inbox:
    """Follows what the inbox of one organization shows; ``changed`` is called after each change."""

    def __init__(self, store: Store, organization: str, changed: Callable[[], None]) -> None:
        self._store = store
        self._changed = changed
        self._subscriptions: list[Subscription] = []
        self.open: Query[Listing[ChangeRequest]] = store.query_list(
            ChangeRequests.list_organization_change_requests, organization
        )
        self._drafts: Query[Listing[ChangeRequest]] = store.query_list(
            ChangeRequests.list_organization_change_requests, organization, status="draft"
        )
        self._me: Query[User] = store.query(Users.get_user)
        self._asked: dict[str, _Asked] = {}
        for query in (self.open, self._drafts, self._me):
            self._subscriptions.append(query.watch(self._heard))
        self._look_into()

    def refresh(self) -> None:
        """Ask anew for all that is shown."""
        for query in (self.open, self._drafts):
            query.refresh()
        for asked in self._asked.values():
            asked.refresh()

    def close(self) -> None:
        """Follow nothing any more."""
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()

    @property
    def entries(self) -> list[Entry]:
        """The rows: change requests under what they wait for, the newest first."""
        me = self._me.value.id if self._me.value is not None else None
        sorted_in: dict[str, list[Entry]] = {name: [] for name in (WAITING, RETURNED, READY, OUTDATED, MINE, OTHERS)}
        for request in self._requests():
            asked = self._asked.get(request.id)
            standing = asked.standing(me) if asked else Standing()
            heading = _heading(request, standing, me)
            sorted_in[heading].append(Entry(heading, request, standing))
        return [entry for heading, entries in sorted_in.items() if entries for entry in (Entry(heading), *entries)]

    @property
    def unread(self) -> tuple[Unread, ...]:
        """The change requests that could not be read."""
        return tuple(note for query in (self.open, self._drafts) if query.value for note in query.value.unread)

    def _requests(self) -> list[ChangeRequest]:
        found = [
            *(self.open.value.items if self.open.value else ()),
            *(self._drafts.value.items if self._drafts.value else ()),
        ]
        return sorted(found, key=lambda request: (request.updated_at is not None, request.updated_at), reverse=True)

    def _heard(self, _: object) -> None:
        self._look_into()
        self._changed()

    def _look_into(self) -> None:
        for request in self._requests()[:LOOKED_INTO]:
            if request.id not in self._asked:
                asked = self._asked[request.id] = _Asked(self._store, request)
                self._subscriptions += asked.watch(self._changed)


class _Asked:
    """What is asked about one change request."""

    def __init__(self, store: Store, request: ChangeRequest) -> None:
        where = (request.space, request.id)
        self._reviews: Query[Listing[Review]] = store.query_list(Reviews.list_reviews, *where)
        self._reviewers: Query[Listing[RequestedReviewer]] = store.query_list(Reviews.list_requested_reviewers, *where)
        self._changes: Query[Changes] = store.query(ContentChanges.list_changes, *where, limit=_MOST_CHANGES)

    def watch(self, changed: Callable[[], None]) -> list[Subscription]:
        return [
            self._reviews.watch(lambda _: changed()),
            self._reviewers.watch(lambda _: changed()),
            self._changes.watch(lambda _: changed()),
        ]

    def refresh(self) -> None:
        for query in (self._reviews, self._reviewers, self._changes):
            query.refresh()

    def standing(self, me: str | None) -> Standing:
        reviews = [
            review for review in (self._reviews.value.items if self._reviews.value else ()) if not review.outdated
        ]
        verdicts = {review.status for review in reviews}
        reviewers = self._reviewers.value.items if self._reviewers.value else ()
        return Standing(
            verdict=next((verdict for verdict in ("changes-requested", "approved") if verdict in verdicts), None),
            waits_for_me=any(asked.user is not None and asked.user.id == me for asked in reviewers),
            pages=_changed_pages(self._changes.value) if self._changes.value else None,
        )


def _changed_pages(changes: Changes) -> int:
    pages = {page.id for change in changes.changes if (page := getattr(change, "page", None)) is not None}
    return len(pages)


def _heading(request: ChangeRequest, standing: Standing, me: str | None) -> str:
    if standing.waits_for_me:
        return WAITING
    if standing.verdict == "changes-requested":
        return RETURNED
    if request.outdated:
        return OUTDATED
    if standing.verdict == "approved":
        return READY
    return MINE if request.created_by is not None and request.created_by.id == me else OTHERS


def entry_rows(
    entries: Sequence[Entry], unread: Sequence[Unread], spaces: Callable[[str], str], now: datetime
) -> WrappedRows[Entry]:
    """Return the rows of the inbox; ``spaces`` gives a space's title by its id."""

    def draw(entry: Entry, width: int) -> list[Line]:
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
    return [first, lines.fit(second, width)]


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
        states.append((signs.count(standing.pages, "page"), "muted"))
    if request.comments:
        states.append((signs.count(request.comments, "open comment"), "muted"))
    return states
