"""Connections over HTTP that are closed when the client neither sends nor reads."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from recto.server.http.request_guard import HAS_GONE, WELCOME

HEAD_PATIENCE_S = 20.0
"""How many seconds a request may take until its head is there."""

READING_PATIENCE_S = 20.0
"""After how many seconds a response ends of which too little was read."""

SLOWEST_READING_BYTES_PER_S = 8 * 1024
"""The slowest rate at which a response may be read."""

_QUEUED_BYTES = 128 * 1024
"""How much of a response the system may buffer; otherwise megabytes, whose reading is not observed."""

MAX_UNREAD_BYTES = 64 * 1024 * 1024
"""How much of responses may wait to be read, over all connections."""

MAX_CONNECTIONS: Final = 500
"""How many connections there may be at once; further connections are answered 503."""

MAX_STRANGERS: Final = 200
"""How many of them may have shown no good token yet; the longest idle connection makes room for the next."""


class HttpConnection(H11Protocol):
    """Ends if a request does not come in time, a response is not read in time, or another connection needs its place.

    uvicorn itself waits for the head of a first request, for the rest of a started request, and for a response to be
    read, without an end.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        asked = {WELCOME: self._accept, HAS_GONE: lambda: self.transport.is_closing()}
        super().__init__(config, server_state, app_state | asked, _loop)
        self.welcome = False
        """Whether a request on it showed a good token."""
        self._active_at = 0.0
        self._head_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None
        self._unread = 0
        self._unread_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request, and make room for this connection if there is none."""
        super().connection_made(transport)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _QUEUED_BYTES)
        self._active_at = self.loop.time()
        self._expect_head()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Take what came in, and expect the rest of an incomplete head."""
        self._active_at = self.loop.time()
        super().data_received(data)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._stop_head_timer()
        self._stop_reading_timer()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Expect the rest of the response to be read, also if the connection ends with it."""
        self._active_at = self.loop.time()
        super().on_response_complete()
        if not self.flow.write_paused:
            self._stop_reading_timer()  # this response has only now begun to wait, and so little that it need not
        self._expect_reading()

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are not HTTP, and expect the refusal to be read."""
        super().send_400_response(msg)
        self._expect_reading()

    def pause_writing(self) -> None:
        """Expect a waiting part of a response to be read, and end other connections if too much waits in all."""
        super().pause_writing()
        self._expect_reading()
        self._limit_unread()

    def resume_writing(self) -> None:
        """Note that most of the waiting response was read."""
        super().resume_writing()
        self._stop_reading_timer()
        self._expect_reading()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete

    @property
    def unread_bytes(self) -> int:
        """How much of responses waits to be read."""
        return self.transport.get_write_buffer_size()

    def _accept(self) -> None:
        self.welcome = True

    def _make_room(self) -> None:
        # Many may come before the first of those that were ended is gone.
        others = [each for each in self._others() if not each.transport.is_closing()]
        strangers = [each for each in others if not each.welcome]
        if strangers and (len(others) + 1 >= MAX_CONNECTIONS or len(strangers) >= MAX_STRANGERS):
            min(strangers, key=lambda each: (not each.is_idle, each._active_at))._end()

    def _end(self) -> None:
        if self.is_idle and not self.unread_bytes:
            self.transport.close()
        else:
            self.transport.abort()

    def _others(self) -> list[HttpConnection]:
        return [each for each in self.connections if isinstance(each, HttpConnection) and each is not self]

    def _limit_unread(self) -> None:
        others = [each for each in self._others() if each.unread_bytes]
        waiting = self.unread_bytes + sum(each.unread_bytes for each in others)
        for each in sorted(others, key=lambda each: (each.welcome, each._unread_since)):
            if waiting <= MAX_UNREAD_BYTES:
                return
            waiting -= each.unread_bytes
            each.transport.abort()

    def _expect_reading(self) -> None:
        if self._reading_timer is None and self.unread_bytes:
            self._unread, self._unread_since = self.unread_bytes, self.loop.time()
            self._reading_timer = self.loop.call_later(READING_PATIENCE_S, self._look_at_reading)

    def _look_at_reading(self) -> None:
        self._reading_timer = None
        least = min(self._unread, int(SLOWEST_READING_BYTES_PER_S * READING_PATIENCE_S))
        if self._unread - self.unread_bytes < least:
            self.transport.abort()
        else:
            self._expect_reading()

    def _stop_reading_timer(self) -> None:
        if self._reading_timer is not None:
            self._reading_timer.cancel()
            self._reading_timer = None

    def _expect_head(self) -> None:
        if not self.is_idle:
            self._stop_head_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_PATIENCE_S, self._give_up_on_head)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up_on_head(self) -> None:
        self._head_timer = None
        if self.is_idle:
            self.transport.close()
