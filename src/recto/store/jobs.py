"""The jobs of the workspace in this process and of the program itself: those that run, and those that ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from recto.client.errors import ClientError
from recto.contract.jobs import JobRecord, JobState
from recto.store.mutation import Cancelled
from recto.store.progress import Progress
from recto.store.signal import Signal

if TYPE_CHECKING:
    from recto.contract.import_report import Finding
    from recto.store.workspace import LocalWorkspace

T = TypeVar("T")

_NONE: Final[Mapping[str, int]] = {}


class Jobs:
    """Running jobs. ``changed`` is emitted at each change of a job, also at its end."""

    def __init__(self, workspace: LocalWorkspace | None, clock: Callable[[], datetime]) -> None:
        self.changed: Signal[JobRecord] = Signal()
        self._workspace = workspace
        self._clock = clock
        self._running: dict[str, JobRecord] = {}
        self._tasks: dict[str, asyncio.Task[Any]] = {}
        self._cancelling: set[str] = set()
        """The ids of those that were cancelled and have not ended."""
        self._ended: list[JobRecord] = []
        self._expected = 0

    @property
    def running(self) -> Sequence[JobRecord]:
        """The jobs that run, the oldest first."""
        return tuple(self._running.values())

    @contextmanager
    def expect_job(self) -> Iterator[None]:
        """Note that work is under way that includes a job."""
        self._expected += 1
        try:
            yield
        finally:
            self._expected -= 1

    @property
    def expects_job(self) -> bool:
        """Whether work is under way whose job may not have begun, or has ended before it."""
        return self._expected > 0

    def watch(self) -> None:
        """Follow the jobs of the workspace, in the running event loop."""
        if self._workspace is not None:
            self._workspace.watch_jobs(self._note)

    async def find(self) -> Sequence[JobRecord]:
        """Return the jobs that the workspace remembers or the program has done since its start, the newest first."""
        own = tuple(reversed(self._ended))
        return (*own, *await self._workspace.find_jobs()) if self._workspace is not None else own

    def cancel(self, job: JobRecord) -> None:
        """Cancel a job; nothing of it is kept but what its ``kept`` says. Until it has ended, its state says so."""
        if (running := self._running.get(job.id)) is not None:
            self._cancelling.add(job.id)
            self._note(running)
        if (task := self._tasks.get(job.id)) is not None:
            task.cancel()
        elif self._workspace is not None:
            self._workspace.cancel_job(job.id)

    async def run(
        self,
        kind: str,
        what: str,
        space: str,
        work: Callable[[Callable[[Progress], None]], Coroutine[Any, Any, T]],
        result: Callable[[T], tuple[Mapping[str, int], Sequence[Finding]]],
    ) -> T:
        """Run work of the program itself as a job; ``work`` is called with a reporter of its progress.

        ``kind`` names the work and ``what`` its subject. ``result`` returns the result to keep: numbers of items by
        kind, and findings. Raises what ``work`` raises; where it was cancelled, that is :class:`Cancelled`.
        """
        id = f"own-{len(self._ended) + len(self._tasks)}"
        job = JobRecord(id, kind, what, space, JobState.RUNNING, self._clock())

        def report(progress: Progress) -> None:
            if id in self._tasks:
                now = replace(job, step=progress.doing, done=progress.done, total=progress.total, kept=progress.kept)
                self._note(now)

        def end(
            state: JobState, message: str = "", counts: Mapping[str, int] = _NONE, findings: Sequence[Finding] = ()
        ) -> None:
            del self._tasks[id]
            last = replace(self._running.get(id, job), state=state, ended_at=self._clock())
            ended = replace(last, message=message, counts=counts, findings=tuple(findings))
            self._ended.append(ended)
            self._note(ended)

        self._tasks[id] = task = asyncio.ensure_future(work(report))
        self._note(job)
        try:
            done = await task
        except (Cancelled, asyncio.CancelledError):
            end(JobState.CANCELLED, self._running[id].kept)
            raise
        except ClientError as error:
            end(JobState.FAILED, str(error))
            raise
        except Exception:
            end(JobState.FAILED, "Unexpected error; details are in the log.")
            raise
        counts, findings = result(done)
        end(JobState.FINISHED, counts=counts, findings=findings)
        return done

    def _note(self, record: JobRecord) -> None:
        if record.ended_at is not None:
            self._running.pop(record.id, None)
            self._cancelling.discard(record.id)
        else:
            if record.id in self._cancelling:
                record = replace(record, state=JobState.CANCELLING)
            self._running[record.id] = record
        self.changed.emit(record)


def progress_of(job: JobRecord) -> Progress:
    """Return how far a job is."""
    return Progress(job.step or job.kind, job.done, job.total)
