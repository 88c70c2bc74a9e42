"""The store: screens read the platform from it, and change it through it."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast
from urllib.parse import urlsplit

from recto.client.call import LIMIT, Call, pages
from recto.client.errors import CUT_OFF, ClientError, Refused, Unauthorized, Unsendable
from recto.client.sender import DetectsMissing, Downloading, Sender
from recto.clock import now
from recto.contract.common import MAX_LIMIT
from recto.contract.jobs import JobState
from recto.contract.unread import unread_of
from recto.frozen import frozen
from recto.store.fallbacks import FallbackTransport
from recto.store.growing_list import GrowingList, Grown, LoadMore
from recto.store.jobs import Jobs
from recto.store.keeper import HeldElsewhere, Keeper, NotKept
from recto.store.line_drafts import LineDrafts
from recto.store.mutation import (
    Attempt,
    Cancelled,
    Mutation,
    NotArrived,
    NotUndoable,
    Outcome,
    Run,
    RunState,
    Undecided,
    unexpected_error,
)
from recto.store.news import News
from recto.store.progress import StepReporter
from recto.store.query import Beginning, Cached, Listing, Publish, Query, QueryState
from recto.store.query_keys import Chooser, QueryKey
from recto.store.signal import Signal
from recto.store.tasks import Tasks
from recto.store.undo_history import Done, History

if TYPE_CHECKING:
    from recto.client.waiting import Wait
    from recto.contract.addresses import Address, InChangeRequest, Main
    from recto.contract.common import ListPage
    from recto.contract.export_report import ExportReport, SavedPdf
    from recto.contract.import_report import Finding
    from recto.contract.jobs import JobRecord
    from recto.contract.operation import Operation, Route, Transport
    from recto.contract.own_content import Convert
    from recto.contract.unread import Unread
    from recto.store.api_descriptions import Descriptions
    from recto.store.drafts import Draft, Drafts
    from recto.store.hosted_export import HostedExports
    from recto.store.live import Live
    from recto.store.locations import FormValues, Location, Locations, SpaceLocation
    from recto.store.mutation import Known
    from recto.store.pdf_saving import PdfPart
    from recto.store.response_cache import ResponseCache
    from recto.store.review_pages import KnownCounts, Viewed
    from recto.store.workspace import LocalWorkspace

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Q = TypeVar("Q", bound="Query[Any]")

log = logging.getLogger(__name__)

OWN_WORKSPACE = "workspace"
"""The name of the workspace file that is opened when none is named."""

MOST_QUERIES = 256
"""How many unwatched queries are kept."""

MOMENT = 1.0
"""The seconds after which a mutation under way is shown."""

FRESH_FOR = timedelta(seconds=10)
"""How long a response counts as fresh, unless a mutation touches it."""


@frozen
class Offline:
    """Since when and why the platform cannot be reached."""

    since: datetime
    error: ClientError

    @property
    def reason(self) -> str:
        """Why, in a few words."""
        return self.error.reason if isinstance(self.error, CUT_OFF) else self.error.why


class Store:
    """The known responses of a platform, the changes under way there, and the texts typed for it.

    It lives in one event loop; all its signals are emitted there.
    """

    def __init__(
        self,
        transport: Transport,
        drafts: Drafts,
        *,
        clock: Callable[[], datetime] = now,
        address: str = "",
        locations: Locations | None = None,
        workspace: LocalWorkspace | None = None,
        exports: HostedExports | None = None,
        convert: Convert | None = None,
        cache: ResponseCache | None = None,
        most_queries: int = MOST_QUERIES,
    ) -> None:
        self.drafts = drafts
        self.line_drafts = LineDrafts()
        self.clock = clock
        self.address = address
        """The platform's address: the name under which locations are remembered."""
        self.locations = locations
        self.workspace = workspace
        """The actions of the embedded workspace alone; None on a hosted platform."""
        self.convert = convert
        """Converts files and folders of this machine to be sent to a hosted platform; None where none are sent."""
        self.jobs = Jobs(workspace, clock)
        """Jobs of the embedded platform, and exports."""
        self.history = History()
        self.news = News(clock)
        """News: items that others added or changed, until the person has seen them."""
        self.runs: Signal[Run[Any]] = Signal()
        """Emits each mutation when it starts, when it turns out to be long, and when it has ended."""
        self.waiting: tuple[Wait, ...] = ()
        """The calls that wait because the platform asked for it."""
        self.waits: Signal[tuple[Wait, ...]] = Signal()
        """Emits the calls that wait, each time a wait begins or ends."""
        self.freshness: Signal[Store] = Signal()
        """Emitted where ``cached_at`` or ``is_refreshing`` may have changed."""
        self.offline: Offline | None = None
        """Since when and why the platform cannot be reached; ``None`` where it can."""
        self.refused_since: datetime | None = None
        """Since when the platform does not accept the token that it accepted before; ``None`` where it does."""
        self.reach: Signal[Offline | None] = Signal()
        """Emitted where ``offline`` or ``refused_since`` has changed."""
        self.locked_out: Signal[Unauthorized] = Signal()
        """Emitted when the platform does not accept the token, after something was shown from the cache."""
        self._exports = exports
        self._transport = transport
        # Asked for each key that is offered; a check against a protocol takes many times as long.
        self._missing_operations = transport.missing_operations if isinstance(transport, DetectsMissing) else None
        if isinstance(transport, Sender):
            transport.waits.listener = self._on_waits_changed
            transport.reach.listener = self._note_reach
            transport.reach.token_listener = self._note_token
        self._tasks = Tasks()
        self._cache = cache
        if cache is not None and isinstance(transport, Sender):
            caching = cache.transport(transport, self._tasks)
            caching.locked_out.subscribe(self.locked_out.emit)
            self._ways = FallbackTransport(caching)
        else:
            self._ways = FallbackTransport(transport)
        self.call = Call(self._ways)
        """Calls the platform directly, where the response is neither shown nor remembered."""
        self.keeper = Keeper(drafts, self._tasks)
        self._queries: OrderedDict[QueryKey, Query[Any]] = OrderedDict()
        self._most_queries = most_queries
        self._lanes: dict[Hashable, asyncio.Lock] = {}
        self._undoing = asyncio.Lock()
        self._running: list[Run[Any]] = []
        self._unsure: dict[Hashable, Known] = {}
        """What was known before changes that may have arrived, by what they have in common with another try."""
        self._polling: asyncio.Task[None] | None = None

    @cached_property
    def descriptions(self) -> Descriptions:
        """The API descriptions that pages name."""
        from recto.store.api_descriptions import Descriptions

        return Descriptions(self.download, self._tasks, self.clock)

    @cached_property
    def viewed(self) -> Viewed:
        """The changed pages that the person has viewed."""
        from recto.store.review_pages import Viewed

        return Viewed(self.drafts.folder / ".viewed.json")

    @cached_property
    def page_counts(self) -> KnownCounts:
        """The counts of lines in the changed pages of change requests."""
        from recto.store.review_pages import KnownCounts

        return KnownCounts()

    @cached_property
    def live(self) -> Live:
        """Polls for what others change."""
        from recto.store.live import Live

        return Live(self, self._queries)

    def start_polling(
        self,
        where: Callable[[], Location | None],
        in_focus: Callable[[], Sequence[Query[Any]]],
        pace: Callable[[], float | None],
    ) -> None:
        """Poll for the subjects on the screen, first for the lists in focus.

        ``pace`` returns the seconds between two requests; ``None`` does not poll.
        """
        if self._polling is None:
            self.live.where, self.live.in_focus, self.live.pace_now = where, in_focus, pace
            self._polling = asyncio.get_running_loop().create_task(self.live.run())

    def note_activity(self) -> None:
        """Note that the person does something, so that polling keeps its pace."""
        if self._polling is not None:
            self.live.act()

    def wake_polling(self) -> None:
        """Poll at once, since another screen is shown."""
        if self._polling is not None:
            self.live.wake()

    # Reading

    def query(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> Query[R]:
        """Return the live response to a call: the same object for the same call while it is remembered."""
        arguments = operation.arguments(*args, **kwargs)

        async def load(ways: FallbackTransport, publish: Publish[R]) -> R:
            return await ways.send_streaming(operation, arguments, lambda part: publish(Beginning(part)))

        return self._remember(QueryKey.of(operation, arguments), load)

    def known_response(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Return the known response to a call without requesting it; ``None`` while unknown."""
        query = self._queries.get(QueryKey.of(operation, operation.arguments(*args, **kwargs)))
        return cast("R | None", query.value) if query is not None else None

    def query_list(self, operation: Operation[P, ListPage[T]], *args: P.args, **kwargs: P.kwargs) -> Query[Listing[T]]:
        """Return the live list of a list operation, walked to its end: the items so far until it is complete."""
        arguments = operation.arguments(*args, **kwargs)

        async def load(ways: FallbackTransport, publish: Publish[Listing[T]]) -> Listing[T]:
            items: list[T] = []
            unread: tuple[Unread, ...] = ()
            known: set[str] = set()
            total = None
            async for page in pages(Call(ways), operation, *args, **kwargs):
                items += _new_items(page.items, known)
                unread += unread_of(page)
                total = page.count if page.count is not None else total
                if page.next is not None:
                    publish(Listing(tuple(items), complete=False, total=total, unread=unread))
            return Listing(tuple(items), complete=True, total=len(items) + len(unread), unread=unread)

        return self._remember(QueryKey.of(operation, arguments, walks=True), load)

    def query_pages(self, operation: Operation[P, ListPage[T]], *args: P.args, **kwargs: P.kwargs) -> GrowingList[T]:
        """Return the live list of a list operation, loaded page by page as far as ``more`` asks for it.

        Requested again, it is loaded as far as it was known before.
        """
        arguments = {**operation.arguments(*args, **kwargs), "limit": LIMIT}
        known_before = 0

        async def load_more(ways: FallbackTransport, known: Grown[T] | None) -> Grown[T]:
            nonlocal known_before
            items = list(known.items) if known is not None else []
            unread = known.unread if known is not None else ()
            ids = {id for item in items if (id := getattr(item, "id", None)) is not None}
            wanted = len(items) + 1 if known is not None else known_before
            total, onward = (known.total, known.rest) if known is not None else (None, None)
            limit = LIMIT if known is not None or known_before <= LIMIT else MAX_LIMIT
            walk: Any = pages
            async for page in walk(Call(ways), operation, **{**arguments, "page": onward, "limit": limit}):
                items += _new_items(page.items, ids)
                unread += unread_of(page)
                total = page.count if page.count is not None else total
                onward = page.next.page if page.next is not None else None
                if len(items) >= wanted:
                    break
            known_before = len(items)
            complete = onward is None
            return Grown(tuple(items), complete, len(items) + len(unread) if complete else total, unread, rest=onward)

        key = QueryKey.of(operation, arguments, walks=True)

        def make() -> GrowingList[T]:
            if self._cache is None:
                return GrowingList(key, partial(load_more, self._ways), self._tasks, self.clock)
            cached = partial(self._load_cached, lambda ways, _: load_more(ways, None))
            growing = GrowingList(key, partial(load_more, self._ways), self._tasks, self.clock, cached)
            growing.changed.subscribe(lambda _: self.freshness.emit(self))
            return growing

        return self._keep_query(key, make)

    def growing_list(self, key: QueryKey, load_more: LoadMore[T]) -> GrowingList[T]:
        """Return the live list of this name that is loaded in portions; always the same object."""
        return self._keep_query(key, lambda: GrowingList(key, load_more, self._tasks, self.clock))

    async def fetch(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Send one request; a live query of the same call takes its response. Raises :class:`ClientError`."""
        if not operation.reads:
            raise ValueError(f"{operation!r} changes something: run it as a mutation")
        arguments = operation.arguments(*args, **kwargs)
        value = await self._ways.send(operation, arguments)
        query = self._queries.get(QueryKey.of(operation, arguments))
        if query is not None:
            query.offer(value)
        return value

    async def fetch_or_kept(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Send one request and return the response or, if the platform cannot be reached, a known or cached copy.

        Raises :class:`ClientError`.
        """
        if self.offline is not None and (copy := await self._copy(operation, *args, **kwargs)) is not None:
            return copy
        try:
            return await self.fetch(operation, *args, **kwargs)
        except CUT_OFF:
            if (copy := await self._copy(operation, *args, **kwargs)) is None:
                raise
            return copy

    async def _copy(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
        known = self.known_response(operation, *args, **kwargs)
        if known is not None or self._cache is None or not isinstance(self._transport, Sender):
            return known
        try:
            cached = self._cache.transport_alone(self._transport)
            return await cached.send(operation, operation.arguments(*args, **kwargs))
        except ClientError:
            return None

    async def ask(self, route: Route, arguments: Mapping[str, Any]) -> bytes:
        """Call an operation at a path and return its response as it came; raises :class:`ClientError`.

        A query parameter may be given as the text, or the texts, that are to go out.
        """
        if not isinstance(self._transport, Sender):
            raise Unsendable("Could not send the call.", "This connection takes no calls by hand.", "")
        return await self._transport.ask(route, arguments)

    @property
    def platform_name(self) -> str:
        """The short name of the platform: the host of its address, or the file of the workspace."""
        if "://" in self.address:
            return urlsplit(self.address).netloc.rpartition("@")[2]
        name = PurePath(self.address).stem
        return f"workspace {name}" if name not in ("", OWN_WORKSPACE) else "workspace" if name else ""

    def lacks(self, operation: Operation[Any, Any] | str, at: type[Address] | None = None) -> bool:
        """Whether the platform turned out to lack an operation, at its first address or at ``at``.

        An operation whose module should not be imported just for this is given by name, as
        ``ContentChanges.write_content``.
        """
        named = operation if isinstance(operation, str) else operation.at(at) if at else operation.routes[0]
        return self._missing_operations is not None and named in self._missing_operations

    def is_unsure_of(self, operation: Operation[Any, Any]) -> bool:
        """Whether it is not known yet that the platform has an operation, or that it does not, at its first address.

        The platform in this process has all of them.
        """
        return self._missing_operations is not None and self._missing_operations.offers(operation.routes[0]) is None

    def at_choice(self, location: SpaceLocation) -> SpaceLocation:
        """Return a location of main where its space is seen now: in the change request chosen, else as it is."""
        return self.locations.at_choice(self.address, location) if self.locations is not None else location

    async def download(self, url: str, most: int) -> bytes:
        """Return the bytes of a file, at most ``most``; raises :class:`ClientError`. Nothing is kept of it."""
        if not isinstance(self._transport, Downloading):
            raise Unsendable("Could not load the file.", "This connection brings no files.", "")
        return await self._transport.download(url, most)

    def form_values(self, space: str, form: str) -> FormValues:
        """Return the values with which a form of a space was sent the last time, by field."""
        return self.locations.form_values(self.address, space, form) if self.locations is not None else {}

    def keep_form_values(self, space: str, form: str, values: Mapping[str, object]) -> None:
        """Remember the values of a form of a space; they contain no secrets."""
        if self.locations is not None:
            self.locations.keep_form_values(self.address, space, form, values)

    async def export_folder(self, at: Address, folder: Path, *, force: bool = False) -> ExportReport:
        """Write a space's content into a folder, as a job; nothing in the folder is changed where that fails.

        Raises :class:`FilesInTheWay` where other files are there, which ``force`` replaces, :class:`Cancelled` where
        the job was cancelled, and another :class:`ClientError` where it cannot be done.
        """
        if self.workspace is not None:
            return await self.workspace.export_folder(at, folder, force=force)
        if self._exports is None:
            raise Unsendable("Could not export the space.", "This connection writes no folders.", "")
        export = partial(self._exports.export_folder, at, folder, force=force)
        return await self.jobs.run("export to a folder", str(folder), at.space, export, _result)

    async def save_pdf(self, at: Main | InChangeRequest, file: Path, part: PdfPart, *, force: bool = False) -> SavedPdf:
        """Save the PDF of a space or change request, or of a page of it, as a job.

        Raises :class:`FilesInTheWay` where the file is there, which ``force`` replaces, :class:`Cancelled` where the
        job was cancelled, and another :class:`ClientError` where it cannot be done; the file is unchanged then.
        """
        from recto.store.pdf_saving import save_pdf

        if not isinstance(self._transport, Downloading):
            raise Unsendable("Could not save the PDF.", "This connection brings no files.", "")
        work = partial(save_pdf, Call(self._transport), self._transport.download, at, file, part, force=force)
        if self.workspace is None:
            return await self.jobs.run("PDF", str(file), at.space, work, lambda saved: ({"files": 1}, saved.left_out))
        # The workspace in this process lists the job itself, and knows what the PDF does not show.
        try:
            saved = await work(lambda _progress: None)
        except Refused as error:
            job = await self._last_pdf(at)
            if job is not None and job.state is JobState.CANCELLED:
                raise Cancelled(f"{file} was not saved.", "You cancelled it.", "") from error
            raise
        job = await self._last_pdf(at)
        return saved if job is None else replace(saved, left_out=job.findings)

    async def _last_pdf(self, at: Main | InChangeRequest) -> JobRecord | None:
        assert self.workspace is not None
        jobs = await self.workspace.find_jobs()
        return next((job for job in jobs if job.kind == "PDF" and job.space == at.space), None)

    def invalidate(self, *choosers: Chooser) -> None:
        """Mark the chosen queries as stale; those on the screen are refreshed at once, others when they come there."""
        for key, query in list(self._queries.items()):
            if any(chooses(key) for chooses in choosers):
                query.invalidate()

    def catch_up(self) -> None:
        """Refresh the visible queries that became stale while another screen covered them."""
        for query in list(self._queries.values()):
            query.catch_up()

    def show_again(self) -> None:
        """Make followers draw all queries again from their values, such as with dates of another form."""
        for query in list(self._queries.values()):
            if query.is_watched:
                query.changed.emit(query)

    # Changing

    def run(self, mutation: Mutation[R]) -> Run[R]:
        """Start a change; await the returned task for its result. Leaving a screen does not stop it."""
        return self._start(mutation, self._remember_made(mutation, again=False))

    async def newest_change(self) -> Done | None:
        """Return the change that an undo would revert, once those under way have ended."""
        await self._runs_ended()
        return self.history.newest

    async def undo(self, expected: Mutation[Any] | None = None) -> Run[Any] | None:
        """Undo the newest change; where an ``expected`` change is given, only if it is that.

        Returns the run once it has ended; ``None`` where nothing was undone.
        """
        async with self._undoing:
            await self._runs_ended()
            if expected is not None and self.history.undoable is not expected:
                return None
            done = self.history.take_undo()
            if done is None:
                return None
            run = self._start(done.inverse, lambda value: self.history.undone(done, value))
            if _may_yet_work(outcome := await run):
                self.history.put_back(replace(done, inverse=again(done.inverse, outcome)))
            return run

    async def redo(self) -> Run[Any] | None:
        """Redo the change undone last; return its run once it has ended, ``None`` where there is none."""
        async with self._undoing:
            await self._runs_ended()
            mutation = self.history.take_redo()
            if mutation is None:
                return None
            run = self._start(mutation, self._remember_made(mutation, again=True))
            if _may_yet_work(outcome := await run):
                self.history.put_back_redo(again(mutation, outcome))
            return run

    async def look_for(self, mutation: Mutation[R]) -> Outcome[R]:
        """Find out whether a mutation has arrived whose draft was on its way when the program ended.

        Where it has, the draft goes. The error is :class:`NotArrived`, and the draft is to be sent again, or
        :class:`Undecided`, and the draft stays unsure.
        """
        known = mutation.known if mutation.draft is None else mutation.draft.known
        try:
            found = await Attempt(mutation.call, mutation.lookup, known).look(self.call)
        except ClientError as error:
            log.info("%s", error)
            outcome: Outcome[R] = Outcome(None, Undecided(f"{mutation.doing} may have worked.", error.why, known))
        else:
            failed = NotArrived(f"{mutation.doing} did not work.", "It has not arrived.", known)
            outcome = Outcome(found, failed if found is None else None)
        await self._settle_draft(mutation, outcome.error)
        return outcome

    @property
    def long_runs(self) -> Sequence[Run[Any]]:
        """The mutations that have been under way for longer than a moment, the oldest first."""
        return [run for run in self._running if run.is_long]

    @property
    def runs_in_steps(self) -> Sequence[Run[Any]]:
        """The mutations under way of which a part is done when the program ends."""
        return [run for run in self._running if isinstance(run.mutation.progress, StepReporter)]

    @property
    def is_undoing(self) -> bool:
        """Whether a change is being undone or redone at this moment."""
        return self._undoing.locked()

    def is_sending(self, draft: Draft) -> bool:
        """Whether a draft is on its way at this moment."""
        return any(run.mutation.draft is not None and run.mutation.draft.id == draft.id for run in self._running)

    def type(self, draft: Draft, text: str) -> None:
        """Save what was typed in the background; cheap enough for every key."""
        self.keeper.type(draft, text)

    # Waiting

    def give_up_waiting(self) -> bool:
        """Fail all calls that wait because the platform asked for it; returns whether there were any."""
        given_up = self.waiting
        for wait in given_up:
            wait.give_up()
        return bool(given_up)

    def _on_waits_changed(self, waiting: tuple[Wait, ...]) -> None:
        self.waiting = waiting
        self.waits.emit(waiting)

    def _note_reach(self, failure: ClientError | None) -> None:
        self.offline = None if failure is None else Offline(self.clock(), failure)
        if failure is None:
            self.live.on_back()
        else:
            self.wake_polling()
        self.reach.emit(self.offline)

    def _note_token(self, accepted: bool) -> None:
        self.refused_since = None if accepted else self.clock()
        self.reach.emit(self.offline)

    # Settling

    @property
    def pending(self) -> int:
        """How many loads and mutations are under way."""
        return len(self._tasks)

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        await self._tasks.idle()

    async def aclose(self) -> None:
        """Stop loading, wait for mutations, and close the transport where it is a sender."""
        if self._polling is not None:
            self._polling.cancel()
        for query in self._queries.values():
            query.give_up()
        if "descriptions" in self.__dict__:
            self.descriptions.give_up()
        await self._tasks.idle()
        self.keeper.close()
        self.drafts.close()
        if isinstance(self._transport, Sender):
            await self._transport.aclose()

    def _remember(self, key: QueryKey, load: Callable[[FallbackTransport, Publish[R]], Awaitable[R]]) -> Query[R]:
        def make() -> Query[R]:
            cached = partial(self._load_cached, load) if self._cache is not None else None
            query = Query(key, partial(load, self._ways), self._tasks, self.clock, cached)
            if cached is not None:
                query.changed.subscribe(lambda _: self.freshness.emit(self))
            return query

        return self._keep_query(key, make)

    async def _load_cached(self, load: Callable[[FallbackTransport, Publish[R]], Awaitable[R]]) -> Cached[R] | None:
        """Load from the cache alone; ``None`` where it has not all of it."""
        if self._cache is None or not isinstance(self._transport, Sender):
            return None
        transport = self._cache.transport_alone(self._transport)
        try:
            value = await load(FallbackTransport(transport), lambda _: None)
        except ClientError:
            return None
        return Cached(value, transport.oldest or self.clock())

    @property
    def cached_at(self) -> datetime | None:
        """When the oldest response shown from the cache was stored; ``None`` where none is."""
        return min((query.cached_at for query in self._cached_queries() if query.cached_at is not None), default=None)

    @property
    def is_refreshing(self) -> bool:
        """Whether something is shown from the cache while it is requested."""
        return any(query.state is not QueryState.FAILED for query in self._cached_queries())

    def _cached_queries(self) -> list[Query[Any]]:
        if self._cache is None:
            return []
        return [query for query in self._queries.values() if query.cached_at is not None and query.is_watched]

    def _keep_query(self, key: QueryKey, make: Callable[[], Q]) -> Q:
        """Return the query remembered under a key, else a new query; loads it where its value is missing or stale."""
        query = cast("Q | None", self._queries.get(key))
        if query is None:
            query = make()
            self._queries[key] = query
            self._forget_oldest()
        self._queries.move_to_end(key)
        if self._is_wanting(query):
            query.refresh()
        return query

    def _is_wanting(self, query: Query[Any]) -> bool:
        if query.stale or query.loaded_at is None or query.state is QueryState.FAILED:
            return True
        key = query.key
        is_past = key.operation.resource.__name__ == "Content" and key.argument("revision_id") is not None
        return not is_past and self.clock() - query.loaded_at >= FRESH_FOR  # a past revision never changes

    def _forget_oldest(self) -> None:
        excess = len(self._queries) - self._most_queries
        for key in [key for key, query in self._queries.items() if query.idle][: max(0, excess)]:
            del self._queries[key]

    def _start(self, mutation: Mutation[R], made: Callable[[R], None]) -> Run[R]:
        run: Run[R] = Run(mutation, lambda run: self._carry_out(run, made), self._tasks.start)
        for effect in mutation.effects:
            for key, query in list(self._queries.items()):
                if effect.chooses(key):
                    query.patch((run, effect), effect.change)
        self._running.append(run)
        self.runs.emit(run)
        timer = asyncio.get_running_loop().call_later(MOMENT, self._note_long, run)
        run.task.add_done_callback(lambda _: timer.cancel())
        return run

    def _note_long(self, run: Run[Any]) -> None:
        run.is_long = True
        self.runs.emit(run)

    async def _carry_out(self, run: Run[R], made: Callable[[R], None]) -> Outcome[R]:
        """Carry out the run's mutation, and confirm or undo its effects; never raises because of the platform."""
        mutation = run.mutation
        async with AsyncExitStack() as held:
            try:
                if mutation.draft is not None:
                    await held.enter_async_context(self.keeper.holding(mutation.draft))
                value = await self._call(run)
            except ClientError as error:
                outcome: Outcome[R] = Outcome(None, error)
            except asyncio.CancelledError:
                if mutation.progress is None:
                    raise
                outcome = Outcome(None, Cancelled(f"{mutation.doing} was stopped.", "You cancelled it."))
            except Exception as error:
                outcome = Outcome(None, unexpected_error(mutation.doing, error))
            else:
                outcome = Outcome(value)
            await self._settle_draft(mutation, outcome.error)
            self._note_unsure(mutation, outcome.error)
            run.state, run.error = (RunState.DONE, None) if outcome.ok else (RunState.FAILED, outcome.error)
            run.value = outcome.value
            try:
                self._settle_queries(run)
                if outcome.ok:
                    made(cast("R", outcome.value))
            except Exception:
                log.exception("A follow-up of a change failed: %s", mutation.doing)
            self._running.remove(run)
            self.runs.emit(run)
            return outcome

    def _settle_queries(self, run: Run[Any]) -> None:
        """Keep or revert the effects of a run, and invalidate what it made stale."""
        for query in list(self._queries.values()):
            for effect in run.mutation.effects:
                (query.keep_patch if run.error is None else query.drop_patch)((run, effect))
        self.invalidate(*run.mutation.stale)

    async def _call(self, run: Run[R]) -> R:
        """Make the run's call when it is its turn, with its draft on disk."""
        mutation = run.mutation
        async with self._lane(mutation.lane):
            sent = await self._find_sent(mutation)
            known = mutation.known if sent is None else sent.known
            if known is None and mutation.draft is None:
                known = self._unsure.get(_subject(mutation))
            is_further = mutation.again or sent is not None
            attempt = Attempt(mutation.call, mutation.lookup, known, is_further=is_further)
            if sent is not None and (arrived := await attempt.look(self.call)) is not None:
                return arrived
            if mutation.progress is None:
                return await attempt.make(self.call, self._note_sending(mutation))
            with mutation.progress.changed.subscribe(lambda _: self.runs.emit(run)):
                return await attempt.make(self.call, self._note_sending(mutation))

    async def _find_sent(self, mutation: Mutation[Any]) -> Draft | None:
        """Return the draft as it is on disk where an earlier try to send it is to be looked for first."""
        if mutation.draft is None or mutation.again:
            return None
        draft = await asyncio.to_thread(self.drafts.get, mutation.draft.id)
        return draft if draft is not None and draft.sent_hash is not None else None

    def _note_sending(self, mutation: Mutation[Any]) -> Callable[[Known | None], Awaitable[object]]:
        """Return what notes on disk that the draft is on its way; raises :class:`NotKept`."""

        async def note(known: Known | None) -> None:
            if mutation.draft is not None:
                await self.keeper.do(self.drafts.mark_sending, mutation.draft, known)

        return note

    async def _settle_draft(self, mutation: Mutation[Any], error: ClientError | None) -> None:
        """Remove the draft that was sent, or keep it; where the disk fails it is unsure at the next start."""
        if mutation.draft is None or isinstance(error, NotKept | HeldElsewhere):
            return
        if error is None:
            settle: Callable[[Draft], object] = self.drafts.confirm
        elif isinstance(error, NotArrived):
            settle = self.drafts.mark_absent
        else:
            settle = self.drafts.unsure if error.may_have_arrived else self.drafts.mark_kept
        try:
            await self.keeper.do(settle, mutation.draft)
        except NotKept as failure:
            log.warning("%s", failure)

    def _note_unsure(self, mutation: Mutation[Any], error: ClientError | None) -> None:
        """Keep the known state from before a change that may have arrived: a form may retry it."""
        if mutation.lookup is None or mutation.draft is not None:
            return
        if isinstance(error, Undecided) and error.known is not None:
            self._unsure[_subject(mutation)] = error.known
        elif error is None:
            self._unsure.pop(_subject(mutation), None)

    def _remember_made(self, mutation: Mutation[R], *, again: bool) -> Callable[[R], None]:
        fresh = replace(mutation, known=None, again=False)
        return lambda response: self.history.record(fresh, response, again=again)

    def _lane(self, name: Hashable) -> asyncio.Lock:
        """Return the lock of a lane; a mutation without a lane has its own."""
        return asyncio.Lock() if name is None else self._lanes.setdefault(name, asyncio.Lock())

    async def _runs_ended(self) -> None:
        """Wait for running changes that can be undone, so that the newest of them is known."""
        while running := {run.task for run in self._running if run.mutation.inverse is not None}:
            await asyncio.wait(running)


def _new_items(items: tuple[T, ...], known: set[str]) -> list[T]:
    """Return the items whose id has not come yet: a list that grows while it is walked gives some of them twice."""
    new = []
    for item in items:
        key = getattr(item, "id", None)
        if key is None or key not in known:
            new.append(item)
        if key is not None:
            known.add(key)
    return new


def again(mutation: Mutation[R], outcome: Outcome[Any]) -> Mutation[R]:
    """Return the mutation for another try; where the response was lost, the effect is looked for first."""
    error = outcome.error
    return replace(mutation, known=error.known, again=True) if isinstance(error, Undecided | NotArrived) else mutation


def _subject(mutation: Mutation[Any]) -> Hashable:
    """Return the identity that a change shares with its retry."""
    return mutation.doing, mutation.done, mutation.lane, mutation.place


def _may_yet_work(outcome: Outcome[Any]) -> bool:
    """Whether a failed change is worth another try: the platform has not refused it."""
    return outcome.error is not None and not isinstance(outcome.error, Refused | NotUndoable)


def _result(report: ExportReport) -> tuple[Mapping[str, int], Sequence[Finding]]:
    return {"files written": report.written, "files deleted": report.deleted}, report.left_out
