"""``recto export``: writes a space into a folder of documentation."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from recto import paths
from recto.cli.connection import connect_to
from recto.cli.failures import CommandError, tell
from recto.cli.hosted_export import export_hosted
from recto.cli.named_space import find_own, find_space, thing_named
from recto.cli.progress import ProgressLine, watch_job
from recto.cli.workspace import open_platform
from recto.client.call import Call
from recto.client.errors import ClientError
from recto.contract.addresses import Address, AtRevision, InChangeRequest, Main
from recto.document.text import count, printable
from recto.server.exchange import InTheWayError, export_folder
from recto.server.http.problems import Problem
from recto.server.jobs import JobCancelled, JobFailed
from recto.settings import Settings
from recto.urls import Thing

if TYPE_CHECKING:
    from recto.contract.export_report import ExportReport


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
    return " Choose another folder, or add --force to write to this one." if isinstance(error, InTheWayError) else ""


def _counts(report: ExportReport) -> str:
    deleted = f", {report.deleted:,} deleted" if report.deleted else ""
    written = f"{count(report.written, 'file')} written{deleted}, {report.unchanged:,} unchanged"
    return f"{count(report.pages, 'page')}; {written}"


def _export_own(arguments: Namespace, settings: Settings) -> tuple[str, ExportReport]:
    platform = open_platform(settings)
    try:
        space, revision = asyncio.run(find_own(platform, arguments.space))
        with watch_job() as watch:
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


def _export_hosted(
    arguments: Namespace, settings: Settings, base_url: str, token: str | None
) -> tuple[str, ExportReport]:
    sender = connect_to(settings, base_url, token)
    with ProgressLine() as line:
        folder: Path = arguments.folder

        async def fetch() -> tuple[str, ExportReport]:
            try:
                call = Call(sender)
                thing = thing_named(arguments.space, "", base_url)
                space = await find_space(call, thing, arguments.space)
                at = _address(space.id, thing)
                return space.title, await export_hosted(
                    sender, base_url, at, folder, paths.exports_dir(), force=arguments.force, progress=line.show
                )
            finally:
                await sender.aclose()

        return asyncio.run(fetch())


def _address(space: str, thing: Thing | None) -> Address:
    if thing is not None and thing.change_request:
        return InChangeRequest(space, thing.change_request)
    return AtRevision(space, thing.revision) if thing is not None and thing.revision else Main(space)
