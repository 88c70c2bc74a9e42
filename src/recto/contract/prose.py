"""Docstrings of the contract as those read them who know the API by its wire alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from recto.contract.model import wire_name

_QUOTED: Final = re.compile(r"``(.+?)``", re.DOTALL)


def prose(text: str, names: Iterable[str] = ()) -> str:
    """Return the text of a docstring as Markdown; ``names`` are spelled as on the wire."""
    spellings = {"None": "null", "True": "true", "False": "false"} | {name: wire_name(name) for name in names}
    return _QUOTED.sub(lambda found: f"`{spellings.get(found[1], found[1])}`", text).strip()
