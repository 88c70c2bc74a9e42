"""Polling: shows what others change while it is on the screen, and retries what failed.

Each subject on the screen has a *probe*: a cheap request, repeated regularly. A space gives its revision and counts, a
change request its revision and when its comments and reviews changed, an organization the first of its change requests.
A probe has *marks*; where a mark differs from before, the followed queries for which it speaks are fetched again, and
no others. What has no probe (a site's structure, lists of an organization) is fetched again itself: the lists in focus
at the pace of probes; all others share one request in ``_REST``.

All requests that polling causes keep to ``MOST_REQUESTS`` a minute. Comments, reviews and requests for them are
fetched as soon as they differ. Text leaves room for them, more of it the more often it was edited, and what cannot be
fetched at once is fetched in turn: so they are seen within ten seconds while others write without a pause. Content that
has to wait is marked as behind: so it is known within ten seconds, too, that there is a newer revision.

In a change request its space is asked, too: at once where the change request shows that the space has moved on, else in
``_REST``.

A mark may speak for several queries. Where the first of them explains why it differs, such as a new review, another
page in the tree of a space or other words of the page that is read, the others are fetched only with the room that is
left. So a comment, a verdict, another comment and an edit cost one request each, besides the probes, and all are seen
within ten seconds; in a space an edit of the page that is read costs two.

Other platforms may not tell when comments and reviews changed. There the time of update speaks for reviews; where an
edit or a comment could explain it, they are fetched twice a minute at most. Some services do not move that time for a
review: so reviews, requests for them and an open thread are fetched in turn besides, one every ``_LISTS`` seconds.

A workspace in this process is not polled, but its file is looked at: it has a version that others' writes change.

A platform that cannot be reached gets one request now and then, and all that failed is fetched when it answers. Where
only some requests fail, each is sent again by itself, less and less often.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeAlias, TypeVar

from recto.client.background import in_background
from recto.client.errors import ClientError, Refused, ServerFailed, TooManyRequests, Unsupported
from recto.contract.addresses import Address, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.comments import Comment, CommentReply, Comments
from recto.contract.content import walk_pages
from recto.contract.organizations import Organizations
from recto.contract.reviews import Review, Reviews
from recto.contract.spaces import Space, Spaces
from recto.contract.users import Users
from recto.store.locations import ChangeRequestLocation, OrganizationsLocation, SiteLocation, SpaceLocation
from recto.store.mutation import RunState
from recto.store.news import new_ids
from recto.store.query import Listing, QueryState
from recto.store.query_keys import QueryKey

if TYPE_CHECKING:
    from recto.contract.common import ListPage
    from recto.contract.content import PageTree
    from recto.contract.operation import Operation
    from recto.store.locations import Location
    from recto.store.mutation import Run
    from recto.store.news import News
    from recto.store.query import Query
    from recto.store.signal import Signal
    from recto.store.workspace import LocalWorkspace

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger(__name__)

PACE = 9
"""The seconds between two probes of a subject on the screen."""

MOST_REQUESTS = 12
"""The most requests in a minute."""

IDLE_AFTER = timedelta(minutes=10)
"""How long after the last key the person counts as away; then there is one request a minute."""

_MINUTE = timedelta(minutes=1)
_REST = timedelta(seconds=45)
_LISTS = timedelta(seconds=15)
"""The time between two requests for lists that have no probe, where the screen is of these."""
_RESERVE, _RESERVE_OF_LISTS = 3, 1
"""How many requests a minute are left to what a person waits for; in the other case the lists are that."""
_LONGEST_PACE = timedelta(seconds=9.5)
"""The longest time between two probes: ten seconds after others did something, it has been fetched."""
_FILE = 1.0
"""The seconds between two looks at the file of a workspace."""
_AFTER_REFUSAL = timedelta(minutes=10)
"""How long the pace is halved after the platform asked for fewer requests."""
_LONGEST_WAIT = 3600.0
"""The most seconds without a request, whatever the platform asks for."""
_RETRY = 5.0
"""The seconds before what failed is tried again, doubled each time.

For a platform that cannot be reached up to a minute, for a query that fails alone up to ``_LONGEST_RETRY``.
What differs and cannot be fetched waits for ``_REST`` first.
"""
_LONGEST_RETRY = 600.0

Marks: TypeAlias = Mapping[str, Hashable]


_IN_DOUBT = timedelta(seconds=30)
"""The time between two requests for reviews where no mark tells whether they differ."""
_MOST_LEFT = 3
"""The most requests a minute that text leaves to comments and reviews."""
_MOST_OWN = 50
"""The most moments of the person's own comments and reviews that are remembered."""


