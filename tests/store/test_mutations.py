from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recto.client.call import Call, pages
from recto.client.errors import ClientError, Conflict, ServerFailed, TimedOut, TooManyRequests, Unreachable
from recto.contract.operation import Operation
from recto.store.drafts import DraftKind, DraftPlace, Drafts, DraftState
from recto.store.mutation import (
    Cancelled,
    Matches,
    Mutation,
    NotArrived,
    Run,
    RunState,
    Undecided,
    changes,
    changes_items,
    matches,
    new_among,
)
from recto.store.progress import Progress, Reporter
from recto.store.query_keys import about, calls
from recto.store.store import Store, again
from support.notes import FakeTransport, Note, Notes, WriteNote
from support.notes_platform import NotesPlatform

REFUSED = Conflict("Could not rename the note.", "It has moved on.", status=409)
LOST = TimedOut("Could not rename the note.", "No answer came.", may_have_arrived=True)
BROKEN = Unreachable("Could not rename the note.", "The connection broke.", may_have_arrived=True)
DOWN = Unreachable("Could not rename the note.", "The network is down.")


def now() -> datetime:
    return datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def platform() -> NotesPlatform:
    return NotesPlatform("First", "Second")


@pytest.fixture
def store(platform: NotesPlatform, tmp_path: Path) -> Store:
    return Store(platform.transport, Drafts(tmp_path / "drafts", now), clock=now)


def rename(key: str, new: str, old: str) -> Mutation[Note]:
    def retitle(note: Note) -> Note:
        return note.model_copy(update={"title": new}) if note.id == key else note

    return Mutation(
        doing="Renaming the note",
        done="Renamed the note",
        call=lambda call: call(Notes.update_note, key, WriteNote(title=new)),
        effects=(changes(Notes.get_note, retitle, note_id=key), changes_items(Notes.list_notes, retitle)),
        stale=(about(note_id=key), calls(Notes.list_notes)),
        inverse=lambda _: rename(key, old, new),
    )


def create(title: str) -> Mutation[Note]:
    return Mutation(
        doing="Making a note",
        done="Made a note",
        call=lambda call: call(Notes.create_note, "b1", WriteNote(title=title)),
        stale=(calls(Notes.list_notes),),
        inverse=lambda note: remove(note.id),
    )


def remove(key: str) -> Mutation[None]:
    return Mutation(
        doing="Deleting a note",
        done="Deleted a note",
        call=lambda call: call(Notes.delete_note, key),
        effects=(changes_items(Notes.list_notes, lambda note: None if note.id == key else note, book_id="b1"),),
        stale=(calls(Notes.list_notes),),
    )


async def title_of(store: Store, key: str) -> str:
    query = await store.query(Notes.get_note, key).wait()
    assert query.value is not None
    return query.value.title


async def test_a_change_shows_at_once_and_is_there_afterwards(store: Store, platform: NotesPlatform) -> None:
    note = await store.query(Notes.get_note, "n1").wait()
    notes = await store.query_list(Notes.list_notes, "b1").wait()
    platform.gate.clear()
    run = store.run(rename("n1", "New", "First"))
    assert note.value is not None
    assert notes.value is not None
    assert note.value.title == "New"
    assert [each.title for each in notes.value.items] == ["New", "Second"]
    assert run.message == "Renaming the note…"
    platform.gate.set()
    outcome = await run
    assert outcome.ok
    assert outcome.value == Note(id="n1", title="New")
    assert run.message == "Renamed the note"
    await store.idle()
    assert platform.notes["n1"] == note.value.title == "New"


async def test_a_failure_puts_everything_back_and_says_why(store: Store, platform: NotesPlatform) -> None:
    note = await store.query(Notes.get_note, "n1").wait()
    notes = await store.query_list(Notes.list_notes, "b1").wait()
    platform.errors.append(REFUSED)
    outcome = await store.run(rename("n1", "New", "First"))
    assert outcome.error is REFUSED
    assert note.value is not None
    assert notes.value is not None
    assert note.value.title == "First"
    assert notes.value.items[0].title == "First"
    assert store.history.undoable is None


