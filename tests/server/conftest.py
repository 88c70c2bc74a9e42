from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.server.platform import Platform
from support.platform import FrozenClock, Speaker, make_platform, own_organization


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def platform(tmp_path: Path, clock: FrozenClock) -> Iterator[Platform]:
    opened = make_platform(tmp_path, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def organization(platform: Platform) -> str:
    return own_organization(platform)


@pytest.fixture
def ada(platform: Platform) -> Speaker:
    """The owner, who is admin of their organization."""
    return Speaker(platform)
