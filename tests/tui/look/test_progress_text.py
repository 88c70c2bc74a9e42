"""Progress in a few words."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

from recto.client.call import Call
from recto.contract.jobs import JobRecord, JobState
from recto.store.mutation import Mutation, Run
from recto.store.progress import Progress, Reporter, StepReporter
from recto.tui.look.progress_text import progress_line, under_way


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (Progress("Reading", 0, None), "Reading"),
        (Progress("Reading", 1200, None), "Reading: 1,200"),
        (Progress("Reading", 0, 40), "Reading: 0 of 40"),
    ],
)
def test_a_step_says_how_much_is_done(progress: Progress, line: str) -> None:
    assert progress_line(progress) == line


def test_the_oldest_job_is_named_and_the_others_counted() -> None:
    def job(id: str, done: int, total: int | None, state: JobState = JobState.RUNNING) -> JobRecord:
        started = datetime(2026, 9, 1, tzinfo=UTC)
        return JobRecord(id, "import of pages", "docs", None, state, started, done=done, total=total)

    assert under_way([]) == ""
    assert under_way([job("j1", 0, None)]) == "import"
    assert under_way([job("j1", 12, 40), job("j2", 1, None)]) == "import 12 of 40 and 1 more"
    cancelling = job("j2", 1, None, JobState.CANCELLING)
    assert under_way([job("j1", 12, 40), cancelling]) == "cancelling import and 1 more"
    sending, importing = change("Sending the comment"), change("Importing pages", Reporter())
    assert under_way([], [sending, importing]) == "sending the comment"
    assert under_way([job("j1", 12, 40)], [importing, sending]) == "import 12 of 40 and 1 more"
    steps = StepReporter()
    assert under_way([], [change("Removing members (3 members)", steps)]) == "removing members (3 members)"
    steps.report(Progress("Ada", 2, 3))
    assert under_way([], [change("Removing members (3 members)", steps)]) == "removing members 2 of 3"


def change(doing: str, progress: Reporter | None = None) -> Run[None]:
    async def call(_: Call) -> None: ...

    mutation = Mutation(doing=doing, done="", call=call, progress=progress)
    latest = progress.latest if progress is not None else None
    return cast("Run[None]", SimpleNamespace(mutation=mutation, progress=latest))
