"""The export of a space to a folder, as a person asks for it."""

from __future__ import annotations

from pathlib import Path

from recto.store.locations import SpaceLocation
from support.folders import write_folder
from support.guided import Person, person
from support.screens import all_messages
from support.spaces import Workspace

BOOK = {"SUMMARY.md": "* [Welcome](README.md)\n", "README.md": "# Welcome\n\nHello.\n", "LICENSE": "Do.\n"}


async def open_book(ada: Person, tmp_path: Path) -> None:
    """Import a folder, which opens its space."""
    folder = write_folder(tmp_path / "docs", BOOK)
    await ada.press("b")
    await ada.type(str(folder))
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
        await ada.type(str(out))
        await ada.press("ctrl+s")
        assert files_in(out) == BOOK
        assert has_said(ada, "Exported “docs”: 3 files written, 0 unchanged.")
        await ada.press("O", "ctrl+s")
        assert has_said(ada, "Exported “docs”: 0 files written, 3 unchanged.")


async def test_files_in_the_way_are_named_and_replaced_only_when_asked(tmp_path: Path) -> None:
    out = write_folder(tmp_path / "out", {"README.md": "mine\n", "notes.txt": "mine\n"})
    async with person(tmp_path) as ada:
        await open_book(ada, tmp_path)
        await ada.press("O")
        await ada.type(str(out))
        await ada.press("ctrl+s")
        assert files_in(out) == {"README.md": "mine\n", "notes.txt": "mine\n"}
        said = " ".join(ada.screen.replace("│", " ").split())
        assert "no export has written to it" in said and "README.md, notes.txt" in said
        await ada.press("down", "space", "ctrl+s")
        assert files_in(out) == {**BOOK, "notes.txt": "mine\n"}


async def test_without_a_workspace_of_ones_own_the_key_says_why_it_does_nothing(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    try:
        async with workspace.reader(location=SpaceLocation(workspace.space)) as reader:
            await reader.press("O")
            assert reader.says("only in a local workspace")
    finally:
        workspace.close()
