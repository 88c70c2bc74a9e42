from __future__ import annotations

import asyncio

from recto.tui.turns import do_after_others, others_first


async def _woken(log: list[str]) -> None:
    # A timer that is due wakes its task in one round of the loop, and the task goes on in the next.
    await asyncio.sleep(1e-9)
    log.append("the other")


async def test_what_gives_others_a_turn_goes_on_after_all_that_could_go_on() -> None:
    log: list[str] = []
    other = asyncio.create_task(_woken(log))
    await asyncio.sleep(0)  # it has begun, and its timer is due
    await others_first()
    log.append("the long part")
    await other

    assert log == ["the other", "the long part"]


async def test_what_is_put_off_is_done_after_all_that_could_go_on() -> None:
    log: list[str] = []
    other = asyncio.create_task(_woken(log))
    await asyncio.sleep(0)
    done = asyncio.Event()

    def long_part() -> None:
        log.append("the long part")
        done.set()

    do_after_others(long_part)
    await asyncio.gather(other, done.wait())

    assert log == ["the other", "the long part"]
