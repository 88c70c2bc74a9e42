"""How large something is, as one reads it."""

from __future__ import annotations


def bytes_in_words(size: int) -> str:
    """Write a size as a person reads it: ``812 B``, ``4.2 KB``, ``1.0 MB``."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} KB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
