"""What changed between two versions of a description, and which changes are breaking."""

from __future__ import annotations

import copy
import json
import sys
from typing import Any

import pytest

from recto.document.openapi import differences
from recto.document.openapi.differences import compare, describe

PET: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "maxLength": 20},
        "kind": {"enum": ["cat", "dog"]},
        "age": {"type": "integer"},
        "owner": {"type": "object", "properties": {"city": {"type": "string"}}},
        "friend": {"$ref": "#/components/schemas/Pet"},
    },
}
NEW = {**PET, "properties": {name: value for name, value in PET["properties"].items() if name != "friend"}}
BEFORE: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {
            "get": {
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "default": 20}},
                    {"name": "sort", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "description": "",
                        "headers": {"X-Next": {"schema": {"type": "string"}}},
                        "content": {
                            "application/json": {
                                "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}
                            }
                        },
                    },
                    "404": {"description": ""},
                },
            },
            "post": {
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"}}}},
                "responses": {"201": {"description": ""}},
            },
        },
        "/pets/{id}": {
            "delete": {
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": {"204": {"description": ""}},
            }
        },
    },
    "components": {"schemas": {"Pet": PET, "New": copy.deepcopy(NEW)}},
}
GET, POST, DELETE = ("paths", "/pets", "get"), ("paths", "/pets", "post"), ("paths", "/pets/{id}", "delete")
SENT, RETURNED = ("components", "schemas", "New"), ("components", "schemas", "Pet")
NAME, KIND = ("properties", "name"), ("properties", "kind")
LIMIT = (*GET, "parameters", 0)
OK = (*GET, "responses", "200")
GONE = object()


def changed(*changes: tuple[tuple[Any, ...], Any]) -> dict[str, Any]:
    """Return the description with other values at these places."""
    after = copy.deepcopy(BEFORE)
    for steps, value in changes:
        at: Any = after
        for step in steps[:-1]:
            at = at[step]
        if value is GONE:
            del at[steps[-1]]
        else:
            at[steps[-1]] = value
    return after


def said(before: Any, after: Any) -> list[str]:
    """Return the changes as lines; breaking ones begin with an exclamation mark."""
    found = compare(before, after)
    assert not found.is_cut
    return [f"{'! ' if change.breaking else ''}{change.subject}: {change.text}" for change in found.changes]


@pytest.mark.parametrize(
    ("steps", "value", "line"),
    [
        (DELETE, GONE, "! DELETE /pets/{id}: removed"),
        (("paths", "/cats"), {"get": {}}, "GET /cats: added"),
        ((*GET, "deprecated"), True, "GET /pets: deprecated now"),
        ((*GET, "summary"), "Only words", None),
        ((*GET, "security"), [{"key": []}], "! GET /pets: authentication is required now"),
        ((*GET, "parameters", 1), GONE, "! GET /pets: parameter “sort” (query) removed"),
        ((*LIMIT, "required"), True, "! GET /pets: parameter “limit” (query) is required now"),
        ((*LIMIT, "name"), "Limit", "! GET /pets: parameter “limit” (query) removed"),
        ((*LIMIT, "schema", "default"), 50, "GET /pets: parameter “limit” (query): default changed from 20 to 50"),
        (
            (*LIMIT, "schema", "type"),
            "number",
            "GET /pets: parameter “limit” (query): type changed from integer to number",
        ),
        (
            (*LIMIT, "schema", "maximum"),
            10,
            "! GET /pets: parameter “limit” (query): limits changed from none to at most 10",
        ),
        ((*GET, "responses", "404"), GONE, "! GET /pets: response 404 removed"),
        ((*GET, "responses", "500"), {"description": ""}, "GET /pets: response 500 added"),
        ((*OK, "headers", "X-Next"), GONE, "! GET /pets: response 200, header “X-Next” removed"),
        ((*OK, "content", "text/csv"), {}, "GET /pets: response 200: text/csv added"),
        ((*POST, "requestBody"), GONE, "! POST /pets: request body removed"),
        ((*POST, "requestBody", "required"), True, "! POST /pets: request body is required now"),
        # The same in requests and in responses
        ((*SENT, "properties", "age"), GONE, "! New: field “age” removed"),
        ((*RETURNED, "properties", "age"), GONE, "! Pet: field “age” removed"),
        ((*SENT, "properties", "at"), {}, "New: field “at” added"),
        ((*SENT, "required"), ["name", "age"], "! New: field “age” is required now"),
        ((*RETURNED, "required"), ["name", "age"], "Pet: field “age” is required now"),
        ((*SENT, "required"), [], "New: field “name” is optional now"),
        ((*RETURNED, "required"), [], "! Pet: field “name” is optional now"),
        ((*SENT, *KIND, "enum"), ["cat"], "! New: field “kind”: “dog” is no longer allowed"),
        ((*RETURNED, *KIND, "enum"), ["cat"], "Pet: field “kind”: “dog” is no longer allowed"),
        ((*SENT, *KIND, "enum"), ["cat", "dog", "cow"], "New: field “kind”: “cow” is also allowed"),
        ((*RETURNED, *KIND, "enum"), ["cat", "dog", "cow"], "! Pet: field “kind”: “cow” is also allowed"),
        ((*SENT, *NAME, "nullable"), True, "New: field “name”: type changed from string to string or null"),
        ((*RETURNED, *NAME, "nullable"), True, "! Pet: field “name”: type changed from string to string or null"),
        ((*SENT, *NAME, "format"), "uri", "! New: field “name”: type changed from string to string · uri"),
        ((*RETURNED, *NAME, "format"), "uri", "Pet: field “name”: type changed from string to string · uri"),
        (
            (*SENT, *NAME, "maxLength"),
            10,
            "! New: field “name”: limits changed from at most 20 characters to at most 10 characters",
        ),
        ((*SENT, *NAME, "readOnly"), True, "! New: field “name” removed"),
        ((*SENT, "additionalProperties"), False, "! New: no other fields allowed now"),
        ((*SENT, "properties", "owner", "properties", "city"), GONE, "! New: field “owner.city” removed"),
    ],
)
def test_a_change_in_words(steps: tuple[Any, ...], value: Any, line: str | None) -> None:
    lines = said(BEFORE, changed((steps, value)))
    assert lines[:1] == ([line] if line else [])


