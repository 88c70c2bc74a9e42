"""Actions of the embedded workspace alone, beyond the API."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recto.client.errors import ClientError
from recto.store.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recto.contract.addresses import Address
    from recto.contract.export_report import ExportReport
    from recto.contract.import_report import Finding, ImportReport, SpaceImport
    from recto.contract.jobs import JobRecord
    from recto.store.locations import GitPlace


class WorkspaceError(ClientError):
    """An action of the embedded workspace failed, such as a folder without pages."""

    default_next_step = ""


class ImportCancelled(WorkspaceError):
    """An import was cancelled; nothing of it was kept."""


class FilesInTheWay(WorkspaceError):
    """An export would replace or delete files that no export has written; nothing was written."""


class LocalWorkspace(Protocol):
    """The workspace in this process. All of it may raise :class:`WorkspaceError`."""

    @property
    def id(self) -> str:
        """The id of the workspace in the addresses of its content."""
        ...

    async def version(self) -> int:
        """Return a number that is another after each change of the workspace by another program."""
        ...

    async def import_folder(self, folder: Path, organization: str | None = None) -> ImportReport:
        """Import a folder of documentation as spaces and a site; again, only its changes.

        A new folder goes to ``organization``, by default the person's own. Raises :class:`ImportCancelled` where the
        job was cancelled before the end; cancelled as a task, nothing unfinished stays.
        """
        ...

    async def export_folder(self, at: Address, folder: Path, *, force: bool = False) -> ExportReport:
        """Write a space's content into a folder, as :meth:`import_folder` reads it.

        Raises :class:`FilesInTheWay` where other files are there, which ``force`` replaces, and
        :class:`recto.store.mutation.Cancelled` where the job was cancelled; nothing in the folder is changed then, nor
        where it was cancelled as a task.
        """
        ...

    def watch_jobs(self, on_change: Callable[[JobRecord], None]) -> None:
        """Call ``on_change``, in the event loop's thread, at each progress of a job and at its end."""
        ...

    def cancel_job(self, id: str) -> None:
        """Cancel a job of this process."""
        ...

    async def find_jobs(self, space: str | None = None) -> Sequence[JobRecord]:
        """Return the jobs of a space or of all that the workspace remembers, the newest first."""
        ...

    async def find_import(self, space: str) -> SpaceImport | None:
        """Return the last import of a space's folder; ``None`` for a space that was not imported."""
        ...

    async def find_changed_pages(self, translation: str) -> Collection[str]:
        """Return the ids of the source's pages that have changed since they were translated."""
        ...

    async def find_waiting_pages(self, translation: str) -> Mapping[str, int]:
        """Return the numbers of the change requests that hold translations, by the ids of the source's pages."""
        ...

    async def find_branch(self, space: str) -> GitPlace | None:
        """Return the branch with which a space was last synchronized, or that its folder came from."""
        ...

    async def find_uncommitted(self, space: str) -> Sequence[Finding]:
        """Return the uncommitted files of the Git working tree that a space was opened from."""
        ...

    async def follow_job(self, space: str, progress: Callable[[Progress], None]) -> None:
        """Wait until the newest job on a space has ended; cancelled as a task, the job is cancelled.

        ``progress`` is called in the event loop's thread. Raises where the job has failed.
        """
        ...

    def watch_indexing(self, on_progress: Callable[[Progress], None]) -> None:
        """Call ``on_progress``, in the event loop's thread, whenever pages have been indexed behind the program."""
        ...

    async def guide(self) -> str | None:
        """Return the id of the organization that is the program's own guide; None where there is none."""
        ...

    async def remove_guide(self) -> None:
        """Remove the organization that is the program's own guide; nothing where it is gone already."""
        ...

    async def rename_owner(self, name: str, email: str) -> None:
        """Change the name and the e-mail address of the person whose workspace it is."""
        ...
