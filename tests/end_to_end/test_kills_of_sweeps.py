"""The process is killed while it removes a space for good; the next one goes on, and nothing else is touched."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from support.content import Desk
from support.killable_tasks import WORKSPACE
from support.kills import Story, do, prepare
from support.platform import Speaker, make_platform
from support.states import state_of

pytestmark = pytest.mark.slow

# Removing the space is the first transaction, taking its words out of the index the next two, its content the last.
POINTS = [
    *(f"database.statement:{number}" for number in (3, 6, 9, 15)),
    *(f"database.before-commit:{number}" for number in (1, 4)),
    *(f"database.after-commit:{number}" for number in (1, 2)),
]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A workspace with a space that was deleted long ago and a copy of it, and what a sweep makes of it."""
    start = tmp_path_factory.mktemp("start")
    prepare(start)
    platform = make_platform(start, seed=2)
    space = platform.database.read_now(lambda connection: connection.value("SELECT id FROM spaces"))

    async def work() -> None:
        ada = Speaker(platform)
        await ada.send("POST", f"/spaces/{space}/duplicate", status=201)
        desk = await Desk.open(ada, space)
        await desk.edit("one", "# One\n\nOnly here.\n")
        await ada.send("DELETE", f"/spaces/{space}", status=204)

    asyncio.run(work())
    platform.database.write_now(lambda connection: connection.update("spaces", space, deleted_at="2026-01-01"))
    platform.close()
    return Story.tell("sweep", start, tmp_path_factory.mktemp("undisturbed") / "sweep")


def test_a_sweep_takes_all_of_the_one_space_and_nothing_of_the_other(story: Story) -> None:
    before, after = story.before.counts(), story.after.counts()
    assert (before["spaces"], after["spaces"]) == (2, 1)
    assert after["revisions"] == 1
    assert 0 < after["texts"] < before["texts"]
    assert story.after.facts["search"].total() == story.after.facts["search_sections"].total()


@pytest.mark.parametrize("at", POINTS)
def test_the_next_process_goes_on_where_one_was_killed(story: Story, tmp_path: Path, at: str) -> None:
    folder = tmp_path / "folder"
    story.kill(folder, at)
    state_of(folder / WORKSPACE)
    ended = do("sweep", folder)
    assert (ended.code, ended.acknowledged) == (0, ["done"]), ended.errors
    assert state_of(folder / WORKSPACE) == story.after
