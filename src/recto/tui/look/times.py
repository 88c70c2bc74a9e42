"""Times as people read them: how long ago, and exactly."""

from __future__ import annotations

from datetime import UTC, datetime


def ago(moment: datetime | None, at: datetime) -> str:
    """Return how long before ``at`` a moment was: ``5 min ago``, ``2 h ago``, ``3 d ago``, ``12 Mar 2024``."""
    if moment is None:
        return ""
    seconds = (at - _aware(moment)).total_seconds()
    if seconds < -60:
        return exact(moment)
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min ago"
    if seconds < 86_400:
        return f"{int(seconds // 3600)} h ago"
    if seconds < 31 * 86_400:
        return f"{int(seconds // 86_400)} d ago"
    local = _aware(moment).astimezone()
    return f"{local.day} {local:%b %Y}"


def exact(moment: datetime | None) -> str:
    """Return the local date and time of a moment: ``12 Mar 2024, 14:05``."""
    if moment is None:
        return ""
    local = _aware(moment).astimezone()
    return f"{local.day} {local:%b %Y, %H:%M}"


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