CAT, DOG = {"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}


def distinguished(by: str = "kind", **mapping: str) -> dict[str, Any]:
    """Return a schema whose alternatives are distinguished by a field."""
    return {"oneOf": [CAT, DOG], "discriminator": {"propertyName": by, "mapping": mapping}}


@pytest.mark.parametrize(
    ("before", "after", "sent", "returned"),
    [
        (
            {"patternProperties": {"^x-": {"type": "string"}}},
            {"patternProperties": {"^x-": {"type": "integer"}}},
            "! New: field “/^x-/”: type changed from string to integer",
            "! Pet: field “/^x-/”: type changed from string to integer",
        ),
        (
            {"patternProperties": {"^x-": {}}},
            {"type": "object"},
            "! New: fields that match ^x- removed",
            "! Pet: fields that match ^x- removed",
        ),
        (
            {"type": "object"},
            {"type": "object", "patternProperties": {"^x-": {}}},
            "! New: fields that match ^x- added",
            "Pet: fields that match ^x- added",
        ),
        (
            {"type": "object", "additionalProperties": False},
            {"type": "object", "additionalProperties": False, "patternProperties": {"^x-": {}}},
            "New: fields that match ^x- added",
            "Pet: fields that match ^x- added",
        ),
        (
            {"type": "integer"},
            {"type": "integer", "not": {"const": 3}},
            '! New: excludes {"const": 3} now',
            'Pet: excludes {"const": 3} now',
        ),
        (
            {"type": "integer", "not": {"const": 3}},
            {"type": "integer"},
            'New: no longer excludes {"const": 3}',
            '! Pet: no longer excludes {"const": 3}',
        ),
        (
            {"not": {"const": 3}},
            {"not": {"const": 4}},
            '! New: excludes {"const": 4} now, not {"const": 3}',
            '! Pet: excludes {"const": 4} now, not {"const": 3}',
        ),
        ({"not": CAT}, {"not": {"$ref": "#/components/schemas/Tabby"}}, None, None),
        (
            {"prefixItems": [{"type": "string"}, {"type": "integer"}]},
            {"prefixItems": [{"type": "string"}, {"type": "string"}]},
            "! New: item [1]: type changed from integer to string",
            "! Pet: item [1]: type changed from integer to string",
        ),
        (
            {"type": "array", "prefixItems": [{}]},
            {"type": "array", "prefixItems": [{}, {}]},
            "! New: item [1] described now",
            "Pet: item [1] described now",
        ),
        (
            {"type": "array", "prefixItems": [{}, {}]},
            {"type": "array", "prefixItems": [{}]},
            "! New: item [1] no longer described",
            "! Pet: item [1] no longer described",
        ),
        (
            {"type": "array"},
            {"type": "array", "items": False},
            "! New: no further items allowed now",
            "Pet: no further items allowed now",
        ),
        (
            distinguished("kind"),
            distinguished("sort"),
            "! New: distinguished by “sort” now, not by “kind”",
            "! Pet: distinguished by “sort” now, not by “kind”",
        ),
        (
            distinguished(),
            {"oneOf": [CAT, DOG]},
            "New: no longer distinguished by “kind”",
            "! Pet: no longer distinguished by “kind”",
        ),
        (
            {"oneOf": [CAT, DOG]},
            distinguished(),
            "New: distinguished by “kind” now",
            "Pet: distinguished by “kind” now",
        ),
        (
            distinguished(c="Cat", d="Dog"),
            distinguished(c="Cat"),
            "! New: “d” is no longer a value of “kind”",
            "Pet: “d” is no longer a value of “kind”",
        ),
        (
            distinguished(c="Cat"),
            distinguished(c="#/components/schemas/Cat", d="Dog"),
            "New: “d” is also a value of “kind”",
            "! Pet: “d” is also a value of “kind”",
        ),
        (distinguished(c="Cat"), distinguished(c="Tabby"), None, None),
        (
            distinguished(c="Cat"),
            distinguished(c="Dog"),
            "! Dog: field “lives” removed",
            "! Dog: field “lives” removed",
        ),
    ],
)
def test_a_change_of_what_a_schema_holds_beside_fields(
    before: dict[str, Any], after: dict[str, Any], sent: str | None, returned: str | None
) -> None:
    lives = {"type": "object", "properties": {"lives": {"type": "integer"}}}
    shared = {"Cat": lives, "Tabby": lives, "Dog": {"type": "object"}}
    more = [(("components", "schemas", name), schema) for name, schema in shared.items()]
    for place, line in ((SENT, sent), (RETURNED, returned)):
        lines = said(changed((place, before), *more), changed((place, after), *more))
        assert lines[:1] == ([line] if line else [])


def test_a_new_required_parameter_and_field_are_breaking() -> None:
    added = {"name": "tenant", "in": "header", "required": True, "schema": {"type": "string"}}
    after = changed(
        ((*GET, "parameters"), [*BEFORE["paths"]["/pets"]["get"]["parameters"], added]),
        ((*SENT, "properties", "at"), {"type": "string"}),
        ((*SENT, "required"), ["name", "at"]),
    )
    assert said(BEFORE, after) == [
        "! GET /pets: parameter “tenant” (header) added, required",
        "! New: field “at” added, required",
    ]


def test_a_shared_schema_that_moved_is_the_same_and_alternatives_are_named() -> None:
    renamed = json.loads(json.dumps(BEFORE).replace("schemas/Pet", "schemas/Animal").replace('"Pet": {', '"Animal": {'))
    renamed["paths"]["/pets/{pet}"] = renamed["paths"].pop("/pets/{id}")
    renamed["paths"]["/pets/{pet}"]["delete"]["parameters"][0]["name"] = "pet"
    assert said(BEFORE, renamed) == []
    several = changed(
        (("components", "schemas", "Cat"), {"type": "object"}),
        (
            (*OK, "content", "application/json", "schema", "items"),
            {"oneOf": [{"$ref": "#/components/schemas/Pet"}, {"$ref": "#/components/schemas/Cat"}]},
        ),
    )
    assert said(BEFORE, several) == ["! GET /pets: response 200, each item: alternative “Cat” added"]
    assert said(several, BEFORE) == ["GET /pets: response 200, each item: alternative “Cat” removed"]


def test_the_same_api_in_swagger_2_differs_in_nothing() -> None:
    newer = {
        "openapi": "3.1.0",
        "paths": {
            "/pets": {
                "post": {
                    "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer", "maximum": 5}}],
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
                    },
                    "responses": {
                        "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}
                    },
                }
            }
        },
        "components": {"schemas": {"Pet": {"properties": {"name": {"type": ["string", "null"]}}}}},
    }
    older = {
        "swagger": "2.0",
        "paths": {
            "/pets": {
                "post": {
                    "parameters": [
                        {"name": "n", "in": "query", "type": "integer", "maximum": 5},
                        {"name": "it", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Pet"}},
                    ],
                    "responses": {"200": {"schema": {"$ref": "#/definitions/Pet"}}},
                }
            }
        },
        "definitions": {"Pet": {"properties": {"name": {"type": "string", "x-nullable": True}}}},
    }
    assert said(older, newer) == []


def test_what_a_webhook_sends_counts_as_a_response() -> None:
    def hooks(*fields: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": {name: {"type": "string"} for name in fields}, "required": ["id"]}
        body = {"content": {"application/json": {"schema": schema}}}
        return {"openapi": "3.1.0", "webhooks": {"sold": {"post": {"requestBody": body}}}}

    assert said(hooks("at"), hooks("id")) == [
        "! POST webhook sold: request body, field “at” removed",
        "POST webhook sold: request body, field “id” added, required",
    ]


def test_the_lines_begin_with_the_breaking_changes() -> None:
    after = changed((DELETE, GONE), ((*GET, "deprecated"), True), ((*RETURNED, "properties", "age"), GONE))
    assert describe(compare(BEFORE, after)) == [
        "2 breaking changes",
        "  Pet: field “age” removed",
        "  DELETE /pets/{id}: removed",
        "1 other change",
        "  GET /pets: deprecated now",
    ]
    assert describe(compare(BEFORE, BEFORE)) == ["No operation, parameter or field changed."]


def large(operations: int, version: int) -> dict[str, Any]:
    """Return a description whose operations share schemas that refer to each other in circles."""

    def schema(at: int) -> dict[str, Any]:
        around = {
            "next": {"$ref": f"#/components/schemas/S{(at + 1) % operations}"},
            "all": {"items": {"allOf": [ref(0)]}},
        }
        return {"properties": {"id": {"type": "string", "maxLength": version}, **around}}

    def ref(at: int) -> dict[str, str]:
        return {"$ref": f"#/components/schemas/S{at}"}

    def operation(at: int) -> dict[str, Any]:
        content = {"content": {"application/json": {"schema": ref(at)}}}
        return {"requestBody": content, "responses": {"200": content}}

    return {
        "openapi": "3.1.0",
        "paths": {f"/a{at}": {"put": operation(at)} for at in range(operations)},
        "components": {"schemas": {f"S{at}": schema(at) for at in range(operations)}},
    }


def calls(operations: int) -> int:
    """Count the calls of functions of the module in a comparison."""
    number, before, after = 0, large(operations, 1), large(operations, 2)

    def on_event(frame: Any, event: str, _: object) -> None:
        nonlocal number
        number += event == "call" and frame.f_code.co_filename == differences.__file__

    sys.setprofile(on_event)
    try:
        found = compare(before, after)
    finally:
        sys.setprofile(None)
    assert len(found.changes) == operations
    return number


@pytest.mark.slow
def test_twice_the_description_takes_twice_the_steps() -> None:
    assert calls(400) / calls(200) == pytest.approx(2, abs=0.05)


def test_what_is_too_large_or_differs_in_too_much_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compare(large(differences.MOST_CHANGES + 1, 1), large(differences.MOST_CHANGES + 1, 2))
    assert found.is_cut and len(found.changes) == differences.MOST_CHANGES
    assert describe(found)[-1] == "The descriptions are too large to compare all of them."
    monkeypatch.setattr(differences, "_MOST_STEPS", 1_000)
    assert compare(large(200, 1), large(200, 2)).is_cut


@pytest.mark.parametrize(
    "after",
    [
        {"openapi": "3.1.0", "paths": {"/a": {"get": {"parameters": [3, {"$ref": "#/x"}], "responses": {"200": []}}}}},
        {"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}, "webhooks": []},
        {"openapi": "3.1.0", "paths": [], "components": 3},
        {"openapi": "3.1.0", "paths": {"/a": {"get": {"requestBody": {"content": {"a/b": {"schema": False}}}}}}},
        {"swagger": "2.0", "paths": {"/a": {"get": {"parameters": [{"in": "body"}, {"in": "formData"}]}}}},
    ],
)
def test_made_up_values_do_no_harm(after: dict[str, Any]) -> None:
    for one in (BEFORE, after):
        compare(one, after)
        compare(after, one)
