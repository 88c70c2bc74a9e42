"""The actions of the workspace on this machine beyond the API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recto import paths
from recto.cli.job_progress import WatchedJob
from recto.client.errors import ClientError, ReadOnly
from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.jobs import JobState
from recto.server.content.change_requests import find_change_request
from recto.server.http.problems import Problem
from recto.server.jobs import JobCancelled
from recto.server.people.directory import rename_user
from recto.store.locations import GitPlace
from recto.store.mutation import Cancelled
from recto.store.progress import Progress
from recto.store.workspace import ImportCancelled, WorkspaceError

if TYPE_CHECKING:
    from recto.contract.addresses import Address
    from recto.contract.export_report import ExportReport
    from recto.contract.import_report import Finding, ImportReport, SpaceImport
    from recto.contract.jobs import JobRecord
    from recto.server.jobs import Job
    from recto.server.platform import Platform
    from recto.server.storage.database import Connection

T = TypeVar("T")

_BETWEEN_LOOKS_S = 0.1
"""The seconds between two updates of a job's progress."""


class OwnWorkspace:
    """The embedded platform, as :class:`recto.store.workspace.LocalWorkspace` wants it.

    Where it is read-only, each change is refused with :class:`recto.client.errors.ReadOnly`.
    """

    def __init__(self, platform: Platform, *, read_only: bool = False) -> None:
        self._platform = platform
        self._read_only = read_only

    @property
    def id(self) -> str:
        """The id of the workspace in the addresses of its content."""
        return self._platform.owner

    async def version(self) -> int:
        """Return the version of the file, which other programs' changes raise."""
        return await self._platform.database.version()

    async def import_folder(self, folder: Path, organization: str | None = None) -> ImportReport:
        """Import a folder on a thread of its own; cancelled, nothing of it stays."""
        self._check_writable(f"{folder} was not imported.")
        return await _run(partial(_import_folder, self._platform, folder, organization))

    async def export_folder(self, at: Address, folder: Path, *, force: bool = False) -> ExportReport:
        """Write a space's content into a folder on a thread of its own; cancelled, nothing in it is changed."""
        return await _run(partial(_export_folder, self._platform, at, folder, force))

    def watch_jobs(self, on_change: Callable[[JobRecord], None]) -> None:
        """Report the progress of jobs on the event loop's thread, on which this is called."""
        loop = asyncio.get_running_loop()

        def pass_on(record: JobRecord) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(on_change, record)

        self._platform.jobs.on_change = pass_on

    def cancel_job(self, id: str) -> None:
        """Cancel a job."""
        self._platform.jobs.cancel(id)

    async def find_jobs(self, space: str | None = None) -> Sequence[JobRecord]:
        """Return the jobs of a space or of all that the workspace remembers, the newest first."""
        database, jobs = self._platform.database, self._platform.jobs
        return await asyncio.to_thread(database.read_now, lambda connection: jobs.find(connection, space))

    async def find_import(self, space: str) -> SpaceImport | None:
        """Return the last import of a space's folder."""
        from recto.server.exchange import find_import_report

        database = self._platform.database
        return await asyncio.to_thread(database.read_now, lambda connection: find_import_report(connection, space))

    async def find_changed_pages(self, translation: str) -> Collection[str]:
        """Return the ids of the source's pages that have changed since they were translated."""
        from recto.server.translations.running import find_changed_pages

        with _refusals_as("The pages of the translation could not be compared."):
            return await asyncio.to_thread(
                self._platform.database.read_now, lambda connection: find_changed_pages(connection, translation)
            )

    async def find_waiting_pages(self, translation: str) -> Mapping[str, int]:
        """Return the numbers of the change requests that hold translations, by the ids of the source's pages."""
        from recto.server.translations.running import find_waiting_pages

        with _refusals_as("The pages of the translation could not be compared."):
            return await asyncio.to_thread(
                self._platform.database.read_now, lambda connection: find_waiting_pages(connection, translation)
            )

    async def find_branch(self, space: str) -> GitPlace | None:
        """Return the branch with which a space was last synchronized, or that its folder came from."""
        from recto.server.git.state import find_sync

        database = self._platform.database
        sync = await asyncio.to_thread(database.read_now, lambda connection: find_sync(connection, space))
        return GitPlace(sync.address, sync.ref, sync.directory) if sync is not None else None

    async def find_uncommitted(self, space: str) -> Sequence[Finding]:
        """Return the uncommitted files of the Git working tree that a space was opened from."""
        from recto.server.git.working_tree import find_uncommitted

        return await asyncio.to_thread(find_uncommitted, self._platform.database, space)

    async def follow_job(self, space: str, progress: Callable[[Progress], None]) -> None:
        """Wait until the newest job on a space has ended; cancelled as a task, the job is cancelled."""
        platform = self._platform
        record = await self._newest_job(space)
        try:
            while record is not None and record.state is JobState.RUNNING:
                progress(Progress(record.step, record.done, record.total))
                await asyncio.sleep(_BETWEEN_LOOKS_S)
                record = await self._newest_job(space)
        except asyncio.CancelledError:
            if record is not None:
                platform.jobs.cancel(record.id)
            raise
        if record is not None and record.state is not JobState.FINISHED:
            raise WorkspaceError(f"The {record.kind} did not finish.", record.message or "It was cancelled.")

    async def _newest_job(self, space: str) -> JobRecord | None:
        platform = self._platform
        found = await asyncio.to_thread(
            platform.database.read_now, lambda connection: platform.jobs.find(connection, space, 1)
        )
        return found[0] if found else None

    def watch_indexing(self, on_progress: Callable[[Progress], None]) -> None:
        """Report the indexer's progress on the event loop's thread, on which this is called."""
        loop = asyncio.get_running_loop()

        def pass_on(doing: str, done: int, total: int) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(on_progress, Progress(doing, done, total))

        self._platform.indexer.on_progress = pass_on

    async def guide(self) -> str | None:
        """Return the id of the guide's organization, if it is there."""
        from recto.server.guide import find_guide

        with _refusals_as("It could not be found out which organization is the guide."):
            return await asyncio.to_thread(find_guide, self._platform)

    async def remove_guide(self) -> None:
        """Remove the organization that is the program's guide."""
        from recto.server.guide.installation import remove_guide

        what = "The guide was not removed."
        self._check_writable(what)
        with _refusals_as(what):
            await asyncio.to_thread(remove_guide, self._platform)

    async def rename_owner(self, name: str, email: str) -> None:
        """Change the name and the e-mail address of the owner."""
        name, what = name.strip(), "Your name was not changed."
        self._check_writable(what)
        if not name:
            raise WorkspaceError(what, "A name cannot be empty.")
        owner = self._platform.owner
        with _refusals_as(what):
            await self._platform.database.write(
                lambda connection: rename_user(connection, owner, name, email.strip() or None)
            )

    def _check_writable(self, what: str) -> None:
        if self._read_only:
            raise ReadOnly(what)


