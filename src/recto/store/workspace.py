"""Actions of the embedded workspace alone, beyond the API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recto.client.errors import ClientError
from recto.store.progress import Progress

if TYPE_CHECKING:
    from recto.contract.import_report import ImportReport, SpaceImport


class WorkspaceError(ClientError):
    """An action of the embedded workspace failed, such as a folder without pages."""

    default_next_step = ""


class ImportCancelled(WorkspaceError):
    """An import was cancelled; nothing of it was kept."""


class LocalWorkspace(Protocol):
    """The workspace in this process. All of it may raise :class:`WorkspaceError`."""

    @property
    def id(self) -> str:
        """What the addresses of things in it know it by."""
        ...

    async def version(self) -> int:
        """Return a number that is another after each change of the workspace by another program."""
        ...

    async def import_folder(
        self,
        folder: Path,
        progress: Callable[[Progress], None],
        organization: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ImportReport:
        """Import a folder of documentation as spaces and a site; again, only its changes.

        A new folder goes to ``organization``, by default the person's own.

        ``progress`` is called in the event loop's thread. Raises :class:`ImportCancelled` where ``cancelled``, which is
        called on another thread, returned true before the end; cancelled as a task, nothing unfinished stays.
        """
        ...

    async def find_import(self, space: str) -> SpaceImport | None:
        """Return the last import of a space's folder; ``None`` for a space that was not imported."""
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
