"""Fetching over HTTP: the only module in which the server sends requests to other machines.

Each address is resolved and checked here, also after a redirect, and the connection uses the checked address. Proxy
settings do not apply.
Libraries that convert or read what was fetched never fetch themselves.
"""

from __future__ import annotations

import socket
import ssl
import time
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urljoin, urlsplit, urlunsplit

import httpcore

from recto import __version__
from recto.document.text import printable
from recto.frozen import frozen
from recto.server.jobs import JobCancelled, JobFailed

MOST_REDIRECTS: Final = 5
"""The most redirects of a request."""

MOST_BYTES: Final = 100 * 1000 * 1000
"""The largest content that is fetched, in bytes after decompression."""

LONGEST_S: Final = 120.0
"""How many seconds an address may take in all, its redirects included."""

_PATIENCE_S: Final = 20.0
_BETWEEN_LOOKS_S: Final = 0.2
"""How long to wait for a silent server before checking whether the job was cancelled."""

_PIECE: Final = 64 * 1024
_MOST_PADDING: Final = 1000 * 1000
"""How many bytes larger a compressed response may be than its content; some bytes unpack to nothing."""

_SHOWN: Final = 200
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PORTS: Final = {"http": 80, "https": 443}
_NAT64: Final = IPv6Network("64:ff9b::/96")

Address = IPv4Address | IPv6Address


class FetchError(JobFailed):
    """An address cannot be fetched; the message names it without credentials and says why."""


class FetchTimeout(FetchError):
    """An address did not answer in time."""


@frozen
class Fetched:
    """Content of an address; ``url`` is the address after redirects, without credentials."""

    url: str
    content_type: str
    """Without parameters, in lower case."""
    charset: str
    content: bytes


@frozen
class FetchedResponse:
    """Status and headers of a response, and its body in decompressed pieces; read it while the request is open."""

    url: str
    status: int
    headers: Mapping[str, str]
    """By names in lower case."""
    pieces: Iterator[bytes]


class Fetcher:
    """Fetches for one job. ``is_local`` says that the owner typed the address in this process.

    Addresses of this machine and of private networks are fetched only from the very host that the owner typed, never
    where a redirect or a link leads.
    """

    def __init__(self, *, is_local: bool, is_cancelled: Callable[[], bool] = lambda: False) -> None:
        self._is_local = is_local
        self._is_cancelled = is_cancelled

    def get(self, address: str, *, typed: str = "", most: int = MOST_BYTES) -> Fetched:
        """Return the content of an address; ``typed`` is what was typed, where that led here.

        Raises :class:`FetchError` for all but a 200, and for more than ``most`` bytes.
        """
        with self.open("GET", address, typed=typed) as response:
            if response.status != 200:
                has_none = response.status in (404, 410)
                why = "there is nothing at this address" if has_none else f"the server answered {response.status}"
                raise FetchError(f"{show_address(address)} could not be fetched: {why}.")
            content = bytearray()
            for piece in response.pieces:
                content += piece
                if len(content) > most:
                    raise FetchError(f"{show_address(address)} is larger than {most // 1_000_000:,} MB.")
            content_type, _, parameters = response.headers.get("content-type", "").partition(";")
            _, _, charset = parameters.lower().partition("charset=")
            return Fetched(
                response.url, content_type.strip().lower(), charset.strip(" \"'").partition(";")[0], bytes(content)
            )

    @contextmanager
    def open(
        self,
        method: str,
        address: str,
        *,
        typed: str = "",
        headers: Mapping[str, str] = {},
        body: bytes | Iterator[bytes] | None = None,
    ) -> Iterator[FetchedResponse]:
        """Send a request, follow its redirects and give its response, whatever its status.

        Credentials in the address, and the ``headers``, go to its scheme, host and port alone. A request with a body
        is not sent on. Raises :class:`FetchError` and :class:`JobCancelled`.
        """
        limit = _Limit(time.monotonic() + LONGEST_S, self._is_cancelled)
        target = _read(address)
        first, typed_host = _origin(target), _read(typed or address).hostname
        for _ in range(MOST_REDIRECTS + 1):
            allowed = self._is_local and target.hostname == typed_host
            backend = _Backend(limit, is_private_allowed=allowed)
            own = headers if _origin(target) == first else {}
            sent = [*_headers(target, own, _read(address) if _origin(target) == first else None)]
            with (
                _as_fetch_error(address),
                httpcore.ConnectionPool(ssl_context=_ssl_context(), network_backend=backend) as pool,
                pool.stream(method, _url(target), headers=sent, content=body, extensions=_TIMEOUTS) as response,
            ):
                found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
                if response.status in _REDIRECTS and "location" in found:
                    if body is not None:
                        raise FetchError(f"{show_address(address)} redirects to another address.")
                    target = _read(urljoin(_url(target), found["location"]), from_address=address)
                    continue
                pieces = _decode(response.iter_stream(), found.get("content-encoding", ""), address)
                yield FetchedResponse(_url(target), response.status, found, pieces)
                return
        raise FetchError(f"{show_address(address)} redirects too often.")


