from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from recto.client.errors import NotFound, Unreachable
from recto.contract.operation import Operation
from recto.store.fallbacks import FallbackTransport
from recto.store.locations import (
    ChangeRequestLocation,
    Locations,
    OrganizationsLocation,
    SiteLocation,
    SpaceLocation,
    item_id,
)
from recto.store.store import Store
from recto.tui.dialogs.jump import Target
from recto.tui.navigation import targets as finding_targets
from recto.tui.navigation.targets import by_words, targets
from support.notes import FakeTransport

ANSWERS: dict[str, Any] = {
    "list_organizations": {"items": [{"id": "o1", "object": "organization", "title": "Acme"}]},
    "list_spaces": {"items": [{"id": "s1", "object": "space", "title": "Docs"}]},
    "list_sites": {"items": [{"id": "w1", "object": "site", "title": "docs.acme"}]},
    "list_organization_change_requests": {
        "items": [{"id": "c1", "object": "change-request", "number": 7, "subject": "Webhooks", "space": "s1"}]
    },
    "list_pages": {
        "pages": [{"id": "g", "title": "Guide", "type": "group", "pages": [{"id": "p1", "title": "Getting started"}]}]
    },
}
DRAFTS: dict[str, Any] = {
    "items": [{"id": "c2", "object": "change-request", "number": 8, "subject": "Not yet", "space": "s1"}]
}


def answering(store: Store, **other: Any) -> None:
    def answer(operation: Operation[Any, Any], arguments: Mapping[str, Any]) -> Any:
        value = {**ANSWERS, **other}[operation.route(arguments).name]
        if arguments.get("status") == "draft":
            value = DRAFTS
        if isinstance(value, Exception):
            raise value
        return value(arguments) if callable(value) else value

    store._transport = FakeTransport(answer)
    store._ways = FallbackTransport(store._transport)


async def gather(store: Store, failed: Callable[[Exception], None]) -> list[Target]:
    found: list[Target] = []
    try:
        async for some in targets(store):
            found += some
    except Unreachable as error:
        failed(error)
    return found


async def test_everything_has_its_kind_and_what_it_is_in(store: Store) -> None:
    answering(store)

    found = [(one.title, one.what, one.where, one.location) async for some in targets(store) for one in some]

    assert found == [
        ("Acme", "organization", "", OrganizationsLocation(item_id("organization", "o1"))),
        ("Docs", "space", "Acme", SpaceLocation("s1")),
        ("docs.acme", "site", "Acme", SiteLocation("o1", "w1")),
        ("#7 Webhooks", "change request", "Acme › Docs", ChangeRequestLocation("s1", "c1")),
        ("#8 Not yet", "change request", "Acme › Docs", ChangeRequestLocation("s1", "c2")),
        ("Getting started", "page", "Acme › Docs", SpaceLocation("s1", page="p1")),
    ]


async def test_what_cannot_be_listed_keeps_nothing_else_away(store: Store) -> None:
    answering(store, list_sites=Unreachable("Could not list the sites.", "No answer came."))
    failures: list[Exception] = []

    found = await gather(store, failures.append)

    assert "Getting started" in [one.title for one in found]
    assert len(failures) == 1


async def test_what_was_visited_comes_first(store: Store, tmp_path: Path) -> None:
    answering(store)
    store.locations = Locations(tmp_path / "places.json")
    store.locations.remember(store.address, SpaceLocation("s1", page="p1", title="Getting started"))
    store.locations.remember(store.address, OrganizationsLocation("space:s1", title="Docs"))
    past = SpaceLocation("s1", revision="r1", page="p1", title="Getting started")
    store.locations.remember(store.address, past)

    first, *_rest = [some async for some in targets(store)]

    assert [(one.title, one.what) for one in first] == [("Getting started", "page")]


