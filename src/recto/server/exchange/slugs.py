"""Parts of paths, made from the names of files and groups."""

from __future__ import annotations

import re
import unicodedata

MAX_SLUG = 100
"""The longest slug, in characters."""

_BETWEEN = re.compile(r"[^\w.~-]+")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")


def slug_of(name: str) -> str:
    """Return the slug of a file or folder name: the name itself, with a hyphen for what a path does not hold."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFC", name))
    return _BETWEEN.sub("-", plain).strip("-").strip(".")[:MAX_SLUG] or "page"


class SlugShelf:
    """Gives each of several siblings a slug of its own."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, slug: str) -> str:
        """Return the slug, with a number behind it where a sibling has it already."""
        free, number = slug, 0
        while free in self._taken:
            number += 1
            free = f"{slug[: MAX_SLUG - 5]}-{number}"
        self._taken.add(free)
        return free
