"""The OpenAPI description of the API, written from the contract."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from http import HTTPStatus
from types import NoneType
from typing import Any, Final, Literal

from pydantic import BaseModel, TypeAdapter
from pydantic.alias_generators import to_camel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from recto.contract.common import ListPage
from recto.contract.guaranteed_fields import ALWAYS, WHOLE
from recto.contract.model import json_name
from recto.contract.operation import Parameter, Place, Resource, Route
from recto.frozen import frozen

_COMPONENT: Final = "#/components/schemas/{model}"
_ERROR: Final = {"$ref": "#/components/schemas/Error"}
_ERROR_SCHEMA: Final = {
    "description": "What failed, in a sentence for the person.",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
        }
    },
}
_ERRORS: Final[Mapping[int, str]] = {
    400: "The request does not fit this description; the message names the field and its limit.",
    401: "The token is missing or not valid.",
    403: "The caller may see this but not do it.",
    404: "It does not exist, or the caller may not see it.",
    405: "This address does not take this method.",
    408: "The body did not come in time.",
    409: "It is not possible in the current state, or would change nothing.",
    412: "Something else has to be done first.",
    413: "The body is too large.",
    503: "The platform cannot answer right now, but may in a moment.",
}
_LOCATION: Final = {
    "Location": {
        "description": "The address of the new item.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    }
}
_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def describe(routes: Iterable[Route], located: Collection[Route] = ()) -> dict[str, Any]:
    """Return the OpenAPI 3.1 description of operations at these paths, as JSON values.

    ``located`` are those whose response carries a ``Location`` header.
    """
    described = list(routes)
    schemas = _Schemas(described)
    paths: dict[str, dict[str, Any]] = {}
    for route in described:
        item = paths.setdefault(full_path(route), {})
        item[route.method.lower()] = _operation(route, described, schemas, route in located)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Recto",
            "version": "1",
            "description": "Organizations, spaces and their content, change requests, comments and sites.",
        },
        "security": [{"token": []}],
        "tags": [_tag(resource, described) for resource in dict.fromkeys(each.resource for each in described)],
        "paths": paths,
        "components": {
            "schemas": {**schemas.components, "Error": _ERROR_SCHEMA},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def full_path(route: Route) -> str:
    """Return the whole path of an operation with its parameters as they are spelled on the wire."""
    path = route.path.replace(":path}", "}")
    for parameter in route.parameters:
        if parameter.place is Place.PATH:
            path = path.replace(f"{{{parameter.name}}}", f"{{{parameter.json_name}}}")
    return f"/v1{path}"


def path_of(route: Route) -> str:
    """Return the path of an operation after ``/v1``, its parameters as the API spells them."""
    return full_path(route).removeprefix("/v1")


def summary_of(route: Route) -> str:
    """Return the first line about an operation, without marks."""
    return strip_marks(route, route.summary)


def strip_marks(route: Route, text: str) -> str:
    """Return a text about an operation without marks, its parameters spelled as in JSON."""
    return prose(text, (parameter.name for parameter in route.parameters)).replace("`", "")


def operation_id(route: Route) -> str:
    """Return the unique name of an operation at its address."""
    resource = route.resource.__name__
    return f"{resource[0].lower()}{resource[1:]}.{to_camel(route.name)}"


def _operation(route: Route, every: list[Route], schemas: _Schemas, located: bool) -> dict[str, Any]:
    names = [each.name for each in route.parameters]
    described: dict[str, Any] = {
        "operationId": operation_id(route),
        "tags": [_tag_name(route.resource)],
        "summary": prose(route.summary, names),
    }
    more = prose(route.text.partition("\n")[2], names)
    if more:
        described["description"] = more
    if route.deprecated:
        described["deprecated"] = True
    parameters = [_parameter(route, each) for each in route.parameters if each.place is not Place.BODY]
    if parameters:
        described["parameters"] = parameters
    for body in (each for each in route.parameters if each.place is Place.BODY):
        needed = any(field.is_required() for field in body.annotation.model_fields.values())
        described["requestBody"] = {"required": needed, "content": _json(schemas.of(route, "validation"))}
    described["responses"] = {
        **{str(status): _success(status, route, every, schemas, located) for status in _successes(route)},
        **{str(status): _error(status) for status in _errors(route)},
    }
    return described


def _parameter(route: Route, parameter: Parameter) -> dict[str, Any]:
    schema = TypeAdapter(parameter.annotation).json_schema(schema_generator=_Generator)
    described: dict[str, Any] = {"name": parameter.json_name, "in": parameter.place.value}
    if parameter.place is Place.PATH:
        if f"{{{parameter.name}:path}}" in route.path:
            return described | {"description": "A path, which may contain slashes.", "required": True, "schema": schema}
        return described | {"required": True, "schema": {"pattern": "^[^/]+$"} | schema}
    schema = _without_null(schema)
    if not parameter.required and parameter.default not in (None, ()):
        schema["default"] = parameter.default
    return described | {"required": parameter.required, "schema": schema}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a query parameter: it is left out or it has a value, which ``null`` is not."""
    kinds: list[dict[str, Any]] = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    return {name: value for name, value in schema.items() if name != "anyOf"} | kinds[0]


