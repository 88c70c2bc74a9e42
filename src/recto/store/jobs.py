"""The jobs of the workspace in this process: those that run, told as they go on, and those that ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recto.store.progress import Progress
from recto.store.signal import Signal

if TYPE_CHECKING:
    from recto.contract.jobs import JobRecord
    from recto.store.workspace import LocalWorkspace


class Jobs:
    """Jobs under way. ``changed`` is emitted whenever one has got further or has ended."""

    def __init__(self, workspace: LocalWorkspace | None) -> None:
        self.changed: Signal[JobRecord] = Signal()
        self._workspace = workspace
        self._running: dict[str, JobRecord] = {}

    @property
    def running(self) -> Sequence[JobRecord]:
        """The jobs that run, the oldest first."""
        return tuple(self._running.values())

    def watch(self) -> None:
        """Follow the jobs of the workspace, in the running event loop."""
        if self._workspace is not None:
            self._workspace.watch_jobs(self._note)

    async def find(self) -> Sequence[JobRecord]:
        """Return the jobs that the workspace remembers, the newest first."""
        return await self._workspace.find_jobs() if self._workspace is not None else ()

    def cancel(self, job: JobRecord) -> None:
        """Have a job stop; it keeps nothing."""
        if self._workspace is not None:
            self._workspace.cancel_job(job.id)

    def _note(self, record: JobRecord) -> None:
        if record.ended_at is None:
            self._running[record.id] = record
        else:
            self._running.pop(record.id, None)
        self.changed.emit(record)


def progress_of(job: JobRecord) -> Progress:
    """Return how far a job is."""
    return Progress(job.step or job.kind, job.done, job.total)
