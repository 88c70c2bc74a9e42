"""A change made to several things, call after call."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from recto.client.errors import ClientError
from recto.frozen import frozen
from recto.store.mutation import Attempt, Mutation, unexpected_error
from recto.store.progress import Progress, StepReporter

if TYPE_CHECKING:
    from recto.client.call import Call


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


def batch(parts: Sequence[Part], *, doing: str, done: str) -> Mutation[BatchResult]:
    """Combine changes: a failed part does not stop the others, and a single undo takes all back.

    ``doing`` and ``done`` name it without a count: ``Changing the role``.
    """
    progress = BatchProgress()

    async def work(call: Call) -> BatchResult:
        made: list[tuple[Part, Any]] = []
        failed: list[Failure] = []
        for number, part in enumerate(parts):
            if progress.is_stopped:
                break
            progress.report(Progress(part.name, number, len(parts)))
            try:
                made.append((part, await Attempt(part.mutation.call, part.mutation.lookup).make(call)))
            except ClientError as error:
                failed.append(Failure(part, error))
            except Exception as error:  # what was done before it can still be undone
                failed.append(Failure(part, unexpected_error(part.mutation.doing, error)))
        return BatchResult(tuple(made), tuple(failed))

    def inverse(result: BatchResult) -> Mutation[BatchResult] | None:
        back = [_inverse(part, value) for part, value in reversed(result.done)]
        inverses = [part for part in back if part is not None]
        return (
            batch(inverses, doing=f"Undoing: {doing[:1].lower()}{doing[1:]}", done=f"Undone: {done}")
            if inverses
            else None
        )

    return Mutation(
        doing=doing,
        done=done,
        call=work,
        stale=tuple(stale for part in parts for stale in part.mutation.stale),
        inverse=inverse,
        progress=progress,
    )


def _inverse(part: Part, value: Any) -> Part | None:
    mutation = part.mutation.inverse(value) if part.mutation.inverse is not None else None
    return Part(part.key, part.name, mutation) if mutation is not None else None
