"""Scenarios of translations: their life, and their runs."""

from __future__ import annotations

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World, is_gone
from recto.contract.addresses import Main
from recto.contract.content import Content
from recto.contract.rich_text import Block, Document, Leaf, Text
from recto.contract.spaces import Spaces
from recto.contract.translations import (
    CreateTranslation,
    SourceToTranslate,
    Translation,
    Translations,
    UpdateTranslation,
)

KINDLY = Document(nodes=(Block(type="paragraph", nodes=(Text(leaves=(Leaf(text="Be kind."),)),)),))


async def new(world: World, language: str = "fr") -> Translation:
    body = CreateTranslation(
        source=SourceToTranslate(space=world.manual, language="en"), language=language, instructions=Document()
    )
    return await world.call(Translations.create_translation, world.places.organization, body)


async def found(world: World, translation: Translation) -> Translation:
    return await world.call(Translations.get_translation, world.places.organization, translation.id)


@proves(Translations.create_translation)
@proves(Translations.get_translation)
@proves(Translations.list_translations)
async def translations_are_listed_the_newest_first(world: World) -> None:
    french, german = [await new(world, language) for language in ("fr", "de")]
    listed = await world.call(Translations.list_translations, world.places.organization)
    assert listed.items == (german, french)
    assert await found(world, french) == french
    assert (french.status, french.result) == ("pending", None)


@proves(Translations.update_translation)
async def its_instructions_change(world: World) -> None:
    made = await new(world)
    body = UpdateTranslation(instructions=KINDLY)
    changed = await world.call(Translations.update_translation, world.places.organization, made.id, body)
    assert changed == await found(world, made)
    assert changed.instructions == KINDLY != made.instructions


@proves(Translations.run_translation)
async def a_run_makes_a_space_that_holds_the_translation(world: World) -> None:
    made = await new(world)
    await world.call(Translations.run_translation, world.places.organization, made.id)
    while (after := await found(world, made)).status == "running":
        pass
    assert after.result is not None
    space = await world.call(Spaces.get_space, after.result.space)
    assert (after.status, space.revision, space.language) == ("completed", after.result.revision, "fr")
    page = await world.call(Content.get_page, Main(space.id), "cables", "markdown")
    assert page.markdown == "# CABLES\n\nTHERE ARE THREE.\n"
    assert (after.stats.runs, after.stats.total_pages) == (1, 3)


@proves(Translations.delete_translation)
async def a_deleted_translation_is_gone(world: World) -> None:
    made = await new(world)
    await world.call(Translations.delete_translation, world.places.organization, made.id)
    assert await is_gone(found(world, made))
