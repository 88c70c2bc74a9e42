"""Requests to an application in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from recto.client.errors import BadResponse
from recto.client.outgoing import LONGEST_RESPONSE, Outgoing, Response

Application = Callable[..., Awaitable[None]]
"""An ASGI application."""


class InProcess:
    """Calls an ASGI application; its creator manages its lifespan.

    A call that is cancelled is cancelled in the application, too, unless that shields it.
    """

    def __init__(self, application: Application, address: str, headers: Mapping[str, str]) -> None:
        self._application = application
        parts = urlsplit(address)
        self._server = (parts.hostname or "", 443 if parts.scheme == "https" else 80)
        self._scheme = parts.scheme
        self._headers = [(b"host", parts.netloc.encode())]
        self._headers += [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def request(self, request: Outgoing, what: str, *, reads: bool) -> Response:
        """Return the response; a 500 where the application fails before it begins a response."""
        content = request.content or b""
        call = _Call(content)
        path, _, query = request.target.partition("?")
        headers = [*self._headers, (b"content-length", str(len(content)).encode())]
        if request.content is not None:
            headers.append((b"content-type", b"application/json"))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": self._scheme,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": headers,
            "server": self._server,
            "client": ("127.0.0.1", 0),
        }
        with suppress(Exception):
            # The application logs what fails in it; what it has sent until then is its response.
            await self._application(scope, call.receive, call.send)
        if call.is_too_large:
            raise BadResponse(what, "The server's response is too large.", may_have_arrived=not reads)
        return Response(call.status, call.headers, bytes(call.content))

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""


class _Call:
    """A call: what the application receives, and what it has sent so far."""

    def __init__(self, body: bytes) -> None:
        self.status = 500
        self.headers: dict[str, str] = {}
        self.content = bytearray()
        self.is_too_large = False
        self._body: bytes | None = body
        self._ended = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        if self._body is None:
            await self._ended.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = message.get("headers", ())
            self.status = message["status"]
            self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}
            return
        body = message.get("body", b"")
        self.is_too_large = self.is_too_large or len(self.content) + len(body) > LONGEST_RESPONSE
        if not self.is_too_large:
            self.content += body
        if not message.get("more_body", False):
            self._ended.set()
