"""Size limits of request bodies, and how requests share memory and take turns."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from recto.frozen import frozen
from recto.server.http.problems import BadRequest, Busy

MB: Final = 1024 * 1024

MAX_DEPTH = 128
"""The deepest nesting of objects and lists in a body."""


@frozen
class BodyLimit:
    """The most that an operation takes: bytes, and what they may hold of names, values, objects and lists."""

    bytes: int = MB
    tokens: int = 50_000

    @property
    def megabytes(self) -> int:
        """The bytes in whole megabytes, for sentences."""
        return self.bytes // MB


STANDARD: Final = BodyLimit()
"""What every operation takes that declares nothing else."""

_KEPT = b"[]{},:"
_DROPPED = bytes(set(range(256)) - set(_KEPT))
_COUNTED = tuple(bytes([sign]) for sign in _KEPT + b'"')
_AS_LISTS = bytes.maketrans(b"{}", b"[]")


def weigh(body: bytes, limit: BodyLimit) -> int:
    """Check that a body is light enough for a parser, which takes time and memory for each token it finds.

    Returns how many tokens it has at most. Raises :class:`BadRequest`. Scans with the search of the interpreter's own,
    never byte by byte: 16 MB take less time than to be sent through loopback.
    """
    signs = sum(map(body.count, _COUNTED))
    if signs <= limit.tokens and body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return signs
    # With its escapes gone, each quotation mark opens or closes a string.
    text = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    strings = text.count(b'"') // 2
    if strings <= limit.tokens:
        structure = b"".join(text.split(b'"')[::2]).translate(None, _DROPPED)
        tokens = strings + len(structure) - structure.count(b"]") - structure.count(b"}")
        if tokens <= limit.tokens:
            _check_depth(structure)
            return tokens
    raise BadRequest(f"The body: at most {limit.tokens} names, values, objects and lists")


def _check_depth(structure: bytes) -> None:
    brackets = structure.translate(_AS_LISTS, b",:")
    for _ in range(MAX_DEPTH):
        inner, brackets = brackets, brackets.replace(b"[]", b"")
        if len(inner) == len(brackets):
            return  # none are left, or unclosed ones, which the parser will report
    if b"[]" in brackets:
        raise BadRequest(f"The body: at most {MAX_DEPTH} levels of nested objects and lists")


_UNCOUNTED = 64 * 1024
"""The largest body that needs no room: the number of connections bounds those."""

_UNCOUNTED_TOKENS = 5_000

MOST_TOKENS = 300_000
"""The most names, values, objects and lists of all bodies that are worked on at once: models take a hundred bytes each,
and what they become as much again."""

_WORTH_CLEARING = 4 * MB
_TOKEN_BYTES = 100


class Room:
    """Bounds the bytes, or the tokens, of all bodies that are being processed, and the share of each caller.

    A request without room waits a while, first come, first served. Permissions are checked before.
    """

    def __init__(
        self, size: int = 32 * MB, share: int = 16 * MB, patience_s: float = 10.0, uncounted: int = _UNCOUNTED
    ) -> None:
        self.size = size
        self._share = share
        self._patience_s = patience_s
        self._uncounted = uncounted
        self.taken = 0
        """How many bytes are reserved."""
        self._by_caller: Counter[str] = Counter()
        self._waiting: deque[tuple[str, int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def reserve(self, caller: str, size: int) -> AsyncIterator[None]:
        """Hold room for so many bytes; raises :class:`Busy` where none comes free in time."""
        if size <= self._uncounted:
            yield
            return
        if self._waiting or not self._fits(caller, size):
            await self._wait(caller, size)
        else:
            self._take(caller, size)
        try:
            yield
        finally:
            self._take(caller, -size)
            self._let_in()

    async def _wait(self, caller: str, size: int) -> None:
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        place = (caller, size, turn)
        self._waiting.append(place)
        self._let_in()
        try:
            async with asyncio.timeout(self._patience_s):
                await turn
        except BaseException as error:
            if place in self._waiting:
                self._waiting.remove(place)
            else:  # room was made at the same moment
                self._take(caller, -size)
            self._let_in()
            if isinstance(error, TimeoutError):
                raise Busy("The server is busy with other large requests. Try again in a moment.") from error
            raise

    def _let_in(self) -> None:
        """Give room to waiting requests that fit, in order; a caller with a full share does not hold up others."""
        for place in tuple(self._waiting):
            caller, size, turn = place
            if self.taken + size > self.size:
                return
            if self._fits(caller, size) and not turn.done():
                self._waiting.remove(place)
                self._take(caller, size)
                turn.get_loop().call_soon_threadsafe(_settle, turn)

    def _fits(self, caller: str, size: int) -> bool:
        return self.taken + size <= self.size and self._by_caller[caller] + size <= self._share

    def _take(self, caller: str, size: int) -> None:
        self.taken += size
        self._by_caller[caller] += size
        if not self._by_caller[caller]:
            del self._by_caller[caller]


def room_for_tokens() -> Room:
    """Return the room that the models of bodies share; who waits in it has sent all of a body."""
    return Room(MOST_TOKENS, MOST_TOKENS, patience_s=60.0, uncounted=_UNCOUNTED_TOKENS)


class Remains:
    """Counts the memory that large bodies leave behind, and calls ``clear`` when that is much and none is in use."""

    def __init__(self, clear: Callable[[], object]) -> None:
        self._clear = clear
        self._bytes = 0
        self._at_work = 0

    @contextmanager
    def of(self, size: int, tokens: int) -> Iterator[None]:
        """Count a body while it is in use."""
        self._at_work += 1
        try:
            yield
        finally:
            self._at_work -= 1
            self._bytes += size + tokens * _TOKEN_BYTES
            if not self._at_work and self._bytes >= _WORTH_CLEARING:
                self._bytes = 0
                self._clear()


LONGEST_TURN_S = 0.25
"""Seconds after which a call lets the next call begin."""

TURN_PATIENCE_S = 5.0
"""For how many seconds a call waits in line."""


class Turns:
    """Serializes calls about the same thing, which would otherwise invalidate each other's prepared work.

    A slow call lets the next call begin after ``LONGEST_TURN_S``; no call waits longer than ``TURN_PATIENCE_S``.
    """

    def __init__(self) -> None:
        self._lines: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def take(self, key: str) -> AsyncIterator[None]:
        """Wait for earlier calls with the same key, for a bounded time."""
        loop = asyncio.get_running_loop()
        over: asyncio.Future[None] = loop.create_future()
        line = self._lines.setdefault(key, deque())
        before = line[-1] if line else None
        line.append(over)
        try:
            if before is not None:
                await asyncio.wait([before], timeout=TURN_PATIENCE_S)
            ending = loop.call_later(LONGEST_TURN_S, _settle, over)
            try:
                yield
            finally:
                ending.cancel()
        finally:
            _settle(over)
            line.remove(over)
            if not line:
                del self._lines[key]


def _settle(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)
