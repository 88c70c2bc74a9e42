"""Lists that come in pages, walked lazily to their end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from recto.client.errors import BadAnswer

if TYPE_CHECKING:
    from recto.contract.common import ListPage

P = ParamSpec("P")
T = TypeVar("T")

LIMIT = 200
"""How many items one call asks for; the platform's own default is not known."""


async def pages(
    call: Callable[P, Awaitable[ListPage[T]]], *args: P.args, **kwargs: P.kwargs
) -> AsyncIterator[ListPage[T]]:
    """Yield the pages of a list one after another, asking for each only when it is wanted.

    ``call`` is a list operation on a client instance, such as ``api.spaces.list_spaces``.
    """
    ask = cast("Callable[..., Awaitable[ListPage[T]]]", call)
    given: dict[str, Any] = {"limit": LIMIT, **kwargs}
    seen: set[str] = set()
    while True:
        page = await ask(*args, **given)
        yield page
        if page.next is None:
            return
        if page.next.page in seen:
            raise BadAnswer("Could not read the list to its end.", "The server gave the same page of it twice.")
        seen.add(page.next.page)
        given["page"] = page.next.page


async def walk(call: Callable[P, Awaitable[ListPage[T]]], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
    """Yield the items of a list to its end, asking for each page only when its first item is wanted."""
    async for page in pages(call, *args, **kwargs):
        for item in page.items:
            yield item


async def count(call: Callable[P, Awaitable[ListPage[T]]], *args: P.args, **kwargs: P.kwargs) -> int:
    """Return how many items a list has, with one call where the platform counts them itself."""
    first = await cast("Callable[..., Awaitable[ListPage[T]]]", call)(*args, **{**kwargs, "limit": 1})
    if first.count is not None:
        return first.count
    if first.next is None:
        return len(first.items)
    number = 0
    async for page in pages(call, *args, **kwargs):
        number += len(page.items)
    return number
