"""Every kind of block as a picture: narrow and wide, on dark and on light ground."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from recto.tui.page.page_view import PageView
from recto.tui.render.surroundings import FileFacts, Included, Surroundings
from support.block_pages import PLATFORM_BLOCKS, TEXT_BLOCKS, VARIANTS
from support.reader import Reader
from support.screens import settled

GROUPS = {"text": TEXT_BLOCKS, "platform": PLATFORM_BLOCKS, "variants": VARIANTS}

NAMED = ("cards", "content-ref", "expandable", "figure", "file", "include", "stepper", "tabs")
"""Blocks that look otherwise where something is known of what they name, or once they are opened."""

TITLES = {"foo.md": "The title of foo", "other.md": "Another page", "one.md": "Page one"}
FILES = {"a/report.pdf": FileFacts("report.pdf", 34_000), "a/chart.png": FileFacts("chart.png", 1_200, 640, 480)}
NOTICE = Included(
    "Notice", '{% hint style="info" %}\nKept in **one** place, see [that](other.md "mention").\n{% endhint %}\n'
)

LOOKS = [pytest.param(width, look, id=f"{width}-{look}") for width in (60, 120) for look in ("dark", "light")]


@pytest.mark.parametrize(("width", "look"), LOOKS)
@pytest.mark.parametrize("group", GROUPS)
def test_blocks_look_as_they_did(snap_compare: Any, group: str, width: int, look: str) -> None:
    page = "\n\n".join(GROUPS[group].values())
    assert snap_compare(Reader(page, look=look), terminal_size=(width, 140))


async def open_all(pilot: Pilot[None]) -> None:
    """Go on to the next tab, and open or close what opens and closes."""
    view = pilot.app.query_one(PageView)
    await settled(pilot)
    for fold in view.cursor.reading.folds:  # type: ignore[union-attr]
        fold.chosen = fold.next
    view.cursor.set_again()
    await settled(pilot)


@pytest.mark.parametrize(("width", "look"), LOOKS)
def test_blocks_that_are_opened_and_known_of_look_as_they_did(snap_compare: Any, width: int, look: str) -> None:
    blocks = [*(PLATFORM_BLOCKS[name] for name in NAMED), TEXT_BLOCKS["paragraph"]]
    page = "---\ndescription: What it is about\nhidden: true\n---\n\n# The title\n\n" + "\n\n".join(blocks)
    around = Surroundings(
        title_of=TITLES.get,
        file_at=FILES.get,
        included=lambda _path: NOTICE,
        names={"space": {"vars": {"version": "4.2"}}},
    )
    app = Reader(page, look=look, surroundings=around)
    assert snap_compare(app, terminal_size=(width, 100), run_before=open_all)
