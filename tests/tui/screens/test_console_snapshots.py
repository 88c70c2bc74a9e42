from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from recto.tui.widgets.line_field import LineField
from support.guide_workspace import guided_app, open_guided
from support.screens import settled, type_text
from tui.test_snapshots import SIZES

STEPS = {"operations": (), "call": ("enter",), "answer": ("enter", "ctrl+s", "j", "j", "l")}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("step", STEPS)
def test_the_console_looks_as_it_did(snap_compare: Any, tmp_path: Path, step: str, size: str) -> None:
    async def go_there(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "Recto guide")
        await pilot.press("enter", "escape", "exclamation_mark")
        await settled(pilot)
        pilot.app.screen.query_one(LineField).value = "get orgs spaces"
        await settled(pilot)
        for key in STEPS[step]:
            await pilot.press(key)
            await settled(pilot)

    platform = open_guided(tmp_path)
    try:
        assert snap_compare(guided_app(platform, tmp_path), terminal_size=SIZES[size], run_before=go_there)
    finally:
        platform.close()
