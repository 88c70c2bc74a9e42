"""Typing while the disk is full: it is told while one types, and no word is lost by any key."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import TextArea

from recto import disk
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.page_editor import PageEditor
from recto.tui.dialogs.prompt import PromptText
from support.spaces import Reader, Workspace


class Disk:
    """The disk on which drafts are written; ``full`` it takes none."""

    full = False


@pytest.fixture
def drive(monkeypatch: pytest.MonkeyPatch) -> Disk:
    write: Callable[..., None] = disk.write
    drive = Disk()

    def written(path: Path, data: bytes, **options: Any) -> None:
        if drive.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data, **options)

    monkeypatch.setattr(disk, "write", written)
    return drive


NOT_SAVED = "Not saved to disk. The system reports: No space left on device."


def is_open(reader: Reader, dialog: type[Dialog[Any]]) -> bool:
    return isinstance(reader.pilot.app.screen, dialog)


async def typing(reader: Reader, drive: Disk, text: str = "Bridge ") -> TextArea:
    """Open the built-in editor on a page and type while the disk is full."""
    await reader.read("The guide")
    await reader.press("E", "enter")
    assert is_open(reader, PageEditor)
    drive.full = True
    await reader.type(text)
    return reader.pilot.app.screen.query_one(TextArea)


async def test_the_editor_says_while_one_types_that_nothing_is_saved(workspace: Workspace, drive: Disk) -> None:
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("E", "enter")
        reader.shows_not("Not saved")
        drive.full = True
        await reader.type("B")
        reader.shows(NOT_SAVED, "f5 copy all", "f8 discard")
        drive.full = False
        await reader.type("ridge")
        reader.shows_not("Not saved")
        drive.full = True
        await reader.press("x")
        reader.shows(NOT_SAVED)


async def test_no_key_closes_the_editor_before_its_text_is_saved(workspace: Workspace, drive: Disk) -> None:
    async with workspace.reader() as reader:
        pad = await typing(reader, drive)
        for key in ("ctrl+s", "escape"):
            await reader.press(key)
            assert is_open(reader, PageEditor)
            assert pad.text.startswith("Bridge # The guide")
            reader.shows(NOT_SAVED)
        drive.full = False
        await reader.press("escape")
        assert not is_open(reader, PageEditor)
        [draft] = reader.store.drafts.find()
        assert reader.store.drafts.text(draft).startswith("Bridge # The guide")
        await reader.press("E")
        drive.full = True
        await reader.type("over ")
        await reader.press("ctrl+s")
        assert is_open(reader, PageEditor)
        drive.full = False
        await reader.press("ctrl+s")
        assert not is_open(reader, PageEditor)
        text = await reader.text_in(1, "guide")
        assert "Bridge " in text and "over " in text


async def test_a_copied_text_may_be_left_and_is_offered_again_in_the_built_in_editor_alone(
    workspace: Workspace, drive: Disk
) -> None:
    given: list[Path] = []
    async with workspace.reader(editor=lambda file, line: given.append(file)) as reader:
        await typing(reader, drive)
        await reader.press("f5")
        assert reader.pilot.app.clipboard.startswith("Bridge # The guide")
        await reader.press("escape")
        assert not is_open(reader, PageEditor)
        reader.shows("not on disk yet")
        for key in ("e", "E"):
            await reader.press(key)
            assert given == [], "the file could not be written"
            assert is_open(reader, PageEditor)
            reader.shows("Bridge # The guide", NOT_SAVED)
            if key == "e":
                await reader.press("f5", "escape")
        await reader.type("more ")
        await reader.press("escape")
        assert is_open(reader, PageEditor), "only what was copied before may be left"
        drive.full = False
        await reader.press("escape")
        [draft] = reader.store.drafts.find()
        assert "more " in reader.store.drafts.text(draft)


async def test_quitting_says_what_would_be_lost_and_discarding_is_confirmed_by_another_key(
    workspace: Workspace, drive: Disk
) -> None:
    async with workspace.reader() as reader:
        await typing(reader, drive)
        await reader.press("ctrl+q")
        reader.shows("What you typed could not be saved to disk (1 text). Quitting loses it.")
        reader.shows_not("It is kept as a draft")
        await reader.press("n")
        reader.shows("Bridge # The guide")
        await reader.press("f8")
        assert is_open(reader, Confirm)
        await reader.press("f8", "n")
        reader.shows("Bridge # The guide")
        await reader.press("f8", "y")
        assert not is_open(reader, PageEditor)
        assert reader.store.drafts.find() == []
        assert reader.store.keeper.unsaved == []


@pytest.mark.parametrize(("left", "found"), [("# The guide\n\nHalf a fi",) * 2, ("", "# The guide\n\nIt takes")])
async def test_what_an_editor_wrote_on_a_full_disk_is_looked_at_before_it_is_sent(
    workspace: Workspace, drive: Disk, left: str, found: str
) -> None:
    def edit(file: Path, line: int) -> None:
        drive.full = True
        file.write_text(left)

    async with workspace.reader(editor=edit) as reader:
        await reader.read("The guide")
        await reader.press("e", "enter")
        assert is_open(reader, PageEditor)
        assert reader.pilot.app.screen.query_one(TextArea).text.startswith(found)
        reader.shows("Your editor may not have saved all of it", NOT_SAVED)
        assert await reader.requests() == []


async def test_a_comment_stays_open_until_it_is_saved(workspace: Workspace, drive: Disk) -> None:
    async with workspace.reader() as reader:
        await reader.press("enter", "c")
        drive.full = True
        await reader.type("Why?")
        reader.shows(NOT_SAVED)
        await reader.press("ctrl+s", "escape")
        assert is_open(reader, PromptText)
        await reader.press("f5", "escape")
        assert not is_open(reader, PromptText)
        await reader.press("c")
        assert reader.pilot.app.screen.query_one(TextArea).text == "Why?"
        drive.full = False
        await reader.press("ctrl+s")
        assert [one["body"]["markdown"] for one in await reader.comments()] == ["Why?"]
        assert reader.store.drafts.find() == []