async def test_an_unforeseen_error_is_an_outcome_too(store: Store, platform: NotesPlatform) -> None:
    platform.errors.append(KeyError("surprise"))
    outcome = await store.run(rename("n1", "New", "First"))
    assert "KeyError" in str(outcome.error)


async def test_one_of_two_changes_that_fails_takes_only_its_own_back(store: Store, platform: NotesPlatform) -> None:
    notes = await store.query_list(Notes.list_notes, "b1").wait()
    platform.gate.clear()
    first, second = store.run(rename("n1", "One", "First")), store.run(rename("n2", "Two", "Second"))
    platform.errors.append(REFUSED)
    platform.gate.set()
    assert not (await first).ok
    assert (await second).ok
    await store.idle()
    assert notes.value is not None
    assert [each.title for each in notes.value.items] == ["First", "Two"]


async def test_an_answer_from_before_a_change_does_not_hide_it(tmp_path: Path) -> None:
    title = "First"
    late = asyncio.Event()
    late.set()

    async def answer(operation: Operation[Any, Any], arguments: Mapping[str, Any]) -> Note:
        nonlocal title
        if operation.reads:
            read = Note(id="n1", title=title)
            await late.wait()
            return read
        title = arguments["body"].title
        return Note(id="n1", title=title)

    store = Store(FakeTransport(answer), Drafts(tmp_path, now), clock=now)
    note = await store.query(Notes.get_note, "n1").wait()
    late.clear()
    note.refresh()
    await asyncio.sleep(0)
    await store.run(replace(rename("n1", "New", "First"), stale=()))
    late.set()
    await store.idle()
    assert note.value == Note(id="n1", title="New")


async def test_leaving_does_not_stop_a_change(store: Store, platform: NotesPlatform) -> None:
    platform.gate.clear()

    async def screen() -> None:
        await store.run(rename("n1", "New", "First"))

    task = asyncio.ensure_future(screen())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    platform.gate.set()
    await store.idle()
    assert platform.notes["n1"] == "New"


async def test_the_start_and_end_of_runs_are_signalled(store: Store, platform: NotesPlatform) -> None:
    told: list[tuple[RunState, str]] = []
    store.runs.subscribe(lambda run: told.append((run.state, run.message)))
    await store.run(rename("n1", "New", "First"))
    platform.errors.append(REFUSED)
    await store.run(rename("n1", "Newer", "New"))
    assert told == [
        (RunState.RUNNING, "Renaming the note…"),
        (RunState.DONE, "Renamed the note"),
        (RunState.RUNNING, "Renaming the note…"),
        (RunState.FAILED, str(REFUSED)),
    ]


