"""Addresses of things, and which of them a browser can be sent to."""

from __future__ import annotations

from urllib.parse import urlsplit


def for_browser(address: str | None) -> str | None:
    """Return an address if a browser can open it; those of the platform in this program lead nowhere outside of it."""
    try:
        parts = urlsplit(address or "")
        host = parts.hostname or ""
    except ValueError:
        return None
    return address if parts.scheme in ("http", "https") and host and not host.endswith(".invalid") else None
