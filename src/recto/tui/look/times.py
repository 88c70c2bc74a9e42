"""Times in words: how long ago, and exact."""

from __future__ import annotations

from datetime import UTC, datetime

_exact_only = False


def show_dates(dates: str) -> None:
    """Choose the form of all dates from now on: ``relative`` or ``exact``. Global, like a locale."""
    global _exact_only
    _exact_only = dates == "exact"


def both(moment: datetime | None, at: datetime) -> str:
    """Return how long ago a moment was and when exactly: ``2 h ago · 12 Mar 2024, 14:05``.

    Where the first is a date already, it is the exact date and time alone.
    """
    past, when = ago(moment, at), exact(moment)
    return when if when.startswith(past) else f"{past} · {when}"


def ago(moment: datetime | None, at: datetime) -> str:
    """Return how long before ``at`` a moment was: ``5 min ago``, ``2 h ago``, ``3 d ago``, ``12 Mar 2024``.

    Where exact dates are chosen it is the exact date and time.
    """
    if moment is None:
        return ""
    if _exact_only:
        return exact(moment)
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
    local = _local(moment)
    return f"{local.day} {local:%b %Y}"


def clock_time(moment: datetime) -> str:
    """Return the local time of day of a moment: ``14:05``."""
    return f"{_local(moment):%H:%M}"


def exact(moment: datetime | None) -> str:
    """Return the local date and time of a moment: ``12 Mar 2024, 14:05``."""
    if moment is None:
        return ""
    local = _local(moment)
    return f"{local.day} {local:%b %Y, %H:%M}"


def _local(moment: datetime) -> datetime:
    """Return a moment in the local time zone; in its own where that would be before the year 1 or after 9999."""
    try:
        return _aware(moment).astimezone()
    except (OverflowError, ValueError):
        return _aware(moment)


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
