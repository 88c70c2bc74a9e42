"""The export of a space to a folder, as a person asks for it."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from textual.pilot import Pilot

from recto.contract.export_report import ExportReport
from recto.server.exchange import export_folder
from recto.server.jobs import Job
from recto.store import pdf_saving
from recto.store.locations import SpaceLocation
from recto.store.pdf_saving import check_place
from recto.store.store import Store
from recto.tui.app import RectoApp
from support.content import make_space
from support.folders import write_folder
from support.guide_workspace import Person, person
from support.hosted import Hosted
from support.platform import make_platform
from support.screens import PATIENCE, all_messages, paste, screen_text, settled, shows, until_shown
from support.spaces import handbook

pytestmark = pytest.mark.slow  # exports run to their end

BOOK = {"SUMMARY.md": "* [Welcome](README.md)\n", "README.md": "# Welcome\n\nHello.\n", "LICENSE": "Do.\n"}


async def open_book(ada: Person, tmp_path: Path) -> None:
    """Import a folder, which opens its space."""
    folder = write_folder(tmp_path / "docs", BOOK)
    await ada.press("b")
    await ada.paste(str(folder))
    await ada.press("enter")
    assert "Hello." in ada.screen


def has_said(ada: Person, text: str) -> bool:
    return any(text in each for each in all_messages(ada.pilot.app))


def files_in(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


async def test_a_space_is_written_to_a_folder_that_is_remembered(tmp_path: Path) -> None:
    out = tmp_path / "out"
    async with person(tmp_path) as ada:
        await open_book(ada, tmp_path)
        await ada.press("O")
        assert "Export to a folder" in ada.screen and "Writes main as Markdown files." in ada.screen
        await ada.paste(str(out))
        await ada.press("ctrl+s")
        assert files_in(out) == BOOK
        assert has_said(ada, "Exported “docs”: 3 files written, 0 unchanged.")
        await ada.press("O", "ctrl+s")
        assert has_said(ada, "Exported “docs”: 0 files written, 3 unchanged.")


async def test_the_folder_that_the_program_was_started_in_may_be_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As after a switch to a branch that does not have it.
    (begun := tmp_path / "branch").mkdir()
    monkeypatch.chdir(begun)
    async with person(tmp_path) as ada:
        begun.rmdir()
        await open_book(ada, tmp_path)
        await ada.press("O")
        await ada.type("here")
        await ada.press("ctrl+s")
        assert has_said(ada, "here cannot be written: No such file or directory.")
        await ada.press("O", "ctrl+u")
        await ada.paste(str(tmp_path / "out"))
        await ada.press("ctrl+s")
        assert files_in(tmp_path / "out") == BOOK


async def test_content_that_the_folder_lacks_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path / "docs", {".env": "SECRET=1\n"})
    async with person(tmp_path) as ada:
        await open_book(ada, tmp_path)
        await begin_export(ada.pilot, tmp_path / "out")
        await until_shown(ada.pilot, "Export finished")
        assert "1 thing of the folder that was imported is not there:" in ada.screen
        assert ".env: hidden, and not a setting of a documentation tool" in ada.screen
        await ada.press("escape", "ampersand", "enter")
        assert "Export to a folder" in ada.screen and ".env: hidden" in ada.screen


async def test_files_in_the_way_are_named_and_replaced_only_when_asked(tmp_path: Path) -> None:
    out = write_folder(tmp_path / "out", {"README.md": "mine\n", "notes.txt": "mine\n"})
    async with person(tmp_path) as ada:
        await open_book(ada, tmp_path)
        await ada.press("O")
        await ada.paste(str(out))
        await ada.press("ctrl+s")
        assert files_in(out) == {"README.md": "mine\n", "notes.txt": "mine\n"}
        said = " ".join(ada.screen.replace("│", " ").split())
        assert "no export has written to it" in said and "README.md, notes.txt" in said
        await ada.press("down", "space", "ctrl+s")
        assert files_in(out) == {**BOOK, "notes.txt": "mine\n"}


async def test_a_page_is_saved_as_a_pdf_and_omissions_are_named(tmp_path: Path) -> None:
    file = tmp_path / "page.pdf"
    async with person(tmp_path) as ada:
        await open_book(ada, tmp_path)
        await ada.press("W")
        assert "Saves pages of main, with a title page and contents." in " ".join(ada.screen.split())
        await ada.paste(str(file))
        await ada.pilot.press("ctrl+s")
        await until_shown(ada.pilot, f"Saved {file}")
        assert "Hello." in " ".join(page.extract_text() for page in PdfReader(file).pages)
        await ada.press("ampersand", "enter")
        assert "PDF" in ada.screen and "1 page" in ada.screen
        await ada.press("escape", "escape", "W")
        await ada.paste(str(file))
        await ada.press("ctrl+s")
        # Where the lines break depends on the length of the path.
        words = " ".join(ada.screen.replace("│", " ").split())
        assert "is there already. Choose another file, or replace it." in words
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        await ada.press("ctrl+u")
        await ada.paste(str(pipe))
        await ada.press("tab", "tab", "space", "ctrl+s")
        assert has_said(ada, f"{pipe} is not a file.") and pipe.is_fifo()


async def test_before_the_job_of_a_pdf_has_begun_it_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, may_go_on = tmp_path / "page.pdf", threading.Event()

    def wait(place: Path, *, force: bool) -> None:
        assert may_go_on.wait(PATIENCE)
        check_place(place, force=force)

    monkeypatch.setattr(pdf_saving, "check_place", wait)
    async with person(tmp_path) as ada:
        await open_book(ada, tmp_path)
        await ada.press("W")
        await ada.paste(str(file))
        await ada.pilot.press("ctrl+s")
        await until_shown(ada.pilot, "Under way…")
        await ada.pilot.press("escape", "ampersand")
        await until_shown(ada.pilot, "Under way…")
        assert "No jobs yet." not in ada.screen
        may_go_on.set()
        await until_shown(ada.pilot, f"Saved {file}")


@asynccontextmanager
async def hosted_program(tmp_path: Path) -> AsyncIterator[tuple[Pilot[None], Hosted]]:
    """Open the program on a space of a hosted platform."""
    platform = make_platform(tmp_path)
    hosted = Hosted(platform, tmp_path)
    store = hosted.store()

    async def open_store() -> Store:
        return store

    app = RectoApp(open_store, opening=SpaceLocation(make_space(platform, handbook())))
    try:
        async with app.run_test(size=(100, 32), notifications=True) as pilot:
            await settled(pilot)
            yield pilot, hosted
            hosted.line.gate.set()
        await store.aclose()
    finally:
        platform.close()


async def begin_export(pilot: Pilot[None], folder: Path) -> None:
    await pilot.press("O")
    await settled(pilot)
    await paste(pilot, str(folder))
    await pilot.press("ctrl+s")


async def test_a_space_of_a_hosted_platform_is_written_after_missing_content_is_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    async with hosted_program(tmp_path) as (pilot, _):
        await pilot.press("O")
        await settled(pilot)
        said = " ".join("\n".join(screen_text(pilot.app)).replace("│", " ").split())
        assert "It does not return tags, redirects, files that are not part of the space" in said
        await pilot.press("escape")
        await begin_export(pilot, out)
        await until_shown(pilot, "files written, 0 unchanged.")
        assert "Open the box." in (out / "using" / "guide.md").read_text()
        assert "* [Welcome](welcome.md)" in (out / "SUMMARY.md").read_text()
        await pilot.press("ampersand")
        await settled(pilot)
        assert shows(pilot.app, "4 files written")


async def test_files_in_the_way_are_named_before_anything_of_a_hosted_platform_is_fetched(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", {"notes.txt": "mine\n"})
    async with hosted_program(tmp_path) as (pilot, hosted):
        hosted.line.gate.clear()
        await begin_export(pilot, tmp_path / "out")
        await until_shown(pilot, "notes.txt")


async def test_an_export_of_a_hosted_platform_is_put_aside_and_cancelled(tmp_path: Path) -> None:
    out = tmp_path / "out"
    async with hosted_program(tmp_path) as (pilot, hosted):
        hosted.line.gate.clear()
        await begin_export(pilot, out)
        await until_shown(pilot, "Reading the page tree")
        await pilot.press("escape")
        await pilot.pause()
        assert "export" in screen_text(pilot.app)[0]
        await pilot.press("ampersand")
        await until_shown(pilot, "Reading the page tree")
        await pilot.press("c")
        await until_shown(pilot, "Cancelled, nothing of it is kept.")
        await pilot.press("y")
        await until_shown(pilot, f"nothing in {out} was changed")
        assert not out.exists()
        hosted.line.gate.set()
        await until_shown(pilot, "cancelled")


async def test_an_export_is_put_aside_and_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, begun, released = tmp_path / "out", threading.Event(), threading.Event()

    def held(*given: Any, watch: Callable[[Job], None], **more: Any) -> ExportReport:
        def hold(job: Job) -> None:
            watch(job)
            if job.record.step == "Writing files" and not begun.is_set():
                begun.set()
                released.wait(60)

        return export_folder(*given, watch=hold, **more)

    monkeypatch.setattr("recto.server.exchange.export_folder", held)
    async with person(tmp_path) as ada:
        await open_book(ada, tmp_path)
        await begin_export(ada.pilot, out)
        while not (begun.is_set() and "Writing files" in ada.screen):
            await ada.pilot.pause()
        await ada.pilot.press("escape")
        await ada.pilot.pause()
        assert "export" in ada.screen.splitlines()[0]
        await ada.pilot.press("ampersand")
        await until_shown(ada.pilot, "Writing files")
        await ada.pilot.press("c")
        await until_shown(ada.pilot, "Cancelled, nothing of it is kept.")
        await ada.pilot.press("y")
        released.set()
        await until_shown(ada.pilot, f"nothing in {out} was changed")
        assert not out.exists()


async def test_a_pdf_of_a_hosted_platform_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "book.pdf"
    async with hosted_program(tmp_path) as (pilot, _):
        await pilot.press("W")
        await settled(pilot)
        await pilot.press(*str(file), "ctrl+s")
        await until_shown(pilot, f"Saved {file}")
        assert "Open the box." in " ".join(page.extract_text() for page in PdfReader(file).pages)
