"""The list pane, with the members of an organization as its example."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from recto.client.call import Call
from recto.contract.members import Member
from recto.contract.teams import CreateTeam, Teams
from recto.server.platform import Platform
from recto.tui.screens.organizations.people import MembersPane, TeamsPane
from support.guide_workspace import Person, guided_app, last_row
from support.platform import join, make_platform, own_organization
from support.screens import settled, until


@asynccontextmanager
async def among(folder: Path, members: int, *, size: tuple[int, int] = (120, 30)) -> AsyncIterator[Person]:
    """Start the program at the members of an organization with so many beside its owner."""
    platform = make_platform(folder)
    try:
        fill(platform, members)
        app = guided_app(platform, folder)
        async with app.run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            assert app._store is not None
            ada = Person(pilot, platform, app._store)
            await ada.find("Members")
            await ada.press("enter")
            yield ada
    finally:
        platform.close()


def fill(platform: Platform, members: int) -> None:
    organization = own_organization(platform)
    for number in range(members):
        platform.clock.advance(seconds=1)  # type: ignore[attr-defined]
        join(platform, organization, f"Person {number:04}", "read" if number % 2 else "edit")


def pane(ada: Person) -> MembersPane:
    return ada.pilot.app.screen.query_one(MembersPane)


def names(ada: Person) -> list[str]:
    return [name(member) for member in pane(ada).items]


def name(member: Member) -> str:
    assert member.user is not None
    return member.user.display_name


async def test_pages_come_as_the_cursor_goes_down_and_the_title_says_of_how_many(tmp_path: Path) -> None:
    async with among(tmp_path, 450) as ada:
        assert "Members  200 of 451" in ada.screen
        assert "more come as you go down" in ada.screen
        await ada.press(*["pagedown"] * 8)
        assert "Members  400 of 451" in ada.screen
        assert pane(ada).rows.cursor < 200


async def test_the_bottom_is_where_the_last_page_ends(tmp_path: Path) -> None:
    async with among(tmp_path, 450) as ada:
        await ada.press("G")
        assert "451 members" in ada.screen
        assert pane(ada).rows.cursor == 450


async def test_the_platform_searches_for_what_is_typed_and_esc_shows_all_again(tmp_path: Path) -> None:
    async with among(tmp_path, 450) as ada:
        await ada.press("slash")
        await ada.type("person 0007")
        assert names(ada) == ["Person 0007"]
        await ada.press("enter", "escape")
        assert "Members  200 of 451" in ada.screen
        await ada.press("slash")
        await ada.type("nowhere")
        assert "No member matches “nowhere”." in ada.screen


async def test_what_the_platform_leaves_out_of_a_sorted_list_is_said(tmp_path: Path) -> None:
    async with among(tmp_path, 4) as ada:
        seen = "UPDATE members SET last_seen_at = '2026-03-01T09:00:00.000Z' WHERE role = 'read'"
        ada.platform.database.write_now(lambda connection: connection.execute(seen))
        await ada.press("s")
        assert "without members never seen or disabled" in ada.screen
        await ada.type("last seen")
        await ada.press("enter")
        assert sorted(names(ada)) == ["Ada Lovelace", "Person 0001", "Person 0003"]
        assert "3 members, without members never seen or disabled" in ada.screen


async def test_a_list_is_sorted_and_narrowed_by_the_platform(tmp_path: Path) -> None:
    async with among(tmp_path, 4) as ada:
        assert names(ada) == ["Person 0003", "Person 0002", "Person 0001", "Person 0000", "Ada Lovelace"]
        await ada.press("s")
        await ada.type("oldest")
        await ada.press("enter")
        assert names(ada)[0] == "Ada Lovelace"
        assert "Joined ▾" in ada.screen
        await ada.press("s")
        await ada.type("role read")
        await ada.press("enter")
        assert names(ada) == ["Person 0001", "Person 0003"]
        assert "2 members, role read" in ada.screen
        await ada.press("s")
        await ada.type("role comment")
        await ada.press("enter")
        assert "No member among: role comment." in ada.screen


async def test_several_are_selected_with_sign_and_count(tmp_path: Path) -> None:
    async with among(tmp_path, 4) as ada:
        await ada.press("space", "j", "v", "j")
        assert "✓ Person 0001" in ada.screen
        assert "selected" in ada.screen
        assert [name(member) for member in pane(ada).chosen] == ["Person 0001", "Person 0000"]
        await ada.press("escape")
        assert [name(member) for member in pane(ada).chosen] == ["Person 0000"]


async def test_what_is_done_to_several_runs_one_after_another_and_names_what_failed(tmp_path: Path) -> None:
    async with among(tmp_path, 1) as ada:
        organization = own_organization(ada.platform)
        for title in ("Writers", "Reviewers", "Editors"):
            await ada.store.call(Teams.create_team, organization, CreateTeam(title=title, members=()))
        await ada.press("h")
        await ada.press(*last_row("Teams"), "enter")
        await ada.press("g", "v", "j", "j", "D")
        assert "Delete 3 teams" in ada.screen
        await ada.press("y")
        assert "Deleted 3 teams." in [note.message for note in ada.pilot.app._notifications]
        assert "No teams yet." in ada.screen


async def test_a_change_of_several_that_is_given_up_is_not_under_way_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # It is logged, which is no fault of the second server.
    caplog.set_level(logging.CRITICAL, "recto.store.mutation")
    async with among(tmp_path, 1) as ada:
        organization = own_organization(ada.platform)
        for title in ("Writers", "Reviewers"):
            await ada.store.call(Teams.create_team, organization, CreateTeam(title=title, members=()))
        await ada.press("h")
        await ada.press(*last_row("Teams"), "enter", "g", "v", "j", "D")
        teams = ada.pilot.app.screen_stack[-2].query_one(TeamsPane)
        going, run = asyncio.Event(), ada.store.run

        async def fail(_: Call) -> None:
            await going.wait()
            raise KeyError("surprise")

        monkeypatch.setattr(ada.store, "run", lambda mutation: run(replace(mutation, call=fail)))
        await ada.pilot.press("y")
        await until(ada.pilot, lambda: teams.rows.is_being_changed)
        assert teams.check_action("view_escape", ())
        (deleting,) = (worker for worker in ada.pilot.app.workers if worker.name == "delete teams")
        deleting.cancel()
        going.set()
        await settled(ada.pilot)
        assert not teams.rows.is_being_changed
        assert not teams.check_action("view_escape", ())
