"""Unexpected errors: the traceback goes to the log, without the values of variables."""

from __future__ import annotations

import logging
import traceback
from contextlib import suppress

from recto import disk, paths

log = logging.getLogger("recto")


def record(error: BaseException) -> str:
    """Write the traceback of an error to the log, without local variables, and return the log's path."""
    trace = "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
    file = paths.log_file()
    if log.hasHandlers():
        log.critical("Unexpected error: %s", trace)
    else:
        with suppress(OSError):
            disk.make_folder(file.parent)
            with open(file, "a", encoding="utf-8", errors="backslashreplace", opener=disk.open_file) as stream:
                stream.write(trace)
    return str(file)


def sentence(file: str) -> str:
    """Return the message for the person."""
    return f"Recto had to stop: unexpected error. Your drafts are kept; details are in the log: {file}"
