"""Jobs: long work outside of every transaction, with progress and cancelling, remembered in the workspace file.

A job first stores texts and files in short transactions, while nothing refers to them yet. Its last transaction makes
all of them visible, together with the record of its outcome. If it is cancelled, fails or is killed before that,
nothing of it is visible.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from recto.clock import Clock, stamp
from recto.contract.import_report import Finding
from recto.contract.jobs import JobRecord, JobState
from recto.frozen import frozen
from recto.server.context import Context
from recto.server.http.problems import Busy, Conflict, Problem
from recto.server.storage.database import Connection, Database, Row
from recto.server.translations.engine import Engine

if sys.platform != "win32":
    import fcntl


class JobLocks:
    """Locks on the bytes of a file beside the workspace, the byte of a job being that of its number.

    A process does not see its own locks. Where the system has none of this kind, no job is locked.
    """

    def __init__(self, workspace: Path) -> None:
        self._path = workspace.with_name(f"{workspace.name}.jobs")
        self._lock = threading.Lock()
        self._file: int | None = None

    def hold(self, job: str) -> None:
        """Lock a job of this process."""
        if sys.platform != "win32":
            fcntl.lockf(self._open(), fcntl.LOCK_EX, 1, int(job))

    def release(self, job: str) -> None:
        """Unlock a job of this process."""
        if sys.platform != "win32":
            fcntl.lockf(self._open(), fcntl.LOCK_UN, 1, int(job))

    def is_held_elsewhere(self, job: str) -> bool:
        """Whether another process has locked a job."""
        if sys.platform == "win32":
            return False
        try:
            # A shared lock, so that two processes that look at the same moment do not take each other for the job's.
            fcntl.lockf(self._open(), fcntl.LOCK_SH | fcntl.LOCK_NB, 1, int(job))
        except (BlockingIOError, PermissionError):
            return True
        self.release(job)
        return False

    def close(self) -> None:
        """Drop all locks of this process."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _open(self) -> int:
        # One file as long as the workspace is open: closing another would drop the locks of all.
        with self._lock:
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            return self._file


logger = logging.getLogger(__name__)

T = TypeVar("T")

MOST_RUNNING = 4
"""The most jobs started by requests that run at once."""

MOST_KEPT = 200
"""The most job records that are kept, besides the last report on each space."""

_OWN_REMEMBERED = 1000
"""The jobs of this process whose records count as running if they have no end."""

_UNFORESEEN = "Unexpected error; details are in the log."


class JobCancelled(Conflict):
    """The job was cancelled; nothing of it is in the workspace."""

    def __init__(self, message: str = "It was cancelled; nothing of it was kept.") -> None:
        super().__init__(message)


class JobFailed(Exception):
    """A job failed without changing anything; the message gives the reason and the next step."""


@frozen
class SpaceReport:
    """Report of a job on a space: its source (``what``), and findings such as files that were left out."""

    space: str
    what: str
    findings: tuple[Finding, ...] = ()


@frozen
class JobResult:
    """Result of a job: numbers of items by kind, a report for each space that it wrote, and other findings."""

    counts: Mapping[str, int] = field(default_factory=dict)
    reports: Sequence[SpaceReport] = ()
    findings: tuple[Finding, ...] = ()


@frozen
class Task(Generic[T]):
    """Work for a job: ``do`` is called on a thread of its own, outside of every transaction.

    ``kind`` names the work and ``what`` its subject; both are shown, so they contain no credentials. ``do`` ends with
    :meth:`Job.finish` and returns the response. On failure it raises :class:`JobFailed` or a :class:`Problem`, also
    without credentials.
    """

    kind: str
    what: str
    do: Callable[[Job], T]
    space: str | None = None


@frozen
class Begun:
    """The response of an operation whose job has begun, and whether it made something new."""

    response: Any = None
    is_new: bool = False


class Work(Protocol):
    """What a step of a job needs: its origin, a way to report progress, and whether to stop."""

    @property
    def is_local(self) -> bool:
        """Whether the owner asked for it in this process: local files and private addresses are theirs to name."""
        ...

    def is_cancelled(self) -> bool:
        """Whether the work is to stop."""
        ...

    def stop_if_cancelled(self) -> None:
        """Raise :class:`JobCancelled` once the work is to stop."""
        ...

    def progress(self, step: str, done: int, total: int | None) -> None:
        """Report progress."""
        ...


