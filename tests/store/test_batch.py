from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from recto.client.errors import Unreachable
from recto.store.batch import BatchProgress, Part, batch
from recto.store.drafts import Drafts
from recto.store.mutation import Mutation
from recto.store.store import Store
from support.notes import Note, Notes, WriteNote
from support.notes_platform import NotesPlatform
from support.platform import FrozenClock

LOST = Unreachable("Could not rename it.", "The network is down.")


@pytest.fixture
def platform() -> NotesPlatform:
    return NotesPlatform("First", "Second", "Third")


@pytest.fixture
def store(platform: NotesPlatform, tmp_path: Path) -> Store:
    clock = FrozenClock()
    return Store(platform.transport, Drafts(tmp_path, clock), clock=clock)


def retitle(note: str, title: str, before: str) -> Mutation[Note]:
    return Mutation(
        doing="Renaming",
        done="Renamed",
        call=lambda call: call(Notes.update_note, note, WriteNote(title=title)),
        inverse=lambda _: retitle(note, before, title),
    )


def parts(platform: NotesPlatform) -> list[Part]:
    return [Part(id, title, retitle(id, title.upper(), title)) for id, title in platform.notes.items()]


async def test_all_are_changed_one_after_another_with_a_count_and_undone_at_once(
    store: Store, platform: NotesPlatform
) -> None:
    mutation = batch(parts(platform), doing="Renaming", done="Renamed")
    seen: list[tuple[str, int, int | None]] = []
    assert mutation.progress is not None
    mutation.progress.changed.subscribe(lambda at: seen.append((at.doing, at.done, at.total)))
    outcome = await store.run(mutation)
    assert outcome.value is not None
    assert [part.key for part, _ in outcome.value.done] == ["n1", "n2", "n3"]
    assert seen == [("First", 0, 3), ("Second", 1, 3), ("Third", 2, 3)]
    assert list(platform.notes.values()) == ["FIRST", "SECOND", "THIRD"]
    await store.undo()
    assert list(platform.notes.values()) == ["First", "Second", "Third"]
    await store.redo()
    assert list(platform.notes.values()) == ["FIRST", "SECOND", "THIRD"]


async def test_one_that_fails_stops_no_other_and_is_named(store: Store, platform: NotesPlatform) -> None:
    some = parts(platform)
    platform.errors.append(LOST)
    outcome = await store.run(batch(some, doing="Renaming", done="Renamed"))
    assert outcome.value is not None
    assert [(failure.part.name, failure.error) for failure in outcome.value.failed] == [("First", LOST)]
    assert list(platform.notes.values()) == ["First", "SECOND", "THIRD"]
    await store.undo()
    assert list(platform.notes.values()) == ["First", "Second", "Third"]


async def surprise() -> Note:
    raise KeyError("surprise")


async def test_an_unexpected_error_stops_no_other_and_leaves_the_undo(
    store: Store, platform: NotesPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    some = parts(platform)
    some[1] = Part("n2", "Second", replace(some[1].mutation, call=lambda _: surprise()))
    outcome = await store.run(batch(some, doing="Renaming", done="Renamed"))
    assert outcome.value is not None
    assert [str(failure.error) for failure in outcome.value.failed] == [
        "Renaming did not work. Unexpected error (KeyError). Details are in the log."
    ]
    assert "KeyError: 'surprise'" in caplog.text
    assert list(platform.notes.values()) == ["FIRST", "Second", "THIRD"]
    await store.undo()
    assert list(platform.notes.values()) == ["First", "Second", "Third"]


async def test_a_batch_that_is_stopped_begins_no_more(store: Store, platform: NotesPlatform) -> None:
    mutation = batch(parts(platform), doing="Renaming", done="Renamed")
    assert isinstance(mutation.progress, BatchProgress)
    progress = mutation.progress
    progress.changed.subscribe(lambda at: progress.stop() if at.done == 1 else None)
    outcome = await store.run(mutation)
    assert outcome.value is not None
    assert len(outcome.value.done) == 2
    assert list(platform.notes.values()) == ["FIRST", "SECOND", "Third"]
