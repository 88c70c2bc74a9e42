"""A change as a value: what is done, what it shows at once, what it makes doubtful and how it is taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Hashable
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from recto.client.errors import ClientError
from recto.store.keys import Chooser, calls
from recto.store.progress import Progress, Reporter
from recto.store.query import Listing

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from recto.client.call import Call
    from recto.contract.common import ListPage
    from recto.contract.operation import Operation
    from recto.store.drafts import Draft

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Effect:
    """How what is shown changes at once; ``change`` gives the same when it is applied twice."""

    chooses: Chooser
    change: Callable[[Any], Any]


def hold_known(listed: ListPage[Any]) -> None:
    """Raise where something of a list could not be read: what was sent and is not in the rest may be that."""
    from recto.contract.unread import unread_of

    for note in unread_of(listed):
        raise ClientError("Could not look whether it has arrived.", f"There is an {note.words}.", "")


def changes(operation: Operation[P, R], change: Callable[[R], R], **arguments: Any) -> Effect:
    """Change what an operation answered, for all its calls or for those with these arguments."""
    chosen = calls(operation, **arguments)
    return Effect(lambda key: not key.walks and chosen(key), change)


def changes_items(operation: Operation[P, ListPage[T]], change: Callable[[T], T | None], **arguments: Any) -> Effect:
    """Change each item of walked lists; ``change`` returns the item itself to leave it and None to remove it."""

    def change_all(listing: Listing[T]) -> Listing[T]:
        items = tuple(changed for item in listing.items if (changed := change(item)) is not None)
        gone = len(listing.items) - len(items)
        return replace(listing, items=items, total=None if listing.total is None else listing.total - gone)

    return _on_lists(operation, change_all, arguments)


def adds_item(operation: Operation[P, ListPage[T]], item: T, *, first: bool = False, **arguments: Any) -> Effect:
    """Add an item at the end or the beginning of walked lists, unless it is in them already."""

    def add(listing: Listing[T]) -> Listing[T]:
        if item in listing.items:
            return listing
        items = (item, *listing.items) if first else (*listing.items, item)
        return replace(listing, items=items, total=None if listing.total is None else listing.total + 1)

    return _on_lists(operation, add, arguments)


def _on_lists(operation: Operation[Any, Any], change: Callable[[Any], Any], arguments: dict[str, Any]) -> Effect:
    chosen = calls(operation, **arguments)
    return Effect(lambda key: key.walks and chosen(key), change)


@dataclass(frozen=True, kw_only=True)
class Mutation(Generic[R_co]):
    """A change a person makes."""

    doing: str
    """What is being done: ``Renaming the space``."""
    done: str
    """What has been done: ``Renamed the space``."""
    call: Callable[[Call], Awaitable[R_co]]
    """Does it, with as many operations as it takes; run once."""
    effects: tuple[Effect, ...] = ()
    """What is shown at once; taken back where the call fails."""
    stale: tuple[Chooser, ...] = ()
    """Which queries are doubtful afterwards, also where the call failed half-way."""
    inverse: Callable[[Any], Mutation[Any] | None] | None = None
    """Gives the mutation that takes it back, from the call's answer; None for what cannot be taken back."""
    look: Callable[[Call], Awaitable[R_co | None]] | None = None
    """After a lost answer, looks on the platform for what was sent and returns it; None where it has not arrived."""
    draft: Draft | None = None
    """The draft whose text is sent: it goes when the platform has confirmed it."""
    progress: Reporter | None = None
    """Where the call reports how far it is; such a run may be cancelled."""
    lane: Hashable = None
    """Mutations of one lane run one after another, in the order in which they were started."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[R_co]):
    """How a mutation ended: with a value, or with an error and everything put back."""

    value: R_co | None
    error: ClientError | None = None

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.error is None


class Cancelled(ClientError):
    """The person stopped a run."""

    default_next_step = "What was done before it stopped is done; start it again to go on."


class NotArrived(ClientError):
    """An answer was lost, and what was sent is not on the platform."""

    default_next_step = "Send it again."


class RunState(Enum):
    """How far a run is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Run(Generic[R_co]):
    """A mutation under way. Awaiting it gives its :class:`Outcome` and never raises because of the platform.

    Who awaits it may be cancelled; the run goes on to its end.
    """

    def __init__(
        self,
        mutation: Mutation[R_co],
        work: Callable[[Run[Any]], Coroutine[Any, Any, Outcome[R_co]]],
        start: Callable[[Coroutine[Any, Any, Outcome[R_co]]], asyncio.Task[Outcome[R_co]]],
    ) -> None:
        self.mutation = mutation
        self.state = RunState.RUNNING
        self.error: ClientError | None = None
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
        """Stop a run that reports its progress; what is on its way to the platform at this moment still arrives."""
        if self.mutation.progress is not None and self.state is RunState.RUNNING:
            # A task that has not begun would be cancelled without a chance to settle what it showed.
            asyncio.get_running_loop().call_soon(self.task.cancel)

    @property
    def message(self) -> str:
        """What to show of it now, as one sentence without its full stop, or the sentences of its error."""
        if self.state is RunState.RUNNING:
            progress = self.progress
            if progress is None:
                return f"{self.mutation.doing}…"
            of = "" if progress.total is None else f" of {progress.total}"
            return f"{self.mutation.doing}: {progress.doing}, {progress.done}{of}"
        return self.mutation.done if self.error is None else str(self.error)
