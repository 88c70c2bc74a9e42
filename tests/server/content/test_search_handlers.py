"""Search of an organization: in all its spaces, as far as the caller may see them."""

from __future__ import annotations

from typing import Any

import pytest

from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.platform import FrozenClock, Speaker, join, stranger


@pytest.fixture
def spaces(platform: Platform, clock: FrozenClock) -> list[str]:
    """Three spaces, each made later than the one before; the first and the last have pages about otters."""
    made = []
    for number, text in enumerate(("An otter.\n\n## Otters\n\nTwo otters.\n", "A walrus.\n", "Otters, mostly.\n")):
        clock.advance(minutes=1)
        made.append(make_space(platform, (ImportedPage(f"page{number}", f"Page {number}", text=text),)))
    return made


async def find(speaker: Speaker, organization: str, query: str, **paging: Any) -> list[tuple[str, list[str]]]:
    answer = await speaker.get(f"/orgs/{organization}/search", query=query, **paging)
    return [(space["id"], [page["id"] for page in space["pages"]]) for space in answer["items"]]


async def test_pages_are_found_space_by_space(ada: Speaker, organization: str, spaces: list[str]) -> None:
    assert await find(ada, organization, "otters") == [(spaces[0], ["page0"]), (spaces[2], ["page2"])]
    answer = await ada.get(f"/orgs/{organization}/search", query="otters")
    (hit,) = answer["items"][0]["pages"]
    assert (answer["count"], answer["items"][0]["title"], hit["title"], hit["path"]) == (2, "Guide", "Page 0", "page-0")
    in_space = await ada.get(f"/spaces/{spaces[0]}/search", query="otters")
    assert in_space["items"] == [hit]
    assert [section["path"] for section in hit["sections"]] == ["page-0#otters"]


async def test_only_what_one_may_see_is_found(
    platform: Platform, ada: Speaker, organization: str, spaces: list[str]
) -> None:
    grace = Speaker(platform, join(platform, organization, "Grace Hopper", "read"))
    await ada.send("PATCH", f"/spaces/{spaces[0]}", {"defaultLevel": None})
    assert await find(grace, organization, "otters") == [(spaces[2], ["page2"])]
    guest = Speaker(platform, join(platform, organization, "Gus Guest", None))
    assert await find(guest, organization, "otters") == []
    await Speaker(platform, stranger(platform)).refused("GET", f"/orgs/{organization}/search", 404, query="otters")


async def test_a_deleted_space_is_not_found(ada: Speaker, organization: str, spaces: list[str]) -> None:
    await ada.send("DELETE", f"/spaces/{spaces[2]}", status=204)
    assert await find(ada, organization, "otters") == [(spaces[0], ["page0"])]


async def test_each_space_comes_once_while_pages_come_and_go(
    platform: Platform, ada: Speaker, organization: str, spaces: list[str], clock: FrozenClock
) -> None:
    first = await ada.get(f"/orgs/{organization}/search", query="otters", limit=1)
    desk = await Desk.open(ada, spaces[2])
    await desk.write({"operation": "insert_page", "document": {"markdown": "# Otters\n\nOtters, otters, otters.\n"}})
    await desk.merge()
    clock.advance(minutes=1)
    make_space(platform, (ImportedPage("new", "Otters", text="More.\n"),))
    second = await ada.get(f"/orgs/{organization}/search", query="otters", page=first["next"]["page"])
    assert [space["id"] for space in (*first["items"], *second["items"])][:2] == [spaces[0], spaces[2]]
    await ada.refused("GET", f"/orgs/{organization}/search", 400, query="walrus", page=first["next"]["page"])


@pytest.mark.parametrize("query", ["", "x" * 513])
async def test_a_query_has_1_to_512_characters(ada: Speaker, organization: str, query: str) -> None:
    assert "query" in await ada.refused("GET", f"/orgs/{organization}/search", 400, query=query)
    assert "query" in await ada.refused("GET", f"/orgs/{organization}/search", 400)


@pytest.mark.parametrize("query", ["z " * 256, "字" * 512, '"' * 512, "NEAR(a b)", "title:a", "\x00", "a\x00b", "*"])
async def test_any_query_is_answered(ada: Speaker, organization: str, spaces: list[str], query: str) -> None:
    assert (await ada.get(f"/orgs/{organization}/search", query=query))["count"] == 0
    assert (await ada.get(f"/spaces/{spaces[0]}/search", query=query))["count"] == 0
