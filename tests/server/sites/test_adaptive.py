from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.common import Role
from recto.document.expressions.language import parse, truth
from recto.server.people.access import ROLES
from support.platform import FrozenClock, Speaker

EMPTY = {"type": "object", "properties": {}, "additionalProperties": False}
BETA = {"type": "boolean", "description": "Tries things early"}
FULL = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "description": "Who reads us",
    "properties": {
        "unsigned": {
            "type": "object",
            "description": "Said without proof",
            "properties": {"dark": {"type": "boolean", "description": ""}},
            "additionalProperties": False,
        },
        "beta": BETA,
        "is-staff": {"type": "boolean", "description": ""},
    },
    "additionalProperties": False,
}


async def put(site: Any, schema: Any, status: int = 200) -> Any:
    return await site.speaker.send("PUT", f"{site.path}/adaptive-schema", {"jsonSchema": schema}, status)


async def test_before_any_is_set_it_names_no_claims(site: Any) -> None:
    found = await site.speaker.get(f"{site.path}/adaptive-schema")
    assert found == {"object": "site-adaptive-schema", "jsonSchema": EMPTY, "updatedAt": "2026-03-02T09:00:00.000Z"}
    assert await site.speaker.get(f"{site.path}/adaptive-schema/template-conditions") == {"items": []}


async def test_what_is_set_is_kept_as_it_is(site: Any) -> None:
    made = await put(site, FULL)
    told = {"object": "site-adaptive-schema", "jsonSchema": FULL, "updatedAt": "2026-03-02T09:00:00.000Z"}
    assert made == told
    assert await site.speaker.get(f"{site.path}/adaptive-schema") == made


async def test_setting_the_same_again_changes_nothing_and_another_replaces_all(site: Any, clock: FrozenClock) -> None:
    made = await put(site, FULL)
    clock.advance(minutes=1)
    assert await put(site, FULL) == made
    changed = await put(site, EMPTY)
    assert (changed["jsonSchema"], changed["updatedAt"]) == (EMPTY, "2026-03-02T09:01:00.000Z")


async def test_what_is_left_out_is_closed_all_the_same(site: Any) -> None:
    assert (await put(site, {"type": "object"}))["jsonSchema"] == EMPTY
    made = await put(site, {"type": "object", "properties": {"unsigned": {"type": "object"}}})
    assert made["jsonSchema"]["properties"] == {"unsigned": EMPTY | {"description": ""}}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (None, "jsonSchema: must be an object"),
        ([], "jsonSchema: must be an object"),
        ({}, "jsonSchema.type: is required"),
        ({"type": "array"}, "jsonSchema.type: "),
        ({"type": "object", "properties": []}, "jsonSchema.properties: must be an object"),
        ({"type": "object", "required": ["beta"]}, "jsonSchema.required: is not a field"),
        ({"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema"}, "jsonSchema.$schema: "),
        ({"type": "object", "additionalProperties": True}, "jsonSchema.additionalProperties: must be false"),
        ({"type": "object", "additionalProperties": 0}, "jsonSchema.additionalProperties: must be false"),
        ({"type": "object", "additionalProperties": None}, "jsonSchema.additionalProperties: must be false"),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "jsonSchema.properties.a: 'type' must be one of"),
        ({"type": "object", "properties": {"is_a": {"type": "text"}}}, "jsonSchema.properties.is_a: 'type' must be"),
        ({"type": "object", "properties": {"is-a": {"type": 1}}}, "jsonSchema.properties.is-a: 'type' must be one of"),
        ({"type": "object", "properties": {"a": {}}}, "jsonSchema.properties.a: 'type' is required"),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "jsonSchema.properties.a.items: is required"),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "array"}}}},
            "jsonSchema.properties.a.items: 'type' must be one of",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string", "enum": [1]}}},
            "jsonSchema.properties.a.enum[0]: must be a string",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number", "enum": []}}}},
            "jsonSchema.properties.a.items.enum: is not a field",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": True}}},
            "jsonSchema.properties.a.additionalProperties: must be false",
        ),
        ({"type": "object", "properties": {"a": None}}, "jsonSchema.properties.a: must be an object"),
        ({"type": "object", "properties": {"a": True}}, "jsonSchema.properties.a: must be an object"),
        ({"type": "object", "properties": {"a": {**BETA, "enum": [True]}}}, "jsonSchema.properties.a.enum: is not"),
        ({"type": "object", "properties": {"a": {**BETA, "description": 1}}}, "jsonSchema.properties.a.description: "),
        ({"type": "object", "properties": {"unsigned": BETA}}, "jsonSchema.properties.unsigned.type: "),
        ({"type": "object", "properties": {"unsigned": None}}, "jsonSchema.properties.unsigned: must be an object"),
        (
            {"type": "object", "properties": {"unsigned": {"type": "object", "properties": {"b": {"type": "text"}}}}},
            "jsonSchema.properties.unsigned.properties.b: 'type' must be one of",
        ),
    ],
)
async def test_the_shape_is_closed_and_the_place_is_named(site: Any, schema: Any, message: str) -> None:
    path = f"{site.path}/adaptive-schema"
    assert (await site.speaker.refused("PUT", path, 400, {"jsonSchema": schema})).startswith(message)
    assert (await site.speaker.get(path))["jsonSchema"] == EMPTY


