"""What is read of API descriptions: operations, what they take and answer, in words that a person reads."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest

from recto.document.openapi.api_model import Content, Field, Schema, Server
from recto.document.openapi.description import Description, read_description
from recto.document.openapi.source import Unreadable
from support.api_descriptions import PETS


@pytest.fixture(scope="module")
def pets() -> Description:
    return read_description(PETS.encode())


def only(*contents: Content) -> Content:
    (content,) = contents
    return content


def shape(value: Any, **others: Any) -> Schema:
    """Read one schema, which may refer to others of the description."""
    root = {"openapi": "3.0.3", "components": {"schemas": {"It": {"properties": {"it": value}}, **others}}}
    (field,) = read_description(json.dumps(root).encode()).schemas(("It",))
    return field.schema.fields[0].schema


def test_an_operation_is_described_in_full(pets: Description) -> None:
    told = pets.operation("/pets", "GET")
    assert (told.method, told.path, told.summary, told.description) == (
        "get",
        "/pets",
        "List pets",
        "All of **them**.",
    )
    assert told.servers == (Server("https://eu.example.com/v1", "Live"),)
    assert told.security == ("oauth (OAuth 2, read write)", "none")
    assert told.body is None
    assert [(one.name, one.place, one.schema.type, one.required, one.deprecated) for one in told.parameters] == [
        ("tenant", "header", "string · uuid", True, True),
        ("limit", "query", "integer", False, False),
        ("since", "query", "string · date-time", False, False),
    ]
    limit = told.parameters[1]
    assert (limit.description, limit.schema.facts) == ("How many", ("default 20", "1 to 100"))


def test_responses_are_described_by_status_with_headers_schema_and_example(pets: Description) -> None:
    fine, problem = pets.operation("/pets", "get").responses
    assert (fine.status, fine.description, [one.name for one in fine.headers]) == ("200", "The pets", ["X-Next"])
    content = only(*fine.contents)
    assert content.schema is not None
    assert content.schema.type == "array of Pet"
    assert json.loads(content.example) == [{"name": "Rex"}]
    assert (problem.status, problem.description) == ("default", "It failed")
    assert only(*problem.contents).example == ""


def test_composed_schemas_are_described_together(pets: Description) -> None:
    body = pets.operation("/pets/{petId}", "put").body
    assert body is not None
    assert (body.required, body.description) == (True, "What it is to be")
    schema = only(*body.contents).schema
    assert schema is not None
    assert schema.type == "Pet"
    assert [(one.name, one.schema.type, one.required) for one in schema.fields] == [
        ("name", "string", True),
        ("kind", "string", True),
        ("friends", "array of Pet", False),
        ("home", "object", False),
        ("tags", "object", False),
        ("born", "string · date or null", False),
    ]
    name, kind, friends, home, tags, _born = (one.schema for one in schema.fields)
    assert (name.facts, name.example) == (("1 to 30 characters",), "Rex")
    assert kind.values == ("cat", "dog")
    assert (friends.fields, friends.cut, friends.facts) == ((), "as above", ("at most 3 items",))
    assert (home.choice, [(one.name, len(one.schema.fields)) for one in home.alternatives]) == (
        "one of",
        [("Street", 2), ("Zoo", 0)],
    )
    assert [(one.name, one.schema.type) for one in tags.fields] == [("any name", "string")]


def test_media_types_with_the_same_schema_are_described_once(pets: Description) -> None:
    body = pets.operation("/pets/{petId}", "put").body
    assert body is not None
    assert only(*body.contents).media_types == ("application/json", "application/xml")


def test_parameters_of_the_path_come_first_and_are_always_required(pets: Description) -> None:
    told = pets.operation("/pets/{petId}", "put")
    assert told.deprecated
    assert [(one.name, one.schema.type, one.required) for one in told.parameters] == [
        ("petId", "integer · int64", True),
        ("verbose", "boolean or null", False),
    ]


@pytest.mark.parametrize("path", ["/pets/{petId}", "/pets/{id}/", "pets/{x}", "/pets/:pet"])
def test_paths_may_be_spelled_otherwise(pets: Description, path: str) -> None:
    assert pets.operation(path, "put").path == "/pets/{petId}"


def test_a_path_as_it_is_written_comes_before_one_that_is_like_it() -> None:
    paths = {
        "/a/{x}": {"get": {"summary": "first", "responses": {}}},
        "/a/{y}": {"get": {"summary": "second", "responses": {}}},
    }
    described = read_description(json.dumps({"openapi": "3.0.0", "paths": paths}).encode())
    assert described.operation("/a/{y}", "get").summary == "second"
    assert described.operation("/a/{z}", "get").summary == "first"


def test_webhooks_are_found_by_name_and_schemas_too(pets: Description) -> None:
    assert pets.webhook("petSold").summary == "A pet was sold"
    assert [one.name for one in pets.schemas(("Street", "Named"))] == ["Street", "Named"]
    assert [one.name for one in pets.schemas(())] == ["Named", "Pet", "Street"]
    assert [(one.name, one.schema.cut) for one in pets.schemas(("Street", "Cat"))] == [
        ("Street", ""),
        ("Cat", "not in this description"),
    ]


def test_a_missing_reference_is_named(pets: Description) -> None:
    for ask, name in (
        (lambda: pets.operation("/cats", "get"), "GET /cats"),
        (lambda: pets.operation("/pets", "delete"), "DELETE /pets"),
        (lambda: pets.webhook("catSold"), "catSold"),
        (lambda: pets.schemas(("Cat",)), "Cat"),
    ):
        with pytest.raises(Unreadable, match=name):
            ask()


def test_older_descriptions_say_the_same_in_their_way() -> None:
    described = read_description(
        dedent("""\
        swagger: 2.0
        host: api.example.com
        basePath: /v2
        schemes: [https, http]
        consumes: [application/json]
        securityDefinitions: {basic: {type: basic}}
        security: [{basic: []}]
        paths:
          /cats:
            post:
              parameters:
                - {name: limit, in: query, type: integer, format: int32, maximum: 9, description: How many}
                - {name: cat, in: body, required: true, schema: {$ref: "#/definitions/Cat"}}
              produces: [application/json]
              responses:
                201: {description: Made, schema: {$ref: "#/definitions/Cat"}, examples: {application/json: {name: Tom}}}
            put:
              consumes: [multipart/form-data]
              parameters:
                - {name: photo, in: formData, type: file, required: true}
                - {name: note, in: formData, type: string}
              responses: {204: {description: Done}}
        definitions:
          Cat: {type: object, properties: {name: {type: string}}}
        """).encode()
    )
    post = described.operation("/cats", "post")
    assert [server.url for server in post.servers] == ["https://api.example.com/v2", "http://api.example.com/v2"]
    assert post.security == ("basic (user name and password)",)
    assert post.parameters == (
        Field("limit", Schema("integer · int32", facts=("at most 9",)), "query", description="How many"),
    )
    assert post.body is not None
    assert post.body.required
    assert only(*post.body.contents) == Content(
        ("application/json",), Schema("Cat", fields=(Field("name", Schema("string")),))
    )
    (made,) = post.responses
    assert (made.status, json.loads(only(*made.contents).example)) == ("201", {"name": "Tom"})
    form = described.operation("/cats", "put").body
    assert form is not None
    content = only(*form.contents)
    assert content.media_types == ("multipart/form-data",)
    assert content.schema is not None
    assert [(one.name, one.schema.type, one.required) for one in content.schema.fields] == [
        ("photo", "file", True),
        ("note", "string", False),
    ]


@pytest.mark.parametrize(
    ("schema", "type", "facts"),
    [
        ({"type": "string", "format": "date-time"}, "string · date-time", ()),
        ({"type": "integer", "nullable": True}, "integer or null", ()),
        ({"type": "array", "items": {"type": "array", "items": {"type": "number"}}}, "array of array of number", ()),
        ({"type": ["string", "integer"]}, "string or integer", ()),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "string or integer", ()),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, "number", ("more than 0",)),
        ({"type": "number", "exclusiveMaximum": 1.5, "minimum": 0}, "number", ("at least 0", "less than 1.5")),
        ({"type": "string", "minLength": 3, "maxLength": 3}, "string", ("exactly 3 characters",)),
        ({"type": "string", "maxLength": 1}, "string", ("at most 1 character",)),
        ({"type": "array", "items": True, "uniqueItems": True}, "array of any", ("no item twice",)),
        ({"type": "boolean", "default": False}, "boolean", ("default false",)),
        ({"type": "string", "pattern": "^a+$", "readOnly": True}, "string", ("matches ^a+$", "read only")),
        ({"type": "integer", "multipleOf": 5}, "integer", ("a multiple of 5",)),
        ({"$ref": "other.yaml#/Cat"}, "Cat", ()),
        ({}, "any", ()),
    ],
)
def test_types_and_limits_are_described_in_words(schema: Any, type: str, facts: tuple[str, ...]) -> None:
    told = shape(schema)
    assert (told.type, told.facts) == (type, facts)


def test_a_reference_to_another_file_is_named() -> None:
    assert shape({"$ref": "other.yaml#/Cat"}).cut == "not in this description"


def test_fields_beside_a_reference_come_first() -> None:
    told = shape(
        {"$ref": "#/components/schemas/Cat", "description": "Mine"}, Cat={"type": "object", "description": "A"}
    )
    assert (told.type, told.description) == ("Cat", "Mine")


def test_references_with_signs_in_their_names_lead_where_they_say() -> None:
    told = shape({"$ref": "#/components/schemas/a~1b%20c"}, **{"a/b c": {"type": "integer"}})
    assert told.type == "integer"


@pytest.mark.parametrize("step", ["2", "x", "-1", "²"])
def test_a_reference_to_no_item_of_a_list_is_named(step: str) -> None:
    several = {"oneOf": [{"type": "string"}, {"type": "boolean"}]}
    assert shape({"$ref": "#/components/schemas/A/oneOf/1"}, A=several).type == "boolean"
    assert shape({"$ref": f"#/components/schemas/A/oneOf/{step}"}, A=several).cut == "not in this description"


def test_the_discriminator_of_alternatives_is_named() -> None:
    cat = {"type": "object", "properties": {"lives": {"type": "integer"}}}
    told = shape({"oneOf": [{"$ref": "#/components/schemas/Cat"}], "discriminator": {"propertyName": "kind"}}, Cat=cat)
    assert told.choice == "one of, by kind"


def test_an_example_is_never_made_up() -> None:
    paths = {
        "/a": {
            "get": {
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": {"properties": {"a": {"example": 1}}}}},
                    }
                }
            }
        }
    }
    told = read_description(json.dumps({"openapi": "3.0.0", "paths": paths}).encode()).operation("/a", "get")
    assert only(*told.responses[0].contents).example == ""


REFERRING = """\
openapi: 3.1.0
servers: [{url: "https://api.example.com"}]
paths:
  /jobs:
    post:
      parameters:
        - $ref: '#/components/parameters/Gone'
        - {name: kind, in: query, schema: {type: string}, examples: {short: {value: abc}, long: {value: abcdef}}}
      requestBody: {$ref: '#/components/requestBodies/Lost'}
      responses:
        '200': {$ref: '#/components/responses/Absent'}
      callbacks:
        done:
          '{$request.body#/url}': {post: {responses: {}}, put: {responses: {}}}