def _successes(route: Route) -> list[int]:
    """Return the statuses with which an operation may succeed, the usual one first."""
    return [status for status in (route.status, route.created) if status is not None]


def _success(status: int, route: Route, every: list[Route], schemas: _Schemas, located: bool) -> dict[str, Any]:
    described: dict[str, Any] = {"description": HTTPStatus(status).phrase}
    if located:
        described["headers"] = _LOCATION
    if route.response is not NoneType:
        described["content"] = _json(schemas.of(route, "serialization"))
    onward = {
        operation_id(link.to): {
            "operationId": operation_id(link.to),
            "parameters": {
                each.json_name: "$response.body#/id" if each.name == link.made else f"$request.path.{each.json_name}"
                for each in link.to.parameters
                if each.place is Place.PATH
            },
        }
        for link in links(route, every)
    }
    if onward:
        described["links"] = onward
    return described


def _errors(route: Route) -> list[int]:
    """Return the statuses of the errors that an operation may answer with."""
    places = {each.place for each in route.parameters}
    errors = {401, 405, 408, 413, 503}
    if places & {Place.QUERY, Place.BODY} or any(each.annotation is not str for each in route.parameters):
        errors.add(400)
    if Place.PATH in places:
        errors |= {403, 404}
    if not route.reads:
        errors |= {400, 403, 404, 409, 412}
    return sorted(errors)


def _error(status: int) -> dict[str, Any]:
    return {"description": _ERRORS[status], "content": _json(_ERROR)}


