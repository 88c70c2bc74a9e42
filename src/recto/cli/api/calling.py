"""Sends a call from the shell, or reads a list to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recto.cli.failures import tell
from recto.client.call import LIMIT
from recto.client.errors import BadResponse
from recto.client.json_calls import how_to_look, next_page_of, read_json
from recto.client.sender import failure_of
from recto.client.waiting import Wait
from recto.contract.operation import Route

if TYPE_CHECKING:
    from recto.client.sender import Sender


def call(sender: Sender, route: Route, arguments: Mapping[str, Any], *, all_pages: bool = False) -> Any:
    """Return what JSON says of the answer, :data:`NOTHING` where it is empty; ``all_pages`` walks a list to its end.

    Raises a :class:`ClientError` where the answer is an error or none that can be read. Interrupted while it may have
    changed something, it says so.
    """
    sender.waits.listener = _tell_waits
    asking = _Call(sender, route)
    try:
        return asyncio.run(asking.answer(arguments, all_pages))
    except KeyboardInterrupt:
        if asking.left_behind:
            tell(f"Interrupted. {how_to_look(route, arguments)}")
        raise


class _Call:
    def __init__(self, sender: Sender, route: Route) -> None:
        self._sender = sender
        self._route = route
        self._what = failure_of(route)
        self.left_behind = False
        """Whether it was interrupted while it may have changed something."""

    async def answer(self, arguments: Mapping[str, Any], all_pages: bool) -> Any:
        try:
            return await (self._read_list(dict(arguments)) if all_pages else self._send(arguments))
        except asyncio.CancelledError:
            self.left_behind = self._sender.writing
            raise
        finally:
            if not self.left_behind:
                await self._sender.aclose()

    async def _send(self, arguments: Mapping[str, Any]) -> Any:
        return read_json(self._route, await self._sender.ask(self._route, arguments))

    async def _read_list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return all items of a list, page by page."""
        names = {each.name for each in self._route.parameters}
        if "limit" in names and arguments.get("limit") is None:
            arguments["limit"] = LIMIT
        items: list[Any] = []
        seen: set[str] = set()
        while True:
            page = await self._send(arguments)
            if not isinstance(page, dict) or not isinstance(page.get("items"), list):
                raise BadResponse(self._what, "The server's answer is not a list.")
            items += page["items"]
            where = next_page_of(self._route, page)
            if where is None:
                return {"count": len(items), "items": items}
            if where in seen:
                raise BadResponse(self._what, "The server gave the same page of the list twice.")
            seen.add(where)
            arguments["page"] = where


def _tell_waits(waits: tuple[Wait, ...]) -> None:
    for wait in waits:
        tell(f"The platform asks to wait {wait.seconds:.0f} s; Ctrl+C gives up.")
