"""Jobs: progress, cancelling, one last transaction, and what is remembered of them."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from recto.contract.import_report import Finding
from recto.contract.jobs import JobRecord, JobState
from recto.server.context import Context
from recto.server.http.problems import BadRequest, Busy
from recto.server.jobs import MOST_RUNNING, Job, JobCancelled, JobFailed, JobResult, SpaceReport, Task, find_report
from recto.server.people.directory import remember
from recto.server.platform import Platform
from recto.server.storage.database import Connection
from support.content import make_space
from support.platform import make_platform

NOTE = "noted"


def jobs_of(platform: Platform, space: str | None = None) -> list[JobRecord]:
    return platform.database.read_now(lambda connection: platform.jobs.find(connection, space))


def noted(platform: Platform) -> str | None:
    found: str | None = platform.database.read_now(
        lambda connection: connection.value("SELECT value FROM workspace WHERE key = ?", NOTE)
    )
    return found


def write_note(context: Context) -> tuple[str, JobResult]:
    remember(context.database, NOTE, "here")
    return "made", JobResult({"pages": 3})


def counting(job: Job) -> str:
    for done in range(3):
        job.stop_if_cancelled()
        job.progress("Counting", done, 3)
    found = job.finish(write_note)
    assert found is not None
    return found


COUNT = Task("count", "to three", counting)


def finish_without_a_result(job: Job) -> None:
    job.finish(lambda context: (None, JobResult({})))


def held(begun: threading.Event, released: threading.Event, work: Callable[[Job], object] = counting) -> Task[object]:
    def do(job: Job) -> object:
        begun.set()
        released.wait(60)
        job.stop_if_cancelled()
        return work(job)

    return Task("count", "to three", do)


def test_a_job_tells_how_far_it_is_and_what_came_of_it_is_remembered(platform: Platform) -> None:
    told: list[JobRecord] = []
    platform.jobs.on_change = told.append
    assert platform.jobs.run(COUNT) == "made"
    assert [(each.step, each.done) for each in told] == [
        ("", 0),
        *(("Counting", done) for done in range(3)),
        ("Counting", 2),
    ]
    (record,) = jobs_of(platform)
    assert record == told[-1]
    assert (record.kind, record.what, record.state, record.counts) == (
        "count",
        "to three",
        JobState.FINISHED,
        {"pages": 3},
    )
    assert noted(platform) == "here"


def test_what_a_job_found_about_a_space_is_found_by_the_space_until_the_next_one(platform: Platform) -> None:
    space = make_space(platform, ())

    def reporting(what: str) -> Task[str]:
        finding = Finding(f"1 page of {what} was left out:", ("a.md",))

        def do(job: Job) -> str:
            outcome = JobResult({"pages": 1}, [SpaceReport(space, what, (finding,))])
            return job.finish(lambda context: ("", outcome)) or ""

        return Task("import", what, do)

    for what in ("first", "second"):
        platform.jobs.run(reporting(what))
    found = platform.database.read_now(lambda connection: find_report(connection, space))
    assert found is not None
    assert (found[0].what, found[0].findings[0].message) == ("second", "1 page of second was left out:")
    assert [each.what for each in jobs_of(platform, space)] == ["second"]
    assert jobs_of(platform)[0].findings == found[0].findings


def cancelled_at_once(job: Job) -> None:
    job.cancel()


def failing(error: Exception) -> Callable[[Job], str]:
    def do(job: Job) -> str:
        raise error

    return do


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (JobFailed("There is no such folder."), "There is no such folder."),
        (BadRequest("url: is no address"), "url: is no address"),
        (KeyError("secret"), "Unexpected error; details are in the log."),
    ],
)
def test_a_job_that_fails_is_remembered_with_the_reason(platform: Platform, error: Exception, message: str) -> None:
    with pytest.raises(type(error)):
        platform.jobs.run(replace(COUNT, do=failing(error)))
    (record,) = jobs_of(platform)
    assert (record.state, record.message) == (JobState.FAILED, message)
    assert noted(platform) is None


def test_a_cancelled_job_leaves_nothing_but_that_it_was_cancelled(platform: Platform) -> None:
    with pytest.raises(JobCancelled):
        platform.jobs.run(COUNT, watch=cancelled_at_once)
    assert (jobs_of(platform)[0].state, noted(platform)) == (JobState.CANCELLED, None)


def test_a_job_that_is_cancelled_in_its_last_transaction_writes_nothing(platform: Platform) -> None:
    def do(job: Job) -> str:
        def work(context: Context) -> tuple[str, JobResult]:
            written = write_note(context)
            job.cancel()
            return written

        return job.finish(work) or ""

    with pytest.raises(JobCancelled):
        platform.jobs.run(replace(COUNT, do=do))
    assert (jobs_of(platform)[0].state, noted(platform)) == (JobState.CANCELLED, None)


def test_a_job_of_another_thread_is_cancelled_by_its_id(platform: Platform) -> None:
    begun, released = threading.Event(), threading.Event()
    future = platform.jobs.start(held(begun, released))
    begun.wait(60)
    (record,) = jobs_of(platform)
    assert record.state is JobState.RUNNING
    assert platform.jobs.cancel(record.id)
    released.set()
    with pytest.raises(JobCancelled):
        future.result(60)
    assert not platform.jobs.cancel(record.id)


def test_more_jobs_at_once_than_may_be_are_refused(platform: Platform) -> None:
    released = threading.Event()
    futures = [platform.jobs.start(held(threading.Event(), released)) for _ in range(MOST_RUNNING)]
    with pytest.raises(Busy):
        platform.jobs.start(COUNT)
    released.set()
    assert [future.result(60) for future in futures] == ["made"] * MOST_RUNNING


def test_closing_the_workspace_interrupts_what_runs(platform: Platform, tmp_path: Path) -> None:
    begun = threading.Event()

    def do(job: Job) -> str:
        begun.set()
        while True:
            job.stop_if_cancelled()

    future = platform.jobs.start(Task("wait", "for ever", do))
    begun.wait(60)
    platform.close()
    assert isinstance(future.exception(30), JobCancelled)
    again = make_platform(tmp_path)
    assert jobs_of(again)[0].state is JobState.INTERRUPTED
    again.close()


@pytest.mark.parametrize("work", [counting, finish_without_a_result])
def test_a_job_that_ends_while_its_record_is_read_is_not_taken_for_interrupted(
    platform: Platform, work: Callable[[Job], object]
) -> None:
    begun, released = threading.Event(), threading.Event()
    future = platform.jobs.start(held(begun, released, work))
    begun.wait(60)

    def read(connection: Connection) -> JobState:
        assert connection.value("SELECT state FROM jobs") == "running"
        released.set()
        future.result(60)
        return platform.jobs.find(connection)[0].state

    assert platform.database.read_now(read) is JobState.RUNNING
    assert jobs_of(platform)[0].state is JobState.FINISHED


def test_a_job_whose_process_was_killed_is_found_as_interrupted(platform: Platform) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from recto.server.jobs import Task; from recto.server.platform import Platform\n"
        "def do(job): job.progress('Waiting', 2, 3); print('begun', flush=True); sys.stdin.read()\n"
        "Platform.open(Path(sys.argv[1])).jobs.run(Task('wait', 'for ever', do))"
    )
    command = [sys.executable, "-c", code, str(platform.database.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"begun\n"
        assert jobs_of(platform)[0].state is JobState.RUNNING
        process.kill()
        process.wait()
        (record,) = jobs_of(platform)
        assert (record.state, record.step, record.done) == (JobState.INTERRUPTED, "Waiting", 2)