def show_address(address: str) -> str:
    """Return an address as it may be shown and stored: without credentials, query and terminal controls."""
    try:
        parts = urlsplit(address.strip())
        host = parts.netloc.rpartition("@")[2]
        shown = urlunsplit((parts.scheme, host, parts.path, "", ""))
    except ValueError:
        return "The address"
    return printable(shown)[:_SHOWN] or "The address"


def resolve(host: str, port: int, *, is_private_allowed: bool) -> list[str]:
    """Return the addresses of a host to connect to; raises :class:`FetchError` if any of them is not allowed."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FetchError(f"The host {printable(host)[:_SHOWN]} is not known.") from error
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not is_private_allowed and not all(is_public(ip_address(each)) for each in addresses):
        raise FetchError(
            f"The host {printable(host)[:_SHOWN]} is on a private network or this machine, which is not allowed."
        )
    return addresses


def is_public(address: Address) -> bool:
    """Whether an address is public; an IPv4 address within an IPv6 address counts as itself."""
    if isinstance(address, IPv6Address):
        teredo = address.teredo
        wrapped = address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
        if address in _NAT64:
            wrapped = IPv4Address(int(address) & 0xFFFFFFFF)
        if wrapped is not None:
            return is_public(wrapped)
    return address.is_global and not (
        address.is_multicast
        or address.is_reserved
        or address.is_unspecified
        or address.is_loopback
        or address.is_link_local
        or address.is_private
    )


@frozen
class _Limit:
    """The deadline of a request, on the monotonic clock, and whether its job was cancelled."""

    deadline: float
    is_cancelled: Callable[[], bool]

    def time_left(self, timeout: float | None) -> float:
        """Return how many seconds to wait, at most ``timeout``; raises when the time is over, or the job cancelled."""
        if self.is_cancelled():
            raise JobCancelled
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("deadline")
        return min(left, timeout if timeout is not None else left)


class _Backend(httpcore.NetworkBackend):
    """Connects to addresses that were checked, within the limit of the request."""

    def __init__(self, limit: _Limit, *, is_private_allowed: bool) -> None:
        self._limit = limit
        self._is_private_allowed = is_private_allowed
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failed: Exception | None = None
        for address in resolve(host, port, is_private_allowed=self._is_private_allowed):
            patience = self._limit.time_left(timeout)
            try:
                stream = self._inner.connect_tcp(address, port, patience, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
            else:
                return _Stream(stream, self._limit)
        raise failed or httpcore.ConnectError("no address")


class _Stream(httpcore.NetworkStream):
    """A connection that ends at the limit of the request."""

    def __init__(self, inner: httpcore.NetworkStream, limit: _Limit) -> None:
        self._inner = inner
        self._limit = limit

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        until = time.monotonic() + self._limit.time_left(timeout)
        while True:
            try:
                return self._inner.read(max_bytes, min(self._limit.time_left(timeout), _BETWEEN_LOOKS_S))
            except httpcore.ReadTimeout:
                if time.monotonic() >= until:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._limit.time_left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = self._inner.start_tls(ssl_context, server_hostname, self._limit.time_left(timeout))
        return _Stream(secured, self._limit)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


_TIMEOUTS: Final = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), _PATIENCE_S)}


@cache
def _ssl_context() -> ssl.SSLContext:
    return httpcore.default_ssl_context()


@contextmanager
def _as_fetch_error(address: str) -> Iterator[None]:
    """Raise errors of the connection as :class:`FetchError`, without anything that was sent."""
    try:
        yield
    except (TimeoutError, httpcore.TimeoutException) as error:
        raise FetchTimeout(f"{show_address(address)} did not answer in time.") from error
    except httpcore.ConnectError as error:
        raise FetchError(f"{show_address(address)} cannot be reached.") from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
        raise FetchError(f"The connection to {show_address(address)} broke.") from error


def _read(address: str, *, from_address: str = "") -> SplitResult:
    """Take an address apart; raises :class:`FetchError` for all but http and https."""
    try:
        parts = urlsplit(address.strip())
        is_web = parts.scheme in _PORTS and bool(parts.hostname) and (parts.port or 80) < 2**16
        _url(parts)
    except ValueError:  # also for an international host name that cannot be encoded
        is_web = False
    if not is_web or any(ord(character) < 33 or character == "\x7f" for character in address.strip()):
        if from_address:
            raise FetchError(f"{show_address(from_address)} redirects to something that is not a web address.")
        raise FetchError("Only addresses that begin with http:// or https:// are fetched.")
    return parts


def _origin(parts: SplitResult) -> tuple[str, str | None, int]:
    return parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme]


def _url(parts: SplitResult) -> str:
    """Return an address in ASCII, without credentials and fragment."""
    host = parts.hostname or ""
    with_brackets = f"[{host}]" if ":" in host else host.encode("idna").decode() if not host.isascii() else host
    port = f":{parts.port}" if parts.port else ""
    path = "".join(each if each.isascii() else _percent(each) for each in parts.path or "/")
    query = "".join(each if each.isascii() else _percent(each) for each in parts.query)
    return urlunsplit((parts.scheme, with_brackets + port, path, query, ""))


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def _headers(target: SplitResult, own: Mapping[str, str], credentials: SplitResult | None) -> Iterator[tuple[str, str]]:
    yield "Host", _url(target).split("/")[2]
    yield "User-Agent", f"recto/{__version__}"
    yield "Accept-Encoding", "gzip"
    if not any(name.lower() == "accept" for name in own):
        yield "Accept", "*/*"
    yield from own.items()
    if credentials is not None and (credentials.username or credentials.password):
        secret = f"{unquote(credentials.username or '')}:{unquote(credentials.password or '')}"
        yield "Authorization", f"Basic {b64encode(secret.encode()).decode()}"


def _decode(pieces: Iterable[bytes], encoding: str, address: str) -> Iterator[bytes]:
    """Yield the decompressed content in pieces of bounded size, so that the reader can stop at a limit."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        with _as_fetch_error(address):
            yield from pieces
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise FetchError(f"{show_address(address)} is compressed in an unsupported way ({printable(encoding)[:20]}).")
    damaged = FetchError(f"The response of {show_address(address)} is damaged.")
    unpacker, packed, unpacked = zlib.decompressobj(zlib.MAX_WBITS | 32), 0, 0
    try:
        with _as_fetch_error(address):
            for piece in pieces:
                packed += len(piece)
                ahead = piece
                while ahead:
                    content = unpacker.decompress(ahead, _PIECE)
                    unpacked += len(content)
                    yield content
                    ahead = unpacker.unconsumed_tail
                if unpacker.eof:
                    return
                if packed - unpacked > _MOST_PADDING:
                    raise damaged
    except zlib.error as error:
        raise damaged from error
    if packed:
        raise damaged
