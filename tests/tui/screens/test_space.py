"""Walking and reading a space with the keys alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.client.errors import Unreachable, Unsupported
from recto.store.places import Places
from recto.tui import navigation, place_keeper
from recto.tui.screens.change_request.view import ChangeRequestView
from recto.tui.screens.reading.reader import position_of
from recto.tui.screens.space.view import SpaceView
from recto.tui.widgets.page_view import PageView
from recto.tui.widgets.tree_list import TreeList
from support.content import Desk, change_space, make_space, written
from support.screens import settled
from support.spaces import Reader, Workspace, handbook


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace(tmp_path)
    yield opened
    opened.close()


def unreachable(what: str) -> Unreachable:
    return Unreachable(what, "Nobody answered.")


def sheet(reader: Reader) -> PageView:
    return reader.pilot.app.screen.query_one(PageView)


def chosen(reader: Reader) -> object:
    """The page under the tree's cursor."""
    return reader.pilot.app.screen.query_one(TreeList).cursor_key


# What is shown


async def test_the_tree_shows_what_each_page_is(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        reader.shows("Pages  3", "👋 Welcome", "▾ Using it", "The guide", "↗ Elsewhere")
        assert "hidden" in reader.line("Not yet")


async def test_the_page_under_the_cursor_is_shown_with_its_title_once_and_its_description(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        reader.shows("This paragraph is here to be commented on.")
        await reader.press("j", "j")
        reader.shows("How it goes.", "Put it away.")
        assert reader.screen.count("The guide") == 3, "in the tree, in the border, and once as the page's heading"


async def test_a_group_lists_its_pages_and_enter_closes_and_opens_it(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("j")
        reader.shows("• The guide")
        await reader.press("enter")
        reader.shows("▸ Using it")
        await reader.press("enter")
        reader.shows("▾ Using it")


async def test_the_tree_is_filtered_as_one_types(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("slash")
        await reader.type("guid")
        reader.shows("▾ Using it", "The guide")
        reader.shows_not("Elsewhere")
        await reader.press("escape")
        reader.shows("Elsewhere")


async def test_the_tree_says_how_many_pages_a_filter_leaves_and_shows_the_first_of_them(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("slash")
        await reader.type("else")
        reader.shows("Pages  1 of 3", "This page is a link to")
        await reader.type("zzz")
        reader.shows("Pages  0 of 3", "No page has “elsezzz” in", "esc  shows all again")
        await reader.press("enter", "escape")
        reader.shows("Pages  3", "Using it")
        reader.shows_not("No page has")


async def test_typing_what_to_find_does_not_set_the_page_anew(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.read("The guide")
        before = sheet(reader).size.width
        await reader.press("slash")
        assert sheet(reader).size.width == before


async def test_a_space_without_pages_says_what_would_be_there(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    pages = [{"operation": "delete_page", "page": page} for page in ("welcome", "using", "elsewhere")]
    desk = await Desk.open(workspace.api, workspace.space)
    await desk.write(*pages)
    await desk.merge()
    async with workspace.reader(size=(160, 30)) as reader:
        reader.shows("a  makes the first one", "There is no page to read yet.")
    workspace.close()


async def test_pages_that_could_not_be_loaded_say_why_and_r_tries_again(workspace: Workspace) -> None:
    def fail(transport: object) -> None:
        transport.errors["list_pages"] = [unreachable("Could not load the page tree.")]  # type: ignore[attr-defined]

    async with workspace.reader(size=(160, 30), prepare=fail) as reader:
        reader.shows("× Could not load the pages.", "Nobody answered.")
        await reader.press("r")
        reader.shows("Welcome")


async def test_a_page_that_could_not_be_loaded_says_why_and_r_tries_again(workspace: Workspace) -> None:
    def fail(transport: object) -> None:
        transport.errors["get_page"] = [unreachable("Could not load the page.")]  # type: ignore[attr-defined]

    async with workspace.reader(size=(160, 30), prepare=fail) as reader:
        reader.shows("× Could not load the page.", "Nobody answered.")
        await reader.press("tab", "Y", "o")
        assert reader.says("No page is loaded.") and not reader.says("Copied") and not reader.says("not published")
        await reader.press("i")
        reader.shows("The page could not be loaded.")
        await reader.press("r")
        reader.shows("This paragraph is here to be commented on.", "path          /welcome")
        await reader.pilot.click("#pages")
        reader.transport.errors["get_page"] = [unreachable("Could not load the page.")]
        await reader.press("g", "j", "j")
        reader.shows("× Could not load the page.", "The page could not be loaded.")


async def test_links_are_those_of_the_page_in_sight_while_another_is_on_its_way(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.tui.screens.reading.reader._PATIENCE", 60)
    pages = [written("first", "First", "See [the end](#end).\n\n## End\n"), written("second", "Second")]
    async with workspace.reader(spot=navigation.at_space(make_space(workspace.platform, pages))) as reader:
        held = asyncio.Event()
        reader.transport.then["get_page"] = held.wait
        await reader.pilot.press("j", "tab", "greater_than_sign", "enter")
        held.set()
        await settled(reader.pilot)
        assert chosen(reader) == "first"
        reader.shows("▌   End")


async def test_where_a_page_is_stays_told_when_it_is_asked_for_anew(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("j", "j")
        reader.shows("in Using it")
        await reader.press("r")
        reader.shows("in Using it")
        reader.transport.errors["get_page"] = [unreachable("Could not load the page.")]
        await reader.press("r")
        reader.shows("not refreshed", "It takes three steps.")
        await reader.press("r")
        reader.shows("in Using it")


# Links and the way back


async def test_links_lead_to_pages_and_places_in_them_and_backspace_leads_back_to_the_place(
    workspace: Workspace,
) -> None:
    async with workspace.reader(size=(100, 14)) as reader:
        await reader.press("enter", "greater_than_sign", "greater_than_sign")
        place = sheet(reader).position
        await reader.press("enter")
        reader.shows("turn the crank")
        assert sheet(reader).current_link is None
        assert chosen(reader) == "guide"
        await reader.press("backspace")
        assert chosen(reader) == "welcome"
        assert sheet(reader).position == place
        await reader.press("minus")
        assert chosen(reader) == "guide"


async def test_links_written_as_paths_are_followed(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("j", "j", "enter", "greater_than_sign", "enter")
        assert chosen(reader) == "welcome"


async def test_web_links_show_their_address_before_they_are_opened(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("enter", *["greater_than_sign"] * 3, "enter")
        reader.shows("https://example.org/more")
        assert reader.opened == []
        await reader.press("enter")
        assert reader.opened == ["https://example.org/more"]


async def test_a_page_that_is_a_link_is_followed_from_the_tree(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("G", "enter")
        reader.shows("https://example.org/elsewhere")
        await reader.press("escape")
        assert reader.opened == []


async def test_a_link_to_nowhere_says_so(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space)
    await desk.edit("welcome", "# Welcome\n\nSee [this](/pages/gone).\n")
    await desk.merge()
    async with workspace.reader() as reader:
        await reader.press("enter", "greater_than_sign", "enter")
        assert reader.says("This space has no such page any more.")
        await reader.press("b")
        reader.shows("1 broken link", "× /pages/gone")


# Coming back


async def test_each_page_keeps_its_reading_place_also_through_a_restart(workspace: Workspace) -> None:
    async with workspace.reader(size=(100, 12)) as reader:
        await reader.read("The guide")
        await reader.press("right_square_bracket", "right_square_bracket", "j")
        place = sheet(reader).position
        await reader.press("tab")
        await reader.press("g", "j", "j")
        assert sheet(reader).position == place
        await reader.press("ctrl+q")
    last = Places(workspace.folder / "places.json").last("workspace")
    assert last is not None
    assert last.arguments == {"space": workspace.space, "page": "guide"}
    async with workspace.reader(size=(100, 12), spot=last) as reader:
        assert sheet(reader).position.leaf == place.leaf
        assert chosen(reader) == "guide"


async def test_where_one_comes_to_rest_is_in_the_file_before_one_leaves_and_nothing_is_written_on_the_way(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = workspace.folder / "places.json"

    async def scroll(reader: Reader) -> bytes:
        await reader.read("The guide")
        before = file.read_bytes()
        await reader.press("right_square_bracket", "right_square_bracket", "j")
        return before

    monkeypatch.setattr(place_keeper, "_REST", 3600)
    async with workspace.reader(size=(100, 12)) as reader:
        assert await scroll(reader) == file.read_bytes()
    monkeypatch.setattr(place_keeper, "_REST", 0.001)
    async with workspace.reader(size=(100, 12)) as reader:
        await scroll(reader)
        place = sheet(reader).position
        for _ in range(500):
            last = Places(file).last("workspace")
            if last is not None and position_of(last.view) == place:
                break
            await reader.pilot.pause(0.01)
    assert last is not None
    assert (last.arguments["page"], position_of(last.view)) == ("guide", place)


async def test_pages_read_before_keep_their_place_through_a_restart_too(workspace: Workspace) -> None:
    async with workspace.reader(size=(100, 12)) as reader:
        await reader.read("The guide")
        await reader.press("right_square_bracket", "right_square_bracket", "enter", "tab")
        place = sheet(reader).position
        await reader.read("Welcome")
    async with workspace.reader(size=(100, 12)) as reader:
        await reader.read("The guide")
        assert sheet(reader).position == place


async def test_what_is_closed_or_open_in_the_tree_stays_so_through_a_restart(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("j", "h", "k", "ctrl+q")
    last = Places(workspace.folder / "places.json").last("workspace")
    assert last is not None
    async with workspace.reader(spot=last) as reader:
        reader.shows("▸ Using it")
        await reader.press("j", "l", "k", "ctrl+q")
    last = Places(workspace.folder / "places.json").last("workspace")
    assert last is not None
    async with workspace.reader(spot=last) as reader:
        reader.shows("▾ Using it")


async def test_a_page_that_is_gone_is_told_and_the_first_is_shown(workspace: Workspace) -> None:
    async with workspace.reader(spot=navigation.at_space(workspace.space, page="gone")) as reader:
        assert reader.says("no longer in this space")
        reader.shows("This paragraph is here to be commented on.")


# Side panel and layout


async def test_the_outline_follows_the_reader_and_leads_to_headings(workspace: Workspace) -> None:
    async with workspace.reader(size=(150, 16)) as reader:
        await reader.read("The guide")
        await reader.press("t")
        reader.shows("Outline  4", "Second step")
        await reader.press("G", "enter")
        assert sheet(reader).cursor_line == 12
        reader.shows("Put it away.")
        await reader.press("left_square_bracket", "left_square_bracket")
        assert reader.pilot.app.screen.panels.aside.cursor_key == 4, "First step"  # type: ignore[attr-defined]
        await reader.press("escape")
        reader.shows_not("Outline")


async def test_the_facts_tell_path_type_dates_and_links(workspace: Workspace) -> None:
    remark = {"body": {"markdown": "Three?"}, "page": "guide"}
    await workspace.api.send("POST", f"/spaces/{workspace.space}/comments", remark)
    async with workspace.reader(size=(150, 40)) as reader:
        await reader.read("The guide")
        await reader.press("i")
        reader.shows("About this page", "/using/guide", "document", "links         1", "pointed at by 1")
        reader.shows("comments      1 open")
        reader.shows_not("HTML comments")


async def test_the_facts_say_how_many_comments_the_source_has(workspace: Workspace) -> None:
    text = "One <!-- a remark --> word.\n\n<!-- another\n\nof them -->\n"
    page = written("start", "Start", text)
    workspace.space = make_space(workspace.platform, [page])
    async with workspace.reader(size=(150, 40)) as reader:
        await reader.press("i")
        reader.shows("One word.", "HTML comments 2, not shown")
        reader.shows_not("remark")


@pytest.mark.parametrize("size", [(60, 20), (79, 24)])
async def test_where_there_is_room_for_one_panel_the_keys_lead_from_one_to_the_other(
    workspace: Workspace, size: tuple[int, int]
) -> None:
    async with workspace.reader(size=size) as reader:
        reader.shows("Elsewhere")
        reader.shows_not("commented on")
        await reader.press("enter")
        reader.shows("commented on")
        reader.shows_not("Elsewhere")
        await reader.press("t")
        reader.shows("Outline")
        reader.shows_not("commented on")
        await reader.press("escape")
        reader.shows("commented on")
        await reader.press("escape")
        reader.shows("Elsewhere")


async def test_resizing_keeps_place_and_panel(workspace: Workspace) -> None:
    async with workspace.reader(size=(150, 20)) as reader:
        await reader.read("The guide")
        await reader.press("right_square_bracket", "right_square_bracket")
        leaf = sheet(reader).position.leaf
        for size in ((60, 20), (90, 24), (150, 20)):
            await reader.pilot.resize_terminal(*size)
            await settled(reader.pilot)
            assert sheet(reader).position.leaf == leaf
            reader.shows("Second step")
            assert sheet(reader).has_focus


# Tabs and searching


async def test_the_divider_between_tree_and_page_is_drawn_with_the_mouse_and_stays_there(workspace: Workspace) -> None:
    async with workspace.reader(size=(120, 30)) as reader:
        pilot = reader.pilot
        divider = sheet(reader).region.x - 1
        await pilot.mouse_down(offset=(divider, 12))
        await pilot.hover(offset=(divider + 13, 20))
        await pilot.mouse_up(offset=(divider + 13, 20))
        await settled(pilot)
        assert sheet(reader).region.x == divider + 1 + 13
        await pilot.hover(offset=(60, 20))
        assert sheet(reader).region.x == divider + 1 + 13
        await pilot.resize_terminal(70, 30)
        await settled(pilot)
        assert pilot.app.screen.query_one(TreeList).region.width > 60, "alone it has all the room"
        await pilot.resize_terminal(120, 30)
        await reader.press("ctrl+q")
    last = Places(workspace.folder / "places.json").last("workspace")
    async with workspace.reader(size=(120, 30), spot=last) as reader:
        assert sheet(reader).region.x == divider + 1 + 13
        await reader.press("i")
        side = reader.pilot.app.screen.query_one("#side").region
        await reader.pilot.mouse_down(offset=(side.x, 12))
        await reader.pilot.hover(offset=(side.x - 10, 12))
        await reader.pilot.mouse_up(offset=(side.x - 10, 12))
        await settled(reader.pilot)
        assert reader.pilot.app.screen.query_one("#side").region.width == side.width + 10


async def test_the_change_requests_of_the_space_are_on_a_tab_and_enter_opens_one(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space, "Say it better")
    await workspace.api.send("PATCH", desk.path, {"status": "open"})
    await Desk.open(workspace.api, workspace.space, "Half an idea")
    async with workspace.reader() as reader:
        await reader.press("2")
        reader.shows("1 open, 1 draft", "○ open     #1 Say it better", "◌ draft    #2 Half an idea")
        await reader.press("enter")
        assert isinstance(reader.pilot.app.screen, ChangeRequestView)
        reader.shows("Say it better")


async def test_tabs_without_anything_say_what_would_be_there(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("2")
        reader.shows("Proposed changes to this space would be here.")
        await reader.press("3")
        reader.shows("What people say about these pages would be here.")
        await reader.press("4")
        reader.shows("Pictures and other files of the space would be here.")
        await reader.press("1")
        reader.shows("Pages  3")


async def test_searching_finds_sections_and_leads_to_them(workspace: Workspace) -> None:
    async with workspace.reader(size=(100, 16)) as reader:
        await reader.press("s")
        await reader.type("crank")
        reader.shows("1 place in 1 page", "The guide › Second step", "turn the crank")
        await reader.press("enter")
        assert sheet(reader).cursor_line == 8
        assert chosen(reader) == "guide"
        await reader.press("s")
        reader.shows("The guide › Second step")
        await reader.type("y")
        reader.shows("No page of “Guide” holds “cranky”.")


async def test_the_whole_organization_is_searched_and_what_is_found_is_opened_where_it_is(
    workspace: Workspace,
) -> None:
    other = make_space(workspace.platform, handbook())
    async with workspace.reader(size=(100, 24)) as reader:
        await reader.press("s")
        await reader.type("crank")
        reader.shows("Search “Guide”", "1 place in 1 page")
        await reader.press("tab")
        reader.shows("Search all of “Ada's documentation”", "2 places in 2 pages of 2 spaces")
        assert " Guide " in reader.line("The guide › Second step"), "the space it is in"
        await reader.press("enter")
        assert reader.pilot.app.screen.space == other  # type: ignore[attr-defined]
        assert (chosen(reader), sheet(reader).cursor_line) == ("guide", 8)
        assert sheet(reader).has_focus


async def test_where_the_platform_cannot_search_everywhere_each_space_is_asked(workspace: Workspace) -> None:
    make_space(workspace.platform, handbook())
    async with workspace.reader(size=(100, 24)) as reader:
        reader.transport.always["search_organization"] = Unsupported("Could not search.", "No.", status=404)
        await reader.press("s", "tab")
        await reader.type("crank")
        reader.shows("2 places in 2 pages of 2 spaces")


async def test_anywhere_is_reached_by_title_path_or_words(workspace: Workspace) -> None:
    other = make_space(workspace.platform, handbook())
    async with workspace.reader(size=(100, 24)) as reader:
        await reader.press("f")
        await reader.type("using/gui")
        assert "/using/guide" in reader.line("The guide  Ada")
        await reader.press("escape", "f")
        await reader.type("turn the crank")
        reader.shows("words")
        assert "turn the crank" in reader.line("words")
        assert "The guide › Second step" in reader.line("words")
        await reader.press("down", "enter")
        assert reader.pilot.app.screen.space in (other, workspace.space)  # type: ignore[attr-defined]
        assert (chosen(reader), sheet(reader).cursor_line) == ("guide", 8)
        assert sheet(reader).has_focus


async def test_a_page_read_before_is_listed_once_and_jumping_there_goes_on_reading(workspace: Workspace) -> None:
    async with workspace.reader(size=(100, 24)) as reader:
        await reader.read("The guide")
        await reader.press("j", "j", "j")
        place = sheet(reader).position
        await reader.press("shift+tab", "q")
    async with workspace.reader(spot=navigation.at_organizations(), size=(100, 24)) as reader:
        await reader.press("f")
        await reader.type("The guide")
        assert reader.screen.count("/using/guide") == 1
        reader.shows_not("visited")
        await reader.press("enter")
        assert (chosen(reader), sheet(reader).position, sheet(reader).has_focus) == ("guide", place, True)


async def test_a_search_that_fails_says_why(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        reader.transport.always["search_space"] = unreachable("Could not search.")
        await reader.press("s")
        await reader.type("x")
        reader.shows("× Could not search. Nobody answered.")


# What is gone meanwhile


def take_out_the_guide(workspace: Workspace) -> None:
    change_space(workspace.platform, workspace.space, [page for page in handbook() if page.id != "using"])


async def test_a_page_that_is_gone_meanwhile_says_so_whatever_is_shown_beside_it(workspace: Workspace) -> None:
    async with workspace.reader(size=(150, 30)) as reader:
        await reader.read("The guide")
        await reader.press("i")
        reader.shows("About this page", "in            Using it")
        take_out_the_guide(workspace)
        await reader.press("r")
        assert reader.says("The page you were on is no longer in this space.")
        reader.shows_not("The guide")


async def test_back_passes_over_a_page_that_is_gone(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("enter")
        await reader.read("The guide")
        await reader.press("tab", "k", "k")
        take_out_the_guide(workspace)
        await reader.press("r", "backspace")
        assert chosen(reader) == "welcome"
        assert isinstance(reader.pilot.app.screen, SpaceView)


async def test_a_link_listed_before_its_page_was_gone_says_so(workspace: Workspace) -> None:
    async with workspace.reader(size=(150, 30)) as reader:
        await reader.press("enter", "b", "j", "j")
        take_out_the_guide(workspace)
        reader.pilot.app.screen.pages.refresh()  # type: ignore[attr-defined]
        await settled(reader.pilot)
        await reader.press("g", "j", "enter")
        assert reader.says("This space has no such page any more.")


async def test_a_space_that_is_emptied_and_filled_again_is_shown_as_it_is(workspace: Workspace) -> None:
    async with workspace.reader(size=(150, 30)) as reader:
        await reader.press("i", "tab")
        change_space(workspace.platform, workspace.space, [])
        await reader.press("r", "j", "enter")
        reader.shows("The pages of this space would", "There is no page to read yet.", "There is no page.")
        reader.shows_not("Welcome")
        change_space(workspace.platform, workspace.space, handbook())
        await reader.press("r")
        reader.shows("Pages  3", "This paragraph is here to be commented on.", "path          /welcome")


async def test_the_tree_begins_where_the_page_stands_that_is_gone_to(workspace: Workspace) -> None:
    pages = [written(f"p{number}", f"Page number {number}") for number in range(90)]
    spot = navigation.at_space(make_space(workspace.platform, pages), page="p70")
    async with workspace.reader(spot=spot) as reader:
        tree = reader.pilot.app.screen.query_one("#pages", TreeList)
        assert tree.scroll_offset.y < tree.cursor < tree.scroll_offset.y + tree.size.height
        assert tree.cursor_key == "p70"
        assert tree.vertical_scrollbar.position == tree.scroll_offset.y
