"""Fetching the bytes of a file: from the platform with the token, from anywhere else without it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from urllib.parse import unquote, urlsplit

from recto import __version__
from recto.client.errors import BadAnswer, Refused, Unsendable
from recto.client.failing import failing
from recto.client.outside import one_line

if TYPE_CHECKING:
    import httpx

MOST_REDIRECTS = 5
"""How often a server may send the caller on to another address."""

_AT_ONCE = 3
_ELSEWHERE = "Open it in the browser instead."


@runtime_checkable
class Downloading(Protocol):
    """A transport that brings files, too."""

    async def download(self, url: str, most: int) -> bytes:
        """Return the bytes of a file that has at most ``most`` of them; raises a :class:`ClientError`."""
        ...


class Downloads:
    """Fetches files, a few at once.

    ``address`` is the platform's, and ``open_own`` gives the client with its token; times are in seconds.
    """

    def __init__(
        self,
        address: str,
        open_own: Callable[[str], Awaitable[httpx.AsyncClient]],
        *,
        connect: float,
        read: float,
        total: float,
    ) -> None:
        self._address = address
        self._open_own = open_own
        self._connect = connect
        self._read = read
        self._total = total
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def get(self, url: str, most: int) -> bytes:
        """Return the bytes at an address; raises a :class:`ClientError` that names the file and says why."""
        what = f"Could not load {_name_of(url)}."
        async with self._slots:
            with failing(what, _place_of(url), reads=True):
                async with asyncio.timeout(self._total):
                    return await self._follow(url, most, what)

    async def _follow(self, url: str, most: int, what: str) -> bytes:
        """Ask, and go where one is sent on to; once that has led elsewhere, the token does not go out again."""
        import httpx

        target = httpx.URL(url.strip())
        own = True
        for _ in range(MOST_REDIRECTS + 1):
            _hold_to_web(target, what)
            own = own and self._is_own(target)
            opened = self._own(what) if own else self._plain(target.host)
            async with opened as client, client.stream("GET", target, headers=_HEADERS) as response:
                if not response.has_redirect_location:
                    return await _body(response, most, what)
                target = target.join(response.headers["Location"])
        raise BadAnswer(what, "The server sends the caller on and on.", _ELSEWHERE)

    @asynccontextmanager
    async def _own(self, what: str) -> AsyncIterator[httpx.AsyncClient]:
        yield await self._open_own(what)

    @asynccontextmanager
    async def _plain(self, host: str) -> AsyncIterator[httpx.AsyncClient]:
        # Each file with a client of its own: no server is told what another, or it before, has set. Building one reads
        # the certificates of the system, which takes long enough to be done in a thread.
        async with await asyncio.to_thread(self._open_plain, host) as client:
            yield client

    def _open_plain(self, host: str) -> httpx.AsyncClient:
        import httpx

        return httpx.AsyncClient(
            headers={"User-Agent": f"recto/{__version__}"},
            timeout=httpx.Timeout(self._read, connect=self._connect),
            follow_redirects=False,
            trust_env=knows_proxies(host),
        )

    def _is_own(self, target: httpx.URL) -> bool:
        """Say whether an address is below the platform's own, where the token belongs."""
        import httpx

        platform = httpx.URL(self._address)
        below = f"{platform.path.rstrip('/')}/v1/"
        same = (target.scheme, target.host, target.port) == (platform.scheme, platform.host, platform.port)
        return same and target.path.startswith(below) and ".." not in target.path.split("/")


_HEADERS = {"Accept": "*/*", "Accept-Encoding": "identity"}


def knows_proxies(host: str | None) -> bool:
    """Say whether a proxy meant for the world is to be asked for this host: it does not know this machine's own."""
    return host not in ("localhost", "127.0.0.1", "::1")


async def _body(response: httpx.Response, most: int, what: str) -> bytes:
    """Read an answer as far as it may go, whatever it says of its length."""
    import httpx

    if response.status_code != 200:
        raise _refused(response, what)
    content = bytearray()
    try:
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > most:
                raise BadAnswer(what, f"It has more than {most:,} bytes.", _ELSEWHERE)
    except httpx.DecodingError as error:
        raise BadAnswer(what, "The server's answer is broken.", _ELSEWHERE) from error
    return bytes(content)


def _refused(response: httpx.Response, what: str) -> Refused:
    status = response.status_code
    place = _place_of(str(response.request.url))
    why = f"{place} does not have it." if status in (404, 410) else f"{place} answered with the status {status}."
    return Refused(what, why, _ELSEWHERE, status=status)


def _hold_to_web(target: httpx.URL, what: str) -> None:
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
