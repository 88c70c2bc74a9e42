"""A page for each kind of block, as such pages are written; together they hold every block that the reader knows."""

from __future__ import annotations

from pathlib import Path


def _pages(folder: str) -> dict[str, str]:
    files = sorted(Path(__file__).with_name("blocks").joinpath(folder).glob("*.md"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


TEXT_BLOCKS = _pages("text")
"""What any Markdown has, by kind."""

PLATFORM_BLOCKS = _pages("platform")
"""What the platform adds, by kind."""

VARIANTS = {f"another {kind}": text for kind, text in _pages("variants").items()}
"""What is rarer of both: other attributes, blocks within blocks, and what does not fit."""

BLOCKS = {**TEXT_BLOCKS, **PLATFORM_BLOCKS, **VARIANTS}
