"""A change made to several things, call after call."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from recto.client.errors import ClientError
from recto.frozen import frozen
from recto.store.mutation import Attempt, Mutation, Undecided, unexpected_error
from recto.store.progress import Progress, StepReporter

if TYPE_CHECKING:
    from recto.client.call import Call

_MOST_NAMED = 3
"""How many parts are named of which it is not known whether they have arrived."""


@frozen
class Part:
    """The change of a single thing, under a unique name."""

    key: Hashable
    name: str
    mutation: Mutation[Any]


@frozen
class Failure:
    """A thing whose change failed, and why."""

    part: Part
    error: ClientError


@frozen
class BatchResult:
    """The successes and failures of a batch; items in neither were not tried because it was stopped."""

    done: tuple[tuple[Part, Any], ...]
    """The parts that succeeded, with their responses."""
    failed: tuple[Failure, ...]


class BatchProgress(StepReporter):
    """Progress of a batch; ``stop`` leaves out the parts that have not begun."""

    def __init__(self) -> None:
        super().__init__()
        self.is_stopped = False

    def stop(self) -> None:
        """Stop after the current item."""
        self.is_stopped = True


class _Trial:
    """The parts of a batch that are made, that failed, and that are left to try."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.made: list[tuple[Part, Any]] = []
        self.failed: list[Failure] = []
        self.left = [(part, Attempt(part.mutation.call, part.mutation.lookup)) for part in parts]

    async def make(self, call: Call, progress: BatchProgress) -> BatchResult:
        """Make what is left; raises :class:`Undecided` where parts may have arrived, which are then left."""
        undecided: list[tuple[Part, Attempt[Any], Undecided]] = []
        for number, (part, attempt) in enumerate(self.left):
            if progress.is_stopped:
                break
            progress.report(Progress(part.name, number, len(self.left)))
            try:
                self.made.append((part, await attempt.make(call)))
            except Undecided as error:
                undecided.append((part, attempt, error))
            except ClientError as error:
                self.failed.append(Failure(part, error))
            except Exception as error:  # what was done before it can still be undone
                self.failed.append(Failure(part, unexpected_error(part.mutation.doing, error)))
        if not undecided:
            return BatchResult(tuple(self.made), tuple(self.failed))
        self.left = [
            (part, Attempt(part.mutation.call, part.mutation.lookup, attempt.known, is_further=True))
            for part, attempt, _ in undecided
        ]
        names = ", ".join(part.name for part, _, _ in undecided[:_MOST_NAMED])
        more = f" and {len(undecided) - _MOST_NAMED:,} more" if len(undecided) > _MOST_NAMED else ""
        raise Undecided(f"It is not known whether this has arrived: {names}{more}.", undecided[0][-1].why)


def batch(
    parts: Sequence[Part], *, doing: str, done: str, undoing: tuple[str, str] | None = None
) -> Mutation[BatchResult]:
    """Combine changes: a failed part does not stop the others, and a single undo takes all back.

    ``doing`` and ``done`` name it without a count: ``Changing the role``; ``undoing`` are those two of its inverse,
    where that is known. Where parts may have arrived, another try is of these alone.
    """
    back_doing, back_done = undoing or (f"Undoing: {doing[:1].lower()}{doing[1:]}", f"Undone: {done}")
    progress = BatchProgress()
    trials: list[_Trial] = []

    async def work(call: Call) -> BatchResult:
        trial = trials.pop() if trials else _Trial(parts)
        try:
            return await trial.make(call, progress)
        except Undecided:
            trials.append(trial)
            raise

    def inverse(result: BatchResult) -> Mutation[BatchResult] | None:
        back = [_inverse(part, value) for part, value in reversed(result.done)]
        inverses = [part for part in back if part is not None]
        return batch(inverses, doing=back_doing, done=back_done, undoing=(doing, done)) if inverses else None

    return Mutation(
        doing=doing,
        done=done,
        call=work,
        stale=tuple(stale for part in parts for stale in part.mutation.stale),
        inverse=inverse,
        once=any(part.mutation.once for part in parts),
        progress=progress,
    )


def _inverse(part: Part, value: Any) -> Part | None:
    mutation = part.mutation.inverse(value) if part.mutation.inverse is not None else None
    return Part(part.key, part.name, mutation) if mutation is not None else None
