"""Taking turns on the event loop: what is long is done in parts, and what else waits has its turn between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_ROUNDS = 3
"""Rounds of the event loop after which whatever waited has gone on.

A timer that is due wakes its task in the first round, and the task goes on in the second.
"""


async def others_first() -> None:
    """Let all go on that could; where nothing else waits, this takes no time."""
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)


def do_after_others(callback: Callable[[], object], *, rounds: int = _ROUNDS) -> None:
    """Call something after all that could go on has."""
    asyncio.get_running_loop().call_soon(
        callback if rounds <= 1 else lambda: do_after_others(callback, rounds=rounds - 1)
    )
