"""Progress of jobs that commands run, on standard error, and how Ctrl+C cancels them."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from recto.cli.failures import CANCELLED, CommandError
from recto.contract.jobs import JobRecord, JobState

if TYPE_CHECKING:
    from recto.server.jobs import Job, Jobs
    from recto.store.progress import Progress

_BETWEEN_LOOKS_S: Final = 0.1


class WatchedJob:
    """A job that is cancelled at once: it may wait for a server, and report no progress."""

    def __init__(self) -> None:
        self._running: Job | None = None
        self._is_cancelled = False

    def watch(self, job: Job) -> None:
        """Take the job that runs; called at each of its steps."""
        self._running = job
        if self._is_cancelled:
            job.cancel()

    def cancel(self) -> None:
        """Cancel the job, even if it has yet to begin; on any thread, and for :func:`on_interrupt`."""
        self._is_cancelled = True
        if self._running is not None:
            self._running.cancel()


@contextmanager
def watch_job() -> Iterator[Callable[[Job], None]]:
    """Return a callback for a job that shows its progress, and cancels it after Ctrl+C."""
    watched = WatchedJob()
    with on_interrupt(watched.cancel), ProgressLine() as line:

        def watch(job: Job) -> None:
            line.show(job.record.step, job.record.done, job.record.total)
            watched.watch(job)

        yield watch


@contextmanager
def on_interrupt(cancel: Callable[[], None]) -> Iterator[None]:
    """Make Ctrl+C call ``cancel`` in place of stopping the program at once: no file is left half written."""
    before = signal.signal(signal.SIGINT, lambda *_: cancel())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class BegunJobs:
    """The jobs that calls to the own workspace have begun; they run in this process, and end with it."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._records: dict[str, JobRecord] = {}
        self._is_cancelled = False
        jobs.on_change = self._note

    def _note(self, job: JobRecord) -> None:
        self._records[job.id] = job

    @property
    def running(self) -> list[JobRecord]:
        """Those that have not ended."""
        return [job for job in list(self._records.values()) if job.state is JobState.RUNNING]

    def cancel(self) -> None:
        """Make :meth:`wait` cancel the jobs; for :func:`on_interrupt`."""
        self._is_cancelled = True

    async def wait(self) -> list[JobRecord]:
        """Show the progress of the jobs until all have ended, and return them."""
        with ProgressLine() as line:
            while running := self.running:
                if self._is_cancelled:
                    for job in running:
                        self._jobs.cancel(job.id)
                line.show(running[0].step, running[0].done, running[0].total)
                await asyncio.sleep(_BETWEEN_LOOKS_S)
        return list(self._records.values())


def check_finished(job: JobRecord) -> None:
    """Raise ``CommandError`` for a job that was cancelled or failed."""
    if job.state is JobState.CANCELLED:
        raise CommandError(f"Cancelled the {job.kind}; nothing of it was kept.", CANCELLED)
    if job.state is not JobState.FINISHED:
        raise CommandError(f"The {job.kind} failed. {job.message}")


class ProgressLine:
    """A line on standard error that says how far the work is, where that is a terminal."""

    def __init__(self) -> None:
        self._shown = ""

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._draw("")

    def follow(self, progress: Progress) -> None:
        """Show how far a work of the store is."""
        self.show(progress.doing, progress.done, progress.total)

    def show(self, step: str, done: int, total: int | None) -> None:
        """Show a step, and how much of it is done."""
        if sys.stderr.isatty() and step:
            of_all = f" of {total:,}" if total is not None else ""
            self._draw(f"{step}: {done:,}{of_all}" if done or total else step)

    def _draw(self, text: str) -> None:
        if text != self._shown:
            print(f"\r{text.ljust(len(self._shown))}{'' if text else chr(13)}", end="", file=sys.stderr, flush=True)
            self._shown = text
