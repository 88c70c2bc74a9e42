"""The contract and its OpenAPI description offer what the reference says, operation by operation.

``reference/table.json`` is written from the reference by ``reference/make_table.py``, and
``reference/guaranteed_fields.json`` from the list beside it by ``reference/make_guaranteed_fields.py``. Where the
reference lies beside the repository, or where ``RECTO_REFERENCE`` says, both have to be up to date with it.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from contract.reference.further import CREATED, FIELDS, FURTHER, OPTIONAL, STATUS
from contract.reference.make_guaranteed_fields import ALWAYS, make_rows, rows_as_text
from contract.reference.make_table import TABLE, as_text, make_table
from contract.reference.rows import DECLARED, KINDS, ROWS, TOLD, Key, key_of, query_of
from recto.contract.api import routes
from recto.contract.describe import describe
from recto.contract.model import json_name
from recto.contract.operation import Place

REFERENCE = Path(os.environ.get("RECTO_REFERENCE", Path(__file__).parents[2] / "../shared/reference/api.md"))
ROLES = ("admin", "create", "review", "edit", "comment", "read")


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return describe(routes())


def test_the_table_is_the_one_that_the_reference_gives() -> None:
    if not REFERENCE.exists():
        pytest.skip("the reference is not at hand; RECTO_REFERENCE may say where it lies")
    assert as_text(make_table(REFERENCE.read_text(encoding="utf-8"))) == TABLE.read_text(encoding="utf-8")


def test_what_answers_always_carry_is_what_the_list_says() -> None:
    answers = REFERENCE.with_name("answers.md")
    if not answers.exists():
        pytest.skip("the list is not at hand; RECTO_REFERENCE may say where the reference lies")
    assert rows_as_text(make_rows(answers.read_text(encoding="utf-8"))) == ALWAYS.read_text(encoding="utf-8")


def test_the_reference_has_142_operations() -> None:
    assert len({key_of(row) for row in TOLD["operations"]}) == 142


def test_nothing_is_declared_that_is_in_no_reference() -> None:
    assert set(DECLARED) - set(ROWS) == set()


def test_each_operation_is_declared() -> None:
    assert set(ROWS) - set(DECLARED) == set()


each_operation = pytest.mark.parametrize(
    "key", [pytest.param(key, id=" ".join(key)) for key in ROWS if key in DECLARED]
)


@each_operation
def test_the_contract_says_of_it_what_the_reference_says(key: Key) -> None:
    row, operation = ROWS[key], DECLARED[key]
    assert operation.status == _status(row)
    assert operation.created == CREATED.get(key)
    assert operation.deprecated == row.get("deprecated", False)
    query = query_of(row)
    declared = {each.json_name: each for each in operation.parameters if each.place is Place.QUERY}
    assert set(declared) == set(query)
    for name, said in query.items():
        parameter = declared[name]
        assert parameter.required == said.get("required", False), name
        assert _keymap_name(parameter.default) == said.get("default"), name
        _holds(parameter.annotation, said, name)
    bodies = [each.annotation for each in operation.parameters if each.place is Place.BODY]
    assert bool(bodies) == bool(row["body"])
    for body in bodies:
        _body_is(body, row["body"], OPTIONAL.get(key, set()), FIELDS.get(key, set()))
    _answer_is(operation.response, row)


@each_operation
def test_the_description_says_of_it_what_the_reference_says(key: Key, description: dict[str, Any]) -> None:
    row = ROWS[key]
    reader = Reader(description["components"]["schemas"])
    described = description["paths"][key[1]][key[0].lower()]
    assert described.get("deprecated", False) == row.get("deprecated", False)
    successes = [status for status in described["responses"] if status < "300"]
    assert successes == [str(status) for status in (_status(row), CREATED.get(key)) if status is not None]
    query = {each["name"]: each for each in described.get("parameters", []) if each["in"] == "query"}
    assert set(query) == set(query_of(row))
    for name, said in query_of(row).items():
        assert query[name]["required"] == said.get("required", False), name
        assert _keymap_name(query[name]["schema"].get("default")) == said.get("default"), name
        reader.holds(query[name]["schema"], said, name)
    body = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    assert bool(body) == bool(row["body"])
    if body:
        reader.body_is(body, row["body"], OPTIONAL.get(key, set()), FIELDS.get(key, set()))
    answer = described["responses"][successes[0]].get("content", {}).get("application/json", {}).get("schema")
    if row["answer"] is not None:
        reader.answer_is(answer, row["answer"])
    elif _status(row) == 204:
        assert answer is None


def _status(row: dict[str, Any]) -> int:
    status: int = row["status"] or STATUS.get(key_of(row), 200)
    return status


def _keymap_name(default: Any) -> str | None:
    """Return a default as it is spelled in a query; ``None`` where there is none."""
    if default is inspect.Parameter.empty or default in (None, ()):
        return None
    return json.dumps(default) if isinstance(default, bool | int) else str(default)


def _takes(annotation: Any, value: Any) -> bool:
    try:
        TypeAdapter(annotation).validate_python(value)
    except ValidationError:
        return False
    return True


def _holds(annotation: Any, said: dict[str, Any], name: str) -> None:
    """Check what is said of a value against what its type takes."""
    if said.get("type") == "boolean":
        assert _takes(annotation, True), name
        assert not _takes(annotation, "perhaps"), name
        return
    if said.get("type") == "role":
        said = {"values": list(ROLES), **said}
    if "values" in said:
        several = any(get_origin(part) is tuple for part in _parts(annotation))
        assert all(_takes(annotation, (value,) if several else value) for value in said["values"]), name
        assert not _takes(annotation, ("no-such-value",) if several else "no-such-value"), name
    if said.get("nullable"):
        assert _takes(annotation, None), name
    for at, beyond in ((said.get("max"), 1), (said.get("min"), -1)):
        if at is not None:
            within, past = (_size(annotation, said, size) for size in (at, at + beyond))
            assert not within or any(_takes(annotation, value) for value in within), (name, at)
            assert not any(_takes(annotation, value) for value in past), (name, at + beyond)


def _size(annotation: Any, said: dict[str, Any], size: int) -> list[Any]:
    """Return values of a size that a type might take: a number, texts so long, or a list of so many."""
    kinds = _parts(annotation)
    if int in kinds:
        return [size]
    if any(get_origin(kind) is tuple or kind is tuple for kind in kinds):
        return [(_item(annotation),) * size]
    texts = {"x" * size, ("https://a.example/" + "x" * size)[:size], ("/" + "x" * size)[:size]}
    return [text for text in (*texts, ("a.example/" + "x" * size)[:size]) if len(text) == size]


def _item(annotation: Any) -> Any:
    tagged = {"operation": "delete_page", "page": "x"}
    return tagged if _takes(annotation, (tagged,)) else "x"


def _parts(annotation: Any) -> set[Any]:
    """Return the types that a type is made of, without what is annotated to them."""
    if get_origin(annotation) is Annotated:
        return _parts(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return {part for each in get_args(annotation) for part in _parts(each)}
    return {annotation}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    for part in _parts(annotation):
        if isinstance(part, type) and issubclass(part, BaseModel):
            yield part


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {field.serialization_alias or json_name(name): field for name, field in model.model_fields.items()}


def _body_is(
    model: type[BaseModel], told: dict[str, Any], optional: set[str], more: set[str], exact: bool = True
) -> None:
    """Check the fields of a body: which there are, which are required, and what is said of each."""
    fields = _fields(model)
    if exact:
        assert set(fields) == set(told) | more
    else:
        assert set(fields) >= set(told)
    for name, said in told.items():
        field = fields[name]
        if exact:
            assert field.is_required() == (said["required"] is not False and name not in optional), name
        annotation = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
        if "fields" in said:
            inner = [model for model in _within(annotation) if set(_fields(model)) >= set(said["fields"])]
            assert inner, name
            _body_is(inner[0], said["fields"], optional, more, exact=False)
        else:
            _holds(annotation, said, name)


def _answer_is(answer: Any, row: dict[str, Any]) -> None:
    """Check the kind of what is answered, and its fields."""
    told = row["answer"]
    if told is None:
        assert answer is NoneType or row in FURTHER
        return
    if "list" in told:
        assert set(_fields(answer)) >= {"next", "count", "items"}
        (items,) = _parts(_fields(answer)["items"].annotation)
        answer = get_args(items)[0]
        told = told["list"] if isinstance(told["list"], dict) else {"kind": told["list"]}
    models = list(_models(answer))
    assert models
    _names_are(models, told)


def _names_are(models: list[type[BaseModel]], told: dict[str, Any]) -> None:
    names = {name for model in models for name in _fields(model)}
    if "fields" in told:
        assert names >= set(told["fields"])
        return
    kind = KINDS[told["kind"]]
    assert names >= set(kind["fields"])
    if kind["object"]:
        assert kind["object"] in [
            model.model_fields["object"].default for model in models if "object" in _fields(model)
        ]
    for name, said in kind["fields"].items():
        if "fields" in said:
            holders = (_fields(model)[name] for model in models if name in _fields(model))
            inner = [part for field in holders for part in _within(field.annotation)]
            assert {each for model in inner for each in _fields(model)} >= set(said["fields"]), name


def _within(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in a type, those that a list of it holds too."""
    for part in _parts(annotation):
        yield from _models(get_args(part)[0] if get_origin(part) is tuple else part)


