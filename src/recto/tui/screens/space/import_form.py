"""The form that imports content into a space or a change request."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.imports import SOURCES, ImportContent, ImportedContent, Source, guess_source, is_ssh
from recto.contract.model import LEFT_OUT, Body
from recto.document.text import count
from recto.store.content_imports import address_of, import_content
from recto.store.drafts import DraftPlace
from recto.store.mutation import Cancelled, Outcome
from recto.store.own_content import send_content
from recto.store.progress import Progress
from recto.tui.dialogs.confirm import NOTHING_CHANGES, Confirm
from recto.tui.dialogs.import_report import in_brief
from recto.tui.dialogs.jobs import job_lines, show_job, show_while
from recto.tui.dialogs.report import Report
from recto.tui.forms.form import Field, Filling, Form, Raw
from recto.tui.forms.form_dialog import FormDialog
from recto.urls import without_typed_credentials

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recto.contract.import_report import Finding
    from recto.contract.own_content import OwnContent
    from recto.store.own_content import Sent
    from recto.tui.screens.interactive import Interactive

_WEB = ("http://", "https://")
_NOT_SENT = ("The import was cancelled.", "Nothing was sent.", "")


class _NotWanted(Cancelled):
    """What would be left out of an import is not to be."""


class _Wanted(Body):
    """The source as typed: an address or a path, and its kind if it was chosen."""

    url: str
    source: Source = LEFT_OUT


def _source_fault(typed: str, *, takes_files: bool, takes_ssh: bool) -> str | None:
    if typed.strip().lower().startswith(_WEB) or (takes_ssh and is_ssh(typed.strip())):
        return None
    if not takes_files:
        return "A hosted platform imports only from web addresses."
    # Unlike those of ``Path``, these take a name half typed and a home of no user as well.
    path = os.path.expanduser(typed.strip())  # noqa: PTH111
    is_there = os.path.exists(path)  # noqa: PTH110
    return None if is_there else "There is no such file. A web address begins with https://."


def _form(*, takes_files: bool, takes_ssh: bool) -> Form[_Wanted]:
    return Form(
        "import-content",
        _Wanted,
        Field(
            "url",
            "Source" if takes_files else "Address",
            required=True,
            placeholder="https://… or ~/export.zip" if takes_files else "https://docs.example.org/guide/",
            check=lambda typed: _source_fault(typed, takes_files=takes_files, takes_ssh=takes_ssh),
            keeps=without_typed_credentials,
        ),
        Field(
            "source",
            "Kind",
            choices={
                **{str(name): words for name, words in SOURCES.items()},
                "google-docs": "a Google document, only for a hosted platform",
            },
            none="guessed from its name",
        ),
        sends="Import the content",
    )


async def import_into(host: Interactive, at: Main | InChangeRequest, organization: str) -> None:
    """Ask for a source, import it after the pages at an address while progress is shown, and report the result."""
    store = host.store
    is_own = store.workspace is not None
    sends = not is_own and store.convert is not None
    says = f"The pages are added after those of {'main, at once' if isinstance(at, Main) else 'this change request'}."
    if isinstance(at, Main):
        says += " To import into a change request, choose it with ‹space.choose_address› first."
        says += " A file or folder is converted here and sent to a new change request." if sends else ""
    form = _form(takes_files=sends or is_own, takes_ssh=is_own)
    before: dict[str, Raw] = {**store.form_values(at.space, form.name)}

    async def take(body: _Wanted) -> Outcome[_Wanted]:
        return Outcome(body)

    def remember(values: Mapping[str, Raw]) -> None:
        before.update(values)
        store.keep_form_values(at.space, form.name, values)

    while True:
        place = DraftPlace(organization=organization, space=at.space)
        filling = Filling(form, take, place=place, remembered=before, remember=remember)
        wanted = await host.ask(FormDialog(store, "Import content", filling, says=f"{says} No key undoes this."))
        if wanted is None:
            return
        before["url"] = wanted.url
        given = wanted.source if "source" in wanted.model_fields_set else guess_source(wanted.url.strip())
        body = ImportContent(url=address_of(wanted.url), source=given)
        if sends and not body.url.lower().startswith(_WEB):
            is_done = await _send_own(host, at, body, wanted.url.strip())
        else:
            is_done = await _import(host, at, body)
        if is_done:
            return


async def _import(host: Interactive, at: Main | InChangeRequest, body: ImportContent) -> bool:
    """Make the platform import from an address; return whether that has ended without a change of the form."""
    if host.store.workspace is None:
        host.say("Importing. The platform reports no progress, and the import cannot be cancelled.")
    outcome = await show_job(host, at.space, import_content(at, body))
    if isinstance(outcome.error, Cancelled):
        host.say(str(outcome.error))
        return True
    if outcome.error is not None:
        host.say_failed(outcome.error)
        return False
    await _report(host, outcome.value or ImportedContent())
    return True


async def _send_own(host: Interactive, at: Main | InChangeRequest, body: ImportContent, path: str) -> bool:
    """Convert content of this machine, confirm the parts left out, and send the rest as a job.

    Says whether that has ended, and not that something else is to be typed.
    """

    async def work(report: Callable[[Progress], None]) -> tuple[Sent, OwnContent]:
        content = await _convert(host, body, report)
        mutation = send_content(at, content)
        assert mutation.progress is not None
        with mutation.progress.changed.subscribe(report):
            sending = host.store.run(mutation)
            try:
                outcome = await sending
            except asyncio.CancelledError:
                sending.cancel()
                outcome = await sending
        if outcome.value is None:
            raise outcome.error or Cancelled(*_NOT_SENT)
        return outcome.value, content

    def result(done: tuple[Sent, OwnContent]) -> tuple[Mapping[str, int], Sequence[Finding]]:
        sent, content = done
        return {"pages": sent.pages, "files": sent.files}, content.findings

    try:
        job = host.store.jobs.run(f"import of {SOURCES[body.source]}", path, at.space, work, result)
        sent, _ = await show_while(host, job)
    except _NotWanted:
        return False
    except Cancelled as error:
        host.say(str(error))
        return True
    except ClientError as error:
        host.say_failed(error)
        return False
    host.say(f"Imported {sent.amount} into change request #{sent.request.number}.")
    return True


async def _convert(host: Interactive, body: ImportContent, report: Callable[[Progress], None]) -> OwnContent:
    """Convert content, and confirm the parts left out; raises :class:`_NotWanted` if that is refused."""
    assert host.store.convert is not None
    try:
        content = await host.store.convert(body, lambda step, done, total: report(Progress(step, done, total)))
    except asyncio.CancelledError:
        raise Cancelled(*_NOT_SENT) from None
    if content.findings and not await host.ask(
        Confirm(
            "Not all of it can be sent",
            points=[in_brief(finding) for finding in content.findings],
            does="sends the rest",
            keeps="sends nothing",
            undo=NOTHING_CHANGES,
        )
    ):
        raise _NotWanted(*_NOT_SENT)
    return content


async def _report(host: Interactive, imported: ImportedContent) -> None:
    jobs = await host.store.jobs.find()
    if jobs and jobs[0].findings:
        await host.ask(Report("Import finished", job_lines(jobs[0])))
    elif imported.total_resources:
        host.say(f"Imported {count(imported.imported_resources, 'page or file', 'pages and files')}.")
    else:
        host.say("Imported the pages.")
