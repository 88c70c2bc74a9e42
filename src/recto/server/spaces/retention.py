"""Deleted spaces: kept for seven days, in which they can be restored, then swept."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from recto.clock import Clock, stamp
from recto.server.context import Context

RETENTION: Final = timedelta(days=7)
"""How long a deleted space is kept."""

UNSWEPT: Final = "unswept"
"""The key that marks a workspace that may hold content without a revision."""


def kept_since(clock: Clock) -> str:
    """Return the moment, as it is stored, at or after which a space was deleted that is still kept."""
    return stamp(clock() - RETENTION)


def delete_space(context: Context, space: str) -> None:
    """Mark a space as deleted; it keeps its place and all that it holds."""
    context.database.update("spaces", space, deleted_at=context.stamp())


def restore_space(context: Context, space: str) -> None:
    """Restore a deleted space."""
    context.database.update("spaces", space, deleted_at=None)
