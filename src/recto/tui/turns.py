"""Yielding to the event loop between long pieces of work."""

from __future__ import annotations

import asyncio

_ROUNDS = 3
"""Rounds of the event loop after which whatever waited has gone on.

A timer that is due wakes its task in the first round, and the task goes on in the second.
"""


async def yield_to_loop() -> None:
    """Run everything that is ready; takes no time where nothing else waits."""
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)
