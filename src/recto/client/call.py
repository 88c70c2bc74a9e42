"""Calling operations, and walking lists that come in pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from recto.client.errors import BadResponse

if TYPE_CHECKING:
    from recto.contract.common import ListPage
    from recto.contract.operation import Operation, Transport

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

LIMIT = 200
"""How many items one call asks for; the platform's own default is not known."""


class Call:
    """Calls operations over a transport: ``await call(ChangeRequests.merge, space, change_request)``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def __call__(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call an operation; raises a :class:`ClientError`."""
        return await self._transport.send(operation, operation.arguments(*args, **kwargs))


async def pages(
    call: Call, operation: Operation[P, ListPage[T]], *args: P.args, **kwargs: P.kwargs
) -> AsyncIterator[ListPage[T]]:
    """Yield the pages of a list, requesting each only when it is needed."""
    given: dict[str, Any] = operation.arguments(*args, **kwargs)
    given["limit"] = given["limit"] or LIMIT
    seen: set[str] = set()
    while True:
        page = await cast("Any", call)(operation, **given)
        yield page
        if page.next is None:
            return
        if page.next.page in seen:
            raise BadResponse("Could not read the list to its end.", "The server gave the same page of it twice.")
        seen.add(page.next.page)
        given["page"] = page.next.page


async def all_pages(
    call: Call, operation: Operation[P, ListPage[T]], *args: P.args, **kwargs: P.kwargs
) -> list[ListPage[T]]:
    """Return the pages of a list, walked to its end."""
    return [page async for page in pages(call, operation, *args, **kwargs)]


async def find_item(
    call: Call,
    is_wanted: Callable[[T], bool],
    operation: Operation[P, ListPage[T]],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T | None:
    """Return the first wanted item of a list, walked only that far; ``None`` where there is none."""
    async for page in pages(call, operation, *args, **kwargs):
        for item in page.items:
            if is_wanted(item):
                return item
    return None
