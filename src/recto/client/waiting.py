"""Waits that a platform asks for: they can be watched, and given up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime

WORTH_TELLING = 1.0
"""The shortest wait in seconds that is reported."""

LONGEST_ASKED = 86_400.0
"""The most seconds that a refusal is taken to ask for: a header may hold any number."""


class Wait:
    """A call that waits because the platform asked for it."""

    def __init__(self, what: str, seconds: float, pausing: asyncio.Future[None]) -> None:
        self.what = what
        """What fails where the wait is given up, as a sentence."""
        self.seconds = seconds
        self._pausing = pausing

    def __repr__(self) -> str:
        return f"<Wait of {self.seconds:g} s>"

    def give_up(self) -> None:
        """Wait no longer: the call fails as the platform refused it."""
        self._pausing.cancel()


Listener = Callable[[tuple[Wait, ...]], None]


class Waits:
    """The waits under way; ``listener`` gets those to report each time a wait begins or ends."""

    def __init__(self, pause: Callable[[float], Awaitable[None]]) -> None:
        self.listener: Listener | None = None
        self._pause = pause
        self._running: list[Wait] = []

    def __bool__(self) -> bool:
        return bool(self._running)

    async def wait(self, what: str, seconds: float) -> bool:
        """Wait so long; False where it was given up before."""
        pausing = asyncio.ensure_future(self._run_pause(seconds))
        wait = Wait(what, seconds, pausing)
        self._running.append(wait)
        self._report(wait)
        try:
            await asyncio.wait({pausing})
            return not pausing.cancelled()
        finally:
            pausing.cancel()
            self._running.remove(wait)
            self._report(wait)

    def give_up(self) -> None:
        """Cancel all waits."""
        for wait in list(self._running):
            wait.give_up()

    def _report(self, wait: Wait) -> None:
        if self.listener is not None and wait.seconds >= WORTH_TELLING:
            self.listener(tuple(one for one in self._running if one.seconds >= WORTH_TELLING))

    async def _run_pause(self, seconds: float) -> None:
        await self._pause(seconds)


def seconds_to_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Return how many seconds a refusal asks to wait; ``None`` where it does not say, or not in a way that is known.

    They are at most ``LONGEST_ASKED``.
    ``Retry-After`` is seconds or a date, ``X-RateLimit-Reset`` seconds since 1970, as is ``now``. The names of
    ``headers`` are looked up in lower case.
    """
    text = headers.get("retry-after")
    reset = headers.get("x-ratelimit-reset")
    with suppress(ValueError, OverflowError):
        if text is not None and text.strip().isdigit():
            return _bound(float(text))
        if text is not None:
            return _bound(parsedate_to_datetime(text).timestamp() - now)
    with suppress(ValueError, OverflowError):
        if reset is not None and (seconds := float(reset)) < float("inf"):
            return _bound(seconds - now)
    return None


def _bound(seconds: float) -> float:
    return min(max(0.0, seconds), LONGEST_ASKED)
