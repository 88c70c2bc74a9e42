from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from recto.server.platform import Platform
from recto.store.locations import ChangeRequestLocation
from support.guide_workspace import guided_app, open_guided
from support.screens import settled


@pytest.fixture
def platform(tmp_path: Path) -> Any:
    opened = open_guided(tmp_path)
    yield opened
    opened.close()


def at(platform: Platform, subject: str) -> Any:
    """Return the location of one of the guide's change requests."""
    found = platform.database.read_now(
        lambda connection: connection.one("SELECT space, id FROM change_requests WHERE subject = ?", subject)
    )
    assert found is not None
    return ChangeRequestLocation(found["space"], found["id"])


async def press(pilot: Pilot[None], *keys: str) -> None:
    await settled(pilot)
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def read_the_changes(pilot: Pilot[None]) -> None:
    await press(pilot, "2", "enter", "j")


async def weigh_a_conflict(pilot: Pilot[None]) -> None:
    await press(pilot, "P")


def test_changes_at_160x48(snap_compare: Any, platform: Platform, tmp_path: Path) -> None:
    app = guided_app(platform, tmp_path, at(platform, "Tell the first steps in order"))
    assert snap_compare(app, terminal_size=(160, 48), run_before=read_the_changes)


def test_changes_at_80x24(snap_compare: Any, platform: Platform, tmp_path: Path) -> None:
    app = guided_app(platform, tmp_path, at(platform, "Tell the first steps in order"))
    assert snap_compare(app, terminal_size=(80, 24), run_before=read_the_changes)


def test_what_a_pull_will_do_at_80x24(snap_compare: Any, platform: Platform, tmp_path: Path) -> None:
    app = guided_app(platform, tmp_path, at(platform, "Drafts are kept for good"))
    assert snap_compare(app, terminal_size=(80, 24), run_before=weigh_a_conflict)
