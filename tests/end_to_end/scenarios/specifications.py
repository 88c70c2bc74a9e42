"""Scenarios of OpenAPI specifications: their sources, states and versions."""

from __future__ import annotations

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World, is_gone
from recto.contract.specifications import (
    CreateSpecification,
    ReplaceSpecification,
    Specification,
    Specifications,
    SpecificationSource,
    UpdateSpecification,
)

TEXT = '{"openapi": "3.0.3", "info": {"title": "%s", "version": "1"}, "paths": {}}'


async def processed(world: World, slug: str = "pets") -> Specification:
    """Return a specification when its source is processed."""
    while True:
        found = await world.call(Specifications.get_specification, world.places.organization, slug)
        if found.processing_state == "complete":
            return found


async def new(world: World, slug: str = "pets") -> Specification:
    body = CreateSpecification(slug=slug, source=SpecificationSource(text=TEXT % "Pets"))
    await world.call(Specifications.create_specification, world.places.organization, body)
    return await processed(world, slug)


@proves(Specifications.create_specification)
@proves(Specifications.get_specification)
@proves(Specifications.list_specifications)
async def a_specification_is_listed_with_its_version(world: World) -> None:
    made = [await new(world, slug) for slug in ("cats", "dogs")]
    listed = await world.call(Specifications.list_specifications, world.places.organization)
    assert listed.items == tuple(made)
    assert all(one.last_version and one.last_process_error_code is None for one in made)


@proves(Specifications.replace_specification)
@proves(Specifications.list_versions)
@proves(Specifications.get_version)
@proves(Specifications.get_latest_version)
@proves(Specifications.get_content)
@proves(Specifications.get_latest_content)
async def another_source_makes_another_version(world: World) -> None:
    organization, before = world.places.organization, await new(world)
    body = ReplaceSpecification(source=SpecificationSource(text=TEXT % "Cats"))
    assert (await world.call(Specifications.replace_specification, organization, "pets", body)).id == before.id
    after = await processed(world)
    newest, oldest = (await world.call(Specifications.list_versions, organization, "pets")).items
    assert (newest.id, oldest.id) == (after.last_version, before.last_version)
    assert await world.call(Specifications.get_latest_version, organization, "pets") == newest
    assert await world.call(Specifications.get_version, organization, "pets", oldest.id) == oldest
    latest = await world.call(Specifications.get_latest_content, organization, "pets")
    assert latest == await world.call(Specifications.get_content, organization, "pets", newest.id)
    assert latest.filesystem["openapi.json"]["info"]["title"] == "Cats"


@proves(Specifications.update_specification)
async def a_public_specification_has_an_address(world: World) -> None:
    organization = world.places.organization
    await new(world)
    for visibility in ("public", "private"):
        body = UpdateSpecification(visibility=visibility)
        changed = await world.call(Specifications.update_specification, organization, "pets", body)
        assert changed == await processed(world)
        assert (changed.urls.published is not None) == (visibility == "public")


@proves(Specifications.delete_specification)
async def a_deleted_specification_is_gone(world: World) -> None:
    organization = world.places.organization
    await new(world)
    await world.call(Specifications.delete_specification, organization, "pets")
    assert await is_gone(world.call(Specifications.get_specification, organization, "pets"))
