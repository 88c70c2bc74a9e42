"""The form that writes a space into a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.model import Body
from recto.document.text import count
from recto.store.mutation import Mutation
from recto.store.progress import Reporter
from recto.tui.dialogs.report import Report
from recto.tui.forms.dialog import FormDialog
from recto.tui.forms.form import Field, Filling, Form, Kind

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.addresses import Address
    from recto.contract.export_report import ExportReport
    from recto.contract.spaces import Space
    from recto.store.mutation import Outcome
    from recto.tui.screens.interactive import Interactive


class ExportToFolder(Body):
    """What is asked for an export."""

    folder: str
    force: bool = False


def _form(folder: str | None) -> Form[ExportToFolder]:
    return Form(
        "export",
        ExportToFolder,
        Field("folder", "Folder", required=True, default=folder, placeholder="~/docs"),
        Field(
            "force",
            "Replace files",
            kind=Kind.SWITCH,
            says="Writes to a folder with other files, and replaces those in the way.",
        ),
    )


async def export_to_folder(host: Interactive, space: Space, at: Address) -> None:
    """Ask for a folder, write the space into it, and say what came of it."""
    store = host.store
    workspace, locations = store.workspace, store.locations
    assert workspace is not None
    known = locations.export_folder(store.address, space.id) if locations is not None else None
    report: ExportReport | None = None

    async def submit(body: ExportToFolder) -> Outcome[bool]:
        folder = _folder(body.folder)
        reporter = Reporter()

        async def work(_: Call) -> bool:
            nonlocal report
            report = await workspace.export_folder(at, folder, reporter.report, force=body.force)
            return True

        if locations is not None:
            locations.keep_export_folder(store.address, space.id, body.folder.strip())
        what = f"“{space.title}” to {folder}"
        return await host.send(
            Mutation(doing=f"Exporting {what}", done=f"Exported {what}", call=work, progress=reporter)
        )

    says = f"Writes {_words(at)} as Markdown files. What was imported and not edited stays as it was, byte for byte."
    if await host.ask(FormDialog(store, "Export to a folder", Filling(_form(known), submit), says=says)) and report:
        lines = _lines(report)
        if report.left_out:
            await host.ask(Report("Export finished", (*lines, "", "Left out:", *report.left_out)))
        else:
            host.say(f"Exported “{space.title}”: {lines[-1]}")


def _folder(typed: str) -> Path:
    # Unlike that of ``Path``, this takes a home of no user as a name as well.
    return Path(os.path.abspath(os.path.expanduser(typed.strip())))  # noqa: PTH100, PTH111


def _words(at: Address) -> str:
    if isinstance(at, AtRevision):
        return "this revision"
    return "this change request" if isinstance(at, InChangeRequest) else "main"


def _lines(report: ExportReport) -> tuple[str, str]:
    deleted = f", {report.deleted:,} deleted" if report.deleted else ""
    counts = f"{count(report.written, 'file')} written{deleted}, {report.unchanged:,} unchanged."
    return f"{count(report.pages, 'page')} in {report.folder}", counts