def _json(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _tag(resource: type[Resource], routes: Iterable[Route]) -> dict[str, str]:
    names = (parameter.name for each in routes if each.resource is resource for parameter in each.parameters)
    return {"name": _tag_name(resource), "description": prose(inspect.getdoc(resource) or "", names)}


def _tag_name(resource: type[Resource]) -> str:
    return _WORD.sub(" ", resource.__name__).capitalize()


class _Schemas:
    """The schemas of all bodies and responses, and the components that they refer to."""

    def __init__(self, routes: Iterable[Route]) -> None:
        inputs: list[tuple[tuple[Route, str], JsonSchemaMode, TypeAdapter[Any]]] = []
        for route in routes:
            bodies = (each.annotation for each in route.parameters if each.place is Place.BODY)
            inputs += [((route, "validation"), "validation", TypeAdapter(body)) for body in bodies]
            if route.response is not NoneType:
                inputs.append(((route, "serialization"), "serialization", TypeAdapter(route.response)))
        self._schemas, found = TypeAdapter.json_schemas(
            inputs, by_alias=True, ref_template=_COMPONENT, schema_generator=_Generator
        )
        self.components: dict[str, Any] = found.get("$defs", {})
        _require_tags(self.components)

    def of(self, route: Route, mode: Literal["validation", "serialization"]) -> JsonSchemaValue:
        """Return the schema of an operation's body (``validation``) or of its response (``serialization``)."""
        return self._schemas[((route, mode), mode)]


def _require_tags(components: Mapping[str, Any]) -> None:
    """Require the tag of each variant of a tagged union; by its model alone it has a default."""
    found: list[Any] = [*components.values()]
    while found:
        schema = found.pop()
        if isinstance(schema, list):
            found += schema
        elif isinstance(schema, dict):
            found += schema.values()
            tag = schema.get("discriminator", {})
            for reference in tag.get("mapping", {}).values() if isinstance(tag, dict) else ():
                variant = components[reference.rpartition("/")[2]]
                variant["required"] = sorted({*variant.get("required", ()), tag["propertyName"]})


class _Generator(GenerateJsonSchema):
    """Writes schemas without titles, which repeat names, and without defaults that readers of responses assume."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if self.mode == "serialization" or schema.get("default") is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def lax_or_strict_schema(self, schema: core_schema.LaxOrStrictSchema) -> JsonSchemaValue:
        # Alternatives that are accepted when reading are not part of the description.
        return self.generate_inner(schema["strict_schema"])

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        written = super().model_schema(schema)
        written.pop("title", None)
        if "description" in written:
            written["description"] = prose(written["description"], schema["cls"].model_fields)
        if self.mode == "serialization":
            _require(written, schema["cls"])
        return written


def _require(schema: JsonSchemaValue, model: type[BaseModel]) -> None:
    """Require in the schema of a response the fields that this server always sends, in inner objects too."""
    fields = schema.get("properties", {})
    listed = next((ALWAYS[each] for each in model.__mro__ if each in ALWAYS), "")
    always = fields.keys() if model in WHOLE else [*listed.split(), *(["items"] if issubclass(model, ListPage) else [])]
    for each in always:
        name, _, inner = each.partition(".")
        schema["required"] = sorted({*schema.get("required", ()), name})
        if inner:
            fields[name]["required"] = sorted({*fields[name].get("required", ()), inner})


# Links between operations: what one creates is what others are about

_CREATED = 201


@frozen
class Link:
    """An operation on the thing that another operation made; its id goes in the path parameter ``made``."""

    to: Route
    made: str


def links(route: Route, routes: Iterable[Route]) -> Iterator[Link]:
    """Yield the operations on what ``route`` makes, in their order; none where it makes nothing that has an id.

    They are those whose path goes on from the thing made and names nothing else that is not known.
    """
    every = list(routes)
    thing = _thing(route, every)
    if thing is None:
        return
    made = _last(thing).strip("{}")
    known = {*_path_parameters(route), made}
    for each in every:
        if f"{each.path}/".startswith(f"{thing.path}/") and known.issuperset(_path_parameters(each)):
            yield Link(each, made)


def _thing(route: Route, routes: Iterable[Route]) -> Route | None:
    """Return the operation that reads the resource which ``route`` creates; ``None`` where it creates nothing.

    An item created in a list has a path below it; an item created elsewhere (a duplicate) the path of its kind.
    """
    response = route.response
    if route.reads or "id" not in getattr(response, "model_fields", {}):
        return None
    alike = [each for each in routes if each.response == response and _is_parameter(_last(each))]
    under = (each for each in alike if each.path == f"{route.path}/{_last(each)}")
    elsewhere = (each for each in alike if route.status == _CREATED and each.reads)
    return next(under, None) or next(elsewhere, None)


def _last(route: Route) -> str:
    return route.path.rpartition("/")[2]


def _is_parameter(segment: str) -> bool:
    return segment.startswith("{") and not segment.endswith(":path}")


def _path_parameters(route: Route) -> list[str]:
    return [each.name for each in route.parameters if each.place is Place.PATH]


# Docstrings as Markdown, for readers who only know the HTTP API

_QUOTED: Final = re.compile(r"``(.+?)``", re.DOTALL)


def prose(text: str, names: Iterable[str] = ()) -> str:
    """Return the text of a docstring as Markdown; ``names`` are spelled as on the wire."""
    spellings = {"None": "null", "True": "true", "False": "false"} | {name: json_name(name) for name in names}
    return _QUOTED.sub(lambda found: f"`{spellings.get(found[1], found[1])}`", text).strip()
