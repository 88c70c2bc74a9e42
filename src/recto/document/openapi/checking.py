"""Validation of whole API descriptions against the JSON Schema of their version.

A description is data to the validator and never a schema, so none of its ``$ref`` is followed.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from recto.document.openapi.source import LONGEST_WORD, Pause, Unreadable, list_of, mapping_of, read_values, text_of
from recto.frozen import frozen

MOST_ERRORS: Final = 20
"""The most errors, and the most references, that are named."""

_DEEPEST: Final = 150
"""Levels of nesting; the validator and the writer of JSON take some more."""
_MOST_VALUES: Final = 2_000_000
_MOST_CHARACTERS: Final = 64 * 1024 * 1024
"""Characters of all texts and names, those of aliases each time that they stand somewhere."""

_MOST_EXPLAINED: Final = 3_000
"""Values of a part whose error is explained: the validator holds the errors of each level at once, with its values."""

_SCHEMAS: Final = Path(__file__).parent / "json_schemas"


class Invalid(Unreadable):
    """A description does not follow its version of OpenAPI; ``errors`` name places and reasons."""

    def __init__(self, version: str, errors: tuple[str, ...]) -> None:
        super().__init__(f"It is not a valid {version} description.")
        self.errors = errors


@frozen
class Checked:
    """A valid description."""

    version: str
    """Such as ``OpenAPI 3.1`` or ``Swagger 2.0``."""
    content: bytes
    """The description as JSON."""
    is_json: bool
    """Whether it was written in JSON, not YAML."""
    elsewhere: tuple[str, ...]
    """References to other files and addresses, which are not followed; :data:`MOST_ERRORS` at most."""


def check(source: bytes, pause: Pause = lambda: None) -> Checked:
    """Read and check a whole description. Raises :class:`Unreadable`, and :class:`Invalid` with all reasons.

    ``pause`` is called between the steps.
    """
    values = read_values(source, pause)
    pause()
    elsewhere = _find_elsewhere(values)
    pause()
    try:
        content = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except UnicodeEncodeError:
        raise Unreadable("It contains half of a character.") from None
    except ValueError:
        raise Unreadable("It contains a number that JSON does not have.") from None
    version = version_of(values)
    pause()
    if errors := tuple(islice(_errors(values, version, pause), MOST_ERRORS)):
        raise Invalid(version, errors)
    return Checked(version, content, source.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{", elsewhere)


def version_of(values: Any) -> str:
    """Return the version of a description, such as ``OpenAPI 3.1``. Raises :class:`Unreadable` for all others."""
    if not isinstance(values, dict) or not ("openapi" in values or "swagger" in values):
        raise Unreadable("It does not say that it is an OpenAPI or Swagger description.")
    if "openapi" not in values:
        if str(values["swagger"]) == "2.0":
            return "Swagger 2.0"
    elif isinstance(values["openapi"], str) and values["openapi"][:4] in ("3.0.", "3.1."):
        return f"OpenAPI {values['openapi'][:3]}"
    written = str(values.get("openapi", values.get("swagger")))[:20]
    raise Unreadable(f"It is written in version {written}, and 2.0, 3.0 and 3.1 are understood.")


def _find_elsewhere(values: Any) -> tuple[str, ...]:
    """Return the references that lead elsewhere. Raises :class:`Unreadable` for more than is worked on.

    YAML's aliases may repeat a value without bound, or hold it in itself: each place counts.
    """
    found: dict[str, None] = {}
    values_left, characters_left = _MOST_VALUES, _MOST_CHARACTERS
    open_ones: list[Iterator[Any]] = [iter((values,))]
    while open_ones:
        value = next(open_ones[-1], _END)
        if value is _END:
            open_ones.pop()
            continue
        values_left -= 1
        if isinstance(value, str):
            characters_left -= len(value)
        elif isinstance(value, dict):
            characters_left -= sum(map(len, value))
            target = value.get("$ref")
            if isinstance(target, str) and not target.startswith("#") and len(found) < MOST_ERRORS:
                found[text_of(target, LONGEST_WORD)] = None
            open_ones.append(iter(value.values()))
        elif isinstance(value, list):
            open_ones.append(iter(value))
        if values_left < 0 or characters_left < 0:
            raise Unreadable("It holds too many values.")
        if len(open_ones) > _DEEPEST:
            raise Unreadable("It is nested too deeply.")
    return tuple(found)


_END: Final = object()


def _errors(values: dict[str, Any], version: str, pause: Pause) -> Iterator[str]:
    """Yield the first error of each path and of each component, and the first of all the rest.

    All errors of a large description would take far more memory than it does itself.
    """
    validator = _validator(version.rpartition(" ")[2])
    if validator.is_valid(values):
        return
    known: set[str] = set()
    for steps, part in _parts(values, version):
        pause()
        error = _first_error(validator, part, steps)
        if error is not None and error not in known:
            known.add(error)
            yield error
    if not known and (error := _first_error(validator, values, ())) is not None:
        yield error


def _parts(values: dict[str, Any], version: str) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield small descriptions to check: without paths and components, then with each of these alone, at its steps."""
    holders: list[tuple[str, ...]] = [("paths",), ("webhooks",), ("definitions",)]
    rest = _empty_mappings(values, [name for (name,) in holders])
    if isinstance(components := values.get("components"), dict):
        holders += [("components", kind) for kind in components]
        rest["components"] = _empty_mappings(components, components)
    yield (), rest
    language, _, number = version.rpartition(" ")
    says = {"swagger": number} if language == "Swagger" else {"openapi": f"{number}.0"}
    base = {**says, "info": {"title": "", "version": ""}, "paths": {}}
    for holder in holders:
        for name, value in mapping_of(_at(values, holder)).items():
            yield (*holder, name), _with(base, holder, {name: value})


