"""The log: a rotating file without tokens and terminal control characters."""

from __future__ import annotations

import logging
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from recto import disk
from recto.document.text import printable
from recto.pattern import pattern

MAX_BYTES = 1_000_000
"""Size at which a log file is rotated."""

KEPT_FILES = 3
"""How many rotated files are kept."""

_SECRETS = pattern(r"(?i)(bearer\s+|token[\"']?\s*[:=]\s*[\"']?)[^\s\"',;]+")
_LOGGERS = (("recto", logging.INFO), ("asyncio", logging.WARNING), ("uvicorn", logging.WARNING))


class DiscreetFormatter(logging.Formatter):
    """Removes tokens from messages and tracebacks: those it is given, and whatever looks like a token."""

    def __init__(self, *tokens: str) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._tokens = [token for token in tokens if token]

    def format(self, record: logging.LogRecord) -> str:
        """Format the record without tokens and terminal control characters."""
        text = _SECRETS.sub(r"\1…", super().format(record))
        for token in self._tokens:
            text = text.replace(token, "…")
        return printable(text)


class _QuietFile(RotatingFileHandler):
    """A log file whose errors are not printed: they would be written across the screen."""

    def _open(self) -> TextIOWrapper:
        """Open the log for its owner alone."""
        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=disk.open_file)  # type: ignore[return-value]

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Drop the record."""


def start(file: Path, *tokens: str) -> None:
    """Send log records of ``recto`` from INFO on, and warnings of the event loop and of the server, to a rotating file.

    A file or a folder that cannot be written to is no error.
    """
    try:
        disk.make_folder(file.parent)
        disk.close_files(each for each in file.parent.iterdir() if each.name.startswith(file.name))
        handler: logging.Handler = _QuietFile(
            file, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(DiscreetFormatter(*tokens))
    for name, level in _LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.propagate = False
        logger.handlers[:] = [handler]