async def test_a_change_that_takes_long_is_signalled_once_more(
    store: Store, platform: NotesPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.store.store.MOMENT", 0)
    long = asyncio.Event()
    store.runs.subscribe(lambda run: long.set() if run.is_long else None)
    platform.gate.clear()
    run = store.run(rename("n1", "New", "First"))
    assert store.long_runs == []
    await long.wait()
    assert store.long_runs == [run]
    platform.gate.set()
    await run
    assert store.long_runs == []


async def test_changes_of_one_lane_run_in_their_order(store: Store, platform: NotesPlatform) -> None:
    platform.gate.clear()
    first = store.run(replace(rename("n1", "One", "First"), lane="n1"))
    second = store.run(replace(rename("n1", "Two", "One"), lane="n1"))
    store.run(rename("n2", "Free", "Second"))
    for _ in range(5):
        await asyncio.sleep(0)
    assert [arguments["note_id"] for _, arguments in platform.transport.sent] == ["n1", "n2"]
    platform.gate.set()
    await first
    await second
    assert platform.notes["n1"] == "Two"


async def test_what_was_done_is_undone_and_redone(store: Store, platform: NotesPlatform) -> None:
    note = await store.query(Notes.get_note, "n1").wait()
    await store.run(rename("n1", "New", "First"))
    await store.run(rename("n1", "Newer", "New"))
    undone = await store.undo()
    assert undone is not None
    assert undone.state is RunState.DONE
    assert platform.notes["n1"] == "New"
    await store.undo()
    assert await store.undo() is None
    assert platform.notes["n1"] == "First"
    await store.redo()
    await store.redo()
    assert await store.redo() is None
    assert platform.notes["n1"] == "Newer"
    await store.undo()
    assert platform.notes["n1"] == "New"
    await note.wait()
    assert note.value == Note(id="n1", title="New")


async def test_a_new_change_ends_what_could_be_redone(store: Store, platform: NotesPlatform) -> None:
    await store.run(rename("n1", "New", "First"))
    await store.undo()
    assert store.history.redoable is not None
    await store.run(rename("n1", "Other", "First"))
    assert await store.redo() is None


async def test_an_inverse_knows_what_the_platform_answered(store: Store, platform: NotesPlatform) -> None:
    await store.run(create("Third"))
    assert platform.notes["n3"] == "Third"
    await store.undo()
    assert "n3" not in platform.notes
    await store.run(remove("n2"))
    assert store.history.undoable is None


async def test_an_undo_waits_for_the_change_it_takes_back(store: Store, platform: NotesPlatform) -> None:
    platform.gate.clear()
    store.run(rename("n1", "New", "First"))
    undoing = asyncio.ensure_future(store.undo())
    await asyncio.sleep(0)
    platform.gate.set()
    run = await undoing
    assert run is not None
    assert platform.notes["n1"] == "First"


async def test_an_undo_does_not_wait_for_what_cannot_be_taken_back(store: Store, platform: NotesPlatform) -> None:
    never = asyncio.Event()
    await store.run(rename("n1", "New", "First"))
    importing = Mutation(doing="Importing", done="Imported", call=lambda _: never.wait(), progress=Reporter())
    run = store.run(importing)
    await store.undo()
    assert platform.notes["n1"] == "First"
    run.cancel()
    await run


async def test_an_undo_that_may_yet_work_can_be_tried_again(store: Store, platform: NotesPlatform) -> None:
    await store.run(rename("n1", "New", "First"))
    platform.errors.append(DOWN)
    run = await store.undo()
    assert run is not None
    assert run.error is DOWN
    assert store.history.undoable is not None
    await store.undo()
    assert platform.notes["n1"] == "First"
    platform.errors.append(DOWN)
    await store.redo()
    assert store.history.redoable is not None
    await store.redo()
    assert platform.notes["n1"] == "New"


async def test_an_undo_that_the_platform_refuses_does_not_bar_the_one_before(
    store: Store, platform: NotesPlatform
) -> None:
    await store.run(rename("n1", "New", "First"))
    await store.run(rename("n2", "Newer", "Second"))
    platform.errors.append(REFUSED)
    await store.undo()
    await store.undo()
    assert platform.notes == {"n1": "First", "n2": "Newer"}


async def test_an_effect_that_fails_hides_nothing(
    store: Store, platform: NotesPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(note: Note) -> Note:
        raise RuntimeError("broken")

    note = await store.query(Notes.get_note, "n1").wait()
    await store.run(replace(rename("n1", "New", "First"), effects=(changes(Notes.get_note, broken),), stale=()))
    assert note.value == Note(id="n1", title="First")
    assert "A change could not be shown" in caplog.text


async def test_long_work_tells_how_far_it_is_and_can_be_stopped(store: Store, platform: NotesPlatform) -> None:
    progress, told = Reporter(), []
    blocked = asyncio.Event()

    async def work(call: Any) -> None:
        progress.report(Progress("page", 1, 3))
        progress.report(Progress("page", 2))
        blocked.set()
        await asyncio.Event().wait()

    store.runs.subscribe(lambda run: told.append(run.message))
    run: Run[None] = store.run(Mutation(doing="Importing", done="Imported", call=work, progress=progress))
    await blocked.wait()
    assert told == ["Importing…", "Importing: page, 1 of 3", "Importing: page, 2"]
    run.cancel()
    outcome = await run
    assert isinstance(outcome.error, Cancelled)
    assert run.state is RunState.FAILED


async def test_long_work_can_be_stopped_before_it_begins(store: Store, platform: NotesPlatform) -> None:
    note = await store.query(Notes.get_note, "n1").wait()
    platform.gate.clear()
    run = store.run(replace(rename("n1", "New", "First"), progress=Reporter()))
    run.cancel()
    assert not (await run).ok
    assert note.value == Note(id="n1", title="First")


async def test_a_short_change_cannot_be_stopped(store: Store, platform: NotesPlatform) -> None:
    run = store.run(rename("n1", "New", "First"))
    run.cancel()
    assert (await run).ok


async def test_a_draft_goes_when_its_text_has_arrived(store: Store, platform: NotesPlatform) -> None:
    draft = store.drafts.start(DraftKind.COMMENT, DraftPlace(space="s1"), "New")
    platform.gate.clear()
    run = store.run(replace(rename("n1", "New", "First"), draft=draft))
    await platform.called.wait()
    assert [each.state for each in store.drafts.find()] == [DraftState.SENDING]
    platform.gate.set()
    assert (await run).ok
    assert store.drafts.find() == []


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (REFUSED, DraftState.TYPED),
        (DOWN, DraftState.TYPED),
        (LOST, DraftState.UNSURE),
        (KeyError("x"), DraftState.UNSURE),
    ],
)
async def test_a_draft_stays_where_its_text_has_not_surely_arrived(
    store: Store, platform: NotesPlatform, error: Exception, state: DraftState
) -> None:
    draft = store.drafts.start(DraftKind.COMMENT, DraftPlace(space="s1"), "New")
    platform.errors.append(error)
    assert not (await store.run(replace(rename("n1", "New", "First"), draft=draft))).ok
    assert [each.state for each in store.drafts.find()] == [state]


