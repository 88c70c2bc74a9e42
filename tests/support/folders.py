"""Folders of documentation for tests of the import."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write_folder(top: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder, by their places, and return the folder."""
    for place, content in files.items():
        file = top / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return top
