"""A changed page as it will be: drawn with what its change request holds, and with links that can be followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from recto.client.errors import Unreachable
from recto.document.rich_text.rich_pages import to_document
from recto.settings import Settings
from recto.store.locations import ChangeRequestLocation
from recto.tui.look.signs import BROKEN
from recto.tui.page.page_view import PageView
from recto.tui.screens.change_request.change_request_view import ChangeRequestView
from recto.tui.screens.space.space_view import SpaceView
from recto.urls import read_url
from support.content import Desk, imported_page, make_space, notice, propose
from support.guide_workspace import guided_app
from support.screens import settled
from support.sites import Refusing
from support.spaces import Workspace

START = """\
This is <code class="expression">space.vars.product</code>. See [the other](other.md "mention"),
its [end](other.md#end), [what stays](same.md), [nothing](gone.md) and [the web](https://example.org/).

{% include "../includes/notice.md" %}

<details>

<summary>More of it</summary>

Folded words.

</details>
"""
OTHER = (
    'Back to [the start](start.md).\n\n{% file src="/files/report" %}\n\n'
    + "Words.\n\n" * 40
    + "## End\n\nThe last words.\n"
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace(tmp_path)
    opened.space = make_space(
        opened.platform,
        [
            imported_page("start", "Start", "Words.\n"),
            imported_page("other", "The old title"),
            imported_page("same", "What stays"),
        ],
        variables={"product": "Folio"},
        reusable_contents=notice("Kept by hand.\n"),
    )
    yield opened
    opened.close()


@pytest.fixture
def preview(workspace: Workspace) -> ChangeRequestLocation:
    """The preview of a change request that renames a page, and changes a variable and an included text."""
    request = propose(
        workspace.platform,
        workspace.space,
        "All of it",
        [
            imported_page("start", "Start", START),
            imported_page("other", "The new title", OTHER),
            imported_page("same", "What stays"),
        ],
        files=[
            {"id": "report", "name": "report.pdf", "contentType": "application/pdf", "size": 12, "git": {"oid": "4"}}
        ],
        variables={"product": "Recto"},
        reusable_contents=notice("Kept by itself.\n"),
    )
    return ChangeRequestLocation(workspace.space, request, tab=3)


async def test_a_page_is_drawn_with_what_its_change_request_holds(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    async with workspace.reader(size=(120, 30), location=preview) as reader:
        reader.shows("This is Recto. See The new title", "included text  Notice", "Kept by itself.")
        await reader.press("right_curly_bracket")
        reader.shows("↓ report.pdf · 12 B")
        await reader.press("left_curly_bracket")
        desk = Desk(workspace.api, workspace.space, 1)
        await desk.write({"operation": "update_page", "page": "other", "title": "The newest title"})
        await reader.press("r")
        reader.shows("This is Recto. See The newest title")


async def test_where_nothing_is_changed_yet_a_key_leads_to_the_pages(workspace: Workspace) -> None:
    request = await (await Desk.open(workspace.api, workspace.space, "Nothing yet")).get()
    location = ChangeRequestLocation(workspace.space, request["id"], tab=3)
    async with workspace.reader(location=location) as reader:
        reader.shows("No changed page to preview yet.", "+  leads to its pages")
        await reader.press("2")
        reader.shows("No changed pages yet.", "+  leads to its pages")
        await reader.press("plus")
        reader.shows("Guide  ◌ #1 “Nothing yet”", "─ Start")


async def test_a_deleted_page_names_the_key_that_goes_on_as_the_settings_have_it(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space, "Without it")
    await desk.write({"operation": "delete_page", "page": "start"})
    await desk.edit("other", "More.\n")
    location = ChangeRequestLocation(workspace.space, (await desk.get())["id"], tab=3, page="start")
    async with workspace.reader(location=location) as reader:
        reader.shows("This page will be gone.", "}  goes to the next changed page")
    async with workspace.reader(location=location, settings=Settings(keys={"review.next_page": ("f7",)})) as reader:
        reader.shows("This page will be gone.", "f7  goes to the next changed page")


async def test_a_link_leads_to_the_changed_page_or_to_the_space_and_back(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    async with workspace.reader(size=(120, 30), location=preview) as reader:
        await reader.press("greater_than_sign", "greater_than_sign", "enter")
        reader.shows("The new title  as it will be", "The last words.")
        await reader.press("minus")
        reader.shows("Start  as it will be", "This is Recto.")
        await reader.press("g", "greater_than_sign", "greater_than_sign", "greater_than_sign", "enter")
        view = reader.pilot.app.screen
        assert isinstance(view, SpaceView)
        assert view.location.page == "same", "which is not changed"
        await reader.press("minus")
        reader.shows("Start  as it will be", "This is Recto.")
        await reader.press("q")
        assert not isinstance(reader.pilot.app.screen, ChangeRequestView)


async def test_links_that_lead_nowhere_are_marked_and_say_why(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    async with workspace.reader(size=(120, 30), location=preview) as reader:
        assert BROKEN.sign in reader.line("This is Recto.")
        assert BROKEN.sign not in reader.line("Kept by itself.")
        await reader.press("less_than_sign", *["greater_than_sign"] * 4, "enter")
        assert reader.says("This space has no page at gone.md.")
        await reader.press("greater_than_sign", "o")
        reader.shows("https://example.org/")


async def test_space_marks_as_viewed_and_enter_opens_what_is_folded(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    async with workspace.reader(size=(120, 40), location=preview) as reader:
        reader.shows_not("Folded words.")
        await reader.press("G", "enter")
        reader.shows("Folded words.")
        await reader.press("space")
        reader.shows("The new title  as it will be")
        await reader.press("left_curly_bracket", "2")
        reader.shows("1 of 2 viewed")


async def test_a_page_is_previewed_when_the_preview_is_looked_at(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    async with workspace.reader(size=(120, 30), location=replace(preview, tab=1)) as reader:
        view = reader.pilot.app.screen
        assert isinstance(view, ChangeRequestView)
        await reader.press("right_curly_bracket")
        assert view.preview.page is None
        await reader.press("4")
        reader.shows("The new title  as it will be", "↓ report.pdf · 12 B")


async def test_the_page_looked_at_can_be_saved_alone_as_a_pdf(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    async with workspace.reader(size=(120, 30), location=preview) as reader:
        for tab in ("2", "4"):
            await reader.press(tab, "W", "down", "enter")
            reader.shows("“Start” alone", "“Start” and the pages below it")
            await reader.press("escape", "escape")
            assert isinstance(reader.pilot.app.screen, ChangeRequestView)


@pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=["80x24", "160x48"])
def test_the_preview_looks_as_it_did(
    snap_compare: Any, workspace: Workspace, preview: ChangeRequestLocation, tmp_path: Path, size: tuple[int, int]
) -> None:
    async def open_and_choose_a_link(pilot: Pilot[None]) -> None:
        await settled(pilot)
        for key in ("G", "enter", "g", "greater_than_sign"):
            await pilot.press(key)
            await settled(pilot)

    app = guided_app(workspace.platform, tmp_path, preview)
    assert snap_compare(app, terminal_size=size, run_before=open_and_choose_a_link)


async def test_a_page_is_seen_though_its_text_before_cannot_be_loaded(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    def fail(transport: Refusing) -> None:
        transport.always["get_page_at_revision"] = Unreachable("Could not load the page.", "No answer came.")

    async with workspace.reader(size=(120, 30), location=preview, prepare=fail) as reader:
        reader.shows("Start  as it will be", "This is Recto.")
        await reader.press("right_curly_bracket")
        reader.shows("The new title  as it will be", "Back to")
        reader.transport.always["get_page_in_change_request"] = Unreachable(
            "Could not load the page.", "No answer came."
        )
        desk = Desk(workspace.api, workspace.space, 1)
        await desk.edit("same", "Other words.\n")
        await reader.press("r", "right_curly_bracket")
        reader.shows("What stays  as it will be", "× Could not load the page.")
        reader.shows_not("Back to")


async def test_where_it_is_not_known_what_is_changed_it_says_why(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    def fail(transport: Refusing) -> None:
        # The start asks before the screen is there, and the screen again.
        transport.errors["list_changes"] = [Unreachable("Could not load the changes.", "No answer came.")] * 2

    async with workspace.reader(size=(120, 30), location=preview, prepare=fail) as reader:
        reader.shows("× Could not load the changes.")
        await reader.press("r")
        reader.shows("Start  as it will be", "This is Recto.")


async def test_it_comes_back_to_the_preview_of_the_page(workspace: Workspace, preview: ChangeRequestLocation) -> None:
    async with workspace.reader(size=(120, 30), location=preview) as reader:
        await reader.press("right_curly_bracket")
        location = reader.pilot.app.screen.location  # type: ignore[attr-defined]
    async with workspace.reader(size=(120, 30), location=location) as reader:
        reader.shows("The new title  as it will be")


async def test_it_comes_back_to_the_overview_where_the_conflicts_are_settled(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    async with workspace.reader(size=(120, 30), location=replace(preview, tab=4)) as reader:
        reader.shows("─ Description ─")


async def test_links_of_the_description_lead_to_changed_pages(
    workspace: Workspace, preview: ChangeRequestLocation
) -> None:
    path = f"/spaces/{workspace.space}/change-requests/1"
    says = to_document("See [the start](/pages/start), [the other](other.md#end) and [a place](#nowhere).")
    await workspace.api.send("PATCH", path, {"description": says.model_dump(mode="json", by_alias=True)})
    async with workspace.reader(size=(120, 30), location=replace(preview, tab=None)) as reader:
        await reader.press("greater_than_sign", "enter")
        reader.shows("Start  as it will be", "This is Recto.")
        await reader.press("1", "greater_than_sign", "enter")
        reader.shows("The new title  as it will be", "The last words.")
        await reader.press("1", "greater_than_sign", "enter")
        assert reader.says("No heading #nowhere.")


async def test_what_is_read_can_be_found_and_copied(workspace: Workspace, preview: ChangeRequestLocation) -> None:
    async with workspace.reader(size=(120, 30), location=preview) as reader:
        await reader.press("slash")
        await reader.type("itself")
        reader.shows("1 found")
        await reader.press("enter", "y")
        assert "Kept by itself." in reader.pilot.app.clipboard
        await reader.press("g", "greater_than_sign", "Y")
        address = read_url(reader.pilot.app.clipboard)
        assert address is not None
        assert (address.thing.page, address.thing.change_request) == ("other", preview.change_request)


async def test_the_preview_is_read_as_the_space_is(workspace: Workspace, preview: ChangeRequestLocation) -> None:
    async with workspace.reader(size=(120, 30), location=preview) as reader:
        page = reader.pilot.app.screen.query_one("#preview #page", PageView)
        await reader.press("right_curly_bracket", "slash")
        await reader.type("Words")
        reader.shows("1 of 41 found")
        await reader.press("enter", "n", "n")
        reader.shows("3 of 41 found")
        place = page.position
        await reader.press("left_curly_bracket", "right_curly_bracket")
        reader.shows("The new title  as it will be")
        assert page.position == place
        await reader.press("g", "c")
        reader.shows("On the whole page.")
