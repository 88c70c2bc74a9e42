"""Changes as values: the call, its effect on the screen, the queries it makes stale, its inverse and its lookup."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Generator, Hashable, Iterable, Mapping
from dataclasses import KW_ONLY, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from recto.client.call import all_pages
from recto.client.errors import ClientError, Refused, ServerFailed, TooManyRequests, Unauthorized, Unsupported
from recto.contract.unread import unread_of
from recto.frozen import frozen
from recto.store.progress import Progress, Reporter
from recto.store.query import Listing
from recto.store.query_keys import Chooser, calls

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from recto.client.call import Call
    from recto.contract.common import ListPage
    from recto.contract.operation import Operation
    from recto.store.drafts import Draft, DraftPlace

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")

log = logging.getLogger(__name__)


@frozen
class Effect:
    """The effect of a change on a shown value; ``change`` is idempotent."""

    chooses: Chooser
    change: Callable[[Any], Any]


def changes(operation: Operation[P, R], change: Callable[[R], R], **arguments: Any) -> Effect:
    """Return an effect on the responses of an operation: of all its calls, or of those with these arguments."""
    chosen = calls(operation, **arguments)
    return Effect(lambda key: not key.walks and chosen(key), change)


def changes_items(operation: Operation[P, ListPage[T]], change: Callable[[T], T | None], **arguments: Any) -> Effect:
    """Change each item of walked lists; ``change`` returns the item itself to leave it and None to remove it."""

    def change_all(listing: Listing[T]) -> Listing[T]:
        items = tuple(changed for item in listing.items if (changed := change(item)) is not None)
        gone = len(listing.items) - len(items)
        return replace(listing, items=items, total=None if listing.total is None else listing.total - gone)

    chosen = calls(operation, **arguments)
    return Effect(lambda key: key.walks and chosen(key), change_all)


@frozen
class Mutation(Generic[R_co]):
    """A change made by the person."""

    _: KW_ONLY
    doing: str
    """The change in progress: ``Renaming the space``."""
    done: str
    """What has been done: ``Renamed the space``."""
    call: Callable[[Call], Awaitable[R_co]]
    """Makes the change, with as many operations as needed; run once."""
    effects: tuple[Effect, ...] = ()
    """The effects shown at once; reverted where the call fails."""
    stale: tuple[Chooser, ...] = ()
    """The queries that are stale afterwards, also if the call failed half-way."""
    inverse: Callable[[Any], Mutation[Any] | None] | None = None
    """Returns the mutation that undoes it, from the call's response; None where it cannot be undone."""
    lookup: Lookup[R_co] | None = None
    """How to find out whether the call has arrived; for each call that makes or appends something."""
    known: Known | None = None
    """What ``lookup`` noted before an earlier try whose response was lost; the next try looks before it calls."""
    again: bool = False
    """Whether the person chose to send it again although an earlier try may have arrived."""
    draft: Draft | None = None
    """The draft whose text is sent: it goes when the platform has confirmed it."""
    progress: Reporter | None = None
    """Where the call reports how far it is; such a run may be cancelled."""
    once: bool = False
    """Whether it cannot be run again as it is: a redo undoes its undo instead."""
    place: DraftPlace | None = None
    """The subject of a change, if undoing it is to be confirmed when that is not on the screen."""
    lane: Hashable = None
    """Mutations of one lane run one after another, in the order in which they were started."""


@frozen
class Outcome(Generic[R_co]):
    """How a mutation ended: with a value, or with an error and everything put back."""

    value: R_co | None
    error: ClientError | None = None

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.error is None


def unexpected_error(doing: str, error: Exception) -> ClientError:
    """Log an unexpected error of a change, and return what to show of it."""
    log.error("A change failed: %s", doing, exc_info=error)
    return ClientError(
        f"{doing} did not work.",
        f"Unexpected error ({type(error).__name__}).",
        "Details are in the log.",
        may_have_arrived=True,
    )


Known = tuple[str, ...]
"""The state before a call, to recognize new items afterwards."""


@frozen
class Lookup(Generic[R_co]):
    """How to find out whether a call has arrived whose response was lost."""

    before: Callable[[Call], Awaitable[Known]]
    """Returns the state before the call."""
    after: Callable[[Call, Known], Awaitable[R_co | None]]
    """Returns what has arrived since, None where nothing has; raises :class:`Undecided` where neither is certain."""


@frozen
class Matches(Generic[T]):
    """All items on the platform that look like the result of a call, by id."""

    items: Mapping[str, T]
    unread: str = ""
    """The name of something beside them that could not be read, so that it may be one of them."""
    similar: frozenset[str] = frozenset()
    """The ids of others that may be the result in another form."""


