from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from rich.cells import cell_len

from recto.contract.collections import Collections
from recto.contract.import_report import ImportReport
from recto.contract.organizations import Organizations
from recto.contract.spaces import Spaces
from recto.contract.users import Users
from recto.server.exchange import import_folder
from recto.server.jobs import Job, JobFailed, JobResult, Task
from recto.settings import Settings
from recto.store.locations import OrganizationsLocation, item_id
from recto.tui.dialogs.jobs import JobsDialog
from recto.tui.screens.change_request.change_request_view import ChangeRequestView
from recto.tui.screens.organizations.organizations_view import OrganizationsView
from recto.tui.screens.space.space_view import SpaceView
from recto.tui.widgets.line_field import LineField
from recto.urls import read_url
from support.guide_workspace import Person, guided_app, last_row, open_guided, person
from support.organization_tree import second_organization
from support.platform import make_platform, stranger
from support.screens import all_messages, screen_text, settled

OWN = "Ada's documentation"
GUIDE = "Recto guide"


async def organizations(ada: Person) -> dict[str, str]:
    listing = await ada.store.fetch(Organizations.list_organizations)
    return {organization.title: organization.id for organization in listing.items}


async def spaces(ada: Person, organization: str) -> list[str]:
    listing = await ada.store.fetch(Spaces.list_spaces, (await organizations(ada))[organization], limit=100)
    return [space.title for space in listing.items]


