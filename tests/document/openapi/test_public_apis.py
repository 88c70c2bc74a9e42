"""Public APIs in each version of the format, by facts about them: their operations with tags, and some schemas."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from recto.document.openapi.checking import check
from recto.document.openapi.description import Description
from recto.document.openapi.differences import compare

PETS = """\
pet: put /pet, post /pet, get /pet/findByStatus, get /pet/findByTags!, get /pet/{petId}, post /pet/{petId},
pet: delete /pet/{petId}, post /pet/{petId}/uploadImage,
store: get /store/inventory, post /store/order, get /store/order/{orderId}, delete /store/order/{orderId},
user: post /user, post /user/createWithList, get /user/login, get /user/logout, get /user/{username},
user: put /user/{username}, delete /user/{username}"""
PET_SCHEMAS = ("ApiResponse", "Category", "Pet", "Tag", "Order", "User")

SWAGGER_PETSTORE = ("2.0", f"{PETS},\nuser: post /user/createWithArray", PET_SCHEMAS)
"""https://petstore.swagger.io/v2/swagger.json, version 1.0.7; an exclamation mark stands for deprecated."""

OPENAPI_PETSTORE = ("3.0.4", PETS.replace("!", ""), ("Order", "Category", "User", "Tag", "Pet", "ApiResponse"))
"""https://github.com/swagger-api/swagger-petstore (19 March 2025), served at petstore3.swagger.io"""

TRAIN_TRAVEL = (
    "3.1.0",
    """\
Stations: get /stations,
Trips: get /trips,
Bookings: get /bookings, post /bookings, get /bookings/{bookingId}, delete /bookings/{bookingId},
Payments: post /bookings/{bookingId}/payment,
Webhooks: post newBooking""",
    (
        *("Station", "Links-Self", "Links-Destination", "Links-Origin", "Links-Pagination", "Problem", "Trip"),
        *("Booking", "Wrapper-Collection", "BookingPayment", "Links-Booking"),
    ),
)
"""https://github.com/bump-sh-examples/train-travel-api (12 March 2025)"""


def entries(facts: str) -> list[tuple[str, str, str, bool]]:
    """Return tag, method, path and whether it is deprecated."""
    found = []
    for line in facts.splitlines():
        tag, _, listed = line.partition(": ")
        for written in listed.removesuffix(",").split(", "):
            method, path = written.removesuffix("!").split(" ")
            found.append((tag, method, path, written.endswith("!")))
    return found


def description(version: str, facts: str, schemas: tuple[str, ...]) -> dict[str, Any]:
    """Write a description from facts; each operation answers with the first schema."""
    is_older = version == "2.0"
    target = {"$ref": f"#/{'definitions' if is_older else 'components/schemas'}/{schemas[0]}"}
    ok = {"schema": target} if is_older else {"content": {"application/json": {"schema": target}}}
    kind = {"type": "string"}
    shown: dict[str, Any] = {"swagger": version} if is_older else {"openapi": version}
    shown |= {"info": {"title": "A public API", "version": "1"}, "paths": {}}
    for tag, method, path, deprecated in entries(facts):
        parameters = [
            {"name": name, "in": "path", "required": True, **(kind if is_older else {"schema": kind})}
            for name in re.findall(r"\{(\w+)\}", path)
        ]
        operation = {
            "responses": {"200": {"description": "Ok", **ok}},
            "parameters": parameters,
            "deprecated": deprecated,
        }
        if path.startswith("/"):
            shown["paths"].setdefault(path, {})[method] = operation | {"tags": [tag]}
        else:
            shown.setdefault("webhooks", {})[path] = {method: operation}
    shapes = {name: {"type": "object", "properties": {"id": {"type": "integer"}}} for name in schemas}
    return shown | ({"definitions": shapes} if is_older else {"components": {"schemas": shapes}})


@pytest.mark.parametrize(
    ("facts", "version"),
    [(SWAGGER_PETSTORE, "Swagger 2.0"), (OPENAPI_PETSTORE, "OpenAPI 3.0"), (TRAIN_TRAVEL, "OpenAPI 3.1")],
    ids=["2.0", "3.0", "3.1"],
)
def test_a_public_api_is_read_as_it_is(facts: tuple[str, str, tuple[str, ...]], version: str) -> None:
    checked = check(json.dumps(description(*facts)).encode())
    assert checked.version == version
    read = Description(json.loads(checked.content))
    outline = [(each.group, each.method, each.path, each.deprecated) for each in read.outline()]
    assert sorted(outline) == sorted(entries(facts[1]))
    assert read.schema_names() == facts[2]
    for entry in read.outline():
        look_up = read.webhook if entry.is_webhook else read.operation
        found = look_up(entry.path, entry.method)
        assert found.responses[0].contents[0].schema is not None
        assert [field.name for field in found.parameters] == re.findall(r"\{(\w+)\}", entry.path)


def test_a_petstore_in_the_next_version_of_the_format_differs_in_what_it_says_alone() -> None:
    found = compare(description(*SWAGGER_PETSTORE), description(*OPENAPI_PETSTORE))
    assert [(change.subject, change.text, change.breaking) for change in found.changes] == [
        ("POST /user/createWithArray", "removed", True),
        ("GET /pet/findByTags", "no longer deprecated", False),
    ]
