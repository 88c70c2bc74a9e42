"""What could not be read of a list stands in it, dim, and nothing that is known goes with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.contract.addresses import Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.comments import Comments
from recto.contract.content import Content
from recto.contract.members import Members
from recto.contract.organizations import Organizations
from recto.contract.spaces import Spaces
from recto.server.platform import Platform
from recto.store.locations import SiteLocation, SpaceLocation
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.screens.space.space_view import SpaceView
from support.guide_workspace import guided_store, last_row, open_guided
from support.other_platforms import OtherPlatform, break_items, visit_platform
from support.platform import join
from support.screens import all_messages
from support.sites import make_docs


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    platform = open_guided(tmp_path)
    yield platform
    platform.close()


async def test_the_tree_of_organizations_shows_what_it_could_not_read(platform: Platform, tmp_path: Path) -> None:
    docs = make_docs(platform)
    join(platform, docs.organization, "Grace Hopper", "edit")
    call = guided_store(platform, tmp_path / "asking").call
    spaces = (await call(Spaces.list_spaces, docs.organization)).items
    transport = OtherPlatform(platform, change=break_items(spaces[0].id, docs.site))
    async with visit_platform(platform, tmp_path, transport) as ada:
        assert f"×  unreadable space {spaces[0].id}"[:24] in ada.screen
        assert f"×  unreadable site {docs.site} (title)" in ada.screen
        assert "Questions" in ada.screen
        await ada.find("unreadable")
        here = ada.screen
        await ada.press("enter", "l", "f2", "escape")
        assert ada.pilot.app.screen.query_one(VirtualList).has_focus
        assert "The response could not be read" in ada.screen
        assert here.splitlines()[0] == ada.screen.splitlines()[0]


async def test_lists_of_a_space_show_what_they_could_not_read(platform: Platform, tmp_path: Path) -> None:
    asking = guided_store(platform, tmp_path / "asking")
    organizations = (await asking.fetch(Organizations.list_organizations)).items
    guide = next(one for one in organizations if one.title == "Recto guide")
    spaces = (await asking.fetch(Spaces.list_spaces, guide.id)).items
    found = []
    for each in spaces:
        comments = (await asking.fetch(Comments.list_comments, Main(each.id))).items
        requests = (await asking.fetch(ChangeRequests.list_change_requests, each.id)).items
        if comments and requests:
            found.append((each.id, comments[0].id, requests[0].id))
    space, comment, request = found[0]
    pages = (await asking.fetch(Content.list_pages, Main(space))).pages
    nested = next(page for page in pages if page.pages).pages[0].id
    change = break_items(comment, request, pages[-1].id, nested)
    asked: list[str] = []

    def has(_method: str, path: str) -> bool:
        asked.append(path)
        return True

    transport = OtherPlatform(platform, has=has, change=change)
    async with visit_platform(platform, tmp_path, transport, SpaceLocation(space)) as ada:
        assert isinstance(ada.pilot.app.screen, SpaceView)
        assert f"×  unreadable item {pages[-1].id}"[:22] in ada.screen
        await ada.press("Z")
        assert f"×  unreadable item {nested}"[:20] in ada.screen
        assert pages[0].title in ada.screen
        await ada.press("G", "enter", "l")
        assert "The response for this page" in ada.screen
        view = ada.pilot.app.screen
        assert isinstance(view, SpaceView)
        assert {view.why_not(each) for each in ("page.edit", "item.rename", "item.delete", "space.comment")} == {
            "this page could not be read"
        }
        await ada.press("e", "i")
        assert ada.screen.count("The response for") == 2
        await ada.press("b")
        assert "Links of this page" in ada.screen and "Links  none" in ada.screen
        assert "Could not load" not in ada.screen and "unread" not in "".join(asked)
        await ada.press("b")
        for tab, id in (("change-request", request), ("comment", comment)):
            await ada.press("2" if tab == "change-request" else "3")
            assert f"× unreadable {tab.replace('-', ' ')} {id}" in ada.screen
            await ada.press("G", "enter")
            assert isinstance(ada.pilot.app.screen, SpaceView)


async def test_what_comes_without_a_title_has_a_name_in_the_title_bar(platform: Platform, tmp_path: Path) -> None:
    docs = make_docs(platform)
    asking = guided_store(platform, tmp_path / "asking")
    space = (await asking.fetch(Spaces.list_spaces, docs.organization)).items[0].id

    def change(_path: str, answer: object) -> object:
        if isinstance(answer, dict):
            answer = {key: change("", value) for key, value in answer.items() if key != "title"}
        return [change("", each) for each in answer] if isinstance(answer, list) else answer

    async with visit_platform(platform, tmp_path, OtherPlatform(platform, change=change), SpaceLocation(space)) as ada:
        assert ada.screen.splitlines()[0].split("  ")[1].strip() == "Untitled › Untitled"
        await ada.press("q")
        assert "Recto › Untitled organization" in ada.screen


async def test_members_show_who_could_not_be_read(platform: Platform, tmp_path: Path) -> None:
    docs = make_docs(platform)
    grace = join(platform, docs.organization, "Grace Hopper", "edit")

    def change(path: str, answer: object) -> object:
        if path.endswith("/members"):
            assert isinstance(answer, dict)
            answer["items"] = [one | {"joinedAt": {}} if one["id"] == grace else one for one in answer["items"]]
        return answer

    async with visit_platform(platform, tmp_path, OtherPlatform(platform, change=change)) as ada:
        await ada.press(*last_row("Members"))
        assert "ada@example.org" in ada.screen
        assert "(joinedAt)" in ada.screen
        listed = (await ada.store.query_list(Members.list_members, docs.organization, order="asc").wait()).value
        assert listed is not None
        assert (len(listed.items), len(listed.unread), listed.total) == (2, 1, 3)


async def test_the_order_of_a_site_is_not_written_while_something_on_it_is_unread(
    platform: Platform, tmp_path: Path
) -> None:
    docs = make_docs(platform)
    transport = OtherPlatform(platform, change=break_items(docs.ids["Identity"], docs.ids["Version 1"]))
    before = await docs.order(guided_store(platform, tmp_path / "asking"))
    at = SiteLocation(docs.organization, docs.site)
    async with visit_platform(platform, tmp_path, transport, at) as ada:
        await ada.press("Z")
        assert f"unreadable site section {docs.ids['Identity']} (title)" in ada.screen
        assert f"unreadable site space {docs.ids['Version 1']} (title)" in ada.screen
        assert "Payments guide" in ada.screen
        assert "Version 2" in ada.screen
        await ada.press("g", "m")
        await ada.press("J")
        await ada.press("A")
        told = all_messages(ada.pilot.app)
        assert any("could not be read" in message for message in told), told
        assert "move staged" not in ada.screen
    assert await docs.order(guided_store(platform, tmp_path / "asking again")) == before


async def test_merge_rules_are_not_written_while_one_of_them_is_unread(platform: Platform, tmp_path: Path) -> None:
    docs = make_docs(platform)
    space = (await guided_store(platform, tmp_path / "asking").call(Spaces.list_spaces, docs.organization)).items[0].id

    def change(path: str, answer: object) -> object:
        if path.endswith(f"/spaces/{space}"):
            assert isinstance(answer, dict)
            rules = [{"rule": "require_author_to_merge"}, {"rule": 5, "id": "r9"}]
            answer["mergeRules"] = {"type": "rules", "rules": rules}
        return answer

    at = SpaceLocation(space)
    async with visit_platform(platform, tmp_path, OtherPlatform(platform, change=change), at) as ada:
        await ada.press("7")
        assert "× unreadable item r9 (rule)" in ada.screen
        await ada.press("G", "enter")
        assert isinstance(ada.pilot.app.screen, SpaceView)
        assert "part of it could not be read" in ada.screen