def nest(depth: int) -> dict[str, Any]:
    """Return a schema with so many objects in one another, itself counted."""
    schema: dict[str, Any] = {"type": "object", "properties": {"a": BETA}}
    for _ in range(depth - 1):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def texts(count: int) -> dict[str, Any]:
    return {"type": "string", "enum": [str(each) for each in range(count)]}


@pytest.mark.parametrize(
    ("most", "one_more", "message"),
    [
        (nest(5), nest(6), "jsonSchema: at most 5 objects in one another"),
        (
            {"type": "object", "properties": {f"c{each}": BETA for each in range(200)}},
            {"type": "object", "properties": {f"c{each}": BETA for each in range(201)}},
            "jsonSchema: at most 200 claims",
        ),
        (
            {"type": "object", "properties": {"a" * 100: BETA}},
            {"type": "object", "properties": {"o": {"type": "object", "properties": {"a" * 101: BETA}}}},
            "jsonSchema: at most 100 characters in the name of a claim",
        ),
        (
            {"type": "object", "properties": {"a": texts(100)}},
            {"type": "object", "properties": {"a": texts(101)}},
            "jsonSchema.properties.a.enum: at most 100 items",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string", "enum": ["x" * 256]}}},
            {"type": "object", "properties": {"a": {"type": "string", "enum": ["x" * 257]}}},
            "jsonSchema.properties.a.enum[0]: at most 256 characters",
        ),
        (
            {"type": "object", "properties": {"a": BETA | {"description": "x" * 512}}},
            {"type": "object", "properties": {"a": BETA | {"description": "x" * 513}}},
            "jsonSchema.properties.a.description: at most 512 characters",
        ),
    ],
    ids=["depth", "claims", "name", "values", "value", "description"],
)
async def test_a_schema_has_its_limits(site: Any, most: Any, one_more: Any, message: str) -> None:
    await put(site, most)
    path = f"{site.path}/adaptive-schema"
    assert await site.speaker.refused("PUT", path, 400, {"jsonSchema": one_more}) == message


async def test_a_schema_is_needed(site: Any) -> None:
    path = f"{site.path}/adaptive-schema"
    assert await site.speaker.refused("PUT", path, 400, {}) == "jsonSchema: is required"


async def test_each_claim_gives_two_conditions(site: Any) -> None:
    await put(site, FULL)
    found = await site.speaker.get(f"{site.path}/adaptive-schema/template-conditions")
    assert [(each["condition"], each["description"]) for each in found["items"]] == [
        ("visitor.claims.unsigned.dark", "The visitor says “dark” of themselves, without proof"),
        ("!visitor.claims.unsigned.dark", "Not: The visitor says “dark” of themselves, without proof"),
        ("visitor.claims.beta", "Tries things early"),
        ("!visitor.claims.beta", "Not: Tries things early"),
        ('visitor.claims["is-staff"]', "The visitor has the claim “is-staff”"),
        ('!visitor.claims["is-staff"]', "Not: The visitor has the claim “is-staff”"),
    ]