async def test_what_is_typed_while_it_is_sent_stays(store: Store, platform: NotesPlatform) -> None:
    draft = store.drafts.start(DraftKind.COMMENT, DraftPlace(space="s1"), "New")
    platform.gate.clear()
    run = store.run(replace(rename("n1", "New", "First"), draft=draft))
    await platform.called.wait()
    store.type(draft, "New and more")
    platform.gate.set()
    await run
    [left] = store.drafts.find()
    assert (left.state, store.drafts.text(left)) == (DraftState.TYPED, "New and more")


async def test_nothing_is_sent_that_is_not_on_disk(store: Store, platform: NotesPlatform) -> None:
    draft = store.drafts.start(DraftKind.COMMENT, DraftPlace(space="s1"), "New")
    store.drafts.discard(draft)
    outcome = await store.run(replace(rename("n1", "New", "First"), draft=draft))
    assert "could not be saved to disk" in str(outcome.error)
    assert platform.calls == []


def lost_after(platform: NotesPlatform, *titles: str, down: bool = False, error: ClientError = LOST) -> None:
    """Lose the answers of calls that make a note, after notes of these titles are there; then perhaps the network."""

    def make(**_: Any) -> Note:
        for title in titles:
            platform.notes[f"n{len(platform.notes) + 1}"] = title
        if down:
            platform.errors.append(DOWN)
        raise error

    platform._create_note = make  # type: ignore[method-assign, assignment]


def send(store: Store, title: str) -> Mutation[Note]:
    """Return the change that makes a note from a draft, and looks for it by its title."""

    async def find(call: Call) -> Matches[Note]:
        listed = [page async for page in pages(call, Notes.list_notes, "b1")]
        return matches(listed, lambda note: note.title == title)

    draft = store.drafts.start(DraftKind.COMMENT, DraftPlace(space="s1"), title)
    return replace(create(title), draft=draft, lookup=new_among(find))


