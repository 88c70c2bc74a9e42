"""One call from the program to its own platform, against the bare ASGI call.

    uv run python tests/benchmarks/calls.py [CALLS]

The bare call is a Starlette application that answers the same bytes, called without a client. Between the two stand
the client, the contract at both ends, a transaction and two changes of thread. Medians of one process, in turns.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recto.client.call import Call
from recto.client.sender import embed
from recto.contract.organizations import Organizations
from recto.contract.users import Users
from recto.server.platform import Owner, Platform

ROUNDS = 5


def bare_application(body: bytes) -> Starlette:
    """Return an application that has one route, which answers these bytes."""

    async def answer(request: Request) -> Response:
        return Response(body, media_type="application/json")

    return Starlette(routes=[Route("/v1/user", answer)])


async def call_bare(application: Starlette) -> None:
    """Call an application as ASGI defines it, with nothing around it."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/v1/user",
        "raw_path": b"/v1/user",
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"recto.invalid")],
        "client": ("127.0.0.1", 1),
        "server": ("recto.invalid", 80),
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        pass

    await application(scope, receive, send)


async def microseconds(calls: int, call: Callable[[], Awaitable[object]]) -> float:
    """Return the time that one of so many calls took."""
    begin = time.perf_counter()
    for _ in range(calls):
        await call()
    return (time.perf_counter() - begin) / calls * 1_000_000


async def measure(calls: int) -> None:
    """Measure the calls in turns and print the ratios."""
    with tempfile.TemporaryDirectory() as scratch:
        platform = Platform.open(Path(scratch) / "workspace.recto", owner=Owner("Ada Lovelace"))
        sender = embed(platform.application, platform.token)
        call = Call(sender)
        user = await call(Users.get_user)
        bare = bare_application(user.to_json())
        client = httpx.AsyncClient(transport=httpx.ASGITransport(bare), base_url="http://recto.invalid")
        ways: dict[str, Callable[[], Awaitable[object]]] = {
            "bare ASGI": lambda: call_bare(bare),
            "bare ASGI through httpx": lambda: client.get("/v1/user"),
            "the caller (one object)": lambda: call(Users.get_user),
            "the caller's organizations (a list)": lambda: call(Organizations.list_organizations),
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for way in ways.values():
            await microseconds(20, way)
        for _ in range(ROUNDS):
            for name, way in ways.items():
                times[name].append(await microseconds(calls, way))
        await client.aclose()
        await sender.aclose()
        platform.close()
    floor = statistics.median(times["bare ASGI"])
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"{name}: {median:.0f} µs a call, {median / floor:.1f} times the bare call")


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 300))
