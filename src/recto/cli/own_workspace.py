"""What the workspace on this machine can do beyond the API."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recto.client.errors import ReadOnly
from recto.server.http.problems import Problem
from recto.store.progress import Progress
from recto.store.workspace import ImportCancelled, WorkspaceError

if TYPE_CHECKING:
    from recto.contract.import_report import ImportReport, SpaceImport
    from recto.server.platform import Platform


class OwnWorkspace:
    """The embedded platform, as :class:`recto.store.workspace.LocalWorkspace` wants it.

    Where it is read-only, each change is refused with :class:`recto.client.errors.ReadOnly`.
    """

    def __init__(self, platform: Platform, *, read_only: bool = False) -> None:
        self._platform = platform
        self._read_only = read_only

    @property
    def id(self) -> str:
        """What the addresses of things in it know it by."""
        return self._platform.owner

    async def version(self) -> int:
        """Return the version of the file, which other programs' changes raise."""
        return await self._platform.database.version()

    async def import_folder(
        self,
        folder: Path,
        progress: Callable[[Progress], None],
        organization: str | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ImportReport:
        """Import a folder on a thread of its own; cancelled, nothing of it stays."""
        self._check_writable(f"{folder} was not imported.")
        loop = asyncio.get_running_loop()
        given_up = threading.Event()

        def tell(step: str, done: int, total: int | None) -> None:
            loop.call_soon_threadsafe(progress, Progress(step, done, total))

        def is_stopped() -> bool:
            return given_up.is_set() or cancelled()

        work = partial(_import_folder, self._platform, folder, organization, tell, is_stopped)
        task = asyncio.create_task(asyncio.to_thread(work))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # The thread stops between two short transactions; waiting for it leaves nothing half-way behind.
            given_up.set()
            with suppress(WorkspaceError):
                await task
            raise

    async def find_import(self, space: str) -> SpaceImport | None:
        """Return the last import of a space's folder."""
        from recto.server.exchange import find_report

        database = self._platform.database
        return await asyncio.to_thread(database.read_now, lambda connection: find_report(connection, space))

    def watch_indexing(self, on_progress: Callable[[Progress], None]) -> None:
        """Pass the indexer's progress to the event loop's thread. Called on that thread."""
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
        from recto.server.guide.install import remove_guide

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
                lambda connection: connection.update("users", owner, display_name=name, email=email.strip() or None)
            )

    def _check_writable(self, what: str) -> None:
        if self._read_only:
            raise ReadOnly(what)


@contextmanager
def _refusals_as(what: str) -> Iterator[None]:
    """Raise what the platform refuses as this failure."""
    try:
        yield
    except Problem as error:
        raise WorkspaceError(what, error.message) from error


def _import_folder(
    platform: Platform,
    folder: Path,
    organization: str | None,
    progress: Callable[[str, int, int | None], None],
    cancelled: Callable[[], bool],
) -> ImportReport:
    from recto.server.exchange import FolderError, ImportCancelledError, import_folder

    what = f"{folder} was not imported."
    try:
        return import_folder(platform, folder, organization, progress=progress, cancelled=cancelled)
    except FolderError as error:
        raise WorkspaceError(what, str(error)) from error
    except Problem as error:
        raise WorkspaceError(what, error.message) from error
    except ImportCancelledError as error:
        raise ImportCancelled(what, "It was cancelled; nothing of it was kept.") from error
