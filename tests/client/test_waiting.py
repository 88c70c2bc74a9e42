from __future__ import annotations

import asyncio

import pytest

from recto.client.waiting import LONGEST_ASKED, Wait, Waits, seconds_to_wait

NOW = 1000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 3 "}, 3.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:16:45 GMT"}, 5.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:16:00 GMT"}, 0.0),
        ({"retry-after": "9" * 320}, LONGEST_ASKED),
        ({"retry-after": "9" * 20}, LONGEST_ASKED),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, LONGEST_ASKED),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "soon", "x-ratelimit-reset": "1007"}, 7.0),
        ({"retry-after": "2", "x-ratelimit-reset": "1007"}, 2.0),
        ({"x-ratelimit-reset": "1007"}, 7.0),
        ({"x-ratelimit-reset": "990"}, 0.0),
        ({"x-ratelimit-reset": "9" * 300}, LONGEST_ASKED),
        ({"x-ratelimit-reset": "inf"}, None),
        ({"x-ratelimit-reset": "nan"}, None),
        ({"x-ratelimit-reset": "later"}, None),
        ({}, None),
    ],
)
def test_what_a_refusal_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert seconds_to_wait(headers, NOW) == seconds


async def test_one_of_several_waits_can_be_given_up() -> None:
    go_on, both = asyncio.Event(), asyncio.Event()

    async def pause(_: float) -> None:
        await go_on.wait()

    waits = Waits(pause)
    told: list[tuple[Wait, ...]] = []

    def hear(now: tuple[Wait, ...]) -> None:
        told.append(now)
        if len(now) == 2:
            both.set()

    waits.listener = hear
    first = asyncio.ensure_future(waits.wait("Could not load a.", 5))
    second = asyncio.ensure_future(waits.wait("Could not load b.", 8))
    await both.wait()
    assert [(wait.what, wait.seconds) for wait in told[-1]] == [("Could not load a.", 5), ("Could not load b.", 8)]
    told[-1][0].give_up()
    assert await first is False
    assert waits
    go_on.set()
    assert await second is True
    assert not waits
    assert told[-1] == ()
