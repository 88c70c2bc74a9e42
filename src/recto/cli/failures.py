"""How a command ends that cannot do what it was asked."""

from __future__ import annotations

import sys

FAILED = 1
"""The exit code of a command that could not do what it was asked."""

USAGE = 2
"""The exit code of a command line that says something impossible."""

UNSURE = 3
"""The exit code of a command that sent a change and had no whole answer: the change may have been made."""


class CommandError(Exception):
    """A command cannot go on; the message is for the person, ``exit_code`` for the shell."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def tell(message: str) -> None:
    """Say a sentence on standard error, in which nothing that came from outside acts on the terminal."""
    from recto.document.text import printable

    print(f"recto: {printable(message)}", file=sys.stderr)
