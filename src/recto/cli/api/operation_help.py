"""Describes an operation: parameters, fields of its body with their limits, and response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import NoneType
from typing import Any

from recto.cli.api.body_schemas import BodySchemas, Schema
from recto.cli.api.operation_list import DEPRECATED, wrap
from recto.contract.describe import describe, full_path, path_of, strip_marks
from recto.contract.operation import Route

_DEEPEST = 3
_NAME = 26
_WORDS = {
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "object": "object",
    "null": "null",
}

Row = tuple[str, str]


def explain(route: Route, width: int) -> Iterator[str]:
    """Yield lines that explain an operation, at most ``width`` columns wide where possible."""
    described = describe([route])
    one = described["paths"][full_path(route)][route.method.lower()]
    schemas = BodySchemas({}, described["components"]["schemas"])
    yield f"{route.method} {path_of(route)}" + (f"  ({DEPRECATED})" if route.deprecated else "")
    for paragraph in strip_marks(route, route.text).split("\n\n"):
        yield from wrap(" ".join(paragraph.split()), width)
        yield ""
    for title, place in (("Path", "path"), ("Query: -q name=value", "query")):
        given = [each for each in one.get("parameters", ()) if each["in"] == place]
        rows = [(each["name"], _describe_parameter(each, schemas, place)) for each in given]
        yield from _section(title, rows, width)
    if "requestBody" in one:
        schema = one["requestBody"]["content"]["application/json"]["schema"]
        yield from _section("Body: -f name=value, or --input FILE", list(_fields(schemas, schema)), width)
    yield from _section("Response", [(str(route.status), _response(route, one, schemas))], width)


def _section(title: str, rows: Iterable[Row], width: int) -> Iterator[str]:
    rows = list(rows)
    if not rows:
        return
    yield title
    column = min(_NAME, max(len(name) for name, _ in rows))
    for name, words in rows:
        first = f"  {name:<{column}}  "
        indent = " " * (column + 4)
        lines = wrap(words, width - len(indent)) or [""]
        if len(first) > len(indent):
            yield first.rstrip()
            first = indent
        for at, line in enumerate(lines):
            yield f"{indent if at else first}{line}".rstrip()
    yield ""


def _describe_parameter(parameter: Mapping[str, Any], schemas: BodySchemas, place: str) -> str:
    words = words_of(schemas, parameter["schema"])
    if place == "query" and parameter["required"]:
        words = f"required; {words}"
    if "default" in parameter["schema"]:
        words += f"; {_plain(parameter['schema']['default'])} where left out"
    return words + (f"; {DEPRECATED}" if parameter.get("deprecated") else "")


def _fields(schemas: BodySchemas, schema: Schema, prefix: str = "", depth: int = 0) -> Iterator[Row]:
    """Yield a row for each field of an object, and for those of the objects in it, some levels deep."""
    choices = [choice for choice in schemas.choices(schema) if "properties" in choice]
    for choice in choices:
        tag = _tag(choice) if len(choices) > 1 else None
        if tag is not None:
            yield f"{prefix}{tag}", f"{_plain(choice['properties'][tag]['const'])}, with these fields:"
        for name, field in choice["properties"].items():
            if name == tag:
                continue
            marks = [DEPRECATED] if field.get("deprecated") else []
            required = ["required"] if name in choice.get("required", ()) else []
            yield f"{prefix}{name}", "; ".join([*required, words_of(schemas, field), *marks])
            if depth < _DEEPEST:
                yield from _inner_fields(schemas, field, f"{prefix}{name}", depth + 1)


def _tag(schema: Schema) -> str | None:
    """Return the field that distinguishes an object from its alternatives."""
    return next((name for name, field in schema["properties"].items() if "const" in field), None)


def _inner_fields(schemas: BodySchemas, field: Schema, name: str, depth: int) -> Iterator[Row]:
    choices = list(schemas.choices(field))
    for choice in choices:
        if choice.get("type") == "array":
            yield from _inner_fields(schemas, choice.get("items", {}), f"{name}[]", depth)
    # What takes any field, such as a rich text, is not explained field by field.
    closed = [choice for choice in choices if choice.get("additionalProperties") is False]
    yield from _fields(schemas, {"anyOf": closed} if closed else {}, f"{name}.", depth)


def words_of(schemas: BodySchemas, schema: Schema) -> str:
    """Return what a schema takes, in a few words."""
    found = dict.fromkeys(_words_of_choice(schemas, choice) for choice in schemas.choices(schema))
    return " or ".join(sorted(found, key=lambda words: words == "null")) or "anything"


def _words_of_choice(schemas: BodySchemas, schema: Schema) -> str:
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is not None:
        return _join([_plain(value) for value in values])
    kind = schema.get("type")
    if kind == "array":
        return f"list of {words_of(schemas, schema.get('items', {}))}{_limits(schema, 'Items', ' items')}"
    word = _WORDS.get(kind, "anything") if isinstance(kind, str) else "anything"
    if kind == "string":
        pattern = f", like {schema['pattern']}" if "pattern" in schema and schema["pattern"] != "^[^/]+$" else ""
        return word + _limits(schema, "Length", " characters") + pattern
    return word + _limits(schema, "imum", "")


def _limits(schema: Schema, kind: str, unit: str) -> str:
    least, most = schema.get(f"min{kind}"), schema.get(f"max{kind}")
    if least is not None and most is not None:
        return f", {least} to {most}{unit}"
    if most is not None:
        return f", at most {most}{unit}"
    return f", at least {least}{unit}" if least is not None else ""


def _response(route: Route, one: Mapping[str, Any], schemas: BodySchemas) -> str:
    if route.response is NoneType:
        return "nothing"
    schema = one["responses"][str(route.status)]["content"]["application/json"]["schema"]
    names = list(_names(schemas, schema))
    if "items" in names:
        items = [
            items
            for choice in schemas.choices(schema)
            for items in schemas.choices(choice.get("properties", {}).get("items", {}))
        ]
        inner = dict.fromkeys(name for each in items for name in _names(schemas, each.get("items", {})))
        return f"a list, whose items have {_join(list(inner), 'and')}"
    return f"an object with {_join(names, 'and')}" if names else "JSON"


def _names(schemas: BodySchemas, schema: Schema) -> Iterator[str]:
    yield from dict.fromkeys(
        f"{name} ({DEPRECATED})" if field.get("deprecated") else name
        for choice in schemas.choices(schema)
        for name, field in choice.get("properties", {}).items()
    )


def _join(words: list[str], last: str = "or") -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)
