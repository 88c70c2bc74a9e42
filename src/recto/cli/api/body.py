"""The arguments of a call from the shell: its query, and its body, validated before it is sent."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from recto.cli.api.body_schemas import BodySchemas
from recto.cli.failures import USAGE, CommandError
from recto.contract.describe import path_of
from recto.contract.misfit import misfit
from recto.contract.operation import Parameter, Place, Route

APPEND = ""
"""A step of a field's name: one more item of a list."""

_STEP = re.compile(r"\[([^\[\]]*)\]|\.?([^.\[\]]+)")
_WHOLE = re.compile(r"-?\d{1,300}")
_DECIMAL = re.compile(r"-?\d{1,300}\.\d{1,300}")


def body_arguments(route: Route, fields: Sequence[str], source: str | None) -> dict[str, Any]:
    """Return the body of a call by its parameter's name, nothing where the operation takes none.

    ``fields`` are ``name=value``, ``source`` a file of JSON or ``-``. Raises ``CommandError`` where both are given,
    where the operation takes no body, and for what does not fit the contract.
    """
    if fields and source is not None:
        raise CommandError("-f and --input both give the body; use one of them.", USAGE)
    parameter = next((each for each in route.parameters if each.place is Place.BODY), None)
    if parameter is None:
        if fields or source is not None:
            raise CommandError(f"{route.method} {path_of(route)} takes no body; leave -f and --input out.", USAGE)
        return {}
    content = _read(source) if source is not None else json.dumps(_build_body(route, fields)).encode()
    return {parameter.name: _check(parameter, content)}


def _check(parameter: Parameter, content: bytes) -> Any:
    try:
        return parameter.annotation.model_validate_json(content, strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        raise CommandError(f"The body cannot be sent. {misfit(error, 'The body')}.", USAGE) from None


def _read(source: str) -> bytes:
    if source == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise CommandError(f"{source} cannot be read: {error.strerror or error}.", USAGE) from error


def _build_body(route: Route, fields: Sequence[str]) -> dict[str, Any]:
    schemas = BodySchemas.of_body(route)
    body: dict[str, Any] = {}
    for field in fields:
        name, value = split_pair(field, "-f")
        steps = steps_of(name)
        put(body, steps, parse_value(value, schemas.at(steps, name)))
    return body


def steps_of(name: str) -> list[str]:
    """Return the steps of a field's name: ``a.b[c][]`` is a, b, c and a new item."""
    steps: list[str] = []
    end = 0
    for found in _STEP.finditer(name):
        if found.start() != end:
            break
        steps.append(found[1] if found[2] is None else found[2])
        end = found.end()
    if end != len(name) or not steps or steps[0] == APPEND:
        raise CommandError(f"“{name}” is not the name of a field: write a, a.b, a[b] or a[].", USAGE)
    return steps


def put(place: Any, steps: Sequence[str], value: Any) -> None:
    """Put a value where the steps lead, making the containers on the way.

    A further field of an item goes to the last item of a list until that has it; then it begins another.
    """
    step, *rest = steps
    if not rest:
        _put_last(place, step, value)
        return
    kind = list if rest[0] == APPEND else dict
    if step != APPEND:
        inner = place.setdefault(step, kind())
    else:
        if not (place and isinstance(place[-1], kind)) or _has(place[-1], rest):
            place.append(kind())
        inner = place[-1]
    if not isinstance(inner, kind):
        raise CommandError(f"The field “{step}” has values of two different types.", USAGE)
    put(inner, rest, value)


def _put_last(place: Any, step: str, value: Any) -> None:
    if step == APPEND:
        place.append(value)
    elif step in place:
        raise CommandError(f"The field “{step}” is given twice.", USAGE)
    else:
        place[step] = value


def _has(item: Any, steps: Sequence[str]) -> bool:
    """Whether the steps lead to an existing value; a list always takes another item."""
    for step in steps:
        if step == APPEND or not isinstance(item, Mapping) or step not in item:
            return False
        item = item[step]
    return True


def parse_value(value: str, kinds: frozenset[str]) -> Any:
    """Parse a value as a type that its field takes; as text if the field takes text or nothing else fits."""
    if value == "null" and "null" in kinds:
        return None
    if value in ("true", "false") and "boolean" in kinds:
        return value == "true"
    if kinds & {"integer", "number"} and _WHOLE.fullmatch(value):
        return int(value)
    if "number" in kinds and _DECIMAL.fullmatch(value):
        return float(value)
    if value[:1] in ("{", "[") and kinds & {"object", "array"}:
        try:
            return json.loads(value)
        except ValueError as error:
            if "string" not in kinds:
                raise CommandError(f"“{value}” is not JSON: {error}.", USAGE) from error
    return value


def split_pair(given: str, option: str) -> tuple[str, str]:
    """Return name and value of ``name=value``; raises ``CommandError`` where there is no name or no sign."""
    name, sign, value = given.partition("=")
    if not sign or not name.strip():
        raise CommandError(f"{option} wants name=value, not “{given}”.", USAGE)
    return name.strip(), value


def query_arguments(route: Route, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the query arguments of a call by parameter name: a text, or several, as they were given, or ``None``.

    Only their names are checked; the values are for the platform to check.
    """
    known = {each.json_name: each for each in route.parameters if each.place is Place.QUERY}
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in known:
            names = f"It knows {', '.join(known)}." if known else "It has none."
            raise CommandError(f"{route.method} {path_of(route)} has no query parameter “{name}”. {names}", USAGE)
        given.setdefault(name, []).append(value)
    return {parameter.name: _value(parameter, given.get(name)) for name, parameter in known.items()}


def _value(parameter: Parameter, given: list[str] | None) -> str | list[str] | None:
    if given is None:
        if parameter.required:
            raise CommandError(f"The query parameter “{parameter.json_name}” has to be given: -q name=value.", USAGE)
        return None
    if parameter.holds_several:
        return given
    if len(given) > 1:
        raise CommandError(f"The query parameter “{parameter.json_name}” is given {len(given)} times.", USAGE)
    return given[0]
