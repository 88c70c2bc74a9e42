"""What time it is; tests put another clock in its place."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """Return the moment, in UTC."""
    return datetime.now(UTC)
