"""What happens when something fails that nobody foresaw: the log tells how, without the values of variables."""

from __future__ import annotations

import logging
import traceback
from contextlib import suppress

from recto import paths

log = logging.getLogger("recto")


def record(error: BaseException) -> str:
    """Write where an error happened to the log, without local variables, and give the log's place."""
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
    file = paths.log_file()
    if log.hasHandlers():
        log.critical("Unforeseen: %s", told)
    else:
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(told)
    return str(file)


def sentence(file: str) -> str:
    """Say to the person what happened."""
    return f"Recto met something that nobody foresaw and had to stop. What you typed is kept. The log says more: {file}"
