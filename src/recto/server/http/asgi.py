"""Requests and responses of operations, straight from ASGI.

A call in process passes this at each start of the program and for each response on the screen, and needs a few headers,
the query and the body: a framework around it took longer to import and to run than most operations take.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs

from recto.frozen import frozen

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Endpoint = Callable[["Request"], Awaitable["Response"]]


_WITHOUT_BODY = (204, 304)


def path_in(scope: Scope) -> str:
    """Return the path of a request within this application, which may be one of several on a server."""
    root, path = scope.get("root_path", ""), scope["path"]
    return str(path.removeprefix(root) if path.startswith(f"{root}/") else path)


class Disconnected(Exception):
    """The request broke off before its body was complete."""


class Request:
    """A request; ``path_params`` are the parts of its path that name something, by parameter."""

    def __init__(self, scope: Scope, receive: Receive, path_params: Mapping[str, str]) -> None:
        self.scope = scope
        self.path_params = path_params
        self._receive = receive

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """The headers by lower-case name; the first of several of the same name counts."""
        given: list[tuple[bytes, bytes]] = self.scope["headers"]
        return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in reversed(given)}

    @cached_property
    def query_params(self) -> Mapping[str, list[str]]:
        """The values of each query parameter, in their order."""
        return parse_qs(self.scope["query_string"].decode("latin-1"), keep_blank_values=True)

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes in; raises :class:`Disconnected`."""
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            more = message.get("more_body", False)
            if body := message.get("body", b""):
                yield body

    async def wait_for_disconnect(self) -> None:
        """Wait until the caller has gone, which it may do before it has the response."""
        with suppress(Disconnected):
            async for _ in self.stream():
                pass
            while (await self._receive())["type"] != "http.disconnect":
                pass


@frozen
class Response:
    """A response, in JSON by default, or without a body."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] | None = None
    media_type: str = "application/json"

    async def send(self, send: Send) -> None:
        """Send it."""
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in (self.headers or {}).items()]
        if self.status not in _WITHOUT_BODY:
            headers.append((b"content-length", str(len(self.body)).encode()))
        if self.body:
            headers.append((b"content-type", self.media_type.encode("latin-1")))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})
