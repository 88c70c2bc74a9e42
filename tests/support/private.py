"""What counts as a private name."""

from __future__ import annotations

_PUBLIC = frozenset({"_", "_replace", "_asdict", "_fields", "_make"})
"""What begins with an underscore and is no private name: what every named tuple offers."""


def is_private(name: str) -> bool:
    """Whether a name is private to its library."""
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__")) and name not in _PUBLIC