class _Subject(ABC):
    """A subject on the screen that has a probe."""

    @abstractmethod
    def probe(self) -> tuple[Operation[Any, Any], dict[str, Any]]:
        """Return the operation that is asked, and its arguments."""

    @abstractmethod
    def marks(self, value: Any) -> Marks:
        """Return the marks in a response: the values that show a change."""

    @abstractmethod
    def marks_of(self, key: QueryKey) -> Set[str]:
        """Return the names of the marks that speak for a query."""

    @abstractmethod
    def moments(self, value: Any) -> Mapping[str, datetime | None]:
        """Return when comments and reviews changed last, by the names of their marks, where a response shows that.

        A platform that does not tell leaves the moments out.
        """


_CONTENT = frozenset({"Content", "ContentChanges", "Links"})
_WHOLE = "whole"
"""The mark of a space that its change requests show, too."""


@dataclass(frozen=True)
class _Space(_Subject):
    space: str

    def probe(self) -> tuple[Operation[Any, Any], dict[str, Any]]:
        return Spaces.get_space, {"space_id": self.space}

    def marks(self, value: Space) -> Marks:
        drafts = value.change_requests_draft
        # A new draft changes the number of drafts alone; anything else may concern the drafts, too.
        requests = (value.change_requests - drafts, value.change_requests_open)
        comments = (value.comments, value.comments_updated_at)
        whole = (value.revision, drafts + value.change_requests_open)
        return {"content": value.revision, "drafts": drafts, "requests": requests, "comments": comments, _WHOLE: whole}

    def marks_of(self, key: QueryKey) -> Set[str]:
        if key.argument("space_id") != self.space:
            return frozenset()
        if key.argument("change_request_id") is not None or key.argument("revision_id") is not None:
            return frozenset()
        if key.operation in (Comments.list_comments, Comments.list_replies):
            return {"comments"}
        if key.operation.resource is ChangeRequests:
            return {"requests", "drafts"} if key.argument("status") in ("draft", None) else {"requests"}
        return {"content"} if key.operation.resource.__name__ in _CONTENT else frozenset()

    def moments(self, value: Space) -> Mapping[str, datetime | None]:
        return {"comments": value.comments_updated_at}


@dataclass(frozen=True)
class _Request(_Subject):
    space: str
    id: str

    def probe(self) -> tuple[Operation[Any, Any], dict[str, Any]]:
        return ChangeRequests.get_change_request, {"space_id": self.space, "change_request_id": self.id}

    def marks(self, value: ChangeRequest) -> Marks:
        comments = (value.comments, value.comments_updated_at)
        reviews = value.reviews_updated_at or value.updated_at
        return {"content": value.revision, "comments": comments, "reviews": reviews}

    def marks_of(self, key: QueryKey) -> Set[str]:
        if key.argument("space_id") != self.space or key.argument("change_request_id") != self.id:
            return frozenset()
        if key.operation in (Comments.list_comments, Comments.list_replies):
            return {"comments"}
        if key.operation is ChangeRequests.list_contributors:
            return {"comments", "content"}
        if key.operation.resource is Reviews:
            return {"reviews"}
        return {"content"} if key.operation.resource.__name__ in _CONTENT else frozenset()

    def moments(self, value: ChangeRequest) -> Mapping[str, datetime | None]:
        return {"comments": value.comments_updated_at, "reviews": value.reviews_updated_at}


@dataclass(frozen=True)
class _Thread(_Subject):
    at: Main | InChangeRequest
    comment: str

    def probe(self) -> tuple[Operation[Any, Any], dict[str, Any]]:
        return Comments.get_comment, {"at": self.at, "comment_id": self.comment, "format": "markdown"}

    def marks(self, value: Comment) -> Marks:
        return {"replies": value.replies}

    def marks_of(self, key: QueryKey) -> Set[str]:
        return {"replies"} if key.argument("comment_id") == self.comment else frozenset()

    def moments(self, value: Comment) -> Mapping[str, datetime | None]:
        return {}


@dataclass(frozen=True)
class _Inbox(_Subject):
    organization: str

    def probe(self) -> tuple[Operation[Any, Any], dict[str, Any]]:
        return ChangeRequests.list_organization_change_requests, {"organization_id": self.organization, "limit": 20}

    def marks(self, value: ListPage[ChangeRequest]) -> Marks:
        each = {request.id: (request.revision, request.updated_at) for request in value.items}
        return {"list": (value.count, *each.items()), **each}

    def marks_of(self, key: QueryKey) -> Set[str]:
        if key.operation is ChangeRequests.list_organization_change_requests:
            return {"list"} if key.argument("organization_id") == self.organization else frozenset()
        found = key.argument("change_request_id")
        return {found} if isinstance(found, str) else frozenset()

    def moments(self, value: ListPage[ChangeRequest]) -> Mapping[str, datetime | None]:
        return {}


