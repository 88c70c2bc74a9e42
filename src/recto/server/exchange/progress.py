"""How an import says how far it is, and is told to stop."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with a step in a few words, how much of it is done, and how much there is in all, where that is known."""


class ImportCancelledError(Exception):
    """The person no longer wants the folder; nothing of it is in the workspace that was not there before."""
