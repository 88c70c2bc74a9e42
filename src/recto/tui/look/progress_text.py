"""Progress of long work, in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recto.contract.jobs import JobState
from recto.store.progress import StepReporter

if TYPE_CHECKING:
    from recto.contract.jobs import JobRecord
    from recto.store.mutation import Run
    from recto.store.progress import Progress


def progress_line(progress: Progress) -> str:
    """Return a step and how much of it is done: ``Reading: 12 of 40``."""
    if progress.total is None:
        return f"{progress.doing}: {progress.done:,}" if progress.done else progress.doing
    return f"{progress.doing}: {progress.done:,} of {progress.total:,}"


def under_way(jobs: Sequence[JobRecord], runs: Sequence[Run[Any]] = ()) -> str:
    """Return the oldest of the running jobs, and how many more there are: ``import 12 of 40 and 1 more``.

    A job that is being cancelled comes first: ``cancelling import``; changes under way come last:
    ``sending the comment``, ``removing members 2 of 3``. A change that is a job is named as the job.
    """
    first = sorted(jobs, key=lambda job: job.state is not JobState.CANCELLING)
    names = [*map(_job_name, first), *(_run_name(run) for run in runs if not _is_job(run))]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else ""


def _job_name(job: JobRecord) -> str:
    kind = job.kind.partition(" ")[0]
    if job.state is JobState.CANCELLING:
        return f"cancelling {kind}"
    return f"{kind}{_amount(job.done, job.total)}"


def _is_job(run: Run[Any]) -> bool:
    progress = run.mutation.progress
    return progress is not None and not isinstance(progress, StepReporter)


def _run_name(run: Run[Any]) -> str:
    doing, progress = run.mutation.doing, run.progress
    name = f"{doing[:1].lower()}{doing[1:]}"
    if progress is None:
        return name
    # The count says how many of them there are.
    return f"{name.partition(' (')[0]}{_amount(progress.done, progress.total)}"


def _amount(done: int, total: int | None) -> str:
    return f" {done:,} of {total:,}" if total else f" {done:,}" if done else ""