def new_among(find: Callable[[Call], Awaitable[Matches[T]]]) -> Lookup[T]:
    """Look for a match that was not there before the call."""

    async def before(call: Call) -> Known:
        found = await find(call)
        return (*found.items, *sorted(found.similar))

    async def after(call: Call, known: Known) -> T | None:
        found = await find(call)
        new = [item for id, item in found.items.items() if id not in known]
        if new:
            return new[-1]
        if found.unread:
            raise Undecided("Could not find out whether it has arrived.", f"There is an {found.unread}.")
        if found.similar.difference(known):
            why = "Something like it has arrived since, but not quite the same."
            raise Undecided("Could not find out whether it has arrived.", why)
        return None

    return Lookup(before, after)


def new_in_list(
    wanted: Callable[[T], bool], operation: Operation[P, ListPage[T]], *args: P.args, **kwargs: P.kwargs
) -> Lookup[T]:
    """Look for a wanted item that was not in a list before the call."""

    async def find(call: Call) -> Matches[T]:
        return matches(await all_pages(call, operation, *args, **kwargs), wanted)

    return new_among(find)


def only_in_list(
    wanted: Callable[[T], bool], operation: Operation[P, ListPage[T]], *args: P.args, **kwargs: P.kwargs
) -> Lookup[T]:
    """Look for a wanted item where the platform refuses a second: only once a response was lost, whatever was there."""
    look = new_in_list(wanted, operation, *args, **kwargs)

    async def nothing(_: Call) -> Known:
        return ()

    return replace(look, before=nothing)


def matches(
    listed: Iterable[ListPage[T]], wanted: Callable[[T], bool], is_similar: Callable[[T], bool] = lambda _: False
) -> Matches[T]:
    """Return the wanted items of a list, given its pages, and which of the others are similar to them."""
    items: dict[str, Any] = {}
    similar: set[str] = set()
    unread = ""
    for page in listed:
        for item in cast("tuple[Any, ...]", page.items):
            if wanted(item):
                items[item.id] = item
            elif is_similar(item):
                similar.add(item.id)
        unread = next((note.words for note in unread_of(page)), unread)
    return Matches(items, unread, frozenset(similar))


def _is_rejection(error: ClientError) -> bool:
    """Whether the platform rejects what it was sent, so that an earlier try with the same has failed, too."""
    return isinstance(error, Refused) and not isinstance(error, TooManyRequests | Unauthorized | ServerFailed)


class Attempt(Generic[R]):
    """A call that is carried out once, however often it is tried.

    After a lost response its result is looked for; a retry looks first.
    """

    def __init__(
        self,
        call: Callable[[Call], Awaitable[R]],
        lookup: Lookup[R] | None,
        known: Known | None = None,
        *,
        is_further: bool = False,
    ) -> None:
        self.known = known
        """What was noted before the first try whose response was lost."""
        self._is_further = is_further
        """Whether an earlier try may yet arrive, whatever becomes of this one."""
        self._call = call
        self._lookup = lookup

    async def make(self, call: Call, begin: Callable[[Known | None], Awaitable[object]] | None = None) -> R:
        """Make the call, unless it has arrived already; ``begin`` is awaited before the call, with what was noted.

        Raises :class:`NotArrived` or :class:`Undecided` where a response is lost, and what the call raises.
        """
        lookup = self._lookup
        if lookup is not None:
            if self.known is None:
                self.known = await self._note(call, lookup)
            elif (found := await self._find_before(call, lookup, self.known)) is not None:
                return found
        if begin is not None:
            await begin(self.known)
        try:
            return await self._call(call)
        except Undecided as error:
            # A step of the call was not found; the call as a whole is looked for by its own notes.
            error.known = self.known
            raise
        except ClientError as error:
            if lookup is not None and error.may_have_arrived:
                return await self._look(call, lookup, error)
            if lookup is not None and self._is_further and not _is_rejection(error):
                raise Undecided(error.what, f"{error.why} An earlier try may have arrived.", self.known) from error
            self.known = None
            raise

    async def look(self, call: Call) -> R | None:
        """Return the result of an earlier try, None if it has not arrived; raises :class:`Undecided`.

        A call without a lookup does no harm when it is made twice, and counts as not arrived.
        """
        if self._lookup is None:
            return None
        if self.known is None:
            raise Undecided("It may have arrived already.", "The state before it was sent is not known.")
        try:
            return await self._lookup.after(call, self.known)
        except ClientError as error:
            raise Undecided("It may have arrived already.", error.why, self.known) from error

    async def _look(self, call: Call, lookup: Lookup[R], error: ClientError) -> R:
        if self.known is None:
            raise Undecided(error.what, f"{error.why} It may have arrived all the same.") from error
        try:
            found = await lookup.after(call, self.known)
        except ClientError as failure:
            why = (
                failure.why if isinstance(failure, Undecided) else "The server cannot be asked whether it has arrived."
            )
            raise Undecided(error.what, f"{error.why} {why}", self.known) from error
        if found is not None:
            return found
        if error.may_arrive_later:
            why = f"{error.why} It is not there yet, but may still arrive."
            raise Undecided(error.what, why, self.known) from error
        raise NotArrived(error.what, f"{error.why} It has not arrived.", self.known) from error

    async def _note(self, call: Call, lookup: Lookup[R]) -> Known | None:
        try:
            return await lookup.before(call)
        except ClientError as error:
            log.info("The state before a change could not be read: %s", error)
            return None

    async def _find_before(self, call: Call, lookup: Lookup[R], known: Known) -> R | None:
        try:
            return await lookup.after(call, known)
        except ClientError as error:
            # The person knows, and sends it all the same.
            log.info("The result of an earlier try could not be looked for: %s", error)
            return None


