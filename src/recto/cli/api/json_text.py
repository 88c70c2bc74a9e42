"""Writes JSON for a terminal, a file or another program."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any, TextIO

_LONGEST_COLOURED = 512 * 1024

# What a terminal acts on or draws nothing for: DEL and C1 controls, marks that turn the direction of what follows,
# invisible letters, line ends in disguise, halves of characters. Those below U+0020 JSON escapes itself.
_ACTING = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def pretty(value: Any, *, ascii_only: bool = False) -> str:
    """Return JSON over several lines, in which nothing acts on a terminal; it says what ``value`` says."""
    text = json.dumps(value, indent=2, ensure_ascii=ascii_only)
    return _ACTING.sub(lambda found: json.dumps(found[0])[1:-1], text)


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
