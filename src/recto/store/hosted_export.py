"""Exports of spaces of a hosted platform to folders: the content is fetched from its API, and then written."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import urlsplit

from recto.client.call import Call
from recto.client.errors import ClientError
from recto.contract.content import Content, walk_pages
from recto.contract.export_report import FetchedSpace
from recto.frozen import frozen
from recto.store.mutation import Cancelled
from recto.store.progress import Progress

if TYPE_CHECKING:
    from recto.client.sender import Sender
    from recto.contract.addresses import Address
    from recto.contract.content import File, Page
    from recto.contract.export_report import ExportReport

T = TypeVar("T")
R = TypeVar("R")

NOT_GIVEN = (
    "The API of the platform returns pages, files, variables and reusable content. It does not return tags, redirects, "
    "files that are not part of the space, or the formatting of imported files, so Recto uses its own."
)
"""x from a hosted platform lacks, in a sentence."""

MAX_FILE_BYTES = 100 * 1000 * 1000
"""The largest file that is fetched, in bytes."""

_AT_ONCE = 6
"""The most pages or files that are requested at once."""

Report = Callable[[Progress], None]


class FolderWriting(Protocol):
    """Writes a fetched space into a folder, on a thread of its own.

    Raises a :class:`ClientError` where the folder cannot be written, and what ``stop_if_cancelled`` raises; nothing in
    the folder is changed then.
    """

    def __call__(
        self,
        space: FetchedSpace,
        folder: Path,
        *,
        force: bool,
        progress: Callable[[str, int, int | None], None],
        stop_if_cancelled: Callable[[], None],
    ) -> ExportReport:
        """Write the space."""
        ...


class FolderCheck(Protocol):
    """Checks that a folder can be written to, on a thread of its own; raises a :class:`ClientError` if not."""

    def __call__(self, folder: Path, *, force: bool) -> None:
        """Look at the folder."""
        ...


@frozen
class HostedExports:
    """Exports of a platform; files are fetched from its own host alone."""

    sender: Sender
    check: FolderCheck
    write: FolderWriting

    async def export_folder(self, at: Address, folder: Path, report: Report, *, force: bool = False) -> ExportReport:
        """Write the content of a space, as fetched from the platform, into a folder.

        ``report`` is called in the event loop's thread. Raises a :class:`ClientError` where a page cannot be read or
        the folder cannot be written, and :class:`Cancelled` where it was cancelled as a task before the files were put
        in their places; nothing in the folder is changed then.
        """
        try:
            await asyncio.to_thread(self.check, folder, force=force)
            with TemporaryDirectory(prefix="recto-") as scratch:
                fetched = await _Fetching(self.sender, at, Path(scratch), report).run()
                return await self._write(fetched, folder, report, force=force)
        except asyncio.CancelledError:
            raise _cancellation(folder) from None

    async def _write(self, fetched: FetchedSpace, folder: Path, report: Report, *, force: bool) -> ExportReport:
        loop, given_up = asyncio.get_running_loop(), threading.Event()

        def progress(doing: str, done: int, total: int | None) -> None:
            loop.call_soon_threadsafe(report, Progress(doing, done, total))

        def stop_if_cancelled() -> None:
            if given_up.is_set():
                raise _cancellation(folder)

        work = partial(self.write, fetched, folder, force=force, progress=progress, stop_if_cancelled=stop_if_cancelled)
        task = asyncio.create_task(asyncio.to_thread(work))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # The thread stops between two files, before any is put in its place, or else writes all of them.
            given_up.set()
            return await task


def _cancellation(folder: Path) -> Cancelled:
    return Cancelled(f"Nothing was written to {folder}.", "You cancelled it.", "")


@frozen
class _Fetching:
    """Requests the tree, the pages and the files of a space."""

    sender: Sender
    at: Address
    scratch: Path
    report: Report
    texts: dict[str, str] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)

    async def run(self) -> FetchedSpace:
        """Fetch the content of a space; raises a :class:`ClientError` if a page cannot be fetched."""
        self.report(Progress("Reading the page tree", 0))
        revision = await Call(self.sender)(Content.get_revision, self.at, computed=False)
        documents = [page for page in walk_pages(revision.pages) if page.type == "document"]
        await self._each("Reading pages", documents, self._fetch_page)
        await self._each("Fetching files", revision.files, self._fetch_file)
        return FetchedSpace(revision, self.texts, self.files)

    async def _each(self, doing: str, items: Sequence[T], fetch: Callable[[T], Awaitable[None]]) -> None:
        """Fetch several things at once, with progress; the first failure stops all."""
        slots, done = asyncio.Semaphore(_AT_ONCE), 0

        async def fetch_one(item: T) -> None:
            nonlocal done
            async with slots:
                await fetch(item)
            done += 1
            self.report(Progress(doing, done, len(items)))

        try:
            async with asyncio.TaskGroup() as group:
                for item in items:
                    group.create_task(fetch_one(item))
        except* ClientError as failures:
            raise failures.exceptions[0] from None

    async def _fetch_page(self, page: Page) -> None:
        read = await Call(self.sender)(Content.get_page, self.at, page.id, format="markdown", computed=False)
        self.texts[page.id] = read.markdown or ""

    async def _fetch_file(self, file: File) -> None:
        try:
            if urlsplit(file.download_url).hostname != urlsplit(self.sender.address).hostname:
                return
        except ValueError:  # such as https://[docs
            return
        try:
            content = await self.sender.download(file.download_url, MAX_FILE_BYTES)
        except ClientError:
            return
        self.files[file.id] = copy = self.scratch / str(len(self.files))
        try:
            await asyncio.to_thread(copy.write_bytes, content)
        except OSError as error:
            why = f"{file.name} could not be stored in {self.scratch}: {error.strerror or error}."
            raise ClientError("The space could not be fetched.", why) from error
