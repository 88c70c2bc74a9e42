"""Regular expressions that are compiled when they are first used: a start imports many, and uses a third of them."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Pattern:
    """Stands for a compiled pattern; each of its methods is kept once it was asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern whose methods can be called; functions of ``re`` take none of these."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))
