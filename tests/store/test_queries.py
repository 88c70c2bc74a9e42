from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pydantic import TypeAdapter

from recto.client.errors import NotFound, Unreachable
from recto.contract.operation import Operation
from recto.store.drafts import Drafts
from recto.store.query import Listing, Query, QueryState
from recto.store.query_keys import about, calls
from recto.store.store import FRESH_FOR, Store
from support.notes import FakeTransport, Note, Notes, WriteNote
from support.notes_platform import NotesPlatform

R = TypeVar("R")

LOST = Unreachable("Could not load it.", "The network is down.")


class Clock:
    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 2, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def advance(self, by: timedelta) -> None:
        self.moment += by


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def platform() -> NotesPlatform:
    return NotesPlatform("First", "Second", "Third", "Fourth", "Fifth")


@pytest.fixture
def store(platform: NotesPlatform, clock: Clock, tmp_path: Path) -> Store:
    return Store(platform.transport, Drafts(tmp_path, clock), clock=clock)


def value_of(query: Query[R]) -> R:
    assert query.value is not None
    return query.value


def state(query: Query[Any]) -> QueryState:
    return query.state


def states(query: Query[Any]) -> list[QueryState]:
    seen = [query.state]
    query.watch(lambda changed: seen.append(changed.state))
    return seen


async def test_a_query_is_there_at_once_and_fills_behind(store: Store) -> None:
    query = store.query(Notes.get_note, "n1")
    seen = states(query)
    assert not query.value
    assert store.pending == 1
    await store.idle()
    assert store.pending == 0
    assert value_of(query).title == "First"
    assert seen == [QueryState.LOADING, QueryState.READY]


async def test_the_same_call_is_the_same_query_and_asked_once(store: Store, platform: NotesPlatform) -> None:
    query = store.query(Notes.get_note, "n1")
    assert store.query(Notes.get_note, note_id="n1", whole=True) is query
    await store.idle()
    assert store.query(Notes.get_note, "n1") is query
    await store.idle()
    assert platform.calls == ["get_note"]


async def test_what_is_known_can_be_had_without_asking(store: Store, platform: NotesPlatform) -> None:
    assert store.known_response(Notes.get_note, "n1") is None
    await store.idle()
    assert platform.calls == []

    await store.query(Notes.get_note, "n1").wait()
    known = store.known_response(Notes.get_note, "n1")
    assert known is not None
    assert known.title == "First"
    assert platform.calls == ["get_note"]


async def test_a_known_answer_is_shown_while_it_is_refreshed(
    store: Store, platform: NotesPlatform, clock: Clock
) -> None:
    await store.query(Notes.get_note, "n1").wait()
    platform.notes["n1"] = "Changed"
    clock.advance(FRESH_FOR)
    query = store.query(Notes.get_note, "n1")
    assert state(query) is QueryState.REFRESHING
    assert value_of(query).title == "First"
    await store.idle()
    assert value_of(query).title == "Changed"


async def test_a_failure_is_a_state_and_what_was_known_stays(store: Store, platform: NotesPlatform) -> None:
    query = await store.query(Notes.get_note, "n1").wait()
    platform.errors.append(LOST)
    query.refresh()
    await store.idle()
    assert state(query) is QueryState.FAILED
    assert query.error is LOST
    # It holds nothing of the task, which holds that for which it was begun.
    assert LOST.__traceback__ is None
    assert query.value is not None
    assert store.query(Notes.get_note, "n1") is query
    await store.idle()
    assert state(query) is QueryState.READY
    assert query.error is None


async def test_a_first_load_that_fails_leaves_nothing_to_show(store: Store) -> None:
    query = await store.query(Notes.get_note, "n9").wait()
    assert state(query) is QueryState.FAILED
    assert isinstance(query.error, NotFound)
    assert query.value is None


async def test_an_unforeseen_error_is_a_failure_too(store: Store, platform: NotesPlatform) -> None:
    platform.errors.append(KeyError("surprise"))
    query = await store.query(Notes.get_note, "n1").wait()
    assert state(query) is QueryState.FAILED
    assert "KeyError" in str(query.error)


async def test_refreshing_twice_asks_once(store: Store, platform: NotesPlatform) -> None:
    query = store.query(Notes.get_note, "n1")
    query.refresh()
    query.refresh()
    await store.idle()
    assert platform.calls == ["get_note"]


class Slow(FakeTransport):
    """A transport that tells how each note begins, and waits at a gate with the rest."""

    def __init__(self) -> None:
        super().__init__(lambda _, arguments: {"id": arguments["note_id"], "title": "Whole"})
        self.gate = asyncio.Event()
        self.error: Exception | None = None

    async def send_streaming(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], on_beginning: Callable[[R], None]
    ) -> R:
        on_beginning(TypeAdapter(operation.response).validate_python({"id": arguments["note_id"], "title": "Wh"}))
        await self.gate.wait()
        if self.error is not None:
            raise self.error
        return await self.send(operation, arguments)


