"""Tables on standard output."""

from __future__ import annotations

from collections.abc import Sequence

from recto.document.text import printable


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows in aligned columns, the first row being their titles."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, [*widths[:-1], 0], strict=True))
        print(printable(line.rstrip()).replace("\n", " "))
