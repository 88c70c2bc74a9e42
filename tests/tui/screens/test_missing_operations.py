"""The screens with a server that has only the reference's operations: nothing hangs, and gaps are reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.organizations import Organizations
from recto.contract.sites import Sites
from recto.contract.spaces import Spaces
from recto.server.platform import Platform
from recto.store.content_writes import EDITABLE
from recto.store.locations import ChangeRequestLocation, Location, SiteLocation, SpaceLocation
from recto.tui.dialogs.dialog import Dialog
from recto.tui.screens.change_request.change_request_view import ChangeRequestView
from recto.tui.screens.space.space_view import SpaceView
from support.guide_workspace import Person, guided_store, last_row, open_guided
from support.other_platforms import NOT_THERE, OtherPlatform, only_the_reference, visit_platform
from support.screens import all_messages

GONE = re.compile(r"moved or deleted|does not exist|may not see it|Something unexpected|unexpected error")
pytestmark = pytest.mark.slow

_IDS = re.compile(r"/[A-Za-z0-9_]{10,}|/sites/\w+|/\d+(?=/|$)")


@dataclass
class Places:
    organization: str
    space: str
    open: ChangeRequest
    outdated: ChangeRequest
    site: str


@dataclass
class Bare:
    """A server that lacks all that the reference does not have."""

    platform: Platform
    transport: OtherPlatform
    folder: Path
    at: Places

    @asynccontextmanager
    async def person(self, opening: Location | None = None) -> AsyncIterator[Person]:
        async with visit_platform(self.platform, self.folder, self.transport, opening) as ada:
            yield ada

    def assert_asked_once(self) -> None:
        """Hold that each missing operation was asked for once, or by few at the same time."""
        asked = Counter((method, _IDS.sub("/…", path)) for method, path in self.transport.lacked)
        self.transport.lacked.clear()
        assert all(count <= 4 for count in asked.values()), asked


@pytest.fixture(params=NOT_THERE, ids=["404", "404 without a body", "405", "501"])
async def bare(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bare]:
    refusal: httpx.Response = request.param
    platform = open_guided(tmp_path)
    store = guided_store(platform, tmp_path / "asking")
    organizations = (await store.fetch(Organizations.list_organizations)).items
    organization = next(one.id for one in organizations if one.title == "Recto guide")
    space = next(one.id for one in (await store.fetch(Spaces.list_spaces, organization)).items if one.title == "Guide")
    requests = (await store.fetch(ChangeRequests.list_change_requests, space)).items
    site = (await store.fetch(Sites.list_sites, organization)).items[0].id
    current = next(one for one in requests if not one.outdated)
    outdated = next(one for one in requests if one.outdated)
    at = Places(organization, space, current, outdated, site)
    await store.aclose()
    yield Bare(platform, OtherPlatform(platform, has=only_the_reference, refusal=refusal), tmp_path, at)
    platform.close()


def shown_text(ada: Person) -> str:
    """What is on the screen and in its messages."""
    messages = " ".join(all_messages(ada.pilot.app))
    words = " ".join(f"{ada.screen} {messages}".split())
    assert not GONE.search(words), words
    return words


async def test_the_organizations(bare: Bare) -> None:
    async with bare.person() as ada:
        await ada.press(*last_row("Change requests"))
        assert "Tell the first steps" in shown_text(ada)
        assert "this server has no reviews" in shown_text(ada)
        assert "Open" in ada.screen and "Others" not in ada.screen, "whose a change request is cannot be known"
        await ada.press(*last_row("Change requests"), "k", "enter")
        shown_text(ada)
        await ada.press("q", "g", "a")
        await ada.type("New")
        await ada.press("ctrl+s")
        assert "This server does not offer it." in shown_text(ada)
        await ada.press("escape", "r", "f")
        await ada.type("Guide")
        shown_text(ada)
    bare.assert_asked_once()


async def test_a_space(bare: Bare) -> None:
    async with bare.person(SpaceLocation(bare.at.space)) as ada:
        assert isinstance(ada.pilot.app.screen, SpaceView)
        for key in ("i", "b", "C", "t", "2", "3", "4", "5", "6", "1"):
            await ada.press(key)
            shown_text(ada)
        await ada.press("6")
        assert "earlier revisions are not available" in shown_text(ada)
        await ada.press("enter")
        assert "This server does not offer the changes of a revision." in shown_text(ada)
        await ada.press("q", "1", "i")
        assert "pointed at by not offered" in shown_text(ada)
        await ada.press("3")
        await ada.press("enter")
        assert "this server does not list replies" in shown_text(ada)
        await ada.press("escape", "s")
        await ada.type("page")
        shown_text(ada)
    bare.assert_asked_once()


async def test_a_change_request(bare: Bare) -> None:
    for request, changes in ((bare.at.open, "What next"), (bare.at.outdated, "This server offers neither")):
        async with bare.person(ChangeRequestLocation(bare.at.space, request.id)) as ada:
            assert isinstance(ada.pilot.app.screen, ChangeRequestView)
            assert "This server does not offer reviews." in shown_text(ada)
            assert "no reviewers requested" not in shown_text(ada)
            assert ("changes as the page trees show them" in shown_text(ada)) == (request is bare.at.open)
            await ada.press("2")
            assert changes in shown_text(ada)
            for key in ("enter", "3", "enter", "escape", "4", "1", "r"):
                await ada.press(key)
                shown_text(ada)
            screen = ada.pilot.app.screen
            assert isinstance(screen, ChangeRequestView)
            assert screen.why_not("review.submit") == "this server has no reviews"
            bare.transport.lacked.clear()
            await ada.press("r")
            assert bare.transport.lacked == [], "what is known to be missing is not asked for again"
        bare.assert_asked_once()


async def test_a_site_is_put_together_from_its_lists_and_arranged_by_the_older_moves(bare: Bare) -> None:
    async with bare.person(SiteLocation(bare.at.organization, bare.at.site)) as ada:
        await ada.press("Z")
        for title in ("Guide default", "Deutsch", "Reference", "Blocks", "Project", "Questions"):
            assert title in shown_text(ada)
        assert "order of groups among sections unknown" in ada.screen
        before = ada.screen
        await ada.find("Français")
        await ada.press("m", "k", "enter")
        assert "1 move staged" in shown_text(ada)
        await ada.press("A")
        await ada.press("y")
        shown_text(ada)
        assert "move staged" not in shown_text(ada)
        assert before.index("Français") > before.index("English")
        assert ada.screen.index("Français") < ada.screen.index("English")
        await ada.press("5", "a")
        assert "New: this server has no redirects." in shown_text(ada)
    bare.assert_asked_once()


def writes(bare: Bare) -> int:
    """How often a write of pages was tried."""
    return sum(method == "POST" and path.endswith("/content") for method, path in bare.transport.lacked)


async def requests(bare: Bare) -> set[str]:
    """The subjects of the change requests that take edits."""
    store = guided_store(bare.platform, bare.folder / "looking")
    lists = [await store.fetch(ChangeRequests.list_change_requests, bare.at.space, status=one) for one in EDITABLE]
    await store.aclose()
    return {one.subject for listed in lists for one in listed.items}


@pytest.mark.parametrize("key", ["e", "a", "F2", "D"])
async def test_no_page_is_typed_where_pages_cannot_be_written(bare: Bare, key: str) -> None:
    before = await requests(bare)
    async with bare.person(SpaceLocation(bare.at.space)) as ada:
        screen = ada.pilot.app.screen
        assert isinstance(screen, SpaceView)
        assert screen.why_not("page.edit") is None and not writes(bare)
        await ada.press(key.lower() if key == "F2" else key)
        assert not isinstance(ada.pilot.app.screen, Dialog)
        assert "Pages cannot be written. This server does not offer it." in shown_text(ada)
        for action in ("page.edit", "item.new", "item.rename", "item.delete"):
            assert screen.why_not(action) == "this server takes no edits of pages"
        assert writes(bare) == 1
    assert await requests(bare) == before


async def test_a_merge_is_not_taken_back_where_pages_cannot_be_written(bare: Bare) -> None:
    before = await requests(bare)
    store = guided_store(bare.platform, bare.folder / "finding")
    merged = (await store.fetch(ChangeRequests.list_change_requests, bare.at.space, status="merged")).items[0]
    await store.aclose()
    async with bare.person(ChangeRequestLocation(bare.at.space, merged.id)) as ada:
        screen = ada.pilot.app.screen
        assert isinstance(screen, ChangeRequestView)
        assert screen.why_not("revision.revert") is None
        await ada.press("R")
        assert not isinstance(ada.pilot.app.screen, Dialog)
        assert "Pages cannot be written. This server does not offer it." in shown_text(ada)
        assert screen.why_not("revision.revert") == "this server takes no edits of pages"
        await ada.press("R")
        assert "this server takes no edits of pages" in shown_text(ada)
        assert writes(bare) == 1
    assert await requests(bare) == before
