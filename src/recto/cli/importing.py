"""``recto import``: imports content into a space or a change request."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from contextlib import aclosing
from typing import TYPE_CHECKING

from recto.cli.connection import connect_to
from recto.cli.embedded_platform import open_platform
from recto.cli.failures import CANCELLED, USAGE, CommandError, message_of, tell
from recto.cli.job_progress import ProgressLine, on_interrupt, watch_job
from recto.cli.named_space import find_space, thing_named
from recto.cli.own_content import Conversion, convert
from recto.client.call import Call
from recto.client.errors import ClientError
from recto.client.sender import embed
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.imports import ImportContent, ImportedContent, guess_source
from recto.document.text import count, printable
from recto.server.exchange.content_import import content_import
from recto.server.http.problems import Problem
from recto.server.jobs import JobCancelled, JobFailed, find_report
from recto.settings import Settings
from recto.store.content_imports import address_of, import_content
from recto.store.mutation import Attempt, Cancelled
from recto.store.own_content import Sent, send_content
from recto.tui.dialogs.import_report import finding_lines

if TYPE_CHECKING:
    from recto.client.sender import Sender


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Import the content and say what was imported and what was left out."""
    if settings.read_only:
        raise CommandError("import changes the space, and Recto is read-only now.", USAGE)
    if not arguments.source.strip():
        raise CommandError("SOURCE is empty: name a file, a folder or a web address.", USAGE)
    body = ImportContent(
        url=address_of(arguments.source), source=arguments.kind or guess_source(arguments.source.strip())
    )
    try:
        if settings.base_url is None:
            title, imported, left_out = _import_own(arguments.into, body, settings)
        elif body.url.startswith("file:"):
            return _send(arguments.into, body, settings, settings.base_url, token)
        else:
            title, imported = asyncio.run(_import_hosted(arguments.into, body, settings, settings.base_url, token))
            left_out = []
    except JobCancelled:
        tell("Cancelled; nothing was imported.")
        return CANCELLED
    except (ClientError, JobFailed, Problem) as error:
        raise CommandError(message_of(error)) from error
    total = count(imported.total_resources, "page or file", "pages and files")
    print(printable(f"Imported {imported.imported_resources:,} of {total} into “{title}”."))
    for line in left_out:
        print(printable(line))
    return 0


def _import_own(named: str, body: ImportContent, settings: Settings) -> tuple[str, ImportedContent, list[str]]:
    platform = open_platform(settings)
    try:
        title, at = asyncio.run(
            _find_and_close(embed(platform.application, platform.token), named, platform.owner, None)
        )
        with watch_job() as watch:
            imported = platform.jobs.run(content_import(at, body), watch=watch)
        report = platform.database.read_now(lambda connection: find_report(connection, at.space))
        return title, imported, [*finding_lines(report[0].findings)] if report is not None else []
    finally:
        platform.close()


async def _import_hosted(
    named: str, body: ImportContent, settings: Settings, base_url: str, token: str | None
) -> tuple[str, ImportedContent]:
    async with aclosing(connect_to(settings, base_url, token)) as sender:
        call = Call(sender)
        title, at = await _find(call, named, "", base_url)
        mutation = import_content(at, body)
        return title, await Attempt(mutation.call, mutation.lookup).make(call)


def _send(named: str, body: ImportContent, settings: Settings, base_url: str, token: str | None) -> int:
    """Convert content of this machine, name what cannot be sent, and send the rest to a change request."""
    title, at = asyncio.run(_find_and_close(connect_to(settings, base_url, token), named, "", base_url))
    with ProgressLine() as line:
        work = Conversion(line.show)
        with on_interrupt(work.cancel):
            content = convert(body, work)
    for each in finding_lines(content.findings):
        tell(printable(each))
    sending = send_content(at, content)
    assert sending.progress is not None

    async def send() -> Sent:
        async with aclosing(connect_to(settings, base_url, token)) as sender:
            return await sending.call(Call(sender))

    try:
        with ProgressLine() as line, sending.progress.changed.subscribe(line.follow):
            sent = asyncio.run(send())
    except Cancelled as error:
        tell(str(error))
        return CANCELLED
    except KeyboardInterrupt:
        tell("Cancelled; nothing was sent.")
        return CANCELLED
    print(printable(f"Imported {sent.amount} into change request #{sent.request.number} of “{title}”."))
    return 0


async def _find_and_close(
    sender: Sender, named: str, workspace: str, base_url: str | None
) -> tuple[str, Main | InChangeRequest]:
    async with aclosing(sender):
        return await _find(Call(sender), named, workspace, base_url)


async def _find(call: Call, named: str, workspace: str, base_url: str | None) -> tuple[str, Main | InChangeRequest]:
    """Return the title of the space that is meant, and where in it pages are imported."""
    thing = thing_named(named, workspace, base_url)
    if thing is not None and thing.revision:
        raise CommandError("A past revision takes no import. Name the space or a change request.", USAGE)
    space = await find_space(call, thing, named)
    if thing is None or not thing.change_request:
        return space.title, Main(space.id)
    request = await call(ChangeRequests.get_change_request, space.id, thing.change_request)
    return space.title, InChangeRequest(space.id, request.id)
