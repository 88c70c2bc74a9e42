from __future__ import annotations

from pathlib import Path

import pytest

from recto.server.platform import Platform
from support.guide import Guide, make_guide
from support.platform import FrozenClock
from support.site_seats import Sit, seats


@pytest.fixture
def sit(platform: Platform, tmp_path: Path) -> Sit:
    """Open the program at a site."""
    return seats(platform, tmp_path)


@pytest.fixture
async def guide(platform: Platform, clock: FrozenClock) -> Guide:
    """A small documentation space with a change request on it."""
    return await make_guide(platform, clock)
