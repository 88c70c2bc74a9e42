"""Taking back with ``u`` what was sent to a change request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from recto.tui.dialogs.confirm import Confirm
from recto.tui.terminal.editor import Editor
from support.content import Desk
from support.spaces import Reader, Workspace


def writes(*changes: Callable[[str], str]) -> Editor:
    left = list(changes)

    def edit(file: Path, line: int) -> None:
        file.write_text(left.pop(0)(file.read_text()))

    return edit


def replace_words(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


async def titles(reader: Reader) -> list[Any]:
    tree = await reader.api.get(f"/spaces/{reader.space}/change-requests/1/content/pages")
    return [
        (page["title"], [inner["title"] for inner in page["pages"]]) if page.get("pages") else page["title"]
        for page in tree["pages"]
    ]


BEFORE = ["Welcome", ("Using it", ["The guide", "Not yet"]), "Elsewhere"]


async def test_u_takes_an_edit_back_by_name_and_an_empty_change_request_is_offered_for_archiving(
    workspace: Workspace,
) -> None:
    async with workspace.reader(editor=writes(replace_words("Open", "Close"))) as reader:
        await reader.read("The guide")
        await reader.press("e", "enter")
        assert "Close the box" in await reader.text_in(1, "guide")
        await reader.press("u")
        assert reader.says("Reverted the edit of “The guide” in #1 (undo).")
        assert "Open the box" in await reader.text_in(1, "guide")
        reader.shows("Archive the change request", "#1 “Edit The guide” contains no changes any more.")
        await reader.press("n", "U")
        assert reader.says("Made the edit of “The guide” in #1 again (redo).")
        assert "Close the box" in await reader.text_in(1, "guide")
        await reader.press("u", "y")
        assert reader.says("#1 “Edit The guide” was archived, so this is main.")
        assert await reader.requests() == []
        await reader.press("u", "y")
        assert reader.says("#1 “Edit The guide” is a draft again now (undo).")


async def test_what_others_have_edited_since_stays(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space, "Together")
    async with workspace.reader(
        editor=writes(replace_words("Open", "Close"), replace_words("Put it", "Throw it"))
    ) as reader:
        await reader.press("w", "down", "enter")
        await reader.read("The guide")
        await reader.press("e")
        workspace.platform.clock.advance(minutes=5)  # type: ignore[attr-defined]
        await desk.edit("guide", (await desk.text("guide")).replace("turn the crank", "turn it twice"))
        await reader.press("u")
        text = await desk.text("guide")
        assert "Open the box" in text
        assert "turn it twice" in text
        await reader.press("e")
        workspace.platform.clock.advance(minutes=5)  # type: ignore[attr-defined]
        await desk.edit("guide", (await desk.text("guide")).replace("Throw it away", "Throw it far"))
        await reader.press("u")
        assert reader.says("The edit of “The guide” in #1 was not reverted.")
        assert reader.says("The same lines of “The guide” were changed since.")
        assert "Throw it far" in await desk.text("guide")


async def test_new_pages_titles_moves_and_deleted_pages_are_taken_back_one_after_another(workspace: Workspace) -> None:
    await Desk.open(workspace.api, workspace.space, "All of it")
    async with workspace.reader(editor=writes(lambda text: text + "Words.\n")) as reader:
        await reader.press("w", "down", "enter")
        await reader.read("The guide")
        await reader.press("f2", "end")
        await reader.type(" to it")
        await reader.press("enter", "h", "g", "J", "A", "y", "1", "h", "G", "k", "k", "D", "y")
        assert await titles(reader) == [("Using it", ["The guide to it"]), "Welcome", "Elsewhere"]
        await reader.press("a")
        await reader.type("More")
        await reader.press("enter")
        assert "More" in str(await titles(reader))
        undone = []
        for _ in range(4):
            await reader.press("u")
            if isinstance(reader.pilot.app.screen, Confirm):
                await reader.press("y")
            undone.append(await titles(reader))
        assert "More" not in str(undone[0])
        assert undone[1] == [("Using it", ["The guide to it", "Not yet"]), "Welcome", "Elsewhere"]
        assert undone[2] == ["Welcome", ("Using it", ["The guide to it", "Not yet"]), "Elsewhere"]
        assert undone[3] == BEFORE
        assert reader.says("#1 “All of it” was archived, so this is main.")


async def test_it_asks_first_when_its_page_is_not_on_the_screen_and_ends_at_the_merge(workspace: Workspace) -> None:
    async with workspace.reader(editor=writes(replace_words("Open", "Close"))) as reader:
        await reader.read("The guide")
        await reader.press("e", "enter", "2", "u")
        reader.shows("The last change is not on the screen: Sent “The guide”.")
        await reader.press("n", "1")
        assert "Close the box" in await reader.text_in(1, "guide")
        await Desk(workspace.api, workspace.space, 1).merge()
        await reader.press("2", "u", "y")
        assert reader.says("The edit of “The guide” in #1 was not reverted.")
        assert reader.says("The change request is merged.")
        await reader.press("u")
        assert reader.says("nothing to undo")
