"""The sender: carries a call to a platform, over HTTP or in process, and its response back."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from recto import __version__
from recto.client.background import is_background, report_request
from recto.client.errors import (
    CUT_OFF,
    ClientError,
    Intercepted,
    ReadOnly,
    Refused,
    TimedOut,
    Unauthorized,
    Unreachable,
    one_line,
    refusal,
)
from recto.client.in_process import Application, InProcess
from recto.client.missing_operations import MissingOperations, unsupported_error
from recto.client.outgoing import Limits, Outgoing, Response, make_outgoing, platform_address, usable_token
from recto.client.responses import Responses
from recto.client.waiting import Waits, seconds_to_wait
from recto.urls import EMBEDDED_ADDRESS

if TYPE_CHECKING:
    import httpx

    from recto.client.http import Http
    from recto.contract.operation import Operation, Route

R = TypeVar("R")

log = logging.getLogger(__name__)

_LONGEST_ERROR_BODY = 64 * 1024
_BLANKS = 1024
"""The most bytes of a response that are looked at for the beginning of a web page."""
_WAITING_STATUSES = frozenset({429, 503})


@runtime_checkable
class Downloading(Protocol):
    """A transport that brings files, too."""

    async def download(self, url: str, most: int, *, patience: float | None = None) -> bytes:
        """Return the bytes of a file that has at most ``most`` of them; raises a :class:`ClientError`.

        ``patience`` is how many seconds to wait for a file that is made only when it is fetched.
        """
        ...


@runtime_checkable
class DetectsMissing(Protocol):
    """A transport that finds out which operations its server lacks."""

    @property
    def missing_operations(self) -> MissingOperations:
        """The operations that the server has turned out not to have."""
        ...


def connect(base_url: str, token: str | None, *, limits: Limits | None = None, read_only: bool = False) -> Sender:
    """Return a sender to the platform at ``base_url`` (with or without ``/v1``).

    Nothing is opened yet. Raises :class:`Unsendable` for an address or a token that cannot be used.
    """
    return Sender(platform_address(base_url), token, limits=limits, read_only=read_only)


def embed(
    application: Application,
    token: str | None,
    *,
    limits: Limits | None = None,
    read_only: bool = False,
) -> Sender:
    """Return a sender that calls an ASGI application in process; the caller manages its lifespan."""
    return Sender(EMBEDDED_ADDRESS, token, application=application, limits=limits, read_only=read_only)


_SURE = 2
"""Refusals in a row after which it is sure that the token is not accepted."""


class Reach:
    """Whether the platform can be reached, as the requests show.

    A request that fails while others are answered, or again after others were answered, says nothing about the
    platform: what it asks for is slow or broken. ``listener`` gets the failure when it begins, and ``None`` when it is
    over.
    """

    def __init__(self) -> None:
        self.listener: Callable[[ClientError | None], None] | None = None
        self.failure: ClientError | None = None
        """Why the platform cannot be reached; ``None`` where it can."""
        self.responses = 0
        """How many requests were answered."""
        self.token_listener: Callable[[bool], None] | None = None
        """Gets whether the token is accepted, where that changes."""
        self._failing: dict[str, int] = {}
        """The requests that failed when they were sent last, and how many were answered by then."""
        self._refusals = 0
        """How many responses in a row refused the token: a single one may concern only what was requested."""

    def note_response(self, request: str, *, accepted: bool = True) -> None:
        """Note that a request was answered, and whether the token was ``accepted``."""
        self.responses += 1
        self._failing.pop(request, None)
        self._note(None)
        before, self._refusals = self._refusals, 0 if accepted else self._refusals + 1
        if (before < _SURE) != (self._refusals < _SURE) and self.token_listener is not None:
            self.token_listener(accepted)

    def note_failure(self, request: str, failure: ClientError, responses: int) -> None:
        """Note why a request was not answered; ``responses`` is their number when it was sent."""
        others_responded = self.responses > self._failing.get(request, responses)
        self._failing[request] = self.responses
        if self.failure is not None or not others_responded:
            self._note(failure)

    def _note(self, failure: ClientError | None) -> None:
        before, self.failure = self.failure, failure
        if (before is None) != (failure is None) and self.listener is not None:
            self.listener(failure)


class Sender:
    """A transport of the contract over an HTTP client that is opened at the first call.

    Reads run a bounded number at once, and are sent again a bounded number of times where the connection broke or
    the server asks to wait, though not in the background. What changes something goes on to its end though its caller
    has left, and is sent again only where the server has not taken it on: after a 429, and after a 503 that says when
    to come back. A read-only sender lets nothing out that changes something.
    """

    def __init__(
        self,
        address: str,
        token: str | None,
        *,
        application: Application | None = None,
        transport: Callable[[], httpx.AsyncBaseTransport] | None = None,
        limits: Limits | None = None,
        read_only: bool = False,
        wall_clock: Callable[[], float] = time.time,
        pause: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        self.address = address
        self.read_only = read_only
        self._headers = {"Accept": "application/json", "User-Agent": f"recto/{__version__}"}
        self._token = usable_token(token)
        if self._token is not None:
            self._headers["Authorization"] = f"Bearer {self._token}"
        self._application = application
        self._transport = transport
        self._limits = limits or Limits()
        self._wall_clock = wall_clock
        self._pause = pause or self._wait
        self.waits = Waits(self._pause)
        """The calls that wait because the server asked for it."""
        self.reach = Reach()
        """Whether the server can be reached."""
        self.missing_operations = MissingOperations(self._send_to_end, has_all=address == EMBEDDED_ADDRESS)
        """The operations that the server has turned out not to have; they are not sent again."""
        self._responses = Responses()
        self._reads = asyncio.Semaphore(self._limits.parallel_reads)
        self._writes: set[asyncio.Task[Any]] = set()
        self._opening = asyncio.Lock()
        self._in_process = InProcess(application, address, self._headers) if application is not None else None
        self._http: Http | None = None
        self._closed = asyncio.Event()

    def __repr__(self) -> str:
        return f"<Sender to {self.address}>"

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Send the operation and return its response; raise a :class:`ClientError` where that fails."""
        return await self.send_streaming(operation, arguments, None)

    async def send_streaming(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], on_beginning: Callable[[R], None] | None
    ) -> R:
        """Send the operation; ``on_beginning`` is called with the beginning of a large response."""
        route = operation.route(arguments)
        content = await self.ask(route, route.flat(arguments))
        return await self.parse(operation, failure_of(route), content, on_beginning)

    async def parse(
        self, operation: Operation[Any, R], what: str, content: bytes, on_beginning: Callable[[R], None] | None = None
    ) -> R:
        """Validate the response of an operation; raise :class:`BadResponse` where it does not fit."""
        return await self._responses.parse(operation, what, content, on_beginning)

    async def ask(self, route: Route, arguments: Mapping[str, Any]) -> bytes:
        """Call an operation at this path and return its response as it came; raise a :class:`ClientError`.

        A query parameter may be given as the text, or the texts, that are to go out.
        """
        what = failure_of(route)
        if self.read_only and not route.reads:
            raise ReadOnly(what)
        if route in self.missing_operations:
            raise unsupported_error(route, what)
        try:
            content = await self._send_to_end(route, arguments)
        except Refused as error:
            judged = await self.missing_operations.judge(route, arguments, error)
            if judged is error:
                raise
            raise judged from None
        self.missing_operations.note_there(route)
        return content

    async def _send_to_end(self, route: Route, arguments: Mapping[str, Any]) -> bytes:
        what = failure_of(route)
        request = make_outgoing(route, arguments, what)
        if route.reads:
            async with self._reads:
                return await self._request(request, what, reads=True)
        task = asyncio.ensure_future(self._request(request, what, reads=False))
        self._writes.add(task)
        task.add_done_callback(self._on_write_end)
        return await asyncio.shield(task)

    async def download(self, url: str, most: int, *, patience: float | None = None) -> bytes:
        """Return the bytes of a file, at most ``most``; the token goes out only to the platform itself.

        Raises a :class:`ClientError` that names the file.
        """
        self._check_open("Could not load the file.")
        http = await self._open_http()
        return await http.download(url, most, patience)

    @property
    def writing(self) -> bool:
        """Whether a write is under way, which may still arrive."""
        return bool(self._writes) and not self.waits

    async def aclose(self) -> None:
        """Wait for writes to end, give up waiting for others, and close the connections."""
        self._closed.set()
        self.waits.give_up()
        if self._writes:
            await asyncio.wait(set(self._writes))
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    def _on_write_end(self, task: asyncio.Task[Any]) -> None:
        self._writes.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.info("%s", error if isinstance(error, ClientError) else type(error).__name__)

    async def _request(self, request: Outgoing, what: str, *, reads: bool) -> bytes:
        """Send until there is a response, an error that a retry would not fix, or no attempt left."""
        name, responses = f"{request.method} {request.target}", self.reach.responses
        try:
            content = await self._attempt(request, what, reads=reads)
        except CUT_OFF as error:
            # An application in this process that does not answer is busy.
            if self._in_process is None and not self._closed.is_set():
                self.reach.note_failure(name, error, responses)
            raise
        except Refused as error:
            self.reach.note_response(name, accepted=not isinstance(error, Unauthorized))
            raise
        self.reach.note_response(name)
        return content

    async def _attempt(self, request: Outgoing, what: str, *, reads: bool) -> bytes:
        total = self._limits.total if reads else self._limits.write_total
        attempts = 1 if is_background() else self._limits.attempts
        for attempt in range(1, attempts + 1):
            last = attempt == attempts
            try:
                response = await self._exchange(request, what, reads=reads, total=total)
            except Unreachable:
                if not reads or last or self._closed.is_set():
                    raise
                await self._pause(0.2 * 2 ** (attempt - 1))
                continue
            if response.status < 300:
                if response.content[:_BLANKS].lstrip()[:1] == b"<":
                    why = "The server answered with a web page, not with data."
                    raise Intercepted(what, why, may_have_arrived=not reads)
                return response.content
            if last or not await self._wait_as_asked(response, what, attempt, reads=reads):
                raise self._refusal(what, response, reads=reads)
        raise AssertionError("a call is sent at least once")

    async def _wait_as_asked(self, response: Response, what: str, attempt: int, *, reads: bool) -> bool:
        """Wait as a refusal asks to; return whether to send the call again.

        A 429 was not taken on, nor was a 503 that says when to come back; a 503 that does not say may come
        from a gateway that lost its server half-way: only reads are repeated then.
        """
        if response.status not in _WAITING_STATUSES:
            return False
        asked = seconds_to_wait(response.headers, self._wall_clock())
        if asked is None and not reads and response.status != 429:
            return False
        wait = 0.5 * 2 ** (attempt - 1) if asked is None else asked
        if wait > self._limits.longest_wait or self._closed.is_set():
            return False
        return await self.waits.wait(what, wait) and not self._closed.is_set()

    async def _exchange(self, request: Outgoing, what: str, *, reads: bool, total: float) -> Response:
        self._check_open(what)
        report_request()
        exchange = self._in_process or await self._open_http()
        try:
            async with asyncio.timeout(total):
                return await exchange.request(request, what, reads=reads)
        except TimeoutError as error:
            raise TimedOut(what, f"{self._place()} did not answer in time.", may_have_arrived=not reads) from error

    async def _open_http(self) -> Http:
        """Return the HTTP client; it is imported and built in a thread because that takes long."""
        async with self._opening:
            if self._http is None:
                self._http = await asyncio.to_thread(self._open)
            return self._http

    def _check_open(self, what: str) -> None:
        if self._closed.is_set():
            raise Unreachable(what, "The connection has been closed.", "Start the program again.")

    def _open(self) -> Http:
        from recto.client.http import Http

        transport = self._transport() if self._transport else None
        return Http(self.address, self._headers, self._limits, transport, self._application)

    def _place(self) -> str:
        return "The workspace" if self.address == EMBEDDED_ADDRESS else self.address

    def _refusal(self, what: str, response: Response, *, reads: bool) -> ClientError:
        if 300 <= response.status < 400:
            elsewhere = one_line(response.headers.get("location", "").partition("?")[0])
            why = f"The server redirects to {elsewhere or 'another address'}."
            error = Intercepted(what, why, "If you trust that address, use it as the base URL.")
            error.reason = "it redirects to another address"
            return error
        message = _message(response.content)
        if message and self._token:
            message = message.replace(self._token, "…")  # some servers quote the header that they do not accept
        asked = seconds_to_wait(response.headers, self._wall_clock())
        by_gateway = self._in_process is None
        return refusal(what, response.status, message, reads=reads, retry_after=asked, by_gateway=by_gateway)

    async def _wait(self, seconds: float) -> None:
        """Wait, but not beyond the end of the sender."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)


def failure_of(route: Route) -> str:
    """Return the sentence that says that an operation failed, from its first line in the contract."""
    whole = route.summary.rstrip(".").replace("`", "")
    # The rest of the docstring describes the operation, not the failure: an order, a filter, a consequence.
    summary = re.split("[,;:]" if route.reads else "[;:]", whole)[0] or route.name.replace("_", " ")
    verb = "load " if route.reads else ""
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
