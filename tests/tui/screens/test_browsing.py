"""`o` opens the browser, whatever Recto could show itself; enter goes there inside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from recto.client.missing_operations import MissingOperations
from recto.contract.common import Urls
from recto.contract.content import Page, PageTree
from recto.contract.operation import Operation
from recto.server.content.revisions import main_revision
from recto.store.locations import ChangeRequestLocation, Location, OrganizationsLocation, SpaceLocation
from recto.tui.screens.change_request.change_request_view import ChangeRequestView
from recto.tui.screens.space.space_view import SpaceView
from recto.tui.screens.view import View
from recto.urls import read_url
from support.content import imported_page, make_space, propose
from support.sites import Refusing
from support.spaces import Reader, Workspace, handbook

R = TypeVar("R")

SPACE, REQUEST, REVISION = "space", "change request", "revision"
SCREENS: dict[str, type[View]] = {SPACE: SpaceView, REQUEST: ChangeRequestView, REVISION: SpaceView}

APP = "https://app.example.org"
FILES = "https://files.example.org"


class WithAddresses:
    """A transport to a platform with a web app: each page has an address there."""

    def __init__(self, inner: Any, app: str | None = APP) -> None:
        self._inner = inner
        self._app = app

    @property
    def missing_operations(self) -> MissingOperations:
        """What the server behind it has turned out not to have."""
        missing_operations: MissingOperations = self._inner.missing_operations
        return missing_operations

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Pass a call on, and give the pages in its answer their addresses."""
        answer: Any = await self._inner.send(operation, arguments)
        if isinstance(answer, PageTree):
            answer = answer.model_copy(update={"pages": tuple(self._with_address(page) for page in answer.pages)})
        return self._with_address(answer) if isinstance(answer, Page) else answer  # type: ignore[return-value]

    def _with_address(self, page: Page) -> Page:
        pages = tuple(self._with_address(each) for each in page.pages)
        urls = Urls(app=f"{self._app}/{page.path}") if self._app else Urls()
        return page.model_copy(update={"pages": pages, "urls": urls})

    async def send_streaming(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], on_beginning: Callable[[R], None]
    ) -> R:
        """Pass a call on; it is answered at once."""
        return await self.send(operation, arguments)


def give_addresses(transport: Refusing) -> None:
    transport.inner = WithAddresses(transport.inner)


@dataclass
class Place:
    """A space with a page of links, a change request that changes that page, and another space, where links lead."""

    workspace: Workspace
    other: str
    request: str
    revision: str
    """The newest revision of the space."""

    def at(self, view: str) -> Location:
        """Return where a reader begins who is to see the page in a view."""
        if view == REQUEST:
            return ChangeRequestLocation(self.workspace.space, self.request, tab=3)
        return SpaceLocation(self.workspace.space)

    @asynccontextmanager
    async def reader(self, view: str) -> AsyncIterator[Reader]:
        """Open the program at the page in a view, on a platform with a web app."""
        async with self.workspace.reader(size=(120, 30), location=self.at(view), prepare=give_addresses) as reader:
            await reader.press(*(["6", "enter", "2", "g", "enter"] if view == REVISION else ["tab"]))
            assert isinstance(reader.pilot.app.screen, SCREENS[view])
            yield reader


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    workspace = Workspace(tmp_path)
    other = make_space(workspace.platform, handbook())
    links = f"To [one]({APP}/o/Organization1/s/{other}/using/guide), [two](/spaces/{other}/pages/guide#third-step), "
    links += f"[three](/spaces/{other}), [four](b.md#end), [five](/files/report) and [six](gone.md).\n\nThat is all.\n"
    report = {"id": "report", "name": "report.pdf", "contentType": "application/pdf", "size": 12, "git": {"oid": "4"}}
    pages = [imported_page("a", "Start", links), imported_page("b", "Beside", "## End\n")]
    workspace.space = make_space(workspace.platform, pages, files=[report | {"url": f"{FILES}/report.pdf"}])
    changed = [imported_page("a", "Start", f"{links}\nMore.\n"), pages[1]]
    request = propose(
        workspace.platform, workspace.space, "More", changed, files=[report | {"url": f"{FILES}/new.pdf"}]
    )
    revision = workspace.platform.database.read_now(lambda connection: main_revision(connection, workspace.space)).id
    yield Place(workspace, other, request, revision)
    workspace.close()


VIEWS = [SPACE, REQUEST, REVISION]


async def follow(reader: Reader, number: int, key: str) -> None:
    """Go to a link, counted from 1, and press a key there."""
    await reader.press("g", *["greater_than_sign"] * number, key)