class Cancelled(ClientError):
    """The person stopped a run."""

    default_next_step = "What was done before it stopped is done; start it again to go on."


class NotArrived(ClientError):
    """A response was lost, and what was sent is not on the platform."""

    default_next_step = "Send it again."

    def __init__(self, what: str, why: str, known: Known | None = None) -> None:
        super().__init__(what, why)
        self.known = known
        """What was noted before the try, for the next one."""


class NotUndoable(ClientError):
    """A change can no longer be undone."""


def unless_changed(
    inverse: Callable[[Any], Mutation[Any] | None],
    fields: Iterable[str],
    read: Callable[[Call], Awaitable[object | None]],
) -> Callable[[Any], Mutation[Any] | None]:
    """Return an inverse that is refused if fields no longer have the values in the response of the change.

    Those that the response lacks are not looked at. ``read`` gives the thing as it is now: ``None`` leaves it to the
    platform to say that it is gone. The change is to have ``once``, so that a redo overwrites nothing either.
    """

    def undo(left: Any) -> Mutation[Any] | None:
        undoing = inverse(left)
        return replace(undoing, call=partial(_call_unless_changed, undoing, fields, left, read)) if undoing else None

    return undo


async def _call_unless_changed(
    undoing: Mutation[R],
    fields: Iterable[str],
    left: object,
    read: Callable[[Call], Awaitable[object | None]],
    call: Call,
) -> R:
    try:
        now = await read(call)
    except Unsupported:
        now = None  # this server cannot tell: the change is undone unchecked
    names = sorted(name for name in fields if now is not None and hasattr(left, name))
    changed = [name for name in names if getattr(now, name) != getattr(left, name)]
    if changed:
        which = ", ".join(name.replace("_", " ") for name in changed)
        raise NotUndoable(
            f"{undoing.doing} did not work.", f"Others changed it meanwhile: {which}.", "Change it instead."
        )
    return await undoing.call(call)


class Undecided(ClientError):
    """A response was lost, and it is not known whether the change has arrived."""

    default_next_step = "Look whether it is there before you send it again."

    def __init__(self, what: str, why: str, known: Known | None = None) -> None:
        super().__init__(what, why, self.default_next_step, may_have_arrived=True)
        self.known = known
        """What was noted before the try, for the next one."""


class RunState(Enum):
    """How far a run is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Run(Generic[R_co]):
    """A mutation under way. Awaiting it gives its :class:`Outcome` and never raises because of the platform.

    If its caller is cancelled, the run still goes on to its end.
    """

    def __init__(
        self,
        mutation: Mutation[R_co],
        work: Callable[[Run[Any]], Coroutine[Any, Any, Outcome[R_co]]],
        start: Callable[[Coroutine[Any, Any, Outcome[R_co]]], asyncio.Task[Outcome[R_co]]],
    ) -> None:
        self.mutation = mutation
        self.state = RunState.RUNNING
        self.is_long = False
        """Whether it takes longer than a moment, so that it is to be shown."""
        self.error: ClientError | None = None
        self.value: R_co | None = None
        """What the platform answered, once it is done."""
        self.task = start(work(self))

    def __await__(self) -> Generator[Any, None, Outcome[R_co]]:
        return asyncio.shield(self.task).__await__()

    def __repr__(self) -> str:
        return f"<Run {self.mutation.doing!r}: {self.state.value}>"

    @property
    def progress(self) -> Progress | None:
        """How far it is, where it reports that."""
        return self.mutation.progress.latest if self.mutation.progress is not None else None

    def cancel(self) -> None:
        """Stop a run that reports its progress; a request on its way to the platform still arrives."""
        if self.mutation.progress is not None and self.state is RunState.RUNNING:
            # A task that has not begun would be cancelled before it could confirm or undo its effects.
            asyncio.get_running_loop().call_soon(self.task.cancel)

    @property
    def message(self) -> str:
        """The message to show now: a sentence without its full stop, or the sentences of the error."""
        if self.state is RunState.RUNNING:
            progress = self.progress
            if progress is None:
                return f"{self.mutation.doing}…"
            of = "" if progress.total is None else f" of {progress.total}"
            return f"{self.mutation.doing}: {progress.doing}, {progress.done}{of}"
        return self.mutation.done if self.error is None else str(self.error)
