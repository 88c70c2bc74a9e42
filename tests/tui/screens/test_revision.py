"""The revisions of a space, and a page as it was at one of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from recto.client.errors import Unreachable
from recto.store.locations import SpaceLocation
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.page.page_view import PageView
from recto.tui.screens.space.space_view import SpaceView
from support.content import Desk, change_space, imported_page, make_space, notice
from support.platform import Speaker, join, own_organization
from support.screens import settled, until_shown
from support.sites import Refusing
from support.spaces import GUIDE, Reader, Workspace


async def merge(workspace: Workspace, subject: str, page: str, text: str) -> None:
    workspace.platform.clock.advance(hours=1)  # type: ignore[attr-defined]
    desk = await Desk.open(workspace.api, workspace.space, subject)
    await desk.edit(page, text)
    await desk.merge()


async def test_the_revisions_say_when_by_whom_and_from_which_change_request(workspace: Workspace) -> None:
    await merge(workspace, "Say it better", "welcome", "# Welcome\n\nIt is better said.\n")
    async with workspace.reader() as reader:
        await reader.press("6")
        reader.shows("Revisions  3", "● just now", "merged #1 Say it better  now", "○ 1 h ago")
        assert "Ada" in reader.line("merged #1")


async def test_more_revisions_come_as_one_goes_down_and_all_on_the_way_to_the_end(workspace: Workspace) -> None:
    for number in range(14):
        await merge(workspace, f"Change {number}", "welcome", f"# Welcome\n\nText {number}.\n")
    gate = asyncio.Event()
    transports: list[Refusing] = []
    async with workspace.reader(prepare=transports.append) as reader:
        await reader.press("6")
        revisions = reader.pilot.app.screen.query_one("#revision-list", VirtualList)
        reader.shows("Revisions  12", "12 so far: more come as you go down")
        transports[0].then["get_revision"] = gate.wait
        await reader.pilot.press("G")
        await until_shown(reader.pilot, "12 so far: loading more")
        await reader.pilot.press("escape")
        gate.set()
        await settled(reader.pilot)
        reader.shows("Revisions  16")
        assert revisions.cursor == 11, "esc has stopped at what was there"
        await reader.press("r", "g", "G")
        reader.shows("Revisions  16")
        assert revisions.cursor == 15


async def test_a_page_is_shown_as_it_was_and_how_it_differs_from_now(workspace: Workspace) -> None:
    await merge(workspace, "Say it better", "guide", "# The manual\n\nIt takes one step.\n")
    async with workspace.reader(size=(140, 30)) as reader:
        await reader.read("The manual")
        await reader.press("6", "j", "enter")
        assert isinstance(reader.pilot.app.screen, SpaceView)
        await reader.press("2")
        reader.shows("as of 2 Mar 2026, 09:00", "It takes three steps.", "─ Pages")
        await reader.press("3")
        reader.shows("- It takes three steps.", "+ It takes one step.", "title", "+ The manual", "The guide  +1 -13")
        await reader.press("4")
        reader.shows("The space had no files then.")
        await reader.press("3")
        await reader.press("k", "k")
        reader.shows("Nothing has changed since.")
        await reader.press("q")
        reader.shows("6 Revisions", "merged #1 Say it better")


async def test_a_revision_shows_first_what_it_changed_page_by_page(workspace: Workspace) -> None:
    workspace.platform.clock.advance(hours=1)  # type: ignore[attr-defined]
    desk = await Desk.open(workspace.api, workspace.space, "Say it better")
    await desk.write(
        {"operation": "update_page", "page": "guide", "document": {"markdown": "# The manual\n\nIt takes one step.\n"}},
        {"operation": "insert_page", "title": "Fresh", "document": {"markdown": "New.\n"}},
        {"operation": "delete_page", "page": "secret"},
    )
    await desk.merge()
    await merge(workspace, "Say more", "guide", "# The manual\n\nIt takes one step, or two.\n")
    async with workspace.reader(size=(140, 30)) as reader:
        await reader.press("6", "j", "enter")
        # The first page that it changed, though another was read.
        reader.shows("1 Its changes", "- It takes three steps.", "+ It takes one step.", "The manual")
        await reader.press("3")
        reader.shows("- It takes one step.", "+ It takes one step, or two.")


async def test_a_page_of_a_revision_that_is_asked_for_is_shown_as_it_was(workspace: Workspace) -> None:
    await merge(workspace, "Say it better", "guide", "# The manual\n\nIt takes one step.\n")
    revision = (await workspace.api.get(f"/spaces/{workspace.space}"))["revision"]
    async with workspace.reader(location=SpaceLocation(workspace.space, revision=revision, page="welcome")) as reader:
        reader.shows("This paragraph is here to be commented on.")


async def test_a_revision_says_who_wrote_it_and_who_merged_it(workspace: Workspace) -> None:
    organization = own_organization(workspace.platform)
    grace = Speaker(workspace.platform, join(workspace.platform, organization, "Grace Hopper", "edit"))
    desk = await Desk.open(grace, workspace.space, "Say it better")
    await desk.edit("guide", "# The guide\n\nBetter.\n")
    await Desk(workspace.api, workspace.space, desk.number).merge()
    async with workspace.reader(size=(160, 30)) as reader:
        await reader.press("6")
        assert "by Grace Hopper, merged by Ada Lovelace" in reader.line("merged #1")
        await reader.press("enter")
        assert "merged #1 · by Grace Hopper · merged by Ada Lovelace · Say it better" in reader.line("as of")


async def test_the_text_of_a_past_revision_is_brought_back_as_a_change(workspace: Workspace) -> None:
    await merge(workspace, "Say it better", "guide", "# The guide\n\nIt takes one step.\n")
    given: list[str] = []

    def edit(file: Path, line: int) -> None:
        given.append(file.read_text())

    async with workspace.reader(size=(140, 30), editor=edit) as reader:
        await reader.read("The guide")
        await reader.press("6", "j", "enter", "2", "e")
        reader.shows("Bring this text back", "“The guide” as it was here")
        await reader.press("n")
        assert given == []
        await reader.press("e", "y")
        reader.shows("Edit The guide")
        await reader.press("enter")
        assert "It takes three steps." in given[0]
        assert reader.says("“The guide” is in #2 “Edit The guide”.")
        assert "It takes three steps." in await reader.text_in(2, "guide")
        reader.shows("#2 “Edit The guide”")


@pytest.mark.parametrize(("tab", "says"), [("1", "Read what is in it slowly."), ("3", "Read what is in it slowly.")])
async def test_e_brings_the_text_back_from_a_diff_too_at_the_line_under_the_cursor(
    workspace: Workspace, tab: str, says: str
) -> None:
    text = f"# The guide\n\n{GUIDE}"
    slowly = text.replace("Read what is in it, then turn the crank.", says)
    await merge(workspace, "Slowly", "guide", slowly)
    await merge(workspace, "Fast", "guide", text.replace("Read what is in it, then turn the crank.", "Skim it."))
    opened: list[str] = []

    def edit(file: Path, line: int) -> None:
        opened.append(file.read_text().splitlines()[line - 1])
        file.write_text(file.read_text().replace("slowly", "very slowly"))

    async with workspace.reader(size=(140, 30), editor=edit) as reader:
        await reader.read("The guide")
        await reader.press("6", "j", "enter", tab, "enter", "e")
        reader.shows("Bring this text back")
        await reader.press("y", "enter")
        assert opened == [says]
        reader.shows("#3 “Edit The guide”", "Read what is in it very slowly.", "1 Content")


async def test_a_page_that_a_revision_deleted_cannot_be_brought_back_by_e(workspace: Workspace) -> None:
    workspace.platform.clock.advance(hours=1)  # type: ignore[attr-defined]
    desk = await Desk.open(workspace.api, workspace.space, "Away")
    await desk.write({"operation": "delete_page", "page": "guide"})
    await desk.merge()
    async with workspace.reader(size=(140, 30)) as reader:
        await reader.press("6", "enter", "j", "j", "e")
        reader.shows("─ The guide  deleted")
        assert reader.says("the page is deleted here")


async def test_a_revision_that_deleted_all_pages_shows_them_where_they_were(workspace: Workspace) -> None:
    workspace.platform.clock.advance(hours=1)  # type: ignore[attr-defined]
    desk = await Desk.open(workspace.api, workspace.space, "Away")
    pages = (await workspace.api.get(f"/spaces/{workspace.space}/content/pages"))["pages"]
    await desk.write(*({"operation": "delete_page", "page": page["id"]} for page in pages))
    await desk.merge()
    async with workspace.reader(size=(140, 30)) as reader:
        await reader.press("6", "enter")
        assert "- 2" in reader.line("▸    Using it")
        reader.shows("─ Pages  5 changed", "👋 Welcome")
        await reader.press("2")
        reader.shows("This revision deleted this page.")
        await reader.press("q")
        await reader.press("1")
        reader.shows("No pages yet.")


async def test_a_revision_is_taken_back_from_the_list(workspace: Workspace) -> None:
    await merge(workspace, "Say it better", "guide", "# The manual\n\nIt takes one step.\n")
    async with workspace.reader(size=(140, 30)) as reader:
        await reader.press("R")
        assert reader.says("no revision is selected; 6 lists them")
        await reader.press("6", "R")
        reader.shows("Revert #1 “Say it better”", "1 page will be as before")
        await reader.press("y")
    request = await workspace.api.get(f"/spaces/{workspace.space}/change-requests/2")
    assert request["subject"] == "Revert #1: Say it better"
    text = await Desk(workspace.api, workspace.space, 2).text("guide")
    assert text.startswith("# The guide") and "It takes three steps." in text


async def test_the_first_revision_is_not_taken_back(workspace: Workspace) -> None:
    await merge(workspace, "Say it better", "guide", "# The manual\n\nIt takes one step.\n")
    async with workspace.reader(size=(140, 30)) as reader:
        await reader.press("6", "G", "R")
        assert reader.says("Revert what was merged: it is the first revision.")
        reader.shows_not("R revert")
        await reader.press("enter", "R")
        assert reader.says("Revert what was merged: it is the first revision.")


async def test_a_revision_says_where_it_comes_from_and_marks_the_pages_that_it_changed(workspace: Workspace) -> None:
    await merge(workspace, "Say it better", "guide", "# The manual\n\nIt takes one step.\n")
    async with workspace.reader(size=(140, 30)) as reader:
        await reader.press("6", "enter", "2")
        assert "  merged #1 · by Ada Lovelace · Say it better  " in reader.line("as of 2 Mar 2026, 10:00")
        reader.shows("─ Pages  1 changed")
        rows = [row for line in reader.screen.splitlines() if "~" in (row := line.partition("││")[0])]
        assert len(rows) == 1 and "The manual" in rows[0]


async def test_where_room_is_short_the_space_is_named_before_where_its_revision_comes_from(
    workspace: Workspace,
) -> None:
    await merge(
        workspace, "Say it better than it was ever said before", "guide", "# The manual\n\nIt takes one step.\n"
    )
    async with workspace.reader(size=(110, 24)) as reader:
        await reader.press("6", "enter")
        title = reader.line("◷ as of 2 Mar 2026, 10:00")
        assert "Guide  ◷" in title
        assert "merged #1 · by Ada" in title, "the subject is cut before the name is"
        assert "workspace · Ada Lovelace (admin)" in title
        await reader.press("i")
        reader.shows("only on a page; 2 shows the page as it was")


async def test_a_page_that_is_gone_now_says_so(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space, "Take it out")
    await desk.write({"operation": "delete_page", "page": "welcome"})
    await desk.merge()
    async with workspace.reader(size=(140, 30)) as reader:
        await reader.press("6", "j", "enter", "2", "g")
        reader.shows("This paragraph is here to be commented on.")
        await reader.press("3")
        reader.shows("This page is no longer in the space.")


async def test_a_revision_without_pages_says_so(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("6", "G", "enter")
        reader.shows("The space had no pages", "No page to compare.")
        await reader.press("2")
        reader.shows("No page to read.")


async def test_on_a_narrow_screen_tree_and_page_take_turns(workspace: Workspace) -> None:
    async with workspace.reader(size=(60, 20)) as reader:
        await reader.press("6", "enter")
        reader.shows("─ Pages", "Welcome")
        reader.shows_not("commented on")
        await reader.press("g", "enter")
        reader.shows("commented on")
        await reader.press("escape")
        reader.shows("─ Pages")


async def test_on_a_narrow_screen_the_tree_stays_while_one_types_what_to_find_in_it(workspace: Workspace) -> None:
    async with workspace.reader(size=(60, 20)) as reader:
        await reader.press("6", "enter", "slash")
        await reader.type("guide")
        reader.shows("─ Pages", "The guide")
        reader.shows_not("Welcome")


async def test_the_difference_stays_where_the_current_page_cannot_be_refreshed(workspace: Workspace) -> None:
    await merge(workspace, "Say it better", "guide", "# The manual\n\nIt takes one step.\n")
    async with workspace.reader(size=(140, 30)) as reader:
        await reader.read("The manual")
        await reader.press("6", "j", "enter", "3")
        reader.transport.errors["get_page"] = [Unreachable("Could not load the page.", "No answer came.")]
        await reader.press("r")
        reader.shows("- It takes three steps.", "+ It takes one step.")


async def test_a_page_that_came_later_is_not_gone_to(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("6", "enter")
        view = reader.pilot.app.screen
        assert isinstance(view, SpaceView)
        view.go(SpaceLocation(workspace.space, revision=view.opened_at.revision, page="later"))
        await settled(reader.pilot)
        assert reader.says("The page you were on was not in the space then.")
        assert reader.pilot.app.screen is view


async def test_revisions_that_cannot_be_loaded_say_why_and_r_tries_again(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        reader.transport.errors["get_revision"] = [Unreachable("Could not load the revision.", "No answer came.")]
        await reader.press("6")
        reader.shows("Could not load the revisions.", "No answer came.")
        await reader.press("r")
        reader.shows("Revisions  2")


# What stands around a page, and where its links lead

START = """\
This is <code class="expression">space.vars.product</code>. See [the other](other.md "mention"), its
[end](other.md#end), [what came later](later.md), [the web](https://example.org/)
and [the report](/files/report).

{% include "../includes/notice.md" %}
"""

OTHER = "Back to [the start](start.md).\n\n## Middle\n\n" + "Words.\n\n" * 40 + "## End\n\nThe last words.\n"


@pytest.fixture
def changed(workspace: Workspace) -> Workspace:
    """A space whose titles, variables and included texts were others an hour ago."""
    workspace.space = make_space(
        workspace.platform,
        [imported_page("start", "Start", START), imported_page("other", "The old title", OTHER)],
        files=[
            {"id": "report", "name": "report.pdf", "contentType": "application/pdf", "size": 12, "git": {"oid": "4"}}
        ],
        variables={"product": "Folio"},
        reusable_contents=notice("Kept by hand.\n"),
    )
    workspace.platform.clock.advance(hours=1)  # type: ignore[attr-defined]
    change_space(
        workspace.platform,
        workspace.space,
        [
            imported_page("start", "Start", START),
            imported_page("other", "The new title", OTHER),
            imported_page("later", "Later"),
        ],
        variables={"product": "Recto"},
        reusable_contents=notice("Kept by itself.\n"),
    )
    return workspace


async def go_back_an_hour(reader: Reader) -> None:
    await reader.press("6", "j", "enter", "2", "g", "enter")


async def test_a_page_is_drawn_with_what_stood_around_it_then(changed: Workspace) -> None:
    async with changed.reader(size=(120, 30)) as reader:
        reader.shows("This is Recto. See The new title", "Kept by itself.")
        await go_back_an_hour(reader)
        reader.shows("This is Folio. See The old title", "Kept by hand.")


async def test_links_lead_to_pages_of_the_same_revision_and_back(changed: Workspace) -> None:
    async with changed.reader(size=(120, 30)) as reader:
        await go_back_an_hour(reader)
        await reader.press("greater_than_sign", "greater_than_sign", "enter")
        reader.shows("╭─ The old title", "The last words.")
        assert isinstance(reader.pilot.app.screen, SpaceView)
        sheet = reader.pilot.app.screen.query_one(PageView)
        there = sheet.position
        await reader.press("minus")
        reader.shows("This is Folio.")
        await reader.press("underscore")
        reader.shows("The last words.")
        assert sheet.position == there


async def test_a_link_to_a_page_that_came_later_is_marked_and_says_so(changed: Workspace) -> None:
    async with changed.reader(size=(120, 30)) as reader:
        await go_back_an_hour(reader)
        assert reader.pilot.app.screen.query_one(PageView).signs(1)
        await reader.press("greater_than_sign", "greater_than_sign", "greater_than_sign", "enter")
        assert reader.says("The space had no such page then.")
        reader.shows("This is Folio.")


async def test_links_that_lead_out_are_followed(changed: Workspace) -> None:
    async with changed.reader(size=(120, 30)) as reader:
        await go_back_an_hour(reader)
        await reader.press("G", "less_than_sign", "enter")
        assert reader.says("report.pdf: application/pdf · 12 B.")
        await reader.press("less_than_sign", "enter", "enter")
        assert reader.opened == ["https://example.org/"]


async def test_it_comes_back_to_the_page_and_the_place_in_it(changed: Workspace) -> None:
    async with changed.reader(size=(120, 30)) as reader:
        await go_back_an_hour(reader)
        await reader.press("h", "j", "enter", "G")
        view = reader.pilot.app.screen
        assert isinstance(view, SpaceView)
        location = view.location
    async with changed.reader(size=(120, 30), location=location) as reader:
        reader.shows("The last words.", "The old title")


async def test_what_was_read_can_be_copied(changed: Workspace) -> None:
    async with changed.reader(size=(120, 30)) as reader:
        await go_back_an_hour(reader)
        await reader.press("greater_than_sign", "greater_than_sign", "greater_than_sign", "greater_than_sign", "x")
        reader.shows("The link's address", "The page, as Markdown")
        await reader.type("page, as text")
        await reader.press("enter")
        assert "This is Folio." in reader.pilot.app.clipboard
        await reader.press("Y")
        assert "https://example.org/" in reader.pilot.app.clipboard
