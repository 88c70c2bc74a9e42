"""Parts of paths, made from the names of files and folders."""

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