def _empty_mappings(values: dict[str, Any], names: Container[str]) -> dict[str, Any]:
    """Return values with nothing in those mappings that have one of these names."""
    return {name: {} if name in names and isinstance(value, dict) else value for name, value in values.items()}


def _at(values: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        values = mapping_of(values).get(step)
    return values


def _with(values: dict[str, Any], steps: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Return values with the value at the end of these steps replaced."""
    first, rest = steps[0], steps[1:]
    return {**values, first: _with(mapping_of(values.get(first)), rest, value) if rest else value}


def _first_error(validator: Any, values: dict[str, Any], steps: tuple[str, ...]) -> str | None:
    """Return the first error of a part, which lies at these steps, with its place; ``None`` for a valid part."""
    import jsonschema_rs

    if validator.is_valid(values):
        return None
    if _is_large(values):
        return f"{_place(steps)}: is not valid, and holds too many values to say where."
    try:
        validator.validate(values)
    except jsonschema_rs.ValidationError as error:
        return _describe(error)
    return None


def _is_large(values: Any) -> bool:
    """Whether there are more than :data:`_MOST_EXPLAINED` values."""
    left, ahead = _MOST_EXPLAINED, [values]
    while ahead:
        value = ahead.pop()
        inner = value.values() if isinstance(value, dict) else list_of(value)
        left -= len(inner)
        if left < 0:
            return True
        ahead += inner
    return False


@cache
def _validator(version: str) -> Any:
    import jsonschema_rs

    schema = json.loads((_SCHEMAS / f"{version}.json").read_text(encoding="utf-8"))
    return jsonschema_rs.validator_for(schema, validate_formats=False, mask="the value", offline=True)


def _describe(error: Any) -> str:
    """Return the place of an error and its reason, of bounded length."""
    return f"{_place(error.instance_path)}: {error.message[:LONGEST_WORD]}"


def _place(steps: Iterable[object]) -> str:
    return " → ".join(str(step)[:LONGEST_WORD] for step in islice(steps, 12)) or "At the top"