async def test_after_a_lost_answer_it_is_looked_for_and_taken_for_done_where_it_is_there(
    store: Store, platform: NotesPlatform
) -> None:
    lost_after(platform, "New")
    outcome = await store.run(send(store, "New"))
    assert outcome.value == Note(id="n3", title="New")
    assert store.drafts.find() == []
    assert store.history.undoable is not None
    assert platform.calls == ["list_notes", "create_note", "list_notes", "list_notes"]


async def test_what_was_there_before_is_not_taken_for_what_was_sent(store: Store, platform: NotesPlatform) -> None:
    platform.notes["n3"] = "New"
    lost_after(platform, error=BROKEN)
    outcome = await store.run(send(store, "New"))
    assert isinstance(outcome.error, NotArrived)
    assert [each.state for each in store.drafts.find()] == [DraftState.TYPED]


@pytest.mark.parametrize("late", [LOST, ServerFailed("Could not rename the note.", "Too late.", status=504,
                                                     may_have_arrived=True)])  # fmt: skip
async def test_what_is_not_there_when_the_time_is_over_may_still_arrive(
    store: Store, platform: NotesPlatform, late: ClientError
) -> None:
    platform.notes["n3"] = "New"
    lost_after(platform, error=late)
    outcome = await store.run(send(store, "New"))
    assert isinstance(outcome.error, Undecided)
    assert outcome.error.known == ("n3",)
    assert "may still arrive" in str(outcome.error)
    assert [(each.state, each.known) for each in store.drafts.find()] == [(DraftState.UNSURE, ("n3",))]


@pytest.mark.parametrize("error", [LOST, BROKEN])
@pytest.mark.parametrize("by_hand", [True, False])
async def test_what_arrives_after_it_was_looked_for_is_found_by_the_next_try(
    store: Store, platform: NotesPlatform, error: ClientError, by_hand: bool
) -> None:
    lost_after(platform, error=error)
    mutation = send(store, "New")
    outcome = await store.run(mutation)
    assert not outcome.ok
    platform.notes["n3"] = "New"
    outcome = await store.run(mutation if by_hand else again(mutation, outcome))
    assert outcome.value == Note(id="n3", title="New")
    assert platform.calls.count("create_note") == 1
    assert store.drafts.find() == []


@pytest.mark.parametrize("error", [DOWN, TooManyRequests("Could not make the note.", "Not now.", status=429)])
async def test_a_further_try_that_fails_leaves_open_whether_the_first_has_arrived(
    store: Store, platform: NotesPlatform, error: ClientError
) -> None:
    lost_after(platform)
    mutation = send(store, "New")
    await store.run(mutation)
    lost_after(platform, error=error)
    assert isinstance((await store.run(mutation)).error, Undecided)
    platform.errors.append(DOWN)
    assert isinstance((await store.run(mutation)).error, Undecided)
    assert [(each.state, each.known) for each in store.drafts.find()] == [(DraftState.UNSURE, ())]
    platform.notes["n3"] = "New"
    assert (await store.run(mutation)).value == Note(id="n3", title="New")
    assert platform.calls.count("create_note") == 2


async def test_a_change_that_was_sent_again_in_vain_is_looked_for_like_the_first_try(
    store: Store, platform: NotesPlatform
) -> None:
    mutation = replace(send(store, "New"), draft=None)
    lost_after(platform)
    first = await store.run(mutation)
    lost_after(platform, error=DOWN)
    second = await store.run(again(mutation, first))
    platform.notes["n3"] = "New"
    assert (await store.run(again(mutation, second))).value == Note(id="n3", title="New")
    assert platform.calls.count("create_note") == 2


async def test_a_text_that_is_rejected_is_looked_for_no_longer(store: Store, platform: NotesPlatform) -> None:
    lost_after(platform)
    mutation = send(store, "New")
    await store.run(mutation)
    lost_after(platform, error=REFUSED)
    assert (await store.run(mutation)).error is REFUSED
    assert [(each.state, each.sent_hash) for each in store.drafts.find()] == [(DraftState.TYPED, None)]


