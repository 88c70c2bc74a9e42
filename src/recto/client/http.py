"""HTTP: the only module that imports httpx, itself imported at the first request that needs it."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from urllib.parse import unquote, urlsplit

import httpx

from recto import __version__
from recto.client.errors import BadResponse, Refused, TimedOut, Unreachable, Unsendable, one_line
from recto.client.in_process import Application
from recto.client.outgoing import LONGEST_RESPONSE, Limits, Outgoing, Response
from recto.urls import EMBEDDED_ADDRESS

log = logging.getLogger(__name__)

MOST_REDIRECTS = 5
"""How often a server may send the caller on to another address."""

_AT_ONCE = 3
_ELSEWHERE = "Open it in the browser instead."


class Http:
    """Requests to a platform, and the files that its pages name."""

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str],
        limits: Limits,
        transport: httpx.AsyncBaseTransport | None = None,
        application: Application | None = None,
    ) -> None:
        if application is not None:
            transport = httpx.ASGITransport(app=application, raise_app_exceptions=False)
        self._reading, self._writing = (
            httpx.Timeout(pieces, connect=limits.connect, pool=None) for pieces in (limits.read, limits.write)
        )
        self._client = httpx.AsyncClient(
            base_url=address,
            headers=headers,
            transport=transport,
            timeout=self._reading,
            # Servers close idle connections after five seconds or more; no write should meet a closing connection.
            limits=httpx.Limits(max_connections=limits.parallel_reads + 4, keepalive_expiry=4.0),
            follow_redirects=False,
            trust_env=uses_proxies(urlsplit(address).hostname),
        )
        self._place = "The workspace" if address == EMBEDDED_ADDRESS else address
        self._downloads = Downloads(address, self._client, limits)

    async def request(self, request: Outgoing, what: str, *, reads: bool) -> Response:
        """Send a request once and return the response; failures are raised as errors of this package."""
        headers = {"Content-Type": "application/json"} if request.content is not None else {}
        with translate_errors(what, self._place, reads=reads):
            async with self._client.stream(
                request.method,
                request.target,
                content=request.content,
                headers=headers,
                timeout=self._reading if reads else self._writing,
            ) as response:
                content = bytearray()
                try:
                    async for piece in response.aiter_bytes():
                        content += piece
                        if len(content) > LONGEST_RESPONSE:
                            why = "The server's response is too large."
                            raise BadResponse(what, why, may_have_arrived=not reads)
                except (httpx.RemoteProtocolError, httpx.ReadError, httpx.DecodingError) as error:
                    why = "The server's response was cut short."
                    raise BadResponse(what, why, may_have_arrived=not reads) from error
                log.debug("%s %s: %s", request.method, request.target.partition("?")[0], response.status_code)
                return Response(response.status_code, response.headers, bytes(content))

    async def download(self, url: str, most: int, patience: float | None = None) -> bytes:
        """Return the bytes of a file, at most ``most``; the token goes out only to the platform itself."""
        return await self._downloads.get(url, most, patience)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


@contextmanager
def translate_errors(what: str, place: str, *, reads: bool) -> Iterator[None]:
    """Raise errors of a request to ``place`` as a :class:`ClientError`."""
    try:
        yield
    except (TimeoutError, httpx.TimeoutException) as error:
        unsent = isinstance(error, (httpx.ConnectTimeout, httpx.PoolTimeout))
        raise TimedOut(what, f"{place} did not answer in time.", may_have_arrived=not (reads or unsent)) from error
    except httpx.TransportError as error:
        unsent = isinstance(error, (httpx.ConnectError, httpx.ProxyError, httpx.UnsupportedProtocol))
        why = f"{place} cannot be reached." if unsent else f"The connection to {place} broke."
        unreachable = Unreachable(what, why, may_have_arrived=not (reads or unsent))
        unreachable.reason = _reason(error) or unreachable.reason
        raise unreachable from error
    except (httpx.InvalidURL, httpx.HTTPError, UnicodeError) as error:
        raise Unsendable(what, f"{place} is not an address that can be called.") from error


def _reason(error: BaseException) -> str:
    """Return the system's words for why a connection failed; empty where it has none."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return "its name is not known"
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "its certificate is not valid"
        if isinstance(cause, OSError) and cause.strerror:
            words = cause.strerror
            if cause.errno is not None and not isinstance(cause, ssl.SSLError):
                words = os.strerror(cause.errno)  # the event loop has words of its own, with the address
            return one_line(words.lower(), 40)
        group = cause.exceptions[0] if isinstance(cause, BaseExceptionGroup) else None
        cause = group or cause.__cause__ or cause.__context__
    return ""


