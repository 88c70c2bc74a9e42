"""Responses of a hosted platform on disk, so that a start shows pages at once and reading goes on offline.

Only reads of an allow-list are stored, each in a file of its own that only its owner may read, in a folder for each
account: an address and the token that it is used with, of which neither is written down. Permissions and whatever
grants access (signed addresses, published addresses with a key, tokens) are removed before a response is stored. What
people wrote on pages and in comments is stored as it is: edits go on from it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import parse_qsl

from recto import disk
from recto.client.errors import ClientError, NotAllowed, NotFound, Refused, Unauthorized
from recto.client.outgoing import make_outgoing
from recto.client.sender import Sender, failure_of
from recto.clock import now
from recto.frozen import frozen
from recto.store.signal import Signal
from recto.store.tasks import Tasks

if TYPE_CHECKING:
    from recto.contract.operation import Operation

R = TypeVar("R")

log = logging.getLogger(__name__)

MOST_BYTES: Final = 64 * 1024 * 1024
"""The most that is stored for one account; beyond it the oldest responses are removed."""

MOST_BYTES_OF_ONE: Final = 8 * 1024 * 1024
"""The largest response that is stored."""

OLDEST: Final = timedelta(days=30)
"""The age at which a response is removed, and all of an account that was not used since."""

_CONTENT: Final = r"(/(pages|page/[^/]+|path/.+))?"
_THREADS: Final = r"/comments(/[^/]+(/replies(/[^/]+)?)?)?"
_ALLOWED: Final = re.compile(
    r"/v1(/orgs(/[^/]+(/(spaces|collections|change-requests))?)?"
    rf"|/spaces/[^/]+(/content{_CONTENT}|/revisions/[^/]+{_CONTENT}|{_THREADS}"
    rf"|/change-requests(/[^/]+(/content{_CONTENT}|{_THREADS})?)?)?)"
)
"""The paths whose responses are stored: organizations, spaces, page trees, pages, change requests and threads."""

_AS_WRITTEN: Final = frozenset({"markdown", "document"})
"""Names of fields with the text of a page or a comment."""

_LEFT_OUT: Final = frozenset({"permissions", "downloadURL", "published", "preview", "public"})
_SECRET: Final = re.compile(r"token|secret|password|invite|share.?key", re.IGNORECASE)
"""Names of fields that are not stored, wherever they are in a response."""

_ADDRESS: Final = re.compile(r"""(https?://)([^\s"'<>\\/?#@]*@)?([^\s"'<>\\?#]*)(\?[^\s"'<>\\)\]#]*)?""")
_SIGNATURE: Final = re.compile(r"token|sig|auth|expires|credential|policy|^key|key$|^x-", re.IGNORECASE)
_LONG: Final = 24
"""From this many characters on, a value in an address counts as a secret."""

_USED: Final = "used"
"""The file whose modification time is when the account was last used."""


class NotCached(ClientError):
    """A response is not in the cache."""

    def __init__(self, what: str) -> None:
        super().__init__(what, "It is not in the cache.")


@frozen
class StoredResponse:
    """A response as it is in the cache."""

    content: bytes
    stored_at: datetime


class ResponseCache:
    """The responses of an account, in a folder of its own under ``folder``. All calls block; errors are logged."""

    def __init__(
        self,
        folder: Path,
        account: str,
        clock: Callable[[], datetime] = now,
        *,
        most_bytes: int = MOST_BYTES,
        most_bytes_of_one: int = MOST_BYTES_OF_ONE,
    ) -> None:
        self._all = folder
        self._folder = folder / account
        self._clock = clock
        self._most_bytes = most_bytes
        self._most_bytes_of_one = most_bytes_of_one
        self._bytes: int | None = None
        self._lock = threading.Lock()
        self.clearings = 0
        """How often the account's responses were removed; a response that was asked for before is not stored."""

    def transport(self, sender: Sender, tasks: Tasks) -> CachingTransport:
        """Return a transport that stores the responses."""
        return CachingTransport(sender, self, tasks)

    def transport_alone(self, sender: Sender) -> CachedTransport:
        """Return a transport that answers with stored responses alone."""
        return CachedTransport(sender, self)

    def is_empty(self) -> bool:
        """Whether nothing is stored for the account that could be shown."""
        return not any(self._is_young(file) for file in _responses(self._folder))

    def read(self, target: str) -> StoredResponse | None:
        """Return the response to a request for a path and query, unless there is none or it is too old."""
        file = self._file(target)
        try:
            stored_at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            if not self._is_young(file):
                return None
            content = file.read_bytes()
        except OSError:
            return None
        check, _, body = content.partition(b"\n")
        # An outage may leave a file without its end: it is not written durably.
        return StoredResponse(body, stored_at) if check == _check(body) else None

    def write(self, target: str, content: bytes, clearings: int | None = None) -> None:
        """Store a response without what grants access or permission; invalid JSON and large responses are skipped.

        ``clearings`` is their number when it was asked for.
        """
        if len(content) > self._most_bytes_of_one or (body := without_secrets(content)) is None:
            return
        with self._lock:
            if clearings not in (None, self.clearings):
                return
            try:
                if not self._folder.is_dir():
                    disk.make_folder(self._folder)
                file = self._file(target)
                before = _size(file)
                disk.write(file, _check(body) + b"\n" + body, durable=False)
                self._stamp(file)
                if self._bytes is not None:
                    self._bytes += _size(file) - before
                    if self._bytes > self._most_bytes:
                        self._evict()
            except OSError as error:
                log.warning("A response could not be stored: %s", error)

    def remove(self, target: str) -> None:
        """Remove the response to a request."""
        with self._lock, suppress(OSError):
            self._file(target).unlink()

    def clear(self) -> None:
        """Remove all responses of the account."""
        with self._lock:
            self.clearings += 1
            shutil.rmtree(self._folder, ignore_errors=True)
            self._bytes = 0

    def tidy(self) -> None:
        """Note that the account is used; remove old and surplus responses, and accounts unused for long."""
        with self._lock:
            try:
                disk.make_folder(self._folder)
                used = self._folder / _USED
                disk.make_file(used)
                self._stamp(used)
                for account in self._all.iterdir():
                    if account.is_dir() and not self._is_young(account / _USED):
                        shutil.rmtree(account, ignore_errors=True)
                for file in self._folder.iterdir():
                    if not self._is_young(file) or file.name.startswith(disk.TEMPORARY):
                        file.unlink(missing_ok=True)
                self._evict()
            except OSError as error:
                log.warning("The cache could not be tidied: %s", error)

    def _evict(self) -> None:
        """Remove the oldest responses until the rest takes at most three quarters of the limit."""
        files = sorted(((file.stat(), file) for file in _responses(self._folder)), key=lambda one: one[0].st_mtime)
        self._bytes = sum(status.st_size for status, _ in files)
        if self._bytes <= self._most_bytes:
            return
        for status, file in files:
            file.unlink(missing_ok=True)
            self._bytes -= status.st_size
            if self._bytes <= self._most_bytes * 3 // 4:
                break

    def _file(self, target: str) -> Path:
        return self._folder / sha256(target.encode()).hexdigest()

    def _stamp(self, file: Path) -> None:
        now = self._clock().timestamp()
        os.utime(file, (now, now))

    def _is_young(self, file: Path) -> bool:
        try:
            return self._clock().timestamp() - file.stat().st_mtime < OLDEST.total_seconds()
        except OSError:
            return False


def clear_all(folder: Path) -> int:
    """Remove the responses of all accounts; returns their size in bytes. Raises :class:`OSError`."""
    size = sum(_size(file) for file in folder.rglob("*") if file.is_file())
    if folder.exists():
        shutil.rmtree(folder)
    return size


def is_allowed(target: str) -> bool:
    """Whether the response to a request for this path and query may be stored."""
    path, _, query = target.partition("?")
    return _ALLOWED.fullmatch(path) is not None and _SECRET.search(query) is None


def without_secrets(content: bytes) -> bytes | None:
    """Return JSON without permissions and without what grants access, texts apart; ``None`` where it is no JSON."""
    try:
        return json.dumps(_without_secrets(json.loads(content)), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return _ADDRESS.sub(_strip_signature, value) if "://" in value else value
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    if isinstance(value, dict):
        return {
            name: item if name in _AS_WRITTEN else _without_secrets(item)
            for name, item in value.items()
            if name not in _LEFT_OUT and not _SECRET.search(name)
        }
    return value


def _strip_signature(address: re.Match[str]) -> str:
    """Return an address without a user, and without its query where that looks like it grants access."""
    scheme, _, rest, query = address.groups()
    if query and any(
        _SIGNATURE.search(name) or len(value) >= _LONG
        for name, value in parse_qsl(query[1:].replace("&amp;", "&"), keep_blank_values=True)
    ):
        query = None
    return f"{scheme}{rest}{query or ''}"


def _responses(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that hold responses."""
    with suppress(OSError):
        yield from (file for file in folder.iterdir() if len(file.name) == 64)


def _check(body: bytes) -> bytes:
    return sha256(body).hexdigest().encode()


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


class CachedTransport:
    """A transport that answers from the cache alone; raises :class:`NotCached` for other calls."""

    def __init__(self, sender: Sender, cache: ResponseCache) -> None:
        self._sender = sender
        self._cache = cache
        self.oldest: datetime | None = None
        """When the oldest response of those that were read was stored."""

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Return the stored response."""
        route = operation.route(arguments)
        what = failure_of(route)
        target = make_outgoing(route, route.flat(arguments), what).target
        stored = await asyncio.to_thread(self._cache.read, target) if is_allowed(target) else None
        if stored is None:
            raise NotCached(what)
        response = await self._sender.parse(operation, what, stored.content)
        self.oldest = min(stored.stored_at, self.oldest or stored.stored_at)
        return response


class CachingTransport:
    """A transport to a hosted platform that stores responses, and drops them when the platform refuses the account."""

    def __init__(self, sender: Sender, cache: ResponseCache, tasks: Tasks) -> None:
        self._sender = sender
        self._cache = cache
        self._tasks = tasks
        self._has_responded = False
        self.locked_out: Signal[Unauthorized] = Signal()
        """Emitted when the first thing that the platform says is that it does not accept the token."""

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Send the operation and store its response."""
        return await self.send_streaming(operation, arguments, None)

    async def send_streaming(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], on_beginning: Callable[[R], None] | None
    ) -> R:
        """Send the operation and store its response; the beginning of a large response is passed on."""
        route = operation.route(arguments)
        what, flat = failure_of(route), route.flat(arguments)
        target = make_outgoing(route, flat, what).target
        clearings = self._cache.clearings
        try:
            content = await self._sender.ask(route, flat)
        except Refused as error:
            await self._drop(target, error)
            raise
        response = await self._sender.parse(operation, what, content, on_beginning)
        if not self._has_responded:
            self._has_responded = True
            self._tasks.start(asyncio.to_thread(self._cache.tidy))
        if operation.reads and is_allowed(target):
            self._tasks.start(asyncio.to_thread(self._cache.write, target, content, clearings))
        return response

    async def _drop(self, target: str, error: Refused) -> None:
        if isinstance(error, Unauthorized | NotAllowed):
            await asyncio.to_thread(self._cache.clear)
        elif isinstance(error, NotFound):
            await asyncio.to_thread(self._cache.remove, target)
        if isinstance(error, Unauthorized) and not self._has_responded:
            self.locked_out.emit(error)
