"""Progress of long work, in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recto.contract.jobs import JobState

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
    ``sending the comment``. Those that report their progress show it themselves.
    """
    first = sorted(jobs, key=lambda job: job.state is not JobState.CANCELLING)
    changes = [run.mutation.doing for run in runs if run.mutation.progress is None]
    names = [*map(_job_name, first), *(f"{doing[:1].lower()}{doing[1:]}" for doing in changes)]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else ""


def _job_name(job: JobRecord) -> str:
    kind = job.kind.partition(" ")[0]
    if job.state is JobState.CANCELLING:
        return f"cancelling {kind}"
    amount = f" {job.done:,} of {job.total:,}" if job.total else f" {job.done:,}" if job.done else ""
    return f"{kind}{amount}"
