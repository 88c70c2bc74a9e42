"""The form that saves a space, a change request or a page as a PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from recto.contract.addresses import InChangeRequest
from recto.contract.model import Body
from recto.paths import written_path
from recto.store.mutation import Cancelled, Outcome
from recto.store.pdf_saving import PdfPart
from recto.store.workspace import FilesInTheWay
from recto.tui.dialogs.import_report import finding_lines
from recto.tui.dialogs.jobs import show_while
from recto.tui.dialogs.report import Report
from recto.tui.forms.form import Field, FieldKind, Filling, Form
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.look.signs import size_text

if TYPE_CHECKING:
    from recto.contract.addresses import Main
    from recto.contract.content import Page
    from recto.tui.screens.interactive import Interactive

_ALL, _BELOW, _ONLY = "all", "below", "only"


class SavePdf(Body):
    """The fields of a PDF."""

    file: str
    pages: Literal["all", "below", "only"] = "all"
    force: bool = False


def _form(before: SavePdf, page: Page | None) -> Form[SavePdf]:
    pages = {_ALL: "all pages"}
    if page is not None:
        pages |= {_BELOW: f"“{page.title}” and the pages below it", _ONLY: f"“{page.title}” alone"}
    return Form(
        "pdf",
        SavePdf,
        Field("file", "File", required=True, default=before.file or None, placeholder="~/handbook.pdf"),
        Field("pages", "Pages", choices=pages, default=before.pages, required=True),
        Field("force", "Replace the file", kind=FieldKind.SWITCH, default=before.force, says="If it is there already."),
    )


async def save_as_pdf(host: Interactive, at: Main | InChangeRequest, page: Page | None) -> None:
    """Ask for a file and the pages, save the PDF while progress is shown, and report what it does not show."""
    store = host.store
    wanted = SavePdf(file="")
    what = "this change request" if isinstance(at, InChangeRequest) else "main"
    says = (
        f"Saves pages of {what}, with a title page and contents. Hidden pages are left out."
        " A character that no font has is given by its number; your own workspace lists them afterwards."
    )

    async def take(body: SavePdf) -> Outcome[SavePdf]:
        return Outcome(body)

    while True:
        typed = await host.ask(FormDialog(store, "Save as PDF", Filling(_form(wanted, page), take), says=says))
        if typed is None:
            return
        wanted = typed
        file = written_path(wanted.file.strip())
        part = PdfPart(page.id, only=wanted.pages == _ONLY) if page is not None and wanted.pages != _ALL else PdfPart()
        try:
            saved = await show_while(host, store.save_pdf(at, file, part, force=wanted.force))
        except FilesInTheWay as error:
            says = f"{error.why} {error.next_step}"
        except Cancelled:
            host.say(f"Cancelled; {file} was not saved.")
            return
        else:
            break
    done = f"Saved {saved.file}: {size_text(saved.size)}."
    if saved.left_out:
        await host.ask(Report("PDF saved", (done, *finding_lines(saved.left_out))))
    else:
        host.say(done)
