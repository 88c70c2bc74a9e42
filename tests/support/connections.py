"""An application served over loopback, to those who ask and may not read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from recto.server.http.idle_connections import HttpConnection

ASK = b"GET /v1/user HTTP/1.1\r\nHost: x\r\n\r\n"


@asynccontextmanager
async def serve_app(app: Any) -> AsyncIterator[tuple[int, set[HttpConnection]]]:
    """Serve an application on a port; give it and the connections that are open."""
    config = uvicorn.Config(app, lifespan="off", log_config=None, access_log=False, http=HttpConnection)
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(lambda: HttpConnection(config, state, {}), "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], state.connections  # type: ignore[misc]
    finally:
        server.close()
        for each in (*state.connections,):
            each.transport.abort()
        await until(lambda: not state.connections and not state.tasks)


def respond_with(size: int) -> Callable[..., Awaitable[None]]:
    """Return an application that answers so many bytes."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % size)]})
        await send({"type": "http.response.body", "body": b"x" * size})

    return app


async def until(true: Callable[[], object]) -> None:
    """Let the others at the loop until something holds."""
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110  nothing tells of it
            await asyncio.sleep(0)
