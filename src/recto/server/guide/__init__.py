"""The guide: an organization that a new workspace comes with, and that can be removed for good."""

from __future__ import annotations

from recto.server.people import directory
from recto.server.platform import Platform

GUIDE = "guide"
"""The key under which the workspace remembers the guide's organization; empty once it was removed."""


def find_guide(platform: Platform) -> str | None:
    """Return the id of the guide's organization; ``None`` where it was removed."""
    return platform.database.read_now(lambda connection: directory.recall(connection, GUIDE)) or None
