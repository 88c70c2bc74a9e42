"""The log: a file that rotates, in which no token stands."""

from __future__ import annotations

import logging
import re
from logging.handlers import RotatingFileHandler
from pathlib import Path

MAX_BYTES = 1_000_000
"""Size at which a log file is put aside."""

KEPT_FILES = 3
"""How many files that were put aside are kept."""

_SECRETS = re.compile(r"(?i)(bearer\s+|token[\"']?\s*[:=]\s*[\"']?)[^\s\"',;]+")


class TokenFilter(logging.Filter):
    """Blots out whatever looks like a token, and the tokens that it is told of."""

    def __init__(self, *tokens: str) -> None:
        super().__init__()
        self._tokens = [token for token in tokens if token]

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record's message without tokens; every record passes."""
        message = _SECRETS.sub(r"\1…", record.getMessage())
        for token in self._tokens:
            message = message.replace(token, "…")
        record.msg, record.args = message, None
        return True


def start(file: Path, *tokens: str) -> None:
    """Send log records of ``recto`` from INFO on to a rotating file; a folder that cannot be written to is no error."""
    logger = logging.getLogger("recto")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(
            file, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.addFilter(TokenFilter(*tokens))
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.handlers[:] = [handler]