class Contexts(Protocol):
    """The parts of the platform that jobs use."""

    @property
    def database(self) -> Database:
        """The database."""
        ...

    @property
    def clock(self) -> Clock:
        """The clock."""
        ...

    @property
    def owner(self) -> str:
        """The id of the workspace's owner."""
        ...

    @property
    def public_url(self) -> str | None:
        """The address by which others reach the workspace."""
        ...

    @property
    def engine(self) -> Engine | None:
        """The program that translates, if the owner has set any."""
        ...

    def context(self, connection: Connection, caller: str | None = None, base_url: str = "") -> Context:
        """Return the context of a call."""
        ...


class Cancellation:
    """Whether work is to stop."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._may_be_cancelled = True

    def cancel(self) -> None:
        """Stop the work before its next step; may be called on any thread, and by a signal handler."""
        self._cancelled.set()

    def end_cancelling(self) -> None:
        """Refuse to cancel from here on: the next step is visible outside of the workspace.

        Raises :class:`JobCancelled` where it was cancelled before.
        """
        self.stop_if_cancelled()
        self._may_be_cancelled = False

    def is_cancelled(self) -> bool:
        """Whether the work is to stop."""
        return self._may_be_cancelled and self._cancelled.is_set()

    def stop_if_cancelled(self) -> None:
        """Raise :class:`JobCancelled` once the work is to stop."""
        if self.is_cancelled():
            raise JobCancelled


_NOTHING_NEW = Begun()


class Job(Cancellation):
    """A job that runs. All but :meth:`cancel` is for its own thread."""

    def __init__(
        self,
        platform: Contexts,
        record: JobRecord,
        caller: str,
        base_url: str,
        is_local: bool,
        on_progress: Callable[[Job], None],
        begun: Future[Begun],
    ) -> None:
        super().__init__()
        self.record = record
        self.caller = caller
        self.is_local = is_local
        """Whether the owner asked for it in this process: local files and private addresses are theirs to name."""
        self.is_ended = threading.Event()
        self.is_end_noted = False
        """Whether the workspace says how it ended."""
        self._platform = platform
        self._base_url = base_url
        self._on_progress = on_progress
        self._begun = begun

    def begin(self, begun: Begun = _NOTHING_NEW) -> None:
        """Mark the checks as passed: a caller that does not wait for the result gets its response now."""
        if not self._begun.done():
            self._begun.set_result(begun)

    def progress(self, step: str, done: int, total: int | None) -> None:
        """Report progress; a new step is stored in the workspace."""
        is_new = step != self.record.step
        self.record = replace(self.record, step=step, done=done, total=total)
        if is_new:
            self._platform.database.write_now(
                lambda connection: connection.update("jobs", self.record.id, step=step, done=done, total=total)
            )
        self._on_progress(self)

    def read(self, work: Callable[[Context], T]) -> T:
        """Run ``work`` in a read transaction."""
        return self._platform.database.read_now(lambda connection: work(self._context(connection)))

    def write(self, work: Callable[[Context], T]) -> T:
        """Run ``work`` in a short transaction, for data that nothing refers to yet."""
        return self._platform.database.write_now(lambda connection: work(self._context(connection)))

    @property
    def database(self) -> Database:
        """The workspace's file."""
        return self._platform.database

    @property
    def engine(self) -> Engine | None:
        """The program that translates, if the owner has set any."""
        return self._platform.engine

    def finish(self, work: Callable[[Context], tuple[T, JobResult] | None]) -> T | None:
        """Run ``work`` in the job's last transaction, and note the outcome that it returns in the same.

        ``None`` from ``work`` means that something stored ahead has been swept since: nothing is noted then. Raises
        :class:`JobCancelled`, without changes, where the job was cancelled before the end.
        """

        def end(connection: Connection) -> tuple[T, JobResult] | None:
            found = work(self._context(connection))
            if found is not None:
                self.stop_if_cancelled()
                self._note_outcome(connection, found[1])
            return found

        found = self._platform.database.write_now(end)
        self.is_end_noted = found is not None
        return None if found is None else found[0]

    def note_end(self, state: JobState, message: str = "") -> None:
        """Record that the job ended without a result."""
        self._end(state, message)
        with suppress(Problem):  # the disk takes nothing, so it is found as interrupted
            self._platform.database.write_now(self._write_end)
            self.is_end_noted = True

    def _note_outcome(self, connection: Connection, outcome: JobResult) -> None:
        for report in outcome.reports:
            connection.execute("DELETE FROM job_reports WHERE space = ?", report.space)
            connection.insert(
                "job_reports",
                job=self.record.id,
                space=report.space,
                what=report.what,
                findings=_write(report.findings),
            )
        counts = json.dumps(dict(outcome.counts))
        connection.update("jobs", self.record.id, counts=counts, findings=_write(outcome.findings))
        reported = (each for report in outcome.reports for each in report.findings)
        findings_of_all = tuple(dict.fromkeys((*reported, *outcome.findings)))
        self.record = replace(self.record, counts=outcome.counts, findings=findings_of_all)
        self._end(JobState.FINISHED)
        self._write_end(connection)

    def _end(self, state: JobState, message: str = "") -> None:
        self.record = replace(self.record, state=state, message=message, ended_at=self._platform.clock())

    def _write_end(self, connection: Connection) -> None:
        record = self.record
        assert record.ended_at is not None
        connection.update(
            "jobs",
            record.id,
            state=record.state.value,
            message=record.message,
            step=record.step,
            done=record.done,
            total=record.total,
            ended_at=stamp(record.ended_at),
        )

    def _context(self, connection: Connection) -> Context:
        return self._platform.context(connection, self.caller, self._base_url)


