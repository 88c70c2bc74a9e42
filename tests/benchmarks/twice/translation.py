"""What it costs to part a page for a translator and to put translated texts in place of its own."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.hostile_input import INPUTS
from benchmarks.twice.cases import case
from recto.document.translation.page_texts import split
from recto.document.translation.tagged_text import Broken
from support.hostile import SIZED

SIZE = 10_000


def translate(text: str) -> str | None:
    """Put texts in upper case in place of those of a page."""
    parted = split(text)
    try:
        return parted.join([each.upper() for each in parted.texts])
    except Broken:
        return None


def _declare(name: str, make: Callable[[int], str]) -> None:
    @case(f"page translated: {name}", SIZE)
    def _translating(size: int) -> Callable[[], object]:
        text = make(size)
        return lambda: translate(text)


for _name, _make in {**INPUTS, **SIZED}.items():
    _declare(_name, _make)