webhooks:
  ready: {post: {responses: {}}}
  moved: {servers: [{url: "https://hooks.example.com"}], post: {responses: {}}}
"""


def test_a_broken_reference_is_named_in_its_place() -> None:
    told = read_description(REFERRING.encode()).operation("/jobs", "post")
    kind, gone = told.parameters
    assert (kind.name, kind.schema.cut) == ("kind", "")
    assert (gone.name, gone.schema.cut) == ("Gone", "not in this description")
    assert told.body is not None
    assert told.body.description == "Lost: not in this description"
    assert [one.description for one in told.responses] == ["Absent: not in this description"]


def test_a_parameter_may_have_examples_with_names() -> None:
    told = read_description(REFERRING.encode()).operation("/jobs", "post")
    assert told.parameters[0].schema.example == "abc"


def test_the_calls_in_return_are_named() -> None:
    told = read_description(REFERRING.encode()).operation("/jobs", "post")
    assert told.callbacks == ("done PUT POST {$request.body#/url}",)


def test_what_the_api_calls_is_not_on_its_own_servers() -> None:
    description = read_description(REFERRING.encode())
    assert description.operation("/jobs", "post").servers == (Server("https://api.example.com"),)
    assert description.webhook("ready").servers == ()
    assert description.webhook("moved").servers == (Server("https://hooks.example.com"),)


def test_the_names_of_all_fields_of_an_operation_are_listed_up_to_a_bound() -> None:
    node = {"allOf": [{"properties": {"next": {"$ref": "#/components/schemas/Node"}, "label": {}}}]}
    many: dict[str, Any] = {"properties": {f"f{number}": {} for number in range(1_000)}}
    pages = {"type": "array", "items": {"properties": {"page": many}}}
    answer = {"description": "", "content": {"application/json": {"schema": {"properties": {"pages": pages}}}}}
    add = {
        "parameters": [{"$ref": "#/components/parameters/Depth"}, {"name": "name", "in": "query", "schema": {}}],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}},
        "responses": {"200": answer},
    }
    description = Description(
        {
            "openapi": "3.1.0",
            "paths": {"/nodes": {"parameters": [{"name": "trace", "in": "header"}], "post": add, "get": {}}},
            "components": {"schemas": {"Node": node}, "parameters": {"Depth": {"name": "depth", "in": "query"}}},
        }
    )
    names = {entry.method: description.field_names(entry) for entry in description.outline()}
    assert names["get"] == ("trace",)
    assert set(names["post"]) > {"trace", "depth", "name", "next", "label", "f0"}
    assert len(names["post"]) == 100


def test_the_names_of_fields_of_an_older_description_are_listed_without_that_of_the_body() -> None:
    pet = {"properties": {"tail": {"type": "string"}}}
    body = {"name": "pet", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}
    add = {"parameters": [body, {"name": "picture", "in": "formData", "type": "file"}]}
    description = Description({"swagger": "2.0", "paths": {"/pets": {"post": add}}, "definitions": {"Pet": pet}})
    (entry,) = description.outline()
    assert set(description.field_names(entry)) == {"picture", "tail"}