class Jobs:
    """The jobs of an open workspace. ``on_change`` is called on a job's thread at each change of its record."""

    def __init__(self, platform: Contexts) -> None:
        self.on_change: Callable[[JobRecord], None] = lambda record: None
        self._platform = platform
        self._running: dict[str, Job] = {}
        self._own: deque[str] = deque(maxlen=_OWN_REMEMBERED)
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()
        self._locks = JobLocks(platform.database.path)
        self._is_closed = False

    def run(
        self,
        task: Task[T],
        *,
        caller: str | None = None,
        base_url: str = "",
        is_local: bool = True,
        watch: Callable[[Job], None] = lambda job: None,
        begun: Future[Begun] | None = None,
    ) -> T:
        """Do a task as a job on this thread, which must not be the event loop's.

        ``watch`` is called with the job at each step; it may cancel it. ``begun`` is done with
        :meth:`Job.begin`. ``is_local`` is false for other callers than
        the owner in this process. Raises what the task raises.
        """

        def on_progress(job: Job) -> None:
            self.on_change(job.record)
            watch(job)

        record = self._platform.database.write_now(lambda connection: self._begin(connection, task, caller))
        job = Job(
            self._platform, record, caller or self._platform.owner, base_url, is_local, on_progress, begun or Future()
        )
        with self._lock:
            self._running[record.id] = job
            if self._is_closed:
                job.cancel()
        try:
            on_progress(job)
            return task.do(job)
        except JobCancelled:
            job.note_end(JobState.INTERRUPTED if self._is_closed else JobState.CANCELLED)
            raise
        except (Problem, JobFailed) as error:
            job.note_end(JobState.FAILED, str(error))
            raise
        except BaseException:
            job.note_end(JobState.FAILED, _UNFORESEEN)
            raise
        finally:
            with self._lock:
                del self._running[record.id]
                if not job.is_end_noted and record.id in self._own:
                    self._own.remove(record.id)
            self._locks.release(record.id)
            self.on_change(job.record)

    def start(
        self,
        task: Task[T],
        *,
        caller: str | None = None,
        base_url: str = "",
        is_local: bool = True,
        watch: Callable[[Job], None] = lambda job: None,
        begun: Future[Begun] | None = None,
    ) -> Future[T]:
        """Do a task as a job on a thread of its own, and return a future of its result; see :meth:`run`.

        Raises :class:`Busy` where as many jobs run as may.
        """
        future: Future[T] = Future()

        def do() -> None:
            try:
                result = self.run(task, caller=caller, base_url=base_url, is_local=is_local, watch=watch, begun=begun)
            except BaseException as error:
                if not isinstance(error, Problem | JobFailed):
                    logger.warning("The %s failed with %s.", task.kind, type(error).__name__)
                future.set_exception(error)
            else:
                future.set_result(result)
            finally:
                with self._lock:
                    self._threads.discard(threading.current_thread())

        thread = threading.Thread(target=do, name="recto-job")
        with self._lock:
            if len(self._threads) >= MOST_RUNNING or self._is_closed:
                raise Busy("This server already runs as many jobs as it can. Try again later.")
            self._threads.add(thread)
        thread.start()
        return future

    def cancel(self, id: str) -> bool:
        """Cancel a job of this process; return whether it runs here."""
        with self._lock:
            job = self._running.get(id)
        if job is not None:
            job.cancel()
        return job is not None

    def close(self) -> None:
        """Interrupt the jobs that run, and wait until they have stopped."""
        with self._lock:
            self._is_closed = True
            threads = tuple(self._threads)
            for job in self._running.values():
                job.cancel()
        for thread in threads:
            thread.join()
        self._locks.close()

    def is_running(self, id: str) -> bool:
        """Whether a job without a stored end is running, in this process or another.

        Of this process's own jobs the end may have been noted after the reading began.
        """
        return id in self._running or id in self._own or self._locks.is_held_elsewhere(id)

    def find(self, connection: Connection, space: str | None = None, most: int = 50) -> list[JobRecord]:
        """Return the jobs of a space or of all, the newest first."""
        rows = connection.all(
            "SELECT * FROM jobs WHERE ?1 IS NULL OR space = ?1"
            " OR id IN (SELECT job FROM job_reports WHERE space = ?1) ORDER BY id DESC LIMIT ?2",
            space,
            most,
        )
        return [self._record(connection, row) for row in rows]

    def _record(self, connection: Connection, row: Row) -> JobRecord:
        id, state = str(row["id"]), JobState(row["state"])
        if state is JobState.RUNNING and not self.is_running(id):
            state = JobState.INTERRUPTED
        stored = connection.column("SELECT findings FROM job_reports WHERE job = ? ORDER BY space", id)
        return JobRecord(
            id=id,
            kind=row["kind"],
            what=row["what"],
            space=row["space"],
            state=state,
            started_at=datetime.fromisoformat(row["started_at"]),
            step=row["step"],
            done=row["done"],
            total=row["total"],
            ended_at=datetime.fromisoformat(row["ended_at"]) if row["ended_at"] else None,
            message=row["message"],
            counts=json.loads(row["counts"]),
            findings=tuple(dict.fromkeys(each for found in (*stored, row["findings"]) for each in _findings(found))),
        )

    def _begin(self, connection: Connection, task: Task[T], caller: str | None) -> JobRecord:
        now = self._platform.clock()
        connection.execute(
            "DELETE FROM jobs WHERE state <> 'running' AND id NOT IN (SELECT id FROM jobs ORDER BY id DESC LIMIT ?)"
            " AND id NOT IN (SELECT job FROM job_reports)",
            MOST_KEPT,
        )
        connection.insert(
            "jobs",
            kind=task.kind,
            what=task.what,
            space=task.space,
            caller=caller or self._platform.owner,
            state=JobState.RUNNING.value,
            started_at=stamp(now),
        )
        id = str(connection.value("SELECT last_insert_rowid()"))
        self._locks.hold(id)
        self._own.append(id)
        return JobRecord(id, task.kind, task.what, task.space, JobState.RUNNING, now)


def find_report(connection: Connection, space: str) -> tuple[SpaceReport, datetime] | None:
    """Return the report of the last job that wrote a space, and its time; ``None`` if there is none."""
    row = connection.one(
        "SELECT job_reports.what, job_reports.findings, ended_at FROM job_reports JOIN jobs ON jobs.id = job"
        " WHERE job_reports.space = ?",
        space,
    )
    if row is None:
        return None
    return SpaceReport(space, row["what"], _findings(row["findings"])), datetime.fromisoformat(row["ended_at"])


def _write(findings: Sequence[Finding]) -> str:
    return json.dumps([[finding.message, finding.lines] for finding in findings], ensure_ascii=False)


def _findings(stored: str) -> tuple[Finding, ...]:
    return tuple(Finding(message, tuple(lines)) for message, lines in json.loads(stored))
