"""Checks of whole descriptions: hostile ones end in bounded time, and errors name their places."""

from __future__ import annotations

import json

import pytest

from recto.document.openapi.checking import Invalid, check
from recto.document.openapi.description import Description
from recto.document.openapi.differences import compare
from recto.document.openapi.source import Unreadable

HEAD = b'{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}'
LAUGHS = (
    b"openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\nx-0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    + b"".join(b"x-%d: &a%d [%s]\n" % (at, at, b", ".join([b"*a%d" % (at - 1)] * 10)) for at in range(1, 12))
)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (b"[" * 16_000_000, "nested too deeply"),
        (b'{"a":' * 3_000_000, "nested too deeply"),
        (b"- " * 8_000_000, "nested too deeply"),
        (b"a: " + b"{a: " * 4_000_000, "nested too deeply"),
        (HEAD + b', "x-a": ' + b"[" * 200 + b"]" * 200 + b"}", "nested too deeply"),
        (b"openapi: 3.1.0\nx-a: &a [*a]\n", "nested too deeply"),
        (LAUGHS, "too many values"),
        (HEAD + b', "x-a": NaN}', "a number that JSON does not have"),
        (HEAD + b', "x-a": "\\ud800"}', "half of a character"),
        (b"openapi: 4.0.0\n", "version 4.0.0"),
        (b"openapi: 3.1\n", "version 3.1"),
        (b"swagger: 1.2\n", "version 1.2"),
        (b"a: 1\n", "does not say"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_description_says_why(source: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        check(source)


def test_references_in_a_circle_are_no_harm() -> None:
    schemas = b'{"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}'
    source = HEAD.replace(
        b'"paths": {}',
        b'"paths": {"/a": {"get": {"responses": {"200": {"description": "", "content": {"text/json": {"schema":'
        b' {"$ref": "#/components/schemas/A"}}}}}}}}',
    )
    values = json.loads(check(source + b', "components": {"schemas": ' + schemas + b"}}").content)
    assert Description(values).operation("/a", "get").responses[0].contents[0].schema is not None
    assert compare(values, values).changes == ()


def test_a_long_reading_can_be_ended() -> None:
    class Enough(Exception):
        pass

    paused = 0

    def pause() -> None:
        nonlocal paused
        paused += 1
        if paused == 3:
            raise Enough

    for source in (b"a: [" + b"1, " * 100_000 + b"]", HEAD + b"}"):
        paused = 0
        with pytest.raises(Enough):
            check(source, pause)


def test_errors_name_their_places() -> None:
    source = b"""{"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "more": 1,
        "paths": {"/a": {"get": {}}, "/b": {"get": {"responses": 5}}, "/c": {}},
        "components": {"schemas": {"A": 1, "B": {}}}}"""
    with pytest.raises(Invalid, match=r"not a valid OpenAPI 3\.0") as raised:
        check(source)
    assert [error.rpartition(":")[0] for error in raised.value.errors] == [
        "At the top",
        "paths → /a → get",
        "paths → /b → get → responses",
        "components → schemas → A",
    ]


def test_many_errors_are_cut() -> None:
    paths = b", ".join(b'"/%d": {"get": {"parameters": [{"in": "%s"}]}}' % (at, b"x" * 100) for at in range(5_000))
    with pytest.raises(Invalid) as raised:
        check(HEAD.replace(b'"paths": {}', b'"paths": {' + paths + b"}") + b"}")
    assert len(raised.value.errors) == 20 and max(map(len, raised.value.errors)) < 500


def test_an_error_among_too_many_values_is_placed_and_not_explained() -> None:
    wide = [{"allOf": [{"type": 3}] * 300}] * 300  # the validator would hold gigabytes of errors
    schemas = json.dumps({"A": {"allOf": wide}, "B": {"type": 3}}).encode()
    with pytest.raises(Invalid) as raised:
        check(HEAD.replace(b"3.1", b"3.0") + b', "components": {"schemas": ' + schemas + b"}}")
    wide_error, other_error = raised.value.errors
    assert wide_error == "components → schemas → A: is not valid, and holds too many values to say where."
    assert other_error.startswith("components → schemas → B: ")


def test_many_kinds_of_components_are_parted_at_once() -> None:
    kinds = ", ".join(f'"x-{number}": {{}}' for number in range(100_000))  # one after the other, it would be minutes
    with pytest.raises(Invalid) as raised:
        check(HEAD + f', "more": 1, "components": {{{kinds}}}}}'.encode())
    assert raised.value.errors[0].startswith("At the top: ")
