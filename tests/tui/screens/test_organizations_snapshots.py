from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from support.guided import guided_app, open_guided
from support.screens import settled

SIZES = {"80x24": (80, 24), "160x48": (160, 48)}


@pytest.mark.parametrize("size", SIZES)
def test_organizations(snap_compare: Any, tmp_path: Path, size: str) -> None:
    async def look_into_the_inbox(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press("G", "k")
        await settled(pilot)

    platform = open_guided(tmp_path)
    try:
        app = guided_app(platform, tmp_path)
        assert snap_compare(app, terminal_size=SIZES[size], run_before=look_into_the_inbox)
    finally:
        platform.close()
