"""The one sender: brings a call to a platform, over HTTP or in process, and its answer back."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from recto import __version__
from recto.addresses import EMBEDDED_ADDRESS
from recto.client.answers import Answers
from recto.client.download import Downloads, knows_proxies
from recto.client.errors import BadAnswer, ClientError, ReadOnly, Refused, Unreachable, refusal
from recto.client.failing import failing
from recto.client.lacking import Lacking, unsupported
from recto.client.outgoing import Outgoing, outgoing, platform_address, usable_token
from recto.client.outside import one_line
from recto.client.waiting import Waits, asked_to_wait

if TYPE_CHECKING:
    import httpx

    from recto.contract.operation import Operation

R = TypeVar("R")

log = logging.getLogger(__name__)

_LONGEST_BODY = 256 * 1024 * 1024
_LONGEST_ERROR_BODY = 64 * 1024
_WAITING_STATUSES = frozenset({429, 503})


@dataclass(frozen=True, slots=True)
class Limits:
    """How long, how often and how much at once; times in seconds."""

    connect: float = 10.0
    """To reach the server."""
    read: float = 30.0
    """Between two pieces of an answer, or of what is sent."""
    total: float = 60.0
    """For a whole read."""
    write_total: float = 300.0
    """For a whole request that changes something."""
    parallel_reads: int = 6
    attempts: int = 3
    """How often a call that may be repeated is sent at most."""
    longest_wait: float = 60.0
    """The most that a call waits where the server asks it to; asked for more, it fails and says so."""


def connect(base_url: str, token: str | None, *, limits: Limits | None = None, read_only: bool = False) -> Sender:
    """Return a sender to the platform at ``base_url`` (with or without ``/v1``).

    Nothing is opened yet. Raises :class:`Unsendable` for an address or a token that cannot be used.
    """
    return Sender(platform_address(base_url), token, limits=limits, read_only=read_only)


def embed(
    application: Callable[..., Awaitable[None]],
    token: str | None,
    *,
    limits: Limits | None = None,
    read_only: bool = False,
) -> Sender:
    """Return a sender that calls an ASGI application in process; its lifespan is the caller's business."""

    def transport() -> httpx.AsyncBaseTransport:
        import httpx

        return httpx.ASGITransport(app=application, raise_app_exceptions=False)

    return Sender(EMBEDDED_ADDRESS, token, transport=transport, limits=limits, read_only=read_only)


