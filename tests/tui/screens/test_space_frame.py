"""What of a space is made when it is first shown, and what a person does before the pages are there."""

from __future__ import annotations

import pytest
from textual import events

from recto.client.errors import Unreachable
from recto.store.locations import OrganizationsLocation, SpaceLocation
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.navigation.messages import Go
from recto.tui.screens.organizations.organizations_view import OrganizationsView
from support.content import Desk
from support.screens import settled
from support.spaces import Reader, Workspace


async def go_and_press(reader: Reader, *keys: str) -> None:
    """Go to the space from the organizations, and press keys while its pages are on their way."""
    pressed: list[str] = []

    async def press() -> None:
        pressed.extend(keys)
        await reader.pilot.press(*keys)

    reader.transport.then["list_pages"] = press
    reader.pilot.app.screen.post_message(Go(SpaceLocation(reader.space)))
    await settled(reader.pilot)
    assert pressed, "the pages were asked for"


async def test_only_the_pages_are_made_at_first_and_a_list_once(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        screen = reader.pilot.app.screen
        assert {one.id for one in screen.query(VirtualList)} == {"pages"}
        await reader.press("2", "1", "2", "1", "t", "t", "t")
        assert sorted(str(one.id) for one in screen.query(VirtualList)) == ["aside", "pages", "request-list"]


async def test_who_comes_back_to_a_list_sees_it_at_once(workspace: Workspace) -> None:
    await Desk.open(workspace.api, workspace.space, "Half an idea")
    location = SpaceLocation(workspace.space, tab=1)
    async with workspace.reader(location=location) as reader:
        reader.shows("◌ draft    #1 Half an idea")
        assert reader.pilot.app.focused is reader.pilot.app.screen.query_one("#request-list")
        await reader.press("1")
        reader.shows("Pages  3")


@pytest.mark.parametrize(("digits", "list"), [("21", "pages"), ("2131", "pages"), ("12", "request-list")])
async def test_of_digits_in_quick_succession_the_last_says_where_keys_go(
    workspace: Workspace, digits: str, list: str
) -> None:
    async with workspace.reader() as reader:
        app = reader.pilot.app
        for digit in digits:
            app.post_message(events.Key(digit, digit))
        await settled(reader.pilot)
        assert app.focused is app.screen.query_one(f"#{list}")


async def test_another_tab_can_be_shown_before_the_pages_are_there(workspace: Workspace) -> None:
    await Desk.open(workspace.api, workspace.space, "Half an idea")
    async with workspace.reader(location=OrganizationsLocation()) as reader:
        await go_and_press(reader, "2")
        reader.shows("◌ draft    #1 Half an idea")
        await reader.press("1")
        reader.shows("Pages  3", "▾ Using it")


async def test_the_side_panel_can_be_opened_before_the_pages_are_there(workspace: Workspace) -> None:
    async with workspace.reader(location=OrganizationsLocation(), size=(160, 40)) as reader:
        await go_and_press(reader, "t")
        reader.shows("Outline  1", "Pages  3")
        assert reader.pilot.app.focused is reader.pilot.app.screen.query_one("#aside")


async def test_the_view_can_be_left_before_the_pages_are_there(workspace: Workspace) -> None:
    async with workspace.reader(location=OrganizationsLocation()) as reader:
        await go_and_press(reader, "q")
        assert isinstance(reader.pilot.app.screen, OrganizationsView)
        reader.pilot.app.screen.post_message(Go(SpaceLocation(reader.space)))
        await settled(reader.pilot)
        reader.shows("Pages  3")


async def test_where_the_pages_do_not_come_the_rest_is_asked_for_all_the_same(workspace: Workspace) -> None:
    await Desk.open(workspace.api, workspace.space, "Half an idea")

    def refuse(transport: object) -> None:
        transport.always["list_pages"] = Unreachable("Could not load the pages.", "No answer came.")  # type: ignore[attr-defined]

    async with workspace.reader(prepare=refuse) as reader:
        reader.shows("Could not load the", "2 Change requests 1")
        del reader.transport.always["list_pages"]
        await reader.press("r")
        reader.shows("Pages  3")
