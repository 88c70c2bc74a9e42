"""Responses that are JSON already: models would only be built to be serialized.

Items of lists are cached: what has not changed since it was listed last is neither built nor serialized again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from recto.contract.model import Model
from recto.server.content.objects import Remembered

if TYPE_CHECKING:
    from recto.contract.common import ListPage

M = TypeVar("M", bound=Model)
L = TypeVar("L", bound="ListPage[Any]")

_MOST_BYTES = 16 * 1024 * 1024
_KEY_BYTES = 1_000
"""What the key of an item takes beside the texts in it, which are those of the item."""

_items: Remembered[bytes] = Remembered(_MOST_BYTES, lambda item: 2 * len(item) + _KEY_BYTES)


class _JsonResponse:
    """Stands for a model that a handler returns, which is only serialized."""

    __slots__ = ("_json",)

    def __init__(self, json: bytes) -> None:
        self._json = json

    def to_json(self) -> bytes:
        return self._json


def json_response(model: type[M], json: bytes) -> M:
    """Return JSON as the response that it is."""
    return cast("M", _JsonResponse(json))


def json_list(page: L, items: Iterable[bytes]) -> L:
    """Return a page of a list with other items, which are JSON already."""
    head = page.__pydantic_serializer__.to_json(page, by_alias=True, exclude_unset=True, exclude={"items"})[:-1]
    return json_response(type(page), b'%s%s"items":[%s]}' % (head, b"," if len(head) > 1 else b"", b",".join(items)))


def item_json(made_of: tuple[Hashable, ...], make: Callable[[], Model]) -> bytes:
    """Return the JSON of the model that ``make`` returns, which is called if nothing was made of the same before.

    ``made_of`` holds all that the model is made of, so that nothing cached can be out of date or be shown to others:
    the kind of model, rows, the people in it (as JSON, which is quickly compared), what the caller may do, and the
    addresses of the server.
    """
    item = _items.get(made_of)
    if item is None:
        item = make().to_json()
        _items.put(made_of, item)
    return item
