"""The contract's JSON schemas of the fields of a body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from recto.cli.failures import USAGE, CommandError
from recto.contract.describe import describe, full_path
from recto.contract.operation import Route

Schema = dict[str, Any]

KINDS = frozenset({"null", "boolean", "integer", "number", "string", "object", "array"})


class BodySchemas:
    """A schema and those that it refers to."""

    def __init__(self, root: Schema, components: Schema) -> None:
        self.root = root
        self._components = components

    @classmethod
    def of_body(cls, route: Route) -> BodySchemas:
        """Return the schema of an operation's body."""
        described = describe([route])
        one = described["paths"][full_path(route)][route.method.lower()]
        return cls(one["requestBody"]["content"]["application/json"]["schema"], described["components"]["schemas"])

    def choices(self, schema: Schema) -> Iterator[Schema]:
        """Yield the alternatives of a schema, references followed; itself where it has none."""
        if "$ref" in schema:
            yield from self.choices(self._components[schema["$ref"].rpartition("/")[2]])
        elif several := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
            for each in several:
                yield from self.choices(each)
        else:
            yield schema

    def at(self, steps: Sequence[str], name: str) -> frozenset[str]:
        """Return the kinds of JSON value that may stand where the steps lead; an empty step is an item of a list.

        Raises ``CommandError`` for a field that the contract does not name, and where something is not a list.
        """
        here = list(self.choices(self.root))
        for step in steps:
            there = [each for schema in here for each in self._under(schema, step)]
            if not there:
                raise CommandError(self._describe_unknown(here, step, name), USAGE)
            here = there
        return frozenset().union(*(kinds_of(schema) for schema in here))

    def _under(self, schema: Schema, step: str) -> Iterator[Schema]:
        if not schema:
            yield schema
        elif step == "":
            if "array" in kinds_of(schema):
                yield from self.choices(schema.get("items", {}))
        elif step in schema.get("properties", {}):
            yield from self.choices(schema["properties"][step])
        elif "object" in kinds_of(schema):
            further = schema.get("additionalProperties", True)
            if further is not False:
                yield from self.choices({} if further is True else further)

    def _describe_unknown(self, here: Sequence[Schema], step: str, name: str) -> str:
        if step == "":
            return f"“{name.partition('[]')[0]}” is not a list."
        known = list(dict.fromkeys(field for schema in here for field in schema.get("properties", {})))
        if not known:
            return f"“{name}” is not a field: “{step}” has no fields."
        near = get_close_matches(step, known, 1)
        hint = f" Did you mean “{near[0]}”?" if near else ""
        return f"“{name}” is not a field of this request.{hint} There are {', '.join(known)}."


def kinds_of(schema: Schema) -> frozenset[str]:
    """Return the kinds of JSON value that a schema without choices allows."""
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return frozenset({kinds})
    if kinds is not None:
        return frozenset(kinds)
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is None:
        return KINDS
    return frozenset().union(*(_kinds_of_value(value) for value in values))


def _kinds_of_value(value: Any) -> frozenset[str]:
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    return frozenset({"integer", "number"} if isinstance(value, int) else {"string"})