async def begin_query(store: Store) -> Query[Note]:
    """Return the query of a note that is known to its beginning, which is watched."""
    query = store.query(Notes.get_note, "n1")
    query.watch(lambda _: None)
    await asyncio.sleep(0)
    assert query.beginning is not None and query.beginning.title == "Wh"
    assert query.value is None and query.state is QueryState.LOADING
    return query


async def test_a_beginning_is_no_value_and_goes_when_the_value_comes(clock: Clock, tmp_path: Path) -> None:
    transport = Slow()
    store = Store(transport, Drafts(tmp_path, clock), clock=clock)
    query = await begin_query(store)
    transport.gate.set()
    await store.idle()
    assert (value_of(query).title, query.beginning, state(query)) == ("Whole", None, QueryState.READY)


async def test_a_beginning_goes_with_what_fails_or_is_given_up(clock: Clock, tmp_path: Path) -> None:
    transport = Slow()
    store = Store(transport, Drafts(tmp_path, clock), clock=clock)
    query = await begin_query(store)
    query.give_up()
    assert query.beginning is None
    transport.error = LOST
    query = await begin_query(store)
    transport.gate.set()
    await store.idle()
    assert (query.value, query.beginning, query.error) == (None, None, LOST)


async def test_a_complete_list_is_not_restarted(clock: Clock, tmp_path: Path) -> None:
    transport = Slow()
    store = Store(transport, Drafts(tmp_path, clock), clock=clock)
    query = await begin_query(store)
    transport.gate.set()
    await store.idle()
    transport.gate.clear()
    query.refresh()
    await asyncio.sleep(0)
    assert (query.beginning, state(query)) == (None, QueryState.REFRESHING)


async def test_loading_is_cancelled_when_it_is_watched_no_more(store: Store, platform: NotesPlatform) -> None:
    platform.gate.clear()
    query = store.query(Notes.get_note, "n1")
    first, second = query.watch(lambda _: None), query.watch(lambda _: None)
    first.close()
    assert store.pending == 1
    second.close()
    await store.idle()
    assert query.value is None
    platform.gate.set()
    await store.query(Notes.get_note, "n1").wait()
    assert query.value is not None


async def test_who_watches_a_query_that_was_given_up_has_it_loaded(store: Store, platform: NotesPlatform) -> None:
    platform.gate.clear()
    query = store.query(Notes.get_note, "n1")
    query.watch(lambda _: None).close()
    platform.gate.set()
    query.watch(lambda _: None)
    await store.idle()
    assert state(query) is QueryState.READY


async def test_a_list_is_walked_to_its_end_and_shown_on_the_way(store: Store, platform: NotesPlatform) -> None:
    query = store.query_list(Notes.list_notes, "b1")
    seen: list[tuple[int, bool, int | None]] = []

    def note(changed: Query[Listing[Note]]) -> None:
        listing = value_of(changed)
        seen.append((len(listing.items), listing.complete, listing.total))

    query.watch(note)
    await store.idle()
    assert seen == [(2, False, 5), (4, False, 5), (5, True, 5)]
    assert state(query) is QueryState.READY


async def test_a_list_does_not_shrink_while_it_is_refreshed(store: Store, platform: NotesPlatform) -> None:
    query = await store.query_list(Notes.list_notes, "b1").wait()
    platform.notes["n6"] = "Sixth"
    sizes = []
    query.watch(lambda changed: sizes.append(len(changed.value.items if changed.value else ())))
    query.refresh()
    await store.idle()
    assert sizes == [5, 6]


async def test_a_list_that_breaks_off_keeps_what_came_and_says_so(store: Store, platform: NotesPlatform) -> None:
    platform.gate.clear()
    query = store.query_list(Notes.list_notes, "b1")

    def break_off(changed: Query[Any]) -> None:
        if changed.value and len(changed.value.items) == 2 and not platform.errors:
            platform.errors.append(LOST)

    query.watch(break_off)
    platform.gate.set()
    await store.idle()
    assert state(query) is QueryState.FAILED
    assert (len(value_of(query).items), value_of(query).complete) == (2, False)
    platform.errors.clear()


async def test_a_list_keeps_the_limit_it_was_given(store: Store, platform: NotesPlatform) -> None:
    await store.query_list(Notes.list_notes, "b1", limit=7).wait()
    assert {arguments["limit"] for _, arguments in platform.transport.sent} == {7}


async def test_fetching_tells_a_live_query_of_the_same_call(store: Store, platform: NotesPlatform) -> None:
    query = await store.query(Notes.get_note, "n1").wait()
    platform.notes["n1"] = "Changed"
    assert (await store.fetch(Notes.get_note, "n1")).title == "Changed"
    assert value_of(query).title == "Changed"
    with pytest.raises(NotFound):
        await store.fetch(Notes.get_note, "n9")
    with pytest.raises(ValueError, match="changes something"):
        await store.fetch(Notes.update_note, "n1", WriteNote())


