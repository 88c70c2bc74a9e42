"""``recto export``: writes a space into a folder of documentation."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from contextlib import aclosing
from typing import TYPE_CHECKING

from recto import paths
from recto.cli.connection import connect_to
from recto.cli.embedded_platform import open_platform
from recto.cli.failures import CANCELLED, CommandError, message_of, tell
from recto.cli.folder_writing import check_folder, export_refusals, write_fetched
from recto.cli.job_progress import ProgressLine, watch_job
from recto.cli.named_space import find_own, find_space, thing_named
from recto.client.call import Call
from recto.client.errors import ClientError
from recto.contract.addresses import Address, AtRevision, InChangeRequest, Main
from recto.document.text import count, printable
from recto.server.exchange import export_folder
from recto.server.http.problems import Problem
from recto.server.jobs import JobCancelled
from recto.settings import Settings
from recto.store.hosted_export import NOT_GIVEN, HostedExports
from recto.store.mutation import Cancelled
from recto.store.workspace import FilesInTheWay
from recto.tui.dialogs.import_report import finding_lines
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
    except (JobCancelled, Cancelled, KeyboardInterrupt):
        tell(f"Cancelled; nothing in {arguments.folder} was changed.")
        return CANCELLED
    except FilesInTheWay as error:
        raise CommandError(f"{error.why} Choose another folder, or add --force to write to this one.") from error
    except (ClientError, Problem) as error:
        raise CommandError(message_of(error)) from error
    print(printable(f"Exported “{title}” to {report.folder}: {_counts(report)}."))
    for line in finding_lines(report.left_out):
        print(printable(line))
    return 0


def _counts(report: ExportReport) -> str:
    deleted = f", {report.deleted:,} deleted" if report.deleted else ""
    written = f"{count(report.written, 'file')} written{deleted}, {report.unchanged:,} unchanged"
    return f"{count(report.pages, 'page')}; {written}"


def _export_own(arguments: Namespace, settings: Settings) -> tuple[str, ExportReport]:
    platform = open_platform(settings)
    try:
        space, revision = asyncio.run(find_own(platform, arguments.space))
        with watch_job() as watch, export_refusals(arguments.folder):
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
    tell(NOT_GIVEN)
    with ProgressLine() as shown:

        async def export() -> tuple[str, ExportReport]:
            async with aclosing(sender):
                call = Call(sender)
                thing = thing_named(arguments.space, "", base_url)
                space = await find_space(call, thing, arguments.space)
                export = HostedExports(sender, check_folder, write_fetched).export_folder
                at, folder = _address(space.id, thing), arguments.folder
                return space.title, await export(at, folder, shown.follow, force=arguments.force)

        return asyncio.run(export())


def _address(space: str, thing: Thing | None) -> Address:
    if thing is not None and thing.change_request:
        return InChangeRequest(space, thing.change_request)
    return AtRevision(space, thing.revision) if thing is not None and thing.revision else Main(space)
