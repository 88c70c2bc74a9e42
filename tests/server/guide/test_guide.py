from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from recto.document.markdown.page import parse_page
from recto.server.exchange.library import read_library
from recto.server.guide import find_guide
from recto.server.guide.installation import PAGES, install_guide, remove_guide
from recto.server.platform import Platform
from support.content import Desk, titles
from support.platform import FrozenClock, Speaker

LIBRARY = read_library(PAGES)


@pytest.fixture
def furnished(platform: Platform) -> Platform:
    install_guide(platform)
    return platform


def guide(platform: Platform) -> str:
    return str(find_guide(platform))


async def main_space(ada: Speaker, platform: Platform) -> dict[str, Any]:
    listed = (await ada.get(f"/orgs/{guide(platform)}/spaces"))["items"]
    return next(space for space in listed if space["title"] == "Guide")


async def request(ada: Speaker, space: str, number: int) -> Any:
    return await ada.get(f"/spaces/{space}/change-requests/{number}")


def count_all(platform: Platform) -> dict[str, int]:
    tables = [
        "organizations", "members", "users", "collections", "spaces", "revisions", "change_requests", "reviews",
        "review_requests", "comments", "replies", "reactions", "sites", "sections", "section_groups", "site_spaces",
        "search", "search_sections", "conflicts", "texts", "nodes", "manifests", "blobs", "block_keys",
    ]  # fmt: skip
    return platform.database.read_now(
        lambda connection: {table: connection.value(f"SELECT count(*) FROM {table}") for table in tables}
    )


def test_the_pages_of_the_guide_have_nothing_amiss() -> None:
    for book in LIBRARY.books:
        report = book.report
        assert (report.unlisted, report.dangling, report.repeated, report.unread_front_matter) == ((), (), (), ())
        for page in book.walk():
            parsed = parse_page(page.text)
            assert page.kind != "document" or parsed.blocks, page.path
    assert LIBRARY.site is not None
    assert (LIBRARY.site.missing, LIBRARY.site.unplaced) == ((), ())


def test_links_between_pages_lead_somewhere() -> None:
    for book in LIBRARY.books:
        known = {page.path for page in book.walk()} | {file.path for file in book.files}
        for page in book.walk():
            for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.text):
                assert target in known, f"{page.path} points at {target}"


async def test_the_guide_is_an_organization_with_a_colleague(furnished: Platform, ada: Speaker) -> None:
    listed = (await ada.get("/orgs"))["items"]
    assert {each["title"] for each in listed} == {"Ada's documentation", "Recto guide"}
    own = next(each for each in listed if each["id"] != guide(furnished))
    members = (await ada.get(f"/orgs/{guide(furnished)}/members"))["items"]
    assert {(each["user"]["displayName"], each["role"]) for each in members} == {
        ("Ada Lovelace", "admin"),
        ("Ines Park", "review"),
    }
    assert (await ada.get(f"/orgs/{own['id']}/spaces"))["items"] == []


async def test_its_main_space_has_a_dozen_pages(furnished: Platform, ada: Speaker) -> None:
    space = await main_space(ada, furnished)
    pages = (await ada.get(f"/spaces/{space['id']}/content/pages"))["pages"]
    assert titles(pages) == [
        "Welcome",
        "First steps",
        "Moving about",
        (
            "Pages",
            [("Reading", ["Markdown in ten minutes"]), "Editing and drafts", "Importing your own documentation"],
        ),
        ("Together", [("Change requests", ["How a review goes", "Resolving conflicts"]), "The site"]),
        (
            "Setting up",
            [
                "Connecting to a hosted platform",
                "Serving a workspace",
                "Settings and your own keys",
                "When something goes wrong",
            ],
        ),
    ]


async def test_one_change_request_is_open_for_review(furnished: Platform, ada: Speaker) -> None:
    space = (await main_space(ada, furnished))["id"]
    found = await request(ada, space, 3)
    assert (found["subject"], found["status"], found["outdated"]) == ("Tell the first steps in order", "open", False)
    assert found["createdBy"]["displayName"] == "Ines Park"
    asked = (await ada.get(f"/spaces/{space}/change-requests/3/requested-reviewers"))["items"]
    assert [each["user"]["displayName"] for each in asked] == ["Ada Lovelace"]
    changes = (await ada.get(f"/spaces/{space}/change-requests/3/changes"))["changes"]
    assert sorted((each["type"], each["page"]["title"]) for each in changes) == [
        ("page_created", "What next"),
        ("page_edited", "First steps"),
        ("page_edited", "Moving about"),
    ]


async def test_no_link_of_its_change_requests_is_broken(furnished: Platform, ada: Speaker) -> None:
    space = (await main_space(ada, furnished))["id"]
    for number in (1, 3):
        found = (await ada.get(f"/spaces/{space}/change-requests/{number}/links"))["stats"]
        assert found["total"] > 10
        assert found["broken"]["total"] == 0


