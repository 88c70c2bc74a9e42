from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from recto.server.platform import Platform
from recto.store.locations import SpaceLocation
from support.guide_workspace import guided_app, open_guided
from support.screens import settled


def guide(platform: Platform) -> str:
    """Return the space that holds the guide."""
    found = "SELECT id FROM spaces WHERE title = 'Guide'"
    return str(platform.database.read_now(lambda connection: connection.value(found)))


@pytest.fixture
def platform(tmp_path: Path) -> Any:
    opened = open_guided(tmp_path)
    yield opened
    opened.close()


async def read_a_page(pilot: Pilot[None]) -> None:
    await settled(pilot)
    await pilot.press("j", "j", "enter", "j", "j", "j")
    await settled(pilot)


async def look_at_its_comments(pilot: Pilot[None]) -> None:
    await settled(pilot)
    await pilot.press("enter", "C")
    await settled(pilot)


async def look_at_its_links(pilot: Pilot[None]) -> None:
    await settled(pilot)
    await pilot.press("enter", "b")
    await settled(pilot)


async def look_at_all_links(pilot: Pilot[None]) -> None:
    await settled(pilot)
    await pilot.press("5")
    await settled(pilot)


def test_space_at_80x24(snap_compare: Any, platform: Platform, tmp_path: Path) -> None:
    app = guided_app(platform, tmp_path, SpaceLocation(guide(platform)))
    assert snap_compare(app, terminal_size=(80, 24), run_before=read_a_page)


def test_space_at_160x48(snap_compare: Any, platform: Platform, tmp_path: Path) -> None:
    app = guided_app(platform, tmp_path, SpaceLocation(guide(platform)))
    assert snap_compare(app, terminal_size=(160, 48), run_before=look_at_its_comments)


def test_links_of_a_page_at_160x48(snap_compare: Any, platform: Platform, tmp_path: Path) -> None:
    app = guided_app(platform, tmp_path, SpaceLocation(guide(platform)))
    assert snap_compare(app, terminal_size=(160, 48), run_before=look_at_its_links)


def test_links_of_the_space_at_80x24(snap_compare: Any, platform: Platform, tmp_path: Path) -> None:
    app = guided_app(platform, tmp_path, SpaceLocation(guide(platform)))
    assert snap_compare(app, terminal_size=(80, 24), run_before=look_at_all_links)
