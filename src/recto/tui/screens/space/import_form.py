"""The form that imports content into a space or a change request."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.imports import SOURCES, ImportContent, ImportedContent, Source, guess_source
from recto.contract.model import LEFT_OUT, Body
from recto.document.text import count
from recto.store.content_imports import address_of, import_content
from recto.store.drafts import DraftPlace
from recto.store.mutation import Outcome
from recto.tui.dialogs.jobs import job_lines, show_while
from recto.tui.dialogs.report import Report
from recto.tui.forms.dialog import FormDialog
from recto.tui.forms.form import Field, Filling, Form
from recto.urls import without_credentials

if TYPE_CHECKING:
    from recto.tui.screens.interactive import Interactive

_WEB = ("http://", "https://")
_HOST = re.compile(r"(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]+(?::[0-9]*)?")


class _Wanted(Body):
    """The source as typed: an address or a path, and its kind if it was chosen."""

    url: str
    source: Source = LEFT_OUT


def _wrong(typed: str, *, is_hosted: bool) -> str | None:
    if typed.strip().lower().startswith(_WEB):
        return None
    if is_hosted:
        return "A hosted platform imports only from web addresses."
    # Unlike those of ``Path``, these take a name half typed and a home of no user as well.
    path = os.path.expanduser(typed.strip())  # noqa: PTH111
    is_there = os.path.exists(path)  # noqa: PTH110
    return None if is_there else "There is no such file. A web address begins with https://."


def _without_secrets(typed: str) -> str:
    """Return an address without credentials; without what may become credentials where it is half typed."""
    scheme, mark, rest = typed.partition("://")
    is_whole = "/" in rest or _HOST.fullmatch(rest)
    return without_credentials(typed) if is_whole or not mark else f"{scheme}{mark}"


def _form(before: _Wanted | None, *, is_hosted: bool) -> Form[_Wanted]:
    return Form(
        "import-content",
        _Wanted,
        Field(
            "url",
            "Address" if is_hosted else "Address, file or folder",
            required=True,
            placeholder="https://docs.example.org/guide/" if is_hosted else "https://… or ~/export.zip",
            default=before.url if before else None,
            check=lambda typed: _wrong(typed, is_hosted=is_hosted),
            keeps=_without_secrets,
        ),
        Field(
            "source",
            "Kind",
            choices={str(name): words for name, words in SOURCES.items()},
            none="guessed from its name",
            default=before.source if before and "source" in before.model_fields_set else None,
        ),
    )


async def import_into(host: Interactive, at: Main | InChangeRequest, organization: str) -> None:
    """Ask for a source, import it after the pages at an address while progress is shown, and report the result."""
    is_hosted = host.store.workspace is None
    where = "main, at once" if isinstance(at, Main) else "this change request"
    other = " To import into a change request, choose it with w first." if isinstance(at, Main) else ""
    wanted: _Wanted | None = None

    async def take(body: _Wanted) -> Outcome[_Wanted]:
        return Outcome(body)

    while True:
        place = DraftPlace(organization=organization, space=at.space)
        filling = Filling(_form(wanted, is_hosted=is_hosted), take, place=place)
        says = f"The pages are added after those of {where}. No key undoes this.{other}"
        wanted = await host.ask(FormDialog(host.store, "Import content", filling, says=says))
        if wanted is None:
            return
        given = wanted.source if "source" in wanted.model_fields_set else guess_source(wanted.url.strip())
        body = ImportContent(url=address_of(wanted.url), source=given)
        outcome = await _send(host, at, body)
        if outcome.error is None:
            await _tell(host, outcome.value or ImportedContent())
            return
        host.say_failed(outcome.error)


async def _send(host: Interactive, at: Main | InChangeRequest, body: ImportContent) -> Outcome[ImportedContent]:
    if host.store.workspace is None:
        host.say("Importing. The platform reports no progress, and the import cannot be cancelled.")
        return await host.send(import_content(at, body))
    return await show_while(host, host.send(import_content(at, body)))


async def _tell(host: Interactive, imported: ImportedContent) -> None:
    jobs = await host.store.jobs.find()
    if jobs and jobs[0].findings:
        await host.ask(Report("Import finished", job_lines(jobs[0])))
    elif imported.total_resources:
        host.say(f"Imported {count(imported.imported_resources, 'page and file', 'pages and files')}.")
    else:
        host.say("Imported the pages.")
