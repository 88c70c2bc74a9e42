"""Sends one call from the shell, or walks a list to its end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from recto.cli.failures import tell
from recto.client.call import LIMIT
from recto.client.errors import BadResponse
from recto.client.sender import failure_of
from recto.client.waiting import Wait
from recto.contract.api import routes
from recto.contract.common import ListPage
from recto.contract.describe import wire_path
from recto.contract.operation import Route

if TYPE_CHECKING:
    from recto.client.sender import Sender

NOTHING = object()
"""The answer of a call that has no content."""


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


def is_list(route: Route) -> bool:
    """Say whether an operation answers with a list that comes in pages."""
    return isinstance(route.response, type) and issubclass(route.response, ListPage)


def how_to_look(route: Route, arguments: Mapping[str, Any]) -> str:
    """Return the sentence that says that a change may have been made, and which call shows whether it was."""
    path = _shown_by(route, arguments)
    return f"It may have arrived. Look {f'with GET {path} ' if path else ''}before you send it again."


def _shown_by(route: Route, arguments: Mapping[str, Any]) -> str:
    """Return the path of the nearest thing that can be read: what was changed, its list, or what it belongs to."""
    readable = {wire_path(each) for each in routes() if each.reads}
    pattern = wire_path(route).split("/")
    while pattern and "/".join(pattern) not in readable:
        pattern.pop()
    path = "/".join(pattern).removeprefix("/v1")
    for parameter in route.parameters:
        path = path.replace(f"{{{parameter.wire_name}}}", quote(str(arguments[parameter.name]), safe=""))
    return path


class _Call:
    def __init__(self, sender: Sender, route: Route) -> None:
        self._sender = sender
        self._route = route
        self._what = failure_of(route)
        self.left_behind = False
        """Whether it was interrupted while it may have changed something."""

    async def answer(self, arguments: Mapping[str, Any], all_pages: bool) -> Any:
        try:
            return await (self._walked(dict(arguments)) if all_pages else self._asked(arguments))
        except asyncio.CancelledError:
            self.left_behind = self._sender.writing
            raise
        finally:
            if not self.left_behind:
                await self._sender.aclose()

    async def _asked(self, arguments: Mapping[str, Any]) -> Any:
        content = await self._sender.ask(self._route, arguments)
        if not content.strip():
            return NOTHING
        try:
            return json.loads(content, parse_constant=_refuse)
        except (ValueError, RecursionError):
            why = "The server answered with a web page, not with data."
            if content.lstrip()[:1] != b"<":
                why = "The server's answer is not JSON, or was cut short."
            raise BadResponse(self._what, why, may_have_arrived=not self._route.reads) from None

    async def _walked(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return all items of a list, page by page."""
        names = {each.name for each in self._route.parameters}
        if "limit" in names and arguments.get("limit") is None:
            arguments["limit"] = LIMIT
        items: list[Any] = []
        seen: set[str] = set()
        while True:
            page = await self._asked(arguments)
            if not isinstance(page, dict) or not isinstance(page.get("items"), list):
                raise BadResponse(self._what, "The server's answer is not a list.")
            items += page["items"]
            after = page.get("next")
            where = after.get("page") if isinstance(after, dict) else None
            if not isinstance(where, str) or "page" not in names:
                return {"count": len(items), "items": items}
            if where in seen:
                raise BadResponse(self._what, "The server gave the same page of the list twice.")
            seen.add(where)
            arguments["page"] = where


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _tell_waits(waits: tuple[Wait, ...]) -> None:
    for wait in waits:
        tell(f"The platform asks to wait {wait.seconds:.0f} s; Ctrl+C gives up.")