async def _run(work: Callable[[Callable[[Job], None]], T]) -> T:
    """Run a job on a thread; ``work`` is called with what watches it. Cancelled, wait until the job has stopped."""
    watched = WatchedJob()
    task = asyncio.create_task(asyncio.to_thread(work, watched.watch))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        # The thread stops between two short steps; waiting for it leaves nothing half-way behind.
        watched.cancel()
        with suppress(ClientError):
            await task
        raise


@contextmanager
def _refusals_as(what: str) -> Iterator[None]:
    """Raise what the platform refuses as this failure."""
    try:
        yield
    except Problem as error:
        raise WorkspaceError(what, error.message) from error


def _export_folder(
    platform: Platform, at: Address, folder: Path, force: bool, watch: Callable[[Job], None]
) -> ExportReport:
    from recto.cli.folder_writing import export_refusals
    from recto.server.exchange import export_folder

    what, records = f"Nothing was written to {folder}.", paths.exports_dir()
    try:
        revision = platform.database.read_now(lambda connection: _revision_at(connection, at))
        with export_refusals(folder):
            return export_folder(
                platform, at.space, folder, records=records, revision=revision, force=force, watch=watch
            )
    except JobCancelled as error:
        raise Cancelled(what, "You cancelled it.", "") from error
    except Problem as error:
        raise WorkspaceError(what, error.message) from error


def _revision_at(connection: Connection, at: Address) -> str | None:
    """Return the revision at an address; ``None`` for main."""
    if isinstance(at, InChangeRequest):
        revision: str = find_change_request(connection, at.space, at.change_request)["revision"]
        return revision
    return at.revision if isinstance(at, AtRevision) else None


def _import_folder(
    platform: Platform, folder: Path, organization: str | None, watch: Callable[[Job], None]
) -> ImportReport:
    from recto.server.exchange import FolderError, import_folder
    from recto.server.git.remotes import find_top

    what = f"{folder} was not imported."
    try:
        report = import_folder(platform, folder, organization, watch=watch)
        if find_top(folder) is None:
            return report
        from recto.server.git.working_tree import connect

        return connect(platform, folder, report)
    except FolderError as error:
        raise WorkspaceError(what, str(error)) from error
    except JobCancelled as error:
        raise ImportCancelled(what, error.message) from error
    except Problem as error:
        raise WorkspaceError(what, error.message) from error