async def test_what_is_doubtful_is_asked_for_at_once_only_where_it_is_watched(
    store: Store, platform: NotesPlatform
) -> None:
    watched, other = store.query(Notes.get_note, "n1"), store.query(Notes.get_note, "n2")
    watched.watch(lambda _: None)
    await store.idle()
    platform.transport.sent.clear()
    store.invalidate(calls(Notes.get_note))
    await store.idle()
    assert [arguments["note_id"] for _, arguments in platform.transport.sent] == ["n1"]
    assert store.query(Notes.get_note, "n2") is other
    await store.idle()
    assert [arguments["note_id"] for _, arguments in platform.transport.sent] == ["n1", "n2"]


async def test_what_another_screen_covers_is_asked_for_when_it_is_seen_again(
    store: Store, platform: NotesPlatform
) -> None:
    covered = True
    query = store.query(Notes.get_note, "n1")
    query.watch(lambda _: None, lambda: not covered)
    await store.idle()
    platform.transport.sent.clear()
    store.invalidate(calls(Notes.get_note))
    store.catch_up()
    await store.idle()
    assert platform.transport.sent == []
    assert query.stale
    covered = False
    store.catch_up()
    store.catch_up()
    await store.idle()
    assert len(platform.transport.sent) == 1
    assert not query.stale


async def test_an_answer_that_was_on_its_way_when_it_became_doubtful_is_not_shown(
    store: Store, platform: NotesPlatform
) -> None:
    platform.gate.clear()
    query = store.query(Notes.get_note, "n1")
    await asyncio.sleep(0)
    store.invalidate(about(note_id="n1"))
    platform.gate.set()
    await store.idle()
    assert platform.calls == ["get_note", "get_note"]
    assert state(query) is QueryState.READY


async def test_memory_is_bounded_but_what_is_watched_stays(
    platform: NotesPlatform, clock: Clock, tmp_path: Path
) -> None:
    store = Store(platform.transport, Drafts(tmp_path, clock), clock=clock, most_queries=2)
    watched = store.query(Notes.get_note, "n1")
    watched.watch(lambda _: None)
    forgotten = store.query(Notes.get_note, "n2")
    await store.idle()
    for key in ("n3", "n4"):
        await store.query(Notes.get_note, key).wait()
    assert store.query(Notes.get_note, "n1") is watched
    assert store.query(Notes.get_note, "n2") is not forgotten
    await store.idle()


async def test_closing_gives_up_what_is_being_loaded(store: Store, platform: NotesPlatform) -> None:
    platform.gate.clear()
    store.query(Notes.get_note, "n1")
    store.query(Notes.get_note, "n2").watch(lambda _: None)
    await store.aclose()
    assert store.pending == 0


async def test_an_item_that_comes_twice_while_a_list_grows_is_shown_once(store: Store, platform: NotesPlatform) -> None:
    def grow(changed: Query[Listing[Note]]) -> None:
        if "n0" not in platform.notes:
            platform.notes = {"n0": "New", **platform.notes}

    query = store.query_list(Notes.list_notes, "b1")
    query.watch(grow)
    await store.idle()
    ids = [note.id for note in value_of(query).items]
    assert len(ids) == len(set(ids)) == 5


async def test_a_list_is_loaded_page_by_page_as_far_as_it_is_asked_for(store: Store, platform: NotesPlatform) -> None:
    pages = store.query_pages(Notes.list_notes, "book")
    assert [note.id for note in value_of(await pages.wait()).items] == ["n1", "n2"]
    assert (value_of(pages).complete, value_of(pages).total) == (False, 5)
    pages.more()
    assert [note.id for note in value_of(await pages.wait()).items] == ["n1", "n2", "n3", "n4"]
    pages.more()
    assert value_of(await pages.wait()).complete
    assert len(platform.calls) == 3
    assert store.query_pages(Notes.list_notes, "book") is pages


async def test_a_list_that_has_grown_is_refreshed_as_far_as_it_was_known(store: Store, platform: NotesPlatform) -> None:
    pages = store.query_pages(Notes.list_notes, "book")
    await pages.wait()
    pages.more()
    await pages.wait()
    platform.notes["n4"] = "Changed"
    store.invalidate(calls(Notes.list_notes))
    assert [note.title for note in value_of(await pages.wait()).items] == ["First", "Second", "Third", "Changed"]


async def test_a_page_that_failed_is_asked_for_again_and_what_came_before_stays(
    store: Store, platform: NotesPlatform
) -> None:
    pages = store.query_pages(Notes.list_notes, "book")
    await pages.wait()
    platform.errors.append(LOST)
    pages.more()
    await pages.wait()
    assert state(pages) is QueryState.FAILED
    assert len(value_of(pages).items) == 2
    pages.more()
    assert len(value_of(await pages.wait()).items) == 4
    assert state(pages) is QueryState.READY
