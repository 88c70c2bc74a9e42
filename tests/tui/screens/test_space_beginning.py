"""What is seen of a large page tree before all of it is parsed, and what a person does meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from recto.client.errors import Unreachable
from recto.server.content.imported_tree import ImportedPage
from recto.store.locations import Location, OrganizationsLocation, SpaceLocation
from recto.tui.lists.tree_list import TreeList
from recto.tui.navigation.messages import Go
from recto.tui.screens.space.space_view import SpaceView
from support.content import make_space
from support.screens import settled
from support.spaces import Reader, Workspace

GROUPS, SHELF = 30, 20
LAST = GROUPS * SHELF - 1

Meanwhile = Callable[[Reader], Awaitable[object]]


@pytest.fixture
def large(workspace: Workspace) -> str:
    """A space with so many pages that they come in two pieces."""
    groups = [
        ImportedPage(
            f"g{at}",
            f"Group {at:02}",
            type="group",
            children=[
                ImportedPage(f"p{page}", f"Page {page:03}", f"page-{page}", text=f"This is the text of {page}.\n")
                for page in range(at * SHELF, (at + 1) * SHELF)
            ],
        )
        for at in range(GROUPS)
    ]
    return make_space(workspace.platform, groups)


@asynccontextmanager
async def open_with_beginning(workspace: Workspace, location: Location, meanwhile: Meanwhile) -> AsyncIterator[Reader]:
    """Go to a space, and do something when the beginning of its pages is known."""
    async with workspace.reader(location=OrganizationsLocation()) as reader:
        done: list[Reader] = []

        async def now() -> None:
            done.append(reader)
            await reader.pilot.pause()
            await meanwhile(reader)

        reader.transport.then["list_pages"] = now
        reader.pilot.app.screen.post_message(Go(location))
        await settled(reader.pilot)
        assert done
        yield reader


async def test_the_first_pages_are_seen_before_all_are_known(workspace: Workspace, large: str) -> None:
    async def look(reader: Reader) -> None:
        reader.shows("Pages  loading more", "▾ Group 00", "Page 000")
        reader.shows_not("This is the text of 0.")

    async with open_with_beginning(workspace, SpaceLocation(large), look) as reader:
        reader.shows("Pages  600", "▾ Group 00", "Page 000", "This is the text of 0.")
        reader.shows_not("loading more")
        await reader.press("end")
        reader.shows(f"Page {LAST}")


async def test_who_walks_meanwhile_stays_there_and_reads_that(workspace: Workspace, large: str) -> None:
    async def walk(reader: Reader) -> None:
        await reader.pilot.press("down", "down", "enter")

    async with open_with_beginning(workspace, SpaceLocation(large), walk) as reader:
        reader.shows("This is the text of 2.")
        assert isinstance(reader.pilot.app.screen, SpaceView)
        assert reader.pilot.app.screen.query_one("#pages", TreeList).cursor_key == "p2"


async def test_what_is_closed_meanwhile_stays_closed(workspace: Workspace, large: str) -> None:
    async def close(reader: Reader) -> None:
        await reader.pilot.press("left", "left")

    async with open_with_beginning(workspace, SpaceLocation(large), close) as reader:
        reader.shows("▸ Group 00", "▾ Group 01", "Page 020")
        reader.shows_not("│     Page 000")
        await reader.press("end")
        reader.shows(f"Page {LAST}")


async def test_what_is_looked_for_meanwhile_is_found_in_all_pages(workspace: Workspace, large: str) -> None:
    async def find(reader: Reader) -> None:
        await reader.pilot.press("slash", *str(LAST))
        reader.shows("Pages  loading more")

    async with open_with_beginning(workspace, SpaceLocation(large), find) as reader:
        reader.shows("Pages  1 of 600", f"Page {LAST}")


async def test_a_page_that_has_not_come_yet_is_waited_for(workspace: Workspace, large: str) -> None:
    async def look(reader: Reader) -> None:
        reader.shows("Loading the pages")
        reader.shows_not("Group 00")

    async with open_with_beginning(workspace, SpaceLocation(large, page=f"p{LAST}"), look) as reader:
        reader.shows(f"This is the text of {LAST}.", f"Page {LAST}")
        assert not reader.says("no longer in this space")


async def test_only_all_pages_tell_that_one_is_gone(workspace: Workspace, large: str) -> None:
    async def look(reader: Reader) -> None:
        assert not reader.says("no longer in this space")

    async with open_with_beginning(workspace, SpaceLocation(large, page="never"), look) as reader:
        assert reader.says("no longer in this space")


async def test_a_page_among_the_first_is_stood_on_at_once(workspace: Workspace, large: str) -> None:
    async def look(reader: Reader) -> None:
        assert isinstance(reader.pilot.app.screen, SpaceView)
        assert reader.pilot.app.screen.query_one("#pages", TreeList).cursor_key == "p30"

    location = SpaceLocation(large, page="p30", opened=())
    async with open_with_beginning(workspace, location, look) as reader:
        reader.shows("▸ Group 00", "▾ Group 01", "Page 030", "This is the text of 30.", "▸ Group 03")


async def test_a_list_cut_off_after_its_beginning_is_reported_and_can_be_refreshed(
    workspace: Workspace, large: str
) -> None:
    async def fail(reader: Reader) -> None:
        await reader.pilot.pause()
        reader.shows("Page 000")
        raise Unreachable("Could not load the pages.", "The network is down.")

    async with workspace.reader(location=OrganizationsLocation()) as reader:
        reader.transport.then["list_pages"] = lambda: fail(reader)
        reader.pilot.app.screen.post_message(Go(SpaceLocation(large)))
        await settled(reader.pilot)
        reader.shows("Could not load the", "The network is down.")
        reader.shows_not("loading more")
        await reader.press("down", "enter", "r")
        reader.shows("Pages  600", "This is the text of 0.")


async def test_a_space_left_while_loading_loads_again(workspace: Workspace, large: str) -> None:
    async def leave(reader: Reader) -> None:
        await reader.pilot.press("q")

    async with open_with_beginning(workspace, SpaceLocation(large), leave) as reader:
        assert not isinstance(reader.pilot.app.screen, SpaceView)
        reader.pilot.app.screen.post_message(Go(SpaceLocation(large)))
        await settled(reader.pilot)
        reader.shows("Pages  600", "This is the text of 0.")