async def test_a_new_workspace_holds_an_empty_organization_that_says_what_to_do_and_the_guide(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        assert OWN in ada.screen
        assert GUIDE in ada.screen
        assert "There is no documentation here yet." in ada.screen
        assert "recto open path/to/folder" in ada.screen


async def test_an_empty_organization_names_the_keys_of_the_settings(tmp_path: Path) -> None:
    platform = open_guided(tmp_path)
    app = guided_app(platform, tmp_path, settings=Settings(keys={"organization.import": ("f7",)}))
    async with app.run_test(size=(100, 32)) as pilot:
        await settled(pilot)
        shown = "\n".join(screen_text(pilot.app))
        assert "a  creates an empty space" in shown
        assert "f7  imports a folder of Markdown pages" in shown
    platform.close()


async def test_who_is_in_no_organization_is_shown_the_key_that_joins_one(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    platform.admit("of-sam", stranger(platform))
    platform.token = "of-sam"
    async with guided_app(platform, tmp_path).run_test(size=(140, 32)) as pilot:
        await settled(pilot)
        assert "No organizations yet." in "\n".join(screen_text(pilot.app))
        assert "+  joins one by your e-mail domain" in "\n".join(screen_text(pilot.app))
        await pilot.press("plus")
        await settled(pilot)
        assert any("example.org" in message for message in all_messages(pilot.app))
    platform.close()


async def test_the_cursor_tells_what_it_stands_on(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.find("Questions")
        assert "visibility" in ada.screen
        assert "There is no documentation here yet." not in ada.screen
        await ada.find("Members")
        assert "ada@example.org" in ada.screen


async def test_the_inbox_sorts_change_requests_by_what_they_wait_for(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press(*last_row("Change requests"))
        assert "Outdated" in ada.screen
        assert "↓ outdated" in ada.screen
        await ada.press("enter", "j", "k", "enter")
        assert isinstance(ada.pilot.app.screen, ChangeRequestView)


async def test_a_space_is_made_and_renamed_if_its_title_is_not_too_long_and_the_renaming_undone(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("a")
        await ada.type("x" * 51)
        assert "at most 50 characters" in ada.screen
        await ada.press("enter", "escape")
        assert await spaces(ada, OWN) == []
        await ada.press("y", "a")
        await ada.type("Field notes")
        await ada.press("ctrl+s")
        assert await spaces(ada, OWN) == ["Field notes"]
        await ada.press("f2", "ctrl+u")
        await ada.type("Field book")
        await ada.press("enter")
        assert await spaces(ada, OWN) == ["Field book"]
        await ada.press("u")
        assert await spaces(ada, OWN) == ["Field notes"]
        assert "Field notes" in ada.screen


async def test_a_title_that_could_not_be_sent_is_still_there_to_be_sent_again(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("a")
        await ada.type("Field notes")
        file = ada.platform.database.path
        aside = file.rename(tmp_path / "aside")
        await ada.press("ctrl+s")
        assert "Field notes" in ada.screen
        assert "was moved, removed or replaced" in " ".join(ada.screen.split())
        aside.rename(file)
        await ada.press("ctrl+s")
        assert await spaces(ada, OWN) == ["Field notes"]
        aside = file.rename(tmp_path / "aside")
        await ada.press("f2")
        await ada.type(" again")
        await ada.press("enter")
        aside.rename(file)
        await ada.press("enter")
        assert await spaces(ada, OWN) == ["Field notes again"]


async def test_a_path_that_is_not_there_or_half_typed_is_refused_as_one_types(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("b")
        await ada.type("/nowhere/at/all")
        assert "There is no such folder or archive." in ada.screen
        await ada.press("ctrl+u")
        assert "There is no such folder or archive." not in ada.screen
        await ada.type("~nobody")
        assert "There is no such folder or archive." in ada.screen
        ada.pilot.app.screen.query_one(LineField).value = "/" + "x" * 300
        await settled(ada.pilot)
        assert "There is no such folder or archive." in ada.screen


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
async def test_a_folder_is_imported_and_the_report_is_shown(tmp_path: Path, packed: bool) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "README.md").write_text("# Welcome\n\nHello.\n", encoding="utf-8")
    (folder / "forgotten.md").write_text("# Forgotten\n", encoding="utf-8")
    (folder / "lost.md").write_text("# Lost\n", encoding="utf-8")
    (folder / "SUMMARY.md").write_text("# Summary\n\n* [Welcome](README.md)\n", encoding="utf-8")
    path = shutil.make_archive(str(tmp_path / "docs"), "zip", folder) if packed else str(folder)
    async with person(tmp_path) as ada:
        await ada.press("b")
        await ada.paste(path)
        await ada.press("enter")
        assert "Import finished" in ada.screen
        assert "“docs”: a new space with 1 page" in ada.screen
        assert "2 files are not listed in SUMMARY.md" in ada.screen
        assert "forgotten.md" in ada.screen
        assert "lost.md" in ada.screen
        await ada.press("escape")
        assert await spaces(ada, OWN) == ["docs"]


@dataclass
class HeldImport:
    """An import that waits at its first step until it is released."""

    begun: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def __call__(self, *given: Any, watch: Callable[[Job], None]) -> ImportReport:
        def hold(job: Job) -> None:
            watch(job)
            if job.record.step:
                self.begun.set()
                self.released.wait(60)

        return import_folder(*given, watch=hold)


@pytest.fixture
def held_import(monkeypatch: pytest.MonkeyPatch) -> HeldImport:
    held = HeldImport()
    monkeypatch.setattr("recto.server.exchange.import_folder", held)
    return held


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "docs"
    found.mkdir()
    (found / "README.md").write_text("# Welcome\n\nHello.\n", encoding="utf-8")
    return found


async def begin_import(ada: Person, folder: Path, held: HeldImport) -> None:
    await ada.press("b")
    await ada.paste(str(folder))
    await ada.pilot.press("enter")
    while not (held.begun.is_set() and "Listing files" in ada.screen):
        await ada.pilot.pause()


async def test_an_import_is_cancelled_after_a_question_and_nothing_of_it_stays(
    tmp_path: Path, folder: Path, held_import: HeldImport
) -> None:
    async with person(tmp_path) as ada:
        await begin_import(ada, folder, held_import)
        assert "Listing files" in ada.screen
        await ada.pilot.press("c")
        await ada.pilot.pause()
        assert "Cancelled, nothing of it is kept." in ada.screen
        await ada.pilot.press("n")
        await ada.pilot.pause()
        assert "Listing files" in ada.screen
        await ada.pilot.press("c")
        await ada.pilot.pause()
        await ada.pilot.press("y")
        await ada.pilot.pause()
        assert "cancelling import" in ada.screen.splitlines()[0]
        assert "Listing files" not in ada.screen
        await ada.pilot.press("c")
        await ada.pilot.pause()
        assert any("it is being cancelled" in each for each in all_messages(ada.pilot.app))
        held_import.released.set()
        while "Cancelled the import of" not in ada.screen:
            await ada.pilot.pause()
        await settled(ada.pilot)
        assert "Listing files" not in ada.screen
        assert await spaces(ada, OWN) == []
        await ada.press("ampersand")
        assert "– " in ada.screen
        assert "cancelled" in ada.screen


async def test_the_job_that_a_dialog_is_opened_for_is_under_the_cursor_and_not_an_earlier_one(tmp_path: Path) -> None:
    goes_on = threading.Event()

    def end(job: Job) -> None:
        job.finish(lambda _: (None, JobResult({})))

    def wait(job: Job) -> None:
        goes_on.wait()
        end(job)

    async with person(tmp_path) as ada:
        await asyncio.to_thread(ada.platform.jobs.run, Task("import", "earlier", end))
        ada.pilot.app.push_screen(JobsDialog(ada.store, until_ended=True))
        await settled(ada.pilot)
        try:
            ada.platform.jobs.start(Task("import", "later", wait))
            while "later" not in ada.screen:
                await ada.pilot.pause()
            await ada.press("c")
            assert "later: it is under way." in ada.screen
        finally:
            goes_on.set()


async def test_the_dialog_of_an_import_is_put_aside_and_the_title_shows_that_it_runs(
    tmp_path: Path, folder: Path, held_import: HeldImport
) -> None:
    async with person(tmp_path) as ada:
        await begin_import(ada, folder, held_import)
        await ada.pilot.press("escape")
        await ada.pilot.pause()
        assert not isinstance(ada.pilot.app.screen, JobsDialog)
        assert "import" in ada.screen.splitlines()[0]
        await ada.pilot.press("b")
        await ada.pilot.pause()
        assert "an import is under way" in ada.screen
        held_import.released.set()
        while not isinstance(ada.pilot.app.screen, SpaceView):
            await ada.pilot.pause()
        await settled(ada.pilot)
        assert await spaces(ada, OWN) == ["docs"]
        await ada.press("ampersand")
        assert "1 page, " in ada.screen


async def test_the_question_goes_when_the_import_has_ended(
    tmp_path: Path, folder: Path, held_import: HeldImport
) -> None:
    async with person(tmp_path) as ada:
        await begin_import(ada, folder, held_import)
        await ada.pilot.press("c")
        await ada.pilot.pause()
        assert "Cancelled, nothing of it is kept." in ada.screen
        held_import.released.set()
        while not isinstance(ada.pilot.app.screen, SpaceView):
            await ada.pilot.pause()
        await settled(ada.pilot)
        assert await spaces(ada, OWN) == ["docs"]


async def test_why_a_job_failed_is_found_again_among_the_jobs(tmp_path: Path) -> None:
    def fail(_job: Job) -> None:
        raise JobFailed("The disk is full. Free some space.")

    async with person(tmp_path) as ada:
        with pytest.raises(JobFailed):
            await asyncio.to_thread(ada.platform.jobs.run, Task("import", "a folder", fail))
        await ada.press("ampersand", "enter")
        assert "The disk is full. Free some space." in ada.screen


async def test_what_an_import_had_to_say_is_found_again_in_the_facts_of_the_space(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    listed = "".join(f"* [Page {number}](gone.md)\n" for number in range(4))
    (folder / "README.md").write_text("# Welcome\n", encoding="utf-8")
    (folder / "SUMMARY.md").write_text(f"# Summary\n\n* [Welcome](README.md)\n{listed}", encoding="utf-8")
    folded = "gone.md (4 times): line 4, “Page 0”"
    async with person(tmp_path) as ada:
        await ada.press("b")
        await ada.paste(str(folder))
        await ada.press("enter")
        assert "4 entries of SUMMARY.md lead nowhere:" in ada.screen
        assert folded in ada.screen
    async with person(tmp_path) as ada:
        await ada.find("docs")
        assert "visibility" in ada.screen
        assert "4 entries of SUMMARY.md lead nowhere:" in ada.screen
        assert "gone.md (4 times):" in ada.screen
        await ada.find("Questions")
        assert "lead nowhere" not in ada.screen


async def test_the_facts_of_a_space_name_no_way_of_editing_but_a_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[BaseModel] = []
    async with person(tmp_path) as ada:

        def note(model: BaseModel) -> tuple[()]:
            written.append(model)
            return ()

        monkeypatch.setattr(BaseModel, "__repr_args__", note)
        await ada.find("Questions")
        assert "editing" not in ada.screen
    assert not written, "a step of the cursor put all that the organization holds in words"


async def test_a_copied_address_leads_back_there_by_a_jump(tmp_path: Path) -> None:
    async with person(tmp_path, size=(120, 32)) as ada:
        await ada.find("Questions")
        await ada.press("enter", "G", "enter", "right_square_bracket", "Y")
        address = ada.pilot.app.clipboard
        assert address.startswith("recto:")
        assert "#" in address
        await ada.press("q", "f")
        assert "Go to" in ada.screen
        ada.pilot.app.screen.query_one(LineField).value = address
        await settled(ada.pilot)
        await ada.press("enter")
        assert isinstance(ada.pilot.app.screen, SpaceView)
        location = ada.pilot.app.screen.location
        read = read_url(address)
        assert read is not None
        assert (location.space, location.page) == (read.thing.space, read.thing.page)


def make_organizations(folder: Path) -> None:
    """Make more organizations in the workspace of a folder than are opened at the start."""
    platform = open_guided(folder)
    for title in ("Second", "Third"):
        second_organization(platform, title=title)
    platform.close()


async def test_a_list_of_an_organization_that_was_not_opened_is_gone_to_by_name(tmp_path: Path) -> None:
    make_organizations(tmp_path)
    async with person(tmp_path) as ada:
        assert "Teams" not in ada.screen
        await ada.press("colon")
        await ada.type("teams")
        await ada.press("enter")
        assert "No teams yet." in ada.screen


async def test_a_collection_in_an_organization_that_was_not_opened_is_gone_to_by_its_address(tmp_path: Path) -> None:
    make_organizations(tmp_path)
    async with person(tmp_path) as ada:
        (contents,) = (await ada.store.fetch(Collections.list_collections, (await organizations(ada))[GUIDE])).items
        assert contents.title not in ada.screen
        await ada.press("f")
        ada.pilot.app.screen.query_one(LineField).value = str(contents.urls.app)
        await settled(ada.pilot)
        await ada.press("enter")
        view = ada.pilot.app.screen
        assert isinstance(view, OrganizationsView)
        assert view.location.item == item_id("collection", contents.id)
        assert contents.title in ada.screen


async def test_the_program_opens_at_the_address_of_a_collection(tmp_path: Path) -> None:
    make_organizations(tmp_path)
    async with person(tmp_path) as ada:
        (contents,) = (await ada.store.fetch(Collections.list_collections, (await organizations(ada))[GUIDE])).items
        read = read_url(str(contents.urls.app))
        assert read is not None
        opening = OrganizationsLocation(item_id("collection", read.thing.collection))
    async with person(tmp_path, opening=opening) as ada:
        assert isinstance(view := ada.pilot.app.screen, OrganizationsView)
        assert view.location.item == item_id("collection", contents.id)


async def test_among_members_nothing_new_is_asked_for_and_one_is_added_to_a_team(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.find("Members")
        await ada.press("a")
        assert "New space" not in ada.screen
        assert "members join by an invite" in ada.screen
        await ada.press("c")
        assert "New collection: only on an organization, collection or space." in " ".join(ada.screen.split())
        await ada.press("enter", "enter")
        assert "In no team yet." in ada.screen and "a  adds to one" in ada.screen
        await ada.press("a")
        assert "Add Ada Lovelace to a team" in ada.screen


async def test_an_organization_has_an_address_to_copy_and_its_lists_have_none(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        for named in ("Teams", "Change requests"):
            await ada.find(named)
            assert "no address" not in ada.screen
            await ada.press("Y")
            assert "Copy link: no address." in ada.screen and "Copied" not in ada.screen
        await ada.press("g", "Y")
        assert "Copied" in ada.screen


async def test_the_guide_is_removed_by_one_action_and_stays_away(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.find(GUIDE)
        await ada.press("D")
        assert "It is not installed again." in ada.screen
        await ada.press("n")
        assert GUIDE in await organizations(ada)
        await ada.press("D", "y")
        assert list(await organizations(ada)) == [OWN]
        assert GUIDE not in ada.screen
    async with person(tmp_path) as ada:
        assert list(await organizations(ada)) == [OWN]


async def test_an_organization_of_ones_own_and_a_site_cannot_be_deleted_here(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("D")
        assert "no collection or space is selected" in ada.screen
        await ada.find("The Recto")
        await ada.press("D")
        assert "Delete: only under Sites." in ada.screen
        assert len(await organizations(ada)) == 2


async def test_ones_name_and_address_can_be_changed(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("colon")
        await ada.type("your name")
        await ada.press("enter", "ctrl+u")
        await ada.type("Ada King")
        await ada.press("enter", "ctrl+u")
        await ada.type("king@example.org")
        await ada.press("enter")
        me = await ada.store.fetch(Users.get_user)
        assert (me.display_name, me.email) == ("Ada King", "king@example.org")


async def test_it_opens_where_it_was_left(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.find("Questions")
        await ada.press("q")
    async with person(tmp_path) as ada:
        view = ada.pilot.app.screen
        assert isinstance(view, OrganizationsView)
        space = view.selection.space
        assert space is not None
        assert space.title == "Questions"


async def test_who_begins_in_a_space_finds_it_under_the_cursor_on_the_way_back(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.find("Questions")
        await ada.press("enter")
    async with person(tmp_path) as ada:
        space = ada.pilot.app.screen
        assert isinstance(space, SpaceView)
        await ada.press("backspace")
        view = ada.pilot.app.screen
        assert isinstance(view, OrganizationsView)
        assert view.selection.space is not None
        assert view.selection.space.title == "Questions"


async def test_names_stand_below_each_other_whether_their_signs_are_wide_or_not(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        names = ("Guide (FR)", "Changelog", "The Recto guide")
        rows = [next(row for row in ada.screen.splitlines() if name in row) for name in names]
        columns = {cell_len(row[: row.index(name)]) for row, name in zip(rows, names, strict=True)}
        assert len(columns) == 1


async def test_the_location_of_a_collection_puts_the_cursor_on_it(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        organization = (await organizations(ada))[GUIDE]
        collection = (await ada.store.fetch(Collections.list_collections, organization)).items[0]
    async with person(tmp_path, opening=OrganizationsLocation(item_id("collection", collection.id))) as ada:
        view = ada.pilot.app.screen
        assert isinstance(view, OrganizationsView)
        assert view.selection.collection == collection.id
        assert "default role" in ada.screen


async def test_each_list_beside_the_tree_is_a_pane_of_its_own_that_takes_the_keys(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        for name, pane in (("Change requests", "inbox"), ("Members", "members"), ("Teams", "teams")):
            await ada.press(*last_row(name), "enter")
            assert name in ada.screen
            focused = ada.pilot.app.focused
            assert focused is not None
            assert any(node.id == pane for node in focused.ancestors)
            await ada.press("tab")
