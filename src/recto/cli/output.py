"""Tables, and JSON for a terminal, a file or another program."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from recto.document.json_text import pretty
from recto.document.text import printable


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows in aligned columns, the first row being their titles."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, [*widths[:-1], 0], strict=True))
        print(printable(line.rstrip()).replace("\n", " "))


_LONGEST_COLOURED = 512 * 1024


def show(value: Any, stream: TextIO | None = None, *, dark: bool = True) -> None:
    """Write JSON to a stream, in colours where that is a terminal that takes them."""
    stream = stream or sys.stdout
    text = pretty(value, ascii_only=(stream.encoding or "").lower().replace("-", "") != "utf8")
    if is_coloured(stream) and len(text) <= _LONGEST_COLOURED:
        from recto.cli.api.json_colours import colour

        text = colour(text, dark)
    stream.write(f"{text}\n")


def is_coloured(stream: TextIO) -> bool:
    """Whether a stream is a terminal that takes colours, and NO_COLOR is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in (None, "dumb")
