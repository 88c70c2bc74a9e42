"""``recto export``: writes a space into a folder of documentation."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from recto import paths
from recto.cli.connection import connect_to
from recto.cli.failures import USAGE, CommandError, tell
from recto.cli.hosted_export import export_hosted
from recto.client.call import Call, pages
from recto.client.errors import ClientError
from recto.client.sender import embed
from recto.contract.addresses import Address, AtRevision, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.organizations import Organizations
from recto.contract.spaces import Space, Spaces
from recto.document.text import count, printable
from recto.server.http.problems import Problem
from recto.server.jobs import JobCancelled, JobFailed
from recto.settings import Settings
from recto.urls import EMBEDDED_ADDRESS, Thing, is_url, read_url, same_platform

if TYPE_CHECKING:
    from recto.contract.export_report import ExportReport
    from recto.server.jobs import Job
    from recto.server.platform import Platform

_MOST_NAMED = 5


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Write the space into the folder and say what was written."""
    try:
        if settings.base_url is None:
            title, report = _export_own(arguments, settings)
        else:
            title, report = _export_hosted(arguments, settings, settings.base_url, token)
    except JobCancelled:
        tell(f"Cancelled; nothing in {arguments.folder} was changed.")
        return 130
    except ClientError as error:
        raise CommandError(str(error)) from error
    except (JobFailed, Problem) as error:
        raise CommandError(f"{error}{_next_step(error)}") from error
    print(printable(f"Exported “{title}” to {report.folder}: {_counts(report)}."))
    for each in report.left_out:
        print(printable(f"Left out: {each}"))
    return 0


def _next_step(error: Exception) -> str:
    from recto.server.exchange import InTheWayError

    return " Choose another folder, or add --force to write to this one." if isinstance(error, InTheWayError) else ""


def _counts(report: ExportReport) -> str:
    deleted = f", {report.deleted:,} deleted" if report.deleted else ""
    written = f"{count(report.written, 'file')} written{deleted}, {report.unchanged:,} unchanged"
    return f"{count(report.pages, 'page')}; {written}"


def _export_own(arguments: Namespace, settings: Settings) -> tuple[str, ExportReport]:
    from recto.cli.workspace import open_platform
    from recto.server.exchange import export_folder

    platform = open_platform(settings)
    try:
        space, revision = asyncio.run(find_own(platform, arguments.space))
        with interrupts() as interrupted, ProgressLine() as shown:

            def watch(job: Job) -> None:
                shown.show(job.record.step, job.record.done, job.record.total)
                if interrupted.is_set():
                    job.cancel()

            report = export_folder(
                platform,
                space.id,
                arguments.folder,
                records=paths.exports_dir(),
                revision=revision,
                force=arguments.force,
                watch=watch,
            )
        return space.title, report
    finally:
        platform.close()


async def find_own(platform: Platform, named: str) -> tuple[Space, str | None]:
    """Return the space that is meant, and the revision of it, if it is not main."""
    sender = embed(platform.application, platform.token)
    try:
        call = Call(sender)
        thing = thing_named(named, platform.owner, None)
        space = await find_space(call, thing, named)
        if thing is not None and thing.change_request:
            request = await call(ChangeRequests.get_change_request, space.id, thing.change_request)
            return space, request.revision
        return space, (thing.revision or None) if thing is not None else None
    finally:
        await sender.aclose()


def thing_named(named: str, workspace: str, base_url: str | None) -> Thing | None:
    """Return what an address names; ``None`` for an id or a title. Raises ``CommandError`` for one of elsewhere."""
    if not is_url(named):
        return None
    url = read_url(named)
    if url is None or not url.thing.space:
        raise CommandError(f"{named} is not the address of a space, a change request or a revision.", USAGE)
    if base_url is None:
        here = url.platform == EMBEDDED_ADDRESS or url.workspace == workspace
    else:
        here = same_platform(base_url, url.platform)
    if not here:
        where = "the workspace on this machine" if base_url is None else base_url
        raise CommandError(f"{named} is not an address of {where}.", USAGE)
    return url.thing


async def find_space(call: Call, thing: Thing | None, named: str) -> Space:
    """Return the space of an address, an id or a title."""
    if thing is not None:
        return await call(Spaces.get_space, thing.space)
    found: list[Space] = []
    async for organizations in pages(call, Organizations.list_organizations):
        for organization in organizations.items:
            async for spaces in pages(call, Spaces.list_spaces, organization.id):
                found += spaces.items
    same = [space for space in found if space.id == named] or [space for space in found if space.title == named]
    same = same or [space for space in found if space.title.casefold() == named.casefold()]
    if len(same) == 1:
        return same[0]
    if same:
        named_ids = ", ".join(space.id for space in same[:_MOST_NAMED])
        raise CommandError(f"{count(len(same), 'space')} are called “{named}”. Name one by its id: {named_ids}.")
    titles = ", ".join(f"“{space.title}”" for space in found[:_MOST_NAMED])
    more = f" and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
    raise CommandError(
        f"There is no space “{named}”. {f'There are {titles}{more}.' if found else 'There is none yet.'}"
    )


def _export_hosted(
    arguments: Namespace, settings: Settings, base_url: str, token: str | None
) -> tuple[str, ExportReport]:
    sender = connect_to(settings, base_url, token)
    with ProgressLine() as shown:
        folder: Path = arguments.folder

        async def fetch() -> tuple[str, ExportReport]:
            try:
                call = Call(sender)
                thing = thing_named(arguments.space, "", base_url)
                space = await find_space(call, thing, arguments.space)
                at = _address(space.id, thing)
                return space.title, await export_hosted(
                    sender, base_url, at, folder, paths.exports_dir(), force=arguments.force, progress=shown.show
                )
            finally:
                await sender.aclose()

        return asyncio.run(fetch())


def _address(space: str, thing: Thing | None) -> Address:
    if thing is not None and thing.change_request:
        return InChangeRequest(space, thing.change_request)
    return AtRevision(space, thing.revision) if thing is not None and thing.revision else Main(space)


@contextmanager
def interrupts() -> Iterator[threading.Event]:
    """Note Ctrl+C instead of stopping at once, so that no file is left half written."""
    interrupted = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


class ProgressLine:
    """A line on standard error that says how far the export is, where that is a terminal."""

    def __init__(self) -> None:
        self._shown = ""

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._draw("")

    def show(self, step: str, done: int, total: int | None) -> None:
        """Show a step, and how much of it is done."""
        if sys.stderr.isatty() and step:
            of_all = f" of {total:,}" if total is not None else ""
            self._draw(f"{step}: {done:,}{of_all}" if done or total else step)

    def _draw(self, text: str) -> None:
        if text != self._shown:
            print(f"\r{text.ljust(len(self._shown))}{'' if text else chr(13)}", end="", file=sys.stderr, flush=True)
            self._shown = text