class Downloads:
    """Downloads files, a few at once; ``client`` is that of the platform, with its token."""

    def __init__(self, address: str, client: httpx.AsyncClient, limits: Limits) -> None:
        self._address = address
        self._client = client
        self._limits = limits
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def get(self, url: str, most: int, patience: float | None = None) -> bytes:
        """Return the bytes at an address, waiting ``patience`` seconds for a file that is made only then.

        Raises a :class:`ClientError` that names the file and says why.
        """
        what = f"Could not load {_name_of(url)}."
        async with self._slots:
            with translate_errors(what, _place_of(url), reads=True):
                async with asyncio.timeout(patience or self._limits.total):
                    return await self._follow(url, most, what, patience or self._limits.read)

    async def _follow(self, url: str, most: int, what: str, read: float) -> bytes:
        """Send a request and follow redirects; after a redirect elsewhere the token is not sent again."""
        target = httpx.URL(url.strip())
        own = True
        timeout = httpx.Timeout(read, connect=self._limits.connect, pool=None)
        for _ in range(MOST_REDIRECTS + 1):
            _check_on_web(target, what)
            own = own and self._is_own(target)
            opened = nullcontext(self._client) if own else self._plain(target.host)
            async with opened as client, client.stream("GET", target, headers=_HEADERS, timeout=timeout) as response:
                if not response.has_redirect_location:
                    return await _body(response, most, what)
                target = target.join(response.headers["Location"])
        raise BadResponse(what, "The server redirects too often.", _ELSEWHERE)

    @asynccontextmanager
    async def _plain(self, host: str) -> AsyncIterator[httpx.AsyncClient]:
        # Each file has its own client, so that no server gets the cookies of another, or its own from before. Building
        # a client reads the certificates of the system, which takes long enough to be done in a thread.
        async with await asyncio.to_thread(self._open_plain, host) as client:
            yield client

    def _open_plain(self, host: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers={"User-Agent": f"recto/{__version__}"},
            timeout=httpx.Timeout(self._limits.read, connect=self._limits.connect),
            follow_redirects=False,
            trust_env=uses_proxies(host),
        )

    def _is_own(self, target: httpx.URL) -> bool:
        """Whether an address is below the platform's own, where the token may be sent."""
        platform = httpx.URL(self._address)
        below = f"{platform.path.rstrip('/')}/v1/"
        same = (target.scheme, target.host, target.port) == (platform.scheme, platform.host, platform.port)
        return same and target.path.startswith(below) and ".." not in target.path.split("/")


_HEADERS = {"Accept": "*/*", "Accept-Encoding": "identity"}


def uses_proxies(host: str | None) -> bool:
    """Whether the proxy settings of the environment apply to a host; never for this machine."""
    return host not in ("localhost", "127.0.0.1", "::1")


async def _body(response: httpx.Response, most: int, what: str) -> bytes:
    """Read a response up to the size limit, whatever length it declares."""
    if response.status_code != 200:
        raise _refusal(response, what)
    content = bytearray()
    try:
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > most:
                raise BadResponse(what, f"It has more than {most:,} bytes.", _ELSEWHERE)
    except httpx.DecodingError as error:
        raise BadResponse(what, "The server's response is broken.", _ELSEWHERE) from error
    return bytes(content)


def _refusal(response: httpx.Response, what: str) -> Refused:
    status = response.status_code
    place = _place_of(str(response.request.url))
    why = f"{place} does not have it." if status in (404, 410) else f"{place} answered with the status {status}."
    return Refused(what, why, _ELSEWHERE, status=status)


def _check_on_web(target: httpx.URL, what: str) -> None:
    on_web = target.scheme in ("http", "https") and target.host and (target.port or 80) < 2**16
    if not on_web or target.userinfo:
        raise Unsendable(what, "Its address does not lead to a file on the web.", "Correct the address in the page.")


def _name_of(url: str) -> str:
    """Return the name of the file at an address: its query may hold a key."""
    path = url.partition("?")[0].partition("#")[0].rstrip("/")
    return one_line(unquote(path.rpartition("/")[2]), 80) or "the file"


def _place_of(url: str) -> str:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    if host and host.endswith(".invalid"):
        return "The workspace"
    return one_line(host, 80) if host else "The address"
