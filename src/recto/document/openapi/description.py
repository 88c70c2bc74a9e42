"""API descriptions: OpenAPI 3.0 and 3.1 and Swagger 2.0, in JSON or YAML, read on demand."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any, Final

from recto.document.openapi.api_model import Body, Content, Entry, Field, Operation, Response, Server
from recto.document.openapi.schemas import UNKNOWN, Schemas
from recto.document.openapi.source import Unreadable, list_of, mapping_of, read_values, text_of, word_of, words_of

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")

WEBHOOKS = "Webhooks"
"""The group of the calls that an API itself makes."""

_MOST = 200
"""Schemas that are shown at once."""

_FEW = 20
"""The most servers and authentication methods that are shown."""

LONGEST_DESCRIPTION: Final = 20_000
"""The most characters of a description that are shown in full: of a specification, a tag or an operation."""

_MOST_KEPT = 500

_MOST_NAMES = 100
"""The most names of fields that are listed of an operation."""

_MOST_STEPS = 500
"""The most parts of an operation that are read for the names of its fields."""

_PARTS = ("parameters", "requestBody", "schema", "items", "additionalProperties", "allOf", "anyOf", "oneOf")
"""Where the fields of an operation are found."""

_NAMED_PARTS = ("content", "properties", "responses")
"""Where they are found by names of their own."""

_INNER = frozenset((*_PARTS, *_NAMED_PARTS, "$ref"))

_PLACEHOLDER = re.compile(r"\{[^{}/]*\}|(?<=/):[A-Za-z_]\w*")
_NOT_DESCRIBED = "The description has no operation {}."
_OF_A_SCHEMA = (
    *("type", "format", "items", "enum", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("minLength", "maxLength", "minItems", "maxItems", "pattern", "uniqueItems", "multipleOf"),
)


def read_description(source: bytes) -> Description:
    """Read a description. Raise :class:`Unreadable`, whose message says why, where it cannot be."""
    values = read_values(source)
    if not isinstance(values, dict) or not ("openapi" in values or "swagger" in values):
        raise Unreadable("It does not say that it is an OpenAPI or Swagger description.")
    version = str(values.get("openapi", values.get("swagger")))
    if not version.startswith(("3.", "2")):
        raise Unreadable(f"It is written in version {version[:20]}, and 2.0, 3.0 and 3.1 are understood.")
    return Description(values)


class Description:
    """An API description, parsed on demand and cached."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._root = values
        self._older = "openapi" not in values
        self._kept: dict[tuple[str, str, str], Operation] = {}

    def operation(self, path: str, method: str) -> Operation:
        """Return the operation of a path and method. Raise :class:`Unreadable` where there is none.

        A slash at the end and other names of the path's placeholders make no difference.
        """
        wanted = " ".join(text for text in (method.upper(), path) if text)
        written_path = path if path in self._paths else self._by_form.get(form_of(path), "")
        return self._operation("", written_path, method, self._paths.get(written_path), wanted)

    def webhook(self, name: str, method: str = "") -> Operation:
        """Return the call that the API makes under a name. Raise :class:`Unreadable` where there is none."""
        return self._operation("webhook", name, method, self._hooks.get(name), name)

    def schemas(self, names: tuple[str, ...]) -> tuple[Field, ...]:
        """Return shapes by their names, all where none is named. Raise :class:`Unreadable` where there is none."""
        known = self._schemas
        wanted = (names or tuple(known))[:_MOST]
        if not any(name in known for name in wanted):
            raise Unreadable(
                f"The description has no schema {names[0]}." if names else "The description has no schemas."
            )
        reader = Schemas(self._root)
        return tuple(_shape(reader, name, known) for name in wanted)

    def schema_names(self) -> tuple[str, ...]:
        """Return the names of all shapes."""
        return tuple(self._schemas)

    def outline(self) -> tuple[Entry, ...]:
        """Return all operations, each group together: in the order of the tags, then of the paths."""
        tags = (word_of(mapping_of(tag).get("name")) for tag in list_of(self._root.get("tags")))
        groups: dict[str, list[Entry]] = {tag: [] for tag in tags}
        for kind, items in (("", self._paths), (WEBHOOKS, self._hooks)):
            for path, item in items.items():
                found, _name = Schemas(self._root).resolve(item)
                for method in METHODS:
                    operation = found.get(method)
                    if isinstance(operation, dict):
                        group = kind or next(iter(words_of(operation.get("tags"))), "")
                        name = word_of(operation.get("operationId"))
                        entry = Entry(
                            method,
                            word_of(path),
                            word_of(operation.get("summary")) or name,
                            group,
                            operation.get("deprecated") is True,
                            bool(kind),
                            name,
                            text_of(operation.get("description"), LONGEST_DESCRIPTION),
                        )
                        groups.setdefault(group, []).append(entry)
        return tuple(entry for entries in groups.values() for entry in entries)

    def source(self, entry: Entry) -> dict[str, Any]:
        """Return an operation as it is written, by its path, with what holds for all operations of the path."""
        item, _name = Schemas(self._root).resolve((self._hooks if entry.is_webhook else self._paths).get(entry.path))
        return {entry.path: {name: item[name] for name in item if name == entry.method or name not in METHODS}}

    def field_names(self, entry: Entry) -> tuple[str, ...]:
        """Return the names of an operation's parameters and of the fields that it takes and returns, each once.

        Those least deep come first; of a large operation the first ``_MOST_NAMES``.
        """
        reader, steps = Schemas(self._root), 0
        item, _name = reader.resolve((self._hooks if entry.is_webhook else self._paths).get(entry.path))
        names: dict[str, None] = {}
        seen: set[int | str] = set()
        waiting: deque[Any] = deque([item.get("parameters"), item.get(entry.method)])
        while waiting and steps < _MOST_STEPS and len(names) < _MOST_NAMES:
            value = waiting.popleft()
            steps += 1
            if isinstance(value, list):
                waiting.extend(value[:_MOST_NAMES])
            if not isinstance(value, dict) or (key := word_of(value.get("$ref")) or id(value)) in seen:
                continue
            seen.add(key)
            found, _name = reader.resolve(value)
            if (name := word_of(found.get("name"))) and word_of(found.get("in")) not in ("", "body"):
                names[name] = None
            names |= dict.fromkeys(islice(map(word_of, mapping_of(found.get("properties"))), _MOST_NAMES))
            waiting.extend(found[part] for part in _PARTS if part in found)
            for part in _NAMED_PARTS:
                within = islice(mapping_of(found.get(part)).values(), _MOST_NAMES)
                waiting.extend(each for each in within if isinstance(each, dict) and not _INNER.isdisjoint(each))
        return tuple(islice(filter(None, names), _MOST_NAMES))

    # Operations

    @property
    def _hooks(self) -> dict[str, Any]:
        return mapping_of(self._root.get("webhooks")) or mapping_of(self._root.get("x-webhooks"))

    @property
    def _schemas(self) -> dict[str, Any]:
        return mapping_of(self._root.get("definitions")) if self._older else self._components("schemas")

    @cached_property
    def _paths(self) -> dict[str, Any]:
        return mapping_of(self._root.get("paths"))

    @cached_property
    def _by_form(self) -> dict[str, str]:
        return {form_of(path): path for path in reversed(self._paths)}

    def _operation(self, kind: str, path: str, method: str, item: Any, wanted: str) -> Operation:
        schemas = Schemas(self._root)
        item, _name = schemas.resolve(item)
        method = method.lower() or next((each for each in METHODS if each in item), "")
        found = mapping_of(item.get(method)) if method in METHODS else {}
        if not found:
            raise Unreadable(_NOT_DESCRIBED.format(wanted or "that is asked for"))
        key = (kind, path, method)
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = self._read(schemas, key, item, found)
        return self._kept[key]

    def _read(
        self, schemas: Schemas, key: tuple[str, str, str], item: dict[str, Any], found: dict[str, Any]
    ) -> Operation:
        kind, path, method = key
        # What the API calls is not on its own servers.
        servers = self._servers(found, item, {} if kind == "webhook" else self._root)
        summary = schemas.text(found.get("summary") or item.get("summary"))
        description = schemas.text(found.get("description") or item.get("description"))
        fields, carried = self._parameters(schemas, item, found)
        body = self._older_body(schemas, found, carried) if self._older else self._body(schemas, found)
        responses = tuple(self._responses(schemas, found))
        return Operation(
            method,
            path,
            summary,
            description,
            found.get("deprecated") is True,
            tuple(servers),
            tuple(self._security(schemas, found)),
            fields,
            body,
            responses,
            tuple(self._callbacks(schemas, found)),
            "The rest of this description is too large to show." if schemas.is_cut else "",
        )

    def _servers(self, found: dict[str, Any], item: dict[str, Any], whole: Mapping[str, Any]) -> Iterator[Server]:
        if self._older:
            host, base = word_of(whole.get("host")), word_of(whole.get("basePath"))
            schemes = words_of(list_of(whole.get("schemes"))) or ["https"]
            if host:
                yield from (Server(f"{scheme}://{host}{base}".rstrip("/")) for scheme in schemes[:_FEW] if scheme)
            return
        listed: list[Any] = next(
            (place["servers"] for place in (found, item, whole) if list_of(place.get("servers"))), []
        )
        for each in listed[:_FEW]:
            url, variables = text_of(mapping_of(each).get("url"), 2_000), mapping_of(mapping_of(each).get("variables"))
            for name, variable in list(variables.items())[:_FEW]:
                if default := word_of(mapping_of(variable).get("default")):
                    url = url.replace(f"{{{name}}}", default)
                if len(url) > 2_000:
                    break
            if url:
                yield Server(url[:2_000], text_of(each.get("description"), 2_000))

    def _security(self, schemas: Schemas, found: dict[str, Any]) -> Iterator[str]:
        ways = found.get("security", self._root.get("security"))
        known = mapping_of(self._root.get("securityDefinitions")) or self._components("securitySchemes")
        for way in list_of(ways)[:_FEW]:
            if isinstance(way, dict):
                needed = [
                    _scheme(word_of(name), schemas.resolve(known.get(name))[0], list_of(scopes))
                    for name, scopes in list(way.items())[:_FEW]
                ]
                yield " and ".join(needed) or "none"

    def _components(self, name: str) -> dict[str, Any]:
        return mapping_of(mapping_of(self._root.get("components")).get(name))

    # Parameters and bodies

    def _parameters(
        self, schemas: Schemas, item: dict[str, Any], found: dict[str, Any]
    ) -> tuple[tuple[Field, ...], list[dict[str, Any]]]:
        """Return the parameters, those of the path first, and those that an older description has for the body."""
        by_name: dict[tuple[str, str], dict[str, Any]] = {}
        unknown: list[Field] = []
        for each in schemas.first([*list_of(item.get("parameters")), *list_of(found.get("parameters"))]):
            value, referred = schemas.resolve(each)
            name, place = word_of(value.get("name")), word_of(value.get("in"))
            if name or place == "body":
                by_name[name, place] = value
            elif referred:
                unknown.append(Field(referred, UNKNOWN))
        carried = [value for (_name, place), value in by_name.items() if place in ("body", "formData")]
        fields = [
            schemas.field(name, value, self._schema_of(value), place=place)
            for (name, place), value in by_name.items()
            if place not in ("body", "formData")
        ]
        fields.sort(key=lambda field: field.place != "path")
        return (*fields, *unknown), carried

    def _schema_of(self, value: dict[str, Any]) -> Any:
        """Return the schema of a parameter or a header, in either version's place."""
        if "schema" in value:
            return value["schema"]
        content = mapping_of(value.get("content"))
        if content:
            return mapping_of(next(iter(content.values()))).get("schema")
        return {key: value[key] for key in _OF_A_SCHEMA if key in value}

    def _body(self, schemas: Schemas, found: dict[str, Any]) -> Body | None:
        if "requestBody" not in found:
            return None
        value = _look_up(*schemas.resolve(found["requestBody"]))
        contents = _together(self._contents(schemas, value.get("content")))
        return Body(schemas.text(value.get("description")), value.get("required") is True, contents)

    def _older_body(self, schemas: Schemas, found: dict[str, Any], carried: list[dict[str, Any]]) -> Body | None:
        if not carried:
            return None
        media_types = words_of(found.get("consumes", self._root.get("consumes")))
        whole = next((value for value in carried if value.get("in") == "body"), None)
        if whole is not None:
            schema = schemas.schema(whole.get("schema"))
            contents = (Content(tuple(media_types) or ("application/json",), schema),)
            return Body(schemas.text(whole.get("description")), whole.get("required") is True, contents)
        fields = {
            word_of(value.get("name")): {**self._schema_of(value), "description": value.get("description")}
            for value in carried
        }
        needed = [word_of(value.get("name")) for value in carried if value.get("required") is True]
        files = any(value.get("type") == "file" for value in carried)
        usual = "multipart/form-data" if files else "application/x-www-form-urlencoded"
        form = schemas.schema({"type": "object", "properties": fields, "required": needed})
        return Body("", bool(needed), (Content(tuple(media_types) or (usual,), form),))

    # Responses

    def _responses(self, schemas: Schemas, found: dict[str, Any]) -> Iterator[Response]:
        media_types = words_of(found.get("produces", self._root.get("produces"))) or ["application/json"]
        for status, each in schemas.first(mapping_of(found.get("responses")).items()):
            if status.startswith("x-"):
                continue
            value = _look_up(*schemas.resolve(each))
            if self._older:
                contents = self._older_contents(schemas, value, media_types)
            else:
                contents = self._contents(schemas, value.get("content"))
            headers = [
                schemas.field(str(name), header, self._schema_of(header))
                for name, header in (
                    (name, schemas.resolve(header)[0])
                    for name, header in schemas.first(mapping_of(value.get("headers")).items())
                )
            ]
            yield Response(word_of(status), schemas.text(value.get("description")), tuple(headers), _together(contents))

    def _callbacks(self, schemas: Schemas, found: dict[str, Any]) -> Iterator[str]:
        """Yield the calls that the API makes in return, in words: the name, the methods and where to."""
        for name, each in schemas.first(mapping_of(found.get("callbacks")).items()):
            value, _name = schemas.resolve(each)
            for url, item in schemas.first(value.items()):
                methods = " ".join(method.upper() for method in METHODS if method in mapping_of(item))
                if call := schemas.text(" ".join((word_of(name), methods, word_of(url)))):
                    yield call

    def _older_contents(self, schemas: Schemas, value: dict[str, Any], media_types: list[str]) -> Iterator[Content]:
        examples = mapping_of(value.get("examples"))
        schema = schemas.schema(value["schema"]) if "schema" in value else None
        for name in schemas.first(dict.fromkeys([*examples, *(media_types if schema is not None else ())])):
            yield Content((word_of(name),), schema, schemas.example(examples[name]) if name in examples else "")

    def _contents(self, schemas: Schemas, value: Any) -> Iterator[Content]:
        for name, each in schemas.first(mapping_of(value).items()):
            media = mapping_of(each)
            schema = schemas.schema(media["schema"]) if "schema" in media else None
            yield Content((word_of(name),), schema, self._example(schemas, media))

    def _example(self, schemas: Schemas, media: dict[str, Any]) -> str:
        """Return the example that is given, of the body or of its schema."""
        named = next(map(schemas.example, schemas.examples(media)), None)
        if named is not None:
            return named
        schema, _name = schemas.resolve(media.get("schema"))
        several = list_of(schema.get("examples"))
        given = schema.get("example", several[0] if several else None)
        return schemas.example(given) if given is not None else ""


