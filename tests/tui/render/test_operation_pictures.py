"""API operations as a picture: narrow and wide, on dark and on light ground."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from recto.tui.page.page_view import PageView
from support.api_descriptions import PAGE, around_pets
from support.block_pages import BLOCKS
from support.reader import Reader
from support.screens import settled


async def open_all(pilot: Pilot[None]) -> None:
    view = pilot.app.query_one(PageView)
    await settled(pilot)
    for fold in view.cursor.reading.folds:  # type: ignore[union-attr]
        fold.chosen = 0
    view.cursor.set_again()
    await settled(pilot)


@pytest.mark.parametrize("look", ["dark", "light"])
@pytest.mark.parametrize("width", [60, 120])
def test_operations_look_as_they_did(snap_compare: Any, width: int, look: str) -> None:
    app = Reader(PAGE + "\n" + BLOCKS["swagger"], look=look, surroundings=around_pets())
    assert snap_compare(app, terminal_size=(width, 140), run_before=open_all)
