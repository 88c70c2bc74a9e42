"""Jobs: the progress of those that run, and the results of those that ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.contract.jobs import JobRecord, JobState
from recto.document.text import count
from recto.store.jobs import progress_of
from recto.store.mutation import Cancelled, Outcome
from recto.tui.actions import bindings, name_keys
from recto.tui.dialogs.confirm import NOTHING_CHANGES, Confirm
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.import_report import finding_lines
from recto.tui.dialogs.report import Report
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines, times
from recto.tui.look.lines import Line, plain
from recto.tui.look.progress_text import progress_line
from recto.tui.screens.interactive import Interactive

if TYPE_CHECKING:
    from recto.store.mutation import Mutation
    from recto.store.signal import Subscription
    from recto.store.store import Store

R = TypeVar("R")

_STATES = {
    JobState.RUNNING: ("…", "accent"),
    JobState.CANCELLING: ("…", "warning"),
    JobState.FINISHED: ("✓", "success"),
    JobState.FAILED: ("×", "error"),
    JobState.CANCELLED: ("–", "muted"),
    JobState.INTERRUPTED: ("!", "warning"),
}


class JobsDialog(Dialog[None], Interactive):
    """Lists the jobs, those that run with their progress; enter shows a result, esc closes the dialog.

    ``until_ended`` closes it by itself once none runs.
    """

    BINDINGS = bindings("dialog.accept", "job.cancel")
    ACCEPTS = "Open"

    def __init__(self, store: Store, *, until_ended: bool = False) -> None:
        super().__init__("Jobs")
        self.store = store
        self._until_ended = until_ended
        self._stored: Sequence[JobRecord] = ()
        """Those that have ended, and those that another process runs."""
        self._is_found = False
        """Whether it is known what has ended."""
        self._watching: Subscription | None = None
        self._asking: tuple[str, Confirm] | None = None
        """The id of the job that the person is asked about, and the question."""

    def compose_body(self) -> ComposeResult:
        """Compose the hint, and the jobs."""
        yield Static(classes="says")
        yield VirtualList()

    def on_mount(self) -> None:
        """Follow the jobs."""
        self._watching = self.store.jobs.changed.subscribe(lambda job: cast(None, self.call_later(self._follow, job)))
        self._show()
        self.work(self._find(), "jobs", instead_of="jobs")

    def on_unmount(self) -> None:
        """Stop following the jobs."""
        if self._watching is not None:
            self._watching.close()

    def _follow(self, job: JobRecord) -> None:
        if job.ended_at is not None:
            if self._asking is not None and self._asking[0] == job.id:
                self._asking[1].dismiss(None)
            if self._until_ended and not self.store.jobs.running:
                self.dismiss(None)
                return
            self.work(self._find(), "jobs", instead_of="jobs")
        self._show()

    async def _find(self) -> None:
        found = await self.store.jobs.find()
        own = {job.id for job in self.store.jobs.running}
        self._stored = [job for job in found if job.id not in own]
        self._is_found = True
        self._show()

    def _show(self) -> None:
        if not self.is_attached:
            return
        running = self.store.jobs.running
        # The job that this was opened for is about to begin: the cursor stands on it, not on an earlier one.
        own = {job.id for job in running}
        stored = [job for job in self._stored if job.id not in own] if running or not self._until_ended else ()
        goes_on = any(job.state is JobState.RUNNING for job in running)
        says = "It goes on when ‹dialog.close› puts this aside; the title shows how far it is." if goes_on else ""
        if not running and self.store.jobs.expects_job:
            says = "Under way…"
        elif not running and not self._stored and self._is_found:
            says = "No jobs yet."
        self.query_one(".says", Static).update(Content(name_keys(self, says)))
        shown = self.query_one(VirtualList)
        shown.show(ItemRows([*running, *stored], self._draw, key=lambda job: job.id))
        self.refresh_bindings()

    def _draw(self, job: JobRecord, width: int) -> Line:
        sign, role = _STATES[job.state]
        if job.state is JobState.RUNNING:
            right = progress_line(progress_of(job))
        elif job.ended_at is None:
            right = job.state.value
        else:
            right = f"{_outcome(job)}, {times.ago(job.started_at, self.store.clock())}"
        what = plain(job.what)
        left = [(f"{sign} ", role), (f"{job.kind}: " if what else job.kind, "muted"), (what, "")]
        return lines.beside(left, [(right, "muted")], width)

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Show the result of a job."""
        event.stop()
        job = self._job()
        if job is not None and job.ended_at is not None:
            self.work(self._report(job), "report", instead_of="report")

    async def _report(self, job: JobRecord) -> None:
        await self.ask(Report(f"{job.kind[:1].upper()}{job.kind[1:]}", job_lines(job)))

    def _job(self) -> JobRecord | None:
        shown = self.query_one(VirtualList)
        rows = shown.rows
        return rows.item(shown.cursor) if isinstance(rows, ItemRows) and len(rows) else None

    def why_not(self, action: str) -> str | None:
        """Return the reason why there is nothing to cancel."""
        if action == "job.cancel":
            job = self._job() if self.is_whole else None
            is_own = job is None or any(job.id == each.id for each in self.store.jobs.running)
            is_elsewhere = job is not None and job.state is JobState.RUNNING and not is_own
            return "another program runs it" if is_elsewhere else why_not_cancelled(job)
        return super().why_not(action)

    def action_dialog_accept(self) -> None:
        """Show the result of the job under the cursor."""
        self.query_one(VirtualList).action_list_open()

    def action_job_cancel(self) -> None:
        """Ask whether to cancel the job under the cursor."""
        job = self._job()
        if job is not None:
            self.work(self._cancel(job), "cancel", unless_running="cancel")

    async def _cancel(self, job: JobRecord) -> None:
        question = cancel_question(job)
        self._asking = job.id, question
        if await self.ask(question):
            self.store.jobs.cancel(job)
        self._asking = None