@pytest.mark.parametrize(
    ("number", "address"), [(1, "/o/Organization1/s/{other}/using/guide"), (2, "/using/guide#third-step")]
)
@pytest.mark.parametrize("view", VIEWS)
async def test_a_page_that_is_here_too_is_shown_in_the_browser_by_o_and_inside_by_enter(
    place: Place, view: str, number: int, address: str
) -> None:
    async with place.reader(view) as reader:
        await follow(reader, number, "o")
        reader.shows("enter  opens it")
        await reader.press("enter")
        opened = [APP + address.format(other=place.other)]
        assert reader.opened == opened
        assert isinstance(reader.pilot.app.screen, SCREENS[view])
        await follow(reader, number, "enter")
        there = reader.pilot.app.screen
        assert isinstance(there, SpaceView)
        assert (there.space, there.reading.page) == (place.other, "guide")
        assert reader.opened == opened


@pytest.mark.parametrize("view", VIEWS)
async def test_what_has_no_address_says_so_and_is_not_gone_to_by_o(place: Place, view: str) -> None:
    async with place.reader(view) as reader:
        await follow(reader, 3, "o")
        assert reader.says("“Guide” is not published, so the link has no address.")
        assert isinstance(reader.pilot.app.screen, SCREENS[view])


@pytest.mark.parametrize("view", VIEWS)
async def test_a_file_is_shown_in_the_browser(place: Place, view: str) -> None:
    async with place.reader(view) as reader:
        await follow(reader, 5, "o")
        reader.shows(f"{FILES}/{'new' if view == REQUEST else 'report'}.pdf")


@pytest.mark.parametrize("view", [SPACE, REQUEST])
async def test_a_page_beside_it_is_shown_in_the_browser_at_its_place(place: Place, view: str) -> None:
    async with place.reader(view) as reader:
        await follow(reader, 4, "o")
        reader.shows(f"{APP}/b#end")


async def test_the_page_itself_is_shown_in_the_browser(place: Place) -> None:
    async with place.reader(SPACE) as reader:
        await reader.press("G", "o", "enter")
        assert reader.opened == [f"{APP}/a"]


async def test_the_pages_of_a_past_revision_have_their_own_addresses(place: Place) -> None:
    async with place.reader(REVISION) as reader:
        await reader.press("G", "o", "enter")
        await follow(reader, 4, "o")
        await reader.press("enter")
        assert reader.opened == [f"{APP}/a", f"{APP}/b#end"]


async def test_the_address_of_a_page_of_a_past_revision_is_copied_wherever_it_is_asked_for(place: Place) -> None:
    revision = SpaceLocation(place.workspace.space, revision=place.revision)
    async with place.workspace.reader(location=revision) as reader:
        await reader.press("2", "g", "enter", "G", "o")
        assert reader.says("The past revision has no address that a browser can open.")
        for keys in (["Y"], ["h", "Y"], ["enter", "x", *"address", "enter"]):
            await reader.press(*keys)
            address = read_url(reader.pilot.app.clipboard)
            assert address is not None
            assert (address.thing.revision, address.thing.page) == (place.revision, "a")


async def test_a_past_revision_without_addresses_is_reported(place: Place) -> None:
    def bare(transport: Refusing) -> None:
        transport.inner = WithAddresses(transport.inner, app=None)

    revision = SpaceLocation(place.workspace.space, revision=place.revision)
    async with place.workspace.reader(location=revision, prepare=bare) as reader:
        await reader.press("2", "g", "enter", "G", "Y")
        assert reader.says("The platform gives the pages of a past revision no address.")
        assert reader.pilot.app.clipboard == ""


async def test_from_a_past_revision_one_comes_to_the_page_as_it_is_now(place: Place) -> None:
    async with place.reader(REVISION) as reader:
        await reader.press("colon")
        await reader.type("current page")
        await reader.press("enter")
        there = reader.pilot.app.screen
        assert isinstance(there, SpaceView)
        assert there.reading.page == "a"


async def test_nothing_that_is_only_in_this_program_is_opened_in_a_browser(place: Place) -> None:
    async with place.workspace.reader(location=place.at(REQUEST)) as reader:
        await reader.press("1", "o")
        assert reader.says("The change request has no address that a browser can open.")
        await reader.press("Y")
        address = read_url(reader.pilot.app.clipboard)
        assert address is not None
        assert address.workspace
        assert address.thing.change_request
        assert reader.opened == []
    async with place.workspace.reader(location=OrganizationsLocation()) as reader:
        await reader.press("o")
        assert reader.says("Open in browser: it has no web address.")
        await reader.press("Y")
        assert reader.says("Copied recto:")
        assert read_url(reader.pilot.app.clipboard) is not None
        assert reader.opened == []


async def test_a_link_that_the_platform_alone_knows_is_asked_for_by_o_too(place: Place) -> None:
    async with place.reader(SPACE) as reader:
        asked = len(reader.transport.asked)
        await follow(reader, 6, "o")
        assert reader.says("This space has no page at gone.md.")
        assert any(one.get("page_id") == "a" for one in reader.transport.asked[asked:])