@dataclass(frozen=True)
class _Difference:
    """How to fetch a query again.

    Whether new items stay unmarked; since when it differs; when to fetch it at the earliest; by which marks it differs,
    whether a change of another query already explains those marks, and how long to wait once fetching it has failed.
    """

    is_quiet: bool
    since: datetime
    not_before: datetime
    marks: Set[str] = frozenset()
    is_explained: bool = False
    pause: timedelta = _REST


@dataclass(frozen=True)
class _Failure:
    """The last of a query's failures in succession, their number, and when to try again."""

    error: ClientError | None
    number: int
    due: datetime


_Turn: TypeAlias = "_Subject | QueryKey"
"""A request to be made: the probe of a subject, or a followed query itself."""


class Polled(Protocol):
    """What polling needs of the store."""

    @property
    def clock(self) -> Callable[[], datetime]:
        """The clock."""
        ...

    @property
    def offline(self) -> object | None:
        """Why the platform cannot be reached; ``None`` where it can."""
        ...

    @property
    def news(self) -> News:
        """What others added or changed."""
        ...

    @property
    def waiting(self) -> Sequence[object]:
        """The calls that wait because the platform asked for it."""
        ...

    @property
    def workspace(self) -> LocalWorkspace | None:
        """The workspace in this process, if that is the platform."""
        ...

    @property
    def runs(self) -> Signal[Run[Any]]:
        """Emits each mutation when it starts and when it has ended."""
        ...

    def known_response(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Return the known response to a call, or part of it."""
        ...

    async def fetch(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Ask once and return the response; raises :class:`ClientError`."""
        ...


class Live:
    """Polls for a store while ``run`` runs; ``act`` notes that the person is active."""

    def __init__(self, store: Polled, queries: Mapping[QueryKey, Query[Any]]) -> None:
        self.where: Callable[[], Location | None] = lambda: None
        """Returns the location that is on the screen."""
        self.in_focus: Callable[[], Sequence[Query[Any]]] = tuple
        """Returns the lists that the person looks at, on a screen with several."""
        self.pace_now: Callable[[], float | None] = lambda: PACE
        """Returns the seconds between two probes; ``None`` does not poll."""
        self._store = store
        self._queries = queries
        self._woken = asyncio.Event()
        self._acted = store.clock()
        self._sent: deque[datetime] = deque()
        """When the requests of the last minute were sent."""
        self._asked: dict[_Turn, datetime] = {}
        self._marks: dict[_Subject, Marks] = {}
        self._edits: deque[datetime] = deque()
        """When probes of the last minute found other content."""
        self._tells_of_comments = True
        """Whether the platform tells when comments and reviews changed, as far as is known."""
        self._differing: dict[QueryKey, _Difference] = {}
        """The queries to fetch again."""
        self._failures: dict[QueryKey, _Failure] = {}
        """How the queries that may recover failed."""
        self._moved_on: _Space | None = None
        """The space to ask, since the change request on the screen shows that others have changed it."""
        self._rest_asked: datetime | None = None
        self._version: int | None = None
        self._not_before: datetime | None = None
        self._refused: datetime | None = None
        self._tries = 0
        self._wrote: datetime | None = None
        """When something was sent last, and so what differs may be the person's own."""
        self._has_written = False
        self._own_moments: deque[datetime] = deque(maxlen=_MOST_OWN)
        """When the platform took the comments and reviews that were sent last, by its own clock."""
        store.runs.subscribe(self._on_run)

    # The person

    def act(self) -> None:
        """Note that the person is active."""
        now = self._store.clock()
        was_away, self._acted = self._is_away(now), now
        self._store.news.forget_seen()
        if was_away:
            for turn in self._first():
                if turn in self._asked:
                    self._asked[turn] = min(self._asked[turn], now - self._interval)
            self._woken.set()

    def wake(self) -> None:
        """Poll at once for everything that is due."""
        self._woken.set()

    def _is_away(self, now: datetime) -> bool:
        return now - self._acted >= IDLE_AFTER

    def _on_run(self, run: Run[Any]) -> None:
        self._wrote = self._store.clock()
        self._has_written = self._has_written or run.state is not RunState.RUNNING
        if run.state is RunState.DONE:
            self._take_own(run)

    def _take_own(self, run: Run[Any]) -> None:
        """Note the marks that a write left: what they speak for is fetched again for it anyway.

        Those of content are taken at once, those of comments and reviews recognized by their moment.
        """
        if isinstance(run.value, Comment | CommentReply | Review):
            named = ("posted_at", "edited_at", "resolved_at", "created_at", "updated_at")
            moments = (getattr(run.value, name, None) for name in named)
            self._own_moments.extend(moment for moment in moments if moment is not None)
        request = getattr(run.value, "request", None)
        if isinstance(request, ChangeRequest):
            subject = _Request(request.space, request.id)
            spoken_for = [key for key, _ in self._followed_queries() if "content" in subject.marks_of(key)]
            if all(any(chooses(key) for chooses in run.mutation.stale) for key in spoken_for):
                self._marks[subject] = {**self._marks.get(subject, {}), "content": request.revision}

    # Polling

    async def run(self, pause: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        """Poll until cancelled; ``pause`` waits for some seconds."""
        while True:
            self._woken.clear()
            try:
                seconds = await self.step()
            except Exception:
                log.exception("Polling failed")
                seconds = 60.0
            waits = [asyncio.ensure_future(self._woken.wait()), asyncio.ensure_future(pause(seconds))]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in waits:
                    each.cancel()

    async def step(self) -> float:
        """Make the requests that are due; returns the seconds until the next."""
        if self._store.offline is not None:
            return await self._retry()
        if self._store.waiting:
            return _RETRY
        if (seconds := self._seconds_held_back()) > 0:
            return seconds
        until_retry = self._retry_failed()
        return min(until_retry, 60.0 if self.pace_now() is None else await self._poll())

    async def _poll(self) -> float:
        """Poll for changes by others; returns the seconds until the next time."""
        if self._store.workspace is not None:
            return await self._follow_file()
        while self._has_room() and self._store.offline is None and self._seconds_held_back() <= 0:
            if (key := self._next_urgent()) is not None:
                await self._fetch(key)
            elif (turn := self._first_due() or self._rest_due()) is not None:
                await self._ask(turn)
            elif (key := self._next_waiting()) is not None:
                await self._fetch(key)
            else:
                break
        self._mark_behind()
        return self._until_due()

    def _mark_behind(self) -> None:
        """Mark the content that others may have changed, and for which there was no room yet."""
        for key, how in self._differences():
            is_behind = "content" in how.marks and not how.is_quiet and not how.is_explained
            self._queries[key].mark_behind(is_behind=is_behind)

    def _seconds_held_back(self) -> float:
        """Return the seconds for which the platform asked for no requests."""
        seconds = 0 if self._not_before is None else (self._not_before - self._store.clock()).total_seconds()
        return seconds if seconds <= _LONGEST_WAIT else 0  # the clock was put back

    def _has_room(self, reserve: int = 0) -> bool:
        """Whether a request may be sent now that leaves as many as ``reserve`` for others in this minute."""
        now = self._store.clock()
        _forget_old(self._sent, now)
        return len(self._sent) < (1 if self._is_away(now) else MOST_REQUESTS - reserve)

    def _keeps_promise(self, reserve: int = 0) -> bool:
        """Whether after one more request now the next probes are made in time and leave room for ``reserve`` others."""
        now = self._store.clock()
        asked = max((self._asked.get(turn, now) for turn in self._first()), default=now)
        for nth in range(1, _MINUTE // _LONGEST_PACE):
            at = asked + nth * _LONGEST_PACE
            sent = 1 + sum(at - moment < _MINUTE for moment in self._sent)
            if sent + nth + reserve > MOST_REQUESTS:
                return False
        return True

    @property
    def _left(self) -> int:
        """How many requests a minute text leaves to comments and reviews: the more, the more often it is edited."""
        _forget_old(self._edits, self._store.clock())
        return min(max(0, len(self._edits) - 1), _MOST_LEFT)

    def _may_ask_rest(self) -> bool:
        if self._shows_lists:
            return self._has_room(_RESERVE_OF_LISTS)
        if self._tells_of_comments:
            return not self._differences() and self._keeps_promise(max(self._left, _RESERVE))
        return self._keeps_promise(1)

    def _until_room(self) -> float:
        return max(0.5, (self._sent[0] + _MINUTE - self._store.clock()).total_seconds())

    def _until_due(self) -> float:
        if not self._has_room():
            return self._until_room()
        now, first = self._store.clock(), self._first()
        soon = now + timedelta(seconds=1)  # queries that load for the first time
        dues = [self._asked[turn] + self._interval if turn in self._asked else soon for turn in first]
        if self._differences():
            dues.append(soon)
        if self._rest_asked is not None:
            due = self._rest_asked + self._rest_interval
            dues.append(due if self._may_ask_rest() else max(due, soon))
        return min(60.0, max(0.5, (min(dues, default=soon) - now).total_seconds()))

    @property
    def _interval(self) -> timedelta:
        """The time between two requests for a thing that the person looks at."""
        return self._pace * max(1, len(self._first())) * self._slowdown

    @property
    def _rest_interval(self) -> timedelta:
        asks_in_turn = self._shows_lists or not self._tells_of_comments
        return max(_LISTS if asks_in_turn else _REST, self._pace) * self._slowdown

    @property
    def _shows_lists(self) -> bool:
        return isinstance(self.where(), OrganizationsLocation | SiteLocation)

    @property
    def _pace(self) -> timedelta:
        return timedelta(seconds=self.pace_now() or PACE)

    @property
    def _slowdown(self) -> int:
        return 2 if self._refused is not None and self._store.clock() - self._refused < _AFTER_REFUSAL else 1

    # Subjects on the screen

    def _followed_queries(self) -> Iterator[tuple[QueryKey, Query[Any]]]:
        """Yield the queries that are followed, also by covered screens."""
        return ((key, query) for key, query in list(self._queries.items()) if query.is_watched)

    def _shown_queries(self) -> Iterator[tuple[QueryKey, Query[Any]]]:
        """Yield the queries on the screen."""
        return ((key, query) for key, query in list(self._queries.items()) if query.is_on_screen)

    def _differences(self) -> list[tuple[QueryKey, _Difference]]:
        """Return what differs and is on the screen; what another screen covers waits until it is there again."""
        found = []
        for key, how in list(self._differing.items()):
            query = self._queries.get(key)
            if query is not None and query.is_watched:
                if query.is_on_screen:
                    found.append((key, how))
                continue
            del self._differing[key]
            if query is not None:
                query.invalidate()
        return found

    def _first(self) -> list[_Turn]:
        """Return the subjects that fill the screen."""
        location = self.where()
        if isinstance(location, SpaceLocation | ChangeRequestLocation):
            at = _address(location)
            return [_subject(at)]
        if in_focus := [query.key for query in self.in_focus() if query.is_watched]:
            return list(dict.fromkeys(map(_cheapest, in_focus)))
        if isinstance(location, SiteLocation):
            structures = (key for key, _ in self._shown_queries() if key.operation.name == "get_structure")
            return list(islice(structures, 1))
        listed = ChangeRequests.list_organization_change_requests
        found = {key.argument("organization_id") for key, _ in self._shown_queries() if key.operation is listed}
        return [_Inbox(organization) for organization in sorted(found)]

    def _rest(self) -> Iterator[_Turn]:
        """Yield the subjects and queries that are asked less often."""
        location, first = self.where(), self._first()
        if isinstance(location, SpaceLocation | ChangeRequestLocation):
            if self._tells_of_comments:
                yield from {_Space(location.space)}.difference(first)
            else:
                yield from self._threads()
        for key, query in self._shown_queries():
            resource, name = key.operation.resource.__name__, key.operation.name
            if key in first or not (key.walks or name in ("get_site", "get_structure")):
                continue
            if isinstance(location, OrganizationsLocation | SiteLocation):
                if key.argument("change_request_id") is None and key.argument("space_id") is None:
                    yield key
            elif resource == "Reviews" and not self._tells_of_comments and query.state is not QueryState.FAILED:
                yield key

    def _threads(self) -> Iterator[_Subject]:
        for key, _ in self._shown_queries():
            if key.operation is Comments.list_replies:
                yield _Thread(key.argument("at"), key.argument("comment_id"))

    def _first_due(self) -> _Turn | None:
        """Return the first subject of the screen that is due."""
        now = self._store.clock()
        turn = next((turn for turn in self._first() if self._is_due(turn, now)), None)
        asked = self._asked.get(turn) if turn is not None else None
        can_wait = asked is not None and timedelta() <= now - asked < _LONGEST_PACE
        # Probes come at their longest pace before they take the room of requests for differences.
        has_time = self._tells_of_comments and not self._differences() and self._keeps_promise(_RESERVE)
        return turn if has_time or not can_wait else None

    def _rest_due(self) -> _Turn | None:
        """Return the query of the rest that has waited longest, if any is due."""
        now = self._store.clock()
        if self._rest_asked is None:
            self._rest_asked = now
        if self._moved_on is not None and self._keeps_promise(self._left):
            turn, self._moved_on = self._moved_on, None
            return turn
        if now - self._rest_asked < self._rest_interval or self._is_away(now) or not self._may_ask_rest():
            return None
        self._rest_asked = now
        return min(self._rest(), key=self._last_asked, default=None)

    def _last_asked(self, turn: _Turn) -> datetime:
        """Return when something was asked for, by itself or because it differed."""
        query = self._queries.get(turn) if isinstance(turn, QueryKey) else None
        moments = (self._asked.get(turn), query.loaded_at if query is not None else None)
        return max((each for each in moments if each is not None), default=datetime.min.replace(tzinfo=UTC))

    def _is_due(self, turn: _Turn, now: datetime) -> bool:
        if self._is_unknown(turn):
            return True
        asked = self._asked.get(turn)
        return asked is not None and not timedelta() <= now - asked < self._interval

    def _is_unknown(self, turn: _Turn) -> bool:
        """Whether something was never asked for; responses known otherwise give the first marks."""
        self._note_known(turn)
        if turn in self._asked:
            return False
        query = self._query_of(turn)
        if query is None:
            return True
        if query.state is QueryState.FAILED:
            self._asked[turn] = self._store.clock()  # it is tried again by itself, in a while
        return query.state is QueryState.READY

    def _note_known(self, turn: _Turn) -> None:
        """Take a response that is known otherwise for the first, and its marks."""
        query = self._query_of(turn) if turn not in self._asked else None
        if query is None or query.loaded_at is None or query.cached_at is not None or query.stale:
            return
        self._asked[turn] = query.loaded_at
        if isinstance(turn, _Subject):
            self._note_marks(turn, query.value)

    def _query_of(self, turn: _Turn) -> Query[Any] | None:
        if isinstance(turn, QueryKey):
            return self._queries.get(turn)
        operation, arguments = turn.probe()
        return self._queries.get(QueryKey.of(operation, operation.arguments(**arguments)))

    # Asking

    async def _ask(self, turn: _Turn) -> None:
        """Ask for a subject's marks and note what differs, or fetch a query again."""
        self._note_known(turn)
        before = self._asked.get(turn)
        if before is None and isinstance(turn, QueryKey) and (followed := self._queries.get(turn)) is not None:
            before = followed.loaded_at
        quiet = before is None or (self._wrote is not None and self._wrote >= before)
        self._asked[turn] = self._store.clock()
        if isinstance(turn, QueryKey):
            await self._renew(turn, quiet=quiet)
            return
        query, (operation, arguments) = self._query_of(turn), turn.probe()
        with self._count_requests():
            error: ClientError | None
            value: Any = None
            if query is not None and query.is_watched:
                error, value = await query.renew(), query.value
            else:
                try:
                    error, value = None, await self._store.fetch(operation, **arguments)
                except ClientError as failure:
                    error = failure
        if error is not None:
            self._note_failure(error)
            return
        self._take(turn, value, quiet=quiet)

    def _note_marks(self, subject: _Subject, value: Any) -> Marks | None:
        """Note the marks of a subject and return those before."""
        before = self._marks.get(subject)
        self._marks[subject] = subject.marks(value)
        if moments := subject.moments(value):
            self._tells_of_comments = None not in moments.values()
        return before

    def _take(self, subject: _Subject, value: Any, *, quiet: bool) -> None:
        before = self._note_marks(subject, value)
        if isinstance(subject, _Thread):
            self._replace_comment(subject, value)
        elif isinstance(subject, _Request) and value.space_revision is not None:
            self._compare_space(_Space(subject.space), (value.space_revision, value.space_change_requests))
        if before is None:
            return
        now = self._store.clock()
        differing = {name for name, mark in self._marks[subject].items() if name in before and before[name] != mark}
        if "content" in differing:
            self._edits.append(now)
        # Reviews may be as before where something else explains the time of update; where nothing does, no mark may
        # show what happened to the comments.
        in_doubt = not self._tells_of_comments and len(differing) > 1
        if differing == {"reviews"} and not self._tells_of_comments:
            differing.add("comments")
        own = {name for name, moment in subject.moments(value).items() if moment in self._own_moments}
        for key, query in self._followed_queries() if differing else ():
            if not (marks := subject.marks_of(key) & differing):
                continue
            if marks <= own and self._holds_own(query):
                continue
            not_before = now
            if in_doubt and marks == {"reviews"} and query.loaded_at is not None:
                not_before = max(now, query.loaded_at + _IN_DOUBT)
            noted = self._differing.get(key, _Difference(True, now, not_before))
            # What was explained did not wait for the person: it comes after what would explain this mark, too.
            since = now if noted.is_explained else noted.since
            self._differing[key] = _Difference(
                quiet and noted.is_quiet, since, min(not_before, noted.not_before), marks | noted.marks
            )

    def _compare_space(self, space: _Space, whole: Hashable) -> None:
        """Request a space where one of its change requests shows that it has moved on."""
        self._note_known(space)
        known = self._marks.get(space, {}).get(_WHOLE, whole)
        self._moved_on = space if known != whole else None

    def _holds_own(self, query: Query[Any]) -> bool:
        """Whether a query was fetched after what the person wrote last."""
        is_later = self._wrote is not None and query.loaded_at is not None and query.loaded_at >= self._wrote
        return is_later and not query.stale

    def _replace_comment(self, thread: _Thread, comment: Comment) -> None:
        """Show an edited comment, or other reactions to it, in the lists of comments."""
        for key, query in self._followed_queries():
            if key.operation is not Comments.list_comments or key.argument("at") != thread.at:
                continue
            listing: Listing[Comment] | None = query.value
            if listing is not None and any(one.id == comment.id and one != comment for one in listing.items):
                items = tuple(comment if one.id == comment.id else one for one in listing.items)
                query.offer(replace(listing, items=items), is_news=True)

    def _next_urgent(self) -> QueryKey | None:
        """Return the next query to fetch that does not wait for a probe, if any."""
        now = self._store.clock()
        found = (
            key
            for key, how in self._differences()
            if _is_urgent(key) and not how.is_explained and how.not_before <= now
        )
        return min(found, key=self._priority, default=None)

    def _next_waiting(self) -> QueryKey | None:
        """Return the query to fetch next, if there is room for any."""
        now, left = self._store.clock(), self._left
        found = []
        for key, how in self._differences():
            is_awaited = _is_text(key) and not how.is_explained
            if how.not_before <= now and self._keeps_promise(left if is_awaited else max(left, _RESERVE)):
                found.append((how.since + (timedelta() if _is_text(key) else _MINUTE), self._priority(key), key))
        return min(found, key=lambda each: each[:-1], default=(None,))[-1]

    def _priority(self, key: QueryKey) -> tuple[int, bool]:
        """Return the place of a query among those that are to be fetched; rich text follows the text."""
        order = _URGENT + (_TEXT_OF_SPACE if isinstance(self.where(), SpaceLocation) else _TEXT)
        place = order.index(key.operation.name) if key.operation.name in order else len(order)
        return place, key.argument("format") == "document"

    async def _fetch(self, key: QueryKey) -> None:
        how, query = self._differing.pop(key), self._queries.get(key)
        before = query.value if query is not None else None
        failed = await self._renew(key, quiet=how.is_quiet)
        if failed and query is not None and query.stale and self._store.offline is None:
            # The marks are noted already, so no probe shows it again; after being offline all that is stale is fetched.
            pause = min(2 * how.pause, timedelta(seconds=_LONGEST_RETRY))
            again = replace(how, not_before=self._store.clock() + how.pause, pause=pause)
            self._differing.setdefault(key, again)
        if failed or query is None or before is None:
            return
        for other, noted in self._differing.items():
            if noted.marks <= how.marks and self._explains(key, before, query.value, other):
                self._differing[other] = replace(noted, is_explained=True)

    def _explains(self, key: QueryKey, before: Any, after: Any, other: QueryKey) -> bool:
        """Whether the news in a query's value explain a mark that it shares with another query."""
        if any(key.argument(name) != other.argument(name) for name in ("space_id", "change_request_id")):
            return False
        match key.operation.name:
            case "list_reviews":
                return {review.id for review in before.items} < {review.id for review in after.items}
            case "list_comments":
                thread = other.argument("comment_id")
                return before != after and _find(before, thread) == _find(after, thread)
            case "get_page":
                return bool(before != after)
            case "list_pages" if isinstance(self.where(), SpaceLocation):
                page = other.argument("page_id")
                return before != after and (page is None or _is_as_before(page, before, after))
        return False

    async def _renew(self, key: QueryKey, *, quiet: bool) -> bool:
        """Fetch a followed query again; whether that failed."""
        query = self._queries.get(key)
        if query is None or not query.is_watched:
            return False
        before = query.value
        with self._count_requests():
            error = await query.renew()
        if error is not None:
            self._note_failure(error)
        elif not quiet:
            me = self._store.known_response(Users.get_user)
            self._store.news.add(new_ids(before, query.value, me.id if me is not None else None))
        return error is not None

    def _count_requests(self) -> Any:
        return in_background(lambda: self._sent.append(self._store.clock()))

    def _note_failure(self, error: ClientError) -> None:
        """Slow down if the platform asks for that or fails."""
        now = self._store.clock()
        if isinstance(error, TooManyRequests):
            self._refused = now
            self._not_before = now + timedelta(seconds=_seconds_asked(error))
        elif isinstance(error, ServerFailed):
            self._not_before = now + _REST
        elif isinstance(error, Refused) and not isinstance(error, Unsupported):
            log.info("Polling: %s", error)

    # What failed

    def _retry_failed(self) -> float:
        """Request the query on the screen again that failed and is due first; returns the seconds until the next is."""
        self._note_failures()
        failed = [key for key in self._failures if (query := self._queries[key]).may_recover and query.is_on_screen]
        if not failed:
            return 60.0
        key = min(failed, key=lambda key: self._failures[key].due)
        seconds = (self._failures[key].due - self._store.clock()).total_seconds()
        if 0 < seconds <= _LONGEST_WAIT:  # beyond it the clock was put back
            return max(0.5, seconds)
        if not self._has_room():
            return self._until_room()
        with self._count_requests():
            self._queries[key].refresh()
        return 0.5

    def _note_failures(self) -> None:
        """Note which followed queries failed since the last time, and forget those that have recovered."""
        now, before = self._store.clock(), self._failures
        self._failures = {}
        for key, query in self._followed_queries():
            known = before.get(key)
            if query.may_recover and (known is None or known.error is not query.error):
                number = known.number + 1 if known is not None else 1
                seconds = min(_LONGEST_RETRY, _RETRY * float(2 ** min(number - 1, 8)))
                if isinstance(query.error, TooManyRequests):
                    seconds = max(seconds, _seconds_asked(query.error))
                self._failures[key] = _Failure(query.error, number, now + timedelta(seconds=seconds))
            elif known is not None and query.state is not QueryState.READY:
                self._failures[key] = known

    # A workspace in this process

    async def _follow_file(self) -> float:
        """Refresh the shown queries where another program or this process changed the file."""
        workspace = self._store.workspace
        assert workspace is not None
        own, self._has_written = self._has_written, False
        version = await workspace.version()
        is_other = self._version is not None and version != self._version
        self._version = version
        for turn in (*self._first(), *self._rest()):
            if is_other or own or self._is_unknown(turn):
                await self._ask(turn)
        now = self._store.clock()
        for key in sorted((key for key, how in self._differences() if how.not_before <= now), key=self._priority):
            await self._fetch(key)
        return 60.0 if self._is_away(self._store.clock()) else _FILE

    # Offline

    async def _retry(self) -> float:
        """Try again to reach the platform."""
        now = self._store.clock()
        if self._tries == 0:
            self._tries, self._not_before = 1, now + timedelta(seconds=_RETRY)
        if (seconds := self._seconds_held_back()) > 0:
            return seconds
        if (turn := next(iter(self._first()), None)) is not None:
            await self._ask(turn)
        else:
            with self._count_requests(), suppress(ClientError):
                await self._store.fetch(Organizations.list_organizations)
        if self._store.offline is not None:
            self._tries += 1
            seconds = min(60.0, _RETRY * float(2 ** min(self._tries - 1, 8)))
            self._not_before = self._store.clock() + timedelta(seconds=seconds)
            return seconds
        return 0.5

    def on_back(self) -> None:
        """Fetch what could not be fetched while the platform could not be reached."""
        self._tries, self._not_before = 0, None
        self._note_failures()
        for key, query in self._followed_queries():
            failure = self._failures.get(key)
            if failure is None:
                query.catch_up()
            elif query.is_cut_off and failure.number == 1:  # what fails again and again keeps to its pauses
                query.refresh()
        self._woken.set()


def _address(location: SpaceLocation | ChangeRequestLocation) -> Address:
    if isinstance(location, ChangeRequestLocation):
        return InChangeRequest(location.space, location.change_request)
    return location.address


def _subject(at: Address) -> _Subject:
    return _Request(at.space, at.change_request) if isinstance(at, InChangeRequest) else _Space(at.space)


def _cheapest(key: QueryKey) -> _Turn:
    """Return the probe that speaks for a list, if any, else the list itself."""
    is_inbox = key.operation is ChangeRequests.list_organization_change_requests
    return _Inbox(key.argument("organization_id")) if is_inbox else key


_URGENT = ("list_reviews", "list_requested_reviewers", "list_comments", "list_replies")
"""The operations whose queries are fetched as soon as they differ, in this order."""

_TEXT = ("get_page", "list_changes", "list_pages", "list_change_requests")
"""The operations whose queries are fetched next, in this order: a page that is read comes first; all others follow."""

_TEXT_OF_SPACE = ("list_pages", "get_page", "list_changes", "list_change_requests")
"""Their order in a space, where the tree shows which pages others have written, added or moved."""


def _is_urgent(key: QueryKey) -> bool:
    return key.operation.name in _URGENT


def _is_text(key: QueryKey) -> bool:
    return key.operation.name in _TEXT


def _forget_old(moments: deque[datetime], now: datetime) -> None:
    """Remove the moments that were more than a minute ago, and those that the clock has not reached again."""
    while moments and not timedelta() <= now - moments[0] < _MINUTE:
        moments.popleft()


def _seconds_asked(error: TooManyRequests) -> float:
    """Return how many seconds to send nothing after a platform asked for fewer requests."""
    return min(max(error.retry_after or 0, 60.0), _LONGEST_WAIT)


def _is_as_before(page: object, before: PageTree, after: PageTree) -> bool:
    """Whether two trees show that a page was not updated; a page without a time may have been."""
    times = _updated_at(before, page), _updated_at(after, page)
    return times[0] is not None and times[0] == times[1]


def _updated_at(tree: PageTree, id: object) -> datetime | None:
    """Return when a page of a tree was updated last, where that is known."""
    return next((page.updated_at for page in walk_pages(tree.pages) if page.id == id), None)


def _find(listing: Listing[Comment], id: object) -> Comment | None:
    return next((comment for comment in listing.items if comment.id == id), None)
