"""Named points at which a test may kill the process, to prove that what was acknowledged survives.

``RECTO_KILL_AT=name`` kills the process (SIGKILL, so that nothing is tidied up) when it first passes the checkpoint
of that name; ``RECTO_KILL_AT=name:3`` lets it pass twice and kills it the third time. Unset, a checkpoint is a call
of an empty function.
"""

from __future__ import annotations

import os
import signal


def _ignore(name: str) -> None:
    """Pass the point."""


class _Armed:
    """Counts down the passes of one checkpoint and ends the process at the last."""

    def __init__(self, order: str) -> None:
        name, _, passes = order.partition(":")
        self._name = name
        self._left = int(passes or 1)

    def __call__(self, name: str) -> None:
        if name != self._name:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


_order = os.environ.get("RECTO_KILL_AT")

checkpoint = _Armed(_order) if _order else _ignore
"""Pass a named point: nothing happens unless ``RECTO_KILL_AT`` names it."""
