"""Pages of lists, stable while items are inserted and deleted between requests.

A page id says after which sort key the list goes on, not how many items were seen: nothing is skipped or repeated.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from recto.contract.common import MAX_LIMIT, ListPage, Next, Order
from recto.pattern import pattern
from recto.server.http.problems import BadRequest
from recto.server.storage.database import Connection, Row

T = TypeVar("T")
Item = TypeVar("Item")
Key = tuple[str | int | float, ...]

_HALF_CHARACTER = pattern("[\ud800-\udfff]")
_TOO_LARGE = 2**63

DEFAULT_LIMIT = 50
"""How many items a page has where the caller does not say."""


def list_rows(
    database: Connection,
    select: str,
    parameters: Mapping[str, Any],
    *,
    keys: Sequence[str],
    build: Callable[[Row], T],
    page: str | None = None,
    limit: int | None = None,
    order: Order = "asc",
    asked: tuple[object, ...] = (),
) -> ListPage[T]:
    """Return a page of the rows of ``select``, sorted by the columns ``keys``, which together must be unique.

    ``select`` takes its parameters by name (``:space``); the columns ``keys`` hold text or numbers, never ``NULL``.
    ``asked`` is what the list was asked for beyond that: a page id goes on with the same question only.
    Raises :class:`BadRequest` for a page id that this list did not give, and for a limit that is not 1 to 1000.
    """
    size = check_limit(limit)
    mark = _mark(select, keys, order, *asked)
    count = database.value(f"SELECT count(*) FROM ({select})", dict(parameters))
    bound = {**parameters, "page_size": size + 1}
    after = ""
    if page is not None:
        bound |= {f"after_{at}": value for at, value in enumerate(_open(page, mark, len(keys)))}
        sign = ">" if order == "asc" else "<"
        marks = ", ".join(f":after_{at}" for at in range(len(keys)))
        after = f"WHERE ({', '.join(keys)}) {sign} ({marks})"
    sorting = ", ".join(f"{key} {order}" for key in keys)
    rows = database.all(f"SELECT * FROM ({select}) {after} ORDER BY {sorting} LIMIT :page_size", bound)
    more = len(rows) > size
    rows = rows[:size]
    following = _seal(tuple(rows[-1][key] for key in keys), mark) if more else None
    return _list_page(count, following, tuple(build(row) for row in rows))


def list_items(
    items: Sequence[Item],
    *,
    name: str,
    key: Callable[[Item], Key],
    build: Callable[[Item], T],
    page: str | None = None,
    limit: int | None = None,
) -> ListPage[T]:
    """Return a page of items at hand, sorted ascending by a unique ``key``; ``name`` tells its page ids from others.

    Raises :class:`BadRequest` as :func:`list_rows` does.
    """
    size = check_limit(limit)
    ordered = sorted(items, key=key)
    mark = _mark(name)
    rest = ordered
    if page is not None:
        after = _open(page, mark, None)
        try:
            rest = [item for item in ordered if key(item) > after]
        except TypeError as error:
            raise _unknown_page() from error
    following = _seal(key(rest[size - 1]), mark) if len(rest) > size else None
    return _list_page(len(items), following, tuple(build(item) for item in rest[:size]))


def with_items(page: ListPage[Any], items: Sequence[T]) -> ListPage[T]:
    """Return a page of rows with its items replaced."""
    return page.model_copy(update={"items": tuple(items)})


def check_limit(limit: int | None) -> int:
    """Return how many items a page holds; raises :class:`BadRequest` for less than 1 or more than 1000."""
    if limit is None:
        return DEFAULT_LIMIT
    if not 1 <= limit <= MAX_LIMIT:
        raise BadRequest(f"limit: at least 1 and at most {MAX_LIMIT}")
    return limit


def _list_page(count: int, following: str | None, items: tuple[T, ...]) -> ListPage[T]:
    if following is None:
        return ListPage(count=count, items=items)
    return ListPage(next=Next(page=following), count=count, items=items)


def _mark(*parts: object) -> int:
    """Return a number that identifies a list, so that page ids of other lists are refused."""
    return zlib.crc32(repr(parts).encode())


def _seal(key: Key, mark: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([mark, *key]).encode()).decode().rstrip("=")


def _open(page: str, mark: int, length: int | None) -> Key:
    try:
        opened = json.loads(base64.b64decode(page + "=" * (-len(page) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _unknown_page() from error
    if not isinstance(opened, list) or len(opened) < 2 or opened[0] != mark:
        raise _unknown_page()
    key = tuple(opened[1:])
    if length not in (None, len(key)) or not all(map(_is_sound, key)):
        raise _unknown_page()
    return key


def _is_sound(value: object) -> bool:
    """Whether a value may be part of a key; a forged page id may hold any number or text."""
    if isinstance(value, str):
        return not _HALF_CHARACTER.search(value)
    return isinstance(value, float) or (isinstance(value, int) and abs(value) < _TOO_LARGE)


def _unknown_page() -> BadRequest:
    return BadRequest("page: this is not a page of this list; ask for the first page and follow its next")