async def test_the_pages_of_a_space_are_asked_for_again_only_when_it_has_another_revision(store: Store) -> None:
    revisions = ["r1", "r1"]

    def list_spaces(_: object) -> Any:
        spaces = enumerate(revisions)
        return {"items": [{"id": f"s{nth}", "object": "space", "title": "Docs", "revision": r} for nth, r in spaces]}

    def asked() -> int:
        transport = store._transport
        assert isinstance(transport, FakeTransport)
        return sum(name == "list_pages" for name, _ in transport.sent)

    answering(store, list_spaces=list_spaces)
    first = [one.location async for some in targets(store) for one in some]
    assert asked() == 2
    assert [one.location async for some in targets(store) for one in some] == first
    assert asked() == 2
    revisions[1] = "r2"
    store.invalidate(lambda key: True)
    assert [one.location async for some in targets(store) for one in some] == first
    assert asked() == 3


async def test_page_trees_are_asked_for_a_few_at_once_and_first_of_spaces_visited_lately(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding_targets, "_MOST_ASKED", 10)
    under_way: list[str] = []
    most: list[int] = []
    first: list[str] = []

    async def list_pages(arguments: Mapping[str, Any]) -> Any:
        space = arguments["at"].space
        first.append(space)
        under_way.append(space)
        most.append(len(under_way))
        await asyncio.sleep(0)
        under_way.remove(space)
        return {"pages": []}

    listed = [{"id": f"s{number}", "object": "space", "title": "Docs", "revision": "r"} for number in range(14)]
    answering(store, list_spaces={"items": listed}, list_pages=list_pages)
    store.locations = Locations(tmp_path / "places.json")
    store.locations.remember(store.address, SpaceLocation("s12", title="Docs"))
    store.locations.remember(store.address, SpaceLocation("s9", title="Docs"))
    await gather(store, lambda error: None)
    assert (first[:3], len(first), max(most)) == (["s9", "s12", "s0"], 10, 4)
    await gather(store, lambda error: None)
    assert len(set(first)) == len(first) == 14


SITE = {"id": "w1", "object": "site", "title": "docs.acme", "urls": {"published": "https://docs.acme.example/"}}
STRUCTURE = {
    "type": "siteSpaces",
    "structure": [
        {
            "object": "site-space",
            "id": f"ss-{space}",
            "path": space,
            "space": {"object": "space", "id": space, "title": space},
            "urls": {"published": f"https://docs.acme.example/{path}"},
        }
        for space, path in (("main", ""), ("api", "api/"))
    ],
}
PAGES = {("main", "guide/start"): "p1", ("api", "calls"): "p2"}


@pytest.mark.parametrize(
    ("address", "leads"),
    [
        ("https://docs.acme.example/guide/start", SpaceLocation("main", page="p1")),
        (" https://docs.acme.example/api/calls#how%20to ", SpaceLocation("api", page="p2", anchor="how to")),
        ("https://docs.acme.example/api", SpaceLocation("api")),
        ("https://docs.acme.example/api/gone", SpaceLocation("api")),
        ("https://docs.acme.example.evil.example/api", None),
        ("https://other.example/api", None),
    ],
)
async def test_an_address_at_which_a_site_shows_a_page_leads_to_it(
    store: Store, address: str, leads: SpaceLocation | None
) -> None:
    answering(store, list_sites={"items": [SITE]}, get_structure=STRUCTURE, search_organization={"items": []})
    answer = store._transport.answer  # type: ignore[attr-defined]

    def with_pages(operation: Operation[Any, Any], arguments: Mapping[str, Any]) -> Any:
        if operation.route(arguments).name != "get_page_by_path":
            return answer(operation, arguments)
        found = PAGES.get((arguments["at"].space, arguments["page_path"]))
        if found is None:
            raise NotFound("Could not load the page.", "There is no such page.", status=404)
        return {"id": found, "title": found}

    store._transport.answer = with_pages  # type: ignore[attr-defined]
    found = [target async for some in by_words(store, address) for target in some]
    assert [target.location for target in found] == ([leads] if leads else [])
