"""The context of a handler, beside its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from datetime import datetime
from typing import Any

from recto.clock import Clock, stamp
from recto.frozen import frozen
from recto.server.ids import Ids
from recto.server.storage.database import Connection
from recto.urls import Thing


@frozen
class Context:
    """The context of a call: the caller, the transaction, the time, fresh ids, and the server's address.

    ``prepared`` is the result computed before its transaction began (see ``http.registry.handles``).
    """

    caller: str
    database: Connection
    clock: Clock
    ids: Ids
    base_url: str = ""
    prepared: Any = None
    app_url: str = ""
    """What the addresses of the app begin with."""
    is_job_running: Callable[[str], bool] = field(default=lambda job: False)
    """Whether a job runs, in this process or in another one."""

    def now(self) -> datetime:
        """Return the present moment."""
        return self.clock()

    def stamp(self) -> str:
        """Return the present moment as it is stored."""
        return stamp(self.clock())

    def location(self, path: str) -> str:
        """Return the address of a thing of this API, from its path after ``/v1``."""
        return f"{self.base_url}/v1{path}"

    def app(self, thing: Thing) -> str:
        """Return the address at which a thing is opened."""
        return f"{self.app_url}{thing.path}"
