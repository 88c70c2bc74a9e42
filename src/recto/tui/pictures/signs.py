"""The characters of which pictures are put together."""

from __future__ import annotations

HALF = "▀"
"""The upper pixel of a cell, in the colour of the text; the lower is in the colour behind it."""

PLACEHOLDER = "\U0010eeee"
"""Where a terminal that draws pictures itself draws a part of one."""
