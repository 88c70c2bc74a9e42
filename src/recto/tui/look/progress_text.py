"""Progress of long work, in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recto.contract.jobs import JobState

if TYPE_CHECKING:
    from recto.contract.jobs import JobRecord
    from recto.store.progress import Progress


def progress_line(progress: Progress) -> str:
    """Return a step and how much of it is done: ``Reading: 12 of 40``."""
    if progress.total is None:
        return f"{progress.doing}: {progress.done:,}" if progress.done else progress.doing
    return f"{progress.doing}: {progress.done:,} of {progress.total:,}"


def running_jobs(jobs: Sequence[JobRecord]) -> str:
    """Return the oldest of the running jobs, and how many more there are: ``import 12 of 40 and 1 more``.

    A job that is being cancelled comes first: ``cancelling import``.
    """
    if not jobs:
        return ""
    job = next((job for job in jobs if job.state is JobState.CANCELLING), jobs[0])
    amount = f" {job.done:,} of {job.total:,}" if job.total else f" {job.done:,}" if job.done else ""
    more = f" and {len(jobs) - 1} more" if len(jobs) > 1 else ""
    kind = job.kind.partition(" ")[0]
    return f"cancelling {kind}{more}" if job.state is JobState.CANCELLING else f"{kind}{amount}{more}"
