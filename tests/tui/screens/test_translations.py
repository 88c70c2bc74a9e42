"""Translations on the screen: their pages beside those of the source, and their runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from recto.contract.rich_text import Document
from recto.contract.spaces import Spaces
from recto.contract.translations import RUN, CreateTranslation, SourceToTranslate, Translation, Translations
from recto.server.jobs import Job, Task
from recto.store.locations import OrganizationsLocation
from recto.tui.screens.organizations.organizations_view import OrganizationsView
from recto.tui.screens.organizations.translations import TranslationsPane
from support.content import Desk, change_space, imported_page, make_space
from support.engines import UPPER, write_engine
from support.guide_workspace import Person, open_guided, person
from support.other_platforms import NOT_ALLOWED, OtherPlatform, visit_platform
from support.platform import FrozenClock, Speaker, own_organization, wait_for_jobs
from support.screens import all_messages, settled

START = "One **bold** word.\n\n```sh\nls\n```\n\nThe end.\n"


@asynccontextmanager
async def opened(folder: Path, size: tuple[int, int] = (160, 40)) -> AsyncIterator[Person]:
    """Open the list with a translation of two pages that has not been run."""
    platform = open_guided(folder)
    organization = own_organization(platform)
    source = make_space(platform, [imported_page("start", "Start", START), imported_page("later", "Later")])
    platform.close()
    async with person(folder, size=size, opening=OrganizationsLocation(f"translations:{organization}")) as ada:
        origin = SourceToTranslate(space=source, language="en")
        wanted = CreateTranslation(source=origin, language="de", instructions=Document())
        await ada.store.call(Translations.create_translation, organization, wanted)
        await ada.press("enter", "r")
        yield ada


async def translation_of(ada: Person) -> Translation:
    (found,) = (await ada.store.call(Translations.list_translations, own_organization(ada.platform))).items
    return found


async def run(ada: Person) -> None:
    """Run the translation by its key, to the end."""
    await ada.press("R")
    await wait_for_jobs(ada.platform)
    await settled(ada.pilot)


@asynccontextmanager
async def translated(folder: Path, size: tuple[int, int] = (160, 40)) -> AsyncIterator[Person]:
    """Open the list with a translation that has been run, before pages changed on both sides."""
    async with opened(folder, size) as ada:
        ada.platform.engine = write_engine(folder)
        await run(ada)
        assert isinstance(ada.platform.clock, FrozenClock)
        ada.platform.clock.advance(minutes=5)
        translation = await translation_of(ada)
        assert translation.result is not None
        pages = [
            imported_page("start", "Start", START),
            imported_page("later", "Later", "Other words.\n"),
            imported_page("news", "News"),
        ]
        change_space(ada.platform, translation.source.space, pages)
        desk = await Desk.open(Speaker(ada.platform), translation.result.space)
        await desk.write({"operation": "insert_page", "title": "Own", "document": {"markdown": "Own words.\n"}})
        await desk.merge()
        yield ada


async def test_each_page_stands_beside_its_source_with_its_state(tmp_path: Path) -> None:
    async with translated(tmp_path) as ada:
        assert "completed" in ada.screen and "2 pages, 8 words, 0.0 s" in ada.screen
        await ada.press("enter")
        rows = [" ".join(line.split("│")[3].split()) for line in ada.screen.splitlines()[3:7]]
        assert rows == [
            "Start ✓ current START 5 min ago 5 min ago",
            "Later ↓ stale LATER just now 5 min ago",
            "News × missing just now",
            "+ extra Own just now",
        ]
        assert "Guide (de), de" in ada.screen
        assert "1 current, 1 stale, 1 missing, 1 extra" in ada.screen


async def test_the_texts_of_a_page_stand_side_by_side(tmp_path: Path) -> None:
    async with translated(tmp_path) as ada:
        await ada.press("enter", "enter")
        words = " ".join(ada.screen.split())
        assert "One bold word. │ ONE BOLD WORD." in words and "ls │ ls" in words and "The end. │ THE END." in words
        await ada.press("t")
        assert "ONE BOLD WORD." in ada.screen and "One bold word." not in ada.screen


async def test_on_a_narrow_screen_the_translation_stands_below_each_piece(tmp_path: Path) -> None:
    async with translated(tmp_path, (80, 24)) as ada:
        await ada.press("enter", "enter")
        words = " ".join(ada.screen.replace("│", " ").split())
        assert "en One bold word. " in words and "de ONE BOLD WORD." in words


async def test_a_page_on_one_side_alone_is_shown_alone(tmp_path: Path) -> None:
    async with translated(tmp_path) as ada:
        await ada.press("enter", "G", "enter")
        assert "Own  extra" in ada.screen
        await ada.press("S")
        assert any("no such page in the source" in text for text in all_messages(ada.pilot.app))


async def test_an_item_that_is_left_can_be_opened_again_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as ada:
        await ada.press("enter")
        view = ada.pilot.app.screen
        assert isinstance(view, OrganizationsView)
        assert view.leave_zoom()
        view.query_one(TranslationsPane).rows.action_list_open()
        await settled(ada.pilot)
        assert "the first run makes its space" in ada.screen


async def test_a_source_that_is_gone_is_chosen_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as ada:
        await ada.press("a", "enter")
        await ada.type("Changelog")
        await ada.press("enter", "tab", "tab")
        await ada.type("fr")
        await ada.press("escape", "k")
        listed = ada.store.query_list(Spaces.list_spaces, own_organization(ada.platform))
        assert listed.value is not None
        gone = next(space.id for space in listed.value.items if space.title == "Changelog")
        await ada.store.call(Spaces.delete_space, gone)
        listed.refresh()
        await ada.press("a", "ctrl+s")
        assert any("no such space any more" in text for text in all_messages(ada.pilot.app))


async def test_a_run_is_followed_and_cancelled(tmp_path: Path) -> None:
    is_under_way, goes_on = threading.Event(), threading.Event()

    def do(job: Job) -> None:
        job.progress("Translating", 1, 3)
        is_under_way.set()
        goes_on.wait()
        job.stop_if_cancelled()

    async with opened(tmp_path) as ada:
        translation = await translation_of(ada)
        await ada.press("x")
        assert any("it does not run" in text for text in all_messages(ada.pilot.app))
        ada.platform.jobs.start(Task(RUN, "Guide (de)", do, translation.source.space))
        try:
            await asyncio.to_thread(is_under_way.wait)
            await settled(ada.pilot)
            assert "running, 1 of 3" in ada.screen
            await ada.press("R")
            assert any("it runs already" in text for text in all_messages(ada.pilot.app))
            await ada.press("enter")
            assert "state         running, 1 of 3" in ada.screen
            await ada.press("x")
            assert "Guide (de): it is under way." in ada.screen
            await ada.press("y")
            assert "state         cancelling" in ada.screen
            await ada.press("x")
            assert any("it is being cancelled" in text for text in all_messages(ada.pilot.app))
        finally:
            goes_on.set()
        await wait_for_jobs(ada.platform)
        await settled(ada.pilot)
        assert "state         pending" in ada.screen and "Cancelled, 2 Mar 2026" in ada.screen


async def test_without_an_engine_a_run_says_once_what_is_missing(tmp_path: Path) -> None:
    async with opened(tmp_path) as ada:
        await run(ada)
        assert sum("translation_command" in text for text in all_messages(ada.pilot.app)) == 1
        await ada.press("enter")
        assert "pending" in ada.screen and "translation_command" in ada.screen


async def test_a_run_that_fails_later_says_why(tmp_path: Path) -> None:
    async with opened(tmp_path) as ada:
        ada.platform.engine = write_engine(tmp_path, "raise SystemExit('The service refused.')")
        await run(ada)
        assert any("Guide (de) was not translated." in text for text in all_messages(ada.pilot.app))
        await ada.press("enter")
        assert "Failed, 2 Mar 2026" in ada.screen and "The service refused." in ada.screen


async def test_the_end_of_a_run_says_how_many_pages_it_translated_and_which_came_back_broken(tmp_path: Path) -> None:
    async with opened(tmp_path) as ada:
        drops_tags = UPPER.replace("text.upper()", "text.replace('<', '(')")
        ada.platform.engine = write_engine(tmp_path, drops_tags)
        broken = "1 page came back broken and was left as it was: Start: Text 1"
        await run(ada)
        assert "Translated 1 page of Guide (de). " + broken in all_messages(ada.pilot.app)[-1]
        await run(ada)
        assert "No page of Guide (de) was translated. " + broken in all_messages(ada.pilot.app)[-1]
        ada.platform.engine = write_engine(tmp_path)
        await run(ada)
        assert all_messages(ada.pilot.app)[-1] == "Translated 1 page of Guide (de)."
        await run(ada)
        assert all_messages(ada.pilot.app)[-1] == "No page of Guide (de) was translated: nothing has changed."


async def test_a_server_without_translations_is_asked_once_and_says_so(tmp_path: Path) -> None:
    platform = open_guided(tmp_path)
    opening = OrganizationsLocation(f"translations:{own_organization(platform)}")
    transport = OtherPlatform(platform, has=lambda method, path: "/translations" not in path, refusal=NOT_ALLOWED)
    async with visit_platform(platform, tmp_path / "there", transport, opening) as ada:
        await ada.press("enter")
        assert "This server does not offer the translations." in ada.screen
        await ada.press("a")
        assert any("this server has no translations" in text for text in all_messages(ada.pilot.app))
        await ada.press("R", "enter", "r")
        assert "This server does not offer the translations." in ada.screen
    assert len(transport.lacked) == 1
    platform.close()
