"""The result of an export of a space to a folder, which is no operation of the API."""

from __future__ import annotations

from recto.frozen import frozen


@frozen
class ExportReport:
    """The files of a space in a folder: how many were written, deleted, and were as they should be."""

    folder: str
    pages: int
    """The number of pages that the folder holds now."""
    written: int
    deleted: int
    unchanged: int
    left_out: tuple[str, ...] = ()
    """What the folder does not hold, in sentences."""
