"""The API descriptions that pages name: each is fetched and read once, and kept while there is room."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.contract.content import Content
from recto.document.openapi.description import read_description
from recto.document.openapi.source import MOST_BYTES, Unreadable
from recto.store.query import Query, QueryState
from recto.store.query_keys import QueryKey
from recto.store.signal import Signal

if TYPE_CHECKING:
    from recto.document.openapi.description import Description
    from recto.store.query import Publish
    from recto.store.tasks import Tasks

MOST_KEPT = 16 * 1024 * 1024
"""Bytes of unwatched descriptions that are kept; parsed they take several times as much."""

AGAIN_AFTER = timedelta(seconds=10)
"""The seconds after which a failed description is fetched again."""


class Broken(ClientError):
    """A description was fetched but cannot be read."""

    default_next_step = ""


class Descriptions:
    """The descriptions of a session, as live queries. Each is fetched once it is watched."""

    def __init__(
        self, download: Callable[[str, int], Awaitable[bytes]], tasks: Tasks, clock: Callable[[], datetime]
    ) -> None:
        self._download = download
        self._tasks = tasks
        self._clock = clock
        self._known: OrderedDict[str, Query[Description]] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._failed: dict[str, datetime] = {}
        self.asked: Signal[str] = Signal()
        """Emits the address of each description that a person asks for."""

    def at(self, url: str, name: str = "") -> Query[Description]:
        """Return the description at an address; ``name`` names it where the address alone does not."""
        name = name or url
        failed = self._failed.get(name)
        if failed is not None and self._clock() - failed >= AGAIN_AFTER:
            self._known.pop(name, None)
        query = self._known.get(name)
        if query is None:
            query = self._known[name] = self._query(name, url)
        self._known.move_to_end(name)
        return query

    def find(self, url: str) -> Query[Description] | None:
        """Return the description at an address that was asked for before; failed fetches are not repeated."""
        return self._known.get(url)

    def ask(self, url: str) -> None:
        """Fetch the description at an address on request, also after a failure."""
        query = self._known.get(url)
        if query is not None and query.state is QueryState.FAILED:
            del self._known[url]
        self.at(url)
        self.asked.emit(url)

    def give_up(self) -> None:
        """Stop fetching descriptions."""
        for query in self._known.values():
            query.give_up()

    def _query(self, name: str, url: str) -> Query[Description]:
        async def load(_: Publish[Description]) -> Description:
            self._failed.pop(name, None)
            try:
                return await self._load(name, url)
            except ClientError as error:
                if not isinstance(error, Broken):
                    self._failed[name] = self._clock()
                raise

        key = QueryKey(Content.list_files, (("name", name), ("url", url)))
        return Query(key, load, self._tasks, self._clock)

    async def _load(self, name: str, url: str) -> Description:
        source = await self._download(url, MOST_BYTES)
        try:
            description = await asyncio.to_thread(_read, source)
        except Unreadable as error:
            raise Broken("The description of the API could not be read.", str(error)) from error
        self._sizes[name] = len(source)
        self._forget_oldest()
        return description

    def _forget_oldest(self) -> None:
        """Drop the descriptions that were asked for longest ago and are not watched."""
        excess = sum(self._sizes.values()) - MOST_KEPT
        for name, query in list(self._known.items()):
            if excess > 0 and query.idle and query.state is not QueryState.LOADING:
                excess -= self._sizes.pop(name, 0)
                del self._known[name]


def _read(source: bytes) -> Description:
    return read_description(source)