@dataclass(frozen=True)
class Reader:
    """Reads the schemas of a description."""

    components: dict[str, Any]

    def choices(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the schemas of which one has to hold, with what they refer to in their place."""
        if "$ref" in schema:
            return self.choices(self.components[schema["$ref"].rpartition("/")[2]])
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return [choice for each in schema[several] for choice in self.choices(each)]
        return [schema]

    def properties(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the properties of an object, or of any of several."""
        return {name: each for choice in self.choices(schema) for name, each in choice.get("properties", {}).items()}

    def holds(self, schema: dict[str, Any], said: dict[str, Any], name: str) -> None:
        """Check what is said of a value against its schema."""
        choices = self.choices(schema)
        if said.get("type") == "boolean":
            assert {"boolean"} == {each["type"] for each in choices if each["type"] != "null"}, name
        values = list(ROLES) if said.get("type") == "role" else said.get("values", [])
        items = [item for each in choices for item in self.choices(each.get("items", each))]
        offered = [value for each in items for value in each.get("enum", [each.get("const")])]
        assert set(values) <= set(offered), name
        assert not said.get("nullable") or {"type": "null"} in choices, name
        for limit, spellings in (("max", ("maximum", "maxLength", "maxItems")), ("min", ("minLength", "minItems"))):
            if limit in said:
                assert said[limit] in [each[key] for each in choices for key in spellings if key in each], (name, limit)

    def body_is(
        self, schema: dict[str, Any], told: dict[str, Any], optional: set[str], more: set[str], exact: bool = True
    ) -> None:
        """Check the fields of a body: which there are, which are required, and what is said of each."""
        described = next(each for each in self.choices(schema) if set(each.get("properties", ())) >= set(told))
        properties = described["properties"]
        assert described["additionalProperties"] is False
        assert set(properties) == set(told) | more if exact else set(properties) >= set(told)
        needed = {name for name, said in told.items() if said["required"] is not False and name not in optional}
        if exact:
            assert set(described.get("required", [])) == needed
        for name, said in told.items():
            if "fields" in said:
                self.body_is(properties[name], said["fields"], optional, more, exact=False)
            else:
                self.holds(properties[name], said, name)

    def answer_is(self, schema: dict[str, Any], told: dict[str, Any]) -> None:
        """Check the fields of what is answered."""
        if "list" in told:
            properties = self.properties(schema)
            assert set(properties) >= {"next", "count", "items"}
            schema = properties["items"]["items"]
            told = told["list"] if isinstance(told["list"], dict) else {"kind": told["list"]}
        names = told["fields"] if "fields" in told else KINDS[told["kind"]]["fields"]
        assert set(self.properties(schema)) >= set(names)
