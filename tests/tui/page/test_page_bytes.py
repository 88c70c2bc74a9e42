"""What a running program writes to the terminal for hostile pages, to the byte."""

from __future__ import annotations

import re

import pytest

from support.hostile import hostile_pages
from support.reader import reading
from support.screens import settled

PAGES, SEED = 500, 11
SIZE = (70, 60)

# Colours, the place of a line on the screen, and links to addresses of nothing but visible characters.
OWN = re.compile(rb"\x1b\[[0-9;]*[mH]|\x1b\]8;(?:id=[0-9-]+)?;[!-~]*\x1b\\")
ACTING = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def assert_only_letters(written: bytes) -> None:
    left = OWN.sub(b"", written).decode("utf-8")
    found = ACTING.search(left)
    assert found is None, ascii(left[max(0, found.start() - 60) : found.end() + 60])


@pytest.mark.slow
async def test_hostile_pages_write_nothing_but_letters_to_the_terminal() -> None:
    async with reading("", size=SIZE) as (pilot, view, app):
        seen: set[str] = set()
        for number, page in enumerate(hostile_pages(PAGES, SEED)):
            view.show("", page)
            written = app.screen._compositor.render_full_update().render_segments(app.console)
            assert_only_letters(written.encode("utf-8"))
            seen.add(written)
            if number % 50 == 0:
                await settled(pilot)
        assert len(seen) > PAGES * 0.9, "one page after the other was written"


def test_the_test_would_see_what_acts() -> None:
    assert_only_letters(b"\x1b[1;1H\x1b[31mred\x1b[0m\n")
    for acting in (b"\x1b[2J", b"\x1b]0;title\x07", "\u202e".encode(), b"\x1b]8;;https://e.com/\x07x\x1b\\"):
        with pytest.raises(AssertionError):
            assert_only_letters(acting)
