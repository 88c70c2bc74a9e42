"""The import of content into a space, as a person asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from support.folders import write_folder
from support.guided import Person, person
from support.screens import settled, shows
from tui.screens.test_space_export import hosted_program, until_shown


async def open_form(ada: Person) -> None:
    """Open the guide in English, and in it the form."""
    await ada.find("Guide (F")
    await ada.press("k", "enter", "B")
    assert "The pages are added after those of main" in ada.screen


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("https://ada:s3cret@docs.example.org/wiki", "https://docs.example.org/wiki"),
        ("https://s3cret@docs.example.org/a@b", "https://docs.example.org/a@b"),
        ("https://ada:s3cret", "https://"),
        ("https://docs.example.org:8443", "https://docs.example.org:8443"),
    ],
)
async def test_the_draft_of_the_form_keeps_no_credentials(tmp_path: Path, typed: str, kept: str) -> None:
    async with person(tmp_path) as ada:
        await open_form(ada)
        await ada.type(typed)
        [draft] = ada.store.drafts.find()
        assert "s3cret" not in ada.store.drafts.text(draft)
        await ada.press("escape", "k", "B")
        assert f" {kept} " in ada.screen


async def import_typed(pilot: Pilot[None], typed: str) -> None:
    await pilot.press("B")
    await settled(pilot)
    await pilot.press(*typed, "ctrl+s")


async def test_a_folder_is_sent_to_a_change_request_of_a_hosted_platform(tmp_path: Path) -> None:
    files = {
        "SUMMARY.md": "# S\n\n## Part\n\n* [One](one.md)\n* [Two](two.md)\n",
        "one.md": "# One\n",
        "two.md": "# Two\n",
    }
    folder = write_folder(tmp_path / "docs", files)
    async with hosted_program(tmp_path) as (pilot, _):
        await import_typed(pilot, str(folder))
        await until_shown(pilot, "Groups are not sent")
        await pilot.press("n")
        await settled(pilot)
        assert shows(pilot.app, "Import content")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Groups are not sent")
        await pilot.press("y")
        await until_shown(pilot, "Imported 2 pages into change request #1.")


async def test_a_file_that_cannot_be_converted_leaves_the_form_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"no document")
    async with hosted_program(tmp_path) as (pilot, _):
        await import_typed(pilot, str(tmp_path / "a.docx"))
        await until_shown(pilot, "a.docx is not a Word document")
        await settled(pilot)
        assert shows(pilot.app, "Import content")
