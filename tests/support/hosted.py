"""A platform as if it were hosted: reached over a line that can be slow, cut, or refuse the account."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from recto.cli.folder_writing import check_folder, write_fetched
from recto.cli.own_content import convert_aside
from recto.client.sender import Sender
from recto.server.platform import Platform
from recto.store.drafts import Drafts
from recto.store.hosted_export import HostedExports
from recto.store.locations import Locations
from recto.store.response_cache import ResponseCache
from recto.store.store import Store
from support.platform import BASE_URL


class Line(httpx.AsyncBaseTransport):
    """The way to a platform; ``asked`` are the paths and queries of the requests that were made over it."""

    def __init__(self, platform: Platform) -> None:
        self._inner = httpx.ASGITransport(platform.application)
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.before: Callable[[str], None] = lambda target: None
        """Called with the path and query of each request; may close the gate."""
        self.is_cut = False
        self.refusals: dict[str, int] = {}
        """The statuses that requests get whose path holds a text; an empty one is every path's."""
        self.headers: dict[str, str] = {}
        """The headers of refusals."""
        self.has_portal = False
        """Whether the network answers all requests with its sign-on page."""
        self.slow: dict[str, asyncio.Event] = {}
        """The requests whose path holds a text get no response in time; that shows once the event is set."""
        self.left_out: tuple[str, ...] = ()
        """The fields that responses do not have, in any object."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Carry a request, or fail as a line fails."""
        target = request.url.raw_path.decode()
        self.asked.append(target)
        self.before(target)
        await self.gate.wait()
        if self.is_cut:
            raise httpx.ConnectError("No route to host", request=request)
        if self.has_portal:
            return httpx.Response(200, html="<!doctype html><title>Sign on to the network</title>")
        for part, is_over in self.slow.items():
            if part in target:
                await is_over.wait()
                raise httpx.ReadTimeout("No response", request=request)
        for part, status in self.refusals.items():
            if part in target:
                return httpx.Response(
                    status, headers=self.headers, json={"error": {"code": status, "message": "This is refused, sorry."}}
                )
        response = await self._inner.handle_async_request(request)
        if not self.left_out:
            return response
        content = _without(self.left_out, json.loads(await response.aread() or b"null"))
        return httpx.Response(response.status_code, json=content)


def _without(fields: tuple[str, ...], value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(fields, each) for name, each in value.items() if name not in fields}
    return [_without(fields, each) for each in value] if isinstance(value, list) else value


class Hosted:
    """A hosted platform, and a folder in which programs that use it store its responses."""

    def __init__(self, platform: Platform, folder: Path) -> None:
        self.platform = platform
        self.line = Line(platform)
        self.folder = folder
        self.responses = folder / "responses"

    def cache(self, account: str = "ada") -> ResponseCache:
        """Return the cache of an account."""
        return ResponseCache(self.responses, account, self.platform.clock)

    def store(self, account: str = "ada") -> Store:
        """Return the store of a program that was just started."""
        sender = Sender(BASE_URL, self.platform.token, transport=lambda: self.line, pause=_run_at_once)
        return Store(
            sender,
            Drafts(self.folder / "drafts", self.platform.clock),
            clock=self.platform.clock,
            address=BASE_URL,
            locations=Locations(self.folder / "places.json"),
            exports=HostedExports(sender, check_folder, write_fetched),
            convert=convert_aside,
            cache=self.cache(account),
        )

    def stored(self) -> bytes:
        """Return all that is on disk of its responses."""
        return b"\n".join(file.read_bytes() for file in sorted(self.responses.rglob("*")) if file.is_file())


async def _run_at_once(_: float) -> None:
    """Wait no time before a call is sent again."""