class Sender:
    """A transport of the contract over one HTTP client, which is opened at the first call.

    Reads run a bounded number at once, and are sent again a bounded number of times where the connection broke or
    the server asks to wait. What changes something goes on to its end though nobody waits for it, and is sent again
    only where the server has not taken it on: after a 429, and after a 503 that says when to come back. A read-only
    sender lets nothing out that changes something.
    """

    def __init__(
        self,
        address: str,
        token: str | None,
        *,
        transport: Callable[[], httpx.AsyncBaseTransport] | None = None,
        limits: Limits | None = None,
        read_only: bool = False,
        wall_clock: Callable[[], float] = time.time,
        pause: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        self.address = address
        self.read_only = read_only
        self._headers = {"Accept": "application/json", "User-Agent": f"recto/{__version__}"}
        token = usable_token(token)
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._transport = transport
        self._limits = limits or Limits()
        self._wall_clock = wall_clock
        self._pause = pause or self._wait
        self.waits = Waits(self._pause)
        """The calls that wait because the server asked for it."""
        self.lacking = Lacking(self._sent, has_all=address == EMBEDDED_ADDRESS)
        """The operations that the server has turned out not to have; they are not sent again."""
        self._answers = Answers()
        self._reads = asyncio.Semaphore(self._limits.parallel_reads)
        self._writes: set[asyncio.Task[Any]] = set()
        self._downloads = Downloads(
            address, self._opened, connect=self._limits.connect, read=self._limits.read, total=self._limits.total
        )
        self._opening = asyncio.Lock()
        self._client: httpx.AsyncClient | None = None
        self._closed = asyncio.Event()

    def __repr__(self) -> str:
        return f"<Sender to {self.address}>"

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Send the operation and return its answer; raise a :class:`ClientError` where that fails."""
        return await self.send_telling(operation, arguments, None)

    async def send_telling(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], tell: Callable[[R], None] | None
    ) -> R:
        """Do as ``send`` does, and tell the beginning of a large answer while the rest of it is being parsed."""
        return await self.parse(operation, await self.ask(operation, arguments), tell)

    async def parse(self, operation: Operation[Any, R], content: bytes, tell: Callable[[R], None] | None = None) -> R:
        """Return what a response of an operation holds; raise :class:`BadAnswer` where it is not what it should be."""
        return await self._answers.parse(operation, failure_of(operation), content, tell)

    async def ask(self, operation: Operation[Any, Any], arguments: Mapping[str, Any]) -> bytes:
        """Send the operation and return its answer as it came; raise a :class:`ClientError` where that fails.

        A query parameter may be given as the text, or the texts, that are to go out.
        """
        what = failure_of(operation)
        if self.read_only and not operation.reads:
            raise ReadOnly(what)
        if operation in self.lacking:
            raise unsupported(operation, what)
        try:
            content = await self._sent(operation, arguments)
        except Refused as error:
            judged = await self.lacking.judge(operation, arguments, error)
            if judged is error:
                raise
            raise judged from None
        self.lacking.note_there(operation)
        return content

    async def _sent(self, operation: Operation[Any, Any], arguments: Mapping[str, Any]) -> bytes:
        what = failure_of(operation)
        request = outgoing(operation, arguments, what)
        if operation.reads:
            async with self._reads:
                return await self._answered(request, what, reads=True)
        task = asyncio.ensure_future(self._answered(request, what, reads=False))
        self._writes.add(task)
        task.add_done_callback(self._write_ended)
        return await asyncio.shield(task)

    async def download(self, url: str, most: int) -> bytes:
        """Return the bytes of a file, at most ``most``; the token goes out only to the platform itself.

        Raises a :class:`ClientError` that names the file.
        """
        return await self._downloads.get(url, most)

    @property
    def writing(self) -> bool:
        """Whether something that changes something is on its way, so that it may arrive all the same."""
        return bool(self._writes) and not self.waits

    async def aclose(self) -> None:
        """Let what changes something end, give up waiting, and close the connections."""
        self._closed.set()
        self.waits.give_up()
        if self._writes:
            await asyncio.wait(set(self._writes))
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _write_ended(self, task: asyncio.Task[Any]) -> None:
        self._writes.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.info("%s", error if isinstance(error, ClientError) else type(error).__name__)

    async def _answered(self, request: Outgoing, what: str, *, reads: bool) -> bytes:
        """Send until there is an answer, an error that sending again would not mend, or no attempt left."""
        total = self._limits.total if reads else self._limits.write_total
        for attempt in range(1, self._limits.attempts + 1):
            last = attempt == self._limits.attempts
            try:
                response = await self._exchange(request, what, reads=reads, total=total)
            except Unreachable:
                if not reads or last or self._closed.is_set():
                    raise
                await self._pause(0.2 * 2 ** (attempt - 1))
                continue
            if response.status < 300:
                return response.content
            if last or not await self._waited(response, what, attempt, reads=reads):
                raise self._refusal(what, response, reads=reads)
        raise AssertionError("a call is sent at least once")

    async def _waited(self, response: _Response, what: str, attempt: int, *, reads: bool) -> bool:
        """Wait as a refusal asks to; False where the call is not to be sent again.

        A 429 was not taken on. Neither was a 503 that says when to come back, while one that says nothing may come
        from a gateway that lost its server half-way: a read may be repeated all the same.
        """
        if response.status not in _WAITING_STATUSES:
            return False
        asked = asked_to_wait(response.headers, self._wall_clock())
        if asked is None and not reads and response.status != 429:
            return False
        wait = 0.5 * 2 ** (attempt - 1) if asked is None else asked
        if wait > self._limits.longest_wait or self._closed.is_set():
            return False
        return await self.waits.wait(what, wait) and not self._closed.is_set()

    async def _exchange(self, request: Outgoing, what: str, *, reads: bool, total: float) -> _Response:
        """Send once and return whatever came back; what HTTP cannot do becomes an error of this package."""
        client = await self._opened(what)
        with failing(what, self._place(), reads=reads):
            async with asyncio.timeout(total):
                return await self._stream(client, request, what, reads=reads)

    async def _stream(self, client: httpx.AsyncClient, request: Outgoing, what: str, *, reads: bool) -> _Response:
        import httpx

        headers = {"Content-Type": "application/json"} if request.content is not None else {}
        async with client.stream(request.method, request.target, content=request.content, headers=headers) as response:
            content = bytearray()
            try:
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > _LONGEST_BODY:
                        raise BadAnswer(
                            what, "The server's answer is larger than any can be.", may_have_arrived=not reads
                        )
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.DecodingError) as error:
                raise BadAnswer(what, "The server's answer was cut short.", may_have_arrived=not reads) from error
            log.debug("%s %s: %s", request.method, request.target.partition("?")[0], response.status_code)
            return _Response(response.status_code, response.headers, bytes(content))

    async def _opened(self, what: str) -> httpx.AsyncClient:
        """Return the client; importing and building it takes long enough to be done in a thread."""
        if self._closed.is_set():
            raise Unreachable(what, "The connection has been closed.", "Start the program again.")
        if self._client is not None:
            return self._client
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(self._open)
            return self._client

    def _open(self) -> httpx.AsyncClient:
        # httpx brings a command line of its own where it finds what that needs, at a third of the cost of all of it.
        sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # None: not to be imported
        # It asks for this one several times a request, and each time all folders are searched where it is not there.
        sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]
        import httpx

        limits = self._limits
        return httpx.AsyncClient(
            base_url=self.address,
            headers=self._headers,
            transport=self._transport() if self._transport else None,
            timeout=httpx.Timeout(limits.read, connect=limits.connect, pool=None),
            # Servers close idle connections after five seconds or more; no write should meet one that is closing.
            limits=httpx.Limits(max_connections=limits.parallel_reads + 4, keepalive_expiry=4.0),
            follow_redirects=False,
            trust_env=knows_proxies(urlsplit(self.address).hostname),
        )

    def _place(self) -> str:
        return "The workspace" if self.address == EMBEDDED_ADDRESS else self.address

    def _refusal(self, what: str, response: _Response, *, reads: bool) -> ClientError:
        if 300 <= response.status < 400:
            elsewhere = one_line(response.headers.get("Location", "").partition("?")[0])
            why = f"The server sends the caller on to {elsewhere or 'another address'}."
            return BadAnswer(what, why, "If you trust that address, use it as the base URL.")
        message = _message(response.content)
        asked = asked_to_wait(response.headers, self._wall_clock())
        return refusal(what, response.status, message, reads=reads, retry_after=asked)

    async def _wait(self, seconds: float) -> None:
        """Wait, but not beyond the end of the sender."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)


@dataclass(frozen=True, slots=True)
class _Response:
    status: int
    headers: Mapping[str, str]
    content: bytes


def failure_of(operation: Operation[Any, Any]) -> str:
    """Return the sentence that says that an operation failed, from its first line in the contract."""
    summary = operation.summary.partition(";")[0].rstrip(".").replace("`", "") or operation.name.replace("_", " ")
    verb = "load " if operation.reads else ""
    return f"Could not {verb}{summary[0].lower()}{summary[1:]}."


def _message(content: bytes) -> str | None:
    """Return the message of the platform's error body, None where the body is not of that form."""
    if len(content) > _LONGEST_ERROR_BODY:
        return None
    try:
        error = json.loads(content)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    message = error.get("message", "") if isinstance(error, dict) else error
    return message if isinstance(message, str) else ""
