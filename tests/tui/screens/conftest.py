from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.server.platform import Platform
from support.platform import make_platform
from support.site_seats import Sit, seats


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    opened = make_platform(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def sit(platform: Platform, tmp_path: Path) -> Sit:
    """Open the program at a site."""
    return seats(platform, tmp_path)
