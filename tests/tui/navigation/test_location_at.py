"""Where addresses lead in the program, on a platform of one's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from recto.cli.own_workspace import OwnWorkspace
from recto.client.errors import NotFound
from recto.client.sender import embed
from recto.contract.addresses import Main
from recto.contract.change_requests import ChangeRequests, CreateChangeRequest
from recto.contract.content import Content
from recto.contract.spaces import Spaces
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.drafts import Drafts
from recto.store.locations import ChangeRequestLocation, OrganizationsLocation, SiteLocation, SpaceLocation, item_id
from recto.store.store import Store
from recto.tui.navigation.targets import by_words
from recto.tui.navigation.url_locations import ElsewhereError, find_location
from recto.urls import Thing, ThingUrl, read_url
from support.content import make_space

PAGES = (ImportedPage("home", "Home", "home"), ImportedPage("a", "A", "a", children=(ImportedPage("b", "B", "b"),)))


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    opened = Platform.open(tmp_path / "workspace.recto")
    yield opened
    opened.close()


@pytest.fixture
async def store(platform: Platform, tmp_path: Path) -> AsyncIterator[Store]:
    opened = Store(
        embed(platform.application, platform.token), Drafts(tmp_path / "drafts"), workspace=OwnWorkspace(platform)
    )
    yield opened
    await opened.aclose()


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES)


async def test_it_leads_to_each_kind_of_thing(platform: Platform, store: Store, space: str) -> None:
    def at(**thing: str) -> ThingUrl:
        return ThingUrl(f"recto:{platform.owner}", Thing(**thing))

    request = (
        await store.call(ChangeRequests.create_change_request, space, CreateChangeRequest(subject="A change"))
    ).id
    revision = (await store.call(Spaces.get_space, space)).revision
    assert await find_location(store, at(organization="o")) == OrganizationsLocation(item_id("organization", "o"))
    assert await find_location(store, at(collection="c")) == OrganizationsLocation(item_id("collection", "c"))
    assert await find_location(store, at(organization="o", site="s")) == SiteLocation("o", "s")
    assert await find_location(store, at(space=space)) == SpaceLocation(space)
    assert await find_location(store, at(space=space, change_request="1")) == ChangeRequestLocation(space, request)
    for page in ("b", "a/b"):
        found = await find_location(store, at(space=space, page=page, anchor="end"))
        assert found == SpaceLocation(space, page="b", anchor="end")
        found = await find_location(store, at(space=space, change_request="1", page=page, anchor="end"))
        assert found == SpaceLocation(space, change_request=request, page="b", anchor="end")
        found = await find_location(store, at(space=space, revision=revision, page=page, anchor="end"))
        assert found == SpaceLocation(space, revision=revision, page="b", anchor="end")
    with pytest.raises(NotFound):
        await find_location(store, at(space=space, page="nowhere"))


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("recto:Grace1/s/s1", "It is in the workspace Grace1, and this is the workspace"),
        ("https://docs.example.org/s/s1", "Set RECTO_TOKEN to a token of that platform"),
    ],
)
async def test_an_address_of_another_platform_is_refused(store: Store, address: str, says: str) -> None:
    read = read_url(address)
    assert read is not None
    with pytest.raises(ElsewhereError, match=says):
        await find_location(store, read)


async def test_a_pasted_address_is_somewhere_to_jump_to(platform: Platform, store: Store, space: str) -> None:
    address = (await store.call(Content.get_page, Main(space), "b")).urls.app
    assert address is not None
    found = [target async for some in by_words(store, address) for target in some]
    assert [(one.title, one.location) for one in found] == [("page b", SpaceLocation(space, page="b"))]
