from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from recto.cli.api.body import body_arguments, parse_value, put, steps_of
from recto.cli.api.body_schemas import KINDS
from recto.cli.failures import USAGE, CommandError
from recto.contract.changes import ContentChanges
from recto.contract.organizations import Organizations
from recto.contract.reviews import Reviews
from recto.contract.spaces import Spaces


def body_of(operation: Any, *fields: str, source: str | None = None) -> Any:
    """Return what a body of these fields goes out as."""
    (body,) = body_arguments(operation.routes[0], fields, source).values()
    return json.loads(body.to_json())


def refusal_of(operation: Any, *fields: str, source: str | None = None) -> str:
    with pytest.raises(CommandError) as caught:
        body_arguments(operation.routes[0], fields, source)
    assert caught.value.exit_code == USAGE
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("a", ["a"]),
        ("a.b", ["a", "b"]),
        ("a[b]", ["a", "b"]),
        ("a.b[c].d", ["a", "b", "c", "d"]),
        ("a[]", ["a", ""]),
        ("a[].b", ["a", "", "b"]),
        ("a[][b]", ["a", "", "b"]),
    ],
)
def test_the_steps_of_a_name(name: str, steps: list[str]) -> None:
    assert steps_of(name) == steps


@pytest.mark.parametrize("name", ["", "[]", "a..b", "a[", "a]", "a[b", "a.", ".[a]"])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(CommandError, match="is not the name of a field"):
        steps_of(name)


def put_fields(*fields: str) -> Any:
    body: dict[str, Any] = {}
    for field in fields:
        name, _, value = field.partition("=")
        put(body, steps_of(name), value)
    return body


def test_objects_and_lists_grow_field_by_field() -> None:
    assert put_fields("a.b=1", "a[c]=2", "d=3") == {"a": {"b": "1", "c": "2"}, "d": "3"}
    assert put_fields("a[]=1", "a[]=2") == {"a": ["1", "2"]}
    assert put_fields("a[].b=1", "a[].c=2", "a[].b=3") == {"a": [{"b": "1", "c": "2"}, {"b": "3"}]}
    assert put_fields("a[].b.c=1", "a[].b.d=2", "a[].b.c=3") == {"a": [{"b": {"c": "1", "d": "2"}}, {"b": {"c": "3"}}]}
    assert put_fields("a[].f[].n=1", "a[].f[].n=2", "a[].g=3") == {"a": [{"f": [{"n": "1"}, {"n": "2"}], "g": "3"}]}


@pytest.mark.parametrize("fields", [("a=1", "a=2"), ("a=1", "a.b=2"), ("a[]=1", "a.b=2"), ("a.b=1", "a[]=2")])
def test_a_field_is_one_thing(fields: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=r"is given twice|values of two different types"):
        put_fields(*fields)


@pytest.mark.parametrize(
    ("value", "kinds", "expected"),
    [
        ("true", {"string"}, "true"),
        ("true", {"boolean"}, True),
        ("false", KINDS, False),
        ("yes", {"boolean"}, "yes"),
        ("null", {"string"}, "null"),
        ("null", {"string", "null"}, None),
        ("12", {"string"}, "12"),
        ("12", {"integer"}, 12),
        ("-12", KINDS, -12),
        ("1.5", {"number"}, 1.5),
        ("1.5", {"integer"}, "1.5"),
        ("NaN", {"number"}, "NaN"),
        ("[1]", {"array"}, [1]),
        ('{"a": 1}', {"object"}, {"a": 1}),
        ("{a", KINDS, "{a"),
        ("[1]", {"string"}, "[1]"),
        ("", {"string"}, ""),
    ],
)
def test_a_value_is_what_its_field_takes(value: str, kinds: set[str], expected: Any) -> None:
    found = parse_value(value, frozenset(kinds))
    assert (found, type(found)) == (expected, type(expected))


def test_fields_go_out_as_the_contract_types_them() -> None:
    assert body_of(Spaces.create_space, "title=12", "emoji=1f3e0") == {"title": "12", "emoji": "1f3e0"}
    assert body_of(Reviews.request_reviewers, "users[]=u1", "users[]=u2") == {"users": ["u1", "u2"]}
    page = ("changes[].operation=update_page", "changes[].page=p", "changes[].document.markdown=# Hi=there")
    assert body_of(ContentChanges.write_content, *page, "changes[].hidden=true", "changes[].into=null") == {
        "changes": [
            {
                "operation": "update_page",
                "page": "p",
                "document": {"markdown": "# Hi=there"},
                "hidden": True,
                "into": None,
            }
        ]
    }
    assert body_of(Spaces.create_space) == {}


def test_what_does_not_fit_never_leaves() -> None:
    unknown = "“titel” is not a field of this request. Did you mean “title”? There are title, emoji,"
    assert unknown in refusal_of(Spaces.create_space, "titel=x")
    assert "“title” is not a list" in refusal_of(Spaces.create_space, "title[]=x")
    assert "title: at most 50 characters" in refusal_of(Spaces.create_space, f"title={'x' * 51}")
    assert "editMode: one of 'live' or 'locked'" in refusal_of(Spaces.create_space, "editMode=open")
    assert "users: is required" in refusal_of(Reviews.request_reviewers)
    assert "-f wants name=value, not “title”" in refusal_of(Spaces.create_space, "title")
    assert "takes no body" in refusal_of(Organizations.list_organizations, "a=b")
    assert "takes no body" in refusal_of(Organizations.list_organizations, source="-")
    assert "use one of them" in refusal_of(Spaces.create_space, "title=x", source="-")


def test_json_comes_from_a_file_or_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "space.json"
    file.write_text('{"title": "Grün"}', encoding="utf-8")
    assert body_of(Spaces.create_space, source=str(file)) == {"title": "Grün"}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"title": "x"}')))
    assert body_of(Spaces.create_space, source="-") == {"title": "x"}
    assert f"{tmp_path / 'nothing'} cannot be read: No such file" in refusal_of(
        Spaces.create_space, source=str(tmp_path / "nothing")
    )
    for content, says in (
        ("{", "The body is not valid JSON"),
        ("[]", "The body: must be an object"),
        ('{"title": 3}', "title: must be a string"),
        ('{"colour": "red"}', "colour: is not a field of this request"),
    ):
        file.write_text(content, encoding="utf-8")
        assert says in refusal_of(Spaces.create_space, source=str(file))
