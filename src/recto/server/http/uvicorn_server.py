"""Runs the platform over HTTP."""

from __future__ import annotations

import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn

from recto.collector import collect_from_now_on, give_large_blocks_back, give_memory_back
from recto.contract import api
from recto.server.http.idle_connections import MAX_CONNECTIONS, HttpConnection
from recto.server.platform import Platform

MAX_HEAD_BYTES = 64 * 1024
"""The largest head of a request, its address included, that is read."""

_SHUTDOWN_S = 5
_SWITCH_S = 0.0005
"""How long one thread may compute while others wait: a tenth of the interpreter's own, so that one heavy request does
not hold up many light ones, each of which takes its turn several times."""
_LAST_PORT = 65_535


class ListenError(Exception):
    """An address on which the server cannot listen; the message is a sentence that names it."""


def serve(platform: Platform, host: str, port: int, *, ready: Callable[[str], None] | None = None) -> None:
    """Answer over HTTP until the process is interrupted or terminated; ``ready`` is called with the address.

    Port 0 takes any free port. Raises :class:`ListenError` where the address cannot be used.
    """
    assert api.RESOURCES  # all operations are declared before the first request, which would hold up the event loop
    listening = listen(host, port)
    platform.after_large_bodies = give_memory_back
    sys.setswitchinterval(_SWITCH_S)
    gc.disable()
    give_large_blocks_back()
    collect_from_now_on()
    with listening:
        config = uvicorn.Config(
            platform.application,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # addresses are made of what the connection came in at
            timeout_graceful_shutdown=_SHUTDOWN_S,
            http=HttpConnection,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            limit_concurrency=MAX_CONNECTIONS,
        )
        if ready is not None:
            ready(_address(listening))
        # uvicorn stops cleanly at either signal and then raises it once more for its caller.
        with suppress(KeyboardInterrupt), _end_as_interrupt():
            uvicorn.Server(config).run(sockets=[listening])


@contextmanager
def _end_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM, which would end the process before the workspace is closed, as Ctrl+C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    It says that it speaks TCP, because asyncio turns off the delay of small packets (44 ms a request) only then.
    """
    if not 0 <= port <= _LAST_PORT:  # beyond it the system would quietly take another port
        raise ListenError(f"Cannot listen on {host}:{port}: a port is a number up to {_LAST_PORT}.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        (family, kind, _, _, address), *_ = found
        listening = socket.socket(family, kind, socket.IPPROTO_TCP)
    except UnicodeError as error:  # a part of the name is empty, or too long
        raise ListenError(f"Cannot listen on {host}:{port}: this is not a host name.") from error
    except OSError as error:
        raise ListenError(f"Cannot listen on {host}:{port}: {error}.") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        listening.close()
        raise ListenError(f"Cannot listen on {host}:{port}: {error.strerror}.") from error
    return listening


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if listening.family is socket.AF_INET6 else f"http://{host}:{port}"
