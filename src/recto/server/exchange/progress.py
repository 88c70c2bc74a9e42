"""Progress and cancellation of imports."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with a step in a few words, how much of it is done, and how much there is in all, where that is known."""


class ImportCancelledError(Exception):
    """The import was cancelled; nothing of it is in the workspace."""
