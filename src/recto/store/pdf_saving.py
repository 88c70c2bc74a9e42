"""PDFs saved as files: the platform makes them and answers with their address."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from recto import disk
from recto.client.errors import BadResponse, ClientError
from recto.contract.export_report import SavedPdf
from recto.contract.pdf import Pdfs
from recto.frozen import frozen
from recto.store.mutation import Cancelled
from recto.store.progress import Progress
from recto.store.workspace import FilesInTheWay

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.addresses import InChangeRequest, Main

MAX_PDF_BYTES: Final = 500 * 1000 * 1000
"""The largest PDF that is fetched, in bytes."""

PATIENCE_S: Final = 1800.0
"""How many seconds a platform may take to make a PDF."""

_MARK: Final = b"%PDF-"


@frozen
class PdfPart:
    """The part of the content in a PDF: all of it, a page with those below it, or with ``only`` the page alone."""

    page: str | None = None
    only: bool = False


class Download(Protocol):
    """Returns the bytes of a file; see :class:`recto.client.sender.Downloading`."""

    async def __call__(self, url: str, most: int, *, patience: float | None = None) -> bytes:
        """Download the file."""
        ...


async def save_pdf(
    call: Call,
    download: Download,
    at: Main | InChangeRequest,
    file: Path,
    part: PdfPart,
    report: Callable[[Progress], None],
    *,
    force: bool = False,
) -> SavedPdf:
    """Ask for the address of a PDF, fetch it and save it.

    Raises :class:`FilesInTheWay` where the file is there, unless with ``force``, :class:`Cancelled` where it was
    cancelled as a task, and another :class:`ClientError`; the file is unchanged then.
    """
    what = f"{file} was not saved."
    try:
        await asyncio.to_thread(check_place, file, force=force)
        report(Progress("Making the PDF", 0))
        url = (await call(Pdfs.get_pdf, at, only=part.only or None, page=part.page)).url
        content = await download(url, MAX_PDF_BYTES, patience=PATIENCE_S)
        if not content.startswith(_MARK):
            raise BadResponse(what, "The platform answered with something else than a PDF.", "Save it in the browser.")
        await asyncio.to_thread(_write, file, content, force=force)
    except asyncio.CancelledError:
        raise Cancelled(what, "You cancelled it.", "") from None
    except OSError as error:
        raise ClientError(what, f"{file} cannot be written: {error.strerror or error}.") from error
    return SavedPdf(str(file), len(content))


def _write(file: Path, content: bytes, *, force: bool) -> None:
    check_place(file, force=force)  # another may have written it while the PDF was made
    disk.write(file, content)


def check_place(file: Path, *, force: bool) -> None:
    """Check that a PDF may be saved there; raises what :func:`save_pdf` does where it may not."""
    what = f"{file} was not saved."
    # A folder cannot be replaced, and a pipe or a device must not be.
    if file.exists() and not file.is_file():
        raise ClientError(what, f"{file} is not a file.", "Choose another file.")
    if not force and file.exists():
        raise FilesInTheWay(what, f"{file} is there already.", "Choose another file, or replace it.")
    if not file.parent.is_dir():
        raise ClientError(what, f"There is no folder {file.parent}.")
