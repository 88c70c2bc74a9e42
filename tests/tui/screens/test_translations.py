"""Translations on the screen: their pages beside those of the source, and their runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from recto.contract.rich_text import Document
from recto.contract.translations import RUN, CreateTranslation, SourceToTranslate, Translations
from recto.server.content.imported_tree import ImportedPage
from recto.server.jobs import Job, Task
from recto.store.locations import OrganizationsLocation
from support.content import change_space, make_space, written
from support.guided import Person, open_guided, person
from support.platform import FrozenClock, jobs_ended, own_organization
from support.screens import all_messages, settled

SOURCE = [
    written("start", "Start", "One **bold** word.\n\n```sh\nls\n```\n\nThe end.\n"),
    written("later", "Later"),
    written("news", "News"),
]
RESULT = [
    written("start", "START", "ONE **BOLD** WORD.\n\n```sh\nls\n```\n\nTHE END.\n"),
    written("later", "LATER", "WORDS.\n"),
    written("own", "Own"),
]


def with_text(pages: list[ImportedPage], id: str, text: str) -> list[ImportedPage]:
    return [written(id, page.title, text) if page.id == id else page for page in pages]


@asynccontextmanager
async def opened(folder: Path, size: tuple[int, int] = (160, 40)) -> AsyncIterator[Person]:
    """Open the list with a translation that has been run, after which a page of the source was changed."""
    platform = open_guided(folder)
    organization = own_organization(platform)
    source, result = make_space(platform, SOURCE), make_space(platform, RESULT)
    platform.close()
    async with person(folder, size=size, opening=OrganizationsLocation(f"translations:{organization}")) as ada:
        origin = SourceToTranslate(space=source, language="en")
        wanted = CreateTranslation(source=origin, language="de", instructions=Document())
        made = await ada.store.call(Translations.create_translation, organization, wanted)
        ada.platform.database.write_now(
            lambda connection: connection.update(
                "translations", made.id, result=result, is_complete=True, runs=1, latest_pages=2, latest_words=12
            )
        )
        assert isinstance(ada.platform.clock, FrozenClock)
        ada.platform.clock.advance(minutes=5)
        change_space(ada.platform, source, with_text(SOURCE, "later", "Other words.\n"))
        await ada.press("enter", "r")
        yield ada


async def test_each_page_stands_beside_its_source_with_its_state(tmp_path: Path) -> None:
    async with opened(tmp_path) as ada:
        assert "completed" in ada.screen and "2 pages, 12 words, 0.0 s" in ada.screen
        await ada.press("enter")
        rows = [" ".join(line.split("│")[3].split()) for line in ada.screen.splitlines()[3:7]]
        assert rows == [
            "Start ✓ current START 5 min ago 5 min ago",
            "Later ↓ stale LATER just now 5 min ago",
            "News × missing 5 min ago",
            "+ extra Own 5 min ago",
        ]
        assert "1 current, 1 stale, 1 missing, 1 extra" in ada.screen


async def test_the_texts_of_a_page_stand_side_by_side(tmp_path: Path) -> None:
    async with opened(tmp_path) as ada:
        await ada.press("enter", "enter")
        words = " ".join(ada.screen.split())
        assert "One bold word. │ ONE BOLD WORD." in words and "ls │ ls" in words and "The end. │ THE END." in words
        await ada.press("t")
        assert "ONE BOLD WORD." in ada.screen and "One bold word." not in ada.screen


async def test_on_a_narrow_screen_the_translation_stands_below_each_piece(tmp_path: Path) -> None:
    async with opened(tmp_path, (80, 24)) as ada:
        await ada.press("enter", "enter")
        words = " ".join(ada.screen.replace("│", " ").split())
        assert "en One bold word. " in words and "de ONE BOLD WORD." in words


async def test_a_page_on_one_side_alone_is_shown_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as ada:
        await ada.press("enter", "G", "enter")
        assert "Own  extra" in ada.screen
        await ada.press("S")
        assert any("no such page in the source" in text for text in all_messages(ada.pilot.app))


async def test_a_run_is_followed_and_cancelled(tmp_path: Path) -> None:
    is_under_way, goes_on = threading.Event(), threading.Event()

    def do(job: Job) -> None:
        job.progress("Translating", 1, 3)
        is_under_way.set()
        goes_on.wait()
        job.stop_if_cancelled()

    async with opened(tmp_path) as ada:
        (translation,) = (await ada.store.call(Translations.list_translations, own_organization(ada.platform))).items
        await ada.press("x")
        assert any("it does not run" in text for text in all_messages(ada.pilot.app))
        ada.platform.jobs.start(Task(RUN, "Guide (de)", do, translation.source.space))
        try:
            await asyncio.to_thread(is_under_way.wait)
            await settled(ada.pilot)
            assert "running, 1 of 3" in ada.screen
            await ada.press("enter")
            assert "state         running, 1 of 3" in ada.screen
            await ada.press("x")
            assert "Guide (de): it is under way." in ada.screen
            await ada.press("y")
        finally:
            goes_on.set()
        await jobs_ended(ada.platform)
        await settled(ada.pilot)
        assert "state         completed" in ada.screen and "Cancelled, 2 Mar 2026" in ada.screen


async def test_without_an_engine_a_run_says_what_is_missing(tmp_path: Path) -> None:
    async with opened(tmp_path) as ada:
        await ada.press("R")
        await jobs_ended(ada.platform)
        await settled(ada.pilot)
        assert any("translation_command" in text for text in all_messages(ada.pilot.app))
        await ada.press("enter")
        assert "pending" in ada.screen and "translation_command" in ada.screen
