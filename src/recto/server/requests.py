"""Reads a request as its operation declares it, and says in a sentence what is wrong with it."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from recto.contract.operation import Operation, Parameter, Place
from recto.server.problems import BadRequest, TooLarge

MAX_BODY_BYTES = 64 * 1024 * 1024
"""The largest body that the server reads; above it answers 413."""

_SHOWN_ERRORS = 5

_ONE_OF_MANY = re.compile(r"\b1 (character|item)s\b")

_SENTENCES = {
    "missing": "is required",
    "extra_forbidden": "is not a field of this request",
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "at least {min_length} characters",
    "too_long": "at most {max_length} items",
    "too_short": "at least {min_length} items",
    "less_than_equal": "at most {le}",
    "greater_than_equal": "at least {ge}",
    "literal_error": "one of {expected}",
    "string_pattern_mismatch": "must match {pattern}",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "tuple_type": "must be a list",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "union_tag_invalid": "{discriminator} must be one of {expected_tags}",
    "union_tag_not_found": "{discriminator} is required",
    "json_invalid": "is not valid JSON: {error}",
}


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
    """Return the body of a request; raises :class:`TooLarge` where it is, without reading it to its end."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > MAX_BODY_BYTES:
        raise _too_large()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise _too_large()
    return bytes(body)


def _too_large() -> TooLarge:
    return TooLarge(f"The body is too large: at most {MAX_BODY_BYTES // 1024 // 1024} MB.")


def _body(parameter: Parameter, body: bytes) -> Any:
    model: type[BaseModel] = parameter.annotation
    try:
        return model.model_validate_json(body or b"{}", strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        raise BadRequest(_explain(error.errors(include_url=False, include_input=False), "The body")) from error


def _query(parameter: Parameter, request: Request) -> Any:
    """Return the raw value of a query parameter: all that were given for one that holds several, else the last."""
    values = request.query_params.getlist(parameter.wire_name)
    return values if _holds_several(parameter.annotation) else values[-1]


def _checked(parameter: Parameter, value: Any) -> Any:
    try:
        return _adapter(parameter.annotation).validate_python(value)
    except ValidationError as error:
        raise BadRequest(
            _explain(error.errors(include_url=False, include_input=False), "", parameter.wire_name)
        ) from error


@lru_cache(maxsize=256)
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


@lru_cache(maxsize=256)
def _holds_several(annotation: Any) -> bool:
    origin = get_origin(annotation)
    if origin in (list, tuple, set, frozenset):
        return True
    return any(_holds_several(part) for part in typing.get_args(annotation) if not isinstance(part, str))


def _explain(errors: Iterable[ErrorDetails], whole: str, under: str = "") -> str:
    """Return one line that names each field that is wrong and what is asked of it."""
    found = list(errors)
    within = {error["loc"][:length] for error in found for length in range(len(error["loc"]))}
    told: dict[str, None] = {}
    for error in found:
        if error["loc"] in within:  # a list is said to be too short where an item of it is wrong
            continue
        told[_complaint(error, under or _place(error["loc"]) or whole)] = None
    shown = list(told)[:_SHOWN_ERRORS]
    more = len(told) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def _place(steps: tuple[int | str, ...]) -> str:
    """Return where in a body something is, as ``changes[0].files[1].name``.

    The kind of an item, such as ``update_page``, is a step too, but not one that is in the body; no field that holds
    others is spelled with an underscore.
    """
    kinds = [step for step in steps[:-1] if isinstance(step, str) and "_" in step]
    named = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps if step not in kinds)
    return named.removeprefix(".")


def _complaint(error: ErrorDetails, place: str) -> str:
    sentence = _SENTENCES.get(error["type"])
    what = sentence.format_map(error.get("ctx", {})) if sentence else error["msg"]
    what = _ONE_OF_MANY.sub(r"1 \1", what)
    return f"{place} {what}" if error["type"] == "json_invalid" else f"{place}: {what}"