async def test_where_it_cannot_be_looked_for_it_is_undecided_and_the_next_try_looks_first(
    store: Store, platform: NotesPlatform
) -> None:
    platform.notes["n3"] = "New"
    lost_after(platform, "New", down=True)
    mutation = send(store, "New")
    outcome = await store.run(mutation)
    assert isinstance(outcome.error, Undecided)
    assert outcome.error.known == ("n3",)
    assert [each.state for each in store.drafts.find()] == [DraftState.UNSURE]
    outcome = await store.run(again(mutation, outcome))
    assert outcome.value == Note(id="n4", title="New")
    assert platform.calls.count("create_note") == 1


async def test_where_it_was_not_known_what_was_there_before_it_is_undecided(
    store: Store, platform: NotesPlatform
) -> None:
    platform.errors.append(DOWN)
    lost_after(platform, "New")
    outcome = await store.run(send(store, "New"))
    assert isinstance(outcome.error, Undecided)
    assert outcome.error.known is None
    (draft,) = store.drafts.find()
    assert (draft.state, draft.known) == (DraftState.UNSURE, None)


@pytest.mark.parametrize(
    ("title", "known", "error", "state"),
    [
        ("There", (), None, None),
        ("Lost", (), NotArrived, DraftState.TYPED),
        ("There", ("n3",), NotArrived, DraftState.TYPED),
        ("There", None, Undecided, DraftState.UNSURE),
    ],
)
async def test_what_was_on_its_way_when_the_program_ended_is_looked_for(
    store: Store,
    platform: NotesPlatform,
    title: str,
    known: tuple[str, ...] | None,
    error: type[Exception] | None,
    state: DraftState | None,
) -> None:
    platform.notes["n3"] = "There"
    mutation = send(store, title)
    assert mutation.draft is not None
    draft = store.drafts.unsure(store.drafts.mark_sending(mutation.draft, known))
    outcome = await store.look_for(replace(mutation, draft=draft))
    assert type(outcome.error) is (error or type(None))
    left = store.drafts.get(draft.id)
    assert (left.state if left is not None else None) is state


async def test_a_draft_that_may_have_arrived_is_looked_for_before_it_is_sent(
    store: Store, platform: NotesPlatform
) -> None:
    platform.notes["n3"] = "New"
    mutation = send(store, "New")
    assert mutation.draft is not None
    store.drafts.unsure(store.drafts.mark_sending(mutation.draft, ()))
    assert (await store.run(mutation)).value == Note(id="n3", title="New")
    assert "create_note" not in platform.calls


async def test_a_draft_of_which_that_is_not_known_is_sent_only_when_the_person_says_so(
    store: Store, platform: NotesPlatform
) -> None:
    platform.notes["n3"] = "New"
    mutation = send(store, "New")
    assert mutation.draft is not None
    store.drafts.unsure(store.drafts.mark_sending(mutation.draft, None))
    outcome = await store.run(mutation)
    assert isinstance(outcome.error, Undecided)
    assert "create_note" not in platform.calls
    assert (await store.run(again(mutation, outcome))).ok
    assert list(platform.notes.values()).count("New") == 2


async def test_a_redo_whose_answer_is_lost_makes_it_once(store: Store, platform: NotesPlatform) -> None:
    assert (await store.run(replace(send(store, "New"), draft=None))).ok
    await store.undo()
    assert list(platform.notes.values()) == ["First", "Second"]
    lost_after(platform, "New", down=True)
    run = await store.redo()
    assert run is not None
    assert isinstance(run.error, Undecided)
    run = await store.redo()
    assert run is not None
    assert run.error is None
    assert list(platform.notes.values()) == ["First", "Second", "New"]
    assert platform.calls.count("create_note") == 2


async def test_a_wrong_inverse_keeps_nothing_from_settling(
    store: Store, platform: NotesPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(note: Note) -> None:
        raise RuntimeError("broken")

    run = store.run(replace(rename("n1", "New", "First"), inverse=broken))
    assert (await run).ok
    assert run.state is RunState.DONE
    assert await store.undo() is None
    assert "A follow-up of a change failed" in caplog.text
