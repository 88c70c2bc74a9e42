"""Requests: read as their operation declares them, refused with a sentence that names the fault."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from recto.contract.misfit import misfit
from recto.contract.operation import Parameter, Place, Route
from recto.server.context import Context
from recto.server.http.asgi import Request
from recto.server.http.bodies import BodyLimit
from recto.server.http.problems import BadRequest, Problem, TooLarge, TooSlow
from recto.server.http.registry import Registration
from recto.server.ids import Ids

_LONGEST_NUMBER = 18
"""The most digits of a length that are read."""

PATIENCE_S = 30.0
"""How many seconds a body may take, beside those that its size explains."""

SLOWEST_BYTES_PER_S = 32 * 1024
"""The slowest rate at which a large body may be sent."""


def address_arguments(route: Route, request: Request) -> dict[str, Any]:
    """Return the arguments that the address of a request gives, by parameter name.

    Raises :class:`BadRequest`, which names the parameter and its limit. The first call for a parameter builds its
    validator, which takes a while: not for the event loop's thread.
    """
    given: dict[str, Any] = {}
    for parameter in route.parameters:
        if parameter.place is Place.PATH:
            given[parameter.name] = _check(parameter, request.path_params[parameter.name])
        elif parameter.place is Place.BODY:
            parameter.annotation.model_rebuild()  # so that a small body may be parsed on the event loop's thread
        elif parameter.json_name in request.query_params:
            given[parameter.name] = _check(parameter, _query(parameter, request))
        elif parameter.required:
            raise BadRequest(f"{parameter.json_name}: is required")
    return given


def arguments_of(route: Route, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a handler: those of the request, the address in place of those that name it."""
    return route.operation.defaults | route.arguments(given)


class _Unread:
    """Stands for a body that is not read yet."""

    def __getattribute__(self, name: str) -> Any:
        raise _BodyReached


class _BodyReached(Exception):
    """A handler looked at the body, so it has admitted the caller."""


def check_permission(found: Registration, context: Context, route: Route, given: dict[str, Any]) -> None:
    """Check that a handler takes a request of this caller at this address, before its body is read.

    The handler itself says so: it runs as far as it comes without the body, in a transaction that cannot write. It
    checks all of it again when it runs in its own. Raises the :class:`Problem` by which it refuses.
    """
    unread = {parameter.name: _Unread() for parameter in route.parameters if parameter.place is Place.BODY}
    try:
        found.handler(replace(context, ids=Ids()), **arguments_of(route, {**given, **unread}))
    except Problem:
        raise
    except Exception:  # it reached the body, or wanted to write; other errors will be raised again
        return


def announced_size(request: Request, limit: BodyLimit) -> int:
    """Return the most bytes that the body of a request will have; raises :class:`TooLarge`."""
    announced = request.headers.get("content-length", "")
    if not announced.isdecimal():
        return limit.bytes
    if len(announced) > _LONGEST_NUMBER or int(announced) > limit.bytes:
        raise _too_large(limit)
    return int(announced)


async def read_body(request: Request, limit: BodyLimit) -> bytes:
    """Return the body of a request, without waiting for the end of a body that is too large or too slow.

    Raises :class:`TooLarge` and :class:`TooSlow`.
    """
    body = bytearray()
    begun = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(PATIENCE_S) as patience:
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit.bytes:
                    raise _too_large(limit)
                patience.reschedule(begun + PATIENCE_S + len(body) / SLOWEST_BYTES_PER_S)
    except TimeoutError as error:
        raise TooSlow(f"The body was sent too slowly: {len(body)} bytes arrived.") from error
    return bytes(body)


def _too_large(limit: BodyLimit) -> TooLarge:
    return TooLarge(f"The body is too large: at most {limit.megabytes} MB.")


def parse_body(model: type[BaseModel], body: bytes) -> BaseModel:
    """Return the model that a body holds; raises :class:`BadRequest`, which names the field and its limit."""
    try:
        return model.model_validate_json(body or b"{}", strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        raise BadRequest(misfit(error, "The body")) from error


def _query(parameter: Parameter, request: Request) -> Any:
    """Return the raw value of a query parameter: all values of a list parameter, else the last."""
    values = request.query_params[parameter.json_name]
    return values if parameter.holds_several else values[-1]


def _check(parameter: Parameter, value: Any) -> Any:
    try:
        return _adapter(parameter.annotation).validate_python(value)
    except ValidationError as error:
        raise BadRequest(misfit(error, "", parameter.json_name)) from error


@lru_cache(maxsize=256)
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)
