"""Exit codes, and messages of commands that fail."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

from recto.client.errors import ClientError, Conflict, NotFound
from recto.document.text import printable

FAILED = 1
"""The exit code of a command that failed."""

USAGE = 2
"""The exit code of wrong usage."""

UNSURE = 3
"""The exit code of a command that sent a change and got no whole response: the change may have been made."""

CANCELLED = 130
"""The exit code of a command that was cancelled with Ctrl+C."""


_NEXT_STEPS: Final[Mapping[type[Exception], str]] = {
    NotFound: "Check its name: it may have been moved or deleted.",
    Conflict: "Look at what changed, and try again.",
}
"""What to do in a shell, where nothing is shown that could be refreshed."""


class CommandError(Exception):
    """A command fails; the message is for the person, ``exit_code`` for the shell."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def message_of(error: Exception) -> str:
    """Return the message of an error for a shell: what failed, why, and what to do."""
    step = _NEXT_STEPS.get(type(error))
    return f"{error.what} {error.why} {step}" if isinstance(error, ClientError) and step else str(error)


def tell(message: str) -> None:
    """Print a message on standard error, without terminal control characters."""
    print(f"recto: {printable(message)}", file=sys.stderr)
