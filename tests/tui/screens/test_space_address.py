"""A space seen in a change request: the choice of it, what is shown there, and where edits go."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from recto.store.locations import ChosenRequest, Locations, OrganizationsLocation, SpaceLocation, item_id
from recto.store.page_diff import ShownLine
from recto.tui.lists.diff_list import DiffList
from recto.tui.page.page_view import PageView
from recto.tui.screens.change_request.change_request_view import ChangeRequestView
from recto.tui.screens.space.space_view import SpaceView
from recto.tui.terminal.editor import Editor
from support.content import Desk, imported_page, propose
from support.screens import settled
from support.sites import Refusing
from support.spaces import GUIDE, Reader, Workspace, handbook

FOUR = f"# The guide\n\n{GUIDE.replace('three steps', 'four steps')}"


def writes(old: str, new: str) -> Editor:
    """Return an editor in which a person replaces some words."""

    def edit(file: Path, line: int) -> None:
        file.write_text(file.read_text().replace(old, new))

    return edit


def locations(workspace: Workspace) -> Locations:
    return Locations(workspace.folder / "places.json")


def choose(workspace: Workspace, choice: ChosenRequest) -> None:
    """Have a change request chosen in the space before the program starts."""
    kept = locations(workspace)
    kept.choose("workspace", workspace.space, choice)
    kept.flush()


async def proposed(workspace: Workspace, subject: str = "Say it better") -> tuple[Desk, SpaceLocation]:
    """Make a change request that edits the guide; return it, and where the guide is seen in it."""
    desk = await Desk.open(workspace.api, workspace.space, subject)
    await desk.edit("guide", FOUR)
    return desk, SpaceLocation(workspace.space, change_request=(await desk.get())["id"], page="guide")


def at(reader: Reader) -> str | None:
    """Return the change request in which the space is seen."""
    location = reader.pilot.app.screen.location  # type: ignore[attr-defined]
    assert isinstance(location, SpaceLocation)
    return location.change_request


# Choosing


async def test_w_offers_the_change_requests_and_shows_the_page_in_the_one_chosen(workspace: Workspace) -> None:
    await Desk.open(workspace.api, workspace.space, "Another")
    _, there = await proposed(workspace)
    workspace.platform.clock.advance(hours=2)  # type: ignore[attr-defined]
    async with workspace.reader() as reader:
        await reader.read("The guide")
        reader.shows("It takes three steps.")
        await reader.press("w")
        reader.shows("New change request", "#2 Say it better", "draft · 2 h ago · Ada Lovelace", "#1 Another")
        lines = reader.screen.splitlines()
        order = [
            next(number for number, line in enumerate(lines) if text in line)
            for text in ("New change request", "#2 Say", "#1 Ano", "you are here")
        ]
        assert order == sorted(order)
        await reader.type("say it")
        await reader.press("enter")
        reader.shows("It takes four steps.", "#2 “Say it better”")
        assert at(reader) == there.change_request
        await reader.press("w")
        await reader.type("main")
        await reader.press("enter")
        reader.shows("It takes three steps.")
        assert len(reader.pilot.app.open_views) == 1  # type: ignore[attr-defined]


async def test_the_cursor_stands_in_the_same_block_though_the_text_above_is_another(workspace: Workspace) -> None:
    desk, _ = await proposed(workspace)
    await desk.edit("guide", FOUR.replace("## First step", "Much more.\n\nAnd more.\n\n## First step"))
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("slash")
        await reader.type("what is in")
        await reader.press("enter", "escape")
        assert "Read what is in it" in reader.line("▌")
        await reader.press("w", "down", "enter")
        reader.shows("And more.")
        assert "Read what is in it" in reader.line("▌")


async def test_a_new_change_request_is_made_by_its_subject_and_shown(workspace: Workspace) -> None:
    async with workspace.reader(editor=writes("Open", "Close")) as reader:
        await reader.read("The guide")
        await reader.press("w", "enter")
        reader.shows("New change request", "Type the subject of the new change request.")
        await reader.type("Slow down")
        await reader.press("escape", "w")
        reader.shows("New change request “Slow down”", "Main")
        await reader.press("enter")
        assert reader.says("Created the change request “Slow down”.")
        reader.shows("#1 “Slow down”")
        await reader.press("e")
        assert "Close the box" in await reader.text_in(1, "guide")
        reader.shows("Close the box.")


async def test_main_chosen_with_w_is_the_choice_and_the_next_edit_asks_where_it_goes(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(location=there, editor=writes("three", "five")) as reader:
        await reader.press("w")
        await reader.type("main")
        await reader.press("enter")
        reader.shows("● main")
        assert locations(workspace).choice("workspace", workspace.space) is None
        await reader.press("e")
        reader.shows("Edit “The guide” in", "New change request “Edit The guide”", "#1 Say it better")
        await reader.press("enter")
        assert "five" in await reader.text_in(2, "guide")
        reader.shows("◌ #2")


async def test_main_come_to_otherwise_keeps_the_choice_and_e_moves_there(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(editor=writes("four", "five")) as reader:
        await reader.read("The guide")
        await reader.press("w", "down", "enter", "minus")
        reader.shows("● main", "It takes three steps.")
        await reader.press("e")
        assert reader.says("Edits go to #1 “Say it better”, so that is what you see now.")
        assert at(reader) == there.change_request
        assert "five" in await reader.text_in(1, "guide")


async def test_the_choice_is_remembered_for_each_space_and_across_starts(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(location=there) as reader:
        reader.shows("It takes four steps.")
    assert locations(workspace).choice("workspace", workspace.space) == ChosenRequest(str(there.change_request))
    above = OrganizationsLocation(item_id("space", workspace.space))
    async with workspace.reader(location=above) as reader:
        await reader.press("enter")
        assert at(reader) == there.change_request
    async with workspace.reader(location=replace(there, change_request=None)) as reader:
        reader.shows("It takes three steps.")
    async with workspace.reader(location=above) as reader:
        await reader.press("enter")
        assert at(reader) is None


@pytest.mark.parametrize("becomes", ["merged", "archived"])
async def test_a_change_request_that_was_closed_leads_to_main(workspace: Workspace, becomes: str) -> None:
    desk, there = await proposed(workspace)
    if becomes == "merged":
        await desk.merge()
    else:
        await workspace.api.send("PATCH", desk.path, {"status": "archived"})
    async with workspace.reader(location=there) as reader:
        assert reader.says(f"#1 “Say it better” was {becomes}, so this is main.")
        assert at(reader) is None
        reader.shows("The guide")
        assert len(reader.pilot.app.open_views) == 1  # type: ignore[attr-defined]
    assert locations(workspace).choice("workspace", workspace.space) is None


async def test_after_a_merge_the_space_is_seen_at_main(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(location=there) as reader:
        await reader.press("plus", "M", "y")
        reader.shows("merged")
        await reader.press("q")
        assert reader.says("#1 “Say it better” was merged, so this is main.")
        reader.shows("● main", "It takes four steps.")


async def test_r_sees_that_the_change_request_was_merged_by_others(workspace: Workspace) -> None:
    desk, there = await proposed(workspace)
    async with workspace.reader(location=there) as reader:
        reader.shows("#1 “Say it better”")
        await desk.merge()
        await reader.press("r")
        assert reader.says("#1 “Say it better” was merged, so this is main.")
        reader.shows("● main", "It takes four steps.")


async def test_a_view_that_is_passed_on_the_way_to_another_does_not_replace_it(workspace: Workspace) -> None:
    desk, there = await proposed(workspace)
    choose(workspace, ChosenRequest(there.change_request or ""))
    above = OrganizationsLocation(item_id("space", workspace.space))
    async with workspace.reader(location=above) as reader:
        await reader.press("enter")
        await reader.read("The guide")
        await reader.press("plus")
        await desk.merge()
        await reader.press("r")
        reader.shows("merged")
        reader.pilot.app.screen.go(above)  # type: ignore[attr-defined]
        await settled(reader.pilot)
        assert reader.pilot.app.screen.location.subject == above.subject  # type: ignore[attr-defined]
        assert not reader.says("#1 “Say it better” was merged, so this is main.")


# What is shown


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_the_header_says_which_address_each_in_its_colour(workspace: Workspace, size: tuple[int, int]) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(size=size) as reader:
        colours = [colour_of(reader, "● main")]
        await reader.press("w", "down", "enter")
        colours.append(colour_of(reader, "◌ #1 “Say it better”"))
        assert at(reader) == there.change_request
        await reader.press("6", "enter")
        colours.append(colour_of(reader, "◷ as of 2 Mar 2026, 09:00"))
        assert len(set(colours)) == 3


def colour_of(reader: Reader, words: str) -> str:
    """Return the colour in which words stand in the first line of the screen."""
    reader.shows(words)
    strip = reader.pilot.app.screen._compositor.render_strips(reader.pilot.app.size)[0]
    return next(str(part.style.color) for part in strip if part.style is not None and words in part.text)


def rearrange(workspace: Workspace) -> SpaceLocation:
    """Make a change request that adds, edits, moves and deletes a page; return where it is seen."""
    welcome, using, elsewhere = handbook()
    guide = replace(using.children[0], text=GUIDE.replace("three steps", "four steps"))
    pages = [imported_page("new", "Brand new"), replace(using, children=[guide, welcome]), elsewhere]
    request = propose(workspace.platform, workspace.space, "Rearrange", pages)
    return SpaceLocation(workspace.space, change_request=request, page="guide")


async def test_the_tree_shows_the_pages_of_the_change_request_and_marks_what_it_changed(workspace: Workspace) -> None:
    there = rearrange(workspace)
    async with workspace.reader(location=there, size=(120, 30)) as reader:
        tree = [line.partition("│")[2].partition("│")[0].rstrip() for line in reader.screen.splitlines()]
        rows = {
            title: next((row for row in tree if title in row), "") for title in ("Brand", "guide", "Welcome", "Not yet")
        }
        assert all(sign in row[20:] for sign, row in zip("+~→-", rows.values(), strict=True)), rows
        assert rows["guide"].index("The guide") == rows["Not yet"].index("Not yet"), "where it was"
        assert tree.index(rows["Not yet"]) == tree.index(rows["guide"]) + 1
        reader.shows("─ The guide  edited")
        await reader.press("tab", "slash")
        await reader.type("not yet")
        await reader.press("enter", "escape")
        reader.shows("Not yet  deleted", "This page is deleted in the change request.")
        for key in ("m", "J", "e", "f2", "D", "c", "+", "i", "enter"):
            await reader.press(key)
            reader.shows("Not yet", "This page is deleted in the change request.")
    async with workspace.reader(size=(120, 30)) as reader:
        reader.shows_not("Brand new")


async def test_changed_blocks_of_the_page_are_marked_and_the_equals_sign_hides_the_marks(workspace: Workspace) -> None:
    desk, there = await proposed(workspace)
    text = FOUR.replace("## Second step\n", "").replace("Put it away.", "Put it away.\n\nAnd rest.")
    await desk.edit("guide", text)
    async with workspace.reader(location=there, size=(120, 40)) as reader:

        def mark(words: str) -> str:
            line = reader.line(words)
            return line[: line.index(words)].rpartition("│")[2].strip(" ▌")

        expected = {"It takes four": "~", "Open the box": "", "Read what is in it": "-", "And rest.": "+"}
        assert {words: mark(words) for words in expected} == expected
        await reader.press("equals_sign")
        assert reader.says("Changes are not marked.")
        assert {mark(words) for words in expected} == {""}
        await reader.press("equals_sign")
        assert {words: mark(words) for words in expected} == expected
    async with workspace.reader() as reader:
        await reader.press("equals_sign")
        assert reader.says("only in a change request; w chooses one.")


async def test_changed_blocks_are_marked_where_the_change_request_comes_after_its_changes_and_the_page(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, there = await proposed(workspace)
    both_known, mark = asyncio.Event(), PageView.mark_changes

    def mark_changes(self: PageView, kinds: Mapping[int, str]) -> None:
        mark(self, kinds)
        if self.screen.changed.pages:  # type: ignore[attr-defined]
            both_known.set()

    async def come_last() -> None:
        # A server that lacks the changes never has them marked.
        with suppress(TimeoutError):
            await asyncio.wait_for(both_known.wait(), 20)

    def wait(transport: Refusing) -> None:
        transport.then["get_change_request"] = come_last

    monkeypatch.setattr(PageView, "mark_changes", mark_changes)
    async with workspace.reader(location=there, prepare=wait) as reader:
        reader.shows("~  It takes four")


async def test_outline_links_files_and_find_show_the_content_of_the_change_request(workspace: Workspace) -> None:
    desk, there = await proposed(workspace)
    await desk.edit(
        "guide", "# The guide\n\n## Only here\n\nA [new link](/pages/welcome) and a [bad one](/pages/no).\n"
    )
    async with workspace.reader(location=there, size=(160, 30)) as reader:
        await reader.press("t")
        assert "Only here" in reader.line("Only here").rpartition("││")[2]
        await reader.press("b")
        reader.shows("→ Welcome", "× /pages/no")
        await reader.press("b", "5")
        assert "The guide" in reader.line("/pages/no")


# Edits


@pytest.mark.parametrize("key", ["e", "f2", "a"])
async def test_from_main_a_key_that_writes_moves_to_the_change_request_chosen(workspace: Workspace, key: str) -> None:
    _, there = await proposed(workspace)
    choose(workspace, ChosenRequest(str(there.change_request), at_main=True))
    async with workspace.reader(editor=writes("four", "five")) as reader:
        await reader.read("The guide")
        reader.shows("It takes three steps.")
        await reader.press(key)
        assert reader.says("Edits go to #1 “Say it better”, so that is what you see now.")
        if key == "e":
            reader.shows("It takes five steps.")
        else:
            reader.shows({"f2": "Rename the page", "a": "New page"}[key])
            await reader.press("escape")
        assert at(reader) == there.change_request


async def test_a_closed_choice_is_given_up_at_the_next_edit(workspace: Workspace) -> None:
    desk, there = await proposed(workspace)
    choose(workspace, ChosenRequest(str(there.change_request), at_main=True))
    await desk.merge()
    async with workspace.reader(editor=writes("four", "five")) as reader:
        await reader.read("The guide")
        await reader.press("e")
        assert reader.says("#1 “Say it better” was merged, so edits no longer go there.")
        reader.shows("New change request “Edit The guide”")


async def test_what_was_written_in_a_change_request_is_on_the_page_at_once(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(location=there, editor=writes("four", "nine")) as reader:
        await reader.press("e")
        reader.shows("It takes nine steps.")
        assert reader.says("“The guide” is in #1 “Say it better”.")
        await reader.press("f2")
        await reader.type("!")
        await reader.press("enter")
        reader.shows("The guide!")


# The review of the same place


async def test_one_key_leads_from_a_block_to_its_changes_and_back(workspace: Workspace) -> None:
    desk, there = await proposed(workspace)
    await desk.edit("guide", FOUR.replace("Put it away.", "Put it in the box."))
    async with workspace.reader(location=there, size=(120, 40)) as reader:
        await reader.press("slash")
        await reader.type("in the box")
        await reader.press("enter", "escape", "plus")
        assert isinstance(reader.pilot.app.screen, ChangeRequestView)
        reader.shows("#1 Say it better", "- Put it away.")
        assert "Put it in the box." in cursor_row(reader)
        await reader.press("g", "down", "down")
        while "four steps" not in cursor_row(reader):
            await reader.press("down")
        await reader.press("plus")
        assert at(reader) == there.change_request
        assert "It takes four steps." in reader.line("▌")
        assert len(reader.pilot.app.open_views) == 1  # type: ignore[attr-defined]


async def test_a_block_that_is_not_changed_is_found_among_the_changes_too(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(location=there, size=(120, 40)) as reader:
        await reader.press("slash")
        await reader.type("put it away")
        await reader.press("enter", "escape", "plus")
        assert "Put it away." in cursor_row(reader)


async def test_the_changes_of_a_page_are_reached_while_its_text_is_still_loading(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(location=there, size=(120, 40)) as reader:
        view = reader.pilot.app.screen
        assert isinstance(view, SpaceView)
        view.reading.shown = None
        await reader.press("plus")
        assert isinstance(reader.pilot.app.screen, ChangeRequestView)
        reader.shows("#1 Say it better", "four steps")


async def test_without_changes_of_the_page_the_key_says_why(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(location=replace(there, page="welcome")) as reader:
        await reader.press("plus")
        assert reader.says("this page is not changed here")
    async with workspace.reader(location=replace(there, change_request=None)) as reader:
        await reader.press("plus")
        assert reader.says("only in a change request; w chooses one")


def cursor_row(reader: Reader) -> str:
    """Return the text of the row of the diff with the cursor."""
    diff = reader.pilot.app.screen.query_one(DiffList)
    item = diff.current
    return item.line.text if isinstance(item, ShownLine) else ""


# Finding


async def test_search_and_jump_find_the_pages_of_the_change_request(workspace: Workspace) -> None:
    desk, there = await proposed(workspace)
    text = FOUR.replace("turn the crank", "press the lever")
    new = {"operation": "insert_page", "title": "Fuses", "document": {"markdown": "## Spare\n\nChange the fuse."}}
    await desk.edit("guide", text)
    await desk.write(new)
    async with workspace.reader(location=there, size=(120, 30)) as reader:
        await reader.press("s")
        reader.shows("in #1")
        await reader.type("lever")
        reader.shows("press the lever")
        await reader.press("ctrl+u")
        await reader.type("crank")
        reader.shows_not("The guide › ")
        await reader.press("ctrl+u")
        await reader.type("fuse")
        await reader.press("down", "enter")
        reader.shows("─ Fuses", "Change the fuse.")
        assert at(reader) == there.change_request
        await reader.press("s")
        await reader.type("commented")
        reader.shows("Welcome")
        await reader.press("escape", "f")
        await reader.type("fuses")
        await reader.press("enter")
        reader.shows("─ Fuses")
        assert at(reader) == there.change_request


async def test_a_page_visited_at_main_is_jumped_to_where_the_space_is_seen_now(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(location=replace(there, change_request=None)) as reader:
        await reader.press("f", *"welcome", "enter")
        await reader.press("w", *"say it", "enter")
        await reader.press("f", *"the guide", "enter")
        assert at(reader) == there.change_request
        reader.shows("It takes four steps.")


async def test_a_change_request_that_is_open_below_is_not_opened_again(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader(location=replace(there, change_request=None)) as reader:
        await reader.press("w", *"say it", "enter", "minus")
        assert at(reader) is None
        await reader.press("w", *"say it", "enter")
        assert at(reader) == there.change_request
        assert len(reader.pilot.app.open_views) == 1  # type: ignore[attr-defined]


async def test_a_choice_that_does_not_exist_any_more_leads_to_main(workspace: Workspace) -> None:
    choose(workspace, ChosenRequest("gone"))
    above = OrganizationsLocation(item_id("space", workspace.space))
    async with workspace.reader(location=above) as reader:
        await reader.press("enter")
        assert reader.says("The change request no longer exists, so this is main.")
        reader.shows("● main", "Welcome")
        assert at(reader) is None
        await reader.press("q")
        reader.shows("Organizations")
    assert locations(workspace).choice("workspace", workspace.space) is None


async def test_the_view_before_is_the_same_page_at_the_address_before(workspace: Workspace) -> None:
    _, there = await proposed(workspace)
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("w", "down", "enter")
        reader.shows("It takes four steps.")
        await reader.press("minus")
        reader.shows("● main", "It takes three steps.")
        await reader.press("underscore")
        reader.shows("◌ #1", "It takes four steps.")
        assert at(reader) == there.change_request
        await reader.press("q", "q")
        reader.shows("Organizations")
