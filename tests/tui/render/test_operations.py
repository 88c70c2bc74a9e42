"""API operations as one sees them: what is told of them, how it folds, and that it fits any width."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.style import Style

from recto.document.openapi.api_model import Field, Operation, Schema
from recto.document.openapi.description import read_description
from recto.tui.look.text_roles import Roles
from recto.tui.render.brush import Brush
from recto.tui.render.leaf import Leaf
from recto.tui.render.line_breaks import cells
from recto.tui.render.operations import OperationLeaf
from recto.tui.render.rendered_page import RenderedPage, read
from recto.tui.render.surroundings import Missing, Shapes, Surroundings
from support.api_descriptions import PAGE, around_pets
from support.block_pages import BLOCKS

BRUSH = Brush(Roles({}), Style.null())
WORD = re.compile(r"\w+")
ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069]")
ONE = '{% openapi src="x.yaml" path="/a" method="get" %}\n{% endopenapi %}\n'


def lines(leaf: Leaf, width: int) -> Iterator[str]:
    for row in leaf.rows(width) if not leaf.is_hidden else ():
        line = "".join(segment.text for segment in BRUSH.row(row, width))
        assert cells(line) == width
        yield line.rstrip()


def visible_text(reading: RenderedPage, width: int = 60) -> str:
    return "\n".join(line for leaf in reading.leaves for line in lines(leaf, width))


def open_all(reading: RenderedPage) -> RenderedPage:
    for fold in reading.folds:
        fold.chosen = 0
    return reading


def shows(told: Operation, width: int = 60) -> list[str]:
    """Draw one operation with all of it open."""
    return visible_text(open_all(read("", ONE, surroundings=Surroundings(described=lambda _: told))), width).split("\n")


def words_of(field: Field) -> Iterator[str]:
    yield from (field.name, field.description, *words_of_shape(field.schema))


def words_of_shape(schema: Schema) -> Iterator[str]:
    yield from (schema.type, *schema.facts, *schema.values, schema.example, schema.choice)
    for field in (*schema.fields, *schema.alternatives):
        yield from words_of(field)


def words_of_operation(told: Operation) -> Iterator[str]:
    yield from (told.summary, told.description, told.path, told.method.upper(), *told.security, *told.callbacks)
    for server in told.servers:
        yield from (server.url, server.description)
    for field in told.parameters:
        yield from words_of(field)
    contents = [*(told.body.contents if told.body else ()), *(one for each in told.responses for one in each.contents)]
    for content in contents:
        yield from (*content.media_types, content.example, *(words_of_shape(content.schema) if content.schema else ()))
    for response in told.responses:
        yield from (response.status, response.description)
        for header in response.headers:
            yield from words_of(header)


# What is told


def test_an_operation_is_drawn_in_parts() -> None:
    shown = visible_text(read("", PAGE, surroundings=around_pets()), 76)
    for told in (
        " GET   /pets",
        "│ List pets",
        "│ All of them.",
        "│ Server  https://eu.example.com/v1  Live",
        "│ Access  oauth (OAuth 2, read write) or none",
        "│ ▾ Parameters  3",
        "│ │ tenant  string · uuid · in header ·",
        "│ │ limit   integer · in query · default    How many",
        "│ ▾ Responses  2",
        "│ │ ▸  200   The pets",
        " PUT   /pets/{petId}  deprecated  pets",
        "│ ▾ Body  11 fields  required",
        " POST   petSold  pets",
        "│ │    200   Heard",
        "│ ▸ Pet  11 fields",
    ):
        assert told in shown, shown
    assert "X-Next" not in shown


@pytest.mark.parametrize("width", [40, 80, 160])
def test_every_word_of_a_description_is_shown_at_any_width(width: int) -> None:
    around = around_pets()
    reading = open_all(read("", PAGE, surroundings=around))
    shown = "".join(WORD.findall(visible_text(reading, width)))
    for leaf in reading.leaves:
        if isinstance(leaf, OperationLeaf):
            told = around.described(leaf.block)
            if isinstance(told, Operation):
                for word in WORD.findall(" ".join(words_of_operation(told))):
                    assert word in shown, word


@pytest.mark.parametrize("width", [1, 3, 9, 24, 40, 100])
def test_an_operation_fits_any_width(width: int) -> None:
    reading = open_all(read("", PAGE + BLOCKS["swagger"], surroundings=around_pets()))
    assert visible_text(reading, width)


def test_what_is_within_is_indented_and_types_stand_below_each_other() -> None:
    street = Schema("Street", fields=(Field("number", Schema("integer"), required=True),))
    told = Operation("get", "/a", parameters=(Field("id", Schema("string")), Field("home", street)))
    assert shows(told)[-4:] == [
        "│ ▾ Parameters  2",
        "│ │ id        string",
        "│ │ home      Street",
        "│ │ │ number  integer · required",
    ]


def test_a_description_stands_beside_the_type_where_there_is_room_else_below() -> None:
    told = Operation("get", "/a", parameters=(Field("limit", Schema("integer"), description="How many at the most"),))
    assert shows(told, 60)[-1] == "│ │ limit  integer  How many at the most"
    assert shows(told, 40)[-2:] == ["│ │ limit  integer", "│ │        How many at the most"]
    assert shows(told, 20)[-3:] == ["│ │ limit  integer", "│ │   How many at", "│ │   the most"]


def test_alternatives_are_listed_below_how_many_of_them_hold() -> None:
    choice = Schema("object", choice="one of", alternatives=(Field("Cat", Schema("Cat")), Field("Dog", Schema("Dog"))))
    shown = shows(Operation("get", "/a", parameters=(Field("pet", choice),)))
    assert shown[-4:] == ["│ │ pet    object", "│ │ │ one of", "│ │ │ Cat", "│ │ │ Dog"]


def test_long_parts_are_closed_until_one_opens_them() -> None:
    fields = tuple(Field(f"field{number}", Schema("string")) for number in range(40))
    told = Operation("get", "/a", parameters=fields)
    reading = read("", ONE, surroundings=Surroundings(described=lambda _: told))
    assert "▸ Parameters  40" in visible_text(reading)
    assert "field7" not in visible_text(reading)
    assert "field7" in visible_text(open_all(reading))


def test_a_shape_of_which_there_is_nothing_to_tell_does_not_open() -> None:
    told = Shapes((Field("Any", Schema()), Field("Kind", Schema("string", values=("pet",)))))
    block = '{% openapi-schemas spec="x" schemas="Any,Kind" %}\n{% endopenapi-schemas %}\n'
    shown = visible_text(open_all(read("", block, surroundings=Surroundings(described=lambda _: told))))
    assert "│   Any  any\n│ ▾ Kind  string\n│ │ Always pet" in shown


def test_a_missing_description_is_named_at_the_block_whose_text_stays() -> None:
    shown = visible_text(read("", PAGE, surroundings=around_pets(Missing("The description is being read…"))), 76)
    assert " GET   /pets\n│ The description is being read…\n│ pets.yaml" in shown
    assert " PUT   /pets/{id}  pets\n│ The description is being read…" in shown
    assert "openapi-schemas  pets  Pet,Street" in shown


# Places


def test_the_places_of_what_is_below_stay_when_a_description_comes() -> None:
    before, after = read("", PAGE), read("", PAGE, surroundings=around_pets())
    assert len(before.leaves) == len(after.leaves)
    assert [leaf.line for leaf in before.leaves] == [leaf.line for leaf in after.leaves]
    assert before.leaves[-1].text() == after.leaves[-1].text() == "After it."


def test_what_is_folded_away_is_found_and_opened() -> None:
    reading = read("", PAGE, surroundings=around_pets())
    ((leaf, offset, _end),) = reading.find("The next page")
    assert "The next page" not in visible_text(reading, 80)
    option = reading.leaves[leaf].option_at(offset)
    assert option is not None
    option.choose()
    assert "The next page" in visible_text(reading, 80)


def test_what_was_opened_stays_open_where_the_page_is_read_again() -> None:
    reading = open_all(read("", PAGE, surroundings=around_pets()))
    chosen = {fold.key: fold.chosen for fold in reading.folds}
    assert len(chosen) == len(reading.folds)
    assert visible_text(read("", PAGE, surroundings=around_pets(), chosen=chosen)) == visible_text(reading)


def test_an_operation_is_not_put_together_before_it_is_looked_at() -> None:
    asked: list[str] = []

    def describe(block: Any) -> Missing:
        asked.append(block.attributes["path"])
        return Missing("Later.")

    page = "".join(ONE.replace("/a", f"/{number}") for number in range(9))
    reading = read("", page, surroundings=replace(Surroundings(), described=describe))
    assert asked == []
    reading.leaves[4].rows(40)
    assert asked == ["/4"]


# Whatever it says

TEXTS = st.text(max_size=30) | st.sampled_from(
    ["\x1b[31mred", "{% openapi path='/a' %}", "# Heading\n\n- list\n\n```\ncode\n```", "| a |\n|---|\n| b |", "x" * 99]
)
TYPES = st.sampled_from(["string", "object", "array", "null", "\x1b]8;;x\x07"])
SHAPES = st.recursive(
    st.fixed_dictionaries({"type": TYPES, "description": TEXTS, "default": TEXTS, "example": TEXTS}),
    lambda inner: st.fixed_dictionaries(
        {"description": TEXTS},
        optional={
            "properties": st.dictionaries(TEXTS, inner, max_size=3),
            "items": inner,
            "oneOf": st.lists(inner, max_size=3),
            "enum": st.lists(TEXTS, max_size=3),
        },
    ),
    max_leaves=8,
)


@pytest.mark.slow
@settings(derandomize=True, max_examples=150, deadline=None)
@given(TEXTS, TEXTS, SHAPES, st.sampled_from([2, 20, 60, 120]))
def test_whatever_a_description_says_is_letters_on_the_screen(name: str, text: str, schema: Any, width: int) -> None:
    content = {name: {"schema": schema, "example": text}}
    operation = {
        "summary": text,
        "description": text,
        "parameters": [{"name": name or "x", "in": text, "description": text, "schema": schema}],
        "requestBody": {"description": text, "content": content},
        "responses": {name: {"description": text, "content": content, "headers": {name: {"schema": schema}}}},
    }
    root = {"openapi": "3.0.0", "servers": [{"url": text}], "paths": {"/a": {"get": operation}}}
    told = read_description(json.dumps(root).encode()).operation("/a", "get")
    assert not any(ACTING.search(line) for line in shows(told, width))
