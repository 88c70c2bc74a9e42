"""Rows of the translations of an organization."""

from __future__ import annotations

from pathlib import Path

from recto.contract.addresses import Main
from recto.contract.content import Content
from recto.contract.rich_text import Document
from recto.contract.spaces import Spaces
from recto.contract.translations import (
    CreateTranslation,
    SourceToTranslate,
    Translation,
    Translations,
)
from recto.document.rich_text.markdown_edits import with_markdown
from recto.document.rich_text.markdown_writer import to_markdown
from recto.store.locations import OrganizationsLocation
from support.engines import write_engine
from support.platform import wait_for_jobs
from support.screens import settled
from tui.reach.row import Driver, Place, Row

CREATE = "needs the create role"

TRANSLATIONS = Place(
    "Translations", lambda world: OrganizationsLocation(f"translations:{world.organization}"), ("enter",)
)


async def listed(ada: Driver) -> list[Translation]:
    return list((await ada.call(Translations.list_translations, ada.world.organization)).items)


async def make(ada: Driver) -> Translation:
    """Add a translation beside the program, and show it."""
    source = SourceToTranslate(space=ada.world.library, language="en")
    body = CreateTranslation(source=source, language="de", instructions=with_markdown(Document(), "Be brief."))
    made = await ada.call(Translations.create_translation, ada.world.organization, body)
    await ada.press("r")
    await ada.find("Blocks")
    return made


async def add(ada: Driver) -> None:
    await ada.press("a", "enter")
    await ada.type("Blocks")
    await ada.press("enter", "tab")
    await ada.type("en")
    await ada.press("tab")
    await ada.type("de")
    await ada.press("tab")
    await ada.type("Be brief.")
    await ada.press("ctrl+s")
    (made,) = await listed(ada)
    assert (made.source.space, made.source.language, made.language) == (ada.world.library, "en", "de")
    assert to_markdown(made.instructions).strip() == "Be brief."
    await ada.press("u")
    assert not await listed(ada)


async def instruct(ada: Driver) -> None:
    made = await make(ada)
    await ada.press("e")
    await ada.type("Really. ")
    await ada.press("ctrl+s")
    changed = await ada.call(Translations.get_translation, ada.world.organization, made.id)
    assert "Really." in to_markdown(changed.instructions)
    await ada.press("u")
    back = await ada.call(Translations.get_translation, ada.world.organization, made.id)
    assert to_markdown(back.instructions).strip() == "Be brief."


async def run(ada: Driver) -> None:
    made = await make(ada)
    ada.platform.engine = write_engine(Path.home())
    await ada.press("R")
    await wait_for_jobs(ada.platform)
    await settled(ada.pilot)
    found = await ada.call(Translations.get_translation, ada.world.organization, made.id)
    assert found.status == "completed" and found.result is not None
    tree = await ada.call(Content.list_pages, Main(found.result.space))
    assert tree.pages[0].title == "BLOCKS"


async def delete(ada: Driver) -> None:
    await make(ada)
    await ada.press("D", "y")
    assert not await listed(ada)
    assert (await ada.call(Spaces.get_space, ada.world.library)).deleted_at is None


async def read(ada: Driver) -> None:
    await make(ada)
    await ada.press("enter")
    assert "the first run makes its space" in ada.screen and "Be brief." in ada.screen
    assert "Hints and steps" in ada.screen and "× missing" in ada.screen


ROWS: tuple[Row, ...] = (
    Row(Translations.list_translations, TRANSLATIONS),
    Row(
        Translations.create_translation,
        TRANSLATIONS,
        "item.new",
        {"source": "choice", "language": "field", "instructions": "field"},
        act=add,
        needs=CREATE,
    ),
    Row(
        Translations.update_translation,
        TRANSLATIONS,
        "item.change",
        {"instructions": "field"},
        act=instruct,
        needs=CREATE,
    ),
    Row(Translations.run_translation, TRANSLATIONS, "translation.run", act=run, needs=CREATE),
    Row(Translations.delete_translation, TRANSLATIONS, "item.delete", act=delete, needs=CREATE),
    Row(Translations.get_translation, TRANSLATIONS, "list.open", act=read),
)
