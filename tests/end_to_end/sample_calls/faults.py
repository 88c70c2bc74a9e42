"""What can be wrong with a call: each field left out, of another type, past its limit, as the description tells it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]
Steps = tuple[str | int, ...]

_OTHER_TYPE: dict[str, Any] = {"string": 7, "boolean": "yes", "integer": "many", "array": "x", "object": "x"}

_LONG: dict[str, Any] = {
    "proxy": lambda size: "a.example/".ljust(size, "x"),
    "source": lambda size: "/".ljust(size, "x"),
    "logo": lambda size: "https://a.example/".ljust(size, "x"),
    "ssoURL": lambda size: "https://a.example/".ljust(size, "x"),
    "url": lambda size: "https://a.example/".ljust(size, "x"),
    "icon": lambda size: "https://a.example/".ljust(size, "x"),
    "condition": lambda size: "true".ljust(size),
    "expression": lambda size: "true".ljust(size),
    "certificate": None,
    "hostname": lambda size: _domain(size),
    "emailDomains": lambda size: _domain(size),
}
"""How values of a size are made for fields that do not take just any text; ``None`` where their size is not free."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A call: its query and body, what is special about it, and the name that an error has to tell."""

    why: str
    named: str
    query: dict[str, Any]
    body: Any


def faults(described: Schema, components: Schema, query: dict[str, Any], body: Any) -> Iterator[Fault]:
    """Yield calls that are to be refused, each for one reason."""
    for parameter in described.get("parameters", ()):
        if parameter["in"] == "query":
            yield from _faults_of_parameter(parameter, query, body)
    schema = _body_schema(described)
    if schema is not None:
        yield Fault("an unknown field", "surprise", query, {**(body or {}), "surprise": 1})
        for steps, field, needed in _fields(schema, components, body):
            yield from _faults_of_field(steps, field, needed, query, body)


def fields_at_their_limits(described: Schema, components: Schema, query: dict[str, Any], body: Any) -> Iterator[Fault]:
    """Yield calls that are to be taken: a field is just at its limit, or a parameter is one of the values it may be."""
    for parameter in described.get("parameters", ()):
        if parameter["in"] == "query":
            name, kind = parameter["name"], parameter["schema"]
            values = [value for _, value in _edges(kind, name)]
            values += kind.get("enum", ["true", "false"] if kind.get("type") == "boolean" else [])
            for value in values:
                yield Fault(f"{name} is {str(value)[:20]!r}", "", {**query, name: value}, body)
    schema = _body_schema(described)
    for steps, field, _ in _fields(schema, components, body) if schema is not None else ():
        for choice in field:
            for size, value in _edges(choice, _name(steps)):
                yield Fault(f"{_spell(steps)} at {size}", "", query, _with(body, steps, value))


def _body_schema(described: Schema) -> Schema | None:
    found: Schema | None = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    return found


def _faults_of_parameter(parameter: Schema, query: dict[str, Any], body: Any) -> Iterator[Fault]:
    name, schema = parameter["name"], parameter["schema"]
    if parameter["required"]:
        yield Fault(f"{name} left out", name, {each: query[each] for each in query if each != name}, body)
    for value in _misfits(schema, name):
        yield Fault(f"{name} is {str(value)[:20]!r}", name, {**query, name: value}, body)
    if schema.get("type") in ("boolean", "integer"):
        yield Fault(f"{name} of another type", name, {**query, name: "perhaps"}, body)


def _faults_of_field(
    steps: Steps, choices: list[Schema], needed: bool, query: dict[str, Any], body: Any
) -> Iterator[Fault]:
    name = _name(steps)
    if needed:
        yield Fault(f"{_spell(steps)} left out", name, query, _without(body, steps))
    kinds = {choice.get("type") for choice in choices}
    if "null" not in kinds:
        yield Fault(f"{_spell(steps)} is null", name, query, _with(body, steps, None))
    other = next((_OTHER_TYPE[kind] for kind in kinds if kind in _OTHER_TYPE), None)
    if other is not None:
        yield Fault(f"{_spell(steps)} of another type", name, query, _with(body, steps, other))
    for choice in choices:
        for value in _misfits(choice, name):
            yield Fault(f"{_spell(steps)} is {str(value)[:20]!r}", name, query, _with(body, steps, value))


