"""The result of an import of a folder, which is no operation of the API."""

from __future__ import annotations

from datetime import datetime

from recto.frozen import frozen


@frozen
class Finding:
    """Something about a folder that its owner should know: a sentence, and the files or entries that it is about."""

    message: str
    lines: tuple[str, ...] = ()


@frozen
class ImportedSpace:
    """A book of the folder and the space that holds it."""

    space: str
    """The space's id."""
    title: str
    folder: str
    """The path of the book in the folder."""
    pages: int
    """The number of pages that have a text."""
    files: int
    created: bool
    """Whether the space is new."""
    changed: bool
    """Whether the folder differed from the space's last import."""
    change_request: str | None = None
    """The change request that holds the folder's changes, where they conflict with changes in the space."""
    findings: tuple[Finding, ...] = ()
    """About this book: what was left out, refers to a missing file, or could not be read."""


@frozen
class ImportReport:
    """The spaces and the site that a folder became."""

    organization: str
    """The id of the organization that holds them."""
    spaces: tuple[ImportedSpace, ...]
    site: str | None = None
    """The site's id, where the folder describes one."""
    findings: tuple[Finding, ...] = ()
    """About the folder as a whole."""


@frozen
class SpaceImport:
    """The last import of a space's folder: its source, time and findings."""

    folder: str
    imported_at: datetime
    findings: tuple[Finding, ...] = ()
