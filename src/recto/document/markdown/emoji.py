"""Emoji by their names in Markdown."""

from __future__ import annotations

from rich.emoji import Emoji

from recto.pattern import pattern

_CODE_POINTS = pattern(r"[0-9a-fA-F]{4,6}(?:-[0-9a-fA-F]{2,6})*")


def emoji(name: str) -> str:
    """Return the emoji for a short code or for code points in hexadecimal; the code as written for anything else."""
    if _CODE_POINTS.fullmatch(name):
        points = [int(point, 16) for point in name.split("-")]
        if all(0xA0 <= point < 0x110000 and not 0xD800 <= point < 0xE000 for point in points):
            return "".join(map(chr, points))
    return Emoji.replace(f":{name.replace('-', '_') if len(name) > 2 else name}:")
