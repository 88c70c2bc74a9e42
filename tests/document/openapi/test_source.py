"""The text of an API description: JSON and YAML give the same, and what cannot be read says why, in bounded time."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.document.openapi.api_model import Field, Operation, Schema
from recto.document.openapi.description import METHODS, read_description
from recto.document.openapi.schemas import MOST_FIELDS
from recto.document.openapi.source import MOST_BYTES, Unreadable, read_values

# Values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: [true, null, ~, 1.5, -2, .5]\n", {"a": 1, "b": [True, None, None, 1.5, -2, 0.5]}),
        ("200: ok\nnull: x\ntrue: y\n", {"200": "ok", "null": "x", "true": "y"}),
        ("country: NO\nday: 2026-01-01\nat: 12:30\nversion: '1.0'\n", None),
        ("a: |\n  one\n  two\nb: >-\n  three\n  four\n", {"a": "one\ntwo\n", "b": "three four"}),
        ("a: &x {b: 1}\nc: *x\n", {"a": {"b": 1}, "c": {"b": 1}}),
        ("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\n", {"x": {"a": 1, "b": 2}, "y": {"a": 1, "b": 3}}),
        ("---\na: 1\n---\nb: 2\n", {"a": 1}),
        ("\ufeffa: 1\n", {"a": 1}),
        ('{"a": [1, "b"]}', {"a": [1, "b"]}),
        ("? [a, b]\n: c\n", {"?": "c"}),
        ("a: !!python/object:os.system x\n", {"a": "x"}),
    ],
)
def test_yaml_and_json_give_plain_values(text: str, value: Any) -> None:
    expected = value or {"country": "NO", "day": "2026-01-01", "at": "12:30", "version": "1.0"}
    assert read_values(text.encode()) == expected


WORDS = st.text("ab: -#{}[]&*!|>'\"%@`,\n~", max_size=12)


def nest(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.text("ab?", min_size=1, max_size=3)
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=20
    )


@settings(derandomize=True, max_examples=100, deadline=None)
@given(nest(WORDS | st.none() | st.booleans() | st.integers(-(10**20), 10**20)))
def test_what_was_written_as_json_is_read_again(value: Any) -> None:
    assert read_values(json.dumps({"a": value}).encode()) == {"a": value}


@settings(derandomize=True, max_examples=100, deadline=None)
@given(nest(WORDS | st.none() | st.booleans() | st.integers(-(10**20), 10**20)), st.booleans())
def test_what_was_written_as_yaml_is_read_again(value: Any, flow: bool) -> None:
    written = yaml.safe_dump(["a", value], default_flow_style=flow)
    assert read_values(written.encode()) == ["a", value]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"{", "not valid JSON.*line 1"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "too long"),
        (b"[" * 5_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"a: [\n", "not valid YAML.*line 2"),
        (b"a: *b\n", "is not defined"),
        (b"a: \x01\n", "not valid YAML"),
        (b"- " * 1_000, "nested too deeply"),
        (b"x" * (MOST_BYTES + 1), "larger than 16 MB"),
    ],
)
def test_what_cannot_be_read_says_why(source: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read_values(source)


def test_a_few_lines_that_stand_for_more_than_any_machine_holds_are_harmless() -> None:
    lists = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    assert len(read_values(lists.encode())) == 60
    merged = "a0: &a0 {x: 1}\n" + "".join(
        f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}], k{n}: 1}}\n" for n in range(1, 40)
    )
    assert len(read_values(merged.encode())["a39"]) == 40
    with pytest.raises(Unreadable, match="merges too many"):
        many = "".join(f"k{n}: 1\n  " for n in range(1_000))
        read_values(f"a: &a\n  {many}\nb:\n  <<: [{', '.join(['*a'] * 200)}]\n".encode())


# Descriptions


@pytest.mark.parametrize("text", ["a: 1", "[]", "just words", "openapi: 4.0.0", "swagger: 1.2", "openapi: []"])
def test_a_file_that_is_no_description_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match=r"OpenAPI|version"):
        read_description(text.encode())


def depth_of(schema: Schema) -> int:
    return 1 + max((depth_of(field.schema) for field in fields_of(schema)), default=0)


def fields_of(schema: Schema) -> tuple[Field, ...]:
    return (*schema.fields, *schema.alternatives)


def count(schema: Schema) -> int:
    return 1 + sum(count(field.schema) for field in fields_of(schema))


def bodies(told: Operation) -> list[Schema]:
    contents = [*(told.body.contents if told.body else ()), *(one for each in told.responses for one in each.contents)]
    return [content.schema for content in contents if content.schema is not None]


def describe(schema: Any, **schemas: Any) -> Operation:
    body = {"content": {"application/json": {"schema": schema, "example": schema}}}
    paths = {"/a": {"post": {"requestBody": body, "responses": {"200": {"description": "", **body}}}}}
    root = {"openapi": "3.0.0", "paths": paths, "components": {"schemas": schemas}}
    return read_description(json.dumps(root).encode()).operation("/a", "post")


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.mark.parametrize(
    "schemas",
    [
        {"A": ref("A")},
        {"A": ref("B"), "B": ref("A")},
        {"A": {"allOf": [ref("A"), {"properties": {"a": ref("A")}}]}},
        {"A": {"oneOf": [ref("A"), {"type": "array", "items": ref("A")}]}},
        {"A": {"type": "array", "items": ref("A")}},
        {"A": {"properties": {"a": ref("B")}}, "B": {"additionalProperties": ref("A")}},
        {"A": {"properties": {f"p{n}": ref("B") for n in range(50)}}}
        | {"B": {"properties": {f"q{n}": ref("C") for n in range(50)}}}
        | {"C": {"properties": {f"r{n}": ref("D") for n in range(50)}}, "D": {"type": "string"}},
        {"A": {"allOf": [ref("B")] * 30}, "B": {"allOf": [ref("C")] * 30}, "C": {"allOf": [ref("D")] * 30}},
        {f"A{n or ''}": {"allOf": [ref(f"A{n + 1}")] * 2} for n in range(60)},
        {f"A{n or ''}": {"properties": {"a": ref(f"A{n + 1}"), "b": ref(f"A{n + 1}")}} for n in range(60)},
        {f"A{n or ''}": {"items": ref(f"A{n + 1}")} for n in range(2_000)},
    ],
)
def test_endless_schemas_are_cut_off(schemas: dict[str, Any]) -> None:
    told = describe(ref("A"), **schemas)
    for schema in bodies(told):
        assert depth_of(schema) < 30
    assert sum(count(schema) for schema in bodies(told)) <= 3 * MOST_FIELDS
    assert hash(told) is not None


def test_omissions_are_named() -> None:
    told = describe({"properties": {f"p{n}": {"type": "string"} for n in range(MOST_FIELDS + 1)}})
    assert "too large to show" in told.remark
    assert describe({"properties": {"p": {"type": "string"}}}).remark == ""


def test_an_example_that_never_ends_is_left_out() -> None:
    bomb = "x0: &x0 [x, x]\n" + "".join(f"x{n}: &x{n} [*x{n - 1}, *x{n - 1}]\n" for n in range(1, 60))
    get = "{get: {responses: {200: {content: {a/b: {example: *x59}}}}}}"
    text = f"{bomb}openapi: 3.0.0\npaths:\n  /a: {get}\n"
    ((content,),) = (one.contents for one in read_description(text.encode()).operation("/a", "get").responses)
    assert content.example == ""
    itself = "openapi: 3.0.0\npaths: {/a: {get: {responses: {200: {content: {a/b: {example: &x [*x]}}}}}}}\n"
    ((content,),) = (one.contents for one in read_description(itself.encode()).operation("/a", "get").responses)
    assert content.example == ""


# Whatever stands there

KEYS = st.sampled_from(
    [
        *("$ref", "allOf", "oneOf", "anyOf", "properties", "items", "additionalProperties", "type", "enum"),
        *("description", "schema", "content", "application/json", "example", "examples", "parameters", "responses"),
        *(
            "requestBody",
            "200",
            "headers",
            "name",
            "in",
            "security",
            "servers",
            "url",
            "variables",
            "default",
            "format",
        ),
        *("minimum", "maxLength", "patternProperties", "discriminator", "consumes", "produces", "deprecated"),
        *("const", "required", "format"),
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.sampled_from(["", "string", "array", "object", "body", "formData", "path", "null", "\x1b[31m", "#/", "#", "a"]),
    st.sampled_from(["#/paths/~1a", "#/components/schemas/A", "#/paths/~1a/post", "x.yaml#/B", "#/components"]),
)
ANY = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=30
)


@pytest.mark.slow
@settings(derandomize=True, max_examples=400, deadline=None)
@given(ANY, ANY, ANY, st.booleans())
def test_any_values_are_described_or_refused_with_a_reason(
    operation: Any, schema: Any, others: Any, older: bool
) -> None:
    root: dict[str, Any] = {"swagger": "2.0"} if older else {"openapi": "3.1.0"}
    root["paths"] = {"/a": {"post": operation, "get": {"responses": {"200": {"content": {"x": {"schema": schema}}}}}}}
    root["components"] = {"schemas": {"A": schema}, "parameters": others, "securitySchemes": others}
    root["definitions"] = {"A": schema}
    root["webhooks"] = {"a": others}
    told = read_description(json.dumps(root).encode())
    asks: list[Callable[[], object]] = [partial(told.operation, "/a", method) for method in METHODS]
    asks += [partial(told.operation, "/a/", ""), partial(told.webhook, "a"), partial(told.schemas, ())]
    for ask in asks:
        try:
            assert hash(ask()) is not None
        except Unreadable as error:
            assert str(error).endswith(".")


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_say_why_not(source: bytes) -> None:
    for text in (source, b"openapi: 3.0.0\n" + source, b'{"openapi": "3.0.0", ' + source):
        try:
            read_description(text)
        except Unreadable as error:
            assert str(error).endswith(".")


def test_an_endlessly_repeated_text_is_cut_off() -> None:
    long = "x" * 50_000
    words = f"&w {long}"
    fields = ", ".join(f"p{n}: *f" for n in range(300))
    text = (
        f"openapi: 3.0.0\nw: {words}\n"
        "f: &f {type: *w, format: *w, title: *w, description: *w, default: *w, example: *w, enum: &e [*w, *w, *w]}\n"
        f"o: &o {{properties: {{{fields}}}, description: *w}}\n"
        f"c: &c {{{', '.join(f'm{n}: {{schema: *o, example: *e}}' for n in range(90))}}}\n"
        f"r: &r {{description: *w, content: *c}}\n"
        "servers: [{url: *w, description: *w}]\nsecurity: [{a: *e}]\n"
        f"paths: {{/a: {{get: {{summary: *w, responses: {{{', '.join(f'{n}: *r' for n in range(200, 290))}}}}}}}}}\n"
    )
    told = read_description(text.encode()).operation("/a", "get")
    assert "too large to show" in told.remark
    assert len(repr(told)) < 10_000_000
