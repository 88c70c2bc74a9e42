"""``recto pdf``: saves a space, a change request or a page as a PDF."""

from __future__ import annotations

import asyncio
import shutil
from argparse import Namespace
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from recto.cli.connection import connect_to
from recto.cli.embedded_platform import open_platform
from recto.cli.failures import CANCELLED, USAGE, CommandError, message_of, tell
from recto.cli.job_progress import ProgressLine, watch_job
from recto.cli.named_space import find_space, thing_named
from recto.client.call import Call
from recto.client.errors import ClientError, NotFound, Refused
from recto.client.sender import embed
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.content import Content
from recto.document.text import printable
from recto.paths import written_path
from recto.server.http.problems import Problem
from recto.server.jobs import JobCancelled, JobFailed
from recto.server.pdf.making import Part, pdf_task
from recto.settings import Settings
from recto.store.mutation import Cancelled
from recto.store.pdf_saving import PdfPart, check_place, save_pdf
from recto.store.workspace import FilesInTheWay
from recto.tui.dialogs.import_report import finding_lines
from recto.tui.look.signs import size_text

if TYPE_CHECKING:
    from recto.contract.import_report import Finding
    from recto.server.platform import Platform
    from recto.store.progress import Progress


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Save the PDF and say what it does not show."""
    file = written_path(str(arguments.file))
    try:
        if settings.base_url is None:
            title, left_out = _save_own(arguments, settings, file)
        else:
            title, left_out = _save_hosted(arguments, settings, settings.base_url, token, file)
    except (JobCancelled, Cancelled, KeyboardInterrupt):
        tell(f"Cancelled; {file} was not saved.")
        return CANCELLED
    except FilesInTheWay as error:
        raise CommandError(f"{error.why} Choose another file, or add --force to replace it.") from error
    except (ClientError, Problem, JobFailed) as error:
        raise CommandError(message_of(error)) from error
    print(printable(f"Saved “{title}” to {file}: {size_text(file.stat().st_size)}."))
    for line in finding_lines(left_out):
        print(printable(line))
    return 0


def _save_own(arguments: Namespace, settings: Settings, file: Path) -> tuple[str, tuple[Finding, ...]]:
    check_place(file, force=arguments.force)
    platform = open_platform(settings)
    try:
        title, at, page = asyncio.run(_find_own(platform, arguments))

        def save(made: Path) -> None:
            try:
                shutil.copyfile(made, file)
            except OSError as error:
                raise JobFailed(f"{file} cannot be written: {error.strerror or error}.") from error

        with watch_job() as watch:
            task = pdf_task(at, Part(page, arguments.only), str(file), save, platform.fonts)
            return title, platform.jobs.run(task, watch=watch).left_out
    finally:
        platform.close()


def _save_hosted(
    arguments: Namespace, settings: Settings, base_url: str, token: str | None, file: Path
) -> tuple[str, tuple[Finding, ...]]:
    sender = connect_to(settings, base_url, token)
    with ProgressLine() as shown:

        def report(progress: Progress) -> None:
            shown.show(progress.doing, progress.done, progress.total)

        async def save() -> tuple[str, tuple[Finding, ...]]:
            async with aclosing(sender):
                call = Call(sender)
                title, at, page = await _find(call, arguments, "", base_url)
                part = PdfPart(page, arguments.only)
                saved = await save_pdf(call, sender.download, at, file, part, report, force=arguments.force)
                return title, saved.left_out

        return asyncio.run(save())


async def _find_own(platform: Platform, arguments: Namespace) -> tuple[str, Main | InChangeRequest, str | None]:
    async with aclosing(embed(platform.application, platform.token)) as sender:
        return await _find(Call(sender), arguments, platform.owner, None)


async def _find(
    call: Call, arguments: Namespace, workspace: str, base_url: str | None
) -> tuple[str, Main | InChangeRequest, str | None]:
    """Return the title of the space, where it is read, and the id of the page, if any."""
    thing = thing_named(arguments.space, workspace, base_url)
    space = await find_space(call, thing, arguments.space)
    if thing is not None and thing.revision:
        raise CommandError("A past revision has no PDF. Name the space, or a change request.", USAGE)
    request = thing.change_request if thing is not None else ""
    at = InChangeRequest(space.id, request) if request else Main(space.id)
    named = arguments.page or (thing.page if thing is not None else "")
    if named:
        return space.title, at, await _page_id(call, at, named.strip("/"), space.title)
    if arguments.only:
        raise CommandError("--only leaves out the pages below a page. Name one with --page.", USAGE)
    return space.title, at, None


async def _page_id(call: Call, at: Main | InChangeRequest, named: str, where: str) -> str:
    """Return the id of a page that is named by it or by its path. Raises ``CommandError`` where there is none."""
    try:
        return (await call(Content.get_page, at, named)).id
    except Refused as error:
        if error.status != 404:
            raise
    try:
        return (await call(Content.get_page_by_path, at, named)).id
    except NotFound as error:
        raise CommandError(f"There is no page “{named}” in “{where}”. Name it by its path or its id.") from error
