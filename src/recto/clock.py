"""The clock, which is injected so that tests and snapshots are stable."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the present moment, with its offset from UTC."""


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """Return a moment as it is stored: ISO 8601 in UTC to the millisecond, so that text order is order in time."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
