"""One connection of the server over HTTP, which nobody can hold without asking for something."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_PATIENCE_S = 20.0
"""How many seconds a request may take until its head is there."""


class Connection(H11Protocol):
    """Is closed where a request has begun, or should have, and its head does not come in time.

    uvicorn itself waits for the head of a first request, and for the rest of one that has begun, without an end.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Take what came in, and expect the rest of a head that is not whole."""
        super().data_received(data)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._rest()
        super().connection_lost(exc)

    def _expect(self) -> None:
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete:
            self._rest()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_PATIENCE_S, self._give_up)

    def _rest(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