def why_not_cancelled(job: JobRecord | None) -> str | None:
    """Return why a job cannot be cancelled, or that there is none."""
    if job is not None and job.state is JobState.CANCELLING:
        return "it is being cancelled"
    return None if job is not None and job.state is JobState.RUNNING else "it does not run"


def cancel_question(job: JobRecord) -> Confirm:
    """Return the question whether to cancel a job."""
    return Confirm(
        f"Cancel the {job.kind}",
        f"{job.what}: it is under way. {job.kept or 'Cancelled, nothing of it is kept.'}",
        does="cancels it",
        keeps="goes on",
        undo=NOTHING_CHANGES,
    )


async def show_while(host: Interactive, work: Awaitable[R]) -> R:
    """Show the jobs while work runs, until it ends or the dialog is closed; return its result."""
    dialog = JobsDialog(host.store, until_ended=True)
    showing = host.work(host.ask(dialog), "jobs", instead_of="jobs")
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    try:
        # Leaving the view does not cancel the work.
        with host.store.jobs.expect_job():
            return await asyncio.shield(task)
    finally:
        if dialog.is_attached:
            dialog.dismiss(None)
        else:
            showing.cancel()


async def show_job(host: Interactive, space: str, mutation: Mutation[R]) -> Outcome[R]:
    """Send a change that begins a job of a space; a job of the embedded platform is shown until it ends or the dialog
    is closed.

    The outcome of a job that the person cancelled is a :class:`Cancelled`.
    """
    store = host.store
    if store.workspace is None:
        return await host.send(mutation)
    before = await newest_job(store, space)
    outcome = await show_while(host, host.send(mutation))
    job = await newest_job(store, space)
    # What was refused at once has begun no job.
    begun = job if before is None or job is None or job.id != before.id else None
    if not outcome.ok and begun is not None and begun.state is JobState.CANCELLED:
        return Outcome(None, Cancelled("Nothing was changed.", "You cancelled it.", ""))
    return outcome


async def newest_job(store: Store, space: str) -> JobRecord | None:
    """Return the newest job of a space; ``None`` if there is none, or the platform is a hosted one."""
    jobs = await store.workspace.find_jobs(space) if store.workspace is not None else ()
    return jobs[0] if jobs else None


def job_lines(job: JobRecord) -> list[str]:
    """Return the result of a job: its end, its counts, and what was left out and why."""
    found = [job.what, f"{_outcome(job).capitalize()}, {times.exact(job.ended_at or job.started_at)}."]
    if job.message:
        found.append(job.message)
    if job.state is JobState.INTERRUPTED:
        found.append(f"The program ended during “{job.step or job.kind}”; nothing of it was kept.")
    return [*found, *finding_lines(job.findings)]


def _outcome(job: JobRecord) -> str:
    if job.state is not JobState.FINISHED:
        return job.state.value
    return ", ".join(_count_by_name(number, name) for name, number in job.counts.items() if number) or "nothing new"


def _count_by_name(number: int, name: str) -> str:
    """Count by a name in the plural that may go on: ``1 page``, ``12 files written``."""
    things, *others = name.split(" ")
    return " ".join((count(number, things.removesuffix("s"), things), *others))