async def test_it_has_a_thread_with_a_reply_a_reaction_and_a_suggestion(furnished: Platform, ada: Speaker) -> None:
    space = (await main_space(ada, furnished))["id"]
    comments = (await ada.get(f"/spaces/{space}/change-requests/3/comments", order="asc"))["items"]
    question, suggestion = comments
    assert (question["replies"], question["reactions"][0]["emoji"]) == (1, "🤔")
    assert "```suggestion\n" in suggestion["body"]["markdown"]
    for comment in comments:
        assert comment["target"]["node"]["preview"]
        assert not comment["target"]["page"]["outdated"]
    assert (await request(ada, space, 3))["comments"] == 2
    assert len((await ada.get(f"/spaces/{space}/comments"))["items"]) == 1


async def test_it_can_be_reviewed_and_merged(furnished: Platform, ada: Speaker) -> None:
    space = (await main_space(ada, furnished))["id"]
    await ada.send("POST", f"/spaces/{space}/change-requests/3/reviews", {"status": "approved"}, 201)
    await Desk(ada, space, 3).merge()
    pages = (await ada.get(f"/spaces/{space}/content/pages"))["pages"]
    assert titles(pages)[1] == ("First steps", ["What next"])


async def test_another_one_is_outdated_and_conflicts_in_one_page(furnished: Platform, ada: Speaker) -> None:
    space = (await main_space(ada, furnished))["id"]
    found = await request(ada, space, 1)
    assert (found["status"], found["outdated"]) == ("open", True)
    desk = Desk(ada, space, 1)
    assert "Editing and drafts" in await ada.refused("POST", f"{desk.path}/merge", 409)
    assert (await desk.update())["result"] == "conflicts"
    pages = (await ada.get(f"{desk.path}/content/pages"))["pages"]
    editing = next(page for group in pages for page in group["pages"] if page["title"] == "Editing and drafts")
    text = await desk.text(editing["id"])
    assert text.count("<<<<<<<") == text.count(">>>>>>>") == 1
    settled = "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))
    )
    await desk.edit(editing["id"], settled)
    assert (await desk.merge())["result"] == "merge"


async def test_the_site_has_two_groups_and_five_sections(furnished: Platform, ada: Speaker) -> None:
    organization = guide(furnished)
    (site,) = (await ada.get(f"/orgs/{organization}/sites"))["items"]
    assert (site["title"], site["siteSpaces"]) == ("The Recto guide", 7)
    structure = (await ada.get(f"/orgs/{organization}/sites/{site['id']}/structure"))["structure"]
    outline = [(item["title"], [child["title"] for child in item.get("children", ())]) for item in structure]
    assert outline == [("Guide", []), ("Reference", ["Keys", "Blocks"]), ("Project", ["Changelog", "Questions"])]
    assert [each["title"] for each in structure[0]["siteSpaces"]] == ["English", "Français", "Deutsch"]


async def test_a_collection_holds_the_reference(furnished: Platform, ada: Speaker) -> None:
    (collection,) = (await ada.get(f"/orgs/{guide(furnished)}/collections"))["items"]
    spaces = (await ada.get(f"/collections/{collection['id']}/spaces"))["items"]
    assert (collection["title"], [each["title"] for each in spaces]) == ("Reference", ["Keys", "Blocks"])


async def test_its_times_lie_in_the_past_in_order(furnished: Platform, ada: Speaker, clock: FrozenClock) -> None:
    space = await main_space(ada, furnished)
    times = [space["createdAt"]] + [(await request(ada, space["id"], number))["createdAt"] for number in (1, 2, 3)]
    assert times == sorted(times)
    assert times[-1] < clock().isoformat()


def test_installing_again_makes_no_second_one(furnished: Platform) -> None:
    before = count_all(furnished)
    install_guide(furnished)
    assert count_all(furnished) == before


def test_removing_leaves_nothing_and_it_does_not_come_back(platform: Platform) -> None:
    before = count_all(platform)
    install_guide(platform)
    remove_guide(platform)
    platform.sweeper.sweep()
    assert count_all(platform) == before
    assert find_guide(platform) is None
    remove_guide(platform)
    install_guide(platform)
    assert count_all(platform) == before


def test_a_new_workspace_comes_with_it_once(tmp_path: Path) -> None:
    path = tmp_path / "new.recto"
    platform = Platform.open(path, fill=install_guide)
    assert count_all(platform)["organizations"] == 2
    remove_guide(platform)
    platform.close()
    platform = Platform.open(path, fill=install_guide)
    assert count_all(platform)["organizations"] == 1
    platform.close()
