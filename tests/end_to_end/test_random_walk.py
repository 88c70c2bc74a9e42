"""Keys at random, pressed without waiting while answers are late: nothing crashes, fails or cannot be closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.idle import paint_for_nobody, save_time
from support.styles import share_matched, share_parsed
from support.walk import Walk

# Work that is given up before it has begun is a coroutine that is not awaited.
pytestmark = pytest.mark.filterwarnings("ignore:.*was never awaited", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True)
def small_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Walk in a folder of its own, in which there is a page to import."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "README.md").write_text("# A page\n\nWords.\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    save_time(monkeypatch)
    paint_for_nobody(monkeypatch)
    share_parsed(monkeypatch)
    share_matched(monkeypatch)


async def walk(folder: Path, seed: int, keys: int) -> Walk:
    """Walk from a seed, in a workspace of its own."""
    (folder / "home").mkdir()
    walk = Walk(folder / "home", seed, keys)
    await walk.go()
    return walk


@pytest.mark.slow
async def test_a_short_walk_ends_well(tmp_path: Path) -> None:
    assert (await walk(tmp_path, 0, 400)).walked >= 400


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 9))
async def test_twenty_thousand_keys_end_well(tmp_path: Path, seed: int) -> None:
    done = await walk(tmp_path, seed, 2_500)

    assert done.walked >= 2_500
    assert done.seen >= {"OrganizationsView", "SiteView", "ChangeRequestView", "SpaceView"}
