"""Every kind of block as a picture: narrow and wide, on dark and on light ground."""

from __future__ import annotations

from typing import Any

import pytest

from support.block_pages import PLATFORM_BLOCKS, TEXT_BLOCKS
from support.reader import Reader

GROUPS = {"text": TEXT_BLOCKS, "platform": PLATFORM_BLOCKS}


@pytest.mark.parametrize("look", ["dark", "light"])
@pytest.mark.parametrize("width", [60, 120])
@pytest.mark.parametrize("group", GROUPS)
def test_blocks_look_as_they_did(snap_compare: Any, group: str, width: int, look: str) -> None:
    page = "\n\n".join(GROUPS[group].values())
    assert snap_compare(Reader(page, look=look), terminal_size=(width, 140))
