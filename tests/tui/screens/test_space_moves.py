"""Moving the pages of a space with the keys: lifted, carried, staged, and written as one change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from recto.server.content.imported_tree import ImportedPage
from support.content import Desk, change_space
from support.platform import join, own_organization
from support.screens import screen_text
from support.spaces import Reader, Workspace

PAGES = [
    ImportedPage("one", "One", slug="one", text="1.\n"),
    ImportedPage("two", "Two", slug="two", text="2.\n", children=[ImportedPage("inner", "Inner", slug="inner")]),
    ImportedPage("three", "Three", slug="three", text="3.\n"),
    ImportedPage("group", "Group", slug="group", type="group", children=[ImportedPage("four", "Four", slug="four")]),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace(tmp_path)
    change_space(opened.platform, opened.space, PAGES)
    yield opened
    opened.close()


async def outline(reader: Reader, number: int = 1) -> str:
    """Write the page tree of a change request as one line."""
    answer = await reader.api.get(f"/spaces/{reader.space}/change-requests/{number}/content/pages")

    def write(pages: list[Any]) -> str:
        return " ".join(f"{page['id']}({write(page['pages'])})" if page.get("pages") else page["id"] for page in pages)

    return write(answer["pages"])


async def test_a_page_is_lifted_carried_and_dropped_and_a_writes_all_moves_at_once(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("m")
        reader.shows("One  lifted", "► One  here", "► Stays where it is.")
        await reader.press("m")
        assert reader.says("Lift: items are lifted; enter drops them, esc puts them back.")
        await reader.press("J", "J", "enter")
        reader.shows("One  → was first", "1 move staged")
        await reader.press("G", "H")
        reader.shows("2 moves staged")
        assert await reader.requests() == []
        await reader.press("A")
        reader.shows("Move 2 pages", "Put “One” after “Two”", "Take “Four” out of “Group”", "writes them as one change")
        await reader.press("y", "enter")
        assert await outline(reader) == "two(inner) one three group four"
        assert reader.transport.changes.count("write_content") == 1
        reader.shows_not("staged")


async def test_one_page_moves_by_one_place_out_and_in(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space, "Order")
    async with workspace.reader() as reader:
        await reader.press("w", "down", "enter")
        reader.shows("#1 “Order”")
        await reader.press("1", "h", "g", "J", "L", "A", "y")
        assert await outline(reader) == "two(inner one) three group(four)"
        assert reader.says("Moved “One”.")
        reader.shows_not("staged")
        await reader.press("H", "A", "y")
        assert await outline(reader) == "two(inner) one three group(four)"
        assert desk is not None


async def test_several_pages_are_lifted_together(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("space", "j", "space", "m")
        reader.shows("One and 1 more")
        await reader.press("G", "enter")
        reader.shows("2 moves staged")
        await reader.press("A", "y", "enter")
        assert await outline(reader) == "two(inner) group(four) one three"


async def test_what_looks_like_markup_in_a_title_is_only_shown_where_a_page_would_land(workspace: Workspace) -> None:
    title = "[/b] [@click=app.quit]Two[/]"
    change_space(workspace.platform, workspace.space, [PAGES[0], replace(PAGES[1], title=title), *PAGES[2:]])
    async with workspace.reader() as reader:
        await reader.press("m", "J")
        reader.shows(f"► Goes into the page “{title}”.")


async def test_names_stand_below_each_other_where_moves_are_staged(workspace: Workspace) -> None:
    change_space(workspace.platform, workspace.space, [replace(PAGES[0], attributes={"emoji": "1f44b"}), *PAGES[1:]])
    async with workspace.reader() as reader:
        await reader.press("J")
        reader.shows("1 move staged", "Two")
        rows = [line[:30] for line in screen_text(reader.pilot.app)]
        names = ("One", "Two", "Three")
        starts = {cell_len(row[: row.index(name)]) for row in rows for name in names if f" {name}" in row}
        assert len(starts) == 1


async def test_impossible_places_are_refused_with_the_reason(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("j", "l", "m")
        reader.shows("Two  lifted")
        await reader.press("j", "j")
        await reader.press("g", "j", "j")
        while "A page cannot go into" not in reader.screen:
            await reader.press("j")
        await reader.press("enter")
        assert reader.says("A page cannot go into itself.")
        await reader.press("escape")
        reader.shows_not("lifted")
        await reader.press("G", "k", "m")
        assert reader.says("“Group” is a group; the API moves pages alone.")


async def test_u_takes_a_staged_move_back_and_other_keys_say_that_moves_are_staged(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("J")
        reader.shows("1 move staged")
        await reader.press("e")
        assert reader.says("Edit in your editor: moves are staged; A applies them, u undoes them.")
        await reader.press("u")
        assert reader.says("No longer staged: Move “One” after “Two”")
        reader.shows_not("staged →")
        await reader.press("A")
        assert reader.says("Apply staged moves: no moves are staged.")


async def test_moves_are_staged_on_what_others_have_made_of_the_pages_meanwhile(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space, "Order")
    async with workspace.reader() as reader:
        await reader.press("w", "down", "enter", "h", "g", "J")
        await desk.write({"operation": "update_page", "page": "three", "into": None, "at": 0})
        await reader.press("A")
        assert reader.says("The page tree has changed on the server. Your moves are staged on its new structure.")
        await reader.press("y")
        assert await outline(reader) == "three two(inner) one group(four)"


async def test_who_may_not_edit_moves_nothing(workspace: Workspace) -> None:
    reading = join(workspace.platform, own_organization(workspace.platform), "Rea Reader", "read")
    workspace.platform.admit("token-of-rea", reading)
    async with workspace.reader(token="token-of-rea") as reader:
        for key, title in (("m", "Lift"), ("J", "Move down")):
            await reader.press(key)
            assert reader.says(f"{title}: needs the edit role.")
