"""Bundles: references to files beside a description lead into it, and nothing else is read."""

from __future__ import annotations

import json

import pytest

from recto.document.openapi.bundling import bundle
from recto.document.openapi.checking import check
from recto.document.openapi.description import read_description
from recto.document.openapi.source import Unreadable

ROOT = """\
openapi: 3.0.3
info: {title: Pets, version: "1"}
paths:
  /pets: {$ref: paths/pets.yaml}
components:
  schemas:
    Pet: {$ref: "schemas.json#/Pet"}
    Away: {$ref: "https://a.example/x.json"}
    Outside: {$ref: "../secret.yaml"}
    Rooted: {$ref: "/etc/passwd"}
"""
FILES = {
    "api.yaml": ROOT,
    "paths/pets.yaml": """\
get:
  summary: List pets
  responses:
    "200": {description: Pets, content: {application/json: {schema: {$ref: "../schemas.json#/Pet"}}}}
    default: {$ref: "#/x-problem"}
x-problem: {description: It failed}
""",
    "schemas.json": '{"Pet": {"type": "object", "properties": {"friend": {"$ref": "#/Pet"},'
    ' "again": {"$ref": "api.yaml#/components/schemas/Pet"}}}}',
}


def read(name: str) -> bytes:
    return FILES[name].encode()


def test_files_beside_it_are_put_into_it() -> None:
    text = bundle("api.yaml", read)
    assert check(text.encode()).elsewhere == ("https://a.example/x.json", "../secret.yaml", "/etc/passwd")
    operation = read_description(text.encode()).operation("/pets", "get")
    assert operation.summary == "List pets"
    assert [response.description for response in operation.responses] == ["Pets", "It failed"]
    schema = operation.responses[0].contents[0].schema
    assert schema is not None and [field.name for field in schema.fields] == ["friend", "again"]
    assert json.loads(text)["x-bundled"]["schemas.json"]["Pet"]["properties"]["again"] == {
        "$ref": "#/components/schemas/Pet"
    }


def test_a_single_file_stays_as_it_is() -> None:
    assert bundle("a.yaml", lambda _: b"# Mine\nopenapi: 3.0.3\n") == "# Mine\nopenapi: 3.0.3\n"


def test_files_that_refer_to_ever_more_are_bounded() -> None:
    with pytest.raises(Unreadable, match="more than 200 files"):
        bundle("0.json", lambda name: json.dumps({"$ref": f"{int(name.split('.')[0]) + 1}.json"}).encode())
    with pytest.raises(Unreadable, match=r"^b\.yaml: It is not valid YAML"):
        bundle("a.yaml", lambda name: b"$ref: b.yaml" if name == "a.yaml" else b"[")
