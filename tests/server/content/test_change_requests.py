"""A change request from its start to its merge, over the whole stack."""

from __future__ import annotations

import pytest

from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from support.content import Desk, make_space, titles
from support.platform import Speaker

PAGES = (
    ImportedPage("welcome", "Welcome", "welcome", text="Hello.\n"),
    ImportedPage(
        "install",
        "Install",
        "install",
        text="## Linux\n\nUse the package.\n\n## Windows\n\nUse the installer.\n",
        children=(ImportedPage("proxy", "Proxy", "proxy", text="Set the variable.\n"),),
    ),
)


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES)


async def test_an_edit_is_seen_in_the_change_request_and_after_the_merge_in_the_space(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    before = await ada.get(f"/spaces/{space}/content")
    await desk.edit("welcome", "# Welcome home\n\nHello, world.\n")
    assert await desk.text("welcome") == "# Welcome home\n\nHello, world.\n"
    assert await ada.get(f"/spaces/{space}/content") == before
    outcome = await desk.merge()
    assert outcome["result"] == "merge"
    after = await ada.get(f"/spaces/{space}/content")
    assert after["id"] == outcome["revision"]
    assert after["type"] == "merge"
    assert titles(after["pages"]) == ["Welcome home", ("Install", ["Proxy"])]
    merged = await desk.get()
    assert (merged["status"], merged["revisionMerged"], merged["outdated"]) == ("merged", after["id"], False)
    assert after["mergedFrom"]["id"] == merged["id"]
    past = await ada.get(f"/spaces/{space}/revisions/{before['id']}/page/welcome", format="markdown")
    assert past["markdown"] == "# Welcome\n\nHello.\n"


async def test_two_lines_of_edits_to_different_parts_merge_to_both(ada: Speaker, space: str) -> None:
    first, second = await Desk.open(ada, space), await Desk.open(ada, space)
    await first.edit("install", "# Install\n\n## Linux\n\nUse apt.\n\n## Windows\n\nUse the installer.\n")
    await second.edit("install", "# Install\n\n## Linux\n\nUse the package.\n\n## Windows\n\nUse winget.\n")
    await second.write({"operation": "update_page", "page": "proxy", "into": None, "at": 0})
    await first.merge()
    assert (await second.get())["outdated"] is True
    await second.merge()
    page = await ada.get(f"/spaces/{space}/content/path/install", format="markdown")
    assert page["markdown"] == "# Install\n\n## Linux\n\nUse apt.\n\n## Windows\n\nUse winget.\n"
    assert titles((await ada.get(f"/spaces/{space}/content/pages"))["pages"]) == ["Proxy", "Welcome", "Install"]


async def test_a_conflict_stops_the_merge_and_is_settled_after_an_update(ada: Speaker, space: str) -> None:
    first, second = await Desk.open(ada, space), await Desk.open(ada, space)
    await first.edit("welcome", "# Welcome\n\nHello, Ada.\n")
    await second.edit("welcome", "# Welcome\n\nHello, Grace.\n")
    await first.merge()
    main = (await ada.get(f"/spaces/{space}/content"))["id"]
    assert "“Welcome”" in await ada.refused("POST", f"{second.path}/merge", 409)
    assert (await ada.get(f"/spaces/{space}/content"))["id"] == main
    outcome = await second.update()
    assert outcome["result"] == "conflicts"
    pulled = await second.get()
    assert (pulled["outdated"], pulled["revisionMergedAncestor"], pulled["revision"]) == (
        False,
        main,
        outcome["revision"],
    )
    marked = await second.text("welcome")
    assert "<<<<<<<" in marked
    assert "Hello, Grace." in marked
    assert "Hello, Ada." in marked
    assert "“Welcome”" in await ada.refused("POST", f"{second.path}/merge", 409)
    await second.edit("proxy", "# Proxy\n\nSomething else.\n")
    assert "“Welcome”" in await ada.refused("POST", f"{second.path}/merge", 409)
    await second.edit("welcome", "# Welcome\n\nHello, Ada and Grace.\n")
    await second.merge()
    page = await ada.get(f"/spaces/{space}/content/page/welcome", format="markdown")
    assert page["markdown"] == "# Welcome\n\nHello, Ada and Grace.\n"
