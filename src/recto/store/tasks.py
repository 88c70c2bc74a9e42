"""The tasks of the store."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Tasks:
    """Starts tasks, keeps references to them, and waits until none is left."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run ``work`` as a task in the running event loop."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def idle(self) -> None:
        """Wait until nothing is under way, including tasks started meanwhile."""
        while self._running:
            await asyncio.wait(set(self._running))
            await asyncio.sleep(0)
