"""Platforms that answer otherwise than the embedded one: they lack operations, or give other answers."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from recto.client.sender import Sender
from recto.server.platform import Platform
from recto.store.drafts import Drafts
from recto.store.locations import Location, Locations
from recto.store.store import Store
from recto.tui.app import RectoApp
from support.guide_workspace import Person
from support.platform import BASE_URL
from support.screens import settled

Change = Callable[[str, Any], Any]
"""Returns another answer in place of one, from the path of the request and its JSON."""

TABLE = Path(__file__).parents[1] / "contract/reference/table.json"

NOT_FOUND = httpx.Response(404, json={"error": {"code": 404, "message": "Not Found"}})
BARE = httpx.Response(404, text="not here")
NOT_ALLOWED = httpx.Response(405, json={"error": {"code": 405, "message": "Method Not Allowed"}})
NOT_IMPLEMENTED = httpx.Response(501, text="<h1>501 Not Implemented</h1>")
NOT_THERE = (NOT_FOUND, BARE, NOT_ALLOWED, NOT_IMPLEMENTED)
"""The ways in which servers say that they do not have an operation."""


def reference_operations() -> list[tuple[str, re.Pattern[str]]]:
    """Return the method and a pattern of the path of each operation of the reference, as it is described."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    return [(each["method"], _pattern(each["path"])) for each in table["operations"]]


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{[^}]*Path\\\}", ".+", re.sub(r"\\\{(?!\w*Path)[^}]*\\\}", "[^/]+", re.escape(path))))


class OtherPlatform(httpx.AsyncBaseTransport):
    """Passes requests on to a platform unless it lacks the operation, and may change what comes back."""

    def __init__(
        self,
        platform: Platform,
        *,
        has: Callable[[str, str], bool] = lambda method, path: True,
        refusal: httpx.Response = NOT_FOUND,
        change: Change = lambda path, answer: answer,
    ) -> None:
        self._inner = httpx.ASGITransport(app=platform.application, raise_app_exceptions=False)
        self._has = has
        self._refusal = refusal
        self._change = change
        self.lacked: list[tuple[str, str]] = []
        """What was asked for and is not there."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""
        path = request.url.path
        if not self._has(request.method, path):
            self.lacked.append((request.method, path))
            return httpx.Response(self._refusal.status_code, content=self._refusal.content)
        response = await self._inner.handle_async_request(request)
        if "json" not in response.headers.get("Content-Type", ""):
            return response
        content = await response.aread()
        if request.method == "GET" and response.status_code == 200:
            content = json.dumps(self._change(path, json.loads(content))).encode()
        return httpx.Response(response.status_code, content=content)


def only_the_reference(method: str, path: str) -> bool:
    """Whether the reference has an operation; the rest is what other services may or may not offer."""
    return any(one == method and pattern.fullmatch(path) for one, pattern in _reference())


def _reference() -> list[tuple[str, re.Pattern[str]]]:
    if not _known:
        _known.extend(reference_operations())
    return _known


_known: list[tuple[str, re.Pattern[str]]] = []


def store_of(platform: Platform, folder: Path, transport: httpx.AsyncBaseTransport) -> Store:
    """Return a store on a platform through a transport of this module, as that of an address."""
    return Store(
        Sender(BASE_URL, platform.token, transport=lambda: transport),
        Drafts(folder / "drafts", platform.clock),
        clock=platform.clock,
        address="https://docs.example.com",
        locations=Locations(folder / "places.json"),
    )


@asynccontextmanager
async def visit_platform(
    platform: Platform,
    folder: Path,
    transport: httpx.AsyncBaseTransport,
    opening: Location | None = None,
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[Person]:
    """Start the program on a platform at an address, and wait until it stands."""

    async def open_store() -> Store:
        return store_of(platform, folder, transport)

    app = RectoApp(open_store, opening=opening)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        assert app._store is not None
        yield Person(pilot, platform, app._store)


def break_items(*ids: str) -> Change:
    """Return what breaks the items of lists that have these ids: texts in them are lists."""
    wanted = frozenset(ids)

    def change(_: str, answer: Any) -> Any:
        if isinstance(answer, list):
            return [_broken(each) if _id(each) in wanted else change("", each) for each in answer]
        if isinstance(answer, dict):
            return {key: change("", value) for key, value in answer.items()}
        return answer

    return change


def _id(each: Any) -> Any:
    return each.get("id") if isinstance(each, dict) else None


def _broken(item: dict[str, Any]) -> dict[str, Any]:
    texts = ("title", "name", "subject", "postedAt", "createdAt")
    return item | {next(name for name in texts if name in item): ["no", "text"]}
