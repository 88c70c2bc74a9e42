"""Reads a request as its operation declares it, and says in a sentence what is wrong with it."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import Request

from recto.contract.misfit import misfit
from recto.contract.operation import Operation, Parameter, Place
from recto.server.problems import BadRequest, TooLarge, TooSlow

MAX_BODY_BYTES = 64 * 1024 * 1024
"""The largest body that the server reads; above it answers 413."""

PATIENCE_S = 30.0
"""How many seconds a body may take, beside those that its size explains."""

SLOWEST_BYTES_PER_S = 32 * 1024
"""The pace that a large body has to keep."""


def arguments(operation: Operation[Any, Any], request: Request, body: bytes) -> dict[str, Any]:
    """Return the arguments of a call by parameter name, from a request and its body.

    Raises :class:`BadRequest`, which names the field and its limit. The first call with a model builds its validator,
    which takes a while: not for the event loop's thread.
    """
    given: dict[str, Any] = {}
    for parameter in operation.parameters:
        if parameter.place is Place.BODY:
            given[parameter.name] = _body(parameter, body)
        elif parameter.place is Place.PATH:
            given[parameter.name] = _checked(parameter, request.path_params[parameter.name])
        elif parameter.wire_name in request.query_params:
            given[parameter.name] = _checked(parameter, _query(parameter, request))
        elif parameter.required:
            raise BadRequest(f"{parameter.wire_name}: is required")
    return operation.arguments(**given)


async def read_body(request: Request) -> bytes:
    """Return the body of a request, without waiting for the end of one that is too large or comes too slowly.

    Raises :class:`TooLarge` and :class:`TooSlow`.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > MAX_BODY_BYTES:
        raise _too_large()
    body = bytearray()
    begun = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(PATIENCE_S) as limit:
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    raise _too_large()
                limit.reschedule(begun + PATIENCE_S + len(body) / SLOWEST_BYTES_PER_S)
    except TimeoutError as error:
        raise TooSlow(f"The body came too slowly: {len(body)} bytes of it are there.") from error
    return bytes(body)


def _too_large() -> TooLarge:
    return TooLarge(f"The body is too large: at most {MAX_BODY_BYTES // 1024 // 1024} MB.")


def _body(parameter: Parameter, body: bytes) -> Any:
    model: type[BaseModel] = parameter.annotation
    try:
        return model.model_validate_json(body or b"{}", strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        raise BadRequest(misfit(error, "The body")) from error


def _query(parameter: Parameter, request: Request) -> Any:
    """Return the raw value of a query parameter: all that were given for one that holds several, else the last."""
    values = request.query_params.getlist(parameter.wire_name)
    return values if parameter.holds_several else values[-1]


def _checked(parameter: Parameter, value: Any) -> Any:
    try:
        return _adapter(parameter.annotation).validate_python(value)
    except ValidationError as error:
        raise BadRequest(misfit(error, "", parameter.wire_name)) from error


@lru_cache(maxsize=256)
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)
