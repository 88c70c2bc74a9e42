from __future__ import annotations

import asyncio

from recto.tui.turns import yield_to_loop


async def _woken(log: list[str]) -> None:
    # A timer that is due wakes its task in one round of the loop, and the task goes on in the next.
    await asyncio.sleep(1e-9)
    log.append("the other")


async def test_what_yields_goes_on_after_all_that_could_go_on() -> None:
    log: list[str] = []
    other = asyncio.create_task(_woken(log))
    await asyncio.sleep(0)  # it has begun, and its timer is due
    await yield_to_loop()
    log.append("the long part")
    await other

    assert log == ["the other", "the long part"]