def _shape(reader: Schemas, name: str, known: dict[str, Any]) -> Field:
    schema = reader.schema(known[name], name) if name in known else UNKNOWN
    return Field(name, schema, deprecated=schema.deprecated, description=schema.description)


def _look_up(value: dict[str, Any], name: str) -> dict[str, Any]:
    """Return what a reference has led to, or what says that it leads nowhere."""
    return value or ({"description": f"{name}: {UNKNOWN.cut}"} if name else {})


def _together(contents: Iterator[Content]) -> tuple[Content, ...]:
    """Merge media types with the same shape."""
    found: list[Content] = []
    for content in contents:
        last = found[-1] if found else None
        if last is not None and (last.schema, last.example) == (content.schema, content.example):
            found[-1] = replace(last, media_types=(*last.media_types, *content.media_types))
        else:
            found.append(content)
    return tuple(found)


def _scheme(name: str, known: dict[str, Any], scopes: list[Any]) -> str:
    """Return an authentication method in words."""
    kind, words = word_of(known.get("type")), ""
    if kind == "http":
        scheme = word_of(known.get("scheme")).lower()
        words = {"bearer": "bearer token", "basic": "user name and password"}.get(scheme, scheme)
    elif kind == "basic":
        words = "user name and password"
    elif kind == "apiKey":
        words = f"{word_of(known.get('name'))} in the {word_of(known.get('in'))}".strip()
    elif kind in ("oauth2", "openIdConnect"):
        words = {"oauth2": "OAuth 2", "openIdConnect": "OpenID Connect"}[kind]
    words = ", ".join(part for part in (words, " ".join(words_of(scopes[:_FEW]))) if part)
    return f"{name} ({words})" if words else name


def form_of(path: str) -> str:
    """Normalize a path: without outer slashes and names of placeholders."""
    return "/" + _PLACEHOLDER.sub("{}", f"/{path.strip('/')}").strip("/")