KINDS = {
    "type": "object",
    "properties": {
        "plan": {"type": "string", "enum": ["free", "pro"], "description": "What they pay for"},
        "name": {"type": "string", "description": ""},
        "seats": {"type": "number", "description": "How many work there"},
        "groups": {
            "type": "array",
            "items": {"type": "string", "enum": ["staff"], "description": ""},
            "description": "Where they are",
        },
        "tags": {"type": "array", "items": {"type": "number", "description": ""}, "description": ""},
        "home": {
            "type": "object",
            "description": "",
            "properties": {"eu": {"type": "boolean", "description": "In the Union"}},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}


async def test_claims_of_every_kind_are_kept_and_give_conditions(site: Any) -> None:
    assert (await put(site, KINDS))["jsonSchema"] == KINDS
    found = await site.speaker.get(f"{site.path}/adaptive-schema/template-conditions")
    conditions = {each["condition"]: each["description"] for each in found["items"]}
    assert conditions == {
        'visitor.claims.plan == "free"': "What they pay for: free",
        'visitor.claims.plan == "pro"': "What they pay for: pro",
        "visitor.claims.name": "The visitor has the claim “name”",
        "!visitor.claims.name": "Not: The visitor has the claim “name”",
        "visitor.claims.seats": "How many work there",
        "!visitor.claims.seats": "Not: How many work there",
        'visitor.claims.groups.includes("staff")': "Where they are: staff",
        "visitor.claims.tags": "The visitor has the claim “tags”",
        "!visitor.claims.tags": "Not: The visitor has the claim “tags”",
        "visitor.claims.home.eu": "In the Union",
        "!visitor.claims.home.eu": "Not: In the Union",
    }
    claims = {"plan": "pro", "name": "Ada", "seats": 3, "groups": ["staff"], "tags": [1], "home": {"eu": True}}
    met = {each for each in conditions if truth(parse(each).evaluate({"visitor": {"claims": claims}}))}
    assert met == {each for each in conditions if not each.startswith("!")} - {'visitor.claims.plan == "free"'}


@pytest.mark.parametrize("name", ["beta", "is-staff", "", "2x", "a.b", "ü", "a\u2028b", 'a"b\\', "😀", "typeof", "a\n"])
async def test_a_claim_of_whatever_name_is_asked_for(site: Any, name: str) -> None:
    await put(site, {"type": "object", "properties": {name: {"type": "boolean"}}})
    found = await site.speaker.get(f"{site.path}/adaptive-schema/template-conditions")
    conditions = [parse(each["condition"]) for each in found["items"]]
    for claims in ({name: True}, {name: False}, {}):
        said = [truth(condition.evaluate({"visitor": {"claims": claims}})) for condition in conditions]
        assert said == [bool(claims.get(name)), not claims.get(name)]


@pytest.mark.parametrize("role", [*ROLES, None, "stranger"])
async def test_all_who_see_the_site_see_its_schema(
    site: Any, speak: Callable[[Role | str | None], Speaker], role: Role | str | None
) -> None:
    somebody = speak(role)
    for path in (f"{site.path}/adaptive-schema", f"{site.path}/adaptive-schema/template-conditions"):
        await somebody.get(path, 404 if role in (None, "stranger") else 200)


async def test_unknown_sites_are_404s(site: Any) -> None:
    for path in ("adaptive-schema", "adaptive-schema/template-conditions"):
        await site.speaker.refused("GET", f"{site.path}x/{path}", 404)
    body = {"jsonSchema": EMPTY}
    await site.speaker.refused("PUT", f"{site.path}x/adaptive-schema", 404, body)
