"""Where the workspace remembers which organization is the guide."""

from __future__ import annotations

from typing import Final

GUIDE: Final = "guide"
"""The key under which the workspace keeps the id of the guide's organization; empty once it was removed."""
