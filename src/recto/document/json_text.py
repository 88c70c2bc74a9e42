"""JSON as text in which nothing acts on a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

# What a terminal acts on or draws nothing for: DEL and C1 controls, marks that turn the direction of what follows,
# invisible letters, line ends in disguise, halves of characters. Those below U+0020 JSON escapes itself.
_ACTING = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def pretty(value: Any, *, ascii_only: bool = False) -> str:
    """Return JSON over several lines, in which nothing acts on a terminal; it says what ``value`` says."""
    return _harmless(json.dumps(value, indent=2, ensure_ascii=ascii_only))


def compact(value: Any) -> str:
    """Return JSON as a single line without terminal control characters."""
    return _harmless(json.dumps(value, ensure_ascii=False))


def _harmless(text: str) -> str:
    return _ACTING.sub(lambda found: json.dumps(found[0])[1:-1], text)
