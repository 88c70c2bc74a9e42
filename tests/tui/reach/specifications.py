"""Rows of the OpenAPI specifications of an organization."""

from __future__ import annotations

import json

from recto.contract.specifications import (
    CreateSpecification,
    ReplaceSpecification,
    Specification,
    Specifications,
    SpecificationSource,
)
from recto.store.locations import OrganizationsLocation
from support.platform import wait_for_jobs
from support.screens import settled
from tui.reach.row import Driver, Place, Row

CREATE = "needs the create role"

PETS = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {"/pets": {"get": {"summary": "List pets", "responses": {"200": {"description": "Pets"}}}}},
}

SPECIFICATIONS = Place(
    "OpenAPI specifications",
    lambda world: OrganizationsLocation(f"specifications:{world.organization}"),
    ("enter",),
)


async def find(ada: Driver, slug: str = "pets") -> Specification:
    """Return a specification once its job has ended."""
    await settle(ada)
    return await ada.call(Specifications.get_specification, ada.world.organization, slug)


async def settle(ada: Driver) -> None:
    await wait_for_jobs(ada.platform)
    await settled(ada.pilot)


async def make(ada: Driver) -> None:
    """Add a specification beside the program, and show it."""
    body = CreateSpecification(slug="pets", source=SpecificationSource(text=json.dumps(PETS)))
    await ada.call(Specifications.create_specification, ada.world.organization, body)
    await settle(ada)
    await ada.press("r")


async def add(ada: Driver) -> None:
    await ada.press("a")
    await ada.type("cats")
    await ada.press("tab")
    await ada.type("https://api.example.org/openapi.json")
    await ada.press("ctrl+s")
    made = await find(ada, "cats")
    assert made.source_url == "https://api.example.org/openapi.json"
    # The web of the tests is Markdown.
    assert made.last_process_error_code == "PARSE_ERROR"
    assert "not valid" in ada.screen
    await ada.press("u")
    listed = await ada.call(Specifications.list_specifications, ada.world.organization)
    assert "cats" not in [one.slug for one in listed.items]


async def give_another_source(ada: Driver) -> None:
    await make(ada)
    await ada.find("pets")
    await ada.press("e")
    await ada.type("https://api.example.org/openapi.json")
    await ada.press("ctrl+s")
    assert (await find(ada)).last_process_error_code == "PARSE_ERROR"
    await ada.press("R")
    assert (await find(ada)).last_version is not None


async def publish(ada: Driver) -> None:
    await make(ada)
    await ada.find("pets")
    await ada.press("P", "y")
    assert (await find(ada)).visibility == "public"
    await ada.press("P")
    assert (await find(ada)).visibility == "private"
    await ada.press("u")
    assert (await find(ada)).visibility == "public"


async def delete(ada: Driver) -> None:
    await make(ada)
    await ada.find("pets")
    await ada.press("D", "y")
    listed = await ada.call(Specifications.list_specifications, ada.world.organization)
    assert "pets" not in [one.slug for one in listed.items]


async def read(ada: Driver) -> None:
    await make(ada)
    await ada.find("pets")
    await ada.press("enter")
    assert "Versions of pets" in ada.screen and "Sent as text" in ada.screen
    await ada.press("enter")
    assert "GET    /pets" in ada.screen and "List pets" in ada.screen
    assert '"title": "Pets"' in ada.screen


async def compare(ada: Driver) -> None:
    await make(ada)
    newer = SpecificationSource(text=json.dumps({**PETS, "paths": {}}))
    body = ReplaceSpecification(source=newer)
    await ada.call(Specifications.replace_specification, ada.world.organization, "pets", body)
    await settle(ada)
    await ada.find("pets")
    await ada.press("enter", "d")
    assert "1 breaking change" in ada.screen and "GET /pets: removed" in ada.screen


ROWS: tuple[Row, ...] = (
    Row(Specifications.list_specifications, SPECIFICATIONS),
    Row(
        Specifications.create_specification,
        SPECIFICATIONS,
        "item.new",
        {"slug": "field", "source": "field"},
        act=add,
        needs=CREATE,
    ),
    Row(
        Specifications.replace_specification,
        SPECIFICATIONS,
        "item.change",
        {"source": "field"},
        act=give_another_source,
        needs=CREATE,
    ),
    Row(
        Specifications.update_specification,
        SPECIFICATIONS,
        "specification.publish",
        {"visibility": "key"},
        act=publish,
        needs=CREATE,
    ),
    Row(Specifications.delete_specification, SPECIFICATIONS, "item.delete", act=delete, needs=CREATE),
    Row(Specifications.get_specification, SPECIFICATIONS, "list.open", act=read),
    Row(Specifications.list_versions, SPECIFICATIONS, "list.open", act=read),
    Row(Specifications.get_content, SPECIFICATIONS, "list.open", act=read),
    Row(Specifications.get_content, SPECIFICATIONS, "specification.compare", act=compare),
)
