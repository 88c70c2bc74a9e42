"""The process is killed in the middle of an edit, a merge, an update, a review.

At the next start every change that was acknowledged is there and no half one is, and every draft is offered again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import recto
from recto.client.sender import embed
from recto.server.platform import Platform
from recto.store.drafts import Drafts, DraftState
from recto.store.mutation import NotArrived
from recto.store.store import Store
from support import killable_tasks
from support.killable_tasks import DRAFTS, PASSED_IN, TAKEN, TASKS, TYPED, WORKSPACE, sending
from support.kills import Ended, Story, prepare
from support.states import state_of

pytestmark = pytest.mark.slow

# Which passes of a point that is passed more than once, beside the first.
PASSES = {
    "edit": {
        "database.statement": (2, 4, 6, 8, 9),
        "atomic.before-write": (2, 3, 5),
        "atomic.before-rename": (2, 4, 5),
    },
    "merge": {"database.statement": (1, 4, 8), "database.before-commit": (1,), "database.after-commit": (1,)},
    "pull": {"database.statement": (1, 3, 7), "database.before-commit": (1,), "database.after-commit": (1,)},
    "review": {"database.statement": (1, 3), "database.after-commit": (1,)},
}


def kills(task: str) -> Iterator[tuple[str, str]]:
    """Yield the points at which a task is killed."""
    for checkpoint, passed_in in PASSED_IN.items():
        if passed_in == task:
            yield task, checkpoint
    for checkpoint, passes in PASSES.get(task, {}).items():
        for number in passes:
            yield task, f"{checkpoint}:{number}"


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Story]:
    start = tmp_path_factory.mktemp("start")
    prepare(start)
    scratch = tmp_path_factory.mktemp("undisturbed")
    return {task: Story.tell(task, start, scratch / task) for task in PASSES}


def test_every_checkpoint_of_the_program_is_in_the_table() -> None:
    named: set[str] = set()
    for file in Path(recto.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "checkpoint":
                assert isinstance(call.args[0], ast.Constant), f"{file}:{call.lineno}: a checkpoint has a plain name"
                named.add(str(call.args[0].value))
    assert named - PASSED_IN.keys() == set(), "checkpoints at which nothing is killed"
    assert PASSED_IN.keys() - named == set(), "checkpoints that are no longer there"
    assert set(PASSED_IN.values()) <= {*TASKS, "begin"}


@pytest.mark.parametrize(("task", "at"), [each for task in ("merge", "pull", "review") for each in kills(task)])
async def test_a_change_is_there_or_it_is_not(stories: dict[str, Story], tmp_path: Path, task: str, at: str) -> None:
    story, folder = stories[task], tmp_path / "folder"
    ended = story.kill(folder, at)
    found = state_of(folder / WORKSPACE)
    assert found in (story.before, story.after)
    if "done" in ended.acknowledged:
        assert found == story.after
    if found == story.before:
        await killable_tasks.do(task, folder)
        assert state_of(folder / WORKSPACE) == story.after


@pytest.mark.parametrize(("task", "at"), list(kills("edit")))
async def test_an_edit_is_on_the_platform_or_offered_again(
    stories: dict[str, Story], tmp_path: Path, task: str, at: str
) -> None:
    story, folder = stories[task], tmp_path / "folder"
    ended = story.kill(folder, at)
    found = state_of(folder / WORKSPACE)
    assert found in (story.before, story.after)
    platform = Platform.open(folder / WORKSPACE)
    drafts = Drafts(folder / DRAFTS)
    store = Store(embed(platform.application, platform.token), drafts)
    try:
        check_drafts(drafts, ended, written=found == story.after)
        await check_offer(store, drafts, written=found == story.after)
    finally:
        await store.aclose()
        platform.close()


def check_drafts(drafts: Drafts, ended: Ended, *, written: bool) -> None:
    """At most the one draft is there, whole, as far as it was acknowledged, unless its text has arrived."""
    unsure, kept = drafts.recover(), drafts.find()
    assert len(kept) <= 1
    if "done" in ended.acknowledged:
        assert (written, kept) == (True, [])
    elif "started" in ended.acknowledged and not written:
        assert len(kept) == 1
    for draft in kept:
        allowed = (TYPED,) if written or "typed" in ended.acknowledged else (TAKEN, TYPED)
        assert drafts.text(draft) in allowed
        assert not written or unsure == kept, "it was sent, so that the person must be told"


async def check_offer(store: Store, drafts: Drafts, *, written: bool) -> None:
    """The draft is settled by looking: it goes where its text has arrived, and is offered again where it has not."""
    for draft in drafts.find():
        if draft.state is DraftState.UNSURE:
            outcome = await store.look_for(sending(drafts, draft))
            assert type(outcome.error) is (type(None) if written else NotArrived)
            assert [each.id for each in drafts.find()] == ([] if written else [draft.id])