def _misfits(schema: Schema, name: str) -> Iterator[Any]:
    """Yield values of the right type that are just past a limit, or not among the values there are."""
    if "enum" in schema:
        yield "no-such-value"
    if "pattern" in schema:
        yield "\N{SNOWMAN} no"
    if "maxLength" in schema:
        yield _text(name, schema["maxLength"] + 1)
    if schema.get("minLength", 0) > 0:
        yield "x" * (schema["minLength"] - 1)
    if "maximum" in schema:
        yield schema["maximum"] + 1
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maxItems" in schema:
        yield ["x"] * (schema["maxItems"] + 1)
    if schema.get("minItems", 0) > 0:
        yield ["x"] * (schema["minItems"] - 1)


def _edges(schema: Schema, name: str) -> Iterator[tuple[int, Any]]:
    """Yield the limits of a value, each with a value at it; lists are too various to be made up."""
    for limit in ("maxLength", "minLength"):
        if (
            schema.get(limit, 0) > 0
            and _LONG.get(name, True) is not None
            and not (limit == "minLength" and name in _LONG)
        ):
            yield schema[limit], _text(name, schema[limit])
    for limit in ("maximum", "minimum"):
        if limit in schema:
            yield schema[limit], schema[limit]


def _text(name: str, size: int) -> str:
    make = _LONG.get(name) or (lambda size: "x" * size)
    text: str = make(size)
    return text


def _domain(size: int) -> str:
    """Return a domain name of so many characters."""
    labels = "x" * 60 + "."
    text = (labels * (size // len(labels) + 1))[: size - 4].rstrip(".")
    return (text + "y" * (size - 4 - len(text)))[: size - 4] + ".com"


def _fields(
    schema: Schema, components: Schema, body: Any, steps: Steps = ()
) -> Iterator[tuple[Steps, list[Schema], bool]]:
    """Yield the fields of a body, those within others only where the body has them: steps, choices, required."""
    for choice in _choices(schema, components):
        if "items" in choice and isinstance(body, list):
            for at, item in enumerate(body):
                yield from _fields(choice["items"], components, item, (*steps, at))
        elif "properties" in choice and isinstance(body, dict | None) and _is_variant(choice, components, body):
            for name, field in choice["properties"].items():
                choices = _choices(field, components)
                tagged = "discriminator" in field or "const" in field
                if not tagged:
                    yield (*steps, name), choices, name in choice.get("required", ())
                if body and name in body:
                    yield from _fields(field, components, body[name], (*steps, name))


def _is_variant(choice: Schema, components: Schema, body: Any) -> bool:
    """Whether an object is the one of several that a body is, by its tags."""
    tags = {name: field["const"] for name, field in choice["properties"].items() if "const" in field}
    return all(body is None or body.get(name, tag) == tag for name, tag in tags.items())


def _choices(schema: Schema, components: Schema) -> list[Schema]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        # A rich text is taken in any shape that its editor may give it.
        return [{"type": "object"}] if name.endswith("-Input") else _choices(components[name], components)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return [choice for each in schema[several] for choice in _choices(each, components)]
    return [schema]


def _name(steps: Steps) -> str:
    return str(next(step for step in reversed(steps) if isinstance(step, str)))


def _spell(steps: Steps) -> str:
    return ".".join(str(step) for step in steps)


def _with(body: Any, steps: Steps, value: Any) -> Any:
    changed = copy.deepcopy(body) if body is not None else {}
    inner = changed
    for step in steps[:-1]:
        inner = inner[step]
    inner[steps[-1]] = value
    return changed


def _without(body: Any, steps: Steps) -> Any:
    changed = copy.deepcopy(body)
    inner = changed
    for step in steps[:-1]:
        inner = inner[step]
    del inner[steps[-1]]
    return changed
