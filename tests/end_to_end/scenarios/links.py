"""Scenarios of links and backlinks, each on a space and on a change request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World, edit
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.changes import DeletePage
from recto.contract.content import Content
from recto.contract.links import LinkList, Links
from recto.contract.spaces import Spaces

TEXT = "# Start\n\nTo [set-up](/pages/setup) and [no part](/pages/setup#nothing), past ![the logo](/files/{logo}).\n"

Ask = Callable[..., Awaitable[Any]]
LinkScenario = Callable[[World, Ask], Awaitable[None]]


def proves_links(name: str) -> Callable[[LinkScenario], LinkScenario]:
    """Name the operation that the decorated scenario proves, where the first page of the manual has links in it."""

    def register(scenario: LinkScenario) -> LinkScenario:
        async def on_a_space(world: World) -> None:
            request = await _propose_links(world)
            await world.call(ChangeRequests.merge, world.manual, request.id)
            await scenario(world, partial(world.call, getattr(Links, name), Main(world.manual)))

        async def on_a_change_request(world: World) -> None:
            request = await _propose_links(world)
            await scenario(world, partial(world.call, getattr(Links, name), InChangeRequest(world.manual, request.id)))

        proves(getattr(Links, name), Main)(on_a_space)
        proves(getattr(Links, name), InChangeRequest)(on_a_change_request)
        return scenario

    return register


async def _propose_links(world: World) -> ChangeRequest:
    return await world.propose(edit("start", TEXT.format(logo=world.places.logo)))


def _summarize(links: LinkList) -> list[tuple[str, str, str]]:
    return sorted(
        (link.status, link.target_reference.kind, place.text)
        for link in links.items
        for place in link.location_references
    )


@proves_links("list_links")
async def the_links_of_all_pages_say_what_is_broken(world: World, ask: Ask) -> None:
    links = await ask()
    assert _summarize(links) == [("broken", "page", "no part"), ("ok", "file", "the logo"), ("ok", "page", "set-up")]
    assert (links.stats.total, links.stats.broken.total) == (3, 1)
    breaking = await world.propose(DeletePage(page="cables"), edit("setup", "# Set-up\n\n[There](/pages/cables).\n"))
    stats = (await world.call(Links.list_links, InChangeRequest(world.manual, breaking.id))).stats
    assert stats.broken.change_request == 1


@proves_links("list_page_links")
async def the_links_of_a_page_are_its_own(world: World, ask: Ask) -> None:
    links = await ask("start")
    assert [place.page.id for link in links.items for place in link.location_references] == ["start"] * 3
    assert (await ask("cables")).stats.total == 0
    titles = {each.id: each.title for each in (await world.call(Content.list_pages, Main(world.manual))).pages}
    targets = [link.target_reference.page for link in links.items if link.target_reference.page and link.status == "ok"]
    assert [(page.id, page.title) for page in targets] == [("setup", titles["setup"])]


@proves_links("list_page_backlinks")
async def a_page_knows_what_points_at_it(world: World, ask: Ask) -> None:
    (pointing,) = (await ask("setup")).items
    assert (pointing.kind, pointing.page.id, pointing.space.id) == ("page", "start", world.manual)
    assert pointing.space.title == (await world.call(Spaces.get_space, world.manual)).title
    assert (await ask("cables")).items == ()


@proves_links("list_file_backlinks")
async def a_file_knows_what_shows_it(world: World, ask: Ask) -> None:
    (pointing,) = (await ask(world.places.logo)).items
    assert (pointing.kind, pointing.page.id) == ("page", "start")
    assert pointing.page.title == (await world.call(Content.get_page, Main(world.manual), "start")).title
