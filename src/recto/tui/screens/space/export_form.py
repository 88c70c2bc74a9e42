"""The form that writes a space into a folder."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.model import Body
from recto.document.text import count
from recto.paths import written_path
from recto.store.hosted_export import NOT_GIVEN
from recto.store.mutation import Cancelled, Outcome
from recto.store.workspace import FilesInTheWay
from recto.tui.dialogs.import_report import finding_lines
from recto.tui.dialogs.jobs import show_while
from recto.tui.dialogs.report import Report
from recto.tui.forms.form import Field, FieldKind, Filling, Form
from recto.tui.forms.form_dialog import FormDialog

if TYPE_CHECKING:
    from recto.contract.addresses import Address
    from recto.contract.export_report import ExportReport
    from recto.contract.spaces import Space
    from recto.tui.screens.interactive import Interactive


class ExportToFolder(Body):
    """The fields of an export."""

    folder: str
    force: bool = False


AS_IMPORTED = "What was imported and not edited stays as it was, byte for byte."


_FORM: Final = Form(
    "export",
    ExportToFolder,
    Field("folder", "Folder", required=True, placeholder="~/docs"),
    Field(
        "force",
        "Replace files",
        kind=FieldKind.SWITCH,
        says="Writes to a folder with other files, and replaces those in the way.",
    ),
    sends="Export the space",
)


async def export_to_folder(host: Interactive, space: Space, at: Address) -> None:
    """Ask for a folder, write the space into it while progress is shown, and report the result."""
    store = host.store
    how = AS_IMPORTED if store.workspace is not None else NOT_GIVEN
    says = f"Writes {_words(at)} as Markdown files. {how}"

    async def take(body: ExportToFolder) -> Outcome[ExportToFolder]:
        return Outcome(body)

    remember = partial(store.keep_form_values, space.id, _FORM.name)
    while True:
        filling = Filling(_FORM, take, remembered=store.form_values(space.id, _FORM.name), remember=remember)
        wanted = await host.ask(FormDialog(store, "Export to a folder", filling, says=says))
        if wanted is None:
            return
        try:
            folder = written_path(wanted.folder.strip())
            report = await show_while(host, store.export_folder(at, folder, force=wanted.force))
        except FilesInTheWay as error:
            says = f"{error.why} {error.next_step}"
        except Cancelled:
            host.say(f"Cancelled the export of “{space.title}”; nothing in {wanted.folder.strip()} was changed.")
            return
        else:
            break
    lines = _lines(report)
    if report.left_out:
        await host.ask(Report("Export finished", (*lines, "", "Left out:", *finding_lines(report.left_out))))
    else:
        host.say(f"Exported “{space.title}”: {lines[-1]}")


def _words(at: Address) -> str:
    if isinstance(at, AtRevision):
        return "this revision"
    return "this change request" if isinstance(at, InChangeRequest) else "main"


def _lines(report: ExportReport) -> tuple[str, str]:
    deleted = f", {report.deleted:,} deleted" if report.deleted else ""
    counts = f"{count(report.written, 'file')} written{deleted}, {report.unchanged:,} unchanged."
    return f"{count(report.pages, 'page')} in {report.folder}", counts
