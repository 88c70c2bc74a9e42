"""Exports of a space to a folder or a PDF: the content to write, and the result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from recto.contract.import_report import Finding
from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.content import Revision


@frozen
class FetchedSpace:
    """A revision of a space with what its platform gave of it.

    ``texts`` are the Markdown of its pages, and ``files`` the local copies of its files, by their ids; a file that
    could not be fetched is not among them.
    """

    revision: Revision
    texts: Mapping[str, str]
    files: Mapping[str, Path]


@frozen
class ExportReport:
    """The files of a space in a folder: how many were written, deleted, and were as they should be."""

    folder: str
    pages: int
    """The number of pages that the folder holds now."""
    written: int
    deleted: int
    unchanged: int
    left_out: tuple[Finding, ...] = ()
    """Content that is not in the folder."""


@frozen
class PdfReport:
    """A PDF that was made: its title, the number of documentation pages in it, and its size in bytes."""

    title: str
    pages: int
    size: int
    left_out: tuple[Finding, ...] = ()
    """Pages, pictures and characters that it does not show."""


@frozen
class SavedPdf:
    """A PDF that was saved: its file, its size in bytes, and what it does not show as far as that is known."""

    file: str
    size: int
    left_out: tuple[Finding, ...] = ()
